"""Decision trees grown on counts, many at a time: the same cells, each tree with weights of its own.

They are the trees of ``DecisionTreeClassifier(criterion="entropy")`` on one-hot columns, grown until each leaf is of
one class or cannot be split, and found in another way: level by level, all nodes of all trees together. Each attribute
keeps the cells sorted by node and value, so that the counts to the left of every split are differences of running
totals (whole numbers, those of several classes packed into one: nothing is rounded). Only among equally good splits may
the two differ: here the first one is taken, there one by chance. ``anonduck.models.tree_pruning`` prunes them. A little
over 300 lines, for a front is split, counted and parted by one piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np

CACHED = 1 << 17  # rows of several attributes that are looked at together
LOOKED_UP = 1 << 17  # counts under this have their n log n in a table
PACKED_BITS = 63  # of a whole number that counts of several classes are packed into


@dataclass(frozen=True, eq=False)
class TreeColumns:
    """The attributes of cells as numbered values, the values of all attributes in one row of numbers.

    ``values`` (attributes, cells) number of the cell's value; ``ordered`` (attributes,) whether it is cut between two
    values, else one value is split from the others; ``numbers`` (values,) is compared with cuts.
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


def grow(
    columns: TreeColumns,
    truth: np.ndarray,
    weights: np.ndarray,
    classes: int,
    stopped: Callable[[], bool] = lambda: False,
) -> GrownTrees:
    """The trees learned from cells with a class (cells,); ``weights`` (trees, cells) are the records of each tree.

    ``stopped`` is asked before each level. Once it is true, the trees stay as they are, for somebody who has no more
    use for them.
    """
    learned = _Learned(columns, truth, weights.astype(np.int64).ravel(), classes)
    front = _roots(learned, len(weights))
    leaves = np.repeat(np.arange(len(weights)), weights.shape[1])
    parents, counts, levels = [np.full(len(weights), -1)], [front.counts], [0, len(weights)]
    able = _undecided(front.counts) & (len(columns.values) > 0)
    front = _kept(learned, front, np.zeros(len(leaves), dtype=bool), able)
    while len(front.nodes) and not stopped():
        splits = _best(learned, front)
        children = _children(learned, front, splits, levels[-1])
        leaves[children.rows] = children.nodes[children.places]
        parents.append(np.tile(front.nodes[splits.places], 2))
        counts.append(children.counts)
        levels.append(levels[-1] + len(children.nodes))
        front = _kept(learned, children, children.places >= len(splits.places), _undecided(children.counts))
    if levels[-1] == levels[-2]:
        levels.pop()
    every = np.concatenate(parents)
    known = np.concatenate(counts).astype(np.float64)
    return GrownTrees(every, _owners(every, levels), known, tuple(levels), leaves.reshape(weights.shape))


def risk(counts: np.ndarray) -> np.ndarray:
    """Records times the entropy of their class in bits, over the last axis."""
    found: np.ndarray = _product(counts.sum(axis=-1)) - _product(counts).sum(axis=-1)
    return found


