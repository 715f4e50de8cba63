"""Scores of predictions on counts: accuracy, balanced accuracy, macro F1 and ROC AUC of a cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

NO_RANKING = "the model has neither predict_proba nor decision_function with a column for each class"
ONE_CLASS = "no fold tests records of two classes"


@dataclass(frozen=True)
class Score:
    """What a model reached on records it was not trained on.

    ``accuracy`` is the share of all records that were predicted right; ``standard_error`` that of the mean over the
    folds; ``balanced_accuracy`` the mean recall over the classes of the table, and ``macro_f1`` the mean F1 over them,
    all folds together; ``majority_share`` the accuracy of always naming the most frequent class; ``fold_accuracies``
    one per fold that has records. ``roc_auc`` is the mean over folds of the area under the ROC curve, one class against
    the rest, averaged over the classes that a fold can tell of (Forman and Scholz 2010: the F1 of all folds together,
    the AUC by fold); None for the reason that ``roc_auc_reason`` gives.
    """

    accuracy: float
    standard_error: float
    balanced_accuracy: float
    majority_share: float
    fold_accuracies: tuple[float, ...]
    macro_f1: float
    roc_auc: float | None
    roc_auc_reason: str = ""


@dataclass(frozen=True, eq=False)
class Predicted:
    """The classes predicted for some cells (cells,), and how much speaks for each class (cells, classes) if told."""

    classes: np.ndarray
    rankings: np.ndarray | None


@dataclass(frozen=True, eq=False)
class Tested:
    """One fold: records by true and predicted class, the area under its ROC curves, and why there is none."""

    confusion: np.ndarray
    roc_auc: float | None
    reason: str


def tested_fold(predicted: Predicted, truth: np.ndarray, records: np.ndarray, classes: int) -> Tested:
    """Compare the predictions of cells with their true classes; ``records`` (cells,) are the tested ones."""
    confusion = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(confusion, (truth, predicted.classes), records)
    if predicted.rankings is None:
        return Tested(confusion, None, NO_RANKING)
    area = roc_auc(predicted.rankings, truth, records)
    return Tested(confusion, area, ONE_CLASS if area is None else "")


def roc_auc(rankings: np.ndarray, truth: np.ndarray, records: np.ndarray) -> float | None:
    """The area under the ROC curve, one class against the rest, as the mean over the classes.

    A class that no or every record has is left out; None if all are. With two classes it is the usual area, the same
    for both.
    """
    areas = []
    classes = rankings.shape[1]
    for label in range(classes) if classes > 2 else [classes - 1]:
        _, place = np.unique(rankings[:, label], return_inverse=True)
        inside = np.bincount(place, np.where(truth == label, records, 0))
        outside = np.bincount(place, np.where(truth == label, 0, records))
        pairs = inside.sum() * outside.sum()
        if pairs:
            below = np.cumsum(outside) - outside
            areas.append(float(inside @ (below + outside / 2) / pairs))
    return float(np.mean(areas)) if areas else None


def score(folds: Sequence[Tested]) -> Score:
    """The score of tested folds."""
    confusions = np.array([fold.confusion for fold in folds])
    right = np.trace(confusions, axis1=1, axis2=2)
    accuracies = right / confusions.sum(axis=(1, 2))
    pooled = confusions.sum(axis=0)
    of_class, of_prediction = pooled.sum(axis=1), pooled.sum(axis=0)
    areas = [fold.roc_auc for fold in folds if fold.roc_auc is not None]
    return Score(
        accuracy=float(right.sum() / pooled.sum()),
        standard_error=float(accuracies.std(ddof=1) / np.sqrt(len(accuracies))),
        balanced_accuracy=float((np.diag(pooled) / of_class).mean()),
        majority_share=float(of_class.max() / of_class.sum()),
        fold_accuracies=tuple(accuracies.tolist()),
        macro_f1=float((2 * np.diag(pooled) / (of_class + of_prediction)).mean()),
        roc_auc=float(np.mean(areas)) if areas else None,
        roc_auc_reason="" if areas else folds[0].reason,
    )
