"""Assesses a level vector: whether it meets what is required, what it costs, and whether a finer one still could.

Both are counted on the frequency set in memory where that fits: the records under k on that of the goal, all else that
is required by the judge in memory (anonduck.measures.memory_judge). What does not fit, or has no twin there, is asked
in SQL.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet
from anonduck.measures.criteria import Criteria
from anonduck.measures.judge import RuleJudge
from anonduck.measures.memory_judge import MemoryJudge
from anonduck.rules.rule import LevelVector, RuleSpace
from anonduck.search.lattice.costs import Goal, VectorCost
from anonduck.search.lattice.problem import HOPELESS, Assessor, VectorOutcome
from anonduck.search.reach import allowed, reach_of
from anonduck.search.score_goals import ScoreGoal


class MemoryAssessor:
    """Counts on the frequency set in memory; where more than k is required, ``judge`` is asked what it is in memory.

    Where k counts the class, the set is one by class values, and the parts of an equivalence class are left out each by
    itself.
    """

    def __init__(
        self,
        table: FrequencyTable,
        goal: Goal | ScoreGoal,
        demand: Criteria,
        judge: RuleJudge,
        cost_of_rest: Callable[[LevelVector], float],
    ) -> None:
        self.table = table
        self.goal = goal
        self.demand = demand
        self.judge = judge
        self.cost_of_rest = cost_of_rest
        self.allowed = allowed(demand, table.records)
        self.nested = all(one.model.absorbing for one in demand.asked if one.model.class_wise)

    def __call__(self, vector: LevelVector) -> VectorOutcome:
        """What there is to know of a level vector."""
        rolled = self.table.at(vector)
        sizes = rolled.records if self.demand.with_class else rolled.sizes
        failing = sizes < self.demand.k
        suppressed = int(sizes[failing].sum())
        if not self.demand.allows(suppressed, self.table.records):
            return self._hopeless(rolled)
        if self.demand.only_k:
            found = self._met(rolled, failing if suppressed else None, int(sizes[~failing].min()))
        elif self.judge.in_memory is not None:
            found = self._judged(vector, rolled, self.judge.in_memory)
        else:
            whole = self.goal.of(self.table, rolled, None, self.demand.k)
            found = judged(self.judge, vector, whole, self.cost_of_rest, self._bounds_rest)
        return replace(found, reach=reach_of(sizes, self.allowed))

    def _judged(self, vector: LevelVector, rolled: RolledFrequencySet, judge: MemoryJudge) -> VectorOutcome:
        if not judge.holds(vector):
            return self._hopeless(rolled)
        verdict = judge.verdict(vector)
        if verdict.met:
            return self._met(rolled, verdict.left_out, verdict.k)
        if judge.is_hopeless(vector):
            return self._hopeless(rolled)
        return VectorOutcome(False, False, floor=self._floor(rolled))

    def _hopeless(self, rolled: RolledFrequencySet) -> VectorOutcome:
        """Coarser vectors may be met, and this one bounds what they cost where the levels alone do not."""
        return HOPELESS if self.goal.additive is not None else replace(HOPELESS, floor=self._floor(rolled))

    def _floor(self, rolled: RolledFrequencySet) -> float:
        """What no coarser vector undercuts, whatever that leaves out."""
        if self.demand.suppression and not self._bounds_rest:
            return -np.inf
        return self.goal.of(self.table, rolled, None, self.demand.k).cost

    def _met(self, rolled: RolledFrequencySet, left_out: np.ndarray | None, k: int) -> VectorOutcome:
        """The outcome of a vector that leaves these classes out; what it charges for them bounds finer ones only where
        those leave out all of their records too.
        """
        cost = self.goal.of(self.table, rolled, left_out, self.demand.k)
        floor = cost.floor if left_out is None or self._bounds_parts else -np.inf
        return VectorOutcome(True, False, k, cost.cost, floor, cost.charge if self.nested else 0.0)

    @property
    def _bounds_rest(self) -> bool:
        """Whether the cost of all records bounds that of those that stay."""
        return self.goal.bounds_when_suppressed and self._bounds_parts

    @property
    def _bounds_parts(self) -> bool:
        """Whether the cost of all records bounds that of fewer where parts of equivalence classes can be left out."""
        return self.goal.additive is not None or not self.demand.with_class


class SqlAssessor:
    """Asks SQL for everything; ``cost_of_rest`` measures the records that stay, which may be all."""

    def __init__(
        self,
        judge: RuleJudge,
        cost_of_whole: Callable[[LevelVector], float],
        cost_of_rest: Callable[[LevelVector], float],
        bounds_when_suppressed: bool,
    ) -> None:
        self.judge = judge
        self.cost_of_whole = cost_of_whole
        self.cost_of_rest = cost_of_rest
        self.bounds_when_suppressed = bounds_when_suppressed

    def __call__(self, vector: LevelVector) -> VectorOutcome:
        """What there is to know of a level vector."""
        if not self.judge.holds(vector):
            return HOPELESS
        whole = self.cost_of_whole(vector)
        return judged(self.judge, vector, VectorCost(whole, whole), self.cost_of_rest, self.bounds_when_suppressed)


def keeping(assess: Assessor, space: RuleSpace) -> Assessor:
    """The same, where a vector that drops a column which must stay is not met (a finer one may be), and one under the
    floor is hopeless."""
    if not space.caps and not space.floors:
        return assess

    def kept(vector: LevelVector) -> VectorOutcome:
        if space.is_under_floor(vector):
            return HOPELESS
        found = assess(vector)
        return replace(found, met=False, k=0, cost=np.inf) if found.met and space.dropped(vector) else found

    return kept


def judged(
    judge: RuleJudge, vector: LevelVector, whole: VectorCost, cost_of_rest: Callable[[LevelVector], float], bounds: bool
) -> VectorOutcome:
    """The outcome of a vector by the judge; ``whole`` is its cost where no record is left out.

    A rule under a requirement whose model is not monotone may be met by a finer one: only what no finer rule regains
    makes it hopeless.
    """
    if not judge.holds(vector):
        return HOPELESS
    suppression = bool(judge.demand.suppression)
    floor = whole.cost if bounds or not suppression else -np.inf
    verdict = judge.verdict(vector)
    if not verdict.met:
        return VectorOutcome(False, False, floor=floor)
    if not verdict.measures.suppressed:
        return VectorOutcome(True, False, verdict.measures.k, whole.cost, floor)
    return VectorOutcome(True, False, verdict.measures.k, cost_of_rest(vector), floor)
