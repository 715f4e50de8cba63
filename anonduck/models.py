"""Models measured by cross-validation on contingency tables.

A generalized table has few distinct rows, so models train on those, weighted by the records behind each. A weighted row
counts as so many equal rows: a model learns from them what it learns from the records themselves (anonduck.estimators).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonduck import trees
from anonduck.contingency import Contingency, everyone
from anonduck.errors import ModelError
from anonduck.estimators import CCP_ALPHA, MODELS, Model, check_models, check_takes_weights, model_named
from anonduck.sampling import specific_records
from anonduck.scoring import Predicted, Score, Tested, score, tested_fold

DENSE_BYTES = 1 << 30  # a wider one-hot table is kept sparse, which is slower where both fit
LARGE_CELLS = 1_000  # from here on folds are trained in threads
COUNTED_ENTRIES = 100_000  # a tree whose one-hot table has more entries is grown on counts (anonduck.trees),
COUNTED_VALUES = 10_000  # unless the attributes have more values than this, which every node's histogram holds
_LARGEST = float(np.finfo(np.float32).max)

Learner = Callable[[np.ndarray, np.ndarray], Predicted]


def cross_validate(table: Contingency, model: str, *, seed: int = 0) -> Score:
    """Train ``model`` on all folds but one, test on that one, for each fold; every record counts once as a test.

    Raises as ``predict_folds`` does.
    """
    tested = predict_folds(table, model, seed=seed)
    right = np.zeros(table.folds.shape, dtype=np.int64)
    for fold, found in zip(filled_folds(table), tested, strict=True):
        right[table.folds[:, fold] > 0, fold] = found.right
    return score(tested, right.sum(axis=1))


def filled_folds(table: Contingency) -> np.ndarray:
    """The folds that have records, those that are left out included."""
    return np.flatnonzero(everyone(table).folds.sum(axis=0))


def predict_folds(table: Contingency, model: str, *, only: Sequence[int] | None = None, seed: int = 0) -> list[Tested]:
    """What ``model`` tells of each fold (or those of ``only``), trained on all other folds.

    The folds are drawn once, on the frequency set, and rolled up, so that all rules and the baseline are compared on
    the same split; the paper takes ten (section 6.1). A table with ``nodes`` is tested on its codes, by models that
    learn from records drawn from its nodes with ``seed``.

    Records that are left out teach nothing: each is predicted as the class that is most frequent among all records of
    the training folds, and so is every record where a fold leaves nothing to learn from.

    Raises ModelError for an unknown model, for a table with records in fewer than two folds, and for an estimator
    without weights.
    """
    chosen = model_named(model)
    known = everyone(table)
    filled = np.flatnonzero(known.folds.sum(axis=0))
    if len(filled) < 2:
        raise ModelError(f"a cross-validation needs records in two folds or more; this table has them in {len(filled)}")
    cells = np.flatnonzero(table.folds.sum(axis=1))
    counts = table.folds[cells]
    truth = np.searchsorted(known.classes, table.classes[cells])
    predict = _learner(chosen, table, cells, truth) if table.nodes is None and len(cells) else None

    def test(fold: int) -> Tested:
        records = counts.sum(axis=1) - counts[:, fold]
        tested = np.flatnonzero(counts[:, fold])
        if not (records.any() and len(tested)):
            guess = np.full(len(tested), known.guesses[fold])
            predicted = Predicted(guess, np.zeros((len(tested), len(known.classes))))
        elif predict is not None:
            predicted = predict(records.astype(np.float64), tested)
        else:
            predicted = _predict_originals(chosen, table, cells, truth, records, tested, [seed, fold])
        return tested_fold(predicted, truth[tested], counts[tested, fold], known, fold)

    return _each(test, filled if only is None else np.asarray(only), len(cells))


def _each(step: Callable[[int], Tested], folds: np.ndarray, cells: int) -> list[Tested]:
    """The step for each fold, in threads where training takes long enough (it runs outside the interpreter lock)."""
    if cells < LARGE_CELLS:
        return [step(int(fold)) for fold in folds]
    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(folds))) as threads:
        return list(threads.map(step, folds.tolist()))


def _learner(model: Model, table: Contingency, cells: np.ndarray, truth: np.ndarray) -> Learner:
    """A function that learns from weighted cells and tells the classes of the tested ones."""
    columns = _columns(table, cells) if model.by_counts else None
    if columns is not None:
        numbered = columns  # for mypy: it is not None inside the function below
        return lambda weights, tested: _count(numbered, truth, weights, tested)
    features = _features(table, cells)
    return lambda weights, tested: _predict(model, features, truth, weights, tested)


def _predict_originals(
    model: Model,
    table: Contingency,
    cells: np.ndarray,
    truth: np.ndarray,
    records: np.ndarray,
    tested: np.ndarray,
    seed: list[int],
) -> Predicted:
    """The classes of the tested original cells, by a model that learned from specific records drawn for this fold."""
    assert table.nodes is not None
    codes = table.codes[cells]
    sampled, classes, weights = specific_records(codes, table.nodes[cells], truth, records, seed=seed)
    every = np.vstack([sampled, codes[tested]]).astype(np.int32)
    known = np.r_[classes, truth[tested]]
    folds = np.ones((len(every), 1), dtype=np.int64)
    specific = Contingency(every, table.nominal, table.sizes, known, folds, _values_of(table, every))
    predict = _learner(model, specific, np.arange(len(every)), known)
    trained = np.r_[weights.astype(np.float64), np.zeros(len(tested))]
    return predict(trained, np.arange(len(sampled), len(every)))


def _values_of(table: Contingency, codes: np.ndarray) -> np.ndarray | None:
    """The numbers that stand for codes in a table, for other rows of codes."""
    if table.values is None:
        return None
    values = np.full(codes.shape, np.nan)
    for j, size in enumerate(table.sizes):
        numbers = np.full(size + 1, np.nan)
        numbers[table.codes[:, j]] = table.values[:, j]
        values[:, j] = numbers[codes[:, j]]
    return values


# -- training --------------------------------------------------------------------------------------------------------


def _count(columns: trees.Columns, truth: np.ndarray, weights: np.ndarray, tested: np.ndarray) -> Predicted:
    """The prediction of the tree that is grown on counts."""
    counts = trees.leaf_counts(trees.grow(columns, truth, weights, CCP_ALPHA), columns, tested)
    return Predicted(counts.argmax(axis=1), counts / counts.sum(axis=1, keepdims=True))


def _predict(
    model: Model, features: _Features, truth: np.ndarray, weights: np.ndarray, tested: np.ndarray
) -> Predicted:
    """The classes of the tested cells by the model trained on the weighted ones."""
    trained = np.flatnonzero(weights)
    known = np.bincount(truth, weights=weights, minlength=int(truth.max()) + 1)
    if np.count_nonzero(known) == 1 or features.width == 0:
        return Predicted(np.full(len(tested), known.argmax()), np.zeros((len(tested), len(known))))
    matrix = features.codes if model.by_code else _matrix(model, features, weights)
    rows, row_weights = matrix[trained], weights[trained]
    if model.by_column and isinstance(rows, np.ndarray):
        rows = np.asfortranarray(rows)
    estimator = model.make(matrix, weights)
    check_takes_weights(estimator)
    _fit(model, estimator, rows, truth[trained], row_weights)
    rankings = _rankings(estimator, matrix[tested], len(known))
    if model.by_probability and rankings is not None:
        return Predicted(rankings.argmax(axis=1), rankings)
    return Predicted(np.asarray(estimator.predict(matrix[tested])), rankings)


def _fit(model: Model, estimator: Any, rows: Any, classes: np.ndarray, weights: np.ndarray) -> None:
    try:
        estimator.fit(rows, classes, sample_weight=weights, **model.fit_options)
    except (TypeError, ValueError) as error:
        if not model.imported:
            raise
        raise ModelError(
            f"{type(estimator).__name__} cannot be trained on these contingency tables ({type(error).__name__}); "
            "it must take numbers, classes as whole numbers, and weights"
        ) from None


def _rankings(estimator: Any, rows: Any, classes: int) -> np.ndarray | None:
    """How much speaks for each class, by predict_proba or else decision_function; a class not trained on has 0."""
    asked = getattr(estimator, "predict_proba", None) or getattr(estimator, "decision_function", None)
    known = getattr(estimator, "classes_", None)
    if asked is None or known is None:
        return None
    found = np.asarray(asked(rows))
    if found.ndim == 1:
        found = np.column_stack([-found, found])
    if found.shape[1] != len(known):
        return None
    rankings = np.zeros((len(found), classes))
    rankings[:, known] = found
    return rankings


@dataclass(frozen=True, eq=False)
class _Features:
    """Numbers for a model: ordered columns, where they are NULL, and indicators (one-hot nodes, NULL of ordered).

    ``codes`` are the node codes themselves.
    """

    ordered: np.ndarray
    missing: np.ndarray
    indicators: Any
    codes: np.ndarray

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
    codes = table.codes[cells]
    return _Features(ordered, missing, _indicators(codes, table), codes)


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


__all__ = ["MODELS", "Contingency", "Model", "Score", "check_models", "check_takes_weights", "cross_validate"]
