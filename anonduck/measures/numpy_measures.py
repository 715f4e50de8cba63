"""Formulas of measures on counts: what cells cost, and the information of equivalence classes on the class.

A search over the lattice takes them of sets that are rolled up, thousands of times; the evaluation of a release takes
them of its cells (anonduck.measures.released_cells). test_measure_twins.py holds both together, and test_utility.py the
latter against counts over rows. The information gain and violating pairs are also printed as queries
(``anonduck sql --of information_gain RULE``).

The most that a model can score (anonduck.search.score_goals) has its kernel on the frequency set by folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anonduck.frequency.roll_up import RolledFrequencySet

LARGEST_SQUARED = 1 << 31
"""So many records have a square that 64 bits hold no more with another; they are counted in Python's integers."""


@dataclass(frozen=True, eq=False)
class FreeIntervals:
    """Intervals that are no nodes, by level and first cell; those of one level do not overlap.

    A table by leaf code and level would outgrow memory, as many intervals overlap.

    Attributes:
        levels: (intervals,), over the root.
        first, last: (intervals,), the codes of their first and last finest interval.
        costs: (intervals,), what a record costs, from 0 to 1.
        heights: (intervals,), the level of the smallest node over each.
    """

    levels: np.ndarray
    first: np.ndarray
    last: np.ndarray
    costs: np.ndarray
    heights: np.ndarray

    def holding(self, finest: np.ndarray, levels: np.ndarray) -> np.ndarray:
        """The interval of each cell (cells,), whose value lies in the ``finest`` interval, at a level over the root."""
        span = int(max(self.last.max(initial=0), finest.max(initial=0))) + 1
        found: np.ndarray = np.searchsorted(self.levels * span + self.first, levels * span + finest, side="right") - 1
        return found


