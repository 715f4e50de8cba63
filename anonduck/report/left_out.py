"""Whom a release by a rule leaves out, by what it shows of each column; no few are told of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.database.connection import Database
from anonduck.report.taxonomy_drawing import NO_VALUE, NULL_CODE, labelled_nodes, naming_people
from anonduck.search.store import StoredDiscovery
from anonduck.search.stored_rules import judge_of
from anonduck.statements import statement
from anonduck.statements.pipeline.column_names import code_column
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.workspace import Workspace


def left_out_of(
    workspace: Workspace, stored: StoredDiscovery | None, levels: Mapping[str, int] | None, suppressed: int
) -> list[dict[str, Any]]:
    """The records that a rule leaves out, by column; empty where there are none, or others than its discovery counts,
    and for what is no rule: the columns of a class that is left out show what its records were given."""
    if not suppressed or levels is None or stored is None or not set(levels) <= set(stored.settings["nodes"]):
        return []
    judge = judge_of(workspace, stored)
    try:
        stays = judge.kept(judge.space.vector(levels), suppressed)
        found = left_out_by_column(
            workspace.database, workspace.taxonomies, levels, stays, workspace.config.requirement.k
        )
    finally:
        judge.forget()
    return found if all(_left(one) == suppressed for one in found) else []


def _left(column: Mapping[str, Any]) -> int:
    return int(sum(left for _, _, left in column["groups"]) + column["others"])


@dataclass(frozen=True)
class LeftOutGroup:
    """A group of records as a rule shows it: its label (None if it must stay hidden), its records, the
    suppressed ones.
    """

    label: str | None
    records: int
    left_out: int


def left_out_by_column(
    database: Database, taxonomies: Mapping[str, Taxonomy], levels: Mapping[str, int], stays: str, k: int
) -> list[dict[str, Any]]:
    """For each released column, the suppressed records by what the rule shows.

    ``groups`` are the disclosable ones, by falling share suppressed, ``others`` the suppressed records of all
    other groups. ``stays`` names the coded frequency set of the records that the rule keeps. No number from 1 to k - 1
    is disclosed, or follows by subtraction. If fewer than k records are suppressed in all, no group is disclosed.
    """
    found, hidden = [], naming_people(database, levels)
    for name, level in levels.items():
        groups = _groups(database, taxonomies[name], level, stays, k, name in hidden)
        shown, others = disclosable_groups(groups, k)
        found.append(
            {
                "column": name,
                "groups": [[one.label, one.records, one.left_out] for one in shown],
                "others": others,
            }
        )
    return found


def disclosable_groups(groups: Sequence[LeftOutGroup], k: int) -> tuple[list[LeftOutGroup], int]:
    """The groups that may be disclosed, by falling share suppressed, and the suppressed records of all others.

    A group may be disclosed if it has a label and at least k of its records are suppressed. If the others then have
    some but fewer than k suppressed records, the smallest disclosed groups join them until they have k.
    """
    shown = sorted((one for one in groups if one.label is not None and one.left_out >= k), key=lambda one: one.left_out)
    others = sum(one.left_out for one in groups) - sum(one.left_out for one in shown)
    while shown and 0 < others < k:
        others += shown.pop(0).left_out
    shown.sort(key=lambda one: (-one.left_out / one.records, -one.left_out, str(one.label)))
    return shown, others


def _groups(database: Database, taxonomy: Taxonomy, level: int, stays: str, k: int, hidden: bool) -> list[LeftOutGroup]:
    query = statement(
        "report/left_out.sql",
        column={"shown": code_column(taxonomy.column, level)},
        table={"coded": stays},
    )
    nodes = labelled_nodes(database, {taxonomy: [level]}, k, [taxonomy.column] if hidden else [])
    labels = {node.code: node.label for node in nodes[taxonomy.column, level]}
    return [
        LeftOutGroup(NO_VALUE if node == NULL_CODE and records >= k else labels.get(node), records, left_out)
        for node, records, left_out in database.rows(query)
    ]
