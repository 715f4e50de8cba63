"""The features of a contingency table for models: numbers, where they are missing, and indicators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anonduck.models import trees
from anonduck.models.contingency import Contingency
from anonduck.models.estimators import Learner

DENSE_BYTES = 1 << 30  # a wider one-hot table is kept sparse for all models
SPARSE_SHARE = 0.1  # so is one with a smaller share of ones, for models that are faster then
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class Features:
    """Numbers for a model: ordered columns, where they are NULL, and indicators (one-hot nodes, NULL of ordered).

    ``codes`` are the node codes themselves, ``nominal`` which columns of these have no order. A model that reads these
    has no use for ``indicators``, which are None then.
    """

    ordered: np.ndarray
    missing: np.ndarray
    indicators: Any
    codes: np.ndarray
    nominal: tuple[bool, ...]

    @property
    def width(self) -> int:
        """The number of features of a cell; without indicators, that of its codes."""
        if self.indicators is None:
            return int(self.codes.shape[1])
        return int(self.ordered.shape[1] + self.indicators.shape[1])


def matrix_of(model: Learner, features: Features, weights: np.ndarray) -> Any:
    """The features side by side, as the model wants them; sparse where the indicators are."""
    if model.by_code:
        return features.codes
    if model.by_category:
        numbers = np.where(features.missing, np.nan, features.ordered)
        return np.hstack([numbers, features.codes[:, list(features.nominal)]])
    ordered = _standardized(features, weights) if model.standardize else features.ordered
    if isinstance(features.indicators, np.ndarray):
        return np.hstack([ordered, features.indicators], dtype=model.dtype, casting="unsafe")
    from scipy import sparse

    return sparse.hstack([sparse.csr_array(ordered), features.indicators], format="csr", dtype=model.dtype)


def _standardized(features: Features, weights: np.ndarray) -> np.ndarray:
    """Ordered columns with mean 0 and variance 1 over the weighted records that are not NULL; NULL becomes 0."""
    present = weights[:, None] * ~features.missing
    total = np.maximum(present.sum(axis=0), 1.0)
    centred = features.ordered - (present * features.ordered).sum(axis=0) / total
    deviation = np.sqrt((present * centred**2).sum(axis=0) / total)
    rounding = 1e-12 * np.abs(features.ordered).max(axis=0, initial=0.0)  # what a constant column may deviate
    scaled: np.ndarray = centred / np.where(deviation > rounding, deviation, 1.0)
    scaled[features.missing] = 0.0
    return scaled


def features_of(table: Contingency, cells: np.ndarray, model: Learner) -> Features:
    """The features of these cells."""
    ordered, missing = _ordered(table, cells)
    codes = table.codes[cells]
    by_code = model.by_code or model.by_category
    indicators = None if by_code else _indicators(codes, table, model.sparse)
    return Features(ordered, missing, indicators, codes, table.nominal)


def _ordered(table: Contingency, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ordered columns as finite numbers, and where they are NULL."""
    codes = table.codes[cells]
    ordered = [j for j, nominal in enumerate(table.nominal) if not nominal]
    numbers = np.empty((len(cells), len(ordered)))
    for column, j in enumerate(ordered):
        values = None if table.values is None else table.values[cells, j]
        numbers[:, column] = _numbers(codes[:, j], values)
    return numbers, codes[:, ordered] == 0


def columns_of(table: Contingency, cells: np.ndarray) -> trees.TreeColumns:
    """The same as numbered values, for trees; where an ordered column is NULL is a nominal one."""
    ordered, missing = _ordered(table, cells)
    nominal = table.codes[np.ix_(cells, np.flatnonzero(table.nominal))]
    return trees.number_values(np.hstack([nominal, missing[:, missing.any(axis=0)]]), ordered.astype(np.float32))


def _numbers(codes: np.ndarray, values: np.ndarray | None) -> np.ndarray:
    """An ordered column as finite numbers: its values, or else its codes; NULL takes the smallest."""
    known = codes != 0
    finite = known & np.isfinite(values) if values is not None else np.zeros(len(codes), dtype=bool)
    if values is None or not finite.any():
        return codes.astype(np.float64)
    least, most = values[finite].min(), values[finite].max()
    numbers = np.where(np.isnan(values), most, np.clip(values, least, most))
    bounded: np.ndarray = np.clip(np.where(known, numbers, least), -_LARGEST, _LARGEST)
    return bounded


def _indicators(codes: np.ndarray, table: Contingency, sparse_is_fast: bool) -> Any:
    """One column of 0 and 1 for each node of a nominal attribute that occurs, and for the NULL of each ordered one."""
    positions = np.zeros(codes.shape, dtype=np.int64)
    width = 0
    for j, (nominal, size) in enumerate(zip(table.nominal, table.sizes, strict=True)):
        occurs = np.bincount(codes[:, j], minlength=size + 1) > 0
        occurs[1:] &= nominal
        positions[:, j] = np.where(occurs, width + np.cumsum(occurs) - 1, -1)[codes[:, j]]
        width += int(occurs.sum())
    rows, attributes = np.nonzero(positions >= 0)
    columns = positions[rows, attributes]
    mostly_zeros = sparse_is_fast and len(table.nominal) < SPARSE_SHARE * width
    if len(codes) * width * 4 <= DENSE_BYTES and not mostly_zeros:
        indicators = np.zeros((len(codes), width), dtype=np.float32)
        indicators[rows, columns] = 1.0
        return indicators
    from scipy import sparse

    entries = np.ones(len(rows), dtype=np.float32)
    return sparse.csr_array((entries, (rows.astype(np.int32), columns.astype(np.int32))), shape=(len(codes), width))
