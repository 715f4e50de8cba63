"""Top-down specialization: TDS (Fung, Wang and Yu 2005, 2007) and PAIS (Mohammed et al. 2009).

All columns start at their roots. Nodes are specialized one by one: the children of a node replace it in all records,
so that each column has one cut through its taxonomy, and equal values have equal labels. A node is specialized only if
every class then has k records and meets the requirement. A node that was refused is not tried again, because classes
only become smaller. Of the allowed nodes the one with the highest score goes first:

- TDS: InfoGain / (AnonyLoss + 1), the information gain on the class when the records of the
  node divide among its children, and how much the smallest class shrinks. Nodes of a single class value stay. The 1 is
  that of the code that the authors published for both papers (McGill-DMaS/Privacy-TDS), and of the paper of 2007; that
  of 2005 divides by AnonyLoss where it is not 0, and takes InfoGain alone where it is.
- PAIS: the information gain alone.

A node stands for the values that records have: a node whose records are all under one child is treated as that child.
Scores are whole numbers. Ties are broken by a rank of columns drawn with the seed, then by the order of nodes, so that
cuts depend neither on threads nor on the order of records.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from anonduck.methods.coded_records import ClassCells, CodedRecords, PlacedColumn
from anonduck.methods.method import Progress, no_progress
from anonduck.methods.regions import numbered, summed

BIT = 1 << 30
"""One bit of information gain, as a whole number."""
SHARE = 1 << 20
"""Gains are multiplied by this before the division, so that different quotients stay different."""
MOST = np.iinfo(np.int64).max

MeetsWhole = Callable[[np.ndarray, tuple[np.ndarray, ...], int], bool]
"""Whether all classes together meet what is required besides k.

