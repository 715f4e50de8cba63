"""The most that a decision tree can score on a rule: tighter than what any model could (anonduck.models.score_bound).

A leaf tells the class value that most of its training records have. So of all records for which a tree tells one class
value c, as many training records have that value as any other: in each fold, over all cells told c, the sum of
T_c - T_d is at least 0, for the training counts T of the cells. What any model could score subject to that is at most,
for every multiplier m >= 0 (Lagrangian relaxation), the sum over cells of the largest w_c n_c + m_c (T_c - T_d): n are
the tested records, w their weights in the score, d the class value that most training records have.

Leaves of a coarser rule, without suppression, hold whole cells of a finer one. So no coarser rule exceeds this either.
"""

from __future__ import annotations

import numpy as np

from anonduck.rules.rounding import DIGITS

MULTIPLIERS = (0.0, 0.25, 0.5, 1.0, 2.0)  # in units of a class value's weight, by training record


def tree_score_bound(
    tested: np.ndarray, totals: np.ndarray, guessed: np.ndarray | None = None, *, balanced: bool = False
) -> float:
    """The most that a tree's cross-validated accuracy, or balanced accuracy, can be.

    Args:
        tested: the records that stay, (folds, equivalence classes, class values).
        totals: the tested records of each class value, those left out among them.
        guessed: of each class value, the records left out that are guessed right; None where none is left out.
        balanced: whether each class value counts the same, or each record.
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
    """The least of the bounds by multipliers of each fold, summed."""
    counts = np.ascontiguousarray(np.moveaxis(tested, 2, 0))  # (class values, folds, cells): the last axis is long
    trained = counts.sum(axis=1, keepdims=True) - counts
    worth = counts * weights[:, None, None]
    told = trained.sum(axis=2)  # (class values, folds)
    folds = np.arange(counts.shape[1])
    slack = (trained - trained[told.argmax(axis=0), folds]) * weights[:, None, None]
    slack /= np.maximum(1.0, told.sum(axis=0) / np.maximum(1.0, counts.sum(axis=(0, 2))))[:, None]
    bounds = [(worth + one * slack).max(axis=0).sum(axis=1) for one in MULTIPLIERS]
    return float(np.where(told.any(axis=0), np.min(bounds, axis=0), bounds[0]).sum())
