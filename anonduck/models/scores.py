"""Scores of predictions on counts: accuracy, balanced accuracy, macro F1 and ROC AUC of a cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from anonduck.models.contingency import AllRecords
from anonduck.rules.measure_names import RELEASED
from anonduck.rules.noise import NOTHING, is_better

NO_RANKING = "the model has neither predict_proba nor decision_function with a column for each class"
ONE_CLASS = "no fold tests records of two classes"


@dataclass(frozen=True)
class Score:
    """What a model reached on records it was not trained on.

    Records that a rule leaves out count as the majority guess: each is predicted as the class that is most frequent
    among all records of the training folds.

    ``accuracy`` is the share of all records that were predicted right; ``standard_error`` that of the mean over the
    folds, 0 of a single one; ``balanced_accuracy`` the mean recall over the classes that were tested, and ``macro_f1``
    the mean F1 over them, all folds together; ``majority_share`` the accuracy of always naming the most frequent class;
    ``fold_accuracies`` one per fold that has records, ``fold_balanced_accuracies`` the mean recall over the classes in
    it, ``fold_macro_f1s`` the mean F1 over these, ``fold_aucs`` the area of each fold, None if it tests a single class;
    ``fold_majorities`` and ``fold_chances`` are the same two of the majority guess. ``protocol`` says on which records
    it was tested. ``roc_auc`` is the mean over folds of the area under the ROC curve, one class against the rest,
    averaged over the classes with an area in a fold (Forman and Scholz 2010: the F1 of all folds together, the AUC by
    fold); None for the reason that ``roc_auc_reason`` gives. A record that is left out has no rank: a pair of records
    that holds one counts as half right, as chance would have it.
    """

    accuracy: float
    standard_error: float
    balanced_accuracy: float
    majority_share: float
    fold_accuracies: tuple[float, ...]
    macro_f1: float
    roc_auc: float | None
    roc_auc_reason: str = ""
    fold_balanced_accuracies: tuple[float, ...] = ()
    fold_majorities: tuple[float, ...] = ()
    fold_chances: tuple[float, ...] = ()
    fold_macro_f1s: tuple[float, ...] = ()
    fold_aucs: tuple[float | None, ...] = ()
    protocol: str = RELEASED

    @property
    def tells_nothing(self) -> bool:
        """Whether the model is no better than the majority guess, but for noise, in accuracy and in balanced accuracy.

        One of the two is enough to tell something: where classes are rare, a model that names them may be right for as
        many records as the guess, and for more of the rare ones.
        """
        return not (
            is_better(self.fold_accuracies, self.fold_majorities, NOTHING)
            or is_better(self.fold_balanced_accuracies, self.fold_chances, NOTHING)
        )


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predicted classes (cells,), and the model's score of each class (cells, classes), None if it gives none."""

    classes: np.ndarray
    rankings: np.ndarray | None


@dataclass(frozen=True, eq=False)
class FoldResult:
    """One fold: records by true and predicted class, the area under its ROC curves, and why there is none.

    ``right`` (tested cells,) are the records of each tested cell that were predicted right. ``guess`` is the class that
    the majority guess names for the fold. ``predictions`` are those of the tested cells; ``pieces`` are what random
    pieces of the fold come to, where it is the only one that is tested.
    """

    confusion: np.ndarray
    right: np.ndarray
    roc_auc: float | None
    reason: str
    guess: int = 0
    predictions: Predictions | None = field(default=None, repr=False)
    pieces: tuple[FoldResult, ...] = ()

    def in_pieces(self, truth: np.ndarray, records: np.ndarray) -> FoldResult:
        """The same with what its pieces come to, and without its predictions.

        ``truth`` (tested cells,) are the true classes, ``records`` (tested cells, pieces) the records of each piece.
        """
        assert self.predictions is not None
        pieces = tuple(counted_right(self.predictions, truth, one, len(self.confusion)) for one in records.T)
        return replace(self, predictions=None, pieces=pieces)


def counted_right(predicted: Predictions, truth: np.ndarray, records: np.ndarray, classes: int) -> FoldResult:
    """Compare predictions with the true classes of some records, (cells,)."""
    confusion = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(confusion, (truth, predicted.classes), records)
    right = np.where(predicted.classes == truth, records, 0)
    area = None if predicted.rankings is None else roc_auc(predicted.rankings, truth, records)
    reason = NO_RANKING if predicted.rankings is None else ONE_CLASS if area is None else ""
    return FoldResult(confusion, right, area, reason)


