"""Which columns to name as quasi-identifiers: the smallest sets of them that single out most records.

As ARX does (Prasser et al. 2014), for each column: the share of the records that it alone singles out, the number of
distinct values by records (distinction), and the share of the pairs of records whose values differ (separation, Motwani
and Xu 2007). A set of columns singles a record out if no other record has its combination of values. Another column
never lowers that share, which lets the search skip sets. Measured on a sample of up to 100,000 records.

Results hold counts and shares of columns, never a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import ceil, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.errors import ConfigError
from anonduck.source.engine import SAMPLE, SourceEngine, blocks_of
from anonduck.statements import Statement, statement

if TYPE_CHECKING:
    import numpy as np

SHARE = 0.99
"""The share of the records that a set must single out."""

MOST_TRIED = 2_000
"""At most so many sets are examined; after that, one set is found by leaving out columns one by one."""

LISTED = 20
MOST_SAMPLED = 100_000  # what the source's engine samples
RANKED = 8  # columns that one statement ranks: each rank is computed beside all columns of the statement
SEED = 0


def sampled_ranks(
    engine: SourceEngine, names: Sequence[str], *, sampled: bool = False
) -> tuple[list[np.ndarray], bool] | None:
    """Rank the sampled values of columns, and say whether the source has more records; None without record or column.

    There is one array over the sampled records for each column: ranks from 1 on, NULL first. The source is scanned once
    for its sample, unless that is in the decision database already (``sampled``) and stays there.
    """
    if not names:
        return None
    if not sampled:
        engine.sample()
    try:
        blocks = [engine.database.arrays(_value_ranks(block)) for block in blocks_of(names, RANKED)]
    finally:
        if not sampled:
            engine.database.drop(SAMPLE)
    ranks = [rank for block in blocks for rank in block.values()]
    if not len(ranks[0]):
        return None
    return ranks, len(ranks[0]) >= MOST_SAMPLED and engine.count() > len(ranks[0])


def _value_ranks(columns: Sequence[str]) -> Statement:
    return statement("init/value_ranks.sql", lists={"columns": columns})


def codes_of(ranks: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The ranks as codes from 0 on."""
    import numpy as np

    return [np.asarray(rank, dtype=np.int64) - 1 for rank in ranks]


