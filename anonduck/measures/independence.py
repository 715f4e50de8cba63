"""Whether equivalence classes tell of the class at all, for rules that no model was trained for.

A table of many small equivalence classes has expected counts far under those that a chi-square distribution holds for,
and looks as if it told something however the class was dealt. So Pearson's chi-square is held against its mean and
variance among all ways to deal the class values to the records, by the gamma distribution that has these two. Both are
exact: divided by the records, it is the trace of a product of two projections, whose moments over all permutations are
those of Kazi-Aoual, Hitier, Sabatier and Lebreton (1995, Refined approximations to permutation tests for multivariate
inference).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anonduck.database.connection import Database
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_frequency import code_column

NOTHING = 0.001
"""How often a rule may seem to tell something by chance: a discovery asks it of many rules, and it misses little."""


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
        from scipy.special import gammaincc

        if self.records < 4:
            return 1.0
        mean, variance = self.moments
        if variance <= 1e-12 * max(1.0, mean):
            return 1.0
        return float(gammaincc(mean * mean / variance, max(0.0, self.chi_square) * mean / variance))


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


def association(database: Database, levels: Mapping[str, int], rows: str) -> Association:
    """How a rule's equivalence classes and the class go together in ``rows``, a coded frequency set or a part of it."""
    attributes = [code_column(name, level) for name, level in levels.items()]
    query = statement("measures/independence.sql", columns={"attributes": attributes}, table={"coded": rows})
    return Association(*database.row(query))


def tells_nothing(database: Database, levels: Mapping[str, int], rows: str) -> bool:
    """Whether the equivalence classes of ``rows`` tell no more of the class than chance would have them."""
    return association(database, levels, rows).chance > NOTHING
