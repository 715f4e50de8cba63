"""The frontiers of k and several measures at once, from one enumeration, and from which k up they are proven.

Costs that need a trained model are measured by falling k, where no vector that was measured has at least that k and
costs no more than what is promised; what is proven so far stands when the search is stopped.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

import numpy as np

from anonduck.rules.rule import LevelVector
from anonduck.search.lattice.falling_search import FallingSearch
from anonduck.search.lattice.limits import FIRST, SECOND, THIRD, SearchLimits
from anonduck.search.lattice.suppressed_search import Climb, SuppressedVector

LEAST_KS = 4  # single vectors are looked for at the smallest k met, at twice and at four times that, and so on

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
    where the frontier is proven. What the enumeration left costs no less than the best where that is proven; of its
    cost nothing is known otherwise.
    """

    goal: SearchGoal
    points: tuple[FrontierPoint, ...]
    left: tuple[FrontierPoint, ...]

    @property
    def proven_from(self) -> int:
        """The smallest k from which up no vector that was left can add a point."""
        return max((one.k + 1 for one in self.left), default=1)

    def proven_at(self, k: int) -> bool:
        """Whether no vector that was left, of such a k at least, costs less than the best that was found there."""
        best = min((one.cost for one in self.points if one.k >= k), default=np.inf)
        return all(one.cost >= best for one in self.left if one.k >= k)


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
        promise: Promise = lambda vector, model: {},
        prove: Prove = lambda limits: None,
    ) -> None:
        self.search = search
        self.goals = list(goals)
        self.trained: dict[tuple[LevelVector, str], Mapping[str, float]] = {}
        self._train = train
        self._promise = promise
        self._prove = prove
        self.optimal: int | None = None
        self._tighter: dict[tuple[LevelVector, str], Mapping[str, float]] = {}
        self._best = [BestCosts() for _ in goals]
        self.models = list(dict.fromkeys(goal.model for goal in goals if goal.model is not None))

    def climb(self, limits: SearchLimits) -> None:
        """See what single moves lead to from the vectors of the smallest costs, each goal and least k in its turn.

        A vector of small k may be far down, where an enumeration by falling k does not come.
        """
        smallest = min((self.search.known[vector].k for vector in self._met()), default=1)
        turns = [(number, smallest << doubled) for doubled in range(LEAST_KS) for number in range(len(self.goals))]
        for turn, (number, least) in enumerate(turns, start=1):
            over = limits.until(FIRST + (SECOND - FIRST) * turn / len(turns)).over
            if not over():
                look = partial(self._without_suppression, least)
                start = [vector for vector in self._met() if self.search.known[vector].k >= least]
                Climb(self.search.roots, look, number, 0, over).best(start)

    def _without_suppression(self, least: int, vector: LevelVector) -> SuppressedVector:
        """What costs are promised, as a search for large measures reads it; all or no record fails, by a least k."""
        if not self.search.is_ruled(vector):
            return SuppressedVector(1)
        seen = self.search.see(vector)
        if not seen.met or seen.k < least:
            return SuppressedVector(1)
        return SuppressedVector(0, tuple(-cost for cost in seen.costs), seen.k)

    def solve(self, limits: SearchLimits) -> None:
        """All steps."""
        if not self.search.run(limits.until(FIRST).over):
            self.climb(limits)
            self.optimal = self._prove(limits.until(THIRD if self.models else 1.0))
        self.train(limits)

    def train(self, limits: SearchLimits) -> None:
        """Train models where they can add to a frontier, by falling k until the second step ends, then what promises
        most by the first goal that needs one in turn with that."""
        first = next((number for number, goal in enumerate(self.goals) if goal.model), None)
        if first is None:
            return
        known = self.search.known
        by_k = sorted(self._met(), key=lambda one: (-known[one].k, known[one].costs, one))
        promising = sorted(by_k, key=lambda one: (known[one].costs[first], -known[one].k, one))
        in_turn = chain.from_iterable(zip(promising, by_k, strict=True))
        if not self._measure_all(by_k, limits.until(SECOND)):
            self._measure_all(in_turn, limits)

    def _measure_all(self, vectors: Iterable[LevelVector], limits: SearchLimits) -> bool:
        return all(self._measure(vector, limits) for vector in vectors)

    def see(self, vectors: Iterable[LevelVector], limits: SearchLimits) -> None:
        """See vectors that another search found."""
        for vector in vectors:
            if self.search.is_ruled(vector) and (vector in self.search.known or not limits.over()):
                self.search.see(vector)

    def frontiers(self) -> list[Frontier]:
        """The frontier of each goal."""
        for vector in self._met():
            self._take_seen(vector)
        return [Frontier(goal, self._points(number), self._left(number)) for number, goal in enumerate(self.goals)]

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

    def _left(self, number: int) -> tuple[FrontierPoint, ...]:
        """What could be added to a frontier: by vectors whose model was not trained, and by those that nobody saw."""
        known = self.search.known
        points = [
            FrontierPoint(vector, known[vector].k, self._promised(vector, number))
            for vector in self._met()
            if self._cost(vector, number) is None
        ]
        if not self.search.complete:
            largest = self.search.largest_left
            unseen = largest if largest >= 0 else int(np.iinfo(np.int64).max)
            least = self._best[number].at(0) if number == self.optimal else -np.inf
            points.append(FrontierPoint(self.search.finest, unseen, least))
        return _steps(one for one in points if one.cost < self._best[number].at(one.k))


def _steps(points: Iterable[FrontierPoint]) -> tuple[FrontierPoint, ...]:
    """Those that no other exceeds in k and undercuts in cost, by falling k; of equal ones the finer levels."""
    kept: list[FrontierPoint] = []
    for one in sorted(points, key=lambda point: (-point.k, point.cost, point.vector)):
        if not kept or one.cost < kept[-1].cost:
            kept.append(one)
    return tuple(kept)
