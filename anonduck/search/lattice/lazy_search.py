"""Searches for what takes long to measure: a vector is measured only where its promise says that it still matters.

A problem gives each vector the cost that it promises, which its measured cost is never under. Measured by falling
promise, the optimum is proven where the next promise is no better than the best that was measured; no search that knows
these promises alone measures fewer. Measured by falling k, a vector is left out of the frontier where one that was
measured has at least its k and costs no more than it promises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from anonduck.rules.rule import LevelVector
from anonduck.search.lattice.problem import (
    Assessment,
    FrontierPoint,
    LatticeProblem,
    LatticeSolution,
    Optimum,
    TimeLimit,
    non_dominated,
)
from anonduck.search.lattice.solver import ENOUGH, branch_and_bound, enumerate_all, enumerating_share, first_guess

GUESSING = 0.05  # of the time, for each step of the search where not all could be enumerated

VectorMeasure = Callable[[LevelVector], float]


class MeasuredVectors:
    """The vectors that were measured, as outcomes; each is measured once."""

    def __init__(self, promised: LatticeProblem, measure: VectorMeasure) -> None:
        self.promised = promised
        self.costs: dict[LevelVector, float] = {}
        self._measure = measure
        self.problem = replace(promised, assess=self._outcome, known={}, best=None)

    def _outcome(self, vector: LevelVector) -> Assessment:
        if vector not in self.costs:
            self.costs[vector] = self._measure(vector)
        return replace(self.promised.outcome(vector), cost=self.costs[vector])

    def where_it_can_be_best(self) -> LatticeProblem:
        """The lattice where a vector that promises no more than the best so far is not measured and costs infinity."""
        problem = replace(self.promised, known=dict(self.problem.known), best=self.problem.best)

        def assess(vector: LevelVector) -> Assessment:
            outcome = self.promised.outcome(vector)
            if not outcome.met or outcome.cost >= problem.best_cost:
                return replace(outcome, cost=np.inf)
            return self.problem.outcome(vector)

        problem.assess = assess
        return problem


def solve_measured(
    promised: LatticeProblem, measure: VectorMeasure, clock: TimeLimit, *, frontier: bool, most: int = ENOUGH
) -> LatticeSolution:
    """The optimum and the frontier of k and measured cost.

    Args:
        promised: the lattice; the cost of an outcome is what a vector promises.
        measure: the cost of a vector that meets what is required.
        clock: when to stop; one vector is measured whatever it says.
        frontier: whether the frontier is asked.
        most: up to so many vectors that are not hopeless are enumerated; else the optimum is searched by branches.
    """
    measured = MeasuredVectors(promised, measure)
    complete = enumerate_all(promised, clock.part(enumerating_share(promised)), most)
    if complete:
        optimum = _optimum(measured, clock)
    else:
        first_guess(promised, clock.part(GUESSING))
        promised.meet_near_roots()
        _optimum(measured, clock.part(GUESSING))
        optimum = branch_and_bound(measured.where_it_can_be_best(), clock.part(GUESSING) if frontier else clock)
    if not frontier:
        return LatticeSolution(optimum, (), "none", trained=len(measured.costs))
    left = _measure_frontier(measured, clock)
    problem = measured.problem
    steps = problem.points(non_dominated(problem.known, problem.met()))
    best = replace(optimum, vector=problem.best, cost=problem.best_cost, bound=min(optimum.bound, problem.best_cost))
    kind = "exact" if complete and not left else "best found"
    return LatticeSolution(best, steps, kind, left if complete else None, len(measured.costs))


def _optimum(measured: MeasuredVectors, clock: TimeLimit) -> Optimum:
    """By falling promise, until the next promise is no better."""
    known, problem = measured.promised.known, measured.problem
    for vector in sorted(measured.promised.met(), key=lambda one: (known[one].cost, -known[one].k, one)):
        if known[vector].cost >= problem.best_cost:
            break
        if measured.costs and clock.over():
            return Optimum(problem.best, problem.best_cost, known[vector].cost, False)
        problem.outcome(vector)
    return Optimum(problem.best, problem.best_cost, problem.best_cost, True)


def _measure_frontier(measured: MeasuredVectors, clock: TimeLimit) -> tuple[FrontierPoint, ...]:
    """Measure by falling k what can add a point to the frontier; the points that could be added by what was left."""
    known, problem = measured.promised.known, measured.problem

    def turn(vector: LevelVector) -> tuple[int, bool, float, LevelVector]:
        return -known[vector].k, vector not in measured.costs, known[vector].cost, vector

    least = np.inf
    left: list[LevelVector] = []
    for vector in sorted(measured.promised.met(), key=turn):
        if vector not in measured.costs:
            if known[vector].cost >= least:
                continue
            if measured.costs and clock.over():
                left.append(vector)
                continue
        least = min(least, problem.outcome(vector).cost)
    return measured.promised.points(non_dominated(known, left))
