"""A learner trained on weighted cells, and asked about others: its classes, and how much speaks for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anonduck.errors import ModelError
from anonduck.models.estimators import Learner, check_takes_weights
from anonduck.models.features import Features, matrix_of
from anonduck.models.scores import Predictions


def train_and_predict(
    model: Learner,
    features: Features,
    truth: np.ndarray,
    weights: np.ndarray,
    tested: np.ndarray,
    settings: Sequence[float | None],
) -> list[Predictions]:
    """The classes of the tested cells by the model trained on the weighted ones, with each setting; None is its own."""
    trained = np.flatnonzero(weights)
    known = np.bincount(truth, weights=weights, minlength=int(truth.max()) + 1)
    if np.count_nonzero(known) <= 1 or features.width == 0:
        always = Predictions(np.full(len(tested), known.argmax()), np.zeros((len(tested), len(known))))
        return [always] * len(settings)
    matrix = features.codes if model.by_code else matrix_of(model, features, weights)
    rows, row_weights = matrix[trained], weights[trained]
    if model.by_column and isinstance(rows, np.ndarray):
        rows = np.asfortranarray(rows)
    predicted = []
    for setting in settings:
        estimator = model.make(matrix, weights) if setting is None else model.make(matrix, weights, setting)
        check_takes_weights(estimator)
        _fit(model, estimator, rows, truth[trained], row_weights)
        predicted.append(_predicted(model, estimator, matrix[tested], len(known)))
    return predicted


def _predicted(model: Learner, estimator: Any, rows: Any, classes: int) -> Predictions:
    rankings = _rankings(estimator, rows, classes)
    if model.by_probability and rankings is not None:
        return Predictions(rankings.argmax(axis=1), rankings)
    return Predictions(np.asarray(estimator.predict(rows)), rankings)


def _fit(model: Learner, estimator: Any, rows: Any, classes: np.ndarray, weights: np.ndarray) -> None:
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
