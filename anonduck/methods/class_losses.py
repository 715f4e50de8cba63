"""What classes of combinations lose, and what each combination adds to that; kept as combinations move."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anonduck.methods.coded_records import CodedRecords

NEVER = np.iinfo(np.int64).max
"""The rise of what is not allowed."""


class ClassLosses:
    """The loss of each class is its records times the widths of its smallest common nodes, summed over the columns.

    ``of_row`` is the class of each combination. By class: ``sizes`` (records), ``losses``, and by column ``least`` and
    ``most``, the first and the last of its places. By combination: ``gains``, by how much the loss of its
    class falls when it leaves, and ``alone``, whether it is all of its class. A class that all have left has no records
    and no loss. Losses are whole numbers: exact below 2**29 records in 16 columns.
    """

    def __init__(self, data: CodedRecords, of_row: np.ndarray) -> None:
        self.data = data
        self.of_row = of_row.copy()
        count = int(of_row.max()) + 1
        self.sizes, self.losses = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self.least = [np.zeros(count, dtype=np.int64) for _ in data.columns]
        self.most = [np.zeros(count, dtype=np.int64) for _ in data.columns]
        self.gains = np.zeros(len(of_row), dtype=np.int64)
        self.alone = np.zeros(len(of_row), dtype=bool)
        self.measure(np.arange(count))

    def move(self, rows: np.ndarray, targets: np.ndarray) -> None:
        """Let combinations go to other classes."""
        changed = np.union1d(self.of_row[rows], targets)
        self.of_row[rows] = targets
        self.measure(changed)

    def measure(self, classes: np.ndarray) -> None:
        """Measure some classes anew."""
        self.sizes[classes], self.losses[classes] = 0, 0
        rows = self.rows_of(classes)
        there, group = np.unique(self.of_row[rows], return_inverse=True)
        records = self.data.records[rows]
        sizes = np.bincount(group, weights=records).astype(np.int64)
        widths, left = np.zeros(len(there), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
        for number in range(len(self.data.columns)):
            widths += self._node(number, rows, there, group, left)
        self.sizes[there], self.losses[there] = sizes, sizes * widths
        self.alone[rows] = (np.bincount(group) == 1)[group]
        self.gains[rows] = (sizes * widths)[group] - (sizes[group] - records) * left

    def rows_of(self, classes: np.ndarray) -> np.ndarray:
        """The combinations of some classes."""
        wanted = np.zeros(len(self.sizes), dtype=bool)
        wanted[classes] = True
        return np.flatnonzero(wanted[self.of_row])

    def _node(
        self, number: int, rows: np.ndarray, there: np.ndarray, group: np.ndarray, left: np.ndarray
    ) -> np.ndarray:
        """Note the node of each class in a column, return its width, and add to ``left`` the width without each row."""
        column, places = self.data.columns[number], self.data.places[number][rows]
        order = np.lexsort((places, group))
        ends = np.cumsum(np.bincount(group)) - 1
        starts = np.r_[0, ends[:-1] + 1]
        least, most = places[order[starts]], places[order[ends]]
        self.least[number][there], self.most[number][there] = least, most
        low, high = least[group], most[group]
        low[order[starts]] = places[order[np.minimum(starts + 1, ends)]]
        high[order[ends]] = places[order[np.maximum(ends - 1, starts)]]
        left += column.width(low, high)
        return column.width(least, most)

    def rises(self, rows: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """By how much the loss of classes rises when a combination comes: shaped as the two are together.

        NEVER for the class that it is in, and for one that all have left.
        """
        widths = np.zeros(np.broadcast_shapes(rows.shape, classes.shape), dtype=np.int64)
        for number, column in enumerate(self.data.columns):
            places, least, most = (one[number] for one in (self.data.places, self.least, self.most))
            low, high = np.minimum(least[classes], places[rows]), np.maximum(most[classes], places[rows])
            widths += column.width(low, high)
        found = (self.sizes[classes] + self.data.records[rows]) * widths - self.losses[classes]
        return np.where((self.of_row[rows] == classes) | (self.sizes[classes] == 0), NEVER, found)


LISTED = 8
AT_ONCE = 1 << 16
"""Pairs that are compared together; few enough to stay in the cache of a processor."""
SHARED = 16
"""How many combinations there are at least for each row of a table that columns share."""

_Table = tuple[np.ndarray, np.ndarray]


def listed_classes(losses: ClassLosses, ranks: np.ndarray, blocks: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The combinations in classes that lose something, and LISTED classes of the own block for each.

    The classes of a block are dealt, in the order of ``ranks``, into as many parts, and the best one of each part is
    listed; the own class stands where there are fewer others.
    """
    block_of = np.empty(len(losses.sizes), dtype=np.int64)
    for number, block in enumerate(blocks):
        block_of[block] = number
    rows = np.flatnonzero(losses.losses[losses.of_row] > 0)
    of_rows = block_of[losses.of_row[rows]]
    rows = rows[np.argsort(of_rows, kind="stable")]
    ends = np.cumsum(np.bincount(of_rows, minlength=len(blocks)))[:-1]
    found = np.empty((len(rows), LISTED), dtype=np.int64)
    parts = zip(blocks, np.split(rows, ends), np.split(found, ends), strict=True)
    for block, some, listed in parts:
        in_order = block[np.argsort(ranks[block])]
        listed[:] = losses.of_row[some][:, None]
        for begin, number, classes in _best(losses, some, in_order):
            listed[begin : begin + len(classes), number] = classes
    return rows, found


