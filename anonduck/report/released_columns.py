"""The columns of a release as its certificate and its report list them: what each is, and what stands in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anonduck.errors import AnonduckError
from anonduck.release.handed_out import AT_ROOT
from anonduck.report.evidence import Evidence
from anonduck.report.markup import Markup, sheet, table
from anonduck.report.unchanged import same_taxonomies
from anonduck.taxonomy.catalog import Taxonomy, stored_taxonomies
from anonduck.workspace import Workspace

MOST_LABELS = 40
KINDS = {
    "intervals": "intervals",
    "clusters": "clusters of values that go together",
    "computed": "computed from the value",
    "file": "as given",
}
"""What a taxonomy is, by its kind in the register."""


def column_sections(workspace: Workspace, evidence: Evidence) -> Iterator[Markup]:
    """What stands under "Columns": a table of those released, and the names of those that are not."""
    receipt = evidence.receipt
    taxonomies = same_taxonomies(workspace.database, receipt)
    rows = [_column(one, taxonomies.get(one["name"])) for one in receipt["columns"]]
    yield table(["column", "role", "level", "taxonomy", "labels"], rows)
    yield _not_released(workspace, receipt)


def _column(column: Mapping[str, Any], taxonomy: Taxonomy | None) -> list[str]:
    if column["role"] != "quasi-identifier":
        return [column["name"], column["role"], "", "", column["words"]]
    labels = column.get("labels")
    if labels is None:
        shown = column.get("words", "")
    else:
        more = len(labels) - MOST_LABELS + column.get("labels_omitted", 0)
        shown = ", ".join("no value" if label is None else str(label) for label in labels[:MOST_LABELS])
        shown += f" and {more:,} more" if more > 0 else ""
    level = _level(column) if "taxonomy" in column else ""
    return [column["name"], column["role"], level, taxonomy_words(column.get("taxonomy", ""), taxonomy), shown]


def taxonomy_words(kind: str, taxonomy: Taxonomy | None) -> str:
    """What a taxonomy is: how it came about, where the decision database still has it, or its kind."""
    named = KINDS.get(kind, kind)
    if taxonomy is None or not taxonomy.origin:
        return named
    if taxonomy.origin.startswith(kind):
        return taxonomy.origin
    return f"{named}: {taxonomy.origin}"


def _level(column: Mapping[str, Any]) -> str:
    """The level of a column, or the levels of its nodes; and whether it has free intervals."""
    if column.get("words") == AT_ROOT:
        return "root (one label for all records)"
    at_levels = column.get("at_levels", {})
    numbers = [level for level in at_levels if level != "intervals"] if column["level"] is None else [column["level"]]
    free = ["free intervals"] if "intervals" in at_levels else []
    told = [", ".join(map(str, numbers))] if numbers else []
    return " and ".join([*told, *free])


def _not_released(workspace: Workspace, receipt: Mapping[str, Any]) -> Markup:
    held = {column["name"] for column in receipt["columns"]}
    absent = [name for name in _quasi_identifiers(workspace) if name not in held]
    parts = [
        ("Columns that are not in it", absent),
        ("Never released", [*workspace.config.left_out, *workspace.config.drop]),
    ]
    return sheet([(words, ", ".join(names)) for words, names in parts if names])


def _quasi_identifiers(workspace: Workspace) -> Sequence[str]:
    """The quasi-identifiers of the config or the source; those that have a taxonomy where the source is gone."""
    if workspace.config.quasi_identifiers is not None:
        return workspace.config.quasi_identifiers
    try:
        return workspace.roles.quasi_identifiers
    except AnonduckError:
        return list(stored_taxonomies(workspace.database))
