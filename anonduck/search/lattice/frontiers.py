"""The frontiers of k and several measures at once, from one enumeration: as far as they are proven, and bounded beyond.

Costs that need a trained model are measured by falling k, where no vector that was measured has at least that k and
costs no more than what is promised; what is proven so far stands when the search is stopped.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from anonduck.rules.rule import LevelVector
from anonduck.search.lattice.falling_search import FallingSearch
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.lattice.region_bounds import Apart, Floors, Region, bound_left
from anonduck.search.lattice.suppressed_search import Climb, SuppressedVector

ENUMERATED_BEFORE = 0.45  # of the limits, left when the enumeration is stopped,
CLIMBED_BEFORE = 0.3  # when ascents to single vectors of small cost are,
MEASURED_BEFORE = 0.2  # when the proof of a single best vector is, and models by falling k are,
PROMISED_BEFORE = 0.1  # and when the most promising are; the rest is for bounds

Promise = Callable[[LevelVector, str], Mapping[str, float]]
Train = Callable[[LevelVector, str], Mapping[str, float]]
Prove = Callable[[SearchLimits], int | None]


@dataclass(frozen=True)
class SearchGoal:
    """What is made small; ``model`` has to be trained for it, None where the cost that was seen is all there is."""

    name: str
    model: str | None = None


@dataclass(frozen=True)
class FrontierPoint:
    """A level vector on a frontier: the k and the cost that it has, or at most and at least can have."""

    vector: LevelVector
    k: int
    cost: float


@dataclass(frozen=True)
class Frontier:
    """One vector for each point of the frontier of k and a cost, by falling k; and what could be added to it.

    ``left`` are the points of largest k and smallest cost that vectors can have which were left, by falling k; empty
    where the frontier is proven.
    """

    goal: SearchGoal
    points: tuple[FrontierPoint, ...]
    left: tuple[FrontierPoint, ...]

    @property
    def proven_from(self) -> int:
        """The smallest k from which up no vector that was left can add a point."""
        return max((one.k + 1 for one in self.left), default=1)


@dataclass(eq=False)
class BestCosts:
    """The smallest cost at each k or more."""

    ks: list[int] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    def add(self, k: int, cost: float) -> None:
        """Take a cost at a k."""
        if cost >= self.at(k):
            return
        place = bisect_left(self.ks, k)
        first = place
        while first > 0 and self.costs[first - 1] >= cost:
            first -= 1
        stays = place + (place < len(self.ks) and self.ks[place] == k)
        self.ks[first:stays] = [k]
        self.costs[first:stays] = [cost]

    def at(self, k: int) -> float:
        """The smallest cost at a k or more, infinite where there is none."""
        place = bisect_left(self.ks, k)
        return self.costs[place] if place < len(self.costs) else np.inf


class FrontierSearch:
    """All goals on one enumeration.

    Args:
        search: the enumeration, whose costs are in the order of the goals.
        goals: what is made small.
        train: the costs of a vector by goal, of goals that need a model.
        floors_of: what no vector coarser than one undercuts, by goal.
        apart: how far a vector separates records (see ``bound_left``).
        promise: what a vector promises of the goals of a model beside what was seen, where more is known of the model;
            asked before it is trained.
        prove: sees what it takes to prove the best vector by one goal, as far as the limits go, and gives the number of
            that goal; None where it is not proven.
    """

    def __init__(
        self,
        search: FallingSearch,
        goals: Sequence[SearchGoal],
        train: Train,
        floors_of: Floors,
        apart: Apart,
        promise: Promise = lambda vector, model: {},
        prove: Prove = lambda limits: None,
    ) -> None:
        self.search = search
        self.goals = list(goals)
        self.floors_of = floors_of
        self.apart = apart
        self.trained: dict[tuple[LevelVector, str], Mapping[str, float]] = {}
        self._train = train
        self._promise = promise
        self._prove = prove
        self.optimal: int | None = None
        self._tighter: dict[tuple[LevelVector, str], Mapping[str, float]] = {}
        self._best = [BestCosts() for _ in goals]
        self.models = list(dict.fromkeys(goal.model for goal in goals if goal.model is not None))

    def enumerate(self, limits: SearchLimits) -> bool:
        """See all vectors, as far as the limits go; whether that ended."""
        return self.search.run(limits.over)

    def climb(self, limits: SearchLimits) -> None:
        """See what single moves lead to from the vectors of the smallest costs, each goal with its part of the limits.

        A vector of small k may be far down, where an enumeration by falling k does not come.
        """
        for number in range(len(self.goals)):
            part = limits.rest(len(self.goals) - number)
            if not part.over():
                Climb(self.search.roots, self._without_suppression, number, 0, part.over).best(self._met())

    def _without_suppression(self, vector: LevelVector) -> SuppressedVector:
        """What costs are promised, as a search for large measures reads it; all or no record fails."""
        if not self.search.is_ruled(vector):
            return SuppressedVector(1)
        seen = self.search.see(vector)
        return SuppressedVector(0, tuple(-cost for cost in seen.costs), seen.k) if seen.met else SuppressedVector(1)

    def measure(self, limits: SearchLimits) -> bool:
        """Train models by falling k where they can add to a frontier; whether that ended."""
        known = self.search.known
        for vector in sorted(self._met(), key=lambda one: (-known[one].k, known[one].costs, one)):
            if not self._measure(vector, limits):
                return False
        return True

    def measure_promising(self, limits: SearchLimits) -> bool:
        """Train models for what promises most by the first goal that needs one; whether that ended."""
        first = next((number for number, goal in enumerate(self.goals) if goal.model), None)
        if first is None:
            return True
        known = self.search.known
        ordered = sorted(self._met(), key=lambda one: (known[one].costs[first], -known[one].k, one))
        return all(self._measure(vector, limits) for vector in ordered)

    def solve(self, share: SearchLimits, whole: SearchLimits) -> bool:
        """All steps but the bounds; whether nothing is left to be seen or trained.

        Limits are a share of the whole, which is given to models alone where every vector was seen.
        """
        ended = self.enumerate(share.but(ENUMERATED_BEFORE))
        if not ended:
            self.climb(share.but(CLIMBED_BEFORE))
            self.optimal = self._prove(share.but(MEASURED_BEFORE if self.models else PROMISED_BEFORE))
        return self.train(whole if ended else share) and ended

    def train(self, limits: SearchLimits) -> bool:
        """Train models by falling k, then what promises most; whether nothing is left to be trained."""
        if self.measure(limits.but(MEASURED_BEFORE)):
            return True
        return self.measure_promising(limits.but(PROMISED_BEFORE)) and self.measure(limits)

    def see(self, vectors: Iterable[LevelVector], limits: SearchLimits) -> None:
        """See vectors that another search found."""
        for vector in vectors:
            if self.search.is_ruled(vector) and (vector in self.search.known or not limits.over()):
                self.search.see(vector)

    def frontiers(self, limits: SearchLimits) -> list[Frontier]:
        """The frontier of each goal; what is left is bounded as far as the limits go."""
        for vector in self._met():
            self._take_seen(vector)
        regions = bound_left(self.search, self.floors_of, self._best_cost, len(self.goals), limits.over, self.apart)
        for vector in self._met():
            self._take_seen(vector)
        return [
            Frontier(goal, self._points(number), self._left(number, regions)) for number, goal in enumerate(self.goals)
        ]

    def _met(self) -> list[LevelVector]:
        return [vector for vector, seen in self.search.known.items() if seen.met]

    def _measure(self, vector: LevelVector, limits: SearchLimits) -> bool:
        """Train what can add to a frontier; not where it is over before."""
        for model in self.models:
            if (vector, model) in self.trained or not self._can_add(vector, model):
                continue
            if limits.over() and self.trained:
                return False
            if (vector, model) not in self._tighter:
                self._tighter[vector, model] = self._promise(vector, model)
                if not self._can_add(vector, model):
                    continue
            self.trained[vector, model] = self._train(vector, model)
            for number, goal in enumerate(self.goals):
                if goal.model == model:
                    self._best[number].add(self.search.known[vector].k, self.trained[vector, model][goal.name])
        return True

    def _can_add(self, vector: LevelVector, model: str) -> bool:
        k = self.search.known[vector].k
        return any(
            self._promised(vector, number) < self._best[number].at(k)
            for number, goal in enumerate(self.goals)
            if goal.model == model
        )

    def _promised(self, vector: LevelVector, number: int) -> float:
        """What a vector promises of a goal: it costs no less."""
        goal = self.goals[number]
        seen = self.search.known[vector].costs[number]
        tighter = {} if goal.model is None else self._tighter.get((vector, goal.model), {})
        return max(seen, tighter.get(goal.name, seen))

    def _take_seen(self, vector: LevelVector) -> None:
        seen = self.search.known[vector]
        for number, goal in enumerate(self.goals):
            if goal.model is None:
                self._best[number].add(seen.k, seen.costs[number])

    def _best_cost(self, goal: int, k: int) -> float:
        return self._best[goal].at(k)

    def _cost(self, vector: LevelVector, number: int) -> float | None:
        """The cost by a goal, None where its model was not trained."""
        goal = self.goals[number]
        if goal.model is None:
            return self.search.known[vector].costs[number]
        found = self.trained.get((vector, goal.model))
        return None if found is None else found[goal.name]

    def _points(self, number: int) -> tuple[FrontierPoint, ...]:
        known = self.search.known
        costs = {vector: cost for vector in self._met() if (cost := self._cost(vector, number)) is not None}
        return _steps(FrontierPoint(vector, known[vector].k, cost) for vector, cost in costs.items())

    def _left(self, number: int, regions: Iterable[Region]) -> tuple[FrontierPoint, ...]:
        """What could be added to a frontier: by vectors whose model was not trained, and by regions."""
        known = self.search.known
        points = [
            FrontierPoint(vector, known[vector].k, self._promised(vector, number))
            for vector in self._met()
            if self._cost(vector, number) is None
        ]
        least = self._best[number].at(0) if number == self.optimal else -np.inf
        points += [FrontierPoint(one.finest, one.k, max(least, one.floors[number])) for one in regions]
        return _steps(one for one in points if one.cost < self._best[number].at(one.k))


def _steps(points: Iterable[FrontierPoint]) -> tuple[FrontierPoint, ...]:
    """Those that no other exceeds in k and undercuts in cost, by falling k; of equal ones the finer levels."""
    kept: list[FrontierPoint] = []
    for one in sorted(points, key=lambda point: (-point.k, point.cost, point.vector)):
        if not kept or one.cost < kept[-1].cost:
            kept.append(one)
    return tuple(kept)
