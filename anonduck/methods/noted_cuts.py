"""The cuts of a method, noted as they are made, and the tree of them.

What is noted of a cut says where its sides lie for all values, those that the region lacks included. Between values of
an ordered column, that is a gap, for which a bound is found later. In other columns the sides are nodes, of which the
side with most of them needs none to be named: whatever is under no other side's node goes there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from anonduck.methods.coded_records import WHOLE, CodedRecords, PlacedColumn
from anonduck.methods.column_labels import ColumnLabels
from anonduck.methods.cut_tree import NULL, CutTree, Marks, tree_of_rows
from anonduck.methods.regions import Regions, numbered, summed

BoundsBetween = Callable[[int, np.ndarray], tuple[tuple[str, ...], np.ndarray]]
"""Of a column's number and gaps, (gaps, 2) leaf codes of the values around each, all bounds in their order as text, and
the number of each gap's bound, from 0."""


@dataclass(frozen=True, eq=False)
class _Items:
    """The values of regions in a column, by region and place: the region, the place, the side and the records."""

    owner: np.ndarray
    place: np.ndarray
    side: np.ndarray
    records: np.ndarray

    def largest_sides(self, count: int, weights: np.ndarray) -> np.ndarray:
        """The side of each region with most weight, of equal ones with most records, then the first."""
        sides, number = np.unique(self.side, return_inverse=True)
        owner = np.zeros(len(sides), dtype=np.int64)
        owner[number] = self.owner
        weight, records = (summed(number, one, len(sides)) for one in (weights, self.records))
        order = np.lexsort((sides, -records, -weight, owner))
        found = np.full(count, -1, dtype=np.int64)
        first = np.r_[True, np.diff(owner[order]) != 0][: len(order)]
        found[owner[order[first]]] = sides[order[first]]
        return found


class NotedCuts:
    """The cuts of combinations, as a method makes them."""

    def __init__(self, data: CodedRecords, has_order: Sequence[bool] | None = None) -> None:
        """``has_order``: whether the type of each column has an order, so that there are bounds; by default all."""
        self.data = data
        typed = [True] * len(data.columns) if has_order is None else has_order
        self.by_value = [one and _by_value(column) for one, column in zip(typed, data.columns, strict=True)]
        self._node = np.zeros(len(data.records), dtype=np.int64)
        self._nodes = 1
        self._gaps: list[tuple[int, np.ndarray]] = []  # column; node, value before, value after, side
        self._parts: list[tuple[int, np.ndarray]] = []  # column; node, level, place, side; level -1: all others

    def cut(self, parents: Regions, columns: np.ndarray, sides: Regions) -> None:
        """Note a round of cuts."""
        nodes = self._node[parents.rows[parents.starts]]
        owner = np.zeros(len(self._node), dtype=np.int64)
        owner[parents.rows] = parents.of_row
        self._node[sides.rows] = self._nodes + sides.of_row
        self._nodes += len(sides.starts)
        of_row = owner[sides.rows]
        for number in np.unique(columns).tolist():
            here = columns[of_row] == number
            items = self._items(number, sides.rows[here], of_row[here])
            notes, noted = (self._gaps, _gaps) if self.by_value[number] else (self._parts, self._named)
            notes.append((number, noted(number, items, nodes)))

    def _items(self, number: int, rows: np.ndarray, owner: np.ndarray) -> _Items:
        size = len(self.data.columns[number].place)
        keys = owner * size + self.data.places[number][rows]
        found, item = np.unique(keys, return_inverse=True)
        side = np.zeros(len(found), dtype=np.int64)
        side[item] = self._node[rows]
        owners, places = np.divmod(found, size)
        return _Items(owners, places, side, summed(item, self.data.records[rows], len(found)))

    def _named(self, number: int, items: _Items, nodes: np.ndarray) -> np.ndarray:
        """The nodes of a column that lie on one side, as high as they can be, but for those of the side of all others:
        that of values which the taxonomy does not know, else that of most nodes."""
        column, count = self.data.columns[number], len(nodes)
        level = np.full(len(items.place), -1)
        leads = np.zeros(len(items.place), dtype=bool)
        for at in reversed(range(len(column.nodes) - 1)):
            size = column.nodes.shape[1]
            under, group = numbered(items.owner * size + column.nodes[at][items.place], count * size)
            least, most = np.full(len(under), np.iinfo(np.int64).max), np.full(len(under), -1)
            np.minimum.at(least, group, items.side)
            np.maximum.at(most, group, items.side)
            new = (least == most)[group] & (level < 0)
            level[new] = at
            leads |= new & np.r_[True, np.diff(group) != 0][: len(group)]
        others = items.largest_sides(count, leads.astype(np.int64))
        unknown = column.widths[0][items.place] == WHOLE
        others[items.owner[unknown]] = items.side[unknown]
        named = leads & (items.side != others[items.owner])
        rows = (nodes[items.owner], level, items.place, items.side)
        rest = (nodes, np.full(count, -1), np.zeros(count, dtype=np.int64), others)
        asked = np.unique(items.owner)
        parts = [np.r_[one[named], other[asked]] for one, other in zip(rows, rest, strict=True)]
        found: np.ndarray = np.column_stack(parts)
        return found

    def tree(
        self, names: Sequence[str], labels: Sequence[ColumnLabels], bounds_between: BoundsBetween, detail: float = 1.0
    ) -> CutTree:
        """The tree of the cuts; ``detail`` is the share of detail that its classes keep."""
        marks, rows = [], [np.zeros((0, 4), dtype=np.int64)]
        for number, column in enumerate(self.data.columns):
            if self.by_value[number]:
                one, starts = _bounds(_of(self._gaps, number), number, bounds_between)
            else:
                one, starts = _nodes(_of(self._parts, number), column, labels[number])
            marks.append(one)
            rows.append(np.column_stack([starts[:, 0], np.full(len(starts), number), starts[:, 1:]]))
        return tree_of_rows(names, marks, *np.vstack(rows).T, detail=detail)


