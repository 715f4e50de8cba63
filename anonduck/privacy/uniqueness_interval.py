"""Between which shares the unique persons of the population lie, whatever the sizes of its classes may be.

The estimates of ``anonduck.privacy.uniqueness`` each assume a law of class sizes, and none of them holds for every
table. This interval assumes a random sample and nothing else. w_j is the share of the persons of the population who are
in classes of j; the sample is then expected to have the sum over j of N w_j / j P(i of j drawn) classes of i persons.
The interval holds each w_1 that comes, with some other w_j, almost as close to the observed counts as the best w do:
the sum of (observed - expected)^2 / (observed + 2) may be 6.63 larger. That is the 99 % quantile of chi-squared with
one degree of freedom. As w_j can be 0, the interval covers the truth in less than 99 % of the samples of some
populations, but in more than 95 % (``benchmarks/population_uniqueness.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from anonduck.privacy.hull import nearest

if TYPE_CHECKING:
    import numpy as np

    Matrix: TypeAlias = np.ndarray[Any, Any]

WITHIN = 6.635  # chi-squared with one degree of freedom, 99 %
LARGEST_ALONE = 20  # larger classes of the sample are counted together: they say little of unique persons
FEWEST_CLASSES = 5  # sizes are counted together until they have as many classes
EVERY_SIZE, NEXT_SIZE = 30, 1.05  # sizes of population classes: each one, then those so many times as large
HALVINGS = 24  # the ends are known to 2^-24


def interval(sizes: Mapping[int, int], fraction: float) -> tuple[float, float]:
    """The lowest and the highest share of unique persons that the class sizes of a sample allow, rounded outwards."""
    if fraction == 1:  # the sample is the population
        share = sizes.get(1, 0) / sum(size * classes for size, classes in sizes.items())
        return share, share
    off = _off(sizes, fraction)
    best = nearest(off)

    def allowed(share: float) -> bool:
        return nearest(share * off[:, :1] + (1 - share) * off[:, 1:]).at_least <= best.found + WITHIN

    highest = _first(lambda share: share > best.first and not allowed(share))
    lowest = 1 - _first(lambda other: 1 - other < best.first and not allowed(1 - other))
    return lowest, highest


def _first(refused: Callable[[float], bool]) -> float:
    """The smallest share that is refused, by halving; 1 if none is."""
    if not refused(1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if refused(middle) else (middle, high)
    return high


def _off(sizes: Mapping[int, int], fraction: float) -> Matrix:
    """Expected less observed classes, in standard deviations, by ranges of sizes and by sizes in the population."""
    observed, expected = _counts(sizes, fraction)
    return (expected - observed[:, None]) / (observed[:, None] + 2) ** 0.5


def _counts(sizes: Mapping[int, int], fraction: float) -> tuple[Matrix, Matrix]:
    """The sample's classes by ranges of their size, and how many are expected if all persons are in classes of j."""
    import numpy as np

    drawn = sum(size * classes for size, classes in sizes.items())
    first, observed = _ranges(sizes)
    population = _population_sizes(drawn / fraction)
    at_least = np.array([*(_at_least(size, population, fraction) for size in first), np.zeros(len(population))])
    return np.array(observed, dtype=float), (at_least[:-1] - at_least[1:]) * (drawn / fraction) / population


def _ranges(sizes: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """The smallest size of each range of sizes that is counted together, and the classes in it."""
    first, found = [1], 0
    observed: list[int] = []
    for size in range(1, LARGEST_ALONE + 1):
        found += sizes.get(size, 0)
        if found >= FEWEST_CLASSES:
            first, observed, found = [*first, size + 1], [*observed, found], 0
    return first, [*observed, found + sum(classes for size, classes in sizes.items() if size > LARGEST_ALONE)]


def _population_sizes(persons: float) -> Matrix:
    """Sizes of population classes, from 1 to that of a class of all persons."""
    import numpy as np

    found = [float(size) for size in range(1, EVERY_SIZE + 1)]
    while found[-1] < persons:
        found.append(float(round(found[-1] * NEXT_SIZE)))
    return np.array(found)


def _at_least(size: int, population: Matrix, fraction: float) -> Matrix:
    """The chance that ``size`` persons or more of a class are drawn, by the sizes of classes in the population."""
    import numpy as np
    from scipy.special import betainc

    return np.where(population >= size, betainc(size, np.maximum(population - size + 1, 1), fraction), 0.0)
