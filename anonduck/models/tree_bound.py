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
    trained = tested.sum(axis=0) - tested
    bound = sum(_of_fold(*fold, weights) for fold in zip(tested, trained, strict=True))
    bound += 0.0 if guessed is None else float((guessed * weights).sum())
    return round(bound, DIGITS) + 10.0**-DIGITS


def _of_fold(tested: np.ndarray, trained: np.ndarray, weights: np.ndarray) -> float:
    """The least of the bounds by multipliers, of the records tested in a fold; both (cells, class values)."""
    worth = tested * weights
    if not trained.any():
        return float(worth.max(axis=1).sum())
    most = int(trained.sum(axis=0).argmax())
    slack = (trained - trained[:, [most]]) * weights / max(1.0, trained.sum() / max(1.0, tested.sum()))
    return min(float((worth + one * slack).max(axis=1).sum()) for one in MULTIPLIERS)