def _of(notes: Sequence[tuple[int, np.ndarray]], number: int) -> np.ndarray:
    return np.vstack([np.zeros((0, 4), dtype=np.int64), *(rows for column, rows in notes if column == number)])


def _by_value(column: PlacedColumn) -> bool:
    """Whether each node is a range of values: a column of an order whose taxonomy knows all values and keeps to it."""
    return column.ordered and np.array_equal(column.place, np.arange(len(column.place)))


def _gaps(_number: int, items: _Items, nodes: np.ndarray) -> np.ndarray:
    """Where the sides of regions begin: node, the values before and after the gap there, and side.

    NULL (place 0) has a range of its own, begins at the gap (NULL, NULL) and goes to the largest side where a region
    has none; the first value begins at the gap (0, value).
    """
    largest = items.largest_sides(len(nodes), np.zeros(len(items.side), dtype=np.int64))
    asked = np.unique(items.owner)
    lacking = np.setdiff1d(asked, items.owner[items.place == 0])
    owner, place = np.r_[items.owner, lacking], np.r_[items.place, np.zeros(len(lacking), dtype=np.int64)]
    side = np.r_[items.side, largest[lacking]]
    order = np.lexsort((place, owner))
    owner, place, side = owner[order], place[order], side[order]
    first = np.r_[True, np.diff(owner) != 0][: len(owner)]
    begins = first | np.r_[True, np.diff(side) != 0][: len(owner)]
    before = np.where(first, NULL, np.r_[NULL, place[:-1]][: len(owner)])
    after = np.where(first, NULL, place)
    found: np.ndarray = np.column_stack([nodes[owner], before, after, side])[begins]
    return found


def _bounds(rows: np.ndarray, number: int, bounds_between: BoundsBetween) -> tuple[Marks, np.ndarray]:
    """The bounds of a column, and node, place and side of where ranges start."""
    node, before, after, side = rows.T
    start = np.where(before < 0, NULL, 0)
    between = before > 0
    gaps, gap = np.unique(np.column_stack([before, after])[between], axis=0, return_inverse=True)
    texts, bound = bounds_between(number, gaps) if len(gaps) else ((), np.zeros(0, dtype=np.int64))
    start[between] = 1 + bound[gap.ravel()]
    return Marks(bounds=texts), np.column_stack([node, start, side])


def _nodes(rows: np.ndarray, column: PlacedColumn, labels: ColumnLabels) -> tuple[Marks, np.ndarray]:
    """The nodes of a column that a tree names, and node, place and side of where ranges start."""
    node, level, place, side = rows.T
    named = level >= 0
    missing, known = named & (place == 0), named & (place > 0)
    size = column.nodes.shape[1]
    under_root = column.nodes[:-1]
    lowest = np.array([np.searchsorted(one, one) for one in under_root]).reshape(-1, size)
    highest = np.array([np.searchsorted(one, one, side="right") - 1 for one in under_root]).reshape(-1, size)
    keys, own = np.unique(
        lowest[level[known], place[known]] * len(column.nodes) + (len(column.nodes) - 1 - level[known]),
        return_inverse=True,
    )
    firsts, levels = np.divmod(keys, len(column.nodes))
    levels = len(column.nodes) - 1 - levels
    ends = np.searchsorted(firsts, highest[levels, firsts], side="right")
    code = np.argsort(column.place, kind="stable")[np.searchsorted(np.sort(column.place), firsts)]
    marks = Marks(nodes=tuple(labels.node(int(one), int(at)) for one, at in zip(code, levels, strict=True)))
    others = np.full(int(node.max(initial=-1)) + 1, -1, dtype=np.int64)
    others[node[~named]] = side[~named]
    rest = node[~named]
    split = np.isin(rest, node[missing])
    starts = [
        np.column_stack([node[missing], np.full(missing.sum(), NULL), side[missing]]),
        np.column_stack([node[known], 1 + own, side[known]]),
        np.column_stack([rest, np.where(split, 0, NULL), others[rest]]),
        np.column_stack([node[known], 1 + ends[own], others[node[known]]])[ends[own] < len(firsts)],
    ]
    found = np.vstack(starts)
    _, kept = np.unique(found[:, :2], axis=0, return_index=True)  # a side that is named goes before all others
    return marks, found[kept]
