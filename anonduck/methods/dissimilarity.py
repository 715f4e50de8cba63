"""How unlike two records of mixed data are: Gower (1971) and Ahmad and Dey (2011), as in Senavirathne and Torra (2021).

Each column gives the distances of its values as whole numbers, where ONE is the largest distance, so that sums do not
depend on their order. The distances from one combination to all others are looked up in tables: columns with few values
share a table with a row for each combination of their values that occurs. No matrix of all pairs is ever stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from anonduck.methods.coded_records import MixedColumn, MixedRecords

ONE = 1 << 22
SHARED = 8
"""Columns share a table only if it has at least this many combinations for each of its rows."""


class DistanceColumn(Protocol):
    """The distances between the values of a column."""

    def some(self, codes: np.ndarray) -> DistanceColumn:
        """The same column for the combinations at these positions only."""

    def row(self, code: int) -> np.ndarray:
        """The distance of each value from the value of ``code``, (values,), in units of 1 / ONE."""


@dataclass(frozen=True, eq=False)
class Equality:
    """Categories at distance ONE unless equal. With ``skips``, NULL (code 0) is at distance 0 from everything."""

    codes: np.ndarray
    skips: bool

    def some(self, codes: np.ndarray) -> Equality:
        """See DistanceColumn."""
        return Equality(self.codes[codes], self.skips)

    def row(self, code: int) -> np.ndarray:
        """See DistanceColumn."""
        if self.skips and code == 0:
            return np.zeros(len(self.codes), dtype=np.int32)
        unlike = self.codes != code
        if self.skips:
            unlike &= self.codes != 0
        found: np.ndarray = unlike * np.int32(ONE)
        return found


@dataclass(frozen=True, eq=False)
class Line:
    """Numbers scaled to 0 to ONE in ``places``, -1 for NULL (distance 0); ``of_code`` is the same for each code."""

    places: np.ndarray
    of_code: np.ndarray

    def some(self, codes: np.ndarray) -> Line:
        """See DistanceColumn."""
        return Line(self.places[codes], self.of_code)

    def row(self, code: int) -> np.ndarray:
        """See DistanceColumn."""
        place = self.of_code[code]
        if place < 0:
            return np.zeros(len(self.places), dtype=np.int32)
        apart: np.ndarray = np.abs(self.places - place)
        if self._missing.any():
            apart[self._missing] = 0
        return apart

    @cached_property
    def _missing(self) -> np.ndarray:
        found: np.ndarray = self.places < 0
        return found


@dataclass(frozen=True, eq=False)
class Squares:
    """Numbers from 0 to 1, NaN for NULL, whose distance is the square of their difference times ``weight``."""

    places: np.ndarray
    of_code: np.ndarray
    weight: float

    def some(self, codes: np.ndarray) -> Squares:
        """See DistanceColumn."""
        return Squares(self.places[codes], self.of_code, self.weight)

    def row(self, code: int) -> np.ndarray:
        """See DistanceColumn; NULL is at the largest distance from every number."""
        place, missing = self.of_code[code], np.isnan(self.places)
        apart = np.where(missing, 0.0, 1.0) if np.isnan(place) else (self.places - place) ** 2
        if not np.isnan(place):
            apart[missing] = 1.0
        found: np.ndarray = np.rint(apart * (self.weight * ONE)).astype(np.int32)
        return found


@dataclass(frozen=True, eq=False)
class Lookup:
    """Categories whose distances are listed in ``table`` (codes, codes)."""

    table: np.ndarray
    codes: np.ndarray

    def some(self, codes: np.ndarray) -> Lookup:
        """See DistanceColumn."""
        return Lookup(self.table, self.codes[codes])

    def row(self, code: int) -> np.ndarray:
        """See DistanceColumn."""
        found: np.ndarray = self.table[code][self.codes]
        return found


@dataclass(frozen=True, eq=False)
class Dissimilarity:
    """A distance for each column, summed, or with ``averaged`` the mean over the columns in which both have a value."""

    columns: tuple[DistanceColumn, ...]
    averaged: bool


def gower(data: MixedRecords) -> Dissimilarity:
    """Gower's dissimilarity (equation 1): the mean over columns of 0 or 1 for categories, |a - b| / range for numbers.

    A column in which either record is NULL has the weight 0; records that share no filled column are at distance 1.
    """
    return Dissimilarity(tuple(_gower_column(column) for column in data.columns), averaged=True)


def _gower_column(column: MixedColumn) -> DistanceColumn:
    if column.numbers is None:
        return Equality(np.arange(column.size), skips=True)
    places = np.rint(np.where(np.isnan(column.numbers), -1.0, column.places * ONE)).astype(np.int32)
    return Line(places, places)


class Distances:
    """The distances from one combination to all others, for a set of combinations given by ``codes``."""

    def __init__(self, measure: Dissimilarity, codes: Sequence[np.ndarray]) -> None:
        self.measure = measure
        self.codes = tuple(codes)
        self.tables = _shared(measure.columns, self.codes)
        self.shared = _Shared(self.codes) if measure.averaged else None

    def some(self, kept: np.ndarray) -> Distances:
        """The distances among the kept combinations only."""
        return Distances(self.measure, [codes[kept] for codes in self.codes])

    def row(self, place: int) -> np.ndarray:
        """The distance of each combination from the one at ``place``: a whole number, or a mean where some are NULL."""
        found: np.ndarray | None = None
        for members, of_row in self.tables:
            parts = [column.row(self.codes[number][place]) for number, column in members]
            for part in parts[1:]:
                parts[0] += part
            apart = parts[0] if of_row is None else parts[0][of_row]
            found = apart if found is None else np.add(found, apart, out=found)
        if found is None:
            return np.zeros(0)
        return found if self.shared is None or self.shared.everything else self.shared.mean(found, place)


class _Shared:
    """The number of columns in which two combinations both have a value."""

    def __init__(self, codes: Sequence[np.ndarray]) -> None:
        present = np.column_stack([one != 0 for one in codes])
        patterns, of_row = np.unique(present, axis=0, return_inverse=True)
        self.of_row = of_row.ravel()
        self.counts = (patterns[:, None, :] & patterns[None, :, :]).sum(axis=2)
        self.everything = bool(patterns.all())

    def mean(self, summed: np.ndarray, place: int) -> np.ndarray:
        counts = self.counts[self.of_row[place]]
        found: np.ndarray = summed / np.maximum(counts, 1)[self.of_row]
        found[(counts == 0)[self.of_row]] = ONE
        return found


_Table = tuple[list[tuple[int, DistanceColumn]], np.ndarray | None]


def _shared(columns: Sequence[DistanceColumn], codes: Sequence[np.ndarray]) -> list[_Table]:
    """Groups of columns that share a table, with the table row of each combination; None if that is its own row."""
    values = [np.unique(one, return_inverse=True) for one in codes]
    runs: list[list[int]] = []
    keys = np.zeros(0, dtype=np.int64)
    for number in sorted(range(len(columns)), key=lambda one: len(values[one][0])):
        mine, count = values[number][1], len(values[number][0])
        both = np.unique(keys * count + mine, return_inverse=True) if runs else None
        if both is not None and len(both[0]) * SHARED <= len(mine):
            runs[-1].append(number)
            keys = both[1]
        else:
            runs.append([number])
            keys = mine
    return [_table(columns, codes, run) for run in runs]


def _table(columns: Sequence[DistanceColumn], codes: Sequence[np.ndarray], run: Sequence[int]) -> _Table:
    keys = np.column_stack([codes[number] for number in run])
    if len(run) == 1 and len(np.unique(keys)) * 2 > len(keys):
        return [(run[0], columns[run[0]].some(codes[run[0]]))], None
    _, first, of_row = np.unique(_numbers(keys), return_index=True, return_inverse=True)
    return [(number, columns[number].some(codes[number][first])) for number in run], of_row


def _numbers(keys: np.ndarray) -> np.ndarray:
    """A number for each distinct row."""
    found = np.zeros(len(keys), dtype=np.int64)
    for column in keys.T:
        _, found = np.unique(found * (int(column.max(initial=0)) + 1) + column, return_inverse=True)
    return found


# -- Ahmad and Dey -----------------------------------------------------------------------------------------------------

MOST_LISTED = 1_000
"""In categories with more values than this, co-occurrence is not used: values that differ are at distance 1."""

Together = dict[tuple[int, int], np.ndarray]
"""For each pair of columns, the first before the second: records by value (by bin, for numbers) of both."""


def ahmad_dey(data: MixedRecords, together: Together) -> Dissimilarity:
    """Ahmad and Dey's dissimilarity (equation 2): the distances of categories plus weighted squares for numbers.

    The distance of two categories is how much the values that occur with them differ: the total variation, averaged
    over the other columns. Numbers are weighted by the mean distance of their bins. NULL is a value of its own, at the
    largest distance from every number.
    """
    return Dissimilarity(
        tuple(_ahmad_dey_column(column, number, together) for number, column in enumerate(data.columns)), averaged=False
    )


def _ahmad_dey_column(column: MixedColumn, number: int, together: Together) -> DistanceColumn:
    others = [_with(together, number, other) for other in _others(together, number)]
    if column.numbers is not None:
        return Squares(column.places, column.places, _significance(others))
    if column.size > MOST_LISTED + 1 or not others:
        return Equality(np.arange(column.size), skips=False)
    return Lookup(np.rint(_variations(others) * ONE).astype(np.int32), np.arange(column.size))


def _others(together: Together, number: int) -> list[int]:
    return sorted({one for pair in together if number in pair for one in pair} - {number})


def _with(together: Together, number: int, other: int) -> np.ndarray:
    return together[number, other] if number < other else together[other, number].T


def _variations(others: Sequence[np.ndarray]) -> np.ndarray:
    """The distance of each two values, (values, values): 0 where one of them does not occur."""
    found: np.ndarray = np.mean([_total_variation(counts) for counts in others], axis=0)
    return found


def _total_variation(counts: np.ndarray) -> np.ndarray:
    """max over w of P(w|a) + P(not w|b) - 1, which is half the sum of the absolute differences of probabilities."""
    held = counts.sum(axis=1)
    chances = counts / np.maximum(held, 1)[:, None]
    found = np.empty((len(counts), len(counts)))
    for value, own in enumerate(chances):
        found[value] = np.abs(chances - own).sum(axis=1) / 2
    found[held == 0] = 0.0
    found[:, held == 0] = 0.0
    return found


def _significance(others: Sequence[np.ndarray]) -> float:
    """The mean distance of two bins that occur; 1 if there is no other column, 0 if there is only one bin."""
    if not others:
        return 1.0
    there = np.flatnonzero(others[0].sum(axis=1))
    if len(there) < 2:
        return 0.0
    apart = _variations(others)[np.ix_(there, there)]
    return float(apart[np.triu_indices(len(there), 1)].mean())
