"""Decision trees grown on counts, many at a time: the same cells, each tree with weights of its own.

They are the trees of ``DecisionTreeClassifier(criterion="entropy")`` on one-hot columns, grown until each leaf is of
one class or cannot be split, and found in another way: level by level, all nodes of all trees together. Each attribute
keeps the cells sorted by node and value, so that the counts to the left of every split are differences of running
totals (counts are whole numbers: nothing is rounded). Only among equally good splits may the two differ: here the first
one is taken, there one by chance. ``anonduck.models.tree_pruning`` prunes them. A little over 300 lines, for a front is
split, counted and parted by one piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np

CACHED = 1 << 15  # rows of several attributes that are looked at together
LOOKED_UP = 1 << 15  # counts under this have their n log n in a table


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

    @cached_property
    def by_class(self) -> np.ndarray:
        """The weights of the rows of each class, 0 for others: (classes, rows)."""
        labels = np.tile(self.truth, len(self.weights) // max(1, len(self.truth)))
        found: np.ndarray = np.where(labels == np.arange(self.classes)[:, None], self.weights, 0.0)
        return found

    def cells(self, rows: np.ndarray) -> np.ndarray:
        """The cells of rows."""
        return rows if len(self.weights) == len(self.truth) else rows % len(self.truth)


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
    order = order[of_row.take(order) >= 0].reshape(len(order), -1) if len(kept) else order[:, :0]
    keys = of_row.take(order).astype(
        np.uint16 if len(kept) <= 1 << 16 else np.int32
    )  # 16 bits are sorted in linear time
    order = _taken(order, np.argsort(keys, axis=1, kind="stable"))
    inside = owners >= 0
    return _Front(front.nodes[kept], front.counts[kept], front.rows[inside], owners[inside], order)


def _best(learned: _Learned, front: _Front) -> _Splits:
    """For each node that can be split the first split that leaves the least risk."""
    nodes = len(front.nodes)
    weighted = np.bincount(front.owners[learned.weights[front.rows] > 0], minlength=nodes)
    node = np.repeat(np.arange(nodes), weighted)
    least = np.full(nodes, np.inf)
    attributes, values, following = np.full((3, nodes), -1)
    for some in _slices(learned.columns.ordered, len(node)):
        found = _least(learned, front, node, some)
        better = found.risks < least
        least[better] = found.risks[better]
        attributes[better] = found.attributes[better]
        values[better], following[better] = found.values[better], found.following[better]
    split = np.flatnonzero(np.isfinite(least))
    numbers = learned.columns.numbers
    cuts = (numbers[values[split]] + numbers[following[split]]) / 2
    return _Splits(split, attributes[split], values[split], cuts)


def _slices(ordered: np.ndarray, rows: int) -> Iterator[slice]:
    """The attributes in their order, as many together as stay in the cache, and only those that are ordered alike."""
    cut = int(ordered.sum())
    together = max(1, CACHED // max(1, rows))
    for first, last in ((0, cut), (cut, len(ordered))):
        for start in range(first, last, together):
            yield slice(start, min(start + together, last))


@dataclass(frozen=True, eq=False)
class _LeastRisks:
    """For each node of a front the least risk that a split by some attributes leaves, infinite where none can; of the
    first such split the attribute, its value, and the value that follows in the node."""

    risks: np.ndarray
    attributes: np.ndarray
    values: np.ndarray
    following: np.ndarray


def _least(learned: _Learned, front: _Front, node: np.ndarray, some: slice) -> _LeastRisks:
    """The best splits by some attributes, all ordered or all not; ``node`` (rows with weight,) is whose each is."""
    order = front.order[some]
    values = _taken(learned.columns.values[some], learned.cells(order))
    last = np.ones(values.shape, dtype=bool)
    last[:, :-1] = (values[:, 1:] != values[:, :-1]) | (node[1:] != node[:-1])
    attributes, places = np.nonzero(last)
    owners, at = node[places], values[last]
    risks = _risks(learned, front, order, last, owners, attributes, bool(learned.columns.ordered[some.start]))
    starts = np.flatnonzero(np.concatenate(([True], (owners[1:] != owners[:-1]) | (attributes[1:] != attributes[:-1]))))
    least = np.minimum.reduceat(risks, starts).reshape(len(order), -1).min(axis=0)
    reached = np.flatnonzero(risks == least[owners])[::-1]
    chosen = np.empty(len(least), dtype=np.int64)
    chosen[owners[reached]] = reached  # the first one, for it is written last
    following = at[np.minimum(chosen + 1, len(at) - 1)]
    return _LeastRisks(least, some.start + attributes[chosen], at[chosen], following)


def _risks(
    learned: _Learned,
    front: _Front,
    order: np.ndarray,
    last: np.ndarray,
    owners: np.ndarray,
    attributes: np.ndarray,
    ordered: bool,
) -> np.ndarray:
    """The risk that a split at each value leaves, infinite where nothing is on the other side.

    ``last`` (attributes, rows) marks where a value ends; an ordered attribute sends all values up to it left.
    """
    before = np.cumsum(front.counts, axis=0) - front.counts
    first = np.concatenate(([True], attributes[1:] != attributes[:-1]))
    sizes, parted = np.zeros((2, len(owners))), np.zeros((2, len(owners)))
    for label, weights in enumerate(learned.by_class):
        totals = np.cumsum(weights.take(order), axis=1)[last]
        left = totals - (
            before[owners, label] if ordered else np.where(first, 0.0, np.concatenate(([0.0], totals[:-1])))
        )
        for side, counts in enumerate((left, front.counts[owners, label] - left)):
            sizes[side] += counts
            parted[side] += _n_log_n(counts)
    risks = (_n_log_n(sizes[0]) - parted[0]) + (_n_log_n(sizes[1]) - parted[1])
    risks[sizes[1] == 0] = np.inf
    found: np.ndarray = risks
    return found


def _children(learned: _Learned, front: _Front, splits: _Splits, first: int) -> _Front:
    """The children of the nodes split, two for each, numbered from ``first``; the order is that of the parents."""
    place = np.full(len(front.nodes), -1)
    place[splits.owners] = np.arange(len(splits.owners))
    parents = place[front.owners]
    rows, parents = front.rows[parents >= 0], parents[parents >= 0]
    attributes = splits.attributes[parents]
    values = learned.columns.values[attributes, learned.cells(rows)]
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


def _taken(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The values at the places of each row."""
    found: np.ndarray = values.take(places + np.arange(len(values))[:, None] * values.shape[1])
    return found


def _n_log_n(counts: np.ndarray) -> np.ndarray:
    """n log n of whole numbers, in bits; most are small, and looked up."""
    if counts.size < LOOKED_UP or counts.max() >= LOOKED_UP:
        return _product(counts)
    found: np.ndarray = _products().take(counts.astype(np.intp))
    return found


def _product(counts: np.ndarray) -> np.ndarray:
    product: np.ndarray = counts * np.log2(np.maximum(counts, 1.0))
    return product


@cache
def _products() -> np.ndarray:
    return _product(np.arange(LOOKED_UP, dtype=np.float64))
