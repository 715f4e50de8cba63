"""Models measured by cross-validation on contingency tables; the only module that knows scikit-learn.

A generalized table has few distinct rows, so models train on those, weighted by the records behind each. A weighted row
counts as so many equal rows: tree and svm learn from them what they learn from the records themselves. What weights do
not reach is set here from weighted figures (the gamma of the svm), or not used (min_samples_leaf, which counts rows).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anonduck import trees
from anonduck.contingency import Contingency
from anonduck.errors import ModelError

DENSE_BYTES = 1 << 30  # a wider one-hot table is kept sparse, which is slower where both fit
LARGE_CELLS = 1_000  # from here on folds are trained in threads
CCP_ALPHA = 5e-4
COUNTED_ENTRIES = 100_000  # a tree whose one-hot table has more entries is grown on counts (anonduck.trees),
COUNTED_VALUES = 10_000  # unless the attributes have more values than this, which every node's histogram holds
CACHE_MB = 500  # of kernel rows, for each svm in training
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Score:
    """What a model reached on records it was not trained on.

    ``accuracy`` is the share of all records that were predicted right; ``standard_error`` that of the mean over the
    folds; ``balanced_accuracy`` the mean recall over the classes of the table, all folds together; ``majority_share``
    the accuracy of always naming the most frequent class; ``fold_accuracies`` one per fold that has records.
    """

    accuracy: float
    standard_error: float
    balanced_accuracy: float
    majority_share: float
    fold_accuracies: tuple[float, ...]


@dataclass(frozen=True)
class Model:
    """How to make an estimator for training ``(features, weights)``, and what features it wants."""

    make: Callable[[Any, np.ndarray], Any]
    standardize: bool = False
    by_counts: bool = False  # large tables need no estimator: anonduck.trees grows the same tree on counts
    by_column: bool = False  # it reads one feature after the other, which is faster where features lie in one piece
    dtype: type = np.float32
    fit_options: dict[str, Any] = field(default_factory=dict)


def _tree(_features: Any, _weights: np.ndarray) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(criterion="entropy", ccp_alpha=CCP_ALPHA, random_state=0)


def _svm(features: Any, weights: np.ndarray) -> Any:
    from sklearn.svm import SVC

    return SVC(kernel="rbf", C=1.0, gamma=_gamma(features, weights), cache_size=CACHE_MB)


def _gamma(features: Any, weights: np.ndarray) -> float:
    """What gamma="scale" is on repeated rows: 1 / (features * variance of all entries), with weighted entries."""
    entries = float(weights.sum()) * features.shape[1]
    mean = float((weights @ features).sum()) / entries
    variance = float((weights @ (features * features)).sum()) / entries - mean * mean
    return 1.0 / (features.shape[1] * variance) if variance > 1e-12 else 1.0


MODELS: dict[str, Model] = {
    "tree": Model(_tree, by_counts=True, by_column=True),
    "svm": Model(_svm, standardize=True, dtype=np.float64),
}


def check_takes_weights(estimator: Any) -> None:
    """Raise ModelError for an estimator whose ``fit`` takes no ``sample_weight``: counts would be lost on it."""
    from sklearn.utils.validation import has_fit_parameter

    if not has_fit_parameter(estimator, "sample_weight"):
        raise ModelError(
            f"{type(estimator).__name__} takes no sample_weight, so it cannot train on counts; "
            f"use an estimator whose fit has that parameter, such as those of {', '.join(MODELS)}"
        )


def cross_validate(table: Contingency, model: str) -> Score:
    """Train ``model`` on all folds but one, test on that one, for each fold; every record counts once as a test.

    The folds are drawn once, on the frequency set, and rolled up, so that all rules and the baseline are compared on
    the same split; the paper takes ten (section 6.1). Raises ModelError for an unknown model, for a table with records
    in fewer than two folds, and for an estimator without weights.
    """
    chosen = _model(model)
    filled = np.flatnonzero(table.folds.sum(axis=0))
    if len(filled) < 2:
        raise ModelError(f"a cross-validation needs records in two folds or more; this table has them in {len(filled)}")
    cells = np.flatnonzero(table.folds.sum(axis=1))
    counts = table.folds[cells]
    labels, truth = np.unique(table.classes[cells], return_inverse=True)
    predict = _learner(chosen, table, cells, truth)

    def confusion(fold: int) -> np.ndarray:
        weights = (counts.sum(axis=1) - counts[:, fold]).astype(np.float64)
        tested = np.flatnonzero(counts[:, fold])
        predicted = predict(weights, tested)
        counted = np.zeros((len(labels), len(labels)), dtype=np.int64)
        np.add.at(counted, (truth[tested], predicted), counts[tested, fold])
        return counted

    return _score(np.array(_each(confusion, filled, len(cells))))


def _model(name: str) -> Model:
    if name not in MODELS:
        raise ModelError(f"there is no model {name!r}; allowed are {', '.join(MODELS)}")
    return MODELS[name]


def _each(step: Callable[[int], np.ndarray], folds: np.ndarray, cells: int) -> list[np.ndarray]:
    """The step for each fold, in threads where training takes long enough (it runs outside the interpreter lock)."""
    if cells < LARGE_CELLS:
        return [step(int(fold)) for fold in folds]
    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(folds))) as threads:
        return list(threads.map(step, folds.tolist()))


def _score(confusions: np.ndarray) -> Score:
    """The score of confusion counts (folds, true classes, predicted classes)."""
    right = np.trace(confusions, axis1=1, axis2=2)
    accuracies = right / confusions.sum(axis=(1, 2))
    pooled = confusions.sum(axis=0)
    of_class = pooled.sum(axis=1)
    return Score(
        accuracy=float(right.sum() / pooled.sum()),
        standard_error=float(accuracies.std(ddof=1) / np.sqrt(len(accuracies))),
        balanced_accuracy=float((np.diag(pooled) / of_class).mean()),
        majority_share=float(of_class.max() / of_class.sum()),
        fold_accuracies=tuple(accuracies.tolist()),
    )


def _learner(
    model: Model, table: Contingency, cells: np.ndarray, truth: np.ndarray
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A function that learns from weighted cells and returns the classes predicted for the tested ones."""
    columns = _columns(table, cells) if model.by_counts else None
    if columns is not None:
        numbered = columns  # for mypy: it is not None inside the function below
        return lambda weights, tested: trees.predict(trees.grow(numbered, truth, weights, CCP_ALPHA), numbered, tested)
    features = _features(table, cells)
    return lambda weights, tested: _predict(model, features, truth, weights, tested)


