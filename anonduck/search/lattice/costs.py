"""What a search makes small: a utility measure, or the information gain with its sign turned, and what bounds it.

A cost never falls as levels rise while no record is left out, for each measure here. With records left out:

- the cell measures (loss, ncp, precision, distortion) charge such a record as at the root, so that the cost of the
  levels alone is a bound from below; and what is charged beyond that cost never falls as levels fall, for a finer rule
  leaves out these records too and each of them lost less before.
- discernibility, the classification metric and the information gain charge such a record at least what it costs in its
  class (one that is left out says nothing of the class, and in its class it said no less), so that the cost without
  suppression stays a bound from below.
- the others describe the records that stay, and have no bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet
from anonduck.measures.numpy_measures import (
    CodedAttribute,
    average_class_size,
    bits_lost,
    by_row,
    classification_metric,
    discernibility,
    information_gain,
)
from anonduck.rules.rule import LevelVector

CELL_MEASURES = ("loss", "ncp", "precision", "distortion")
CLASS_MEASURES = ("information_gain", "discernibility", "classification_metric", "average_class_size")
ENTROPY = "nonuniform_entropy"
GOALS = (*CELL_MEASURES, ENTROPY, *CLASS_MEASURES)
DEFAULT_GOAL = "information_gain"
HEIGHT = (
    "height"  # the levels summed, and of vectors that are equally high the loss; no measure that rules are shown by
)


@dataclass(frozen=True, eq=False)
class CellGoal:
    """A measure that is a sum over cells; ``weights`` multiply the cost of each attribute's cells."""

    name: str
    attributes: Sequence[CodedAttribute]
    weights: Sequence[float]
    needs_class: bool = False
    bounds_when_suppressed: bool = True

    @cached_property
    def additive(self) -> list[np.ndarray]:
        """By attribute, what each level costs while no record is left out."""
        return [
            weight * np.array([*(float(one.records @ costs) for costs in one.costs), float(one.records.sum())])
            for one, weight in zip(self.attributes, self.weights, strict=True)
        ]

    def of(self, table: FrequencyTable, rolled: RolledFrequencySet, failing: np.ndarray | None) -> float:
        """The cost at ``rolled.levels`` where the ``failing`` equivalence classes are left out."""
        cost = sum(float(costs[level]) for costs, level in zip(self.additive, rolled.levels, strict=True))
        if failing is None:
            return cost
        if self._unknown:
            charge = self._charge_of_leaves(table, rolled.levels, failing[table.classes_of_leaves(rolled.levels)])
        else:
            charge = self._charge(rolled, by_row(rolled, failing))
        return cost + charge

    @property
    def _unknown(self) -> bool:
        return any(one.unknown for one in self.attributes)

    def _charge(self, rolled: RolledFrequencySet, failing: np.ndarray) -> float:
        """What the suppressed records would save at their levels, against the root."""
        rows = np.flatnonzero(failing)
        records, saved = rolled.records[rows], 0.0
        for attribute, (weight, level, column) in enumerate(
            zip(self.weights, rolled.levels, rolled.columns, strict=True)
        ):
            if column is not None:
                saved += weight * float(records @ self._kept_details[attribute][level][column[rows]])
        return saved

    @cached_property
    def _kept_details(self) -> list[list[np.ndarray]]:
        """By attribute, level under the root and node, what a record keeps there: 1 less its cost."""
        found = []
        for one in self.attributes:
            levels = []
            for path, costs in zip(one.paths, one.costs, strict=True):
                by_node = np.zeros(int(path.max()) + 1)
                by_node[path] = costs
                levels.append(1.0 - by_node)
            found.append(levels)
        return found

    def _charge_of_leaves(self, table: FrequencyTable, levels: LevelVector, failing: np.ndarray) -> float:
        records = table.leaves.records[failing]
        saved = 0.0
        for one, weight, level, column in zip(self.attributes, self.weights, levels, table.leaves.columns, strict=True):
            if level < one.root and column is not None:
                saved += weight * float(records @ (1.0 - one.costs[level][column[failing]]))
        return saved