Takes the class of each combination, for each column the node of each combination, and the column that was specialized
last. It is asked only about refinements of classes that met the requirement.
"""


def tds(
    data: CodedRecords,
    k: int,
    meets: MeetsWhole | None = None,
    *,
    seed: int = 0,
    progress: Progress = no_progress,
) -> tuple[np.ndarray, ...]:
    """TDS: for each column the level at which each place is shown, (places,); the root's where no record has the place.

    Args:
        data: combinations with the records by class.
        k: the least number of records in a class.
        meets: whether all classes meet what is required besides k. The caller checks that the roots do.
        seed: draws the rank of columns that breaks ties.
        progress: called with the number of records in final nodes, as a mean over columns.
    """
    return _Specialization(data, k, meets, seed=seed, by_loss=True).levels(progress)


def pais(
    data: CodedRecords,
    k: int,
    meets: MeetsWhole | None = None,
    *,
    seed: int = 0,
    progress: Progress = no_progress,
) -> tuple[np.ndarray, ...]:
    """PAIS: as ``tds``, but scored by the information gain alone, and nodes of one class value are specialized too."""
    return _Specialization(data, k, meets, seed=seed, by_loss=False).levels(progress)


class _CutColumn:
    """The cut through one column. A node is a stretch of the occurring places and is named by its first rank.

    ``rank`` (combinations,) is the rank of the place of each combination among the occurring ones. Arrays by rank: the
    ``node`` it is in, the ``child`` it would be in after specializing, and the ``level`` of its node. Arrays by node:
    whether it may still be specialized (``open``), its ``gain``, and the records of the ``smallest`` class that
    specializing it would make. ``numbered`` is the number of the child by rank, ``parents`` the node of each child.
    """

    def __init__(self, column: PlacedColumn, places: np.ndarray, cells: ClassCells, pure: bool) -> None:
        self.column = column
        self.held, self.rank = np.unique(places, return_inverse=True)
        width = int(cells.classes.max(initial=0)) + 1
        keys = self.rank[cells.combinations] * width + cells.classes
        counts = np.bincount(keys, weights=cells.records, minlength=len(self.held) * width)
        self.classes = counts.reshape(-1, width)
        self.pure = pure
        count = len(self.held)
        self.node = np.zeros(count, dtype=np.int64)
        self.child = np.zeros(count, dtype=np.int64)
        self.level = np.zeros(count, dtype=np.int64)
        self.open = np.zeros(count, dtype=bool)
        self.gain = np.zeros(count, dtype=np.int64)
        self.smallest = np.full(count, MOST)
        self._begin(0, count)
        self._number()

    def stretch(self, node: int) -> tuple[int, int]:
        """The first rank of a node, and the rank after its last."""
        end = int(np.searchsorted(self.node, node, side="right"))
        return node, end

    def specialize(self, node: int) -> None:
        """Replace a node by its children."""
        start, end = self.stretch(node)
        children = np.unique(self.child[start:end])
        self.node[start:end] = self.child[start:end]
        self.open[node] = False
        self.smallest[node] = MOST
        for first, after in zip(children, np.r_[children[1:], end], strict=True):
            self._begin(int(first), int(after))
        self._number()

    def staying(self) -> int:
        """The number of records in final nodes."""
        return int(self.classes[~self.open[self.node]].sum())

    def _number(self) -> None:
        children, self.numbered = np.unique(self.child, return_inverse=True)
        self.parents = self.node[children]

    def _begin(self, start: int, end: int) -> None:
        """Compute level, children and gain of a node."""
        least, most = self.held[start : start + 1], self.held[end - 1 : end]
        level = int(self.column.common_levels(least, most)[0])
        self.level[start:end] = level
        if level == 0:
            return
        below = self.column.nodes[level - 1, self.held[start:end]]
        begins = np.flatnonzero(np.r_[True, np.diff(below) != 0])
        self.child[start:end] = start + np.repeat(begins, np.diff(np.r_[begins, end - start]))
        whole = self.classes[start:end].sum(axis=0)
        self.open[start] = self.pure or np.count_nonzero(whole) > 1
        parts = np.add.reduceat(self.classes[start:end], begins)
        self.gain[start] = round((_bits(whole[None])[0] - _bits(parts).sum()) / whole.sum() * BIT)


class _Specialization:
    def __init__(self, data: CodedRecords, k: int, meets: MeetsWhole | None, *, seed: int, by_loss: bool) -> None:
        if data.cells is None:
            raise ValueError("a specialization is scored by the class of records, which these lack")
        self.records = data.records
        self.k = k
        self.meets = meets
        self.by_loss = by_loss
        self.all_columns = data.columns
        self.columns = [
            _CutColumn(column, places, data.cells, pure=not by_loss)
            for column, places in zip(data.columns if len(data.records) else (), data.places, strict=False)
        ]
        self.order = np.argsort(np.random.default_rng(seed).permutation(len(data.columns))).tolist()
        self.groups = np.zeros(len(data.records), dtype=np.int64)
        self.next_group = 1
        self.least = data.total

    def levels(self, progress: Progress) -> tuple[np.ndarray, ...]:
        """Specialize as far as allowed; returns for each column the level of each place."""
        total = int(self.records.sum())
        self._follow(np.arange(len(self.records)), self.groups)
        while (best := self._best()) is not None:
            self._try(*best)
            progress("specializing values", self._records_done(), total)
        progress("specializing values", total, total)
        found = [np.full(one.nodes.shape[1], len(one.nodes) - 1) for one in self.all_columns]
        for levels, one in zip(found, self.columns, strict=False):
            levels[one.held] = one.level
        return tuple(found)

    def _best(self) -> tuple[int, int] | None:
        """Column and node of the highest score, ties broken by the rank of columns; None if no node is left."""
        highest, found = -1, None
        for number in self.order if self.columns else ():
            one = self.columns[number]
            one.open &= one.smallest >= self.k
            nodes = np.flatnonzero(one.open)
            if len(nodes):
                scores = self._scores(one, nodes)
                best = int(np.argmax(scores))
                if scores[best] > highest:
                    highest, found = int(scores[best]), (number, int(nodes[best]))
        return found

    def _scores(self, one: _CutColumn, nodes: np.ndarray) -> np.ndarray:
        found: np.ndarray = one.gain[nodes]
        if self.by_loss:
            loss = self.least - np.minimum(self.least, one.smallest[nodes])
            found = found * SHARE // (loss + 1)
        return found

    def _try(self, number: int, node: int) -> None:
        """Specialize a node, or close it if the requirement would fail."""
        one = self.columns[number]
        start, end = one.stretch(node)
        rows = np.flatnonzero((one.rank >= start) & (one.rank < end))
        keys = self.groups[rows] * len(one.held) + one.child[one.rank[rows]]
        parts = np.unique(keys, return_inverse=True)[1]
        before = self.groups[rows]
        self.groups[rows] = self.next_group + parts
        if self.meets is not None and not self._met(number, start, end):
            self.groups[rows] = before
            one.open[node] = False
            return
        self.next_group += int(parts.max()) + 1
        self.least = min(self.least, int(one.smallest[node]))
        one.specialize(node)
        self._follow(rows, parts)

    def _met(self, number: int, start: int, end: int) -> bool:
        """Whether the current classes meet the requirement once a stretch shows its children."""
        nodes = [one.node for one in self.columns]
        nodes[number] = np.r_[nodes[number][:start], self.columns[number].child[start:end], nodes[number][end:]]
        of_rows = tuple(node[one.rank] for node, one in zip(nodes, self.columns, strict=True))
        return self.meets is None or self.meets(np.unique(self.groups, return_inverse=True)[1], of_rows, number)

    def _follow(self, rows: np.ndarray, groups: np.ndarray) -> None:
        """Update ``smallest`` of each node after the classes of ``rows`` changed; ``groups`` numbers these from 0."""
        for one in self.columns if len(rows) else ():
            ranks = one.rank[rows]
            asked = one.open[one.node[ranks]]
            if asked.any():
                width = len(one.parents)
                keys = groups[asked] * width + one.numbered[ranks[asked]]
                found, part = numbered(keys, (int(groups.max()) + 1) * width)
                sizes = summed(part, self.records[rows[asked]], len(found))
                np.minimum.at(one.smallest, one.parents[found % width], sizes)

    def _records_done(self) -> int:
        """The records in final nodes, as a mean over columns."""
        return sum(one.staying() for one in self.columns) // len(self.columns)


def _bits(counts: np.ndarray) -> np.ndarray:
    """The entropy of each row of counts in bits, times its sum."""
    total = counts.sum(axis=1)
    logs = counts * np.log2(np.maximum(counts, 1))
    found: np.ndarray = total * np.log2(np.maximum(total, 1)) - logs.sum(axis=1)
    return found
