"""The sizes of anonduck.statements.builder_kept of a file whose columns can be read one by one, by little memory.

Nearly all combinations of all columns differ in a large file that keeps columns. So a combination is one number of 64
bits (anonduck.statements.builder_packed), and the numbers are sorted; whole rows are not grouped.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from anonduck.database.connection import Database
from anonduck.statements import builder_kept, builder_packed, statement

MOST_VALUES = 1 << 22  # of a kept column, which are joined to its rows
MOST_RECORDS = 1 << 27  # whose numbers are held in memory: a gigabyte

Size = tuple[int, int, int, int]


def sizes_by_column(work: Database, kept: Sequence[str], others: Sequence[str], records: int) -> list[Size]:
    """The rows of ``builder_kept.sizes_of`` of the temp view ``release``, which has so many records."""
    found: list[Size] = []
    for place, name in enumerate(kept):
        sizes = work.rows(statement("privacy/held_sizes.sql", column={"kept": name}))
        found += [(place, int(holders), int(held), int(of)) for holders, held, of in sizes]
    if len(kept) + len(others) > 1:
        found += _combinations(work, kept, others, records, found)
    return found


def _combinations(
    work: Database, kept: Sequence[str], others: Sequence[str], records: int, single: Sequence[Size]
) -> list[Size]:
    if any((holders, of) == (1, records) for _, holders, _, of in single):
        return [(builder_kept.ALL_COLUMNS, 1, records, records)]  # where all values of a column differ, so do these
    most = max(sum(held for place, _, held, _ in single if place == one) for one in range(len(kept)))
    numbers = _numbers(work, [*kept, *others]) if most <= MOST_VALUES and records <= MOST_RECORDS else None
    if numbers is None:
        return work.rows(builder_kept.combinations_of_all("release", kept, others))
    numbers.sort()
    return [(builder_kept.ALL_COLUMNS, *size) for size in sizes_of_runs(numbers)]


def _numbers(work: Database, columns: Sequence[str]) -> np.ndarray | None:
    """The number of each record; None where it would need more than 64 bits."""
    tables = [builder_packed.values_table(place) for place in range(len(columns))]
    try:
        for name, table in zip(columns, tables, strict=True):
            work.run(statement("privacy/numbered_values.sql", column={"kept": name}, table={"packed": table}))
        values = [work.count(table) for table in tables]
        if math.prod(values) >= builder_packed.MOST:
            return None
        return work.arrays(builder_packed.packed_release(columns, values))[builder_packed.ROW]
    finally:
        work.drop(*[("temp", table) for table in tables])


def sizes_of_runs(numbers: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """By the length of a run of equal numbers, ascending: the length, how many runs have it, and their numbers."""
    ends = np.append(np.flatnonzero(numbers[1:] != numbers[:-1]), len(numbers) - 1)
    for length, runs in zip(*np.unique(np.diff(ends, prepend=-1), return_counts=True), strict=True):
        yield int(length), int(runs), int(length * runs)
