"""The finest intervals of a column's taxonomy, of which free intervals are made: any that follow one another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonduck.database.connection import Database
from anonduck.statements import statement
from anonduck.taxonomy.builders.open_labels import APART, OpenLabels, made_labels
from anonduck.taxonomy.catalog import Taxonomy


@dataclass(frozen=True, eq=False)
class IntervalCells:
    """The intervals of level 1 in their order, which follow one another without gaps.

    By interval (cells,): ``codes``, which ascend, ``labels``, and how many ``leaves`` lie in it; ``leaf_shares`` and
    ``range_shares`` of the column, from 0 to 1, NaN where there is none. ``written`` tells how labels are written.
    """

    codes: np.ndarray
    labels: tuple[str, ...]
    leaves: np.ndarray
    leaf_shares: np.ndarray
    range_shares: np.ndarray
    written: OpenLabels

    @property
    def apart(self) -> frozenset[int]:
        """The codes of the cells that hold an infinity or NaN alone, which follow on no other."""
        return frozenset(code for code, label in zip(self.codes.tolist(), self.labels, strict=True) if label in APART)

    def label(self, first: int, last: int) -> str:
        """The label of the interval from the cell of one code to that of another."""
        low, high = np.searchsorted(self.codes, [first, last])
        return self.written.label(self.written.bounds(self.labels[low])[0], self.written.bounds(self.labels[high])[1])


def interval_cells(database: Database, taxonomy: Taxonomy) -> IntervalCells | None:
    """The cells of a taxonomy of intervals that anonduck made; None for any other, and where it has no level 1."""
    written = made_labels(database, taxonomy.column)
    if written is None or taxonomy.root < 2:
        return None
    bounds: dict[str, str | tuple[str, str]] = {"bounds": ("bounds", taxonomy.column)}
    found = database.arrays(statement("taxonomy/interval_cells.sql", table=bounds), {"column_name": taxonomy.column})
    return IntervalCells(
        found["code"].astype(np.int64),
        tuple(found["label"].tolist()),
        found["leaves"].astype(np.int64),
        found["leaf_share"].astype(np.float64),
        found["range_share"].astype(np.float64),
        written,
    )
