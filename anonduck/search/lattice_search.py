"""The search in order: costs and frequency set read, the optimum found, then the frontier of k and the same measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anonduck.config.config import Config
from anonduck.measures.judge import VectorJudge
from anonduck.rules.rule import LevelVector
from anonduck.search.assessors import LevelAssessor, keeping
from anonduck.search.lattice.costs import GOALS, HEIGHT, Goal, as_measure, make_goal
from anonduck.search.lattice.lazy_search import VectorMeasure, solve_measured
from anonduck.search.lattice.limits import SearchLimits, Work
from anonduck.search.lattice.problem import (
    Assessment,
    Assessor,
    FrontierPoint,
    LatticeProblem,
    Optimum,
    TimeLimit,
)
from anonduck.search.lattice.solver import ENOUGH, WHOLE_NODES, solve
from anonduck.search.score_goals import ScoreGoal, WantedScore, wanted_score
from anonduck.search.searched_records import SearchedRecords, kept_contingency
from anonduck.search.training import model_scores

DEFAULT_GOAL = "information_gain"


@dataclass(frozen=True)
class LatticeSearch:
    """What a search found: the optimum, the frontier of k and cost by rising cost, and how.

    ``points`` is empty where no frontier was asked; ``frontier`` says whether it is "exact" or the "best found". A cost
    stands for a measure of the ``goal`` (``measure``). ``left`` are the points that vectors without a measured cost
    could add to the frontier by their bounds, None where not all have one (see Solved). ``trained`` counts the vectors
    for which a model was trained, where a score is searched for.
    """

    optimum: Optimum
    points: tuple[FrontierPoint, ...]
    frontier: str
    goal: str
    nodes: int
    assessed: int
    left: tuple[FrontierPoint, ...] | None = ()
    trained: int | None = None

    @property
    def vectors(self) -> tuple[LevelVector, ...]:
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
            "trained": self.trained,
            "pruned": self.nodes - self.assessed if best.proven and self.frontier in ("exact", "none") else None,
        }


def goal_name(config: Config) -> str:
    """The goal of a config's ``select``: itself, or information gain where it is nothing that is searched for."""
    return config.select if config.select in GOALS or wanted_score(config) else DEFAULT_GOAL


def search_lattice(
    records: SearchedRecords,
    config: Config,
    judge: VectorJudge,
    *,
    prune: bool = True,
    whole_nodes: int = WHOLE_NODES,
    most: int = ENOUGH,
    clock: TimeLimit | None = None,
    goal: str | None = None,
) -> LatticeSearch:
    """The optimum by the config's ``select``, and the frontier of k and that measure unless the config leaves it out.

    Args:
        records: what is searched, with folds if a score of models is searched for.
        config: the measure, the weights, the models, the time limit.
        judge: what is required, and what vectors come to.
        prune: whether vectors are left out that cannot matter; the answer is the same. A score is always pruned.
        whole_nodes: up to so many level vectors, each can have a bound of its own; not for a score.
        most: up to so many vectors that are not hopeless, those of a large lattice or for a score are enumerated.
        clock: when to stop; by default after the config's time limit. Limits of work count what is done.
        goal: what is searched for, of GOALS or HEIGHT; by default the config's ``select``.
    """
    name = goal or goal_name(config)
    clock = clock or TimeLimit(config.time_limit)
    wanted = wanted_score(config) if name not in (*GOALS, HEIGHT) else None
    read = _Read(records, config, judge)
    work = clock.work if isinstance(clock, SearchLimits) else Work()
    if wanted is None:
        problem = _counted(read.problem(name, prune), work)
        solved = solve(problem, clock, frontier=config.lattice_frontier, whole_nodes=whole_nodes, most=most)
    else:
        promised, measured = read.promises(name, wanted)
        problem = _counted(promised, work)

        def measure(vector: LevelVector) -> float:
            work.train([wanted.model])
            return measured(vector)

        solved = solve_measured(problem, measure, clock, frontier=config.lattice_frontier, most=most)
    return LatticeSearch(
        solved.optimum,
        solved.points,
        solved.frontier,
        name,
        problem.nodes,
        len(problem.known),
        solved.left,
        solved.trained,
    )


def _counted(problem: LatticeProblem, work: Work) -> LatticeProblem:
    """The problem with each vector that is assessed counted as work."""
    assess = problem.assess

    def counted(vector: LevelVector) -> Assessment:
        work.evaluate()
        return assess(vector)

    problem.assess = counted
    return problem


class _Read:
    """Problems on counted records."""

    def __init__(self, records: SearchedRecords, config: Config, judge: VectorJudge) -> None:
        self.records = records
        self.config = config
        self.judge = judge

    def problem(self, name: str, prune: bool) -> LatticeProblem:
        """The search for a measure of ``GOALS``."""
        config, judge = self.config, self.judge
        attributes = self.records.attributes("loss" if name == HEIGHT else name)
        goal = make_goal(
            name, list(attributes), list(attributes.values()), k=config.requirement.k, weights=config.weights
        )
        table = judge.table if goal.needs_class else self.records.table(with_class=False)
        assess = LevelAssessor(table, [goal], judge.requirement, judge.classes).by_one
        return _problem(goal, judge, keeping(assess, judge.space), prune)

    def promises(self, name: str, wanted: WantedScore) -> tuple[LatticeProblem, VectorMeasure]:
        """The search for a score, by what vectors promise, and how it is measured."""
        config, judge = self.config, self.judge

        def measure(vector: LevelVector) -> float:
            suppressed = judge.verdict(vector).measures.suppressed
            table = kept_contingency(self.records, judge, judge.space.named(vector), suppressed)
            scores = model_scores(table, [wanted.model], seed=config.seed)
            return -float(scores[wanted.model][wanted.score])

        table, classes = self.records.folded
        goal = ScoreGoal(name, wanted.balanced, classes)
        assess = LevelAssessor(table, [goal], judge.requirement, judge.classes, classes).by_one
        k_falls = not judge.requirement.suppression
        kept = keeping(assess, judge.space)
        return LatticeProblem(
            judge.space.roots, kept, None, charges=False, k_falls=k_falls, least=goal.least(table)
        ), measure


def _problem(goal: Goal, judge: VectorJudge, assess: Assessor, prune: bool) -> LatticeProblem:
    suppression = bool(judge.requirement.suppression)
    bounded = goal.bounds_when_suppressed or not suppression
    return LatticeProblem(
        roots=judge.space.roots,
        assess=assess,
        additive=goal.additive if bounded else None,
        charges=goal.charges,
        k_falls=not suppression,
        prune=prune,
    )
