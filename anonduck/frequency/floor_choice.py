"""The floor of a search: the finest level of each column at which the distinct combinations are few enough.

A level at which a column alone has too many records in groups under k is in no rule that meets the requirement, so the
floor starts above such levels. From there a path goes upwards, one level of one column at a time: the column that loses
the smallest share of its remaining information for each bit of combinations removed. What a step removes is estimated
on a sample (Chao 1984) if enough combinations occur twice there; else columns count as independent. The first vector on
the path at which all records make few enough combinations is the floor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, log2

from anonduck.rules.rule import LevelVector
from anonduck.words import np

Estimate = Callable[[Sequence[LevelVector]], Sequence[int]]

AT_ONCE = 8  # vectors of the path whose combinations are estimated by one scan
SEEN_TWICE = 64  # combinations that a sample has twice, for an estimate by it
NO_INFORMATION = 1e-6  # bits


@dataclass(frozen=True)
class FloorColumn:
    """A column as the choice of a floor needs it.

    Attributes:
        paths: for each level under the root the node code of each leaf code.
        records: the records of each leaf code, NULL (code 0) included.
        cap: the highest level that its floor may have.
        sampled: the leaf code of each sampled record.
    """

    paths: Sequence[np.ndarray]
    records: np.ndarray
    cap: int
    sampled: np.ndarray

    @cached_property
    def sizes(self) -> list[np.ndarray]:
        """For each level, the root's included, the records of each group of the column's values."""
        counts = [np.bincount(path, weights=self.records) for path in self.paths]
        return [*(sizes[sizes > 0] for sizes in counts), np.array([self.records.sum()])]

    @cached_property
    def bits(self) -> list[float]:
        """The entropy of the column at each level."""
        shares = [sizes / sizes.sum() for sizes in self.sizes]
        return [float(-(one * np.log2(one)).sum()) for one in shares]

    def useless_under(self, k: int, allowed: float) -> int:
        """The finest level with at most the ``allowed`` share of records in groups under k, up to the cap."""
        few = (level for level in range(self.cap - 1, -1, -1) if self._under(k, level) > allowed * self.records.sum())
        return next(few, -1) + 1

    def _under(self, k: int, level: int) -> float:
        return float(self.sizes[level][self.sizes[level] < k].sum())

    def codes(self, level: int) -> np.ndarray:
        """The node code of each sampled record at a level."""
        codes = self.paths[level][self.sampled] if level < len(self.paths) else np.zeros_like(self.sampled)
        found: np.ndarray = codes.astype(np.uint64)
        return found


def choose_floor(
    columns: Sequence[FloorColumn],
    others: np.ndarray,
    records: int,
    most: int,
    estimate: Estimate,
    *,
    k: int,
    allowed: float,
) -> LevelVector:
    """The floor; it has more than ``most`` combinations only if no floor has fewer.

    Args:
        columns: the attributes, in their order.
        others: (sampled records,) a number for the values in columns without levels, such as the class.
        records: the number of records.
        most: the most combinations wanted.
        estimate: estimates the combinations of all records at several vectors, by one scan.
        k: the least size of a class.
        allowed: the share of records that may be suppressed.
    """
    path = _path(columns, others, records, tuple(one.useless_under(k, allowed) for one in columns))
    low, high = 0, len(path) - 1
    while low < high:
        places = sorted({low + (high - low) * part // AT_ONCE for part in range(AT_ONCE)})
        found = dict(zip(places, estimate([path[place] for place in places]), strict=True))
        high = min((place for place in places if found[place] <= most), default=high)
        low = max((place + 1 for place in places if place < high), default=low)
    return path[high]


def _path(columns: Sequence[FloorColumn], others: np.ndarray, records: int, vector: LevelVector) -> list[LevelVector]:
    """The vectors from ``vector`` upwards, until every column is at its cap.

    A combination of a sampled record is known by a sum of its codes, each times a number of its column.
    """
    factors = np.random.default_rng(0).integers(1, 1 << 63, size=len(columns) + 1, dtype=np.uint64)
    keys, path = others.astype(np.uint64) * factors[-1], [vector]
    for one, factor, level in zip(columns, factors, vector, strict=False):
        keys += one.codes(level) * factor
    guess, twice = _guessed(keys, records)
    while raised := [number for number, one in enumerate(columns) if vector[number] < one.cap]:
        costs, steps = [], {}
        for number in raised:
            one, level = columns[number], vector[number]
            moved = keys + (one.codes(level + 1) - one.codes(level)) * factors[number]
            steps[number] = moved, *_guessed(moved, records)
            lost, seen = one.bits[level : level + 2], log2(max(1.0, guess)) - log2(max(1.0, steps[number][1]))
            costs.append((_cost(lost, seen if twice >= SEEN_TWICE else lost[0] - lost[1]), number))
        _, number = min(costs)
        keys, guess, twice = steps[number]
        vector = (*vector[:number], vector[number] + 1, *vector[number + 1 :])
        path.append(vector)
    return path


def _guessed(keys: np.ndarray, records: int) -> tuple[float, int]:
    """The estimated combinations of all records (Chao 1984), and how many occur twice in the sample."""
    counts = np.unique(keys, return_counts=True)[1]
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    return min(records, len(counts) + once * (once - 1) / (2 * (twice + 1))), twice


def _cost(bits: Sequence[float], removed: float) -> float:
    """The share of its information that a column loses, for each bit of combinations removed."""
    before, after = bits
    return log((before + NO_INFORMATION) / (after + NO_INFORMATION)) / max(removed, NO_INFORMATION)
