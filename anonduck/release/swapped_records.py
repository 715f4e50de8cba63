"""Reads what is swapped as codes, and hands over whose values each record shows; nothing of that is ever written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from anonduck.database.connection import Database
from anonduck.engines.arrow import pa
from anonduck.methods.coded_records import MixedColumn, MixedRecords
from anonduck.methods.dissimilarity import Together
from anonduck.methods.permutation import Permuted, dealt, permuted
from anonduck.methods.probabilistic import Clusters
from anonduck.source.columns import Column
from anonduck.statements import statement
from anonduck.statements.column_types import is_numeric, is_temporal
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.builder_swaps import SWAP_SET

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
    counts = database.arrays(statement("release/swap_records.sql"))["records"].astype(np.int64)
    combination, first = _combinations(codes)
    data = MixedRecords(
        tuple(columns),
        tuple(one[first] for one in codes),
        np.bincount(combination, weights=counts).astype(np.int64),
    )
    rows = np.repeat(np.arange(len(counts)), counts)
    return SwappedRecords(tuple(names), data, tuple(codes), read_codes(database, class_)[1], combination, rows)


def read_codes(database: Database, name: str) -> tuple[MixedColumn, np.ndarray]:
    """A column whose codes were made, and the code of each row of its set."""
    read = database.arrays(statement("release/swap_codes.sql", table={"made": codes_table(name)}))
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


def swap(
    records: SwappedRecords, clusters: Clusters, blocks: Sequence[Sequence[str]], random: np.random.Generator
) -> tuple[Permuted, np.ndarray]:
    """Deal records to clusters and permute each block within these; and the cluster of each record."""
    of_record = records.combination[records.rows]
    cluster = dealt(clusters.cluster, clusters.combination, clusters.records, of_record, random)
    values = [_combinations([records.codes[records.names.index(name)] for name in block])[0] for block in blocks]
    return permuted(cluster, [one[records.rows] for one in values], random), cluster


def handed_over(records: SwappedRecords, found: Permuted) -> pa.Table:
    """The row of each record, and by block the row whose values it shows."""
    sources = {f"b{number}": records.rows[one] for number, one in enumerate(found.sources)}
    return pa.table({"own": records.rows, **sources})


def shown_codes(records: SwappedRecords, found: Permuted, blocks: Sequence[Sequence[str]]) -> Iterator[np.ndarray]:
    """The codes that each record shows, by column."""
    block_of: Mapping[str, int] = {name: number for number, block in enumerate(blocks) for name in block}
    for name, codes in zip(records.names, records.codes, strict=True):
        yield codes[records.rows[found.sources[block_of[name]]]]
