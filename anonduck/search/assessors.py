"""Assesses a level vector: whether it meets what is required, what it costs by each goal, and whether finer ones could.

One roll-up of the frequency set in memory gives k, what models could score, and other measures. Where models are
measured, it has rows by fold and class; measures that need less are taken of its sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anonduck.frequency.frequency_set import FOLDS
from anonduck.frequency.roll_up import DENSE_CELLS, FrequencyTable, RolledFrequencySet, first_of_runs
from anonduck.measures.class_judge import ClassJudge
from anonduck.measures.requirement import Requirement
from anonduck.models.contingency import majority_guesses
from anonduck.models.score_bounds import tree_score_bound
from anonduck.rules.rule import LevelVector
from anonduck.search.lattice.costs import Goal
from anonduck.search.lattice.falling_search import GoalOutcome
from anonduck.search.level_judge import JudgedLevels, LevelJudge
from anonduck.search.score_goals import ScoreGoal

TREE = "tree"
DENSE_COUNTS = 1 << 17  # numbers of records by fold, equivalence class and class value that a tree is bounded by
COUNTS_A_VECTOR = 1 << 13  # of these take as long as a level vector


@dataclass(frozen=True, eq=False)
class FoldCells:
    """Combinations of nodes and class value, in the order of these: ``codes`` (cells, attributes under their roots),
    ``classes`` (cells,), and the records of each by fold, ``folds`` (cells, folds)."""

    codes: np.ndarray
    classes: np.ndarray
    folds: np.ndarray


class FoldedClasses:
    """A rolled-up frequency set whose class codes are fold * ``classes`` + class, and what it sums up to.

    Where ``is_folded`` is false, the rows are of no fold, and have plain class codes or none.
    """

    def __init__(self, rolled: RolledFrequencySet, classes: int, *, is_folded: bool = True) -> None:
        self.folds = rolled
        self.classes = classes
        self.is_folded = is_folded

    @cached_property
    def _parts(self) -> np.ndarray:
        """A number for the equivalence class and class value of each row."""
        assert self.folds.classes is not None
        lengths = self.folds.lengths
        groups = np.repeat(np.arange(len(lengths)), lengths)
        parts: np.ndarray = groups * self.classes + self.folds.classes % self.classes
        return parts

    @cached_property
    def by_class(self) -> RolledFrequencySet:
        """With a row for each equivalence class and class value."""
        rolled = self.folds
        if not self.is_folded:
            return rolled
        found, records = _summed(self._parts, rolled.records, len(rolled.lengths) * self.classes)
        cells = found // self.classes
        starts = np.flatnonzero(first_of_runs(cells))
        return RolledFrequencySet(rolled.levels, (), found % self.classes, records, starts)

    @cached_property
    def tested(self) -> np.ndarray:
        """The records of each fold, equivalence class and class value, those of no fold left out."""
        rolled = self.folds
        assert rolled.classes is not None
        assert rolled.starts is not None
        lengths = rolled.lengths
        counts = np.zeros((FOLDS + 1, len(lengths), self.classes))
        fold, value = np.divmod(rolled.classes, self.classes)
        counts[fold, np.repeat(np.arange(len(lengths)), lengths), value] = rolled.records
        return counts[:FOLDS]

    @cached_property
    def cells(self) -> FoldCells:
        """The combinations of nodes and class value, with their records by fold."""
        rolled = self.folds
        assert rolled.classes is not None
        assert rolled.starts is not None
        found, places = np.unique(self._parts, return_inverse=True)
        counts = np.zeros((len(found), FOLDS + 1), dtype=np.int64)
        counts[places, rolled.classes // self.classes] = rolled.records
        first = rolled.starts[found // self.classes]
        codes = [column[first] for column in rolled.columns if column is not None]
        return FoldCells(np.column_stack(codes), found % self.classes, counts[:, :FOLDS])

    @cached_property
    def plain(self) -> RolledFrequencySet:
        """With a row for each equivalence class."""
        rolled = self.folds
        if rolled.classes is None:
            return rolled
        assert rolled.starts is not None
        columns = tuple(None if column is None else column[rolled.starts] for column in rolled.columns)
        return RolledFrequencySet(rolled.levels, columns, None, rolled.sizes)

    def of(self, goal: Goal | ScoreGoal) -> RolledFrequencySet:
        """What a goal is measured on."""
        if isinstance(goal, ScoreGoal):
            return self.folds
        return self.by_class if goal.needs_class else self.plain


def _summed(keys: np.ndarray, records: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct keys in their order, and the records of each."""
    if size <= max(DENSE_CELLS, 4 * len(keys)):
        counts = np.bincount(keys, weights=records, minlength=size)
        found = np.flatnonzero(counts > 0)
        return found, counts[found].astype(np.int64)
    found, places = np.unique(keys, return_inverse=True)
    return found, np.bincount(places, weights=records).astype(np.int64)


