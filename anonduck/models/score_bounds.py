"""The most that any model can score on a rule: an upper bound from its contingency table, before a model is trained.

A model of a rule's contingency table tells one class for all tested records with the same codes. In each fold and
equivalence class it is right for the records of one class value at most, and the best that can be is the class value
that adds most to the score:

- accuracy counts each record as 1 / records: at most the sum over folds and equivalence classes of the largest count.
- balanced accuracy, the mean recall over the class values, all folds together (anonduck.models.scores), counts a
  record as 1 / (class values * records of its class value): at most the sum of the largest count so weighted.

A record that is left out counts as the guess of its fold (anonduck.models.contingency): the most frequent class of the
other folds, which is the same for all rules. So what is right among those left out is known, not bounded.
"""

from __future__ import annotations

import numpy as np

from anonduck.models.contingency import Contingency, everyone
from anonduck.rules.rounding import DIGITS


def score_bound(table: Contingency, *, balanced: bool = False) -> float:
    """The most that a model's cross-validated accuracy, or balanced accuracy, can be on a contingency table."""
    known = everyone(table)
    order = np.lexsort((table.classes, *table.codes.T))
    codes, folds, classes = table.codes[order], table.folds[order], table.classes[order]
    first = np.ones(len(codes), dtype=bool)
    first[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    cells = np.flatnonzero(first)
    width = folds.shape[1]
    starts = (np.arange(width)[:, None] * len(codes) + cells).ravel()
    totals = np.zeros(int(max(classes.max(initial=0), known.classes.max(initial=0))) + 1)
    totals[known.classes] = known.folds.sum(axis=1)
    return most_score(
        np.r_[folds.T.ravel(), known.guessed_right],
        np.r_[np.tile(classes, width), known.classes[known.guesses]],
        np.r_[starts, folds.size + np.arange(width)],
        totals,
        balanced=balanced,
    )


def most_score(
    records: np.ndarray, classes: np.ndarray, starts: np.ndarray, totals: np.ndarray, *, balanced: bool
) -> float:
    """The most that a model can score on counts: for each of the groups that start somewhere it tells one class.

    Args:
        records: of each row, (rows,); a group is an equivalence class in a fold, with a row for each class value. Of a
            group that is left out, the rows that are not guessed right are 0.
        classes: the class code of each row.
        starts: the first row of each group.
        totals: the tested records of each class code, those left out among them.
        balanced: whether each class value counts the same, or each record.
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
