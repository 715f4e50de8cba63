"""Which way a lattice is searched: with a bound for every vector, by all that are not hopeless, or by branches."""

from __future__ import annotations

from dataclasses import replace

from anonduck.rules.levels import level_by_level
from anonduck.search.lattice.bounded_search import find_frontier, find_optimum
from anonduck.search.lattice.branch_and_bound import branch_and_bound
from anonduck.search.lattice.problem import LatticeProblem, LatticeSolution, Optimum, TimeLimit, non_dominated

ENOUGH = 200_000  # vectors that are not hopeless; where there are more, the lattice is searched by bounds
SMALL_NODES = 1 << 16  # a larger lattice is enumerated first, as far as that goes
WHOLE_NODES = 1 << 21  # so many nodes can have a bound of their own; larger lattices are searched by branch and bound
NODES_TO_ONE = 64  # the nodes for which one is enumerated where each can have a bound of its own
ENUMERATING = 0.5  # of the time, at most, before it is left for a search by the costs of levels,
ENUMERATING_UNBOUNDED = 0.7  # or where there is no such bound, and branches are no faster


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
