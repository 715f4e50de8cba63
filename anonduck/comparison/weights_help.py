"""Whether the weights of usefulness help a model: releases by ``flexible`` with each reading of them, and without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from anonduck.comparison.comparison import Comparison

MODEL, Z = "tree", 1.96
UNWEIGHTED = "flexible:levels=least"
WEIGHTED = {"table-5": "flexible:weights=table-5", "equation-8": "flexible:weights=equation-8"}
METHODS = (*WEIGHTED.values(), UNWEIGHTED, "mondrian")
"""What is compared: the same classes with levels by each reading and with the lowest ones, and another method."""


def help_of(found: Comparison) -> list[dict[str, Any]]:
    """By reading, the area under the ROC curve of a tree beside that of the same classes without weights.

    ``error`` is that of the mean difference over the folds (Nadeau and Bengio 2003), which share most of the records
    that they learn from. ``help`` is whether the difference is above 1.96 of it. ``reason`` says why a reading has no
    figure.
    """
    rows = {row["method"]: row for row in found.rows}
    return [_one(name, rows[method], rows[UNWEIGHTED]) for name, method in WEIGHTED.items()]


def _one(name: str, weighted: Mapping[str, Any], unweighted: Mapping[str, Any]) -> dict[str, Any]:
    scores = [_scores(row) for row in (weighted, unweighted)]
    none = {"weights": name, "roc_auc": None, "without": None, "difference": None, "error": None, "help": None}
    if None in scores:
        failed = weighted if scores[0] is None else unweighted
        return none | {"reason": failed["reason"] or failed["models_reason"] or "no fold has two classes"}
    with_, without = (one for one in scores if one is not None)
    apart = np.array([one - other for one, other in _paired(with_["folds"], without["folds"])])
    count = len(apart)
    if count < 2:
        return none | {"reason": "fewer than two folds have two classes in both, so that the error is not known"}
    difference, error = float(apart.mean()), float(np.sqrt((1 / count + 1 / (count - 1)) * apart.var(ddof=1)))
    return none | {
        "roc_auc": with_["value"],
        "without": without["value"],
        "difference": round(difference, 6),
        "error": round(error, 6),
        "help": difference > Z * error,
        "reason": None,
    }


def _scores(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    found = ((row.get("models") or {}).get(MODEL) or {}).get("roc_auc") or {}
    return found if any(one is not None for one in found.get("folds") or ()) else None


def _paired(one: Any, other: Any) -> Iterator[tuple[float, float]]:
    return ((a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None)
