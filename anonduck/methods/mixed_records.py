"""What a method for mixed data sees of a source: combinations of columns that are numbers or categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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
