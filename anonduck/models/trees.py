"""Decision trees grown on counts, many at a time: the same cells, each tree with weights of its own.

They are the trees of ``DecisionTreeClassifier(criterion="entropy")`` on one-hot columns, grown until each leaf is of
one class or cannot be split, and found in another way: level by level, all nodes of all trees together. Each attribute
keeps the cells sorted by node and value, so that the counts to the left of every split are differences of running
totals (counts are whole numbers: nothing is rounded). Only among equally good splits may the two differ: here the first
one is taken, there one by chance. ``anonduck.models.tree_pruning`` prunes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np


@dataclass(frozen=True, eq=False)
class TreeColumns:
    """The attributes of cells as numbered values, the values of all attributes in one row of numbers.

    ``values`` (attributes, cells) number of the cell's value; ``ordered`` (attributes,) whether it is cut between two
    values, else one value is told from the others; ``numbers`` (values,) what is compared to a cut.
    """

    values: np.ndarray
    ordered: np.ndarray
    numbers: np.ndarray


@dataclass(frozen=True, eq=False)
class GrownTrees:
    """Trees as one list of nodes, level by level: the first nodes are the roots, a node comes after its parent.

    ``parents`` (nodes,), -1 for a root; ``trees`` (nodes,) whose each is; ``counts`` (nodes, classes) records it
    learned from; ``levels`` the first node of each level, and the number of nodes; ``leaves`` (trees, cells) the leaf
    that each cell falls into, also where it has no weight.
    """

    parents: np.ndarray
    trees: np.ndarray
    counts: np.ndarray
    levels: tuple[int, ...]
    leaves: np.ndarray

    @property
    def inner(self) -> np.ndarray:
        """Whether each node is split."""
        split: np.ndarray = np.bincount(self.parents[self.levels[1] :], minlength=len(self.parents)) > 0
        return split


def number_values(nominal: np.ndarray, ordered: np.ndarray) -> TreeColumns:
    """Number the values of nominal columns (cells, n) and of ordered ones (cells, m), which come first."""
    parts = [np.unique(column, return_inverse=True) for column in (*ordered.T, *nominal.T)]
    starts = np.cumsum([0, *(len(distinct) for distinct, _ in parts)])
    values = np.empty((len(parts), len(nominal)), dtype=np.int64)
    for number, ((_, inverse), start) in enumerate(zip(parts, starts, strict=False)):
        values[number] = inverse + start
    numbers = np.concatenate([np.asarray(distinct, dtype=np.float64) for distinct, _ in parts] or [np.empty(0)])
    return TreeColumns(values, np.arange(len(parts)) < ordered.shape[1], numbers)


def grow(columns: TreeColumns, truth: np.ndarray, weights: np.ndarray, classes: int) -> GrownTrees:
    """The trees learned from cells with a class (cells,); ``weights`` (trees, cells) are the records of each tree."""
    learned = _Learned(columns, truth, weights.ravel(), classes)
    front = _roots(learned, len(weights))
    leaves = np.repeat(np.arange(len(weights)), weights.shape[1])
    parents, counts, levels = [np.full(len(weights), -1)], [front.counts], [0, len(weights)]
    able = _undecided(front.counts) & (len(columns.values) > 0)
    front = _kept(learned, front, np.flatnonzero(able))
    while len(front.nodes):
        splits = _best(learned, front)
        children = _children(learned, front, splits, levels[-1])
        leaves[children.rows] = children.nodes[children.owners]
        parents.append(np.repeat(front.nodes[splits.owners], 2))
        counts.append(children.counts)
        levels.append(levels[-1] + len(children.nodes))
        front = _kept(learned, children, np.flatnonzero(_undecided(children.counts)))
    if levels[-1] == levels[-2]:
        levels.pop()
    every = np.concatenate(parents)
    return GrownTrees(
        every, _owners(every, levels), np.concatenate(counts), tuple(levels), leaves.reshape(weights.shape)
    )


def risk(counts: np.ndarray) -> np.ndarray:
    """Records times the entropy of their class in bits, over the last axis."""
    found: np.ndarray = _n_log_n(counts.sum(axis=-1)) - _n_log_n(counts).sum(axis=-1)
    return found


@dataclass(frozen=True, eq=False)
class _Learned:
    """What trees are grown from; a row is a cell in a tree, numbered tree by tree, ``weights`` (rows,)."""

    columns: TreeColumns
    truth: np.ndarray
    weights: np.ndarray
    classes: int


@dataclass(frozen=True, eq=False)
class _Front:
    """Nodes of one level: their numbers, counts (nodes, classes), all their rows and whose each is.

    ``order`` (attributes, rows with weight): the rows with weight, by place in ``nodes`` and then by value.
    """

    nodes: np.ndarray
    counts: np.ndarray
    rows: np.ndarray
    owners: np.ndarray
    order: np.ndarray


@dataclass(frozen=True, eq=False)
class _Splits:
    """The splits of a front: the places of the nodes split, by which attribute, at which value or cut."""

    owners: np.ndarray
    attributes: np.ndarray
    values: np.ndarray
    cuts: np.ndarray


def _roots(learned: _Learned, trees: int) -> _Front:
    cells = len(learned.truth)
    rows = np.arange(trees * cells)
    sorted_cells = np.argsort(learned.columns.values, axis=1, kind="stable")
    order = (sorted_cells[:, None, :] + (np.arange(trees) * cells)[:, None]).reshape(len(sorted_cells), len(rows))
    taught = np.count_nonzero(learned.weights)
    order = order[learned.weights[order] > 0].reshape(len(order), taught)
    owners = rows // cells
    return _Front(np.arange(trees), _counts(learned, rows, owners, trees), rows, owners, order)


def _counts(learned: _Learned, rows: np.ndarray, owners: np.ndarray, nodes: int) -> np.ndarray:
    """Records by node and class, of shape (nodes, classes)."""
    keys = owners * learned.classes + learned.truth[rows % len(learned.truth)]
    return np.bincount(keys, learned.weights[rows], nodes * learned.classes).reshape(nodes, learned.classes)


def _undecided(counts: np.ndarray) -> np.ndarray:
    several: np.ndarray = np.count_nonzero(counts, axis=1) > 1
    return several


def _kept(learned: _Learned, front: _Front, kept: np.ndarray) -> _Front:
    """The front with only the nodes at these places, its rows in order."""
    place = np.full(len(front.nodes), -1)
    place[kept] = np.arange(len(kept))
    owners = place[front.owners]
    of_row = np.full(len(learned.weights), -1, dtype=np.int32)
    of_row[front.rows] = owners
    order = front.order
    order = order[of_row[order] >= 0].reshape(len(order), -1) if len(kept) else order[:, :0]
    keys = of_row[order].astype(np.uint16 if len(kept) <= 1 << 16 else np.int32)  # 16 bits are sorted in linear time
    order = np.take_along_axis(order, np.argsort(keys, axis=1, kind="stable"), axis=1)
    inside = owners >= 0
    return _Front(front.nodes[kept], front.counts[kept], front.rows[inside], owners[inside], order)


def _best(learned: _Learned, front: _Front) -> _Splits:
    """For each node that can be split the first split that leaves the least risk."""
    columns, cells = learned.columns, len(learned.truth)
    values = np.take_along_axis(columns.values, front.order % cells, axis=1)
    weighted = np.bincount(front.owners[learned.weights[front.rows] > 0], minlength=len(front.nodes))
    node = np.repeat(np.arange(len(front.nodes)), weighted)
    last = np.ones(values.shape, dtype=bool)
    last[:, :-1] = (values[:, 1:] != values[:, :-1]) | (node[1:] != node[:-1])
    attributes, places = np.nonzero(last)
    owners, at = node[places], values[last]
    left = _left(learned, front, last, columns.ordered[attributes], owners, attributes)
    right = front.counts[owners] - left
    able = np.flatnonzero(right.any(axis=1))
    risks = risk(left[able]) + risk(right[able])
    least = np.full(len(front.nodes), np.inf)
    np.minimum.at(least, owners[able], risks)
    reached = able[risks == least[owners[able]]][::-1]
    chosen = np.full(len(front.nodes), -1)
    chosen[owners[reached]] = reached  # the first one, for it is written last
    split = np.flatnonzero(chosen >= 0)
    chosen = chosen[split]
    following = at[np.minimum(chosen + 1, len(at) - 1)]
    cuts = (columns.numbers[at[chosen]] + columns.numbers[following]) / 2
    return _Splits(split, attributes[chosen], at[chosen], cuts)


def _left(
    learned: _Learned, front: _Front, last: np.ndarray, ordered: np.ndarray, owners: np.ndarray, attributes: np.ndarray
) -> np.ndarray:
    """Records by class that go left at each value, of shape (values of all attributes and nodes, classes).

    ``last`` (attributes, rows) marks where a value ends; an ordered attribute sends all values up to it left.
    """
    before = np.cumsum(front.counts, axis=0) - front.counts
    weights, classes = learned.weights[front.order], learned.truth[front.order % len(learned.truth)]
    left = np.empty((len(owners), learned.classes))
    first = np.r_[True, attributes[1:] != attributes[:-1]]
    for label in range(learned.classes):
        totals = np.cumsum(np.where(classes == label, weights, 0.0), axis=1)[last]
        previous = np.where(first, 0.0, np.r_[0.0, totals[:-1]])
        left[:, label] = totals - np.where(ordered, before[owners, label], previous)
    return left


def _children(learned: _Learned, front: _Front, splits: _Splits, first: int) -> _Front:
    """The children of the nodes split, two for each, numbered from ``first``; the order is that of the parents."""
    place = np.full(len(front.nodes), -1)
    place[splits.owners] = np.arange(len(splits.owners))
    parents = place[front.owners]
    rows, parents = front.rows[parents >= 0], parents[parents >= 0]
    attributes = splits.attributes[parents]
    values = learned.columns.values[attributes, rows % len(learned.truth)]
    goes_left = np.where(
        learned.columns.ordered[attributes],
        learned.columns.numbers[values] <= splits.cuts[parents],
        values == splits.values[parents],
    )
    owners = 2 * parents + ~goes_left
    nodes = first + np.arange(2 * len(splits.owners))
    return _Front(nodes, _counts(learned, rows, owners, len(nodes)), rows, owners, front.order)


def _owners(parents: np.ndarray, levels: list[int]) -> np.ndarray:
    """The tree of each node."""
    trees = np.arange(len(parents))
    for start, end in pairwise(levels[1:]):
        trees[start:end] = trees[parents[start:end]]
    return trees


def _n_log_n(counts: np.ndarray) -> np.ndarray:
    product: np.ndarray = counts * np.log2(np.maximum(counts, 1.0))
    return product
