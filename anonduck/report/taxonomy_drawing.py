"""Taxonomies as the report draws them: nodes with place and width, labelled only if k records hold them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import held_nodes
from anonduck.privacy.direct_identifiers import direct_identifiers_of_lookups
from anonduck.search.freshness import refuse_other_values
from anonduck.statements import statement
from anonduck.statements.column_types import holds_texts
from anonduck.statements.pipeline.column_names import code_column
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.paths import LOOKUP

NULL_CODE = 0
NO_VALUE = "no value"
MOST_NODES = 120
"""The most nodes of a level that are drawn; of a wider level only the number of nodes is shown."""


@dataclass
class DrawnNode:
    """A node: its code and its parent's, its label (None if fewer than k records hold it), leaves and records."""

    code: int
    parent: int | None
    label: str | None
    leaves: int
    records: int
    start: float = 0.0
    end: float = 1.0


def draw_taxonomies(
    database: Database,
    taxonomies: Mapping[str, Taxonomy],
    *,
    k: int,
    records: int,
    floor: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, dict[str, Any]]:
    """Taxonomies as JSON, by column: their levels from the root down, each node with its place between 0 and 1.

    A node's width is its share of the records. A node that fewer than ``k`` records hold, or whose label names a value
    that fewer hold, has neither label nor number of records. NULL is a node under the root. ``floor`` has the levels
    under which values were not distinguished, by column. Raises RuleError if the column's lookup no longer covers all
    ``records`` on which rules were found.
    """
    queries = {
        name: statement(
            "report/column_records.sql",
            column={"leaf_code": code_column(name, 0)},
            table={"lookup": (LOOKUP, name)},
        )
        for name in taxonomies
    }
    nulls = {}
    for name, (none, valued) in database.row_of_each(queries).items():
        in_root = floor.get(name) == taxonomies[name].root  # NULL is in the root there
        nulls[name] = records - valued if in_root else none
        refuse_other_values(name, nulls[name] + valued, records)
    hidden, held = naming_people(database, taxonomies), held_nodes(database, taxonomies)
    nodes = labelled_nodes(database, {one: _drawn(one) for one in taxonomies.values()}, k, hidden)
    return {
        name: {
            "root": one.root,
            "kind": one.kind,
            "nodes": held[name],
            "nulls": bool(nulls[name]),
            "levels": _levels(one, {level: nodes[name, level] for level in _drawn(one)}, k, nulls[name]),
        }
        for name, one in taxonomies.items()
    }


def _drawn(taxonomy: Taxonomy) -> list[int]:
    """The levels that are drawn, from the root down to the first that has too many nodes."""
    levels = range(taxonomy.root, 0, -1)
    return list(takewhile(lambda level: taxonomy.nodes[level] <= MOST_NODES, levels))


def _levels(taxonomy: Taxonomy, drawn: Mapping[int, list[DrawnNode]], k: int, nulls: int) -> dict[str, Any]:
    """The levels of a taxonomy, from the root down, whose column is NULL in so many records."""
    above: dict[int | None, DrawnNode] = {}
    levels: dict[str, Any] = {}
    for level, nodes in drawn.items():
        if level < taxonomy.root and nulls:
            parent = NULL_CODE if NULL_CODE in above else next(iter(above), None)
            nodes.append(DrawnNode(NULL_CODE, parent, NO_VALUE if nulls >= k else None, 0, nulls))
        _place(nodes, above, k)
        above = {node.code: node for node in nodes}
        levels[str(level)] = [_as_json(node) for node in nodes]
    return levels


def labelled_nodes(
    database: Database, levels: Mapping[Taxonomy, Sequence[int]], k: int, hidden: Collection[str]
) -> dict[tuple[str, int], list[DrawnNode]]:
    """By column and level the nodes of some levels of taxonomies except NULL, in the order of their codes, labelled if
    ``k`` records hold them and the label names no rarer value.

    No node under the root is labelled of a column that is ``hidden``, as its texts name people.
    """
    asked = {(one.column, level): (one, level) for one, several in levels.items() for level in several}
    queries = {
        key: statement(
            "report/nodes.sql",
            table={"lookup": (LOOKUP, taxonomy.column)},
            column={
                "code": f"code_{level}",
                "parent_code": f"code_{min(level + 1, taxonomy.root)}",
                "label": f"level_{level}" if level else "value",
            },
        )
        for key, (taxonomy, level) in asked.items()
    }
    found: dict[tuple[str, int], list[DrawnNode]] = {}
    for key, rows in database.rows_of_each(queries, {"k": k}).items():
        taxonomy, level = asked[key]
        top, secret = level == taxonomy.root, taxonomy.column in hidden
        found[key] = [
            DrawnNode(code, None if top else parent, name if top or (safe and not secret) else None, leaves, records)
            for code, parent, name, leaves, records, safe in sorted(rows)
        ]
    return found


def naming_people(database: Database, columns: Iterable[str]) -> frozenset[str]:
    """The columns whose values name people, or are free text, which may: no report shows them or their labels."""
    kinds = database.types_in(LOOKUP)
    texts = [name for name in columns if holds_texts(kinds[name]["value"])]
    found = direct_identifiers_of_lookups(database, texts, LOOKUP)
    return frozenset(name for name, one in found.items() if one.names_people)


def _place(nodes: Sequence[DrawnNode], above: Mapping[int | None, DrawnNode], k: int) -> None:
    """Divide each parent's width among its children, in the order of the codes; the root has all of it."""
    families: dict[int | None, list[DrawnNode]] = {}
    for node in nodes:
        families.setdefault(node.parent, []).append(node)
    for parent, children in families.items():
        at, end = (above[parent].start, above[parent].end) if parent in above else (0.0, 1.0)
        widths = [_width(child, k) for child in children]
        unit = (end - at) / sum(widths)
        for child, width in zip(children, widths, strict=True):
            child.start, child.end = at, at + unit * width
            at = child.end


def _width(node: DrawnNode, k: int) -> float:
    """The records of a node; k / 2 if its number of records is hidden."""
    return float(node.records) if node.label is not None and node.records else k / 2


def _as_json(node: DrawnNode) -> list[Any]:
    shown = node.label is not None
    return [node.label, node.leaves, node.records if shown else None, round(node.start, 4), round(node.end, 4)]
