"""Reads what is swapped as codes, hands over whose values each record shows, and counts what was done.

Whose values a record shows is never written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from anonduck.database.connection import Database
from anonduck.engines.arrow import pa
from anonduck.methods.coded_records import MixedColumn, MixedRecords
from anonduck.methods.dissimilarity import Together
from anonduck.methods.permutation import Permuted, dealt, permuted
from anonduck.methods.probabilistic import Clusters
from anonduck.release.rare_values import RareValues
from anonduck.release.swapped_columns import SWAP_SET
from anonduck.source.columns import Column
from anonduck.statements import Statement, line, statement
from anonduck.statements.column_types import is_numeric, is_temporal
from anonduck.statements.pipeline.column_names import value_column

PREPARED = "swap_prepared"


@dataclass(frozen=True, eq=False)
class SwappedRecords:
    """The records of a source as codes: those of each row that is swapped by column, ``rows`` the row of each record,
    ``combination`` the combination of quasi-identifiers of each row."""

    names: tuple[str, ...]
    data: MixedRecords
    codes: tuple[np.ndarray, ...]
    classes: np.ndarray
    combination: np.ndarray
    rows: np.ndarray


def codes_table(name: str) -> str:
    """The temporary table of a column's codes."""
    return f"{name} swap codes"


def make_codes(database: Database, name: str, column: Column | None, *, over: str = SWAP_SET) -> None:
    """Number the values of a column of a set; those without a ``column`` of numbers, dates or times as texts."""
    kind = "categories" if column is None else _family(column.type)
    made = codes_table(name) if kind == "categories" else PREPARED
    database.run(
        statement(
            f"release/swap_{kind}.sql",
            column={"swapped_value": value_column(name)},
            table={"coded_set": over, "made": made},
        )
    )
    if made == PREPARED:
        database.run(statement("release/swap_binned.sql", table={"prepared": PREPARED, "made": codes_table(name)}))
        database.drop(("temp", PREPARED))


def _family(kind: str) -> str:
    return "numbers" if is_numeric(kind) else "moments" if is_temporal(kind) else "categories"


def read_swapped(database: Database, names: Sequence[str], class_: str) -> SwappedRecords:
    """What is swapped, whose codes were made."""
    columns, codes = zip(*(read_codes(database, name) for name in names), strict=True)
    text = 'SELECT "#records"::BIGINT AS records FROM swap_set ORDER BY "#row"'
    counts = database.arrays(line("release/swapped_records.read_swapped", text))["records"].astype(np.int64)
    combination, first = _combinations(codes)
    data = MixedRecords(
        tuple(columns),
        tuple(one[first] for one in codes),
        np.bincount(combination, weights=counts).astype(np.int64),
    )
    rows = np.repeat(np.arange(len(counts)), counts)
    return SwappedRecords(tuple(names), data, tuple(codes), read_codes(database, class_)[1], combination, rows)


def codes_of(name: str) -> Statement:
    """The code of a column, from 1, and the number, if it has one, in each row of its set; of NULL 0 and none."""
    text = 'SELECT code, number FROM "{made}" ORDER BY "#row"'
    return line("release/swapped_records.codes_of", text, made=codes_table(name))


def read_codes(database: Database, name: str) -> tuple[MixedColumn, np.ndarray]:
    """A column whose codes were made, and the code of each row of its set."""
    read = database.arrays(codes_of(name))
    codes = np.asarray(read["code"], dtype=np.int32)
    numbers = np.ma.filled(np.ma.asarray(read["number"], dtype=np.float64), np.nan)
    size = int(codes.max(initial=0)) + 1
    if not len(codes) or np.isnan(numbers).all():
        return MixedColumn(size), codes
    of_code = np.full(size, np.nan)
    of_code[codes] = numbers
    return MixedColumn(size, of_code), codes