@dataclass(eq=False)
class LevelAssessor:
    """Assesses on the frequency set in memory; the judge is asked where more is required than k.

    Attributes:
        table: where ``classes`` are given, it has the class codes of ``FoldedClasses``, else the class or none.
        goals: what is made small.
        requirement: what must be met.
        judge: judges what is required beside k.
        classes: how many class codes a fold has.
        models: those of the goals.
        spend: is called with the work that goes with a vector beside its evaluation.
    """

    table: FrequencyTable
    goals: Sequence[Goal | ScoreGoal]
    requirement: Requirement
    judge: ClassJudge
    classes: int | None = None
    models: Sequence[str | None] = ()
    spend: Callable[[int], None] = lambda units: None

    def __call__(self, vector: LevelVector) -> GoalOutcome:
        """What there is to know of a level vector, by goal."""
        views, found = self._judged(vector)
        if not found.holds:
            return GoalOutcome(False, True, found.reach)
        costs = tuple(goal.of(self.table, views.of(goal), found.left_out) for goal in self.goals)
        return GoalOutcome(found.met, self.judged.is_hopeless(vector, found), found.reach, found.k, costs)

    @cached_property
    def judged(self) -> LevelJudge:
        """Judges vectors by the sizes of their classes."""
        return LevelJudge(self.requirement, self.judge, self.table.records)

    def additive(self, number: int) -> Sequence[np.ndarray] | None:
        """By attribute, what each level costs at least by a goal; None where levels alone bound no cost."""
        goal = self.goals[number]
        return goal.additive if self._bounds_rest(goal) else None

    @cached_property
    def nested(self) -> bool:
        """Whether a finer vector leaves out all records that a coarser one does."""
        return all(one.model.absorbing for one in self.requirement.asked if one.model.class_wise)

    def _views(self, vector: LevelVector) -> FoldedClasses:
        return FoldedClasses(self.table.at(vector), self.classes or 1, is_folded=self.classes is not None)

    def _judged(self, vector: LevelVector) -> tuple[FoldedClasses, JudgedLevels]:
        views = self._views(vector)
        return views, self.judged(vector, views.folds.sizes)

    def _bounds_rest(self, goal: Goal | ScoreGoal) -> bool:
        """Whether the cost of all records bounds that of the records that stay."""
        return not self.requirement.suppression or goal.bounds_when_suppressed

    def of_trees(self, vector: LevelVector) -> tuple[float, ...] | None:
        """What a vector that meets what is required promises at most where the model is a tree, by goal; None where
        that is not known."""
        views = self._views(vector)
        if not self.requirement.suppression:
            return self._of_trees(views, None)
        return self._of_trees(views, self.judged(vector, views.folds.sizes).left_out)

    def _of_trees(self, views: FoldedClasses, failing: np.ndarray | None) -> tuple[float, ...]:
        """Minus the most that trees can score; minus infinity for what is no score of a tree, or too large."""
        counts = len(views.folds.sizes) * FOLDS * views.classes
        large = counts > DENSE_COUNTS
        tree = [
            isinstance(goal, ScoreGoal) and of == TREE and not large
            for goal, of in zip(self.goals, self.models, strict=True)
        ]
        if not any(tree):
            return (-np.inf,) * len(tree)
        self.spend(sum(tree) * counts // COUNTS_A_VECTOR)
        tested = views.tested
        totals = tested.sum(axis=(0, 1))
        guessed = None
        if failing is not None:
            left = tested[:, failing].sum(axis=1)
            guesses = majority_guesses(tested.sum(axis=1).T)
            guessed = np.zeros(views.classes)
            np.add.at(guessed, guesses, left[np.arange(FOLDS), guesses])
            tested = tested[:, ~failing]
        return tuple(
            -tree_score_bound(tested, totals, guessed, balanced=goal.balanced)
            if known and isinstance(goal, ScoreGoal)
            else -np.inf
            for goal, known in zip(self.goals, tree, strict=True)
        )
