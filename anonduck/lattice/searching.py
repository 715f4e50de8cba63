"""The search in order: costs and frequency set read, the optimum found, then the frontier of k and the same measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.config import Config
from anonduck.database import Database
from anonduck.lattice.assessing import AskedAssessor, Assess, CountedAssessor
from anonduck.lattice.enumerating import ENOUGH
from anonduck.lattice.goals import GOALS, Goal, as_cost, as_measure, make_goal
from anonduck.lattice.problem import Clock, Optimum, Point, Problem
from anonduck.lattice.reading import frequency_rows, read_attributes, read_table
from anonduck.lattice.solving import WHOLE_NODES, solve
from anonduck.measures import CODED
from anonduck.requiring import RuleJudge
from anonduck.rules import Levels
from anonduck.utility import UtilityMeasurer

if TYPE_CHECKING:
    from anonduck.taxonomy.catalog import Taxonomy

MEMORY_ROWS = 1 << 24  # rows of the frequency set that are counted in memory; more are counted in SQL
DEFAULT_GOAL = "information_gain"


@dataclass(frozen=True)
class Searched:
    """What a search found: the optimum, the frontier of k and cost by rising cost, and how.

    ``points`` is empty where no frontier was asked; ``frontier`` says whether it is "exact" or the "best found". A cost
    stands for a measure of the ``goal`` (``measure``). ``left`` are the points that vectors without a measured cost
    could add to the frontier by their bounds, None where not all vectors have a bound.
    """

    optimum: Optimum
    points: tuple[Point, ...]
    frontier: str
    goal: str
    nodes: int
    assessed: int
    left: tuple[Point, ...] | None = ()

    @property
    def vectors(self) -> tuple[Levels, ...]:
        """The optimum first, then the other vectors of the frontier by rising cost."""
        best = self.optimum.vector
        return (*([best] if best is not None else []), *(one.vector for one in self.points if one.vector != best))

    def measure(self, cost: float) -> float:
        """The measure that a cost of this search stands for."""
        return as_measure(self.goal, cost)

    def as_json(self) -> dict[str, Any]:
        """The summary that ``discover --json`` prints."""
        best = self.optimum
        bound = as_measure(self.goal, best.bound) if np.isfinite(best.bound) else None
        value = as_measure(self.goal, best.cost) if best.vector is not None else None
        return {
            "objective": self.goal,
            "optimal": best.proven,
            "value": value,
            "bound": bound,
            "gap": None if bound is None or value is None else abs(value - bound),
            "frontier": self.frontier,
            "nodes": self.nodes,
            "evaluated": self.assessed,
            "pruned": self.nodes - self.assessed if best.proven and self.frontier in ("exact", "none") else None,
        }


def goal_name(select: str) -> str:
    """The goal of a config's ``select``: itself, or information gain where it is no measure that is searched for."""
    return select if select in GOALS else DEFAULT_GOAL


def search_lattice(
    database: Database,
    config: Config,
    taxonomies: Mapping[str, Taxonomy],
    judge: RuleJudge,
    *,
    prune: bool = True,
    whole_nodes: int = WHOLE_NODES,
    memory_rows: int = MEMORY_ROWS,
    most: int = ENOUGH,
) -> Searched:
    """The optimum by the config's ``select``, and the frontier of k and that measure unless the config leaves it out.

    Args:
        database: holds ``coded_frequency_set`` and the lookup tables.
        config: the measure, the weights, the time limit.
        taxonomies: those of the quasi-identifiers, in the order of the judge's space.
        judge: what is required, and how it is measured in SQL.
        prune: whether vectors are left out that cannot matter; the answer is the same.
        whole_nodes: up to so many level vectors, each can have a bound of its own.
        memory_rows: up to so many rows, the frequency set is counted in memory.
        most: up to so many vectors that are not hopeless, those of a large lattice are enumerated.
    """
    name = goal_name(config.select)
    attributes = dict(zip(taxonomies, read_attributes(database, taxonomies, judge.records, name), strict=True))
    goal = make_goal(name, list(taxonomies), list(attributes.values()), k=config.requirement.k, weights=config.weights)
    costs = _Asked(database, config, taxonomies, judge, name)
    assess: Assess
    if frequency_rows(database) <= memory_rows:
        table = read_table(database, attributes, with_class=goal.needs_class)
        assess = CountedAssessor(table, goal, judge.demand, judge, costs.of_rest)
    else:
        assess = AskedAssessor(judge, costs.of_whole, costs.of_rest, goal.bounds_when_suppressed)
    problem = _problem(goal, judge, assess, prune)
    solved = solve(
        problem, Clock(config.time_limit), frontier=config.lattice_frontier, whole_nodes=whole_nodes, most=most
    )
    return Searched(
        solved.optimum, solved.points, solved.frontier, name, problem.nodes, len(problem.known), solved.left
    )


def _problem(goal: Goal, judge: RuleJudge, assess: Assess, prune: bool) -> Problem:
    suppression = bool(judge.demand.suppression)
    bounded = goal.bounds_when_suppressed or not suppression
    return Problem(
        roots=judge.space.roots,
        assess=assess,
        additive=goal.additive if bounded else None,
        charges=goal.charges,
        k_falls=not suppression,
        prune=prune,
    )


class _Asked:
    """The cost of a vector in SQL, over all records or those that stay."""

    def __init__(
        self,
        database: Database,
        config: Config,
        taxonomies: Mapping[str, Taxonomy],
        judge: RuleJudge,
        goal: str,
    ) -> None:
        self.judge = judge
        self.goal = goal
        self._measurer: Callable[[str, int], UtilityMeasurer] = lambda cells, suppressed: UtilityMeasurer(
            database,
            taxonomies,
            k=config.requirement.k,
            weights=config.weights,
            cells=cells,
            suppressed=suppressed,
        )
        self._whole = self._measurer(CODED, 0)

    def of_whole(self, vector: Levels) -> float:
        """The cost where no record is left out."""
        if self.goal == DEFAULT_GOAL:
            return as_cost(self.goal, self.judge.whole(vector).information_gain)
        levels = self.judge.space.named(vector)
        return as_cost(self.goal, self._whole(levels, [self.goal])[self.goal])

    def of_rest(self, vector: Levels) -> float:
        """The cost where the records that the verdict leaves out are left out."""
        measures = self.judge.verdict(vector).measures
        if self.goal == DEFAULT_GOAL:
            return as_cost(self.goal, measures.information_gain)
        rows = self.judge.kept(vector, measures.suppressed)
        measurer = self._measurer(rows, measures.suppressed)
        return as_cost(self.goal, measurer(self.judge.space.named(vector), [self.goal])[self.goal])
