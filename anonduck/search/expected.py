"""What a rule is expected to reach on records that were not there when it was found, and where that is kept.

The accuracy of a rule that was picked as the best of many is optimistic, whatever folds it is measured on: the records
that measure it also picked it. What is kept here was measured on records that the search never saw
(anonduck.evaluation.repeated_search).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Any

from anonduck.database.documents import EXPECTED, keep_document, kept_document
from anonduck.rules.noise import moderated_error
from anonduck.rules.rounding import DIGITS

if TYPE_CHECKING:
    from anonduck.database.connection import Database
    from anonduck.models.scores import FoldResult


SCORED = "in ten pieces, or five parts where one has under 2,500 records, with moderated errors; trees rank by log loss"
"""How scores are measured."""


@dataclass(frozen=True)
class ExpectedScore:
    """What a model that learns from a release is expected to reach on people who are not in it.

    ``accuracy`` and ``balanced_accuracy`` are shares of ``records`` tested records, ``error`` the standard error of the
    accuracy, by the draw of the records that models learn from and of those that test them, ``roc_auc_error`` that of
    the area under the ROC curve, ``majority`` the share of the most frequent class, ``protocol`` how they were
    measured, in words; ``splits`` how often the search was repeated, in ``found`` of which it found a rule (where not,
    the majority class is guessed). ``baseline`` has the accuracy, the balanced accuracy and the area under the ROC
    curve of the same model on the same records, trained on the ungeneralized data. ``parts`` has the scores on each
    held part, or on random pieces of it where there is one, and ``share`` that of the records which each repeated
    search was without.
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
    baseline: Mapping[str, float | None]
    share: float = 0.0
    parts: Sequence[Mapping[str, Any]] = ()
    roc_auc_error: float | None = None
    majority: float | None = None

    def as_json(self) -> dict[str, Any]:
        """The estimate as ``run --json`` and the receipt print it."""
        return asdict(self)


def expected_of(
    tested: Sequence[FoldResult], baseline: Sequence[FoldResult], *, protocol: str, found: int, share: float
) -> ExpectedScore:
    """The estimate from what was tested in each repeated search, and from the baseline's tests on the same records.

    The error is the binomial one of all tested records, or where it is larger that of the mean over the searches, which
    share records (``moderated_error``); each holds out a ``share`` of the records.
    """
    from anonduck.models.scores import score

    found_score, raw = score(tested, protocol=protocol), score(baseline)
    records = int(sum(one.confusion.sum() for one in tested))
    accuracy = found_score.accuracy
    area = found_score.roc_auc
    of_tested = [_part(one) for one in tested]
    parts = of_tested if len(tested) > 1 else [_part(one) for one in tested[0].pieces]
    return ExpectedScore(
        accuracy=round(accuracy, DIGITS),
        balanced_accuracy=round(found_score.balanced_accuracy, DIGITS),
        error=round(error_of(accuracy, records, found_score.fold_accuracies, share), DIGITS),
        macro_f1=round(found_score.macro_f1, DIGITS),
        roc_auc=None if area is None else round(area, DIGITS),
        records=records,
        protocol=found_score.protocol,
        splits=len(tested),
        found=found,
        baseline={
            "accuracy": round(raw.accuracy, DIGITS),
            "balanced_accuracy": round(raw.balanced_accuracy, DIGITS),
            "roc_auc": _rounded(raw.roc_auc),
        },
        share=share,
        parts=parts,
        roc_auc_error=None if area is None else _rounded(area_error_of(of_tested, len(tested), share)),
        majority=round(found_score.majority_share, DIGITS),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def error_of(accuracy: float, records: int, by_part: Sequence[float], share: float) -> float:
    """The standard error of an accuracy on so many records, of which each of several parts held out a share."""
    by_chance = accuracy * (1 - accuracy) / records
    return max(sqrt(by_chance), moderated_error(by_part, by_chance * len(by_part), share / (1 - share)))


def area_error_of(parts: Sequence[Mapping[str, Any]], splits: int, share: float) -> float | None:
    """The standard error of the mean area under the ROC curve of parts, weighed by their records; None without any.

    It is that of the draw of the tested records, or where it is larger that of the mean over ``splits`` searches, which
    share records; each holds out a ``share`` of them.
    """
    told = [part for part in parts if part["roc_auc"] is not None]
    records = sum(part["records"] for part in told)
    if not told:
        return None
    by_chance = sum((part["records"] / records * part["roc_auc_error"]) ** 2 for part in told)
    areas = [part["roc_auc"] for part in told] if splits > 1 else []
    return max(sqrt(by_chance), moderated_error(areas, by_chance * len(areas), share / (1 - share)))


def area_error(area: float, of_class: Sequence[int]) -> float:
    """The standard error of an area under the ROC curve by the draw of the tested records, of which so many have each
    class (Hanley and McNeil 1982); of several classes the mean, as the areas of one class against the rest go together.

    >>> round(area_error(0.8, [60, 40]), 4)
    0.0454
    """
    both, one_of = area / (2 - area), 2 * area * area / (1 + area)
    total, errors = sum(of_class), []
    for own in of_class:
        others = total - own
        if own and others:
            spread = area * (1 - area) + (own - 1) * (both - area**2) + (others - 1) * (one_of - area**2)
            errors.append(sqrt(max(0.0, spread) / (own * others)))
    return fmean(errors)


def _part(tested: FoldResult) -> dict[str, Any]:
    """The scores on a part, not rounded, so that they add up."""
    from anonduck.models.scores import score

    found = score([tested])
    return {
        "records": int(tested.confusion.sum()),
        "accuracy": found.accuracy,
        "balanced_accuracy": found.balanced_accuracy,
        "macro_f1": found.macro_f1,
        "roc_auc": found.roc_auc,
        "roc_auc_error": None if found.roc_auc is None else area_error(found.roc_auc, _of_class(tested)),
    }


def _of_class(tested: FoldResult) -> list[int]:
    """The tested records of each class."""
    found: list[int] = tested.confusion.sum(axis=1).tolist()
    return found


# -- without a part, and of a choice -----------------------------------------------------------------------------------

SCORES = ("accuracy", "balanced_accuracy", "macro_f1", "roc_auc")


def of_parts(score: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A score as JSON, measured on some of its parts alone, or on parts of several scores.

    Scores but for the accuracy are the mean over parts, each weighed by its records.
    """
    records = sum(part["records"] for part in parts)
    means: dict[str, float | None] = {}
    for name in SCORES:
        known = [part for part in parts if part[name] is not None]
        weight = sum(part["records"] for part in known)
        means[name] = sum(part["records"] * part[name] for part in known) / weight if known else None
    by_part = [part["accuracy"] for part in parts] if score["splits"] > 1 else []
    error = error_of(means["accuracy"] or 0.0, records, by_part, score["share"])
    means |= {"error": error, "roc_auc_error": area_error_of(parts, score["splits"], score["share"])}
    told = {name: _rounded(value) for name, value in means.items()}
    return {**score, **told, "records": records, "parts": list(parts)}


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
    keep_document(database, EXPECTED, {"rules": rules, "asked": dict(asked)})


def kept_expected(database: Database) -> KeptEstimates | None:
    """The kept estimates; None where none were made since the last discovery."""
    kept = kept_document(database, EXPECTED)
    return None if kept is None else KeptEstimates(**kept)


def expected_rules(database: Database) -> Mapping[str, Mapping[str, Any]]:
    """The kept estimates by a rule's literal and by model; empty where none were made since the last discovery."""
    kept = kept_expected(database)
    return {} if kept is None else kept.rules