# -- training --------------------------------------------------------------------------------------------------------


def _predict(
    model: Model, features: _Features, truth: np.ndarray, weights: np.ndarray, tested: np.ndarray
) -> np.ndarray:
    """The classes predicted for the tested cells by the model trained on the weighted ones."""
    trained = np.flatnonzero(weights)
    known = np.bincount(truth, weights=weights)
    if np.count_nonzero(known) == 1 or features.width == 0:
        return np.full(len(tested), known.argmax())
    matrix = _matrix(model, features, weights)
    rows, row_weights = matrix[trained], weights[trained]
    if model.by_column and isinstance(rows, np.ndarray):
        rows = np.asfortranarray(rows)
    estimator = model.make(rows, row_weights)
    check_takes_weights(estimator)
    estimator.fit(rows, truth[trained], sample_weight=row_weights, **model.fit_options)
    predicted: np.ndarray = estimator.predict(matrix[tested])
    return predicted


@dataclass(frozen=True, eq=False)
class _Features:
    """Numbers for a model: ordered columns, where they are NULL, and indicators (one-hot nodes, NULL of ordered)."""

    ordered: np.ndarray
    missing: np.ndarray
    indicators: Any

    @property
    def width(self) -> int:
        return int(self.ordered.shape[1] + self.indicators.shape[1])


def _matrix(model: Model, features: _Features, weights: np.ndarray) -> Any:
    """The features side by side, as the model wants them; sparse where the indicators are."""
    ordered = _standardized(features, weights) if model.standardize else features.ordered
    if isinstance(features.indicators, np.ndarray):
        return np.hstack([ordered, features.indicators], dtype=model.dtype, casting="unsafe")
    from scipy import sparse

    return sparse.hstack([sparse.csr_array(ordered), features.indicators], format="csr", dtype=model.dtype)


def _standardized(features: _Features, weights: np.ndarray) -> np.ndarray:
    """Ordered columns with mean 0 and variance 1 over the weighted records that are not NULL; NULL becomes 0."""
    present = weights[:, None] * ~features.missing
    total = np.maximum(present.sum(axis=0), 1.0)
    centred = features.ordered - (present * features.ordered).sum(axis=0) / total
    deviation = np.sqrt((present * centred**2).sum(axis=0) / total)
    rounding = 1e-12 * np.abs(features.ordered).max(axis=0, initial=0.0)  # what a constant column may deviate
    scaled: np.ndarray = centred / np.where(deviation > rounding, deviation, 1.0)
    scaled[features.missing] = 0.0
    return scaled


# -- features --------------------------------------------------------------------------------------------------------


def _features(table: Contingency, cells: np.ndarray) -> _Features:
    ordered, missing = _ordered(table, cells)
    return _Features(ordered, missing, _indicators(table.codes[cells], table))


def _ordered(table: Contingency, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ordered columns as finite numbers, and where they are NULL."""
    codes = table.codes[cells]
    ordered = [j for j, nominal in enumerate(table.nominal) if not nominal]
    numbers = np.empty((len(cells), len(ordered)))
    for column, j in enumerate(ordered):
        values = None if table.values is None else table.values[cells, j]
        numbers[:, column] = _numbers(codes[:, j], values)
    return numbers, codes[:, ordered] == 0


def _columns(table: Contingency, cells: np.ndarray) -> trees.Columns | None:
    """The same as numbered values, where a tree is better grown on counts; NULL of ordered columns as a nominal one."""
    if len(cells) * (sum(table.sizes) + len(table.sizes)) <= COUNTED_ENTRIES:
        return None
    ordered, missing = _ordered(table, cells)
    nominal = table.codes[np.ix_(cells, np.flatnonzero(table.nominal))]
    columns = trees.number_values(np.hstack([nominal, missing[:, missing.any(axis=0)]]), ordered.astype(np.float32))
    values = len(columns.numbers)
    width = ordered.shape[1] + values - int(columns.starts[ordered.shape[1]])
    return columns if len(cells) * width > COUNTED_ENTRIES and values <= COUNTED_VALUES else None


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


def _indicators(codes: np.ndarray, table: Contingency) -> Any:
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
    if len(codes) * width * 4 <= DENSE_BYTES:
        indicators = np.zeros((len(codes), width), dtype=np.float32)
        indicators[rows, columns] = 1.0
        return indicators
    from scipy import sparse

    entries = np.ones(len(rows), dtype=np.float32)
    return sparse.csr_array((entries, (rows.astype(np.int32), columns.astype(np.int32))), shape=(len(codes), width))


__all__ = ["MODELS", "Contingency", "Model", "Score", "check_takes_weights", "cross_validate"]
