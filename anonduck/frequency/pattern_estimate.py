"""How many distinct distance patterns all pairs of records have, estimated from a small sample of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

SAMPLED_PAIRS = 1 << 20
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


@dataclass(frozen=True)
class PatternSample:
    """A sample of pairs in numbers: its ``pairs``, their ``distinct`` patterns, and how many occur ``once``."""

    pairs: int
    distinct: int
    once: int

    def patterns_of(self, pairs: int) -> int:
        """The distinct patterns of so many pairs, by the guaranteed-error estimator.

        Patterns that came up more than once are taken for all of their kind; each of the others stands for
        sqrt(pairs / sampled) of them. No estimator from a sample is off by less in the worst case than the factor
        sqrt(pairs / sampled), up to a constant (Charikar, Chaudhuri, Motwani & Narasayya 2000: GEE).
        """
        if pairs <= self.pairs:
            return min(pairs, self.distinct)
        return min(pairs, self.distinct - self.once + round(sqrt(pairs / self.pairs) * self.once))

    @property
    def repeated_share(self) -> float:
        """The share of all pairs whose pattern the sample holds (Good 1953: one less the share that came up once)."""
        return 1 - self.once / self.pairs if self.pairs else 1.0


def records_with(pairs: int) -> int:
    """The most records that have at most so many pairs."""
    return (1 + isqrt(1 + 8 * pairs)) // 2


def sampled_patterns(
    words: Sequence[np.ndarray],
    records: np.ndarray,
    keys: Sequence[Sequence[tuple[int, int, int]]],
    *,
    seed: int,
    only: tuple[int, int] | None = None,
    pairs: int = SAMPLED_PAIRS,
) -> PatternSample:
    """Draw pairs of records and count their patterns.

    Args:
        words: packed node codes of each row, int64; one array a word.
        records: how many records each row stands for.
        keys: for each key of a pattern its words, each with the ones that are added and the flags that stay.
        seed: of the draw.
        only: a key and the flag in it that counted pairs must have, such as that of different classes.
        pairs: how many are drawn; a pair drawn twice counts once.
    """
    one, other = _drawn_pairs(records, pairs, seed)
    found = [_key([(words[w], ones, flags) for w, ones, flags in of_key], one, other) for of_key in keys]
    if only is not None:
        key, flag = only
        kept = (found[key] >> flag) & 1 == 1
        found = [values[kept] for values in found]
    return _counted(found)


def _drawn_pairs(records: np.ndarray, pairs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of distinct pairs of distinct records."""
    import numpy as np

    ends = np.cumsum(records, dtype=np.int64)
    total = int(ends[-1])
    one, other = np.sort(np.random.default_rng([seed, 1]).integers(0, total, (2, pairs)), axis=0)
    pair = np.unique((one * total + other)[one < other])
    rows = np.searchsorted(ends, np.stack([pair // total, pair % total]), side="right")
    return rows[0], rows[1]


def _key(words: Sequence[tuple[np.ndarray, int, int]], one: np.ndarray, other: np.ndarray) -> np.ndarray:
    import numpy as np

    key = np.zeros(len(one), dtype=np.int64)
    for values, ones, flags in words:
        key |= ((values[one] ^ values[other]) + ones) & flags
    return key


def _counted(keys: Sequence[np.ndarray]) -> PatternSample:
    import numpy as np

    if len(keys[0]) == 0:
        return PatternSample(0, 0, 0)
    _, counts = np.unique(keys[0] if len(keys) == 1 else _mixed(keys), return_counts=True)
    return PatternSample(len(keys[0]), len(counts), int((counts == 1).sum()))


def _mixed(keys: Sequence[np.ndarray]) -> np.ndarray:
    """One 64-bit number for several keys; of a million patterns two share one with a chance of less than 1e-7."""
    import numpy as np

    first, second, third = (np.uint64(number) for number in _MULTIPLIERS)
    mixed = np.zeros(len(keys[0]), dtype=np.uint64)
    for key in keys:
        mixed = (mixed ^ key.view(np.uint64)) + first
        mixed = (mixed ^ (mixed >> np.uint64(30))) * second
        mixed = (mixed ^ (mixed >> np.uint64(27))) * third
        mixed ^= mixed >> np.uint64(31)
    return mixed
