"""What a method sees of a source: combinations of quasi-identifiers as places in taxonomies, with their records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

WHOLE = 1 << 30
"""The width of a root; widths are whole numbers, so that sums and ties do not depend on the order of work."""

MISSING, UNKNOWN = -2, -1


@dataclass(frozen=True, eq=False)
class PlacedColumn:
    """A quasi-identifier whose values stand in a row, so that each node of its taxonomy is a stretch of places.

    ``place`` is the place of each leaf code, from 0; ``nodes[l]`` the node at level ``l`` of each place, the last level
    being the root; ``widths[l]`` how wide the node is, from 0 for a value to WHOLE. ``ordered`` tells that values have
    an order of their own, which places then follow within each node.
    """

    place: np.ndarray
    nodes: np.ndarray
    widths: np.ndarray
    ordered: bool

    def common_levels(self, least: np.ndarray, largest: np.ndarray) -> np.ndarray:
        """The lowest level at which two places have the same node, and so all places between them."""
        levels = np.zeros(np.broadcast_shapes(least.shape, largest.shape), dtype=np.int64)
        for level in range(len(self.nodes) - 1):
            levels += self.nodes[level][least] != self.nodes[level][largest]
        return levels


@dataclass(frozen=True, eq=False)
class ClassCells:
    """The records of combinations by value of the class, which has codes from 0; one row for each that occurs."""

    combinations: np.ndarray
    classes: np.ndarray
    records: np.ndarray


@dataclass(frozen=True, eq=False)
class CodedRecords:
    """The distinct combinations of quasi-identifiers: ``codes`` holds leaf codes by column, ``records`` how many have
    each; ``cells`` tells of the class, where a method reads it."""

    columns: tuple[PlacedColumn, ...]
    codes: tuple[np.ndarray, ...]
    records: np.ndarray
    cells: ClassCells | None = None

    @cached_property
    def places(self) -> tuple[np.ndarray, ...]:
        """The place of each combination, by column."""
        return tuple(column.place[codes] for column, codes in zip(self.columns, self.codes, strict=True))

    @property
    def total(self) -> int:
        """The number of records."""
        return int(self.records.sum())


def placed_column(
    paths: Sequence[np.ndarray], leaves: Sequence[np.ndarray], total: int, *, ordered: bool
) -> PlacedColumn:
    """A column from its taxonomy.

    Args:
        paths: the node code of each leaf code at each level under the root, level 0 first. Leaf code 0 is NULL, a value
            beside all nodes. A leaf code without a node at level 1 is a value that the taxonomy does not know; all of
            these are one place, which shows the root.
        leaves: how many leaves each node code covers, at each level under the root.
        total: the leaves of the taxonomy.
        ordered: whether leaf codes are in the order of values.
    """
    unknown = paths[1] == 0 if len(paths) > 1 else np.zeros(len(paths[0]), dtype=bool)
    unknown[0] = False
    nodes = [_apart(path, unknown) for path in paths]
    ranks = [_first_codes(level) for level in nodes]
    order = np.lexsort(ranks)
    begins = np.r_[True, np.diff(ranks[0][order]) != 0]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.cumsum(begins) - 1
    kept = order[begins]
    root = np.zeros(len(kept), dtype=np.int64)
    widths = [_widths(level[kept], covered, total) for level, covered in zip(nodes, leaves, strict=True)]
    return PlacedColumn(
        place=place,
        nodes=np.vstack([*(_numbered(level[kept]) for level in ranks), root]),
        widths=np.vstack([*widths, root + WHOLE]),
        ordered=ordered,
    )


def _apart(path: np.ndarray, unknown: np.ndarray) -> np.ndarray:
    """The node codes of a level, with nodes of their own for NULL and for what the taxonomy does not know."""
    nodes = path.astype(np.int64)
    nodes[unknown] = UNKNOWN
    nodes[0] = MISSING
    return nodes


def _first_codes(nodes: np.ndarray) -> np.ndarray:
    """For each leaf code the smallest one in its node: a number for the node, in the order of values."""
    _, first, node = np.unique(nodes, return_index=True, return_inverse=True)
    found: np.ndarray = first[node].astype(np.int64)
    return found


def _numbered(nodes: np.ndarray) -> np.ndarray:
    """Numbers from 0 for nodes, in their order."""
    found: np.ndarray = np.cumsum(np.r_[False, np.diff(nodes) != 0]).astype(np.int64)
    return found


def _widths(nodes: np.ndarray, leaves: np.ndarray, total: int) -> np.ndarray:
    """The share of the leaves that each node covers; none for one leaf and for NULL, all for what is not known."""
    covered = leaves[np.maximum(nodes, 0)].astype(np.int64)
    widths = np.where((covered > 1) & (nodes > 0), covered * WHOLE // max(total, 1), 0)
    found: np.ndarray = np.where(nodes == UNKNOWN, WHOLE, widths)
    return found
