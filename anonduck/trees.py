"""A decision tree grown on counts, for contingency tables that are so large that scikit-learn would take minutes.

It is the tree of ``DecisionTreeClassifier(criterion="entropy", ccp_alpha=...)`` on one-hot columns, found in another
way. scikit-learn reads every cell of a node once for each one-hot column. Here a node has a histogram, records by value
and class, on which all splits are weighed at once; of two children only the smaller one is counted, the other one is
what remains (counts are whole numbers, so nothing is rounded). A node is not grown where pruning would cut it anyway:
where its risk is at most ``ccp_alpha``, for a subtree cannot lower it by more. Only among equally good splits may the
two differ: here the first one is taken, there one by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Heap = list[tuple[int, np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Columns:
    """The attributes of cells as numbered values, the values of all attributes in one row of numbers.

    ``values`` (cells, attributes) number of the cell's value; ``starts`` (attributes + 1,) first number of each
    attribute; ``ordered`` (attributes,) whether it is cut between two values, else one value is told from the others;
    ``numbers`` (values,) what is compared to a cut.
    """

    values: np.ndarray
    starts: np.ndarray
    ordered: np.ndarray
    numbers: np.ndarray


@dataclass(frozen=True)
class Split:
    """Which cells go left: those with the value, or for an ordered attribute those up to the cut."""

    attribute: int
    value: int
    cut: float | None


@dataclass(eq=False)
class Node:
    """Records by class, and the split with its two children unless it is a leaf."""

    counts: np.ndarray
    split: Split | None = None
    left: int = 0
    right: int = 0


def number_values(nominal: np.ndarray, ordered: np.ndarray) -> Columns:
    """Number the values of nominal columns (cells, n) and of ordered ones (cells, m), which come first."""
    parts = [np.unique(column, return_inverse=True) for column in (*ordered.T, *nominal.T)]
    starts = np.cumsum([0, *(len(distinct) for distinct, _ in parts)])
    cells = len(nominal)
    values = np.empty((cells, len(parts)), dtype=np.int64)
    for number, ((_, inverse), start) in enumerate(zip(parts, starts, strict=False)):
        values[:, number] = inverse + start
    numbers = np.concatenate([np.asarray(distinct, dtype=np.float64) for distinct, _ in parts] or [np.empty(0)])
    return Columns(values, starts, np.arange(len(parts)) < ordered.shape[1], numbers)


def grow(columns: Columns, truth: np.ndarray, weights: np.ndarray, alpha: float) -> list[Node]:
    """The tree learned from cells with a class and a weight, pruned; the root is the first node.

    ``alpha`` is by how much a split must lower the entropy of all records, in bits, to be kept (on average over the
    splits of a subtree): the ``ccp_alpha`` of minimal cost-complexity pruning (Breiman et al. 1984, chapter 3).
    """
    classes = int(truth.max()) + 1
    cells = np.flatnonzero(weights)
    bound = alpha * weights.sum()
    nodes = [Node(np.bincount(truth, weights, classes))]
    waiting: Heap = [(0, cells, _histogram(columns, truth, weights, cells, classes))]
    while waiting:
        at, cells, histogram = waiting.pop()
        node = nodes[at]
        node.split = _best(columns, histogram, node.counts) if _risk(node.counts) > bound else None
        if node.split is None:
            continue
        goes_left = _goes_left(columns, node.split, cells)
        parts = [cells[goes_left], cells[~goes_left]]
        smaller = int(len(parts[1]) < len(parts[0]))
        counted = _histogram(columns, truth, weights, parts[smaller], classes)
        halves = {smaller: counted, 1 - smaller: histogram - counted}
        node.left, node.right = len(nodes), len(nodes) + 1
        for side in (0, 1):
            nodes.append(Node(np.bincount(truth[parts[side]], weights[parts[side]], classes)))
            waiting.append((len(nodes) - 1, parts[side], halves[side]))
    return _pruned(nodes, bound)


def predict(nodes: list[Node], columns: Columns, cells: np.ndarray) -> np.ndarray:
    """The most frequent class of the leaf that each cell falls into."""
    predicted: np.ndarray = leaf_counts(nodes, columns, cells).argmax(axis=1)
    return predicted


def leaf_counts(nodes: list[Node], columns: Columns, cells: np.ndarray) -> np.ndarray:
    """The records by class of the leaf that each cell falls into, of shape (cells, classes)."""
    counts = np.empty((len(cells), len(nodes[0].counts)))
    waiting = [(0, np.arange(len(cells)))]
    while waiting:
        at, rows = waiting.pop()
        node = nodes[at]
        if node.split is None:
            counts[rows] = node.counts
            continue
        goes_left = _goes_left(columns, node.split, cells[rows])
        waiting += [(node.left, rows[goes_left]), (node.right, rows[~goes_left])]
    return counts


def _histogram(columns: Columns, truth: np.ndarray, weights: np.ndarray, cells: np.ndarray, classes: int) -> np.ndarray:
    """Records by value and class, float64 of shape (values, classes)."""
    keys = columns.values[cells] * classes + truth[cells, None]
    each = np.repeat(weights[cells], columns.values.shape[1])
    return np.bincount(keys.ravel(), each, len(columns.numbers) * classes).reshape(-1, classes)


def _best(columns: Columns, histogram: np.ndarray, counts: np.ndarray) -> Split | None:
    """The first split that leaves the least risk; None if nothing tells the cells apart."""
    left = histogram.copy()
    for number in np.flatnonzero(columns.ordered):
        first, last = columns.starts[number], columns.starts[number + 1]
        left[first:last] = histogram[first:last].cumsum(axis=0)
    records = left.sum(axis=1)
    splits = np.flatnonzero((records > 0) & (records < counts.sum()))
    if len(splits) == 0:
        return None
    risks = _risk(left[splits]) + _risk(counts - left[splits])
    value = int(splits[risks.argmin()])
    attribute = int(np.searchsorted(columns.starts, value, side="right")) - 1
    if not columns.ordered[attribute]:
        return Split(attribute, value, None)
    held = histogram[value + 1 : columns.starts[attribute + 1]].any(axis=1)
    following = value + 1 + int(held.argmax())
    return Split(attribute, value, float(columns.numbers[value] + columns.numbers[following]) / 2)


def _goes_left(columns: Columns, split: Split, cells: np.ndarray) -> np.ndarray:
    values = columns.values[cells, split.attribute]
    side: np.ndarray = values == split.value if split.cut is None else columns.numbers[values] <= split.cut
    return side


def _risk(counts: np.ndarray) -> np.ndarray:
    """Records times the entropy of their class in bits, over the last axis."""
    total = counts.sum(axis=-1)
    risk: np.ndarray = _n_log_n(total) - _n_log_n(counts).sum(axis=-1)
    return risk


def _n_log_n(counts: np.ndarray) -> np.ndarray:
    product: np.ndarray = counts * np.log2(np.maximum(counts, 1.0))
    return product


def _pruned(nodes: list[Node], bound: float) -> list[Node]:
    """Make leaves, from the bottom up, of nodes whose subtree does not lower the risk by ``bound`` for each split."""
    cost = np.array([float(_risk(node.counts)) + bound for node in nodes])
    for at in range(len(nodes) - 1, -1, -1):
        node = nodes[at]
        if node.split is None:
            continue
        below = cost[node.left] + cost[node.right]
        if cost[at] <= below:
            node.split = None
        else:
            cost[at] = below
    return nodes
