"""The labels of a release as sets of values, and the finer taxonomy nodes under each label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anonduck.database.connection import Database
from anonduck.statements import builder_nested, statement
from anonduck.statements.builder_attack import AttackedColumn

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class ColumnNodes:
    """A column: the share of each value in the original (values,), and which values each label and taxonomy node
    covers.

    ``labels`` (labels + 1, values) and ``nodes`` (nodes + 1, values) are incidence matrices; their first row is empty.
    """

    shares: np.ndarray
    labels: csr_array
    nodes: csr_array

    def covers(self, label: int) -> np.ndarray:
        """Whether a label covers each value (values,)."""
        found = np.zeros(len(self.shares), dtype=bool)
        found[self._behind(label)] = True
        return found

    def children(self, label: int) -> np.ndarray:
        """The child of a label that each value (values,) lies in, numbered from 0; -1 for values that the label does
        not cover.

        A child is the largest node over the value that covers some of the label's values and no others, or the value
        itself if there is none. A label of one value has no child.
        """
        inside, behind = self.covers(label), self._behind(label)
        held = self.nodes @ inside.astype(np.float64)
        finer = np.flatnonzero((held > 0) & (held == self._sizes) & (held < len(behind)))
        child = np.full(len(inside), -1)
        child[behind] = len(self._sizes) + behind
        for node in finer[np.argsort(self._sizes[finer], kind="stable")]:
            child[self.nodes.indices[self.nodes.indptr[node] : self.nodes.indptr[node + 1]]] = node
        child[behind] = np.unique(child[behind], return_inverse=True)[1]
        return child if len(behind) > 1 else np.full(len(inside), -1)

    def _behind(self, label: int) -> np.ndarray:
        found: np.ndarray = self.labels.indices[self.labels.indptr[label] : self.labels.indptr[label + 1]]
        return found

    @cached_property
    def _sizes(self) -> np.ndarray:
        sizes: np.ndarray = np.diff(self.nodes.indptr)
        return sizes


def read_nodes(work: Database, known: Sequence[AttackedColumn]) -> list[ColumnNodes]:
    """The nodes of each known column; makes ``numbered_values``."""
    work.run(statement("attacks/numbered_values.sql"))
    values = work.frame(statement("attacks/values.sql"))
    behind = work.frame(statement("attacks/behind.sql"))
    found = []
    for one in known:
        held = values.loc[values["attribute"] == one.number, "records"].to_numpy(np.float64)
        here = behind[behind["attribute"] == one.number]
        labels, nodes = (_incidence(here[here["released"] == released], len(held)) for released in (True, False))
        found.append(ColumnNodes(held / held.sum(), labels, nodes))
    return found


def numbered(work: Database, known: Sequence[AttackedColumn], source: str) -> tuple[np.ndarray, np.ndarray]:
    """The distinct records of a grouped table: value numbers of shape (columns, rows), and numbers of
    records (rows,).
    """
    table = work.frame(builder_nested.numbered_rows(known, source))
    return table[[f"v_{one.number}" for one in known]].to_numpy(np.int64).T, table["records"].to_numpy(np.int64)


def _incidence(table: object, values: int) -> csr_array:
    from scipy.sparse import csr_array

    node, number = (table[name].to_numpy(np.int64) for name in ("node", "number"))  # type: ignore[index]
    shape = (int(node.max(initial=0)) + 1, values)
    return csr_array((np.ones(len(node)), (node, number)), shape=shape)
