"""Searches that keep a bound for every node of the lattice: the optimum, and the exact frontier of k and cost.

Each assessed vector decides others: a hopeless one makes all finer ones so (k-anonymity is monotone: Incognito, OLA,
Flash), a cost that no coarser one is cheaper, a charge for records left out that finer ones are charged no less. What
is left open is assessed in turns from the expensive end, where one miss rules most out, and from the middle.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import cycle

import numpy as np

from anonduck.rules.rule import LevelVector
from anonduck.search.lattice.problem import (
    Assessment,
    FrontierPoint,
    LatticeProblem,
    Optimum,
    TimeLimit,
    non_dominated,
)

PLACES = (1.0, 0.5)
TOGETHER = 8


class NodeBounds:
    """What is known of every node: a bound of its cost, the most that its k can be, and whether it is still open."""

    def __init__(self, problem: LatticeProblem) -> None:
        self.problem = problem
        shape = tuple(root + 1 for root in problem.roots)
        axes = problem.additive or [np.arange(root + 1) / root for root in problem.roots]
        self.order = np.zeros(shape)
        for axis, costs in enumerate(axes):
            self.order = self.order + np.asarray(costs).reshape([-1 if a == axis else 1 for a in range(len(shape))])
        self.alone = self.order
        self.lower = self.order.copy() if problem.additive is not None else np.full(shape, -np.inf)
        self.most_k = np.full(shape, np.iinfo(np.int64).max)
        self.open = np.ones(shape, dtype=bool)
        self.open[problem.roots] = False
        self._places = cycle(PLACES)
        for vector, outcome in problem.known.items():
            self.learn(vector, outcome)

    def learn(self, vector: LevelVector, outcome: Assessment) -> None:
        """Close a vector that was assessed, and all that it decides."""
        self.open[vector] = False
        if not self.problem.prune:
            return
        finer = tuple(slice(0, level + 1) for level in vector)
        coarser = tuple(slice(level, None) for level in vector)
        if outcome.hopeless:
            self.open[finer] = False
        reach = outcome.k if self.problem.k_falls and outcome.met else outcome.reach
        if reach is not None:
            np.minimum(self.most_k[finer], reach, out=self.most_k[finer])
        if self.problem.additive is None and outcome.floor > -np.inf:
            np.maximum(self.lower[coarser], outcome.floor, out=self.lower[coarser])
        if self.problem.charges and outcome.charge > 0:
            np.maximum(self.lower[finer], self.alone[finer] + outcome.charge, out=self.lower[finer])

    def candidates(self, before: np.ndarray | None, useless: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """The flat numbers of the open nodes that are not ``useless``, in their order.

        ``before`` are those of the last turn: what is closed stays closed, and what is useless stays useless, as bounds
        only become sharper and what was found only better.
        """
        if before is None or not self.problem.prune:
            before = np.flatnonzero(self.open)
        else:
            before = before[self.open.ravel()[before]]
        return before[~useless(before)] if self.problem.prune else before

    def pick(self, candidates: np.ndarray) -> LevelVector:
        """One of them, by its place in the order of their bounds."""
        by = self.lower if self.problem.additive is not None else self.order
        values = by.ravel()[candidates]
        place = int(next(self._places) * (len(values) - 1))
        return self.vector(candidates[np.argpartition(values, place)[place]])

    def pick_several(self, candidates: np.ndarray) -> list[LevelVector]:
        """Some of them, spread over the order of their bounds."""
        by = self.lower if self.problem.additive is not None else self.order
        values = by.ravel()[candidates]
        places = np.unique(np.linspace(0, len(values) - 1, TOGETHER).astype(np.int64))
        return [self.vector(number) for number in candidates[ranked(values, places)[::-1]]]

    def vector(self, number: np.intp) -> LevelVector:
        """The node of a flat number."""
        return tuple(int(level) for level in np.unravel_index(number, self.open.shape))


def find_optimum(problem: LatticeProblem, clock: TimeLimit) -> Optimum:
    """The cheapest vector that meets what is required, proven unless the time is up before."""
    tags = NodeBounds(problem)
    candidates = None
    while True:
        candidates = tags.candidates(candidates, lambda nodes: tags.lower.ravel()[nodes] >= problem.best_cost)
        if len(candidates) == 0:
            return Optimum(problem.best, problem.best_cost, problem.best_cost, True)
        if clock.over():
            problem.meet_near_roots()
            bound = min(problem.best_cost, float(tags.lower.ravel()[candidates].min()))
            return Optimum(problem.best, problem.best_cost, bound, False)
        node = tags.pick(candidates)
        tags.learn(node, problem.outcome(node))


def find_frontier(
    problem: LatticeProblem, clock: TimeLimit
) -> tuple[list[LevelVector], tuple[FrontierPoint, ...] | None]:
    """One vector for each point of the frontier of k and cost, by rising cost, and what could be added to it.

    That is nothing where the frontier is exact; else points of the largest k and the smallest cost that open nodes can
    have, None where one of them has no bound of its cost.

    A node is left out if one that was assessed costs no more than the node's bound, and has a k that the node's cannot
    exceed.
    """
    tags = NodeBounds(problem)
    steps = non_dominated(problem.known, problem.met())
    candidates = None
    while True:
        candidates = tags.candidates(candidates, partial(_beaten, tags, problem, steps))
        if len(candidates) == 0 or clock.over():
            return steps, _left(tags, candidates)
        fresh = []
        for node in tags.pick_several(candidates):
            if tags.open[node] or not problem.prune:
                tags.learn(node, problem.outcome(node))
                fresh.append(node)
        steps = non_dominated(problem.known, [*steps, *(node for node in fresh if problem.known[node].met)])


def _left(tags: NodeBounds, candidates: np.ndarray) -> tuple[FrontierPoint, ...] | None:
    """The frontier of what open nodes can have, by rising cost."""
    costs, ks = tags.lower.ravel()[candidates], tags.most_k.ravel()[candidates]
    if np.isneginf(costs).any():
        return None
    order = np.lexsort((-ks, costs))
    largest = np.maximum.accumulate(ks[order])
    kept = order[np.diff(largest, prepend=0) > 0]
    return tuple(FrontierPoint(tags.vector(candidates[i]), int(ks[i]), float(costs[i])) for i in kept)


def _beaten(tags: NodeBounds, problem: LatticeProblem, steps: list[LevelVector], nodes: np.ndarray) -> np.ndarray:
    """Which nodes can add no point to the frontier of the assessed ones."""
    costs = np.array([problem.known[vector].cost for vector in steps])
    ks = np.array([0, *(problem.known[vector].k for vector in steps)])
    best_k: np.ndarray = ks[np.searchsorted(costs, tags.lower.ravel()[nodes], side="right")]
    beaten: np.ndarray = best_k >= tags.most_k.ravel()[nodes]
    return beaten


def ranked(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Where the values are that stand at ``places`` in their order, the first of equal ones first."""
    found = np.empty(len(places), dtype=np.int64)
    for number, (place, value) in enumerate(zip(places, np.partition(values, places)[places], strict=True)):
        found[number] = np.flatnonzero(values == value)[place - np.count_nonzero(values < value)]
    return found
