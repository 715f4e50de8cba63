"""The best level vector by one measure whose cost is a sum over levels, proven by bounds of regions.

A region is all vectors between a finest and a coarsest one. Each of its vectors costs at least what the finest levels
cost while no record is left out, and on top what is charged at the coarsest for records left out: a finer vector leaves
out these records too, and each of them lost less before. So levels that would cost as much as the best so far are cut
off from above, those that are hopeless even beside the coarsest other ones from below (neither a vector nor any finer
one meets what is required then), and what is left is parted in two.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from anonduck.rules.rule import LevelVector
from anonduck.search.lattice.falling_search import FallingSearch

Region = tuple[LevelVector, LevelVector]


def best_seen(search: FallingSearch, goal: int) -> LevelVector | None:
    """The cheapest seen vector by a goal, of equal ones that of the larger k; None where none meets what is asked."""
    met = ((seen.costs[goal], -seen.k, vector) for vector, seen in search.known.items() if seen.met)
    return min(met, default=(0.0, 0, None))[2]


def find_optimum(
    search: FallingSearch, goal: int, additive: Sequence[np.ndarray], over: Callable[[], bool], *, nested: bool
) -> bool:
    """Look for the cheapest vector by a goal, and say whether no vector costs less than the cheapest that was seen.

    Args:
        search: what is seen of vectors; those seen here are known to it then.
        goal: the number of the goal among its costs.
        additive: by attribute, what each level costs while no record is left out.
        over: when to stop.
        nested: whether a finer vector leaves out all records that a coarser one does.
    """
    return _Search(search, goal, additive, nested).run(over)


class _Search:
    def __init__(self, search: FallingSearch, goal: int, additive: Sequence[np.ndarray], nested: bool) -> None:
        self.search, self.goal, self.nested = search, goal, nested
        self.additive = [[float(cost) for cost in costs] for costs in additive]
        self.failures = np.zeros((0, len(search.roots)), dtype=np.int64)
        best = best_seen(search, goal)
        self.best = np.inf if best is None else search.known[best].costs[goal]

    def run(self, over: Callable[[], bool]) -> bool:
        """Search until nothing is left that could cost less, and say whether that was reached."""
        self._descend(over)
        whole = (self.search.finest, self.search.roots)
        heap = [(self._levels_cost(whole[0]), whole)]
        while heap and heap[0][0] < self.best:
            bound, region = heapq.heappop(heap)
            for least, part in self._parts(region, bound, over):
                if least < self.best:
                    heapq.heappush(heap, (least, part))
            if over():
                return not heap or heap[0][0] >= self.best
        return True

    def _levels_cost(self, vector: LevelVector) -> float:
        return sum(costs[level] for costs, level in zip(self.additive, vector, strict=True))

    def _hopeless(self, vector: LevelVector) -> bool:
        """Whether neither a vector nor any finer one meets what is required; seen unless a coarser one tells."""
        if vector not in self.search.known:
            if (self.failures >= vector).all(axis=1).any():
                return True
            if not self.search.is_ruled(vector):
                return False
            self._see(vector)
        return self.search.known[vector].hopeless

    def _see(self, vector: LevelVector) -> None:
        seen = self.search.see(vector)
        if seen.met:
            self.best = min(self.best, seen.costs[self.goal])
        if seen.hopeless:
            self.failures = np.vstack([self.failures, vector])

    def _charge(self, vector: LevelVector) -> float:
        """What is charged for records left out, at least, of this vector and all finer ones."""
        seen = self.search.known.get(vector)
        if not self.nested or seen is None or not seen.met:
            return 0.0
        return max(0.0, seen.costs[self.goal] - self._levels_cost(vector))

    def _descend(self, over: Callable[[], bool]) -> None:
        """A good vector to start from: one level down at a time, where that saves most."""
        vector, lowered = self.search.roots, not self._hopeless(self.search.roots)
        while lowered and (vector == self.search.roots or not over()):
            lowered = False
            steps = [
                self._at(vector, a, level - 1)
                for a, (level, least) in enumerate(zip(vector, self.search.finest, strict=True))
                if level > least
            ]
            for step in sorted(steps, key=lambda one: (self._levels_cost(one), one)):
                if not self._hopeless(step) and self.search.known[step].met:
                    vector, lowered = step, True
                    break

    def _parts(self, region: Region, bound: float, over: Callable[[], bool]) -> Iterator[tuple[float, Region]]:
        """What is left of a region, in two; nothing where no vector of it can cost less than the best."""
        finest, coarsest = region
        while True:
            if self._hopeless(coarsest):
                return
            charge = self._charge(coarsest)
            finest = self._raised(finest, coarsest, over)
            bound = max(bound, self._levels_cost(finest) + charge)
            if bound >= self.best:
                return
            lowered = self._lowered(finest, coarsest, bound)
            if lowered == coarsest or over():
                break
            coarsest = lowered
        if finest == coarsest:
            return
        at = max(range(len(finest)), key=lambda a: (self._open(a, finest, coarsest), -a))
        middle = (finest[at] + coarsest[at]) // 2
        upper = self._at(finest, at, middle + 1)
        yield bound, (finest, self._at(coarsest, at, middle))
        yield max(bound, self._levels_cost(upper) + charge), (upper, coarsest)

    def _open(self, attribute: int, finest: LevelVector, coarsest: LevelVector) -> float:
        """How much costs differ in a region by one attribute; less than nothing where it has one level alone."""
        low, high = finest[attribute], coarsest[attribute]
        return self.additive[attribute][high] - self.additive[attribute][low] if low < high else -1.0

    def _raised(self, finest: LevelVector, coarsest: LevelVector, over: Callable[[], bool]) -> LevelVector:
        """The finest levels without those that are hopeless beside the coarsest other ones, as far as there is time."""
        for attribute, highest in enumerate(coarsest):
            if over():
                break
            for level in range(highest, finest[attribute], -1):
                if self._hopeless(self._at(coarsest, attribute, level - 1)):
                    finest = self._at(finest, attribute, level)
                    break
        return finest

    def _lowered(self, finest: LevelVector, coarsest: LevelVector, bound: float) -> LevelVector:
        """The coarsest levels without those that cost too much beside the finest other ones."""
        for attribute, costs in enumerate(self.additive):
            left = self.best - bound + costs[finest[attribute]]
            while coarsest[attribute] > finest[attribute] and costs[coarsest[attribute]] >= left:
                coarsest = self._at(coarsest, attribute, coarsest[attribute] - 1)
        return coarsest

    @staticmethod
    def _at(vector: LevelVector, attribute: int, level: int) -> LevelVector:
        return (*vector[:attribute], level, *vector[attribute + 1 :])
