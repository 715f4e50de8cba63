"""Whether equivalence classes and the class depend on each other at all, for rules that no model was trained for.

A table of many small equivalence classes has expected counts far too small for a chi-square distribution,
and looks informative however the class was dealt. So Pearson's chi-square is held against its mean and
variance among all ways to deal the class values to the records, by the gamma distribution that has these two. Both are
exact: divided by the records, it is the trace of a product of two projections, whose moments over all permutations are
those of Kazi-Aoual, Hitier, Sabatier and Lebreton (1995, Refined approximations to permutation tests for multivariate
inference).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log

import numpy as np

from anonduck.frequency.roll_up import RolledFrequencySet
from anonduck.measures.numpy_measures import by_row

NOTHING = 0.001
"""How often a rule may seem to tell something by chance: a discovery asks it of many rules, and it misses little."""

PRECISION = 1e-15
TINY = 1e-300
LEAST_LOGARITHM = -690.0


@dataclass(frozen=True)
class Association:
    """Pearson's chi-square of equivalence classes and class values, over so many records.

    ``reciprocal_classes`` and ``reciprocal_labels`` are the sums of 1 / records over the one and the other.
    """

    records: int
    classes: int
    labels: int
    chi_square: float
    reciprocal_classes: float
    reciprocal_labels: float

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and variance of the chi-square where the class values are dealt to the records by chance.

        Needs four records.
        """
        n = self.records
        rows = _Spread(n, self.classes, self.reciprocal_classes)
        columns = _Spread(n, self.labels, self.reciprocal_labels)
        first = 2 * rows.level * columns.level / ((n - 1) ** 2 * (n + 1) * (n - 2))
        second = rows.uneven * columns.uneven / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
        return n * rows.rank * columns.rank / (n - 1), n * n * (first + second)

    @property
    def chance(self) -> float:
        """How often chance alone gives so large a chi-square; 1 where chance gives no other."""
        if self.records < 4:
            return 1.0
        mean, variance = self.moments
        if variance <= 1e-12 * max(1.0, mean):
            return 1.0
        return upper_gamma(mean * mean / variance, max(0.0, self.chi_square) * mean / variance)


@dataclass(frozen=True)
class _Spread:
    """What the variance depends on of one way to group the records: a projection on its means, without the overall one.

    ``rank`` is its trace and that of its square; ``diagonal`` the sum of its squared diagonal.
    """

    records: int
    groups: int
    reciprocals: float

    @property
    def rank(self) -> int:
        return self.groups - 1

    @property
    def diagonal(self) -> float:
        return self.reciprocals - 2 * self.groups / self.records + 1 / self.records

    @property
    def level(self) -> float:
        return (self.records - 1) * self.rank - self.rank**2

    @property
    def uneven(self) -> float:
        n, rank = self.records, self.rank
        return n * (n + 1) * self.diagonal - (n - 1) * (rank**2 + 2 * rank)


def upper_gamma(shape: float, value: float) -> float:
    """The chance that a gamma distribution of a shape and scale 1 gives at least a value.

    SciPy's gammaincc, without SciPy, whose import takes longer than all rules: the series of the lower part under
    ``shape + 1``, else the continued fraction by Lentz's method (Press et al., Numerical Recipes, 6.2). The error is
    under 1e-8 of the result for shapes up to a million, and no result under 1e-300 differs from 0.
    """
    if value <= 0.0:
        return 1.0
    logarithm = shape * log(value) - value - lgamma(shape)
    factor = exp(logarithm) if logarithm > LEAST_LOGARITHM else 0.0
    if value < shape + 1.0:
        term = total = 1.0 / shape
        at = shape
        while term > total * PRECISION:
            at += 1.0
            term *= value / at
            total += term
        return max(0.0, 1.0 - total * factor)
    b = value + 1.0 - shape
    c, d = 1.0 / TINY, 1.0 / b
    fraction, number, change = d, 0, 0.0
    while abs(change - 1.0) > PRECISION:
        number += 1
        a = -number * (number - shape)
        b += 2.0
        d = 1.0 / _not_zero(a * d + b)
        c = _not_zero(b + a / c)
        change = d * c
        fraction *= change
    return fraction * factor


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY


def association(rolled: RolledFrequencySet, left_out: np.ndarray | None = None) -> Association:
    """How equivalence classes and the class go together in a frequency set by class that was rolled up.

    ``left_out`` are the equivalence classes, or the parts of them by class value, whose records do not count.
    """
    assert rolled.classes is not None
    records = rolled.records if left_out is None else np.where(by_row(rolled, left_out), 0, rolled.records)
    groups = np.repeat(np.arange(len(rolled.lengths)), rolled.lengths)
    of_group = np.bincount(groups, weights=records)
    of_label = np.bincount(rolled.classes, weights=records)
    held = records > 0
    squares = records[held] / of_group[groups[held]] * (records[held] / of_label[rolled.classes[held]])
    total = float(records.sum())
    of_group, of_label = of_group[of_group > 0], of_label[of_label > 0]
    return Association(
        records=int(total),
        classes=len(of_group),
        labels=len(of_label),
        chi_square=total * (float(squares.sum()) - 1),
        reciprocal_classes=float((1 / of_group).sum()),
        reciprocal_labels=float((1 / of_label).sum()),
    )


def tells_nothing(rolled: RolledFrequencySet, left_out: np.ndarray | None = None) -> bool:
    """Whether equivalence classes and the class depend on each other no more than by chance."""
    return association(rolled, left_out).chance > NOTHING
