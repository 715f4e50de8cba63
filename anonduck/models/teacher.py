"""A teacher: what a model expects of the class of each combination of values, learned from other records.

The records of each cell are dealt to folds. Each record is predicted by gradient boosting that learned from the other
folds, so that its own class does not count, and a combination has the mean over its records.
"""

from __future__ import annotations

import numpy as np

from anonduck.models.estimators import Boosting
from anonduck.models.folds import draw_folds
from anonduck.models.sampling import sample_records

FOLDS = 5
LEARNT = 60_000
"""Records that a model learns from, at most."""
AT_ONCE = 1 << 16
"""Combinations that are predicted at a time, which bounds memory."""


def cross_fitted(
    features: np.ndarray,
    ordered: int,
    combinations: np.ndarray,
    classes: np.ndarray,
    records: np.ndarray,
    *,
    seed: int,
) -> np.ndarray:
    """The expected share of each class value in each combination, (combinations, class values); rows sum to 1.

    Args:
        features: (combinations, columns), first numbers, NaN for NULL, then the codes of nominal columns.
        ordered: how many columns are numbers.
        combinations: (cells,), the combination of each cell.
        classes: (cells,), the class of each cell, from 0.
        records: (cells,), the records of each cell, 1 or more.
        seed: draws the folds and the records that are learned from.
    """
    found = np.zeros((len(features), int(classes.max()) + 1))
    folds = draw_folds(records, classes, folds=FOLDS, seed=seed)
    for fold in range(FOLDS):
        tested = np.bincount(combinations, weights=folds[:, fold], minlength=len(features))
        rows, trained = np.flatnonzero(tested), records - folds[:, fold]
        if not len(rows):
            continue
        if not trained.any():  # one fold has all records: nothing is known of them
            trained = records
        if int(trained.sum()) > LEARNT:
            trained = sample_records(trained, LEARNT, seed=seed + fold)
        held = np.flatnonzero(trained)
        known = np.unique(classes[held])
        if len(known) == 1 or not features.shape[1]:
            found[rows] += (
                tested[rows, None] * np.bincount(classes[held], trained[held], found.shape[1]) / trained.sum()
            )
            continue
        model = Boosting(ordered).fit(features[combinations[held]], classes[held], trained[held].astype(np.float64))
        for some in np.split(rows, range(AT_ONCE, len(rows), AT_ONCE)):
            found[np.ix_(some, known)] += tested[some, None] * model.predict_proba(features[some])
    found /= np.bincount(combinations, weights=records, minlength=len(features))[:, None]
    return found
