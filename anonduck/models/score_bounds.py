"""Upper bounds on the score of a rule, from its contingency table, before any model is trained.

``most_score`` holds for any model. A model predicts one class for all tested records with the same codes. So in each
fold and equivalence class it is right for the records of one class value at most, and the best choice is the class
value that adds most to the score:

- accuracy counts each record as 1 / records: at most the sum over folds and equivalence classes of the largest count.
- balanced accuracy, the mean recall over the class values, all folds together (anonduck.models.scores), counts a
  record as 1 / (class values * records of its class value): at most the sum of the largest count so weighted.

A suppressed record is predicted as the most frequent class of the other folds (anonduck.models.contingency), which is
the same for all rules. So the number of right predictions among suppressed records is known exactly.

``tree_score_bound`` holds for decision trees and is tighter. A leaf predicts the class value that most of its training
records have. So over all records for which a tree predicts a class value c, at least as many training records have c as
any other value: in each fold, over all cells predicted as c, the sum of T_c - T_d is at least 0, for the training
counts T of the cells. By Lagrangian relaxation, the best score under this condition is at most, for every multiplier
m >= 0, the sum over cells of the largest w_c n_c + m_c (T_c - T_d). Here n are the tested records, w their weights in
the score, and d is the class value that most training records have. Without suppression, leaves of a coarser rule hold
whole cells of a finer one, so that no coarser rule exceeds the bound of a finer one either.
"""

from __future__ import annotations

import numpy as np

from anonduck.rules.rounding import DIGITS


def most_score(
    records: np.ndarray, classes: np.ndarray, starts: np.ndarray, totals: np.ndarray, *, balanced: bool
) -> float:
    """The best score of predicting one class for each group of rows.

    Args:
        records: (rows,) the records of each row. A group is an equivalence class in a fold, with a row for each class
            value. In a suppressed group, only the row of the guessed class may be above 0.
        classes: (rows,) class codes.
        starts: (groups,) the first row of each group.
        totals: the tested records of each class code, suppressed ones included.
        balanced: whether each class value has the same weight (balanced accuracy), or each record (accuracy).
    """
    if not totals.any():
        return 0.0
    if not balanced:
        return round(float(np.maximum.reduceat(records, starts).sum() / totals.sum()), DIGITS)
    shares = np.divide(1.0, totals * np.count_nonzero(totals), out=np.zeros(len(totals)), where=totals > 0)
    return round(float(np.maximum.reduceat(records * shares[classes], starts).sum()), DIGITS) + 10.0**-DIGITS


MULTIPLIERS = (0.0, 0.25, 0.5, 1.0, 2.0)  # in units of a class value's weight, by training record


def tree_score_bound(
    tested: np.ndarray, totals: np.ndarray, guessed: np.ndarray | None = None, *, balanced: bool = False
) -> float:
    """An upper bound on the cross-validated accuracy, or balanced accuracy, of a decision tree.

    Args:
        tested: (folds, equivalence classes, class values) the records that are not suppressed.
        totals: the tested records of each class value, suppressed ones included.
        guessed: for each class value the suppressed records that are guessed right; None without suppression.
        balanced: whether each class value has the same weight (balanced accuracy), or each record (accuracy).
    """
    if not totals.any():
        return 0.0
    held = totals > 0
    if balanced:
        weights = np.divide(1.0, totals * np.count_nonzero(held), out=np.zeros(len(totals)), where=held)
    else:
        weights = np.full(len(totals), 1.0 / totals.sum())
    bound = _of_folds(tested, weights)
    bound += 0.0 if guessed is None else float((guessed * weights).sum())
    return round(bound, DIGITS) + 10.0**-DIGITS


def _of_folds(tested: np.ndarray, weights: np.ndarray) -> float:
    """The sum over folds of the smallest bound over the multipliers."""
    counts = np.ascontiguousarray(np.moveaxis(tested, 2, 0))  # (class values, folds, cells): the last axis is long
    trained = counts.sum(axis=1, keepdims=True) - counts
    worth = counts * weights[:, None, None]
    of_values = trained.sum(axis=2)  # (class values, folds)
    folds = np.arange(counts.shape[1])
    slack = (trained - trained[of_values.argmax(axis=0), folds]) * weights[:, None, None]
    slack /= np.maximum(1.0, of_values.sum(axis=0) / np.maximum(1.0, counts.sum(axis=(0, 2))))[:, None]
    bounds = [(worth + one * slack).max(axis=0).sum(axis=1) for one in MULTIPLIERS]
    return float(np.where(of_values.any(axis=0), np.min(bounds, axis=0), bounds[0]).sum())
