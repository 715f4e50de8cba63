"""What a search makes small: a utility measure, or the information gain with its sign turned, and what bounds it.

A cost never falls as levels rise while no record is left out, for each measure here. With records left out:

- the cell measures (loss, ncp, precision, distortion) charge such a record as at the root, so that the cost of the
  levels alone is a bound from below; and what is charged beyond that cost never falls as levels fall, for a finer rule
  leaves out these records too and each of them lost less before.
- discernibility, the classification metric and the information gain charge such a record at least what it costs in its
  class (one that is left out tells nothing of the class, and its class told it no less), so that the cost without
  suppression stays a bound from below.
- the others describe the records that stay, and have no bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anonduck.lattice.rolling import FrequencyTable, Rolled
from anonduck.rules import Levels

CELL_MEASURES = ("loss", "ncp", "precision", "distortion")
CLASS_MEASURES = ("information_gain", "discernibility", "classification_metric", "average_class_size")
ENTROPY = "nonuniform_entropy"
GOALS = (*CELL_MEASURES, ENTROPY, *CLASS_MEASURES)


@dataclass(frozen=True, eq=False)
class Attribute:
    """One attribute: node codes by level and leaf code, the records of each leaf code, and cell costs.

    ``costs[l]`` is what a record of each leaf code costs at level ``l`` under the root; at the root it costs 1.
    ``unknown`` says whether there are leaves that the taxonomy does not know, which share code 0 with NULL above level
    0.
    """

    paths: tuple[np.ndarray, ...]
    records: np.ndarray
    costs: tuple[np.ndarray, ...] = ()
    unknown: bool = False

    @property
    def root(self) -> int:
        """The level of the root."""
        return len(self.paths)


@dataclass(frozen=True)
class Cost:
    """The cost of a level vector, a bound that no coarser one undercuts, and what records left out added to it."""

    cost: float
    floor: float = -np.inf
    charge: float = 0.0


@dataclass(frozen=True, eq=False)
class CellGoal:
    """A measure that is a sum over cells; ``weights`` multiply the cost of each attribute's cells."""

    name: str
    attributes: Sequence[Attribute]
    weights: Sequence[float]
    needs_class: bool = False
    charges: bool = True
    bounds_when_suppressed: bool = True

    @property
    def additive(self) -> list[np.ndarray]:
        """By attribute, what each level costs while no record is left out."""
        return [
            weight * np.array([*(float(one.records @ costs) for costs in one.costs), float(one.records.sum())])
            for one, weight in zip(self.attributes, self.weights, strict=True)
        ]

    def of(self, table: FrequencyTable, rolled: Rolled, failing: np.ndarray | None, k: int) -> Cost:
        """The cost at ``rolled.levels`` where the ``failing`` equivalence classes, those under ``k``, are left out."""
        cost = sum(float(costs[level]) for costs, level in zip(self.additive_costs, rolled.levels, strict=True))
        if failing is None:
            return Cost(cost, cost)
        charge = self._charge_of_leaves(table, rolled.levels, k) if self._unknown else self._charge(rolled, failing)
        return Cost(cost + charge, cost, charge)

    @property
    def additive_costs(self) -> list[np.ndarray]:
        """``additive``, computed once."""
        known: list[np.ndarray] | None = self.__dict__.get("_additive")
        if known is None:
            known = self.additive
            object.__setattr__(self, "_additive", known)
        return known

    @property
    def _unknown(self) -> bool:
        return any(one.unknown for one in self.attributes)

    def _charge(self, rolled: Rolled, failing: np.ndarray) -> float:
        """What the suppressed records would save at their levels, against the root."""
        records = rolled.records[failing]
        saved = 0.0
        for one, weight, level, column in zip(
            self.attributes, self.weights, rolled.levels, rolled.columns, strict=True
        ):
            if column is None:
                continue
            by_node = np.zeros(int(one.paths[level].max()) + 1)
            by_node[one.paths[level]] = one.costs[level]
            saved += weight * float(records @ (1.0 - by_node[column[failing]]))
        return saved

    def _charge_of_leaves(self, table: FrequencyTable, levels: Levels, k: int) -> float:
        failing = table.sizes_of_leaves(levels) < k
        records = table.leaves.records[failing]
        saved = 0.0
        for one, weight, level, column in zip(self.attributes, self.weights, levels, table.leaves.columns, strict=True):
            if level < one.root and column is not None:
                saved += weight * float(records @ (1.0 - one.costs[level][column[failing]]))
        return saved


@dataclass(frozen=True, eq=False)
class EntropyGoal:
    """Non-uniform entropy, in bits over all records that stay."""

    attributes: Sequence[Attribute]
    name: str = ENTROPY
    needs_class: bool = False
    charges: bool = False
    bounds_when_suppressed: bool = False

    @property
    def additive(self) -> list[np.ndarray]:
        """By attribute, what each level costs while no record is left out."""
        return [
            np.array([_bits_lost(one, level, one.records) for level in range(one.root + 1)]) for one in self.attributes
        ]

    def of(self, table: FrequencyTable, rolled: Rolled, failing: np.ndarray | None, k: int) -> Cost:
        """The cost at ``rolled.levels`` where the ``failing`` equivalence classes, those under ``k``, are left out."""
        stays = table.leaves.records
        if failing is not None:
            stays = np.where(table.sizes_of_leaves(rolled.levels) < k, 0, stays)
        cost = 0.0
        for one, level, column in zip(self.attributes, rolled.levels, table.leaves.columns, strict=True):
            if level and column is not None:
                held = np.bincount(column, weights=stays, minlength=len(one.records))
                cost += _bits_lost(one, level, held)
        return Cost(cost, cost if failing is None else -np.inf)