@dataclass(frozen=True, eq=False)
class _Learned:
    """What trees are grown from; a row is a cell in a tree, numbered tree by tree, ``weights`` (rows,)."""

    columns: TreeColumns
    truth: np.ndarray
    weights: np.ndarray
    classes: int

    @cached_property
    def values(self) -> np.ndarray:
        """The values of the rows (attributes, rows)."""
        of_tree = self.columns.values.astype(np.int32)
        found: np.ndarray = np.tile(of_tree, len(self.weights) // max(1, len(self.truth)))
        return found

    @cached_property
    def labels(self) -> np.ndarray:
        """The classes of the rows."""
        found: np.ndarray = np.tile(self.truth, len(self.weights) // max(1, len(self.truth)))
        return found

    @cached_property
    def bits(self) -> int:
        """Those that the count of a class takes at most."""
        return max(1, int(self.weights.sum()).bit_length())

    @cached_property
    def together(self) -> int:
        """The classes whose counts are packed into one number."""
        return max(1, PACKED_BITS // self.bits)

    @cached_property
    def packed(self) -> np.ndarray:
        """The weights of the rows, each in the bits of its class: (words, rows)."""
        return self.pack(np.where(self.labels[:, None] == np.arange(self.classes), self.weights[:, None], 0))

    def pack(self, counts: np.ndarray) -> np.ndarray:
        """Counts (n, classes) of several classes in a number: (words, n)."""
        parts = np.split(counts, range(self.together, self.classes, self.together), axis=1)
        return np.array([(part << (self.bits * np.arange(part.shape[1]))).sum(axis=1) for part in parts])

    def unpack(self, words: list[np.ndarray]) -> Iterator[np.ndarray]:
        """The counts of each class of what is packed."""
        for label in range(self.classes):
            word, place = divmod(label, self.together)
            yield (words[word] >> (self.bits * place)) & ((1 << self.bits) - 1)


@dataclass(frozen=True, eq=False)
class _Front:
    """Nodes of one level: their numbers, counts (nodes, classes), all their rows and the place of each one's node.

    ``order`` (attributes, rows with weight): the rows with weight, by place in ``nodes`` and then by value; those of
    children are in the order of the parents.
    """

    nodes: np.ndarray
    counts: np.ndarray
    rows: np.ndarray
    places: np.ndarray
    order: np.ndarray


@dataclass(frozen=True, eq=False)
class _Splits:
    """The splits of a front: the places of the nodes split, by which attribute, at which value or cut."""

    places: np.ndarray
    attributes: np.ndarray
    values: np.ndarray
    cuts: np.ndarray


def _roots(learned: _Learned, trees: int) -> _Front:
    cells = len(learned.truth)
    rows = np.arange(trees * cells)
    sorted_cells = np.argsort(learned.columns.values, axis=1, kind="stable")
    order = (sorted_cells[:, None, :] + (np.arange(trees) * cells)[:, None]).reshape(len(sorted_cells), len(rows))
    taught = np.count_nonzero(learned.weights)
    order = order.compress((learned.weights > 0).take(order).ravel()).reshape(len(order), taught)
    places = rows // cells
    return _Front(np.arange(trees), _counts(learned, rows, places, trees), rows, places, order)


def _counts(learned: _Learned, rows: np.ndarray, places: np.ndarray, nodes: int) -> np.ndarray:
    """Records by node and class, of shape (nodes, classes)."""
    keys = places * learned.classes + learned.labels[rows]
    counted = np.bincount(keys, learned.weights[rows], nodes * learned.classes)
    return counted.astype(np.int64).reshape(nodes, learned.classes)


def _undecided(counts: np.ndarray) -> np.ndarray:
    several: np.ndarray = np.count_nonzero(counts, axis=1) > 1
    return several


def _kept(learned: _Learned, front: _Front, second: np.ndarray, able: np.ndarray) -> _Front:
    """The front with only the ``able`` nodes, and its rows in the order of these.

    ``second`` (rows,) marks the rows of those children that come after all others.
    """
    kept = np.flatnonzero(able)
    place = np.full(len(front.nodes), -1)
    place[kept] = np.arange(len(kept))
    places = place[front.places]
    inside = places >= 0
    side = np.full(len(learned.weights), 2, dtype=np.int8)
    side[front.rows.compress(inside)] = second.compress(inside)
    parts = []
    for some in _slices(learned.columns.ordered, front.order.shape[1]):
        order = front.order[some]
        sides = side.take(order)
        parts.append(np.hstack([order.compress((sides == one).ravel()).reshape(len(order), -1) for one in (0, 1)]))
    order = np.vstack(parts) if parts else front.order[:, :0]
    return _Front(front.nodes[kept], front.counts[kept], front.rows.compress(inside), places.compress(inside), order)


def _best(learned: _Learned, front: _Front) -> _Splits:
    """For each node that can be split the first split that leaves the least risk."""
    nodes = len(front.nodes)
    weighted = np.bincount(front.places[learned.weights[front.rows] > 0], minlength=nodes)
    level = _Level(
        np.repeat(np.arange(nodes), weighted),
        np.cumsum(weighted) - 1,
        front.counts,
        learned.pack(np.cumsum(front.counts, axis=0) - front.counts),
        int(front.counts.sum(axis=1).max()),
    )
    least = np.full(nodes, np.inf)
    attributes, values, following = np.full((3, nodes), -1)
    for some in _slices(learned.columns.ordered, front.order.shape[1]):
        found = _least(learned, front.order[some], level, some)
        better = found.risks < least
        least[better] = found.risks[better]
        attributes[better] = found.attributes[better]
        values[better], following[better] = found.values[better], found.following[better]
    split = np.flatnonzero(np.isfinite(least))
    numbers = learned.columns.numbers
    cuts = (numbers[values[split]] + numbers[following[split]]) / 2
    return _Splits(split, attributes[split], values[split], cuts)


def _slices(ordered: np.ndarray, rows: int) -> Iterator[slice]:
    """The attributes in order, in groups that fit the cache and hold only ordered or only nominal ones."""
    cut = int(ordered.sum())
    together = max(1, CACHED // max(1, rows))
    for first, last in ((0, cut), (cut, len(ordered))):
        for start in range(first, last, together):
            yield slice(start, min(start + together, last))


@dataclass(frozen=True, eq=False)
class _Level:
    """What is the same for all attributes of a front: whose each row with weight is and where a node's rows end, the
    counts (nodes, classes), those of all nodes before (packed), and the records of the largest node."""

    node: np.ndarray
    ends: np.ndarray
    counts: np.ndarray
    before: np.ndarray
    largest: int


@dataclass(frozen=True, eq=False)
class _LeastRisks:
    """For each node of a front the least risk that a split by some attributes leaves, infinite where none can; of the
    first such split the attribute, its value, and the value that follows in the node."""

    risks: np.ndarray
    attributes: np.ndarray
    values: np.ndarray
    following: np.ndarray


def _least(learned: _Learned, order: np.ndarray, level: _Level, some: slice) -> _LeastRisks:
    """The best splits by some attributes, all ordered or all not; ``order`` (attributes, rows) is theirs."""
    values = _taken(learned.values[some], order)
    last = np.empty(values.shape, dtype=bool)
    np.not_equal(values[:, 1:], values[:, :-1], out=last[:, :-1])
    last[:, level.ends] = True
    found = np.flatnonzero(last)
    attributes, places = np.divmod(found, order.shape[1]) if len(order) > 1 else (np.zeros_like(found), found)
    owners, at = level.node.take(places), values.ravel().take(found)
    first = np.append(True, attributes[1:] != attributes[:-1])
    totals = [np.cumsum(word.take(order), axis=1).ravel().take(found) for word in learned.packed]
    if learned.columns.ordered[some.start]:
        words = [total - before.take(owners) for total, before in zip(totals, level.before, strict=True)]
    else:
        words = [total - np.where(first, 0, np.append(0, total[:-1])) for total in totals]
    risks = _risks(list(learned.unpack(words)), level.counts.take(owners, axis=0), level.largest)
    starts = np.flatnonzero(np.append(True, owners[1:] != owners[:-1]) | first)
    least = np.minimum.reduceat(risks, starts).reshape(len(order), -1).min(axis=0)
    reached = np.flatnonzero(risks == least.take(owners))[::-1]
    chosen = np.empty(len(least), dtype=np.int64)
    chosen[owners[reached]] = reached  # the first one, for it is written last
    following = at[np.minimum(chosen + 1, len(at) - 1)]
    return _LeastRisks(least, some.start + attributes[chosen], at[chosen], following)


def _risks(left: list[np.ndarray], whole: np.ndarray, largest: int) -> np.ndarray:
    """The risk that each split leaves, infinite where nothing is on the other side.

    ``left`` are the counts of one side by class, ``whole`` (splits, classes) those of the nodes, ``largest`` the
    records of the largest node.
    """
    sizes, parted = np.zeros((2, len(whole)), dtype=np.int64), np.zeros((2, len(whole)))
    for label, counts in enumerate(left):
        for side, some in enumerate((counts, whole[:, label] - counts)):
            sizes[side] += some
            parted[side] += _n_log_n(some, largest)
    risks = (_n_log_n(sizes[0], largest) - parted[0]) + (_n_log_n(sizes[1], largest) - parted[1])
    risks[sizes[1] == 0] = np.inf
    found: np.ndarray = risks
    return found


def _children(learned: _Learned, front: _Front, splits: _Splits, first: int) -> _Front:
    """The children of the nodes split, numbered from ``first``: one of each node, then the others.

    The order is that of the parents.
    """
    number = len(splits.places)
    place = np.full(len(front.nodes), -1)
    place[splits.places] = np.arange(number)
    parents = place[front.places]
    rows, parents = front.rows.compress(parents >= 0), parents.compress(parents >= 0)
    attributes = splits.attributes[parents]
    values = learned.values[attributes, rows]
    goes_left = np.where(
        learned.columns.ordered[attributes],
        learned.columns.numbers[values] <= splits.cuts[parents],
        values == splits.values[parents],
    )
    places = parents + number * ~goes_left
    nodes = first + np.arange(2 * number)
    return _Front(nodes, _counts(learned, rows, places, len(nodes)), rows, places, front.order)


def _owners(parents: np.ndarray, levels: list[int]) -> np.ndarray:
    """The tree of each node."""
    trees = np.arange(len(parents))
    for start, end in pairwise(levels[1:]):
        trees[start:end] = trees[parents[start:end]]
    return trees


def _taken(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The values at the places of each row."""
    found = np.empty(places.shape, dtype=values.dtype)
    for row, some, out in zip(values, places, found, strict=True):
        np.take(row, some, out=out, mode="clip")  # no place is out of bounds; "raise" would copy
    return found


def _n_log_n(counts: np.ndarray, largest: int) -> np.ndarray:
    """n log n of whole numbers up to ``largest``, in bits; most are small, and looked up."""
    if largest >= LOOKED_UP:
        return _product(counts)
    found: np.ndarray = _products().take(counts)
    return found


def _product(counts: np.ndarray) -> np.ndarray:
    product: np.ndarray = counts * np.log2(np.maximum(counts, 1.0))
    return product


@cache
def _products() -> np.ndarray:
    return _product(np.arange(LOOKED_UP, dtype=np.float64))