def _best(losses: ClassLosses, rows: np.ndarray, block: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    """The best class of a part for some of the combinations: the first of these, the part, and their classes."""
    if not len(rows):
        return
    dealt = [block[number::LISTED] for number in range(min(LISTED, len(block)))]
    block, ends = np.concatenate(dealt), np.cumsum([len(part) for part in dealt])
    in_order = np.argsort(block)
    own = in_order[np.searchsorted(block, losses.of_row[rows], sorter=in_order)]
    tables = _tables(losses, rows, block)
    step = max(1, AT_ONCE // len(block))
    for begin in range(0, len(rows), step):
        now = slice(begin, begin + step)
        rises = _rises(losses, rows[now], block, [(table, row[now]) for table, row in tables])
        rises[np.arange(len(rises)), own[now]] = NEVER
        for number, (part, end) in enumerate(zip(dealt, ends, strict=True)):
            yield begin, number, part[rises[:, end - len(part) : end].argmin(axis=1)]


def _rises(losses: ClassLosses, rows: np.ndarray, block: np.ndarray, tables: list[_Table]) -> np.ndarray:
    """By how much the loss of each class of the block rises with each of the combinations, were it elsewhere."""
    rises = np.zeros((len(rows), len(block)), dtype=np.int64)
    for table, row in tables:
        rises += table[row]
    rises *= losses.sizes[block] + losses.data.records[rows][:, None]
    rises -= losses.losses[block]
    return rises


def _tables(losses: ClassLosses, rows: np.ndarray, block: np.ndarray) -> list[_Table]:
    """The widths of each class of the block with each combination, as a sum of tables.

    A table has a row for each of the places, of one column or of several, that some of the combinations have; it comes
    with the row of each combination. Columns share a table as long as it stays small.
    """
    columns = losses.data.columns
    found: list[_Table] = []
    for number in sorted(range(len(columns)), key=lambda one: len(columns[one].place)):
        table, row = _column_table(losses, number, rows, block)
        if found:
            (other, other_row), count = found[-1], len(table)
            keys, both = np.unique(other_row * count + row, return_inverse=True)
            if len(keys) * SHARED <= len(rows):
                found[-1] = (other[keys // count] + table[keys % count], both)
                continue
        found.append((table, row))
    return found


def _column_table(losses: ClassLosses, number: int, rows: np.ndarray, block: np.ndarray) -> _Table:
    column = losses.data.columns[number]
    least, most = losses.least[number][block], losses.most[number][block]
    _, first, node = np.unique(column.nodes_between(least, most), return_index=True, return_inverse=True)
    places, row = np.unique(losses.data.places[number][rows], return_inverse=True)
    low, high = np.minimum(places[:, None], least[first]), np.maximum(places[:, None], most[first])
    return column.width(low, high)[:, node], row
