"""The utility of rules: what a release by one no longer shows, of the records that stay under what is required."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from anonduck.config.config import Config
from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet
from anonduck.measures.attributes import CountedColumn
from anonduck.measures.judge import VectorJudge
from anonduck.measures.released_cells import ReleasedCells, ReleaseMeasurer
from anonduck.rules.measure_names import DEFAULT_UTILITY
from anonduck.rules.rule import LevelVector

Utility = Callable[[Mapping[str, int], int, Sequence[str]], dict[str, float]]


class RuleUtility:
    """Measures rules on the frequency set by class, as the releases that they make.

    Args:
        columns: the quasi-identifiers, in the order of the table.
        table: the frequency set by class.
        k: what ``average_class_size`` divides by.
        weights: those of ``distortion`` by attribute, 1 where none is given.
    """

    def __init__(
        self,
        columns: Sequence[CountedColumn],
        table: FrequencyTable,
        *,
        k: int,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.table = table
        self.k = k
        self.weights = weights or {}
        self.columns = [one.cells for one in columns]
        self._known: dict[tuple[int, ...], float] = {}

    def __call__(
        self, vector: LevelVector, names: Sequence[str] = DEFAULT_UTILITY, left_out: np.ndarray | None = None
    ) -> dict[str, float]:
        """The named measures of a rule that leaves out these equivalence classes."""
        return _AtLevels(self, vector, left_out)(names)

    def cells(self, vector: LevelVector, left_out: np.ndarray | None) -> ReleasedCells:
        """The frequency set as the rule shows it."""
        leaves, rows = self.table.leaves, len(self.table.leaves.records)
        assert leaves.classes is not None
        gone = np.zeros(rows, dtype=bool)
        if left_out is not None:
            gone = left_out[self.table.classes_of_leaves(vector)]
        columns = tuple(column for column in leaves.columns if column is not None)
        each = zip(self.table.paths, columns, vector, self.table.roots, strict=True)
        return ReleasedCells(
            leaves=columns,
            levels=tuple(_shown_levels(paths, column, level, root) for paths, column, level, root in each),
            classes=leaves.classes,
            equivalence=self.table.classes_of_leaves(vector),
            records=leaves.records,
            stays=~gone,
        )

    def once(self, key: tuple[int, ...], number: Callable[[], float]) -> float:
        """A number that several rules share."""
        if key not in self._known:
            self._known[key] = number()
        return self._known[key]


class _AtLevels(ReleaseMeasurer):
    """Measures a release whose records all have the levels of a rule: its classes are rolled up."""

    def __init__(self, utility: RuleUtility, vector: LevelVector, left_out: np.ndarray | None) -> None:
        cells, columns = utility.cells(vector, left_out), utility.columns
        super().__init__(cells, columns, k=utility.k, weights=utility.weights)
        self.utility, self.vector, self.left_out = utility, vector, left_out

    @cached_property
    def by_class(self) -> tuple[RolledFrequencySet, np.ndarray | None]:
        """The equivalence classes with their class values, and which of them are left out."""
        return self.utility.table.at(self.vector), self.left_out

    def information(self, one: int, other: int, *, shown: bool) -> float:
        """See ReleaseMeasurer; rules share the counts of all records in two columns at two levels."""
        if self.left_out is not None:
            return super().information(one, other, shown=shown)
        levels = (*self.vector, 0) if shown else (0,) * (len(self.vector) + 1)
        key = (one, levels[one], other, levels[other])
        return self.utility.once(key, lambda: super(_AtLevels, self).information(one, other, shown=shown))


def _shown_levels(paths: Sequence[np.ndarray], leaves: np.ndarray, level: int, root: int) -> np.ndarray:
    """The level that each cell shows: NULL stays itself under the root; what the taxonomy lacks shows it."""
    if level == root:
        return np.full(len(leaves), root)
    shown: np.ndarray = np.where(leaves == 0, 0, np.where(paths[level][leaves] == 0, root, level))
    return shown


def utility_of(columns: Sequence[CountedColumn], config: Config, judge: VectorJudge) -> Utility:
    """A function that measures utility by name, of a rule's levels and the number of records that it leaves out."""
    utility = RuleUtility(columns, judge.table, k=config.requirement.k, weights=config.weights)

    def measure(levels: Mapping[str, int], suppressed: int, names: Sequence[str]) -> dict[str, float]:
        vector = judge.space.vector(levels)
        return utility(vector, names, judge.classes.verdict(vector).left_out if suppressed else None)

    return measure
