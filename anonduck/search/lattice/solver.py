"""Which way a lattice is searched: with a bound for every vector, by all that are not hopeless, or by branches."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from anonduck.rules.levels import level_by_level
from anonduck.rules.rule import LevelVector
from anonduck.search.lattice.bounded_search import find_frontier, find_optimum
from anonduck.search.lattice.problem import LatticeProblem, LatticeSolution, Optimum, TimeLimit, non_dominated

ENOUGH = 200_000  # vectors that are not hopeless; where there are more, the lattice is searched by bounds
SMALL_NODES = 1 << 16  # a larger lattice is enumerated first, as far as that goes
WHOLE_NODES = 1 << 21  # so many nodes can have a bound of their own; larger lattices are searched by branch and bound
NODES_TO_ONE = 64  # the nodes for which one is enumerated where each can have a bound of its own
ENUMERATING = 0.5  # of the time, at most, before it is left for a search by the costs of levels,
ENUMERATING_UNBOUNDED = 0.7  # or where there is no such bound, and branches are no faster
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

    Where the levels alone do not give a cost, each step is assessed.
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


def enumerate_all(problem: LatticeProblem, clock: TimeLimit, most: int = ENOUGH) -> bool:
    """Assess every vector under the roots whose coarser neighbours are not hopeless, and say whether that ended.

    No vector is met below a hopeless one. On real tables few of many level vectors are left, whatever is searched for.
    Then every vector that meets what is required is known to the problem. It does not end where the time is up, or more
    than ``most`` vectors are not hopeless; what was assessed is known all the same.
    """
    found = 0
    for vector in level_by_level(problem.roots, lambda one: not problem.outcome(one).hopeless):
        if clock.over() or found > most:
            return False
        found += not problem.outcome(vector).hopeless
    return True


def solve(
    problem: LatticeProblem,
    clock: TimeLimit,
    *,
    frontier: bool,
    whole_nodes: int = WHOLE_NODES,
    most: int = ENOUGH,
) -> LatticeSolution:
    """The optimum, and the frontier of k and cost where it is asked.

    Args:
        problem: the lattice and how its vectors are assessed.
        clock: when to stop.
        frontier: whether the frontier is asked.
        whole_nodes: up to so many level vectors, each can have a bound of its own.
        most: up to so many vectors that are not hopeless are enumerated.
    """
    whole = problem.nodes <= whole_nodes
    if whole and problem.nodes <= SMALL_NODES:
        return _by_bounds(problem, clock, frontier)
    if not whole and not frontier and problem.additive is not None and not problem.k_falls:
        return _by_branches(problem, clock, frontier)
    fewer = min(most, problem.nodes // NODES_TO_ONE) if whole else most
    if enumerate_all(problem, clock.part(enumerating_share(problem)), fewer):
        return _of_all(problem, frontier)
    if whole:
        begun = {vector: problem.known[vector] for vector in non_dominated(problem.known, problem.met())}
        return _by_bounds(replace(problem, assess=problem.outcome, known=begun), clock, frontier)
    return _by_branches(problem, clock, frontier)


def enumerating_share(problem: LatticeProblem) -> float:
    """The share of the time that a problem may be enumerated for."""
    return ENUMERATING_UNBOUNDED if problem.additive is None else ENUMERATING


def _of_all(problem: LatticeProblem, frontier: bool) -> LatticeSolution:
    """Where every vector that meets what is required is known."""
    optimum = Optimum(problem.best, problem.best_cost, problem.best_cost, True)
    steps = non_dominated(problem.known, problem.met()) if frontier else []
    return LatticeSolution(optimum, problem.points(steps), "exact" if frontier else "none")


def _by_bounds(problem: LatticeProblem, clock: TimeLimit, frontier: bool) -> LatticeSolution:
    optimum = find_optimum(problem, clock)
    if not frontier:
        return LatticeSolution(optimum, (), "none")
    steps, left = find_frontier(problem, clock)
    return LatticeSolution(optimum, problem.points(steps), "exact" if left == () else "best found", left)


def _by_branches(problem: LatticeProblem, clock: TimeLimit, frontier: bool) -> LatticeSolution:
    optimum = branch_and_bound(problem, clock)
    if not frontier:
        return LatticeSolution(optimum, (), "none")
    steps = non_dominated(problem.known, problem.met())
    return LatticeSolution(optimum, problem.points(steps), "best found", None)
