"""What a rule is expected to reach on records that were not there when it was found, and where that is kept.

The accuracy of a rule that was picked as the best of many is optimistic, whatever folds it is measured on: the records
that measure it also picked it. What is kept here was measured on records that the search never saw
(anonduck.evaluation.repeated_search).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np

from anonduck.database.connection import Database
from anonduck.models.scores import FoldResult, mean_recall
from anonduck.rules.rounding import DIGITS
from anonduck.statements import statement


@dataclass(frozen=True)
class ExpectedScore:
    """What a model that learns from a release is expected to reach on people who are not in it.

    ``accuracy`` and ``balanced_accuracy`` are shares of ``records`` tested records, ``error`` the standard error of the
    accuracy, ``protocol`` how they were measured, in words; ``splits`` how often the search was repeated, in ``found``
    of which it found a rule (where not, the majority class is guessed). ``baseline`` has the accuracy and balanced
    accuracy of the same model on the same records, trained on the ungeneralized data.
    """

    accuracy: float
    balanced_accuracy: float
    error: float
    macro_f1: float
    roc_auc: float | None
    records: int
    protocol: str
    splits: int
    found: int
    baseline: Mapping[str, float]

    def as_json(self) -> dict[str, Any]:
        """The estimate as ``run --json`` and the receipt print it."""
        return asdict(self)


def expected_of(
    tested: Sequence[FoldResult], baseline: Sequence[FoldResult], *, protocol: str, found: int
) -> ExpectedScore:
    """The estimate from what was tested in each repeated search, and from the baseline's tests on the same records.

    The error is the binomial one of all tested records, or that of the mean over the searches where it is larger.
    """
    pooled = _pooled(tested)
    of_class, of_prediction = pooled.sum(axis=1), pooled.sum(axis=0)
    right = np.diag(pooled)
    records = int(pooled.sum())
    accuracy = float(right.sum() / records)
    held = of_class > 0
    areas = [one.roc_auc for one in tested if one.roc_auc is not None]
    raw = _pooled(baseline)
    return ExpectedScore(
        accuracy=round(accuracy, DIGITS),
        balanced_accuracy=round(mean_recall(pooled), DIGITS),
        error=round(max(sqrt(accuracy * (1 - accuracy) / records), _spread(tested)), DIGITS),
        macro_f1=round(float((2 * right[held] / (of_class + of_prediction)[held]).mean()), DIGITS),
        roc_auc=round(float(np.mean(areas)), DIGITS) if areas else None,
        records=records,
        protocol=protocol,
        splits=len(tested),
        found=found,
        baseline={
            "accuracy": round(float(np.trace(raw) / raw.sum()), DIGITS),
            "balanced_accuracy": round(mean_recall(raw), DIGITS),
        },
    )


def _pooled(tested: Sequence[FoldResult]) -> np.ndarray:
    return np.asarray(np.sum([one.confusion for one in tested], axis=0))


def _spread(tested: Sequence[FoldResult]) -> float:
    """The standard error of the mean over the searches; nothing can be told of a single one."""
    shares = np.array([np.trace(one.confusion) / one.confusion.sum() for one in tested])
    return float(shares.std(ddof=1) / np.sqrt(len(shares))) if len(shares) > 1 else 0.0


# -- in the decision database ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KeptEstimates:
    """Estimates that were kept: by a rule's literal and by model, as JSON, and what they depend on."""

    rules: Mapping[str, Mapping[str, Any]]
    asked: Mapping[str, Any]


def keep_expected(
    database: Database, estimates: Mapping[str, Mapping[str, ExpectedScore]], asked: Mapping[str, Any]
) -> None:
    """Keep estimates by a rule's literal and by model, with what they depend on."""
    rules = {rule: {model: one.as_json() for model, one in of.items()} for rule, of in estimates.items()}
    document = {"rules": rules, "asked": dict(asked)}
    database.run(statement("search/expected_keep.sql"), {"document": json.dumps(document)})


def kept_expected(database: Database) -> KeptEstimates | None:
    """The kept estimates; None where none were made since the last discovery."""
    if not database.value(statement("search/expected_is_kept.sql")):
        return None
    return KeptEstimates(**json.loads(database.value(statement("search/expected_read.sql"))))


def expected_rules(database: Database) -> Mapping[str, Mapping[str, Any]]:
    """The kept estimates by a rule's literal and by model; empty where none were made since the last discovery."""
    kept = kept_expected(database)
    return {} if kept is None else kept.rules


def forget_expected(database: Database) -> None:
    """Forget the kept estimates: the rules that they are of are replaced."""
    database.drop("expected")
