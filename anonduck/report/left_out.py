"""Who the records are that a rule leaves out, by what it shows of each column, in counts of at least k records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.database.connection import Database
from anonduck.report.taxonomy_drawing import NO_VALUE, NULL_CODE, labelled_nodes
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_frequency import code_column
from anonduck.taxonomy.catalog import Taxonomy


@dataclass(frozen=True)
class LeftOutGroup:
    """A group of records as a rule shows it: its label (None if it may not be told), its records, those left out."""

    label: str | None
    records: int
    left_out: int


def left_out_by_column(
    database: Database, taxonomies: Mapping[str, Taxonomy], levels: Mapping[str, int], stays: str, k: int
) -> list[dict[str, Any]]:
    """For each released column: the ``groups`` told, by falling share left out, and how many are left out of all
    ``others``. ``stays`` names the coded frequency set of the records that the rule keeps.

    Neither of a group nor of the others is a number from 1 to k - 1 told or left to be found by subtraction; where
    fewer than k records are left out in all, no group is told.
    """
    found = []
    for name, level in levels.items():
        told, others = told_apart(_groups(database, taxonomies[name], level, stays, k), k)
        found.append(
            {
                "column": name,
                "groups": [[one.label, one.records, one.left_out] for one in told],
                "others": others,
            }
        )
    return found


def told_apart(groups: Sequence[LeftOutGroup], k: int) -> tuple[list[LeftOutGroup], int]:
    """The groups that may be told, by falling share left out, and the records left out of all others.

    A group may be told if it has a label and k of its records are left out. Where fewer than k, but some, are left
    out of the others, the smallest that is told joins them until k are.
    """
    told = sorted((one for one in groups if one.label is not None and one.left_out >= k), key=lambda one: one.left_out)
    others = sum(one.left_out for one in groups) - sum(one.left_out for one in told)
    while told and 0 < others < k:
        others += told.pop(0).left_out
    told.sort(key=lambda one: (-one.left_out / one.records, -one.left_out, str(one.label)))
    return told, others


def _groups(database: Database, taxonomy: Taxonomy, level: int, stays: str, k: int) -> list[LeftOutGroup]:
    query = statement(
        "report/left_out.sql",
        column={"shown": code_column(taxonomy.column, level)},
        table={"coded": stays},
    )
    labels = {node.code: node.label for node in labelled_nodes(database, taxonomy, level, k)}
    return [
        LeftOutGroup(NO_VALUE if node == NULL_CODE and records >= k else labels.get(node), records, left_out)
        for node, records, left_out in database.rows(query)
    ]
