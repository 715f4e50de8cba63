"""What the report opens with: the recommended rule and two neighbours, what each does to rows, and who is left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.report.example_rows import made_up_rows
from anonduck.report.left_out import left_out_by_column
from anonduck.report.recommendation import Offer, Recommendation
from anonduck.rules.rule import Rule, literal
from anonduck.search.store import StoredDiscovery
from anonduck.search.stored_rules import judge_of
from anonduck.workspace import Workspace


def decision_of(workspace: Workspace, stored: StoredDiscovery, told: Recommendation) -> dict[str, Any]:
    """The decision as JSON: its ``options`` (the recommended rule first), and ``examples`` of what each does to rows.

    An option is a rule of the page by its ``id``, or one that more suppression would allow, with what is known of it.
    """
    options = [
        _option("recommended", told.rule),
        *([_option("safer", told.safer)] if told.safer else []),
        *([_option("useful", told.useful)] if told.useful else []),
    ]
    levels = [option["levels"] for option in options]
    k, taxonomies = workspace.config.requirement.k, _attributes(workspace, stored)
    for option in options:
        option["left_out"] = _left_out(workspace, stored, option)
    return {
        "measure": told.measure,
        "reason": told.reason,
        "meets": told.meets,
        "options": options,
        "examples": made_up_rows(workspace.database, taxonomies, levels, k),
    }


def _attributes(workspace: Workspace, stored: StoredDiscovery) -> dict[str, Any]:
    """The taxonomies of the quasi-identifiers that rules were found over."""
    return {name: workspace.taxonomies[name] for name in stored.settings["nodes"]}


def _option(kind: str, of: Rule | Offer) -> dict[str, Any]:
    if isinstance(of, Rule):
        known = {"id": of.id, "k": of.measures.k, "classes": of.measures.classes, "suppressed": of.measures.suppressed}
        return {"kind": kind, "levels": dict(of.levels), "literal": literal(of.levels), "share": None, **known}
    found = {name: of.rule[name] for name in ("levels", "literal", "k", "classes", "suppressed")}
    return {"kind": kind, "id": None, "share": of.share, **found}


def _left_out(workspace: Workspace, stored: StoredDiscovery, option: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Who is left out by an option, by column; nothing where nobody is, or others are now than when it was found."""
    if not option["suppressed"]:
        return []
    judge = judge_of(workspace, stored, suppression=option["share"])
    try:
        stays = judge.kept(judge.space.vector(option["levels"]), option["suppressed"])
        found = left_out_by_column(
            workspace.database,
            workspace.taxonomies,
            option["levels"],
            stays,
            workspace.config.requirement.k,
        )
    finally:
        judge.forget()
    return found if all(_left(one) == option["suppressed"] for one in found) else []


def _left(column: Mapping[str, Any]) -> int:
    return int(sum(left for _, _, left in column["groups"]) + column["others"])
