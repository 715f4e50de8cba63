"""The last comparison in the report: shortened rows and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonduck.comparison.charts import charts
from anonduck.comparison.comparability import footnotes
from anonduck.comparison.comparison import Comparison
from anonduck.comparison.model_scores import SCORES, value
from anonduck.comparison.offers import best_offers
from anonduck.comparison.stored_rows import last_comparison
from anonduck.search.discovery import default_objectives

if TYPE_CHECKING:
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace

OFFERED_BY = ("accuracy", "balanced_accuracy", "roc_auc")
SHOWN = ("method", "protocol", "k_required", "status", "reason", "k", "classes", "suppressed", "comparable", "note")


def comparison_of(workspace: Workspace, records: int | None = None) -> dict[str, Any] | None:
    """The last comparison as JSON; None if there is none, or not of this number of ``records``, if given."""
    document = last_comparison(workspace)
    if document is None or records not in (None, document["records"]):
        return None
    found = Comparison.from_json(document)
    return {
        "models": list(found.models),
        "scores": list(SCORES),
        "protocols": dict(found.protocols),
        "rows": [_row(row, found) for row in found.rows],
        "notes": [f"{protocol}: {line}" for protocol in found.protocols for line in _notes(found, protocol)],
        "charts": charts(found),
    }


def _notes(found: Comparison, protocol: str) -> list[str]:
    """Notes on the rows of a protocol, one line per kind."""
    rows = [row for row in found.rows if row["protocol"] == protocol]
    return [f"{', '.join(note.methods)}: {note.text}" for note in footnotes(rows)]


def offers_of(workspace: Workspace, stored: StoredDiscovery) -> list[dict[str, Any]]:
    """At each k of the frontier, the best of its rules and of the methods' offers, by each leading measure."""
    models = stored.summary["models"]
    measures = OFFERED_BY if models else (default_objectives(models)[1],)
    return [offer for measure in measures for offer in best_offers(workspace, stored, measure)]


def table_of(compared: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """The head and rows of a comparison as a plain table."""
    scored = [(model, score) for model in compared["models"] for score in compared["scores"]]
    head = ["method", "protocol", "k asked", "k", "classes", "left out", "NCP", "marketer risk"]
    head += [f"{model} {score.replace('_', ' ')}" for model, score in scored] + ["note"]
    return head, [_line(row, scored) for row in compared["rows"]]


def _line(row: Mapping[str, Any], scored: Sequence[tuple[str, str]]) -> list[str]:
    counts = ["" if row[name] is None else f"{row[name]:,}" for name in ("k_required", "k", "classes", "suppressed")]
    shares = [row["ncp"], row["risk"], *(row["scores"][model][score] for model, score in scored)]
    note = "" if row["reason"] is None else f"{row['status']}: {row['reason']}"
    return [row["method"], row["protocol"], *counts, *("" if one is None else f"{one:.4f}" for one in shares), note]


def _row(row: Mapping[str, Any], found: Comparison) -> dict[str, Any]:
    scores = {model: {score: value(row, model, score) for score in SCORES} for model in found.models}
    lost = {"ncp": row["measures"].get("ncp"), "risk": row["risks"].get("marketer_risk")}
    return {**{name: row[name] for name in SHOWN}, **lost, "scores": scores}
