"""Assesses a level vector for several goals at once: one roll-up gives k, what models could score, and other measures.

The frequency set in memory has rows by fold and class; measures that need less are taken of its sums.
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
from anonduck.search.lattice.costs import ClassGoal, Goal, VectorCost
from anonduck.search.lattice.falling_search import GoalOutcome
from anonduck.search.level_judge import LevelJudge
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
    """A rolled-up frequency set whose class codes are fold * ``classes`` + class, and what it sums up to."""

    def __init__(self, rolled: RolledFrequencySet, classes: int) -> None:
        self.folds = rolled
        self.classes = classes

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
        assert rolled.starts is not None
        columns = tuple(None if column is None else column[rolled.starts] for column in rolled.columns)
        return RolledFrequencySet(rolled.levels, columns, None, rolled.sizes)

    def of(self, goal: Goal | ScoreGoal, *, parts: bool) -> RolledFrequencySet:
        """What a goal is measured on, where ``parts`` of equivalence classes may be left out, or whole ones alone."""
        if isinstance(goal, ScoreGoal) or (parts and not isinstance(goal, ClassGoal)):
            return self.folds
        return self.by_class if parts or goal.needs_class else self.plain

    def rows_of_parts(self, parts: np.ndarray) -> np.ndarray:
        """What holds of each equivalence class and class value, for each row of the folds."""
        _, places = np.unique(self._parts, return_inverse=True)
        rows: np.ndarray = parts[places]
        return rows


def _summed(keys: np.ndarray, records: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct keys in their order, and the records of each."""
    if size <= max(DENSE_CELLS, 4 * len(keys)):
        counts = np.bincount(keys, weights=records, minlength=size)
        found = np.flatnonzero(counts)
        return found, counts[found].astype(np.int64)
    found, places = np.unique(keys, return_inverse=True)
    return found, np.bincount(places, weights=records).astype(np.int64)


@dataclass(eq=False)
class GoalAssessor:
    """Assesses on the frequency set in memory; the judge is asked where more is required than k.

    ``table`` has the class codes of ``FoldedClasses``, ``classes`` says how many a fold has. ``models`` are those of
    the goals. ``bounded`` says of each goal whether a finer vector's cost without suppression bounds it. ``spend`` is
    called with the work that goes with a vector beside its evaluation.
    """

    table: FrequencyTable
    classes: int
    goals: Sequence[Goal | ScoreGoal]
    requirement: Requirement
    judge: ClassJudge
    bounded: Sequence[bool]
    models: Sequence[str | None]
    spend: Callable[[int], None] = lambda units: None

    def __call__(self, vector: LevelVector) -> GoalOutcome:
        """What there is to know of a level vector."""
        views = FoldedClasses(self.table.at(vector), self.classes)
        found = self.judged(vector, self._sizes(views))
        if not found.holds:
            return GoalOutcome(False, True, found.reach)
        whole = self._costs(views, None)
        floors = tuple(one if known else -np.inf for one, known in zip(whole, self.bounded, strict=True))
        if not found.met:
            return GoalOutcome(False, self.judged.is_hopeless(vector, found), found.reach, 0, whole, floors)
        costs = whole if found.left_out is None else self._costs(views, found.left_out)
        return GoalOutcome(True, False, found.reach, found.k, costs, floors)

    @cached_property
    def judged(self) -> LevelJudge:
        """Judges vectors by the sizes of their classes."""
        return LevelJudge(self.requirement, self.judge, self.table.records)

    def _sizes(self, views: FoldedClasses) -> np.ndarray:
        """The records of each equivalence class, or of each part of one by class value where k counts the class."""
        return views.by_class.records if self.requirement.with_class else views.folds.sizes

    def floors(self, vector: LevelVector) -> tuple[float, ...]:
        """What no coarser vector undercuts, by goal."""
        views = FoldedClasses(self.table.at(vector), self.classes)
        costs = self._costs(views, None)
        if not self.requirement.suppression:
            costs = tuple(max(pair) for pair in zip(costs, self._of_trees(views, None), strict=True))
        return tuple(one if known else -np.inf for one, known in zip(costs, self.bounded, strict=True))

    def apart(self, vector: LevelVector) -> float:
        """The entropy of the equivalence classes, in bits."""
        shares = self.table.at(vector).sizes / self.table.records
        return float(-(shares * np.log2(shares)).sum())

    def of_trees(self, vector: LevelVector) -> tuple[float, ...] | None:
        """What a vector that meets what is required promises at most where the model is a tree, by goal; None where
        that is not known."""
        views = FoldedClasses(self.table.at(vector), self.classes)
        if not self.requirement.suppression:
            return self._of_trees(views, None)
        if self.requirement.with_class:
            return None
        return self._of_trees(views, self.judged(vector, self._sizes(views)).left_out)

    def _of_trees(self, views: FoldedClasses, failing: np.ndarray | None) -> tuple[float, ...]:
        """Minus the most that trees can score; minus infinity for what is no score of a tree, or too large."""
        counts = len(views.folds.sizes) * FOLDS * self.classes
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
            guessed = np.zeros(self.classes)
            np.add.at(guessed, guesses, left[np.arange(FOLDS), guesses])
            tested = tested[:, ~failing]
        return tuple(
            -tree_score_bound(tested, totals, guessed, balanced=goal.balanced)
            if known and isinstance(goal, ScoreGoal)
            else -np.inf
            for goal, known in zip(self.goals, tree, strict=True)
        )

    def _costs(self, views: FoldedClasses, failing: np.ndarray | None) -> tuple[float, ...]:
        return tuple(self._cost(goal, views, failing).cost for goal in self.goals)

    def _cost(self, goal: Goal | ScoreGoal, views: FoldedClasses, failing: np.ndarray | None) -> VectorCost:
        parts = failing is not None and self.requirement.with_class
        rolled = views.of(goal, parts=parts)
        if parts and failing is not None and rolled is views.folds:
            failing = views.rows_of_parts(failing)
        return goal.of(self.table, rolled, failing, self.requirement.k)
