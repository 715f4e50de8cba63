"""The interval of the share of unique persons in the population, whatever the sizes of its classes.

The estimates of ``anonduck.privacy.uniqueness`` each assume a distribution of class sizes, and none fits every table.
This interval only assumes a random sample. Let w_j be the share of the population's persons in classes of j. The sample
is then expected to have the sum over j of N w_j / j P(i of j drawn) classes of i persons. The interval holds each w_1
that, with some other w_j, fits the observed counts almost as well as the best w: the sum of (observed - expected)^2 /
(observed + 2) may be 6.63 larger, the 99 % quantile of chi-squared with one degree of freedom. As w_j can be 0, the
interval covers the truth in fewer than 99 % of the samples of some populations, but in more than 95 %
(``benchmarks/population_uniqueness.py`` of commit 51c8afa8).
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
NOTHING = 1e-13  # smaller shares count as 0
WITHIN = 6.635  # the 99 % quantile of chi-squared with one degree of freedom
LARGEST_ALONE = 20  # larger classes of the sample are counted together: they say little about unique persons
FEWEST_CLASSES = 5  # neighbouring sizes are counted together until they have at least so many classes
EVERY_SIZE, NEXT_SIZE = 30, 1.05  # population class sizes: each one up to 30, then in steps of 5 %
HALVINGS = 24  # the ends are exact to 2^-24


@dataclass(frozen=True)
class Nearest:
    """The smallest squared distance ``found``, a proven lower bound ``at_least``, and the share of the ``first`` point
    in it.
    """

    found: float
    at_least: float
    first: float


def nearest(points: Array) -> Nearest:
    """Find the point in the convex hull of the columns that is nearest to the origin (Wolfe 1976).

    A point x with squared length L is proven to be within 2 (L - min over columns p of x p) of the smallest squared
    distance, so ``at_least`` holds even if rounding ends the search early.
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
    """Move to the nearest point of the plane through the chosen points, dropping each that leaves the
    hull on the way.
    """
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
        stays[steps.argmin()] = False  # drop at least one, so that the loop ends
        chosen = [one for one, kept in zip(chosen, stays, strict=True) if kept]
        shares = shares[stays] / shares[stays].sum()


def interval(sizes: Mapping[int, int], fraction: float) -> tuple[float, float]:
    """The lowest and highest share of unique persons that fit the class sizes of a sample, rounded outwards."""
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
    """The smallest refused share, by halving; 1 if none is refused."""
    if not refused(1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if refused(middle) else (middle, high)
    return high


def _off(sizes: Mapping[int, int], fraction: float) -> Matrix:
    """Expected minus observed classes, in standard deviations, by ranges of sizes and by sizes in the population."""
    observed, expected = _counts(sizes, fraction)
    return (expected - observed[:, None]) / (observed[:, None] + 2) ** 0.5


def _counts(sizes: Mapping[int, int], fraction: float) -> tuple[Matrix, Matrix]:
    """The sample's classes by range of size, and the expected number if all persons are in population classes of j."""
    import numpy as np

    drawn = sum(size * classes for size, classes in sizes.items())
    first, observed = _ranges(sizes)
    population = _population_sizes(drawn / fraction)
    at_least = np.array([*(_at_least(size, population, fraction) for size in first), np.zeros(len(population))])
    return np.array(observed, dtype=float), (at_least[:-1] - at_least[1:]) * (drawn / fraction) / population


def _ranges(sizes: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """The smallest size of each range of sizes that is counted together, and the number of classes in it."""
    first, found = [1], 0
    observed: list[int] = []
    for size in range(1, LARGEST_ALONE + 1):
        found += sizes.get(size, 0)
        if found >= FEWEST_CLASSES:
            first, observed, found = [*first, size + 1], [*observed, found], 0
    return first, [*observed, found + sum(classes for size, classes in sizes.items() if size > LARGEST_ALONE)]


def _population_sizes(persons: float) -> Matrix:
    """Sizes of population classes, from 1 up to a class of all persons."""
    import numpy as np

    found = [float(size) for size in range(1, EVERY_SIZE + 1)]
    while found[-1] < persons:
        found.append(float(round(found[-1] * NEXT_SIZE)))
    return np.array(found)


def _at_least(size: int, population: Matrix, fraction: float) -> Matrix:
    """The chance that at least ``size`` persons of a class are drawn, by the size of the class in the population."""
    import numpy as np
    from scipy.special import betainc

    return np.where(population >= size, betainc(size, np.maximum(population - size + 1, 1), fraction), 0.0)
