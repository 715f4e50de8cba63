"""What a method sees of a source: combinations of quasi-identifiers as places in taxonomies, with their records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

WHOLE = 1 << 30
"""The width of a root; widths are whole numbers, so that sums and ties do not depend on the order of work."""

MISSING, UNKNOWN = -2, -1


@dataclass(frozen=True, eq=False)
class PlacedColumn:
    """A quasi-identifier whose values stand in a row, so that each node of its taxonomy is a stretch of places.

    ``place`` is the place of each leaf code, from 0; ``nodes[l]`` the node at level ``l`` of each place, the last level
    being the root; ``widths[l]`` how wide the node is, from 0 for a value to WHOLE, and ``leaves[l]`` how many leaves
    of the taxonomy it covers. ``ordered`` tells that values have an order of their own, which places then follow within
    each node.

    With ``cells``, classes show not nodes but intervals over the nodes of level 1, those of ordered values: (2,
    places), how wide all is that lies before the cell of each place, and with it.
    """

    place: np.ndarray
    nodes: np.ndarray
    widths: np.ndarray
    leaves: np.ndarray
    ordered: bool
    cells: np.ndarray | None = None

    def width(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """How wide that is what two places have in common, and so all places between them."""
        one, other = np.broadcast_arrays(one, other)
        if self.cells is None:
            found: np.ndarray = self.widths[self.common_levels(one, other), one]
            return found
        least, most = np.minimum(one, other), np.maximum(one, other)
        between = np.where(least == 0, WHOLE, self.cells[1][most] - self.cells[0][least])
        return np.where(least == most, self.widths[0][least], between)

    def nodes_between(self, least: np.ndarray, most: np.ndarray) -> np.ndarray:
        """A number for what is shown of places from a least to a largest one, the same where that is the same."""
        if self.cells is None:
            levels = self.common_levels(least, most)
            found: np.ndarray = levels * len(self.place) + self.nodes[levels, least]
            return found
        size, finest = self.nodes.shape[1] + 1, self.nodes[1]
        apart = (finest[least] * size + finest[most]) * size
        mixed = np.where(least == 0, 0, apart)
        return np.where(least == most, least + 1, mixed)

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
    each; ``cells`` tells of the class, where a method reads it. A method that weighs columns reads ``secrets`` too,
    what ``cells`` is of each sensitive column, and by each reading how useful columns are: ``weights``, shares with sum
    1, and ``grades``, 0 to 2 for high, medium and low."""

    columns: tuple[PlacedColumn, ...]
    codes: tuple[np.ndarray, ...]
    records: np.ndarray
    cells: ClassCells | None = None
    secrets: tuple[ClassCells, ...] = ()
    weights: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    grades: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

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
    covers = [_covers(level[kept], covered, total) for level, covered in zip(nodes, leaves, strict=True)]
    return PlacedColumn(
        place=place,
        nodes=np.vstack([*(_numbered(level[kept]) for level in ranks), root]),
        widths=np.vstack([*widths, root + WHOLE]),
        leaves=np.vstack([*covers, root + max(total, 1)]),
        ordered=ordered,
    )


def with_cells(column: PlacedColumn, codes: np.ndarray, before: np.ndarray, through: np.ndarray) -> PlacedColumn:
    """The column with intervals over its nodes of level 1 in the place of nodes.

    Args:
        column: one whose values are ordered, and none of them unknown.
        codes: the node code at level 1 of each leaf code, which ascends; 0 is NULL's.
        before: by node code, the share of the leaves (0 to 1) that lie before the node.
        through: the same with those of the node.
    """
    cells = np.zeros((2, column.nodes.shape[1]), dtype=np.int64)
    for side, shares in enumerate((before, through)):
        cells[side, column.place] = np.rint(shares[codes] * WHOLE).astype(np.int64)
    return replace(column, cells=cells)


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


def _covers(nodes: np.ndarray, leaves: np.ndarray, total: int) -> np.ndarray:
    """The leaves that each node covers: one for NULL, all for what is not known."""
    covered = np.where(nodes == MISSING, 1, leaves[np.maximum(nodes, 0)])
    found: np.ndarray = np.where(nodes == UNKNOWN, total, covered).astype(np.int64)
    return found


@dataclass(frozen=True, eq=False)
class MixedColumn:
    """A column of ``size`` codes, of which 0 is NULL; ``numbers`` are the numbers behind them, (size,), finite but for
    NULL's NaN, or None where values are categories."""

    size: int
    numbers: np.ndarray | None = None

    @property
    def places(self) -> np.ndarray:
        """Where the numbers lie between the least, at 0, and the largest, at 1; NaN for NULL."""
        numbers = np.zeros(self.size) if self.numbers is None else self.numbers
        known = numbers[~np.isnan(numbers)]
        least = known.min() if len(known) else 0.0
        reach = known.max() - least if len(known) else 0.0
        found: np.ndarray = (numbers - least) / reach if reach > 0 else numbers - least
        return found


@dataclass(frozen=True, eq=False)
class MixedRecords:
    """Distinct combinations: ``codes`` by column, each (combinations,), and how many ``records`` have each."""

    columns: tuple[MixedColumn, ...]
    codes: tuple[np.ndarray, ...]
    records: np.ndarray

    @property
    def total(self) -> int:
        """The number of records."""
        return int(self.records.sum())