@dataclass(frozen=True, eq=False)
class ClassGoal:
    """A measure of the equivalence classes: one of ``CLASS_MEASURES``; ``k`` divides the average class size."""

    name: str
    k: int = 1
    charges: bool = False
    additive: None = None

    @property
    def needs_class(self) -> bool:
        """Whether it reads class values."""
        return self.name in ("information_gain", "classification_metric")

    @property
    def bounds_when_suppressed(self) -> bool:
        """Whether a finer rule's cost without suppression bounds this one's with suppression."""
        return self.name in ("information_gain", "discernibility", "classification_metric")

    def of(self, table: FrequencyTable, rolled: Rolled, failing: np.ndarray | None, k: int) -> Cost:
        """The cost at ``rolled.levels`` where the ``failing`` equivalence classes, those under ``k``, are left out."""
        measured = _CLASS_COSTS[self.name](self, table, rolled, failing)
        if failing is None:
            return Cost(measured, measured)
        if not self.bounds_when_suppressed:
            return Cost(measured)
        return Cost(measured, _CLASS_COSTS[self.name](self, table, rolled, None))


def _bits_lost(one: Attribute, level: int, records: np.ndarray) -> float:
    """How many bits the records' values lose at a level."""
    nodes = np.zeros(len(records), dtype=np.int64) if level == one.root else one.paths[level]
    return max(0.0, n_log_n(np.bincount(nodes, weights=records)) - n_log_n(records))


def n_log_n(counts: np.ndarray) -> float:
    """The sum of n log2(n) over positive counts."""
    held = counts[counts > 0].astype(np.float64)
    return float((held * np.log2(held)).sum())


# -- equivalence classes -----------------------------------------------------------------------------------------------


def information_gain(rolled: Rolled, failing: np.ndarray | None) -> float:
    """The information gain over all records, in bits; those of the ``failing`` equivalence classes tell nothing.

    A record that stays tells log2 of the share of its class value in its equivalence class by that among all records.
    """
    assert rolled.classes is not None
    records, sizes = rolled.records, rolled.sizes
    every = np.bincount(rolled.classes, weights=records)
    total = float(sizes.sum())
    if failing is not None:
        records = np.where(by_row(rolled, failing), 0, records)
        sizes = np.where(failing, 0, sizes)
    stay = np.bincount(rolled.classes, weights=records)
    prior = float(np.log2(total)) * float(stay.sum()) - float((stay * np.log2(np.where(every > 0, every, 1.0))).sum())
    return max(0.0, (prior - n_log_n(sizes) + n_log_n(records)) / total)


def _lost_gain(goal: ClassGoal, table: FrequencyTable, rolled: Rolled, failing: np.ndarray | None) -> float:
    """The information gain, negative so that a smaller one is better."""
    return -information_gain(rolled, failing)


def _discernibility(goal: ClassGoal, table: FrequencyTable, rolled: Rolled, failing: np.ndarray | None) -> float:
    sizes = rolled.sizes.astype(np.float64)
    charged = sizes * sizes if failing is None else np.where(failing, sizes * table.records, sizes * sizes)
    return float(charged.sum())


def _misclassified(goal: ClassGoal, table: FrequencyTable, rolled: Rolled, failing: np.ndarray | None) -> float:
    sizes = rolled.sizes
    most = rolled.records if rolled.starts is None else np.maximum.reduceat(rolled.records, rolled.starts)
    penalty = sizes - most if failing is None else np.where(failing, sizes, sizes - most)
    return float(penalty.sum()) / table.records


def _average_size(goal: ClassGoal, table: FrequencyTable, rolled: Rolled, failing: np.ndarray | None) -> float:
    sizes = rolled.sizes if failing is None else rolled.sizes[~failing]
    return float(sizes.mean()) / goal.k if len(sizes) else 0.0


def by_row(rolled: Rolled, of_classes: np.ndarray) -> np.ndarray:
    """What holds of each equivalence class, for each row."""
    assert rolled.starts is not None
    lengths = np.diff(np.r_[rolled.starts, len(rolled.records)])
    repeated: np.ndarray = np.repeat(of_classes, lengths)
    return repeated


_CLASS_COSTS = {
    "information_gain": _lost_gain,
    "discernibility": _discernibility,
    "classification_metric": _misclassified,
    "average_class_size": _average_size,
}
Goal = CellGoal | EntropyGoal | ClassGoal


def make_goal(
    name: str, names: Sequence[str], attributes: Sequence[Attribute], *, k: int, weights: Mapping[str, float]
) -> Goal:
    """The goal of a name in ``GOALS``; ``k`` is what the average class size divides by."""
    if name == ENTROPY:
        return EntropyGoal(attributes)
    if name in CLASS_MEASURES:
        return ClassGoal(name, k)
    if name == "distortion":
        return CellGoal(name, attributes, [weights.get(one, 1.0) for one in names])
    cells = int(attributes[0].records.sum()) * len(attributes)
    return CellGoal(name, attributes, [1.0 / cells] * len(attributes))


def as_measure(name: str, cost: float) -> float:
    """The measure that a cost stands for; a score of models has its sign turned, as the information gain."""
    if name == "information_gain" or name not in GOALS:
        return -cost
    return 1.0 - cost if name == "precision" else cost


def as_cost(name: str, measure: float) -> float:
    """The cost that a measure is: the other way round of ``as_measure``."""
    return as_measure(name, measure)
