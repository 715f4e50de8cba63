"""The floor of a search: the finest level of each column at which the distinct combinations are few enough.

A rule whose levels are at the floor or above is measured exactly on the frequency set at the floor. Rules below it are
not searched, so the floor should lose as little as possible:

- A level at which a column alone has too many records in groups under k is in no rule that meets the requirement.
  Skipping such levels costs nothing.
- From there a path goes upwards, one level of one column at a time: the column that loses the smallest share of its
  remaining information for each bit of combinations removed. What a step removes is estimated on a sample (Chao 1984)
  if enough combinations occur twice there; else columns count as independent.
- The combinations of the vectors on the path are estimated on all records, several vectors at a time. The first vector
  with few enough combinations is the floor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log, log2

from anonduck.rules.rule import LevelVector
from anonduck.words import np

Paths = Sequence["np.ndarray"]
Estimate = Callable[[Sequence[LevelVector]], Sequence[int]]

AT_ONCE = 5  # vectors of the path whose combinations are estimated by one scan
AROUND = 1.5  # times what is allowed: from there on the path is estimated on all records
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

    paths: Paths
    records: np.ndarray
    cap: int
    sampled: np.ndarray

    @property
    def root(self) -> int:
        """The root's level."""
        return len(self.paths)

    def sizes(self, level: int) -> np.ndarray:
        """The records of each group of the column's values at a level."""
        if level == self.root:
            return np.array([self.records.sum()])
        sizes = np.bincount(self.paths[level], weights=self.records)
        return sizes[sizes > 0]

    def bits(self, level: int) -> float:
        """The entropy of the column at a level."""
        sizes = self.sizes(level)
        shares = sizes / sizes.sum()
        return float(-(shares * np.log2(shares)).sum())

    def useless_under(self, k: int, allowed: float) -> int:
        """The finest level with at most the ``allowed`` share of records in groups under k, up to the cap."""
        for level in range(self.cap - 1, -1, -1):
            sizes = self.sizes(level)
            if sizes[sizes < k].sum() > allowed * sizes.sum():
                return level + 1
        return 0


def choose_floor(
    columns: Sequence[FloorColumn],
    others: np.ndarray,
    records: int,
    most: int,
    estimate: Estimate,
    *,
    k: int,
    allowed: float,
) -> tuple[LevelVector, int]:
    """The floor and its estimated number of combinations, above ``most`` only if no floor has fewer.

    Args:
        columns: the attributes, in their order.
        others: (sampled records,) a number for the values in columns without levels, such as the class.
        records: the number of records.
        most: the most combinations wanted.
        estimate: estimates the combinations of all records at several vectors, by one scan.
        k: the least size of a class.
        allowed: the share of records that may be suppressed.
    """
    start_at = tuple(one.useless_under(k, allowed) for one in columns)
    path = [*_Path(columns, others, records).steps(start_at)]
    start = next((place for place, (_, guess) in enumerate(path) if guess <= AROUND * most), len(path) - 1)
    known: dict[int, int] = {}
    first = max(0, start - AT_ONCE // 2)
    while True:
        places = [place for place in range(first, min(first + AT_ONCE, len(path))) if place not in known]
        known.update(zip(places, estimate([path[place][0] for place in places]), strict=True))
        fits = [place for place, found in known.items() if found <= most]
        if fits and min(fits) > min(known):
            return path[min(fits)][0], known[min(fits)]
        if fits:
            if min(known) == 0:
                return path[0][0], known[0]
            first = max(0, min(known) - AT_ONCE)
        elif len(path) - 1 in known:
            return path[-1][0], known[len(path) - 1]
        else:
            first = max(known) + 1


class _Path:
    """The path of level vectors upwards, each with a guess at its number of combinations."""

    def __init__(self, columns: Sequence[FloorColumn], others: np.ndarray, records: int) -> None:
        self.columns = columns
        self.records = records
        random = np.random.default_rng(0)
        most = max((int(path.max()) for one in columns for path in one.paths), default=0) + 1
        most = max(most, int(others.max(initial=0)) + 1)
        self._random = random.integers(0, 2**63, size=(len(columns) + 1, most), dtype=np.uint64)
        self._others = self._random[-1][others]
        self._bits: dict[tuple[int, int], float] = {}

    def steps(self, vector: LevelVector) -> Iterator[tuple[LevelVector, float]]:
        """The vectors from ``vector`` upwards, until every column is at its cap."""
        keys = self._others.copy()
        for number, level in enumerate(vector):
            keys += self._keys(number, level)
        guess, twice = self._guessed(keys)
        yield vector, guess
        while True:
            raised = [number for number, one in enumerate(self.columns) if vector[number] < one.cap]
            if not raised:
                return
            best, found = None, {}
            for number in raised:
                level = vector[number]
                lost = (self._of(number, level), self._of(number, level + 1))
                if twice >= SEEN_TWICE:
                    found[number] = self._guessed(self._moved(keys, number, level))
                    removed = log2(max(1.0, guess)) - log2(max(1.0, found[number][0]))
                else:
                    removed = lost[0] - lost[1]
                score = (_cost(*lost, removed), number)
                best = score if best is None or score < best else best
            assert best is not None
            number = best[1]
            keys = self._moved(keys, number, vector[number])
            guess, twice = found.get(number) or self._guessed(keys)
            vector = (*vector[:number], vector[number] + 1, *vector[number + 1 :])
            yield vector, guess

    def _moved(self, keys: np.ndarray, number: int, level: int) -> np.ndarray:
        moved: np.ndarray = keys - self._keys(number, level) + self._keys(number, level + 1)
        return moved

    def _keys(self, number: int, level: int) -> np.ndarray:
        """What a column adds to the key of each sampled record at a level."""
        one = self.columns[number]
        if level == one.root:
            return np.zeros(len(one.sampled), dtype=np.uint64)
        keys: np.ndarray = self._random[number][one.paths[level][one.sampled]]
        return keys

    def _of(self, number: int, level: int) -> float:
        if (number, level) not in self._bits:
            self._bits[number, level] = self.columns[number].bits(level)
        return self._bits[number, level]

    def _guessed(self, keys: np.ndarray) -> tuple[float, int]:
        """The estimated combinations of all records (Chao 1984), and how many occur twice in the sample."""
        counts = np.unique(keys, return_counts=True)[1]
        once, twice = int((counts == 1).sum()), int((counts == 2).sum())
        return min(self.records, len(counts) + once * (once - 1) / (2 * (twice + 1))), twice


def _cost(before: float, after: float, removed: float) -> float:
    """The share of its information that a column loses, for each bit of combinations removed."""
    lost = log((before + NO_INFORMATION) / (after + NO_INFORMATION))
    return lost / max(removed, NO_INFORMATION)