@dataclass(frozen=True, eq=False)
class CodedAttribute:
    """One attribute: node codes by level and leaf code, the records of each leaf code, and cell costs.

    ``costs[l]`` is what a record of each leaf code costs at level ``l`` under the root; at the root it costs 1.
    ``unknown`` says whether there are leaves that the taxonomy does not know, which share code 0 with NULL above level
    0. ``free`` are the intervals that classes show and that are no nodes, if there are any.
    """

    paths: tuple[np.ndarray, ...]
    records: np.ndarray
    costs: tuple[np.ndarray, ...] = ()
    unknown: bool = False
    free: FreeIntervals | None = None

    @property
    def root(self) -> int:
        """The level of the root."""
        return len(self.paths)

    def of_cells(
        self, codes: np.ndarray, levels: np.ndarray, by_node: Sequence[np.ndarray], by_interval: np.ndarray | None
    ) -> np.ndarray:
        """What the nodes that cells show have of something (cells,).

        Args:
            codes: (cells,), the leaf code of each cell.
            levels: (cells,), the level of its node, over the root for a free interval.
            by_node: for each level up to the root, by leaf code, what the node over it has.
            by_interval: what each free interval has; None without any.
        """
        table = np.vstack(by_node)
        if self.free is None or by_interval is None:
            looked_up: np.ndarray = table[levels, codes]
            return looked_up
        free = levels > self.root
        found: np.ndarray = table[np.where(free, 0, levels), codes].astype(np.result_type(table, by_interval))
        found[free] = by_interval[self.free.holding(self.paths[1][codes[free]], levels[free])]
        return found

    def leaves_within(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The leaf codes (leaf codes,) in the order of their finest intervals, and where each free interval begins and
        ends among them (intervals,)."""
        assert self.free is not None
        order = np.argsort(self.paths[1], kind="stable")
        finest = self.paths[1][order]
        return order, np.searchsorted(finest, self.free.first), np.searchsorted(finest, self.free.last, side="right")


# -- cells -------------------------------------------------------------------------------------------------------------


def node_costs(goal: str, nodes: Mapping[str, np.ndarray], *, ordered: bool) -> np.ndarray:
    """What a record of each node of a taxonomy costs by ``ncp``, or else by ``loss``, from 0 to 1.

    ``nodes`` has a row for each node: leaves, leaf_share and range_share (NaN where there is none).
    """
    leaves = nodes["leaves"].astype(np.float64)
    if goal != "ncp":
        lost: np.ndarray = (leaves - 1) / max(1.0, float(leaves.max()) - 1)
        return lost
    cost = np.where(leaves > 1, nodes["leaf_share"], 0.0)
    return np.where(np.isnan(nodes["range_share"]), cost, nodes["range_share"]) if ordered else cost


def height_cost(level: int, root: int) -> float:
    """What a record costs at a level under the root by ``precision`` and ``distortion``, from 0 to 1."""
    return level / root


def cells_cost(one: CodedAttribute, codes: np.ndarray, levels: np.ndarray, records: np.ndarray) -> float:
    """What cells cost whose nodes are of different levels, as those of a release by classes: by ``costs``, 1 at the
    root.

    ``codes``, ``levels`` and ``records`` (cells,): each cell's leaf code, the level of the node it shows, its records.
    """
    by_node = [*one.costs, np.ones(len(one.records))]
    return float((records * one.of_cells(codes, levels, by_node, None if one.free is None else one.free.costs)).sum())


def cells_height(one: CodedAttribute, codes: np.ndarray, levels: np.ndarray, records: np.ndarray) -> float:
    """The same by ``precision`` and ``distortion``: the sum over records of the level as a share of the root's.

    An interval that is no node is as high as the smallest node over it.
    """
    heights = levels
    if one.free is not None:
        free = levels > one.root
        heights = np.where(free, 0, levels)
        heights[free] = one.free.heights[one.free.holding(one.paths[1][codes[free]], levels[free])]
    return float((records * heights).sum()) / one.root


def cells_bits(one: CodedAttribute, codes: np.ndarray, levels: np.ndarray, records: np.ndarray) -> float:
    """How many bits cells of different levels lose: a record's value is one of all values of the whole table that
    lie under its node, whatever nodes other records of theirs show.
    """
    values = one.records.astype(np.float64)
    under = [np.bincount(path, weights=values)[path] for path in one.paths]
    within = None
    if one.free is not None:
        order, begins, ends = one.leaves_within()
        through = np.r_[0.0, np.cumsum(values[order])]
        within = through[ends] - through[begins]
    held = one.of_cells(codes, levels, [*under, np.full(len(values), values.sum())], within)
    return float((records * np.log2(held / values[codes])).sum())


def bits_lost(one: CodedAttribute, level: int, records: np.ndarray) -> float:
    """How many bits the records' values lose at a level; a value that the taxonomy lacks shows its root."""
    if level == one.root:
        return max(0.0, _n_log_n(records.sum(keepdims=True)) - _n_log_n(records))
    nodes, hidden = one.paths[level], 0.0
    if one.unknown:
        unknown = (nodes == 0) & (np.arange(len(nodes)) > 0)
        hidden = float(records[unknown].sum()) * float(np.log2(max(records.sum(), 1))) - _n_log_n(records[unknown])
        records = np.where(unknown, 0, records)
    return max(0.0, _n_log_n(np.bincount(nodes, weights=records)) - _n_log_n(records)) + hidden


def bits_shares(one: CodedAttribute) -> tuple[float, tuple[float, ...]]:
    """The entropy of an attribute's values in bits, and the share of it that each level keeps, from 0 to the root.

    NULL is a value and a node of its own under the root. An attribute with one value has no entropy; its shares are 0.
    """
    records = int(one.records.sum())
    entropy = bits_lost(one, one.root, one.records) / records if records else 0.0
    if not entropy:
        return 0.0, (0.0,) * (one.root + 1)
    lost = [bits_lost(one, level, one.records) / records for level in range(one.root + 1)]
    return entropy, tuple(1.0 - bits / entropy for bits in lost)


def _n_log_n(counts: np.ndarray) -> float:
    """The sum of n log2(n) over positive counts."""
    held = counts[counts > 0].astype(np.float64)
    return float((held * np.log2(held)).sum())


# -- equivalence classes -----------------------------------------------------------------------------------------------
# What is ``failing`` is left out: equivalence classes, or rows where each part of a class is judged by itself.


def information_gain(rolled: RolledFrequencySet, failing: np.ndarray | None) -> float:
    """The information gain over all records, in bits; those left out tell nothing.

    A record that stays adds log2 of the share of its class value in what stays of its equivalence class by that among
    all records.
    """
    assert rolled.classes is not None
    total = float(rolled.records.sum())
    every = np.bincount(rolled.classes, weights=rolled.records)
    records = _staying(rolled, failing)
    stay = np.bincount(rolled.classes, weights=records)
    prior = float(np.log2(total)) * float(stay.sum()) - float((stay * np.log2(np.where(every > 0, every, 1.0))).sum())
    return max(0.0, (prior - _n_log_n(_by_class(rolled, records)) + _n_log_n(records)) / total)


def discernibility(rolled: RolledFrequencySet, failing: np.ndarray | None) -> float:
    """The sum of the squared sizes of the equivalence classes; a record left out counts the number of all records."""
    sizes = _by_class(rolled, _staying(rolled, failing)).astype(np.float64)
    total = float(rolled.records.sum())
    return float((sizes * sizes).sum()) + (total - float(sizes.sum())) * total


def classification_metric(rolled: RolledFrequencySet, failing: np.ndarray | None) -> float:
    """The share of the records outside the majority class of their equivalence class, or left out."""
    records = _staying(rolled, failing)
    most = records if rolled.starts is None else np.maximum.reduceat(records, rolled.starts)
    total = float(rolled.records.sum())
    return (total - float(most.sum())) / total


def average_class_size(rolled: RolledFrequencySet, failing: np.ndarray | None, k: int) -> float:
    """The mean size of the equivalence classes that stay, divided by the required k."""
    sizes = _by_class(rolled, _staying(rolled, failing))
    sizes = sizes[sizes > 0]
    return float(sizes.mean()) / k if len(sizes) else 0.0


def violating_pairs(rolled: RolledFrequencySet) -> int:
    """Pairs of records in one equivalence class that differ in class: the linear count of a rolled-up frequency set."""
    return alike_pairs(rolled.sizes) - alike_pairs(rolled.records)


def alike_pairs(records: np.ndarray) -> int:
    """Pairs of records in one group, by the records of each group."""
    if int(records.sum()) >= LARGEST_SQUARED:
        records = records.astype(object)
    return int(records @ records - records.sum()) // 2


def majority_share(rolled: RolledFrequencySet, failing: np.ndarray | None) -> float:
    """The share of all records that have the most frequent class value of their equivalence class.

    Records left out count as the most frequent class value of all.
    """
    assert rolled.classes is not None
    assert rolled.starts is not None
    held = np.bincount(rolled.classes, weights=rolled.records)
    cells = _staying(rolled, failing)
    guessed = float((rolled.records - cells)[rolled.classes == held.argmax()].sum())
    return float((np.maximum.reduceat(cells, rolled.starts).sum() + guessed) / held.sum())


def by_row(rolled: RolledFrequencySet, failing: np.ndarray) -> np.ndarray:
    """What holds of each equivalence class, for each row; what is known by row stays as it is."""
    if rolled.starts is None or len(failing) == len(rolled.records):
        return failing
    repeated: np.ndarray = np.repeat(failing, rolled.lengths)
    return repeated


def _staying(rolled: RolledFrequencySet, failing: np.ndarray | None) -> np.ndarray:
    """The records of each row that are not left out."""
    if failing is None:
        return rolled.records
    records: np.ndarray = np.where(by_row(rolled, failing), 0, rolled.records)
    return records


def _by_class(rolled: RolledFrequencySet, records: np.ndarray) -> np.ndarray:
    """The records of the rows, summed by equivalence class."""
    if rolled.starts is None:
        return records
    summed: np.ndarray = np.add.reduceat(records, rolled.starts)
    return summed
