"""Bounds of what an enumeration left: the best that level vectors can cost which nobody looked at.

A region is all vectors between a finest and a coarsest one. No vector of it costs less than its finest levels do, and
none reaches a larger k than its coarsest. Where lowering the coarsest one in a single attribute is hopeless, so is all
of the region with that level: the finest levels rise. The region that could better the frontier most is split in two,
at the attribute that it leaves most open: what has its finest level there, and what is coarser. Of the first part, the
other attributes' finest levels rise, as that one takes much of what a rule can tell; of the second, that one's own.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from anonduck.rules.rule import LevelVector
from anonduck.search.lattice.falling_search import FallingSearch

Floors = Callable[[LevelVector], tuple[float, ...]]
BestCost = Callable[[int, int], float]
Apart = Callable[[LevelVector], float]


@dataclass(frozen=True)
class Region:
    """Vectors from ``finest`` to ``coarsest``: the k that none of those left exceeds, what none undercuts, by goal."""

    finest: LevelVector
    coarsest: LevelVector
    k: int
    floors: tuple[float, ...]
    tight: bool = False


def bound_left(
    search: FallingSearch,
    floors_of: Floors,
    best: BestCost,
    goals: int,
    over: Callable[[], bool],
    apart: Apart,
) -> list[Region]:
    """The regions that hold every vector which was left and could add to a frontier; none where none is left.

    Args:
        search: an enumeration, at its end or stopped; what is looked at here is known to it then.
        floors_of: what no vector coarser than one undercuts, by goal, whether that meets anything or not.
        best: the smallest cost so far of a goal at a k or more.
        goals: how many there are.
        over: when to stop.
        apart: how far a vector separates records, such as the entropy of its classes; what regions are split by.
    """
    if search.complete:
        return []
    return _Regions(search, floors_of, best, goals, apart).split(over)


class _Regions:
    def __init__(self, search: FallingSearch, floors_of: Floors, best: BestCost, goals: int, apart: Apart) -> None:
        self.search = search
        self.apart = apart
        self.floors_of = floors_of
        self.best = best
        self.goals = range(goals)
        self.largest = search.largest_left
        self.done = frozenset(search.finished)
        self._floors: dict[LevelVector, tuple[float, ...]] = {}
        self._apart: dict[tuple[int, int], float] = {}
        self._numbers = count()

    def split(self, over: Callable[[], bool]) -> list[Region]:
        roots = self.search.roots
        k = self.largest if self.largest >= 0 else np.iinfo(np.int64).max
        whole = Region(self.search.finest, roots, k, (-np.inf,) * len(self.goals))
        if not over():
            whole = self._tightened(whole, over)
        if self._seen(whole):
            return []
        whole = self._with_floors(whole)
        self.scale = [max(1e-12, self.best(goal, 0) - whole.floors[goal]) for goal in self.goals]
        self.scale = [one if np.isfinite(one) else 1.0 for one in self.scale]
        heap = [(-self._promise(whole), next(self._numbers), whole)]
        while heap and heap[0][0] < 0 and not over():
            region = heapq.heappop(heap)[2]
            for part in self._parts(region, over):
                if self._promise(part) > 0:
                    heapq.heappush(heap, (-self._promise(part), next(self._numbers), part))
        return [region for _, _, region in sorted(heap)]

    def _promise(self, region: Region) -> float:
        """How much a region could better a frontier, as a share of what was open at first; 0 if it could not."""
        more = [self.best(goal, region.k) - region.floors[goal] for goal in self.goals]
        return max(
            (1.0 if np.isinf(one) else one / scale for one, scale in zip(more, self.scale, strict=True) if one > 0),
            default=0.0,
        )

    def _parts(self, region: Region, over: Callable[[], bool]) -> list[Region]:
        """A region that is tighter, or two parts of one that is tight; none of what was all looked at."""
        if not region.tight:
            tight = self._tightened(region, over)
            return [] if self._seen(tight) else [self._with_floors(tight)]
        attribute = self._attribute(region)
        least = region.finest[attribute]
        fixed = self._at(region.coarsest, attribute, least)
        lower = Region(region.finest, fixed, self._k(fixed), region.floors)
        upper = self._at(region.finest, attribute, least + 1)
        same = Region(upper, region.coarsest, region.k, region.floors, tight=True)
        return [lower, *([] if self._seen(same) else [self._with_floors(same)])]

    def _tightened(self, region: Region, over: Callable[[], bool]) -> Region:
        """The finest levels raised as far as single attributes show; what was not looked at before the end stays."""
        finest = list(region.finest)
        for attribute, highest in enumerate(region.coarsest):
            for level in range(highest, finest[attribute], -1):
                if over():
                    break
                if self.search.see(self._at(region.coarsest, attribute, level - 1)).hopeless:
                    finest[attribute] = level
                    break
        return Region(tuple(finest), region.coarsest, region.k, region.floors, tight=not over())

    def _with_floors(self, region: Region) -> Region:
        if region.finest not in self._floors:
            self._floors[region.finest] = self.floors_of(region.finest)
        found = tuple(max(pair) for pair in zip(region.floors, self._floors[region.finest], strict=True))
        return Region(region.finest, region.coarsest, region.k, found, region.tight)

    def _seen(self, region: Region) -> bool:
        """Whether every vector of a region was looked at: its finest is one whose coarser ones all were."""
        return region.finest == region.coarsest or region.finest in self.done

    def _k(self, vector: LevelVector) -> int:
        return min(self.largest, self.search.see(vector).reach) if self.largest >= 0 else self.search.see(vector).reach

    def _attribute(self, region: Region) -> int:
        """Where to split: the attribute whose finest level alone separates records most beyond its coarsest one."""
        open_: Sequence[int] = [
            a for a, (low, high) in enumerate(zip(region.finest, region.coarsest, strict=True)) if low < high
        ]
        return max(open_, key=lambda a: (self._alone(a, region.finest[a]) - self._alone(a, region.coarsest[a]), -a))

    def _alone(self, attribute: int, level: int) -> float:
        if (attribute, level) not in self._apart:
            self._apart[attribute, level] = self.apart(self._at(self.search.roots, attribute, level))
        return self._apart[attribute, level]

    @staticmethod
    def _at(vector: LevelVector, attribute: int, level: int) -> LevelVector:
        return (*vector[:attribute], level, *vector[attribute + 1 :])
