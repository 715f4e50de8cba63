"""Assesses a level vector: whether it meets what is required, what it costs, and whether a finer one still could.

A search by one measure asks it; a search by several asks anonduck.search.goal_assessor.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet
from anonduck.measures.class_judge import ClassJudge
from anonduck.measures.requirement import Requirement
from anonduck.rules.rule import LevelVector, RuleSpace
from anonduck.search.goal_assessor import FoldedClasses
from anonduck.search.lattice.costs import Goal
from anonduck.search.lattice.problem import HOPELESS, Assessor, VectorOutcome
from anonduck.search.level_judge import LevelJudge
from anonduck.search.score_goals import ScoreGoal


class VectorAssessor:
    """Counts on the frequency set in memory; ``judge`` is asked where more than k is required.

    Where k counts the class, the set is one by class values, and the parts of an equivalence class are left out each by
    itself.
    """

    def __init__(
        self,
        table: FrequencyTable,
        goal: Goal | ScoreGoal,
        requirement: Requirement,
        judge: ClassJudge,
    ) -> None:
        self.table = table
        self.goal = goal
        self.requirement = requirement
        self.judged = LevelJudge(requirement, judge, table.records)
        self.nested = all(one.model.absorbing for one in requirement.asked if one.model.class_wise)

    def __call__(self, vector: LevelVector) -> VectorOutcome:
        """What there is to know of a level vector."""
        rolled = self.table.at(vector)
        judged = self.judged(vector, self._sizes(rolled))
        if judged.met:
            found = self._met(rolled, judged.left_out, judged.k)
        elif self.judged.is_hopeless(vector, judged):
            found = self._hopeless(rolled)
        else:
            found = VectorOutcome(False, False, floor=self._floor(rolled))
        return replace(found, reach=judged.reach)

    def _sizes(self, rolled: RolledFrequencySet) -> np.ndarray:
        """The records of each equivalence class, or of each part of one by class value."""
        if not self.requirement.with_class:
            return rolled.sizes
        return (
            FoldedClasses(rolled, self.goal.classes).by_class.records
            if isinstance(self.goal, ScoreGoal)
            else rolled.records
        )

    def _hopeless(self, rolled: RolledFrequencySet) -> VectorOutcome:
        """Coarser vectors may be met, and this one bounds what they cost where the levels alone do not."""
        return HOPELESS if self.goal.additive is not None else replace(HOPELESS, floor=self._floor(rolled))

    def _floor(self, rolled: RolledFrequencySet) -> float:
        """What no coarser vector undercuts, whatever that leaves out."""
        if self.requirement.suppression and not self._bounds_rest:
            return -np.inf
        return self.goal.of(self.table, rolled, None, self.requirement.k).cost

    def _met(self, rolled: RolledFrequencySet, left_out: np.ndarray | None, k: int) -> VectorOutcome:
        """The outcome of a vector that leaves these classes out; what it charges for them bounds finer ones only where
        those leave out all of their records too.
        """
        failing = left_out
        if left_out is not None and self.requirement.with_class and isinstance(self.goal, ScoreGoal):
            failing = FoldedClasses(rolled, self.goal.classes).rows_of_parts(left_out)
        cost = self.goal.of(self.table, rolled, failing, self.requirement.k)
        floor = cost.floor if left_out is None or self._bounds_parts else -np.inf
        return VectorOutcome(True, False, k, cost.cost, floor, cost.charge if self.nested else 0.0)

    @property
    def _bounds_rest(self) -> bool:
        """Whether the cost of all records bounds that of those that stay."""
        return self.goal.bounds_when_suppressed and self._bounds_parts

    @property
    def _bounds_parts(self) -> bool:
        """Whether the cost of all records bounds that of fewer where parts of equivalence classes can be left out."""
        return self.goal.additive is not None or not self.requirement.with_class


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
