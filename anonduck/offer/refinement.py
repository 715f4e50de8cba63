"""What somebody gains who knows that the labels of a candidate are the smallest nodes over its classes (downcoding).

`anonduck attack --downcoding` refines the labels of a released file in the same way (anonduck.attacks.downcoding).
There, only classes can be checked that fit just as many people as they have records. Here the records of each class are
known, so that all of them are.
"""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from anonduck.attacks.downcoding import MOST_CHILDREN, ColumnNodes, likeliest
from anonduck.rules.rounding import DIGITS

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from anonduck.evaluation.cells import CodedColumn
    from anonduck.evaluation.settled import Settled

DRAWN = 200
"""The classes whose labels are refined; in releases of Adult their gain has a standard error of one or two points."""


def refinement(settled: Settled, seed: int) -> dict[str, float] | None:
    """How often it is guessed right how many records of a class lie in each finer node right under a label.

    ``plain`` is the share of the labels of drawn classes that is refined by how frequent the finer nodes are in the
    source. For ``right``, it is known too that not all records of a class lie in one of them. ``gain`` is the
    difference, with the standard error ``error`` of so many drawn classes, and ``labels`` the number of labels. None
    where no label has several finer nodes.
    """
    rows, starts, records, classes = _drawn(settled, seed)
    tried, right, plain = (np.zeros(len(records)) for _ in range(3))
    for place, column in enumerate(settled.shown.columns):
        refiner = _Refiner(column, settled.cells.leaves[place], settled.cells.records)
        codes = settled.cells.leaves[place][rows]
        levels = np.maximum.reduceat(settled.shown.levels[place][rows], starts)  # the widest of nodes with one name
        held = np.split(settled.cells.records[rows], starts[1:])
        for at, inside in enumerate(np.split(codes, starts[1:])):
            found = refiner.compared(int(levels[at]), inside, held[at])
            if found is not None:
                tried[at], right[at], plain[at] = tried[at] + 1, right[at] + found[0], plain[at] + found[1]
    if not tried.any():
        return None
    labels = float(tried.sum())
    gain = float((right - plain).sum()) / labels
    off = float(((right - plain - gain * tried) ** 2).sum())
    drawn = len(records)
    spread = off * drawn / max(drawn - 1, 1) * (1 - drawn / classes)  # nothing is uncertain where all are drawn
    return {
        "labels": int(labels),
        "right": round(float(right.sum()) / labels, DIGITS),
        "plain": round(float(plain.sum()) / labels, DIGITS),
        "gain": round(gain, DIGITS),
        "error": round(sqrt(spread) / labels, DIGITS),
    }


def _drawn(settled: Settled, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The rows of drawn classes, class by class; where each begins; the records of each; how many classes there are."""
    of_class = np.bincount(settled.equivalence[settled.stays])
    there = np.flatnonzero(of_class)
    chosen = np.zeros(len(of_class), dtype=bool)
    chosen[np.random.default_rng(seed).permutation(there)[:DRAWN]] = True
    rows = np.flatnonzero(settled.stays)
    rows = rows[chosen[settled.equivalence[rows]]]
    rows = rows[np.argsort(settled.equivalence[rows], kind="stable")]
    starts = np.flatnonzero(np.r_[True, np.diff(settled.equivalence[rows]) != 0])
    return rows, starts, np.add.reduceat(settled.cells.records[rows], starts), len(there)


class _Refiner:
    """The labels of a column; each label, and each number of records under it, is worked out once."""

    def __init__(self, column: CodedColumn, leaves: np.ndarray, records: np.ndarray) -> None:
        self._column = column
        held = np.bincount(leaves, weights=records, minlength=len(column.labels))
        self._there = np.flatnonzero(held)
        self._value = np.full(len(held), -1)
        self._value[self._there] = np.arange(len(self._there))
        self._shares = held[self._there] / held.sum()
        self._nodes = _incidence(column.cell.nodes[self._there])
        free = column.cell.by_loss.free
        self._free = np.zeros(0, dtype=np.int64) if free is None else np.unique(free.levels)
        self._child = cache(self._children)
        self._likeliest = cache(self._guesses)

    def compared(self, level: int, codes: np.ndarray, records: np.ndarray) -> tuple[bool, bool] | None:
        """Whether each guess has the right number of records in every finer node; None where there is nothing to guess.

        The label is the node at ``level`` over the leaf ``codes`` of a class, each of which has so many ``records``.
        Nothing is guessed of one that names several nodes apart, such as groups with one number at two levels.
        """
        total = int(records.sum())
        if level == 0 or total < 2:
            return None
        place = self._place(level)
        node, *others = np.unique(self._column.cell.over[codes, place]).tolist()
        if others:
            return None
        child, shares = self._child(place, node)
        if not 2 <= len(shares) <= MOST_CHILDREN:
            return None
        truth = np.bincount(child[self._value[codes]], records, len(shares))
        minimal, plain = self._likeliest(place, node, total)
        return bool((minimal == truth).all()), bool((plain == truth).all())

    def _place(self, level: int) -> int:
        """The place of a level in ``over``, where those of free intervals stand behind the root."""
        root = self._column.root
        return level if level <= root else root + 1 + int(np.searchsorted(self._free, level))

    def _children(self, place: int, node: int) -> tuple[np.ndarray, np.ndarray]:
        """The finer node that each value lies in, -1 for others; and the share of each among the records under it."""
        under = self._column.cell.over[self._there, place] == node
        label = _incidence(np.where(under, 0, -1)[:, None])
        child = ColumnNodes(self._shares, label, self._nodes).children(1)
        held = np.bincount(child[under], self._shares[under]) if (child >= 0).any() else np.zeros(0)
        return child, held / held.sum() if held.any() else held

    def _guesses(self, place: int, node: int, records: int) -> tuple[np.ndarray, np.ndarray]:
        _, shares = self._child(place, node)
        return likeliest(records, shares, minimal=True), likeliest(records, shares, minimal=False)


def _incidence(nodes: np.ndarray) -> csr_array:
    """Which values (values, levels) each node covers; nodes from 0 on are counted from 1, -1 is none."""
    from scipy.sparse import csr_array

    value, level = np.nonzero(nodes >= 0)
    found = nodes[value, level] + 1
    shape = (int(found.max(initial=0)) + 1, len(nodes))
    return csr_array((np.ones(len(found)), (found, value)), shape=shape)
