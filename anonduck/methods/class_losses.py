"""What classes of combinations lose, and what each combination adds to that; kept as combinations move."""

from __future__ import annotations

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
