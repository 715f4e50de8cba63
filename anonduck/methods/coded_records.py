"""The input of methods: distinct combinations of quasi-identifiers with the number of records of each.

``CodedRecords`` gives each value as a place in the taxonomy of its column; ``MixedRecords`` gives columns as plain
numbers or categories, for the method that swaps values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

WHOLE = 1 << 30
"""The width of a root. Widths are whole numbers, so that sums and ties do not depend on the order of computation."""

MISSING, UNKNOWN = -2, -1


@dataclass(frozen=True, eq=False)
class PlacedColumn:
    """A quasi-identifier whose values are lined up so that each node of its taxonomy is a stretch of places.

    Attributes:
        place: (leaf codes,) the place of each leaf code, from 0.
        nodes: (levels, places) the node of each place at each level; the last level is the root.
        widths: (levels, places) the width of that node, from 0 for a single value to WHOLE for the root.
        leaves: (levels, places) how many leaves of the taxonomy that node covers.
        ordered: whether values have an order of their own (numbers, dates); places follow it within each node.
        cells: (2, places), only where classes show intervals over the nodes of level 1 instead of nodes: the width of
            everything before the cell of each place, and of everything up to its end.
    """

    place: np.ndarray
    nodes: np.ndarray
    widths: np.ndarray
    leaves: np.ndarray
    ordered: bool
    cells: np.ndarray | None = None

    def width(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """The width of the smallest node (or interval) that covers two places, and so all places between them."""
        one, other = np.broadcast_arrays(one, other)
        if self.cells is None:
            found: np.ndarray = self.widths[self.common_levels(one, other), one]
            return found
        least, most = np.minimum(one, other), np.maximum(one, other)
        between = np.where(least == 0, WHOLE, self.cells[1][most] - self.cells[0][least])
        return np.where(least == most, self.widths[0][least], between)

    def nodes_between(self, least: np.ndarray, most: np.ndarray) -> np.ndarray:
        """A number for the label that covers places from ``least`` to ``most``; equal labels have equal numbers."""
        if self.cells is None:
            levels = self.common_levels(least, most)
            found: np.ndarray = levels * len(self.place) + self.nodes[levels, least]
            return found
        size, finest = self.nodes.shape[1] + 1, self.nodes[1]
        apart = (finest[least] * size + finest[most]) * size
        mixed = np.where(least == 0, 0, apart)
        return np.where(least == most, least + 1, mixed)

    def common_levels(self, least: np.ndarray, largest: np.ndarray) -> np.ndarray:
        """The lowest level at which two places, and so all places between them, have the same node."""
        levels = np.zeros(np.broadcast_shapes(least.shape, largest.shape), dtype=np.int64)
        for level in range(len(self.nodes) - 1):
            levels += self.nodes[level][least] != self.nodes[level][largest]
        return levels


@dataclass(frozen=True, eq=False)
class ClassCells:
    """Records by combination and class code (from 0), one row for each pair that occurs; all arrays are (rows,)."""

    combinations: np.ndarray
    classes: np.ndarray
    records: np.ndarray


@dataclass(frozen=True, eq=False)
class CodedRecords:
    """The distinct combinations of quasi-identifiers.

    Attributes:
        columns: the quasi-identifiers.
        codes: for each column the leaf code of each combination (combinations,).
        records: (combinations,) the records of each.
        cells: the records by class, for methods that read the class.
        sensitive: the records by value of each sensitive column, for methods that weigh columns.
        weights: for each reading of usefulness the weight of each column, with sum 1.
        grades: for each reading the usefulness of each column: 0 high, 1 medium, 2 low.
        expected: (combinations, class values), the shares that a model expects, for methods that follow one.
    """

    columns: tuple[PlacedColumn, ...]
    codes: tuple[np.ndarray, ...]
    records: np.ndarray
    cells: ClassCells | None = None
    sensitive: tuple[ClassCells, ...] = ()
    weights: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    grades: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    expected: np.ndarray | None = None

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
        paths: the node code of each leaf code at each level under the root, level 0 first. Leaf code 0 is NULL, which
            is under no node. A leaf code without a node at level 1 is a value that the taxonomy does not know; all such
            values share one place, which shows the root.
        leaves: how many leaves each node code covers, at each level under the root.
        total: the leaves of the taxonomy.
        ordered: whether leaf codes follow the order of values.
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
    """The column with intervals over its nodes of level 1 instead of nodes.

    Args:
        column: an ordered column without unknown values.
        codes: the node code at level 1 of each leaf code, ascending; 0 is that of NULL.
        before: for each node code the share of the leaves (0 to 1) that lie before the node.
        through: the same share, those of the node included.
    """
    cells = np.zeros((2, column.nodes.shape[1]), dtype=np.int64)
    for side, shares in enumerate((before, through)):
        cells[side, column.place] = np.rint(shares[codes] * WHOLE).astype(np.int64)
    return replace(column, cells=cells)


def _apart(path: np.ndarray, unknown: np.ndarray) -> np.ndarray:
    """The node codes of a level, with codes of their own for NULL and for unknown values."""
    nodes = path.astype(np.int64)
    nodes[unknown] = UNKNOWN
    nodes[0] = MISSING
    return nodes


def _first_codes(nodes: np.ndarray) -> np.ndarray:
    """For each leaf code the smallest leaf code of its node: a number for the node, in the order of values."""
    _, first, node = np.unique(nodes, return_index=True, return_inverse=True)
    found: np.ndarray = first[node].astype(np.int64)
    return found


def _numbered(nodes: np.ndarray) -> np.ndarray:
    """Number nodes from 0, in their order."""
    found: np.ndarray = np.cumsum(np.r_[False, np.diff(nodes) != 0]).astype(np.int64)
    return found


def _widths(nodes: np.ndarray, leaves: np.ndarray, total: int) -> np.ndarray:
    """The share of the leaves that each node covers: 0 for a single leaf and for NULL, WHOLE for unknown values."""
    covered = leaves[np.maximum(nodes, 0)].astype(np.int64)
    widths = np.where((covered > 1) & (nodes > 0), covered * WHOLE // max(total, 1), 0)
    found: np.ndarray = np.where(nodes == UNKNOWN, WHOLE, widths)
    return found


def _covers(nodes: np.ndarray, leaves: np.ndarray, total: int) -> np.ndarray:
    """The leaves that each node covers: one for NULL, all for unknown values."""
    covered = np.where(nodes == MISSING, 1, leaves[np.maximum(nodes, 0)])
    found: np.ndarray = np.where(nodes == UNKNOWN, total, covered).astype(np.int64)
    return found


@dataclass(frozen=True, eq=False)
class MixedColumn:
    """A column of ``size`` codes, where 0 is NULL. ``numbers`` (size,) is the number of each code, NaN for NULL, or
    None for categories."""

    size: int
    numbers: np.ndarray | None = None

    @property
    def places(self) -> np.ndarray:
        """The numbers scaled to 0 (least) to 1 (largest); NaN for NULL."""
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
