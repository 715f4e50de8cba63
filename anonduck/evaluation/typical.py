"""The typical value of each equivalence class in each column: one value that stands for those of all its records.

The lower median of a column in an order, the most frequent value of any other. A value that fewer than k records hold
is not shown: microaggregation (Domingo-Ferrer and Mateo-Sanz, Practical data-oriented microaggregation for statistical
disclosure control, TKDE 2002) has no such rule.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonduck.frequency.roll_up import distinct

NONE = -1


@dataclass(frozen=True, eq=False)
class TypicalColumn:
    """What is known of the values of a column, by leaf code; 0 is NULL.

    Attributes:
        ordered: whether leaf codes are in the order of values.
        common: (leaf codes,), whether enough records hold the value.
        known: (leaf codes,), whether its taxonomy knows the value; NULL is known.
        numbers: (leaf codes,), by which two values of an ordered column are compared for nearness; NaN for NULL.
    """

    ordered: bool
    common: np.ndarray
    known: np.ndarray
    numbers: np.ndarray


@dataclass(frozen=True, eq=False)
class TypicalValues:
    """The typical value of each class in a column.

    Attributes:
        codes: (classes,), its leaf code; NONE where no value may be shown.
        medians: (classes,), the leaf code of the lower median, whether it may be shown or not; NONE where the column is
            in no order, or the class holds no value that its taxonomy knows.
    """

    codes: np.ndarray
    medians: np.ndarray


def typical_values(
    column: TypicalColumn, classes: np.ndarray, leaves: np.ndarray, records: np.ndarray
) -> TypicalValues:
    """The typical value of each class.

    A class that holds one value alone shows that. Else an ordered column shows the lower median of its values, or
    between the least and the largest of them the common value that is nearest to it, the smaller of two; NULL where
    more records than not hold it. Any other column shows the most frequent of the common values, the first of equals
    in the order of the taxonomy, and NULL after all others.

    Args:
        column: the values.
        classes: (rows,), the class of each row, from 0 and without gaps.
        leaves: (rows,), its leaf code.
        records: (rows,), its records.
    """
    count = int(classes.max(initial=-1)) + 1
    first, cell = distinct([classes, leaves])
    held = _Held(classes[first], leaves[first], np.bincount(cell, weights=records, minlength=len(first)))
    found = _medians(column, held, count) if column.ordered else _modes(column, held, count)
    alone = np.bincount(held.classes, minlength=count)[held.classes] == 1
    alone &= column.known[held.leaves]
    found.codes[held.classes[alone]] = held.leaves[alone]
    return found


@dataclass(frozen=True, eq=False)
class _Held:
    """The distinct values of each class, in the order of both, with their records."""

    classes: np.ndarray
    leaves: np.ndarray
    records: np.ndarray

    def of(self, kept: np.ndarray) -> _Held:
        """Some of them."""
        return _Held(self.classes[kept], self.leaves[kept], self.records[kept])


def _modes(column: TypicalColumn, held: _Held, count: int) -> TypicalValues:
    codes, none = np.full(count, NONE), np.full(count, NONE)
    shown = held.of(column.common[held.leaves] & column.known[held.leaves])
    place = np.where(shown.leaves == 0, len(column.common), shown.leaves)
    order = np.lexsort((place, -shown.records, shown.classes))
    begins = _begins(shown.classes[order])
    codes[shown.classes[order][begins]] = shown.leaves[order][begins]
    return TypicalValues(codes, none)


def _medians(column: TypicalColumn, held: _Held, count: int) -> TypicalValues:
    codes, medians = np.full(count, NONE), np.full(count, NONE)
    present = held.of((held.leaves != 0) & column.known[held.leaves])
    total = np.bincount(present.classes, weights=present.records, minlength=count)
    before = np.r_[0.0, np.cumsum(total)[:-1]]
    through = np.cumsum(present.records) - before[present.classes]
    upper = present.of(2 * through >= total[present.classes])
    begins = _begins(upper.classes)
    medians[upper.classes[begins]] = upper.leaves[begins]
    starts = _begins(present.classes)
    ends = np.r_[starts[1:], True] if len(starts) else starts
    at = present.classes[starts]
    codes[at] = _nearest(column, medians[at], present.leaves[starts], present.leaves[ends])
    missing = held.of(held.leaves == 0)
    most = np.zeros(count)
    most[missing.classes] = missing.records
    codes[(most > total) & bool(column.common[0])] = 0
    return TypicalValues(codes, medians)


def _nearest(column: TypicalColumn, medians: np.ndarray, least: np.ndarray, largest: np.ndarray) -> np.ndarray:
    """The common value from ``least`` to ``largest`` that is nearest to each median; NONE where there is none."""
    common = np.flatnonzero(column.common & column.known)
    common = common[common != 0]
    if not len(common):
        return np.full(len(medians), NONE)
    right = np.searchsorted(common, medians)
    above, below = common[np.minimum(right, len(common) - 1)], common[np.maximum(right - 1, 0)]
    has_above = (right < len(common)) & (above <= largest)
    has_below = (right > 0) & (below >= least)
    up, down = _distance(column.numbers, above, medians), _distance(column.numbers, medians, below)
    lower = has_below & (~has_above | (down <= up))
    return np.where(lower, below, np.where(has_above, above, NONE))


def _distance(numbers: np.ndarray, upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """How far values lie apart; infinitely where one is infinite or no number, and not at all where they are one."""
    with np.errstate(invalid="ignore"):
        apart = numbers[upper] - numbers[lower]
    return np.where(upper == lower, 0.0, np.where(np.isfinite(apart), apart, np.inf))


def _begins(classes: np.ndarray) -> np.ndarray:
    """Whether each row is the first of its class."""
    return np.r_[True, classes[1:] != classes[:-1]] if len(classes) else np.zeros(0, dtype=bool)
