"""What models reach in a row of a comparison: four scores, each with its spread over the folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from anonduck.rules.rounding import DIGITS

if TYPE_CHECKING:
    from anonduck.models.scores import Score, Scores

SCORES = {
    "accuracy": "fold_accuracies",
    "balanced_accuracy": "fold_balanced_accuracies",
    "macro_f1": "fold_macro_f1s",
    "roc_auc": "fold_aucs",
}
"""By name, where a score keeps its values by fold."""


def score_json(score: Score) -> dict[str, Any]:
    """The scores of a model: each with ``mean`` and ``spread`` (the standard deviation) over ``folds``.

    ``value`` is over all folds together, as in rules and receipts; None where there is no score.
    """
    return {name: _over_folds(getattr(score, name), getattr(score, folds)) for name, folds in SCORES.items()}


def _over_folds(value: float | None, by_fold: Sequence[float | None]) -> dict[str, Any]:
    known = [one for one in by_fold if one is not None]
    return {
        "value": None if value is None else round(float(value), DIGITS),
        "mean": round(fmean(known), DIGITS) if known else None,
        "spread": round(stdev(known), DIGITS) if len(known) > 1 else None,
        "folds": [None if one is None else round(float(one), DIGITS) for one in by_fold],
    }


def scores_json(scores: Scores) -> dict[str, Any]:
    """What models reach, as part of a row."""
    return {
        "models": {name: score_json(one) for name, one in scores.by_model.items()},
        "untrained": list(scores.untrained),
        "models_reason": scores.reason,
        "models_cpu_seconds": round(scores.cpu_seconds, 3),
    }


def value(row: Mapping[str, Any], model: str, score: str) -> float | None:
    """A score of a row; None where there is none."""
    found: float | None = row["models"].get(model, {}).get(score, {}).get("value")
    return found
