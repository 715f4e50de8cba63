"""Success rates with confidence intervals, and by how much one rate exceeds another.

If several intervals are read together, each is widened so that all hold at once with 95 % confidence (Bonferroni). The
half width is ``z`` standard errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

CONFIDENCE = 0.95


def z_of(comparisons: int = 1) -> float:
    """The half width, in standard errors, of each of this number of intervals that hold jointly with 95 % confidence.

    >>> [round(z_of(count), 3) for count in (1, 2, 10)]
    [1.96, 2.241, 2.807]
    """
    return NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / (2 * max(comparisons, 1)))


Z = z_of()


@dataclass(frozen=True)
class Rate:
    """How many of some guesses are right. ``right`` may be an expected number: the sum of the chances of single
    guesses.

    The interval of such a sum is wider than necessary, because guesses with known chances vary less.
    """

    right: float
    tried: int

    @property
    def share(self) -> float:
        """The success rate; 0 if nothing was tried."""
        return self.right / self.tried if self.tried else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % score interval (Wilson 1927); (0, 1) if nothing was tried.

        >>> [round(end, 4) for end in Rate(0, 10).interval]
        [0.0, 0.2775]
        """
        return self.within(Z)

    def within(self, z: float) -> tuple[float, float]:
        """The score interval with half width ``z``. It holds the rate, which rounding would leave outside at 0 or 1."""
        if not self.tried:
            return 0.0, 1.0
        share, n = self.share, self.tried
        middle = share + z * z / (2 * n)
        half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        scale = 1 + z * z / n
        return max(0.0, min(share, (middle - half) / scale)), min(1.0, max(share, (middle + half) / scale))


@dataclass(frozen=True)
class KnownRate:
    """A rate that is known, not measured, such as that of a random guess among N rows."""

    share: float

    def within(self, _: float) -> tuple[float, float]:
        """No interval: both ends are the rate."""
        return self.share, self.share


class Excess(NamedTuple):
    """By how much a rate exceeds another, with its interval.

    ``normalised`` is (rate - other) / (1 - other), as in Giomi et al. (2023). It is None where it has no bound, because
    the other rate is, or may be, 1.
    """

    value: float
    low: float
    high: float
    normalised: float | None
    normalised_low: float | None
    normalised_high: float | None

    @property
    def found(self) -> bool:
        """Whether the excess is more than chance explains: its interval lies over 0."""
        return self.low > 0


def excess(one: Rate, other: Rate | KnownRate, z: float = Z) -> Excess:
    """By how much the first rate exceeds the second, with intervals of half width ``z``.

    The interval of the difference is that of Newcombe (1998, method 10). The normalised excess c is one minus the ratio
    of the failures, (1 - p) / (1 - q). Its interval ends at the c where the interval of p - q - c (1 - q), made in the
    same way, ends at 0. So it excludes 0 exactly where the interval of the difference does.

    >>> found = excess(Rate(56, 70), Rate(48, 80))
    >>> [round(number, 4) for number in (found.value, found.low, found.high, found.normalised)]
    [0.2, 0.0524, 0.3339, 0.5]
    """
    p, q = one.share, other.share
    (p_low, p_high), (q_low, q_high) = one.within(z), other.within(z)
    low = p - q - math.hypot(p - p_low, q_high - q)
    high = p - q + math.hypot(p_high - p, q - q_low)
    if q >= 1:
        return Excess(p - q, low, high, None, None, None)
    most = _highest_ratio(1 - p, 1 - q, 1 - p_low, 1 - q_high)
    least = _lowest_ratio(1 - p, 1 - q, 1 - p_high, 1 - q_low)
    return Excess(p - q, low, high, (p - q) / (1 - q), None if most is None else 1 - most, 1 - least)


def _highest_ratio(a: float, b: float, a_high: float, b_low: float) -> float | None:
    """The upper end of the interval of a / b, from the upper end of a and the lower end of b; None without a bound."""
    if b_low <= 0:
        return None
    root = math.sqrt(max((a * b) ** 2 - a_high * b_low * (2 * a - a_high) * (2 * b - b_low), 0.0))
    return (a * b + root) / (b_low * (2 * b - b_low))


def _lowest_ratio(a: float, b: float, a_low: float, b_high: float) -> float:
    """The lower end of the interval of a / b, from the lower end of a and the upper end of b."""
    square = a_low * (2 * a - a_low)
    root = math.sqrt(max((a * b) ** 2 - square * b_high * (2 * b - b_high), 0.0))
    return square / (a * b + root) if a * b + root > 0 else 0.0
