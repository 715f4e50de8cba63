"""How mixed the class is in groups of combinations: its entropy, in whole numbers."""

from __future__ import annotations

import numpy as np

from anonduck.methods.coded_records import ClassCells
from anonduck.methods.regions import numbered, summed

BIT = 1 << 20
"""An entropy of one bit in one record."""


class Mixture:
    """Asks the cells of combinations, which stand combination by combination."""

    def __init__(self, cells: ClassCells) -> None:
        self.cells = cells
        self.width = int(cells.classes.max(initial=0)) + 1
        count = int(cells.combinations.max(initial=-1)) + 1
        self.starts = np.searchsorted(cells.combinations, np.arange(count))
        self.lengths = np.bincount(cells.combinations, minlength=count)

    def of_groups(self, rows: np.ndarray, group: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The entropy of the class in each group of combinations, times its records, which are ``sizes``."""
        lengths = self.lengths[rows]
        ends = np.cumsum(lengths)
        of_cell = np.repeat(np.arange(len(rows)), lengths)
        cells = np.arange(len(of_cell)) + np.repeat(self.starts[rows] - ends + lengths, lengths)
        keys = group[of_cell] * self.width + self.cells.classes[cells]
        found, part = numbered(keys, len(sizes) * self.width)
        mixed = _times_log(sizes)
        np.subtract.at(mixed, found // self.width, _times_log(summed(part, self.cells.records[cells], len(found))))
        return mixed


def _times_log(records: np.ndarray) -> np.ndarray:
    """Records times their logarithm to base 2, in parts of BIT."""
    found: np.ndarray = np.rint(records * np.log2(np.maximum(records, 1)) * BIT).astype(np.int64)
    return found
