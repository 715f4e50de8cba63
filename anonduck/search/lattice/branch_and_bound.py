"""Best-first branch and bound for lattices that are too large to keep a bound for every node.

A branch is all vectors between a finest and a coarsest one; its bound is the cost of its finest levels. Where the
finest vector is hopeless, it is raised to a maximal hopeless one: what meets the requirement is then above that in some
attribute, and there is a branch for each, in which the attributes before are not. The branch with the smallest bound
comes first, so that the bound of what is left is known whenever the search stops.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count

from anonduck.rules.rule import LevelVector
from anonduck.search.lattice.problem import LatticeProblem, Optimum, TimeLimit

GUESSING = 0.3  # of the time, at most, to look for a good vector before bounds are raised


def branch_and_bound(problem: LatticeProblem, clock: TimeLimit) -> Optimum:
    """The cheapest vector that meets what is required; proven, or else the best found and the bound that is left."""
    first_guess(problem, clock.part(GUESSING))
    bottom = (0,) * len(problem.roots)
    failures: list[LevelVector] = []
    numbers = count()
    heap = [(problem.additive_cost(bottom), next(numbers), bottom, problem.roots)]
    while heap and heap[0][0] < problem.best_cost:
        if clock.over():
            problem.meet_near_roots()
            return Optimum(problem.best, problem.best_cost, heap[0][0], False)
        bound, _, finest, coarsest = heapq.heappop(heap)
        for child, most, least in _branches(problem, finest, coarsest, bound, failures):
            if least < problem.best_cost:
                heapq.heappush(heap, (least, next(numbers), child, most))
    return Optimum(problem.best, problem.best_cost, problem.best_cost, True)


def _branches(
    problem: LatticeProblem, finest: LevelVector, coarsest: LevelVector, bound: float, failures: list[LevelVector]
) -> Iterator[tuple[LevelVector, LevelVector, float]]:
    """The branches that are left of one: finest vector, coarsest vector, bound."""
    above = _failure_above(finest, failures)
    if above is None:
        outcome = problem.outcome(finest)
        bound = max(bound, outcome.floor)
        if outcome.met and outcome.cost <= bound:
            return
        above = finest
        if outcome.hopeless:
            above = raise_failure(problem, finest)
            failures.append(above)
    most = list(coarsest)
    for attribute, level in enumerate(above):
        if level < most[attribute]:
            child = (*finest[:attribute], level + 1, *finest[attribute + 1 :])
            yield child, tuple(most), max(bound, problem.additive_cost(child))
            most[attribute] = level


def _failure_above(vector: LevelVector, failures: list[LevelVector]) -> LevelVector | None:
    """A known hopeless vector that is as coarse as this one or coarser."""
    for failure in reversed(failures):
        if all(one <= other for one, other in zip(vector, failure, strict=True)):
            return failure
    return None


def raise_failure(problem: LatticeProblem, vector: LevelVector) -> LevelVector:
    """A maximal hopeless vector that is as coarse or coarser: each level as high as it goes."""
    for attribute, root in enumerate(problem.roots):
        for level in range(root, vector[attribute], -1):
            raised = (*vector[:attribute], level, *vector[attribute + 1 :])
            if problem.outcome(raised).hopeless:
                vector = raised
                break
    return vector


def first_guess(problem: LatticeProblem, clock: TimeLimit) -> None:
    """A good vector to start from: down from the roots, then as long as that finds better, one attribute raised and the
    others lowered again."""
    descend(problem, problem.roots, clock)
    start = None
    while problem.best is not None and problem.best != start:
        start = problem.best
        for attribute, level in enumerate(start):
            if problem.best != start or clock.over():
                break
            if level < problem.roots[attribute]:
                raised = (*start[:attribute], level + 1, *start[attribute + 1 :])
                descend(problem, raised, clock, kept=attribute)


def descend(problem: LatticeProblem, vector: LevelVector, clock: TimeLimit, kept: int | None = None) -> LevelVector:
    """One level down at a time, where that saves most and what is required is still met; ``kept`` is not lowered.

    Where the levels alone do not tell a cost, what each step costs is assessed.
    """

    def cost(step: LevelVector) -> float:
        return problem.outcome(step).cost if problem.additive is None else problem.additive_cost(step)

    lowered = True
    while lowered and not clock.over():
        lowered = False
        steps = [(*vector[:a], level - 1, *vector[a + 1 :]) for a, level in enumerate(vector) if level and a != kept]
        for step in sorted(steps, key=lambda one: (cost(one), one)):
            if problem.outcome(step).met:
                vector, lowered = step, True
                break
    return vector
