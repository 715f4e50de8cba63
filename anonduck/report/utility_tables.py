"""What a release by classes lost, and what models reach on it, as tables of a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonduck.report.markup import Markup, element, table
from anonduck.rules.measure_names import UTILITY

OF_ONE = ("loss", "ncp", "precision", "classification_metric")
"""Measures that are shares themselves."""

A_RECORD = ("distortion", "nonuniform_entropy")
"""Sums over the cells of all records."""


def measured(utility: Mapping[str, Any], records: int) -> Iterator[Markup]:
    """The measures, and the scores of the models beside those on the ungeneralized data, of so many source records."""
    gain = ["information gain", shown(utility["information_gain"]), "bits that the groups give about the class"]
    rows = [
        [name.replace("_", " "), in_scale(name, value, records), UTILITY[name].meaning]
        for name, value in utility["measures"].items()
    ]
    yield table(["measure", "value", "what it is"], [gain, *rows])
    if utility["models"]:
        yield table(["model", "accuracy", "balanced", "ROC AUC", "accuracy, ungeneralized"], list(_scores(utility)))
        yield element(
            "p",
            "Models are cross-validated on the records of the release, and so are those of the ungeneralized data; "
            f"always naming the majority class has an accuracy of {shown(utility['majority_share'])}.",
        )


def in_scale(name: str, value: float | None, records: int) -> str:
    """A utility measure as a share, or what comes to a record of it, so that tables of any size can be compared."""
    if value is None:
        return ""
    if name in OF_ONE:
        return f"{100 * value:.1f} %"
    if name == "discernibility":
        return f"{100 * value / records**2:.3g} % of the square of all records"
    return f"{value / records:.4g} a record" if name in A_RECORD else f"{value:.4g}"


def _scores(utility: Mapping[str, Any]) -> Iterator[list[str]]:
    for model, score in utility["models"].items():
        values = [shown(score[name]) for name in ("accuracy", "balanced_accuracy", "roc_auc")]
        yield [model, *values, shown(utility["baseline"][model]["accuracy"])]


def shown(value: float | None) -> str:
    """A number to four digits; nothing where it was not measured."""
    return "" if value is None else f"{value:.4g}"