def tested_fold(
    predicted: Predictions, truth: np.ndarray, records: np.ndarray, known: AllRecords, fold: int
) -> FoldResult:
    """Compare predictions with the true classes, and the guess of the fold with its suppressed records.

    ``records`` (cells,) are the tested ones; classes are rows of ``known.classes``.
    """
    classes, left_out = len(known.classes), known.left_out[:, fold]
    confusion = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(confusion, (truth, predicted.classes), records)
    guess = int(known.guesses[fold])
    confusion[:, guess] += left_out
    right = np.where(predicted.classes == truth, records, 0)
    if predicted.rankings is None:
        return FoldResult(confusion, right, None, NO_RANKING, guess, predicted)
    rankings = np.zeros((len(records), classes))
    rankings[:, : predicted.rankings.shape[1]] = predicted.rankings
    area = roc_auc(rankings, truth, records, left_out)
    reason = ONE_CLASS if area is None else ""
    return FoldResult(confusion, right, area, reason, guess, Predictions(predicted.classes, rankings))


def roc_auc(
    rankings: np.ndarray, truth: np.ndarray, records: np.ndarray, left_out: np.ndarray | None = None
) -> float | None:
    """The area under the ROC curve, one class against the rest, as the mean over the classes.

    A class that no or every record has is passed over; None if all are. With two classes it is the usual area, the same
    for both. ``left_out`` (classes,) are records that have no rank: each pair of records that holds one counts half.
    """
    areas = []
    classes = rankings.shape[1]
    unranked = np.zeros(classes, dtype=np.int64) if left_out is None else left_out
    for label in range(classes) if classes > 2 else [classes - 1]:
        _, place = np.unique(rankings[:, label], return_inverse=True)
        inside = np.bincount(place, np.where(truth == label, records, 0))
        outside = np.bincount(place, np.where(truth == label, 0, records))
        ranked = inside.sum() * outside.sum()
        pairs = (inside.sum() + unranked[label]) * (outside.sum() + unranked.sum() - unranked[label])
        if pairs:
            below = np.cumsum(outside) - outside
            areas.append(float((inside @ (below + outside / 2) + (pairs - ranked) / 2) / pairs))
    return float(np.mean(areas)) if areas else None


@dataclass(frozen=True, eq=False)
class Scores:
    """What models reach: ``by_model``, the models without time left, why there are none, in words, and what it took."""

    by_model: dict[str, Score] = field(default_factory=dict)
    untrained: tuple[str, ...] = ()
    reason: str | None = None
    cpu_seconds: float = 0.0


def score(folds: Sequence[FoldResult], *, protocol: str = RELEASED) -> Score:
    """The score of tested folds."""
    confusions = np.array([fold.confusion for fold in folds])
    accuracies = np.trace(confusions, axis1=1, axis2=2) / confusions.sum(axis=(1, 2))
    pooled, by_class = confusions.sum(axis=0), confusions.sum(axis=2)
    guesses = [fold.guess for fold in folds]
    of_class = pooled.sum(axis=1)
    areas = [fold.roc_auc for fold in folds if fold.roc_auc is not None]
    return Score(
        accuracy=float(np.trace(pooled) / pooled.sum()),
        standard_error=float(accuracies.std(ddof=1) / np.sqrt(len(accuracies))) if len(accuracies) > 1 else 0.0,
        balanced_accuracy=mean_recall(pooled),
        majority_share=float(of_class.max() / of_class.sum()),
        fold_accuracies=tuple(accuracies.tolist()),
        macro_f1=mean_f1(pooled),
        roc_auc=float(np.mean(areas)) if areas else None,
        roc_auc_reason="" if areas else folds[0].reason,
        fold_balanced_accuracies=tuple(mean_recall(one) for one in confusions),
        fold_majorities=tuple((by_class[np.arange(len(folds)), guesses] / by_class.sum(axis=1)).tolist()),
        fold_chances=tuple(_guessed_recall(one, guess) for one, guess in zip(by_class, guesses, strict=True)),
        fold_macro_f1s=tuple(mean_f1(one) for one in confusions),
        fold_aucs=tuple(fold.roc_auc for fold in folds),
        protocol=protocol,
    )


def _guessed_recall(records: np.ndarray, guess: int) -> float:
    """The mean recall of naming one class for all records, over the classes that there are records of."""
    return float(records[guess] > 0) / np.count_nonzero(records)


def mean_f1(confusion: np.ndarray) -> float:
    """The mean F1 over the classes that there are records of, ``confusion`` by true and predicted class."""
    of_class = confusion.sum(axis=1)
    held = of_class > 0
    return float((2 * np.diag(confusion) / (of_class + confusion.sum(axis=0)).clip(min=1))[held].mean())


def mean_recall(confusion: np.ndarray) -> float:
    """The mean recall over the classes that there are records of."""
    of_class = confusion.sum(axis=1)
    held = of_class > 0
    return float((np.diag(confusion)[held] / of_class[held]).mean())
