"""The information loss of classes while combinations move between them, as sequential anonymization needs it.

``ClassLosses`` keeps the loss of each class up to date (Goldberger and Tassa 2010). ``listed_classes``
compares each combination with the classes of its block and keeps the few whose loss rises least. Combinations with the
same places share a row of a lookup table, so that widths are not computed pair by pair.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anonduck.methods.coded_records import CodedRecords

NEVER = np.iinfo(np.int64).max
"""The rise in loss of a move that is not allowed."""


class ClassLosses:
    """The loss of each class: its records times the widths of its smallest common nodes, summed over the columns.

    ``of_row`` (combinations,) is the class of each combination. Arrays by class: ``sizes`` (records), ``losses``, and
    for each column ``least`` and ``most``, the first and last place of its values. Arrays by combination: ``gains``,
    how much the loss of its class falls if the combination leaves, and ``alone``, whether its class holds nothing else.
    An empty class has no records and no loss. Losses are whole numbers, exact below 2**29 records in 16 columns.
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
        """Move combinations to other classes."""
        changed = np.union1d(self.of_row[rows], targets)
        self.of_row[rows] = targets
        self.measure(changed)

    def measure(self, classes: np.ndarray) -> None:
        """Recompute the given classes."""
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
        """The combinations of the given classes."""
        wanted = np.zeros(len(self.sizes), dtype=bool)
        wanted[classes] = True
        return np.flatnonzero(wanted[self.of_row])

    def _node(
        self, number: int, rows: np.ndarray, there: np.ndarray, group: np.ndarray, left: np.ndarray
    ) -> np.ndarray:
        """Store the node of each class in a column and return its width; add to ``left`` the width without each row."""
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
        """How much the loss of each class rises if a combination joins it, in the broadcast shape of the two arguments.

        NEVER for the combination's own class and for empty classes.
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
"""Pairs compared at a time; few enough for the processor cache."""
SHARED = 16
"""Columns share a table only if it has at least this many combinations for each of its rows."""

_Table = tuple[np.ndarray, np.ndarray]


def listed_classes(losses: ClassLosses, ranks: np.ndarray, blocks: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The combinations whose class has a loss (rows,), and for each LISTED candidate classes (rows, LISTED).

    The classes of a block are dealt into LISTED parts in the order of ``ranks``, and the best class of each part is
    listed. Where a block has too few classes, the combination's own class fills the list.
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
    """Yield chunk by chunk: its first row, the number of a part, and the best class of the part for each row."""
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
    """How much the loss of each class of the block rises with each combination, as if it came from outside."""
    rises = np.zeros((len(rows), len(block)), dtype=np.int64)
    for table, row in tables:
        rises += table[row]
    rises *= losses.sizes[block] + losses.data.records[rows][:, None]
    rises -= losses.losses[block]
    return rises


def _tables(losses: ClassLosses, rows: np.ndarray, block: np.ndarray) -> list[_Table]:
    """Tables whose sum is the width of each class of the block together with each combination.

    A table has a row for each place (of one column, or of several together) that occurs, and comes with the row number
    of each combination. Columns share a table as long as it stays small.
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
