"""Pruning a cut tree where records no longer fill its classes.

A side of a cut that has fewer records than are required is closed: its records go on by the nearest open side of that
cut, in the order of the column, and join the classes there. A node without an open side becomes a leaf. All other
classes stay as they are. An open side keeps the records that come to it in the whole tree, as each cut above it has
more of them, so that no class has too few. Pruning has no memory: it depends on the tree and on the records at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anonduck.methods.coded_records import WHOLE, CodedRecords
from anonduck.methods.cut_tree import CutTree
from anonduck.methods.method import Meets
from anonduck.methods.regions import summed


def pruned(
    tree: CutTree, places: Sequence[np.ndarray], records: np.ndarray, k: int, meets: Meets | None = None
) -> CutTree:
    """The tree with the sides that are left, whose classes have k records and satisfy ``meets``.

    Args:
        tree: the tree.
        places: by column, the place of each combination.
        records: the records of each combination.
        k: the least number of records in a class.
        meets: whether groups of combinations meet what is required besides k. Sides of classes that do not are closed,
            too, until all do.

    If all records together do not meet it, the root is a leaf; the caller judges that.
    """
    closed = _records_under(tree, tree.classes(places), records) < k
    while True:
        found = _without(tree, closed)
        nodes, group = np.unique(found.classes(places), return_inverse=True)
        if meets is None or nodes.tolist() == [0]:
            return found
        failing = nodes[~meets(np.arange(len(group)), group, len(nodes))]
        if not len(failing):
            return found
        closed[failing] = True


def _records_under(tree: CutTree, leaves: np.ndarray, records: np.ndarray) -> np.ndarray:
    """The records at and under each node, (nodes,)."""
    found = summed(leaves, records, len(tree.parents))
    for depth in range(int(tree.depths.max()), 0, -1):
        here = np.flatnonzero(tree.depths == depth)
        np.add.at(found, tree.parents[here], found[here])
    return found


def _without(tree: CutTree, closed: np.ndarray) -> CutTree:
    """The tree whose ranges of closed sides lead to the nearest open range of their node; of equally near ones to the
    lower one."""
    rows, is_open = np.arange(len(tree.node)), ~closed[tree.next]
    none = len(rows)
    before = np.maximum.accumulate(np.where(is_open, rows, -1))
    after = np.minimum.accumulate(np.where(is_open, rows, none)[::-1])[::-1]
    far = np.iinfo(np.int64).max
    under = np.where((before >= 0) & (tree.node[before] == tree.node), tree.first - tree.last[before], far)
    at = np.minimum(after, none - 1)
    over = np.where((after < none) & (tree.node[at] == tree.node), tree.first[at] - tree.last, far)
    nearest = np.where(is_open, rows, np.where(under <= over, before, at))
    kept = is_open | (np.minimum(under, over) < far)
    parts = {name: getattr(tree, name)[kept] for name in ("node", "column", "first", "last")}
    return replace(tree, **parts, next=tree.next[nearest][kept])


def kept_detail(data: CodedRecords, classes: np.ndarray) -> float:
    """The share of the detail that classes of combinations keep, 1 - NCP of the nodes or intervals that they show.

    ``classes`` are numbered from 0, (combinations,). Of no records it is 1.
    """
    if not data.total:
        return 1.0
    lost, count = 0.0, int(classes.max()) + 1
    for column, places in zip(data.columns, data.places, strict=True):
        least, most = np.full(count, len(column.place)), np.full(count, -1)
        np.minimum.at(least, classes, places)
        np.maximum.at(most, classes, places)
        lost += float((column.width(least, most)[classes] * data.records).sum())
    return 1 - lost / (data.total * len(data.columns) * WHOLE)
