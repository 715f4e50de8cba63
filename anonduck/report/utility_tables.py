"""What a release by classes lost, and what models reach on it, as tables of a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonduck.report.markup import Markup, element, table


def measured(utility: Mapping[str, Any]) -> Iterator[Markup]:
    """The measures, and the scores of the models beside those on the ungeneralized data."""
    measures = {"information_gain": utility["information_gain"], **utility["measures"]}
    yield table(["measure", "value"], [[name.replace("_", " "), shown(value)] for name, value in measures.items()])
    if utility["models"]:
        yield table(["model", "accuracy", "balanced", "ROC AUC", "accuracy, ungeneralized"], list(_scores(utility)))
        yield element(
            "p",
            "Models are cross-validated on the records of the release; always naming the majority class has an "
            f"accuracy of {shown(utility['majority_share'])}.",
        )


def _scores(utility: Mapping[str, Any]) -> Iterator[list[str]]:
    for model, score in utility["models"].items():
        values = [shown(score[name]) for name in ("accuracy", "balanced_accuracy", "roc_auc")]
        yield [model, *values, shown(utility["baseline"][model]["accuracy"])]


def shown(value: float | None) -> str:
    """A number to four digits; nothing where it was not measured."""
    return "" if value is None else f"{value:.4g}"
