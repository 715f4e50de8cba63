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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, Any]
    Matrix: TypeAlias = np.ndarray[Any, Any]


MOST_STEPS = 1000
CLOSE = 1e-9  # relative to the squared distance
NOTHING = 1e-13  # a smaller share is 0


@dataclass(frozen=True)
class Nearest:
    """The smallest squared distance ``found``, what it is ``at_least``, and the share of the ``first`` point in it."""

    found: float
    at_least: float
    first: float


def nearest(points: Array) -> Nearest:
    """Find the nearest point of the hull of the columns; ``at_least`` holds also where rounding ends the search early.

    A point x with squared length L is proven to be within 2 (L - min over columns p of x p) of the smallest.
    """
    import numpy as np

    chosen, shares, at_least = [int((points**2).sum(axis=0).argmin())], np.ones(1), 0.0
    for _ in range(MOST_STEPS):
        here = points[:, chosen] @ shares
        found, along = float(here @ here), here @ points
        entering = int(along.argmin())
        gap = found - float(along[entering])
        at_least = max(at_least, found - 2 * gap)
        if gap <= CLOSE * found or entering in chosen:
            break
        chosen, shares = _inside(points, [*chosen, entering], np.append(shares, 0.0))
    return Nearest(found, min(at_least, found), float(shares[chosen.index(0)]) if 0 in chosen else 0.0)


def _inside(points: Array, chosen: list[int], shares: Array) -> tuple[list[int], Array]:
    """Move to the nearest point of the plane through the chosen ones, and drop each that the hull's border cuts off."""
    import numpy as np

    while True:
        corners = points[:, chosen]
        others = np.linalg.lstsq(corners[:, 1:] - corners[:, :1], -corners[:, 0], rcond=None)[0]
        wanted = np.array([1 - others.sum(), *others])
        if (wanted > NOTHING).all():
            return chosen, wanted
        steps = np.full(len(shares), np.inf)
        leaving = wanted <= NOTHING
        steps[leaving] = shares[leaving] / (shares[leaving] - wanted[leaving] + NOTHING)
        shares = shares + steps.min() * (wanted - shares)
        stays = shares > NOTHING
        stays[steps.argmin()] = False  # one at least, so that this ends
        chosen = [one for one, kept in zip(chosen, stays, strict=True) if kept]
        shares = shares[stays] / shares[stays].sum()


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
