"""The last comparison as the report shows it: its rows, shortened, and its charts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anonduck.comparison.charts import charts
from anonduck.comparison.comparison import Comparison
from anonduck.comparison.model_scores import SCORES, value
from anonduck.comparison.stored_rows import last_comparison

if TYPE_CHECKING:
    from anonduck.workspace import Workspace

SHOWN = ("method", "protocol", "k_required", "status", "reason", "k", "classes", "suppressed")


def comparison_of(workspace: Workspace, records: int) -> dict[str, Any] | None:
    """What the report tells of the last comparison; None where there is none of the same records."""
    document = last_comparison(workspace)
    if document is None or document["records"] != records:
        return None
    found = Comparison.from_json(document)
    return {
        "models": list(found.models),
        "scores": list(SCORES),
        "protocols": dict(found.protocols),
        "rows": [_row(row, found) for row in found.rows],
        "charts": charts(found),
    }


def _row(row: Mapping[str, Any], found: Comparison) -> dict[str, Any]:
    scores = {model: {score: value(row, model, score) for score in SCORES} for model in found.models}
    lost = {"ncp": row["measures"].get("ncp"), "risk": row["risks"].get("marketer_risk")}
    return {**{name: row[name] for name in SHOWN}, **lost, "scores": scores}