def random_keys(codes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """A random number of 64 bits for each value of each column: the sum over columns identifies a combination.

    Two of 100,000 combinations have the same sum with a probability of less than one in a billion (Zobrist 1970).
    """
    import numpy as np

    random = np.random.default_rng(SEED)
    return [random.integers(0, 2**64, int(one.max()) + 1, dtype=np.uint64)[one] for one in codes]


def separation(counts: np.ndarray) -> float:
    """The share of the pairs of records whose values differ, given the records of each value (Motwani and Xu 2007)."""
    records = int(counts.sum())
    alike = int((counts * (counts - 1)).sum())
    return round(1 - alike / (records * (records - 1)), 6) if records > 1 else 0.0


@dataclass(frozen=True)
class IdentifyingColumn:
    """How far a column alone singles records out.

    ``unique`` is the share of the records that it singles out, ``distinction`` the number of its distinct values by
    records, ``separation`` the share of the pairs of records that differ in it.
    """

    column: str
    unique: float
    distinction: float
    separation: float


@dataclass(frozen=True)
class IdentifyingSet:
    """Columns that together single out a ``share`` of the records."""

    columns: tuple[str, ...]
    share: float


@dataclass(frozen=True)
class IdentifyingColumns:
    """Single columns, and the smallest sets that single out a ``wanted`` share of the records.

    All columns together single out the share ``together``. If that is less than ``wanted``, ``sets`` single out that
    share of what all columns do. ``omitted`` further sets of the same size are not listed. Unless ``smallest``, not all
    smaller sets were examined, and no column can be left out of the one set.
    """

    records: int
    sampled: bool
    wanted: float
    together: float
    columns: tuple[IdentifyingColumn, ...]
    sets: tuple[IdentifyingSet, ...]
    omitted: int
    smallest: bool

    def as_json(self) -> dict[str, Any]:
        """What ``anonduck quasi-identifiers --json`` prints."""
        return asdict(self) | {"lines": list(self.lines)}

    @property
    def lines(self) -> tuple[str, ...]:
        """The same in sentences."""
        return tuple(self._lines())

    def _lines(self) -> Iterator[str]:
        of = f"a sample of {self.records:,} records" if self.sampled else f"{self.records:,} records"
        yield f"all {len(self.columns)} columns together single out {self.together:.1%} of {of}"
        if not self.together:
            return
        size = len(self.sets[0].columns)
        least = (
            f"{self.wanted:.0%} of the records"
            if self.together >= self.wanted
            else f"{self.wanted:.0%} of what all columns single out"
        )
        count = len(self.sets) + self.omitted
        if self.smallest:
            noun = "set" if count == 1 else "sets"
            yield f"it takes {size} of them to single out {least}: {count:,} {noun}, those that single out most first"
        else:
            yield f"{size} of them single out {least}, none of which can be left out; there may be smaller sets"
        for one in self.sets:
            yield f"{', '.join(map(repr, one.columns))}: {one.share:.1%}"
        if self.omitted:
            yield f"and {self.omitted:,} more"


def identifying_columns(
    engine: SourceEngine, names: Sequence[str], *, share: float = SHARE
) -> IdentifyingColumns | None:
    """Search for sets of the columns; None if there is no record or no column. The source is scanned once.

    Raises ConfigError for a share that is not over 0 and up to 1.
    """
    if not 0 < share <= 1:
        raise ConfigError(f"the share of records to single out is over 0 and at most 1; got {share}")
    ranked = sampled_ranks(engine, names)
    return None if ranked is None else identifying_of(names, ranked[0], share=share, sampled=ranked[1])


def identifying_of(
    names: Sequence[str], ranks: Sequence[np.ndarray], *, share: float = SHARE, sampled: bool = False
) -> IdentifyingColumns:
    """Search for sets of columns that are given by the ranks of their values, from 1 on."""
    search = _Search(codes_of(ranks))
    together = search.singled(tuple(range(len(names))))
    enough = ceil(share * (search.records if together >= share * search.records else together))
    found, smallest = search.smallest(enough) if together else ([], True)
    order = sorted(found, key=lambda one: (-search.singled(one), one))
    sets = [IdentifyingSet(tuple(names[n] for n in one), search.share(one)) for one in order]
    columns = tuple(search.column(number, name) for number, name in enumerate(names))
    return IdentifyingColumns(
        records=search.records,
        sampled=sampled,
        wanted=share,
        together=search.share(tuple(range(len(names)))),
        columns=columns,
        sets=tuple(sets[:LISTED]),
        omitted=max(0, len(sets) - LISTED),
        smallest=smallest,
    )


class _Search:
    """Counts the records that sets of columns single out, and remembers the counts."""

    def __init__(self, codes: list[np.ndarray]) -> None:
        self.codes = codes
        self.records = len(codes[0])
        self.sizes = [int(one.max()) + 1 for one in codes]
        self.keys = random_keys(codes)
        self.known: dict[tuple[int, ...], int] = {}

    def singled(self, columns: tuple[int, ...]) -> int:
        """The records whose combination no other one has."""
        if columns not in self.known:
            keys = np.zeros(self.records, dtype=np.uint64)
            for number in columns:
                keys += self.keys[number]
            _, counts = np.unique(keys, return_counts=True)
            self.known[columns] = int((counts == 1).sum())
        return self.known[columns]

    def share(self, columns: tuple[int, ...]) -> float:
        return round(self.singled(columns) / self.records, 6)

    def column(self, number: int, name: str) -> IdentifyingColumn:
        counts = np.bincount(self.codes[number])
        counts = counts[counts > 0].astype(np.int64)
        return IdentifyingColumn(
            column=name,
            unique=self.share((number,)),
            distinction=round(len(counts) / self.records, 6),
            separation=separation(counts),
        )

    def smallest(self, enough: int) -> tuple[list[tuple[int, ...]], bool]:
        """All sets of the least size that single out enough records; one minimal set if too many must be examined."""
        every = tuple(range(len(self.codes)))
        needed = [one for one in every if self.singled(tuple(n for n in every if n != one)) < enough]
        free = [one for one in every if one not in needed]
        for size in range(len(free) + 1):
            found = []
            for more in combinations(free, size):
                columns = tuple(sorted((*needed, *more)))
                if prod(self.sizes[number] for number in columns) < enough:
                    continue
                if len(self.known) >= MOST_TRIED and columns not in self.known:
                    return [self._minimal(enough)], False
                if columns and self.singled(columns) >= enough:
                    found.append(columns)
            if found:
                return found, True
        return [every], True

    def _minimal(self, enough: int) -> tuple[int, ...]:
        """Leave out columns as long as possible, each time the one that costs the fewest records."""
        kept = tuple(range(len(self.codes)))
        while True:
            fewer = [tuple(n for n in kept if n != one) for one in kept]
            best = max(fewer, key=self.singled)
            if self.singled(best) < enough:
                return kept
            kept = best
