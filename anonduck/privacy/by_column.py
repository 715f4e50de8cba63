"""Counts of a large file whose columns can be read one by one, by little memory.

Nearly all combinations of its columns may differ. So a combination is one number of 64 bits
(anonduck.statements.builder_packed), and the numbers are sorted; whole rows are not grouped.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from anonduck.database.connection import Database
from anonduck.engines import group_sizes
from anonduck.statements import builder_packed, statement
from anonduck.statements.expansion import Item

MOST_VALUES = 1 << 22  # of a column, which are joined to its rows
SAMPLE = 200_000  # records
MOST_RECORDS = 1 << 27  # whose numbers are held in memory: a gigabyte

Size = tuple[int, int, int, int]


def sizes_by_column(work: Database, kept: Sequence[str], others: Sequence[str], records: int) -> list[Size]:
    """The rows of ``group_sizes.sizes_of`` of the temp view ``release``, which has so many records."""
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
        return [(group_sizes.ALL_COLUMNS, 1, records, records)]  # where all values of a column differ, so do these
    most = max(sum(held for place, _, held, _ in single if place == one) for one in range(len(kept)))
    sizes = combination_sizes(work, [*kept, *others], records) if most <= MOST_VALUES else None
    if sizes is None:
        return work.rows(group_sizes.sizes_of("release", kept, others, sets="whole"))
    counts = zip(*np.unique(sizes, return_counts=True), strict=True)
    return [(group_sizes.ALL_COLUMNS, int(size), int(held), int(size * held)) for size, held in counts]


def repeats(work: Database, columns: Sequence[str], records: int) -> bool:
    """Whether most of the first of so many records of the temp view ``release`` have a combination of columns in common
    with others."""
    query = statement("privacy/sampled_combinations.sql", columns={"combined": columns})
    return bool(work.value(query, {"most": SAMPLE}) * 2 < min(SAMPLE, records))


def combination_sizes(work: Database, columns: Sequence[str], records: int) -> np.ndarray | None:
    """How many of so many records of the temp view ``release`` each combination of columns has, in no order.

    None where grouping is faster, as most of the first records have one in common, where a record would need more than
    64 bits, or memory should not hold what this takes.
    """
    if records > MOST_RECORDS or repeats(work, columns, records):
        return None
    with _numbered_values(work, columns) as values:
        if values is None:
            return None
        digits = builder_packed.digits_of([[name] for name in columns], values)
        packed = statement("database/packed_rows.sql", table={"relation": "release"}, lists={"digits": digits})
        numbers = work.arrays(packed)[builder_packed.ROW]
    numbers.sort()
    ends = np.append(np.flatnonzero(numbers[1:] != numbers[:-1]), len(numbers) - 1)
    return np.diff(ends, prepend=-1)


def number_classes(
    work: Database, quasi: Mapping[str, str], sensitive: Mapping[str, str], records: int, tables: tuple[str, str]
) -> bool:
    """Make ``tables`` of so many records of the temp view ``release``: a row for each equivalence class and its values
    of ``sensitive`` columns, and one for each class, with its values; whether that was done.

    Columns are given with their names there. Not where grouping whole rows is as fast, as most of the first records
    have one in common, nor where a class would need more than 64 bits.
    """
    if not quasi or repeats(work, [*quasi, *sensitive], records):
        return False
    with _numbered_values(work, list(quasi)) as values:
        if values is None:
            return False
        cells, named = tables
        digits = builder_packed.digits_of([[name] for name in quasi], values, list(quasi.values()))
        lists: dict[str, list[Item]] = {"digits": digits}
        lists["sensitive"] = [{"name": name, "called": called} for name, called in sensitive.items()]
        work.run(statement("privacy/packed_cells.sql", table={"target": cells}, lists=lists))
        made = {"target": named, "cells": cells}
        work.run(statement("privacy/packed_names.sql", table=made, lists={"digits": digits}))
    return True


@contextmanager
def _numbered_values(work: Database, columns: Sequence[str]) -> Iterator[list[int] | None]:
    """Number the values of columns; yields how many each has, None where these or their combinations are too many."""
    tables = [builder_packed.values_table(place) for place in range(len(columns))]
    values = list[int]()
    try:
        for name, table in zip(columns, tables, strict=True):
            work.run(statement("privacy/numbered_values.sql", column={"kept": name}, table={"packed": table}))
            values.append(work.count(table))
            if values[-1] > MOST_VALUES or math.prod(values) >= builder_packed.MOST:
                yield None
                return
        yield values
    finally:
        work.drop(*[("temp", table) for table in tables])
