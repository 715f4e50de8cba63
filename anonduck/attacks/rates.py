"""Success rates with confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z = 1.959963984540054  # of the normal distribution, for 95 %


@dataclass(frozen=True)
class Rate:
    """How many of some guesses are right. ``right`` may be an expected number: a sum of the chances of single guesses.

    The interval of such a sum is wider than it need be, for a guess with a known chance varies less than a coin of
    that chance.
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
        if not self.tried:
            return 0.0, 1.0
        share, n = self.share, self.tried
        middle = share + Z * Z / (2 * n)
        half = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
        scale = 1 + Z * Z / n
        return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def difference(one: Rate, other: Rate) -> tuple[float, float, float]:
    """By how much the first rate exceeds the second, with its 95 % interval (Newcombe 1998, method 10).

    >>> [round(number, 4) for number in difference(Rate(56, 70), Rate(48, 80))]
    [0.2, 0.0524, 0.3339]
    """
    p, q = one.share, other.share
    (p_low, p_high), (q_low, q_high) = one.interval, other.interval
    excess = p - q
    return excess, excess - math.hypot(p - p_low, q_high - q), excess + math.hypot(p_high - p, q - q_low)
