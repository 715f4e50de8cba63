"""Classes of a release that hold a value more often than the release does, and more often than chance explains.

Nothing is guessed here: the release shows it. If 40 % of a class of 200 have an illness that 4 % of all have, the
chance of each of them is ten times as high, while the most frequent value stays the same. A class of two with one ill
person shows nothing: with many classes that happens somewhere. The test is the tail of the binomial distribution, times
the number of classes and values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonduck.attacks.attacked_columns import AttackedColumn, items_of
from anonduck.attacks.rates import CONFIDENCE, Rate
from anonduck.database.connection import Database
from anonduck.statements import statement


@dataclass(frozen=True)
class Skew:
    """A value that some classes hold more often than chance explains.

    ``prior`` is its share in the release. ``classes`` and ``records`` count where it is so frequent. ``share`` is
    that of the class with the largest lift, ``low`` the lower end of its interval. ``control`` says how many people of
    the control group who would fall into such a class hold it.
    """

    about: str
    prior: float
    classes: int
    records: int
    share: float
    low: float
    control: Rate | None = None

    @property
    def lift(self) -> float:
        """How many times more often the class holds it than the release."""
        return self.share / self.prior

    @property
    def lift_low(self) -> float:
        """The lower end of the interval of the lift."""
        return self.low / self.prior


@dataclass(frozen=True)
class SkewTest:
    """The test for skewed classes: the share of each value in the release, and the number of comparisons."""

    prior: np.ndarray
    comparisons: int

    def skewed(self, records: np.ndarray, holders: np.ndarray, values: np.ndarray | int) -> np.ndarray:
        """Whether classes of this many records hold a value more often than chance explains."""
        from scipy.stats import binom

        tail = binom.sf(holders - 1, records, self.prior[values])
        found: np.ndarray = (holders > 0) & (tail * self.comparisons <= 1 - CONFIDENCE)
        return found

    def low(self, records: np.ndarray, holders: np.ndarray) -> np.ndarray:
        """The lower ends of the exact intervals (Clopper and Pearson 1934) of the classes' shares, corrected to hold
        together.
        """
        from scipy.stats import beta

        ends: np.ndarray = beta.ppf((1 - CONFIDENCE) / self.comparisons, holders, records - holders + 1)
        return ends


@dataclass(frozen=True)
class ClassesBySize:
    """Classes of a release by size: a value's place, the records of a class, how many hold the value, how many such
    classes.
    """

    place: np.ndarray
    records: np.ndarray
    holders: np.ndarray
    number: np.ndarray

    @property
    def every(self) -> int:
        """The number of classes, from the fact that the holders of all values of a class are its records."""
        return round(float((self.number * self.holders / self.records).sum()))


def find(
    work: Database,
    known: Sequence[AttackedColumn],
    about: AttackedColumn,
    numbers: np.ndarray,
    prior: np.ndarray,
    control: tuple[np.ndarray, np.ndarray] | None,
) -> tuple[Skew, ...]:
    """The values of a column that some classes hold more often than chance explains, the largest lift first.

    ``numbers`` are the labels of the values in ascending order, ``prior`` their shares. ``control`` has the records of
    each value in the class of each person of the control group (people, values), and the value that each person holds.
    """
    lists = {"known": items_of(known), "about": items_of([about])}
    table = work.frame(statement("attacks/class_counts.sql", lists=lists)).astype(np.int64)
    table = table[table["label"].isin(numbers)]
    names = ("records", "holders", "classes")
    classes = ClassesBySize(np.searchsorted(numbers, table["label"]), *(table[name].to_numpy() for name in names))
    chance = SkewTest(prior, classes.every * len(numbers))
    found = chance.skewed(classes.records, classes.holders, classes.place)
    values = np.unique(classes.place[found])
    skews = [_skew(about, chance, int(value), classes, found & (classes.place == value), control) for value in values]
    return tuple(sorted(skews, key=lambda one: (-one.lift_low, one.prior)))


def _skew(
    about: AttackedColumn,
    chance: SkewTest,
    value: int,
    classes: ClassesBySize,
    mine: np.ndarray,
    control: tuple[np.ndarray, np.ndarray] | None,
) -> Skew:
    records, holders, number = (part[mine] for part in (classes.records, classes.holders, classes.number))
    lows = chance.low(records, holders)
    most = int(lows.argmax())
    return Skew(
        about.name,
        float(chance.prior[value]),
        int(number.sum()),
        int((number * records).sum()),
        float(holders[most] / records[most]),
        float(lows[most]),
        None if control is None else _controlled(chance, value, *control),
    )


def _controlled(chance: SkewTest, value: int, counts: np.ndarray, held: np.ndarray) -> Rate:
    inside = chance.skewed(counts.sum(axis=1), counts[:, value], value)
    return Rate(int((inside & (held == value)).sum()), int(inside.sum()))
