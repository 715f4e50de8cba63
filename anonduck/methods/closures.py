"""Closures of sets of records in one column (Last et al. 2014, Definition 3.2), and the information loss of each.

A closure is the smallest stretch of places, first to last, that covers all values of a set of records: one place if
they are equal, else a node of the taxonomy. In a column of numbers it can be a run of cells instead, where each cell
holds at least k records. NULL and values unknown to the taxonomy share a closure with other values only at the root.

Losses are whole numbers, so that sums and ties do not depend on the order of computation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from anonduck.methods.coded_records import CodedRecords, PlacedColumn

KEPT_ROWS = 512
"""A column with more places lists losses by node or cell; one with more slots does not cache them."""


class Measure(Protocol):
    """An information loss of stretches of places, as whole numbers."""

    def of_node(self, level: int, firsts: np.ndarray, lasts: np.ndarray) -> np.ndarray:
        """The loss of each node at a level, given as stretches (nodes,)."""

    def of_run(self, firsts: np.ndarray, lasts: np.ndarray) -> np.ndarray:
        """The loss of each run of cells, given as stretches (runs,)."""


class LeafLoss:
    """The Loss Metric LM (Iyengar 2002; equation 2 of Last et al.), from 0 to ``scale``.

    A node loses (its leaves - 1) / (all leaves - 1). A run of cells loses its length as a share of the whole range;
    ``values`` (places,) is the number at each place.
    """

    def __init__(self, column: PlacedColumn, values: np.ndarray | None, scale: int) -> None:
        self.column, self.scale = column, scale
        if values is not None:
            self.values = (values - values[1]) * (scale / max(float(values[-1] - values[1]), np.finfo(float).tiny))

    def of_node(self, level: int, firsts: np.ndarray, lasts: np.ndarray) -> np.ndarray:
        """See Measure; the root loses ``scale``."""
        most = max(int(self.column.leaves[-1, 0]) - 1, 1)
        if level == len(self.column.nodes) - 1:
            return np.full(len(firsts), self.scale)
        found: np.ndarray = np.minimum((self.column.leaves[level, firsts] - 1) * self.scale // most, self.scale)
        return found

    def of_run(self, firsts: np.ndarray, lasts: np.ndarray) -> np.ndarray:
        """See Measure."""
        found: np.ndarray = np.rint(self.values[lasts] - self.values[firsts]).astype(np.int64)
        return found


class EntropyLoss:
    """The entropy of the covered values over all records (Gionis and Tassa 2009), in units of 1 / ``bit`` bits."""

    def __init__(self, records: np.ndarray, bit: float) -> None:
        self.bit = bit
        self.sums = np.r_[0, np.cumsum(records)]
        self.logs = np.r_[0.0, np.cumsum(records * np.log2(np.maximum(records, 1)))]

    def of_node(self, level: int, firsts: np.ndarray, lasts: np.ndarray) -> np.ndarray:
        """See Measure."""
        held = np.maximum(self.sums[lasts + 1] - self.sums[firsts], 1).astype(np.float64)
        mixed = np.log2(held) - (self.logs[lasts + 1] - self.logs[firsts]) / held
        found: np.ndarray = np.rint(np.maximum(mixed, 0) * self.bit).astype(np.int64)
        return found

    def of_run(self, firsts: np.ndarray, lasts: np.ndarray) -> np.ndarray:
        """See Measure."""
        return self.of_node(0, firsts, lasts)


class ClosureColumn:
    """The closures of a column: ``cells`` is None for nodes, else the cell number of each place, -1 for none.

    Losses are listed by slot; ``slots`` (places,) is the slot of each place. Usually each place has its own slot. Where
    there are many places, a slot is a node at level 1 or a cell; such a slot cannot say that a single value together
    with itself loses nothing, so that callers subtract ``own_slot_loss`` there.
    """

    def __init__(self, column: PlacedColumn, measure: Measure, cells: np.ndarray | None) -> None:
        self.count = column.nodes.shape[1]
        self.root = (0, self.count - 1)
        self.measure = measure
        self.cells = cells
        whole = measure.of_node(len(column.nodes) - 1, np.array([0]), np.array([self.count - 1]))
        self.root_loss = int(whole[0])
        self.unknown: list[bool] = (column.widths[0] > 0).tolist()
        self._rows: dict[tuple[int, int], np.ndarray] = {}
        if cells is None:
            self._read_nodes(column)
        else:
            self._read_cells(cells)
        self.coarse = self.count > KEPT_ROWS
        slots = column.nodes[min(1, len(column.nodes) - 1)] if cells is None else cells + 1
        self.slots = slots if self.coarse else np.arange(self.count)
        self.of_slots = np.flatnonzero(_begins(self.slots))

    def _read_nodes(self, column: PlacedColumn) -> None:
        self.firsts, self.lasts, self.losses = [], [], []
        for level, nodes in enumerate(column.nodes):
            starts = np.flatnonzero(_begins(nodes))
            ends, lengths = np.r_[starts[1:], self.count] - 1, np.diff(np.r_[starts, self.count])
            self.firsts.append(np.repeat(starts, lengths).tolist())
            self.lasts.append(np.repeat(ends, lengths).tolist())
            self.losses.append(np.repeat(self.measure.of_node(level, starts, ends), lengths).tolist())

    def _read_cells(self, cells: np.ndarray) -> None:
        begins = np.flatnonzero(np.diff(cells)) + 1
        self.cell_firsts = begins
        self.cell_lasts = np.r_[begins[1:], self.count] - 1
        self.cell_list: list[int] = cells.tolist()

    def single(self, place: int) -> tuple[int, int]:
        """The closure of one value: its place, or the root if the taxonomy does not know it."""
        return self.root if self.unknown[place] else (place, place)

    def joined(self, closure: tuple[int, int], place: int) -> tuple[int, int]:
        """The smallest closure that covers a closure and one more place."""
        first, last = closure
        if first <= place <= last:
            return closure
        least, most = min(first, place), max(last, place)
        if self.cells is None:
            for firsts, lasts in zip(self.firsts, self.lasts, strict=True):
                if firsts[first] <= least and most <= lasts[first]:
                    return firsts[first], lasts[first]
            return self.root
        left, right = self.cell_list[least], self.cell_list[most]
        if left < 0 or (left == 0 and right == len(self.cell_firsts) - 1):
            return self.root
        return int(self.cell_firsts[left]), int(self.cell_lasts[right])

    def row(self, closure: tuple[int, int]) -> np.ndarray:
        """The loss of the closure once it also covers a place of each slot (slots,)."""
        if len(self.of_slots) > KEPT_ROWS:
            return self._row(closure)
        found = self._rows.get(closure)
        if found is None:
            found = self._rows[closure] = self._row(closure)
        return found

    def loss(self, closure: tuple[int, int]) -> int:
        """The loss of the closure."""
        if closure[0] == closure[1] and not self.unknown[closure[0]]:
            return 0
        return int(self.row(closure)[self.slots[closure[0]]])

    def own_slot_loss(self, closure: tuple[int, int]) -> int:
        """What ``row`` wrongly lists for a single value with itself, whose loss is 0; 0 where ``row`` is right."""
        if not self.coarse or closure[0] != closure[1]:
            return 0
        return int(self.row(closure)[self.slots[closure[0]]])

    def _row(self, closure: tuple[int, int]) -> np.ndarray:
        if self.coarse and self.cells is None:
            return self._coarse_row(*closure)
        return self._node_row(*closure) if self.cells is None else self._run_row(*closure)

    def _coarse_row(self, first: int, last: int) -> np.ndarray:
        row = np.full(len(self.of_slots), self.root_loss, dtype=np.int32)
        for firsts, lasts, losses in zip(self.firsts[:0:-1], self.lasts[:0:-1], self.losses[:0:-1], strict=True):
            if firsts[first] > first or lasts[first] < last:
                break
            row[self.slots[firsts[first]] : self.slots[lasts[first]] + 1] = losses[first]
        return row

    def _node_row(self, first: int, last: int) -> np.ndarray:
        row = np.full(self.count, self.root_loss, dtype=np.int32)
        for firsts, lasts, losses in zip(self.firsts[::-1], self.lasts[::-1], self.losses[::-1], strict=True):
            if firsts[first] > first or lasts[first] < last:
                break
            row[firsts[first] : lasts[first] + 1] = losses[first]
        return row

    def _run_row(self, first: int, last: int) -> np.ndarray:
        row = np.full(len(self.of_slots), self.root_loss, dtype=np.int32)
        left, right = self.cell_list[first], self.cell_list[last]
        if (first, last) != self.root and left >= 0:
            numbers = np.arange(len(self.cell_firsts))
            leftmost, rightmost = np.minimum(numbers, left), np.maximum(numbers, right)
            losses = self.measure.of_run(self.cell_firsts[leftmost], self.cell_lasts[rightmost])
            losses[(leftmost == 0) & (rightmost == len(numbers) - 1)] = self.root_loss
            row[1:] = losses if self.coarse else np.repeat(losses, self.cell_lasts - self.cell_firsts + 1)
        if first == last and not self.coarse:
            row[first] = 0
        return row


def closure_columns(
    data: CodedRecords, k: int, *, loss: str, numbers: Sequence[np.ndarray | None]
) -> tuple[ClosureColumn, ...]:
    """The columns of coded records, with losses scaled so that their sum over the columns fits into 31 bits.

    ``loss`` is ``"lm"`` or ``"entropy"``. ``numbers`` gives for each column the number of each leaf code, or None. A
    column with numbers is covered by runs of cells of at least k records, if it has several such cells, else by nodes.
    """
    scale = (1 << 31) // (len(data.columns) + 1)
    held = [
        np.bincount(places, weights=data.records, minlength=column.nodes.shape[1]).astype(np.int64)
        for column, places in zip(data.columns, data.places, strict=True)
    ]
    bits = max((_entropy(records) for records in held), default=0.0)
    found = []
    for column, records, of_codes in zip(data.columns, held, numbers, strict=True):
        cells = None if of_codes is None else cells_of(column, records, k)
        values = None if of_codes is None or cells is None else _placed(column, of_codes)
        measure: Measure = LeafLoss(column, values, scale)
        if loss == "entropy":
            measure = EntropyLoss(records, scale / bits if bits else 0.0)
        found.append(ClosureColumn(column, measure, cells))
    return tuple(found)


def _placed(column: PlacedColumn, of_codes: np.ndarray) -> np.ndarray:
    found = np.zeros(column.nodes.shape[1])
    found[column.place] = of_codes
    return found


def cells_of(column: PlacedColumn, records: np.ndarray, k: int) -> np.ndarray | None:
    """The cell of each place, from 0, with -1 for NULL; None where there would be fewer than two.

    A cell is a run of nodes at level 1 with k records at least: as short as can be, from the least value on. None too
    for a column whose values have no order, or are not all known to its taxonomy.
    """
    if not column.ordered or len(column.nodes) < 3 or (column.widths[0] > 0).any():
        return None
    cells = np.full(len(records), -1, dtype=np.int64)
    starts = np.flatnonzero(_begins(column.nodes[1]))[1:]
    ends = np.r_[starts[1:], len(records)]
    number, begin = -1, 0
    sums = np.r_[0, np.cumsum(records)]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        begin = begin or start
        if sums[end] - sums[begin] >= k:
            number, cells[begin:end], begin = number + 1, number + 1, 0
    if begin and number >= 0:
        cells[begin:] = number
    return cells if number > 0 else None


def _entropy(records: np.ndarray) -> float:
    shares = records[records > 0] / records.sum()
    return float(-(shares * np.log2(shares)).sum())


def _begins(nodes: np.ndarray) -> np.ndarray:
    """Whether a node begins at each place."""
    found: np.ndarray = np.r_[True, nodes[1:] != nodes[:-1]][: len(nodes)]
    return found