@dataclass(frozen=True, eq=False)
class EntropyGoal:
    """Non-uniform entropy, in bits over all records that stay."""

    attributes: Sequence[CodedAttribute]
    name: str = ENTROPY
    needs_class: bool = False
    bounds_when_suppressed: bool = False

    @cached_property
    def additive(self) -> list[np.ndarray]:
        """By attribute, what each level costs while no record is left out."""
        return [
            np.array([bits_lost(one, level, one.records) for level in range(one.root + 1)]) for one in self.attributes
        ]

    def of(self, table: FrequencyTable, rolled: RolledFrequencySet, failing: np.ndarray | None) -> float:
        """The cost at ``rolled.levels`` where the ``failing`` equivalence classes are left out."""
        stays = table.leaves.records
        if failing is not None:
            stays = np.where(failing[table.classes_of_leaves(rolled.levels)], 0, stays)
        cost = 0.0
        for one, level, column in zip(self.attributes, rolled.levels, table.leaves.columns, strict=True):
            if level and column is not None:
                held = np.bincount(column, weights=stays, minlength=len(one.records))
                cost += bits_lost(one, level, held)
        return cost


@dataclass(frozen=True, eq=False)
class ClassGoal:
    """A measure of the equivalence classes: one of ``CLASS_MEASURES``; ``k`` divides the average class size."""

    name: str
    k: int = 1
    additive: None = None

    @property
    def needs_class(self) -> bool:
        """Whether it reads class values."""
        return self.name in ("information_gain", "classification_metric")

    @property
    def bounds_when_suppressed(self) -> bool:
        """Whether a finer rule's cost without suppression bounds this one's with suppression."""
        return self.name in ("information_gain", "discernibility", "classification_metric")

    def of(self, table: FrequencyTable, rolled: RolledFrequencySet, failing: np.ndarray | None) -> float:
        """The cost at ``rolled.levels`` where the ``failing`` equivalence classes are left out."""
        if self.name == "information_gain":
            return -information_gain(rolled, failing)
        if self.name == "average_class_size":
            return average_class_size(rolled, failing, self.k)
        if self.name == "discernibility":
            return discernibility(rolled, failing)
        return classification_metric(rolled, failing)


@dataclass(frozen=True, eq=False)
class HeightGoal:
    """Twice the height of a level vector, and the loss, which is 1 at most; no record may be left out."""

    loss: CellGoal
    name: str = HEIGHT
    needs_class: bool = False
    bounds_when_suppressed: bool = False

    @cached_property
    def additive(self) -> list[np.ndarray]:
        """By attribute, what each level costs."""
        return [2.0 * np.arange(len(costs)) + costs for costs in self.loss.additive]

    def of(self, table: FrequencyTable, rolled: RolledFrequencySet, failing: np.ndarray | None) -> float:
        """The cost at ``rolled.levels``."""
        return 2.0 * sum(rolled.levels) + self.loss.of(table, rolled, None)


Goal = CellGoal | EntropyGoal | HeightGoal | ClassGoal


def make_goal(
    name: str, names: Sequence[str], attributes: Sequence[CodedAttribute], *, k: int, weights: Mapping[str, float]
) -> Goal:
    """The goal of a name in ``GOALS``, or ``HEIGHT``; ``k`` is what the average class size divides by."""
    if name == ENTROPY:
        return EntropyGoal(attributes)
    if name in CLASS_MEASURES:
        return ClassGoal(name, k)
    if name == "distortion":
        return CellGoal(name, attributes, [weights.get(one, 1.0) for one in names])
    cells = int(attributes[0].records.sum()) * len(attributes)
    if name == HEIGHT:
        return HeightGoal(CellGoal("loss", attributes, [1.0 / cells] * len(attributes)))
    return CellGoal(name, attributes, [1.0 / cells] * len(attributes))