def _combinations(codes: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The combination of each row, numbered in the order of codes, and a row of each."""
    order = np.lexsort(tuple(reversed(codes)))
    begins = np.zeros(len(order), dtype=bool)
    begins[:1] = True
    for one in codes:
        begins[1:] |= np.diff(one[order]) != 0
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.cumsum(begins) - 1
    return found, order[begins]


def read_together(database: Database, one: str, other: str) -> np.ndarray:
    """Records by value (bin, of numbers) of two columns, from 0 on; NULL is 0."""
    tables = {"one": codes_table(one), "other": codes_table(other)}
    read = database.arrays(statement("release/swap_together.sql", table=tables))
    bins = [np.asarray(read[name], dtype=np.int64) for name in ("one_bin", "other_bin")]
    counts = np.zeros([int(found.max(initial=0)) + 1 for found in bins], dtype=np.int64)
    counts[bins[0], bins[1]] = read["records"]
    return counts


def read_all_together(database: Database, names: Sequence[str]) -> Together:
    """The same for each two columns."""
    return {
        (one, other): read_together(database, names[one], names[other])
        for one, other in combinations(range(len(names)), 2)
    }


def dealt_to(records: SwappedRecords, clusters: Clusters, random: np.random.Generator) -> np.ndarray:
    """Deal the records of each combination to its clusters: the cluster of each record."""
    of_record = records.combination[records.rows]
    return dealt(clusters.cluster, clusters.combination, clusters.records, of_record, random)


def swap(
    records: SwappedRecords, cluster: np.ndarray, blocks: Sequence[Sequence[str]], random: np.random.Generator
) -> Permuted:
    """Permute each block within the clusters; ``cluster`` (records,) is that of each record."""
    values = [_combinations([records.codes[records.names.index(name)] for name in block])[0] for block in blocks]
    return permuted(cluster, [one[records.rows] for one in values], random)


def handed_over(records: SwappedRecords, found: Permuted) -> pa.Table:
    """The row of each record, and by block the row whose values it shows."""
    sources = {f"b{number}": records.rows[one] for number, one in enumerate(found.sources)}
    return pa.table({"own": records.rows, **sources})


def shown_codes(records: SwappedRecords, found: Permuted, blocks: Sequence[Sequence[str]]) -> Iterator[np.ndarray]:
    """The codes that each record shows, by column."""
    block_of: Mapping[str, int] = {name: number for number, block in enumerate(blocks) for name in block}
    for name, codes in zip(records.names, records.codes, strict=True):
        yield codes[records.rows[found.sources[block_of[name]]]]


# -- what was done -----------------------------------------------------------------------------------------------------


@dataclass
class Swapped:
    """What was done: the blocks, counts for the owner, and what the measures read; ``rare`` are rare values by column,
    where they were looked at."""

    blocks: list[list[str]] = field(default_factory=list)
    counts: dict[str, Any] = field(default_factory=dict)
    unique: dict[str, int] = field(default_factory=dict)
    rare: Mapping[str, RareValues] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    made: tuple[SwappedRecords, Permuted] | None = None

    @property
    def alone(self) -> dict[str, int]:
        """How many values one record alone has, of the columns that have some."""
        return {name: count for name, count in self.unique.items() if count}

    def note(
        self,
        records: SwappedRecords,
        permuted: Permuted,
        cluster: np.ndarray,
        blocks: list[list[str]],
    ) -> None:
        """Count what was done: clusters, blocks of clusters that are unchanged, clusters of one class."""
        sizes, classes = np.bincount(cluster), records.classes[records.rows]
        kinds = np.unique(np.column_stack([cluster, classes]), axis=0)[:, 0]
        self.blocks = blocks
        self.counts = {
            "clusters": len(sizes),
            "smallest": int(sizes.min()),
            "largest": int(sizes.max()),
            "blocks_in_clusters": len(sizes) * len(blocks),
            "unchanged": int(sum(int(one.sum()) for one in permuted.unchanged)),
            "homogeneous": int(permuted.homogeneous.sum()),
            "one_class": int((np.bincount(kinds) == 1).sum()),
        }
        self.made = (records, permuted)

    def warnings(self, *, seed_given: bool) -> Iterator[str]:
        """What everybody should know; ``seed_given``: the swaps were drawn by the config's seed."""
        alone = self.alone
        if alone:
            yield (
                f"{counted(alone)} in one record alone. Who knows of such a value sees that its person is in the "
                "release; the option `top` shows larger numbers as one, `levels` shows labels of a taxonomy"
            )
        if seed_given:
            yield (
                "the swaps were drawn by the config's seed: whoever knows it and all quasi-identifiers can draw them "
                "again. Keep it secret, or leave it out for one that nobody knows"
            )

    @property
    def unhidden(self) -> Iterator[str]:
        """What whoever releases it should know of clusters that swapping does not hide."""
        counts = self.counts
        if counts["unchanged"]:
            yield (
                f"{counts['unchanged']:,} of {counts['blocks_in_clusters']:,} blocks of clusters are unchanged, as all "
                f"their records are alike; {counts['homogeneous']:,} of {counts['clusters']:,} clusters are unchanged "
                "in all blocks and have k-anonymity alone"
            )
        if counts["one_class"]:
            yield (
                f"the records of {counts['one_class']:,} of {counts['clusters']:,} clusters have one value of the "
                "class: swapping does not hide it from somebody who finds the cluster"
            )


def lone_words(records: int, alone: int, k: int) -> str:
    """What records that are like no other in the file mean where values were swapped in clusters of k records."""
    return (
        f"k is 1 in the file: {alone:,} of {records:,} records show a combination of values that no other shows. "
        f"Their values changed places in clusters of at least {k:,} records, so that such a record need not be one "
        "person's, and the file does not tell which values are"
    )


def counted(alone: Mapping[str, int]) -> str:
    """Which columns have how many such values, in words."""
    named = ", ".join(f"{name!r} ({count:,})" for name, count in alone.items())
    return f"values of {named} stand"
