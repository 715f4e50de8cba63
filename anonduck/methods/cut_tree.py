"""Cut trees: how a record finds its class, by where its values stand in the orders of their columns.

Each cut is in one column, and its sides are ranges of places there that cover the whole order, so that every record has
a class, whether a tree was made of its values or not. Numbers and dates are cut at bounds: the place of a value is how
many bounds it is not under. Other columns are cut at nodes of their taxonomy, which are numbered from 1 so that those
under a node follow it: the place of a value is the lowest of these nodes over it, 0 where none is. NULL stands at -1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from anonduck.methods.column_labels import ColumnLabels, Node, refuse_others
from anonduck.words import np

NULL = -1


@dataclass(frozen=True)
class Marks:
    """What a column is cut at, in its order: ``bounds`` as text, or ``nodes`` of its taxonomy."""

    bounds: tuple[str, ...] | None = None
    nodes: tuple[Node, ...] = ()

    @property
    def largest(self) -> int:
        """The largest place."""
        return len(self.nodes if self.bounds is None else self.bounds)

    def places(self, labels: ColumnLabels) -> np.ndarray:
        """The place of each leaf code of a column that is cut at nodes, (leaf codes,)."""
        found = np.zeros(len(labels.known), dtype=np.int64)
        place = {node: number for number, node in enumerate(self.nodes, start=1)}
        for level in reversed(range(labels.root)):
            here = np.array([place.get((level, text), 0) for text in labels.texts[level]], dtype=np.int64)
            found = np.maximum(found, np.where(labels.known, here, 0))
        found[0] = NULL
        return found

    def to_json(self) -> dict[str, Any]:
        """The bounds, or the nodes."""
        return {"nodes": self.nodes} if self.bounds is None else {"bounds": self.bounds}


@dataclass(frozen=True, eq=False)
class CutTree:
    """A tree of cuts; node 0 is its root, and a node without rows is a leaf.

    Attributes:
        names: the columns.
        marks: by column, what it is cut at.
        node, column, first, last, next: a row for each range of places on a side of a cut: the node, the number of its
            column, the range, and the node of that side. Rows are sorted by node and place.
        detail: the share of detail that its classes kept of the records that it was made of.
    """

    kind: ClassVar[str] = "tree"
    names: tuple[str, ...]
    marks: tuple[Marks, ...]
    node: np.ndarray
    column: np.ndarray
    first: np.ndarray
    last: np.ndarray
    next: np.ndarray
    detail: float = 1.0

    @property
    def columns(self) -> list[str]:
        """The columns that it generalizes."""
        return list(self.names)

    @cached_property
    def parents(self) -> np.ndarray:
        """The parent of each node, (nodes,); -1 for the root."""
        found = np.full(int(max(self.next.max(initial=0), self.node.max(initial=0))) + 1, -1, dtype=np.int64)
        found[self.next] = self.node
        return found

    @cached_property
    def depths(self) -> np.ndarray:
        """How many cuts lie over each node, (nodes,)."""
        found = np.zeros(len(self.parents), dtype=np.int64)
        over = self.parents.copy()
        while (over >= 0).any():
            found += over >= 0
            over = np.where(over >= 0, self.parents[over], -1)
        return found

    @property
    def leaves(self) -> int:
        """How many classes it has, with records or without."""
        return len(self.parents) - len(np.unique(self.node))

    def in_order(self, names: Sequence[str]) -> CutTree:
        """The same with its columns in the order of ``names``; raises ConfigError for others."""
        refuse_others(self.columns, names)
        marks = tuple(self.marks[self.names.index(name)] for name in names)
        number = np.array([list(names).index(name) for name in self.names], dtype=np.int64)
        return replace(self, names=tuple(names), marks=marks, column=number[self.column])

    def classes(self, places: Sequence[np.ndarray]) -> np.ndarray:
        """The leaf of each combination, (combinations,), by the place of each in every column."""
        width = max(one.largest for one in self.marks) + 2
        keys = self.node * width + self.first - NULL
        cut_in = np.full(len(self.parents), -1, dtype=np.int64)
        cut_in[self.node] = self.column
        table = np.stack(places)
        found = np.zeros(table.shape[1], dtype=np.int64)
        moving = np.flatnonzero(cut_in[found] >= 0)
        while len(moving):
            nodes = found[moving]
            asked = nodes * width + table[cut_in[nodes], moving] - NULL
            found[moving] = self.next[np.searchsorted(keys, asked, side="right") - 1]
            moving = moving[cut_in[found[moving]] >= 0]
        return found

    def to_json(self) -> dict[str, Any]:
        """The columns with what they are cut at, and the rows."""
        rows = np.column_stack([self.node, self.column, self.first, self.last, self.next])
        return {
            "kind": self.kind,
            "columns": [{"name": name, **one.to_json()} for name, one in zip(self.names, self.marks, strict=True)],
            "tree": rows.tolist(),
            "detail": self.detail,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> CutTree:
        """The tree that ``to_json`` wrote."""
        columns, rows = document["columns"], np.array(document["tree"], dtype=np.int64).reshape(-1, 5)
        marks = (
            Marks(bounds=tuple(one["bounds"]))
            if "bounds" in one
            else Marks(nodes=tuple((level, label) for level, label in one["nodes"]))
            for one in columns
        )
        names = tuple(one["name"] for one in columns)
        node, column, first, last, following = rows.T
        return cls(names, tuple(marks), node, column, first, last, following, document["detail"])


def tree_of_rows(
    names: Sequence[str],
    marks: Sequence[Marks],
    node: np.ndarray,
    column: np.ndarray,
    start: np.ndarray,
    side: np.ndarray,
    *,
    detail: float,
) -> CutTree:
    """The tree whose ranges start at these places of their nodes; each ends where the next one of its node starts."""
    order = np.lexsort((start, node))
    node, column, start, side = node[order], column[order], start[order], side[order]
    same = np.r_[node[1:] == node[:-1], False][: len(node)]
    largest = np.array([one.largest for one in marks], dtype=np.int64)
    last = np.where(same, np.r_[start[1:], 0][: len(node)] - 1, largest[column])
    return CutTree(tuple(names), tuple(marks), node, column, start, last, side, detail)
