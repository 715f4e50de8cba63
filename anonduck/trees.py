"""A decision tree grown on counts, for contingency tables that are so large that scikit-learn would take minutes.

It is the tree of ``DecisionTreeClassifier(criterion="entropy", ccp_alpha=...)`` on one-hot columns, found in another
way. scikit-learn reads every cell of a node once for each one-hot column. Here a node has a histogram, records by value
and class, on which all splits are weighed at once; of two children only the smaller one is counted, the other one is
what remains (counts are whole numbers, so nothing is rounded). Many nodes are split at a time, for most hold few cells.
A node is not grown where pruning would cut it anyway: where its risk is at most ``ccp_alpha``, for a subtree cannot
lower it by more. Only among equally good splits may the two differ: here the first one is taken, there one by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TOGETHER = 1 << 20  # numbers in the histograms of nodes that are split at a time


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
    learned = _Learned(columns, truth, weights, classes, alpha * weights.sum())
    nodes = [Node(np.bincount(truth, weights, classes))]
    root = _Front(np.zeros(1, np.int64), cells, np.zeros(len(cells), np.int64), learned.histograms(cells, 0, 1))
    waiting = [root] if _risk(nodes[0].counts) > learned.bound else []
    while waiting:
        front = waiting.pop()
        grown = _split(learned, front, nodes)
        if grown is not None:
            waiting += _in_parts(grown, max(1, TOGETHER // (classes * len(columns.numbers))))
    return _pruned(nodes, learned.bound)


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


@dataclass(frozen=True, eq=False)
class _Learned:
    """What a tree is grown from; a node whose risk is at most ``bound`` stays a leaf."""

    columns: Columns
    truth: np.ndarray
    weights: np.ndarray
    classes: int
    bound: float

    def histograms(self, cells: np.ndarray, owners: np.ndarray | int, nodes: int) -> np.ndarray:
        """Records by node, value and class, (nodes, values, classes); ``owners`` are the nodes of the cells."""
        values, width = len(self.columns.numbers), self.columns.values.shape[1]
        keys = (self.columns.values[cells] + np.reshape(owners, (-1, 1)) * values) * self.classes
        keys += self.truth[cells, None]
        each = np.repeat(self.weights[cells], width)
        return np.bincount(keys.ravel(), each, nodes * values * self.classes).reshape(nodes, values, self.classes)

    def counts(self, cells: np.ndarray, owners: np.ndarray, nodes: int) -> np.ndarray:
        """Records by node and class, of shape (nodes, classes)."""
        keys = owners * self.classes + self.truth[cells]
        return np.bincount(keys, self.weights[cells], nodes * self.classes).reshape(nodes, self.classes)


@dataclass(frozen=True, eq=False)
class _Front:
    """Nodes to split: their numbers (nodes,), the cells of all of them, whose each is, and the nodes' histograms."""

    numbers: np.ndarray
    cells: np.ndarray
    owners: np.ndarray
    histograms: np.ndarray


def _split(learned: _Learned, front: _Front, nodes: list[Node]) -> _Front | None:
    """Split nodes, append their children, and return those children that are to be split too."""
    columns = learned.columns
    best = _best(columns, front.histograms, np.array([nodes[number].counts for number in front.numbers]))
    split = np.flatnonzero(best >= 0)
    if len(split) == 0:
        return None
    place = np.full(len(best), -1)
    place[split] = np.arange(len(split))
    inside = place[front.owners] >= 0
    cells, parents = front.cells[inside], place[front.owners[inside]]
    attributes = np.searchsorted(columns.starts, best[split], side="right") - 1
    at, cut = columns.values[cells, attributes[parents]], best[split][parents]
    left = np.where(columns.ordered[attributes][parents], at <= cut, at == cut)
    children = 2 * parents + ~left
    counts = learned.counts(cells, children, 2 * len(split))
    for one, (number, attribute) in enumerate(zip(front.numbers[split], attributes, strict=True)):
        node = nodes[number]
        node.split = _split_at(columns, front.histograms[split[one]], int(best[split[one]]), int(attribute))
        node.left, node.right = len(nodes), len(nodes) + 1
        nodes += [Node(counts[2 * one]), Node(counts[2 * one + 1])]
    first = len(nodes) - 2 * len(split)
    return _grown(learned, front.histograms[split], cells, children, _risk(counts) > learned.bound, first)


def _grown(
    learned: _Learned, above: np.ndarray, cells: np.ndarray, children: np.ndarray, grows: np.ndarray, first: int
) -> _Front | None:
    """The children that grow, as a front; ``above`` holds the histograms of their parents, two children each."""
    if not grows.any():
        return None
    smaller = np.bincount(children, minlength=len(grows)).reshape(-1, 2).argmin(axis=1)
    parents = np.flatnonzero(grows.reshape(-1, 2).any(axis=1))
    counted = np.full(len(grows), -1)
    counted[2 * parents + smaller[parents]] = np.arange(len(parents))
    owners = counted[children]
    of_smaller = learned.histograms(cells[owners >= 0], owners[owners >= 0], len(parents))
    histograms = np.empty((len(parents), 2, *above.shape[1:]))
    each = np.arange(len(parents))
    histograms[each, smaller[parents]] = of_smaller
    histograms[each, 1 - smaller[parents]] = above[parents] - of_smaller
    chosen = np.flatnonzero(grows)
    place = np.full(len(grows), -1)
    place[chosen] = np.arange(len(chosen))
    inside = place[children] >= 0
    kept = grows.reshape(-1, 2)[parents]
    return _Front(first + chosen, cells[inside], place[children[inside]], histograms[kept])


def _in_parts(front: _Front, nodes: int) -> list[_Front]:
    """The front in parts of so many nodes."""
    if len(front.numbers) <= nodes:
        return [front]
    order = np.argsort(front.owners, kind="stable")
    starts = range(0, len(front.numbers), nodes)
    ends = np.searchsorted(front.owners[order], [*starts, len(front.numbers)])
    return [
        _Front(
            front.numbers[start : start + nodes],
            front.cells[order[ends[part] : ends[part + 1]]],
            front.owners[order[ends[part] : ends[part + 1]]] - start,
            front.histograms[start : start + nodes],
        )
        for part, start in enumerate(starts)
    ]


def _best(columns: Columns, histograms: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """For each node the value of the first split that leaves the least risk; -1 if nothing tells its cells apart."""
    of_all_classes = np.ones(counts.shape[1])  # a product with it sums faster than sum(axis=2)
    held = histograms @ of_all_classes > 0
    left = histograms.copy()
    for number in np.flatnonzero(columns.ordered):
        within = slice(columns.starts[number], columns.starts[number + 1])
        left[:, within] = histograms[:, within].cumsum(axis=1)
    nodes, values = np.nonzero(held & (left @ of_all_classes < counts.sum(axis=1)[:, None]))
    best = np.full(len(histograms), -1)
    if len(nodes):
        on_the_left = left[nodes, values]
        risks = _risk(on_the_left) + _risk(counts[nodes] - on_the_left)
        starts = np.flatnonzero(np.r_[True, nodes[1:] != nodes[:-1]])
        least = np.minimum.reduceat(risks, starts)[np.cumsum(np.r_[True, nodes[1:] != nodes[:-1]]) - 1]
        reached = np.flatnonzero(risks == least)
        split, first = np.unique(nodes[reached], return_index=True)
        best[split] = values[reached[first]]
    return best


def _split_at(columns: Columns, histogram: np.ndarray, value: int, attribute: int) -> Split:
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
    cost = _risk(np.array([node.counts for node in nodes])) + bound
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
