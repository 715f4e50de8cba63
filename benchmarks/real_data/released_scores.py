"""The scores of a tree that is cross-validated on a release by a method, and on the records as they came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck import Project
from anonduck.comparison.model_scores import value
from anonduck.methods.registry import method_label

SCORES = ("accuracy", "balanced_accuracy", "roc_auc")
Scores = dict[str, float]


def released_scores(project: Project, method: str, k: int, settings: Mapping[str, Any]) -> tuple[Scores, Scores]:
    """By name, the scores on the release and on the ungeneralized records, as ``anonduck compare`` measures them."""
    found = project.compare([method_label(method, settings)], [k], models=["tree"])
    (row,) = found.rows
    told = {name: value(row, "tree", name) for name in SCORES}
    return told, {name: found.baseline["tree"][name]["value"] for name in SCORES}
