"""A taxonomy as a tree of nodes with their leaves and records, and that tree drawn for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import statement
from anonduck.taxonomy.catalog import Taxonomy, follow_edits, stored_taxonomies, value_type
from anonduck.taxonomy.paths import place_values
from anonduck.taxonomy.tables import number_nodes
from anonduck.words import counted, did_you_mean


@dataclass(frozen=True)
class TaxonomyNode:
    """A node of a taxonomy: its level and code, its parent's code (None for the root), label, leaves and records."""

    level: int
    code: int
    parent: int | None
    label: str
    leaves: int
    records: int


@dataclass(frozen=True)
class TaxonomyView:
    """The nodes of a taxonomy, root first, or of one level of it; and what it does not place.

    ``null_records`` are the records whose value is NULL, ``unknown_records`` those of values without a path. Nodes of
    level 0, the values themselves, are there only when the caller asked for values; else nodes of computed taxonomies
    that stand for few records have no label of their own, as that could disclose a value.
    """

    taxonomy: Taxonomy
    nodes: tuple[TaxonomyNode, ...]
    null_records: int
    unknown_values: int
    unknown_records: int
    level: int | None = None


def show_taxonomy(
    database: Database,
    column: str,
    *,
    level: int | None = None,
    frequency: str = "frequency_set",
    show_values: bool = False,
    label_k: int = 1,
) -> TaxonomyView:
    """The nodes of a column's taxonomy with their numbers of leaves and records, or those of one level.

    A label that is computed from values is shown if ``label_k`` records hold it, or with ``show_values``. Raises
    TaxonomyError for a column without a taxonomy, a level that it does not have, and for level 0 (the source's values)
    unless ``show_values``.
    """
    follow_edits(database, [column], frequency=frequency)
    taxonomy = _stored(database, column)
    value_type(database, column, frequency)
    _check_level(taxonomy, level, show_values)
    lookup = place_values(database, taxonomy, frequency=frequency)
    query = statement(
        "taxonomy/show_outside.sql",
        column={"source_value": f"{column}@value"},
        table={"frequency": frequency, "lookup": lookup},
    )
    nulls, unknown_values, unknown_records = database.row(query)
    _keep_shown(database, taxonomy, lookup)
    least = label_k if taxonomy.kind == "computed" and not show_values else 0
    nodes = {at: _nodes(database, taxonomy, at, least) for at in range(0 if show_values else 1, taxonomy.root + 1)}
    wanted = reversed(nodes) if level is None else [level]
    shown = tuple(node for at in wanted for node in nodes[at].values())
    return TaxonomyView(taxonomy, shown, nulls, unknown_values, unknown_records, level)


def as_json(view: TaxonomyView) -> dict[str, Any]:
    """A view as one JSON document: the taxonomy, what no leaf holds, and a flat list of nodes."""
    taxonomy = view.taxonomy
    return {
        "column": taxonomy.column,
        "kind": taxonomy.kind,
        "ordered": taxonomy.ordered,
        "origin": taxonomy.origin,
        "root": taxonomy.root,
        "leaves": taxonomy.leaves,
        "nodes_per_level": list(taxonomy.nodes),
        "null_records": view.null_records,
        "unknown_values": view.unknown_values,
        "unknown_records": view.unknown_records,
        "nodes": [vars(node) for node in view.nodes],
    }


def _stored(database: Database, column: str) -> Taxonomy:
    stored = stored_taxonomies(database)
    if column not in stored:
        raise TaxonomyError(
            f"column {column!r} has no taxonomy{did_you_mean(column, stored)}; there are taxonomies of "
            f"{', '.join(stored) or 'no column'}"
        )
    return stored[column]


def _check_level(taxonomy: Taxonomy, level: int | None, show_values: bool) -> None:
    if level is None:
        return
    if not 0 <= level <= taxonomy.root:
        raise TaxonomyError(
            f"the taxonomy of {taxonomy.column!r} has the levels 0 to {taxonomy.root}; it has no level {level}"
        )
    if level == 0 and not show_values:
        raise TaxonomyError(f"level 0 of {taxonomy.column!r} holds the source's own values; `--show-values` shows them")


def _keep_shown(database: Database, taxonomy: Taxonomy, lookup: tuple[str, str]) -> None:
    """Write the temporary table ``shown``: the leaves, and the values that have a path without being one."""
    paths = [f"{kind}_{level}" for kind in ("level", "code") for level in range(1, taxonomy.root + 1)]
    tables: dict[str, str | tuple[str, str]] = {"taxonomy": ("taxonomy", taxonomy.column), "lookup": lookup}
    database.run(statement("taxonomy/show_values.sql", columns={"paths": paths}, table=tables))
    if taxonomy.kind == "computed" and database.count("shown") > taxonomy.leaves:
        number_nodes(database, "shown", "shown", taxonomy.root, kept=["records", "leaf"])


def _nodes(database: Database, taxonomy: Taxonomy, level: int, least: int) -> dict[int, TaxonomyNode]:
    """The nodes of one level by code; those of fewer than ``least`` records are not named, but for the root."""
    query = statement(
        "taxonomy/show_nodes.sql",
        column={
            "label": f"level_{level}" if level else "value",
            "code": f"code_{level}",
            "parent_code": f"code_{min(level + 1, taxonomy.root)}",
        },
    )
    top = level == taxonomy.root
    return {
        code: TaxonomyNode(
            level, code, None if top else up, label if top or records >= least else unnamed(least), leaves, records
        )
        for code, up, label, leaves, records in database.rows(query)
    }


def unnamed(least: int) -> str:
    """What stands for the label of a node that fewer than ``least`` records hold."""
    return f"(fewer than {least:,} records)"


LINES = 60
Children = Mapping[tuple[int, int], Sequence[TaxonomyNode]]


def draw(view: TaxonomyView, width: int = 80, max_children: int = 12, lines: int = LINES) -> str:
    """The tree of a view, ``width`` cells wide, or the list of the one level that it holds.

    A node shows at most ``max_children`` children and folds the rest into one line with their records. Levels open from
    the root down as long as about ``lines`` lines hold them; the children of the root always show.
    """
    outside = _outside(view)
    if view.level is not None:
        rows = [(node.label, _counts(node)) for node in view.nodes] + outside
    else:
        rows = _tree(view, outside, max_children, lines)
    return "\n".join([_title(view), *(_fitted(label, counts, width) for label, counts in rows)])


def _title(view: TaxonomyView) -> str:
    taxonomy = view.taxonomy
    where = f"level {view.level}" if view.level is not None else f"levels 0 to {taxonomy.root}"
    return _printable(f"{taxonomy.column} ({taxonomy.kind}, {where}, {counted(taxonomy.leaves, 'leaf', 'leaves')})")


def _outside(view: TaxonomyView) -> list[tuple[str, str]]:
    rows = []
    if view.null_records:
        rows.append(("NULL", counted(view.null_records, "record", "records")))
    if view.unknown_records:
        rows.append(
            (f"without a leaf (values: {view.unknown_values:,})", counted(view.unknown_records, "record", "records"))
        )
    return rows


def _tree(view: TaxonomyView, outside: list[tuple[str, str]], most: int, lines: int) -> list[tuple[str, str]]:
    children: dict[tuple[int, int], list[TaxonomyNode]] = {}
    for node in view.nodes:
        if node.parent is not None:
            children.setdefault((node.level + 1, node.parent), []).append(node)
    top = [node for node in view.nodes if node.parent is None]
    lowest = _lowest_open(top, children, most, lines)
    rows: list[tuple[str, str]] = []
    for root in top:
        rows.append((root.label, _counts(root, view.null_records)))
        rows += _branches(root, children, most, lowest, "", after=len(outside))
    rows += [
        ("└── " + label if at == len(outside) - 1 else "├── " + label, counts)
        for at, (label, counts) in enumerate(outside)
    ]
    return rows


def _lowest_open(top: Sequence[TaxonomyNode], children: Children, most: int, lines: int) -> int:
    """The lowest level that shows: levels open while what they show stays within the lines."""
    shown, used, level = list(top), len(top), max((node.level for node in top), default=0)
    while shown:
        fresh = [child for node in shown for child in children.get((node.level, node.code), [])[:most]]
        used += len(fresh)
        if not fresh or (used > lines and shown[0] not in top):
            break
        shown, level = fresh, level - 1
    return level


def _branches(
    node: TaxonomyNode, children: Children, most: int, lowest: int, prefix: str, *, after: int = 0
) -> Iterable[tuple[str, str]]:
    below = children.get((node.level, node.code), ()) if node.level > lowest else ()
    folded = below[most:]
    for at, child in enumerate(below[:most]):
        last = at == len(below) - 1 and not after
        yield f"{prefix}{'└── ' if last else '├── '}{child.label}", _counts(child)
        yield from _branches(child, children, most, lowest, prefix + ("    " if last else "│   "))
    if folded:
        records = counted(sum(child.records for child in folded), "record", "records")
        yield f"{prefix}{'├── ' if after else '└── '}… and {len(folded):,} more ({records})", ""


def _counts(node: TaxonomyNode, nulls: int = 0) -> str:
    leaves = f"{counted(node.leaves, 'leaf', 'leaves')}, " if node.level else ""
    return f"{leaves}{counted(node.records + nulls, 'record', 'records')}"


def _fitted(label: str, counts: str, width: int) -> str:
    from rich.cells import cell_len, set_cell_size

    label = _printable(label)
    room = max(width - len(counts) - 2, 12) if counts else width
    if cell_len(label) > room:
        label = set_cell_size(label, room - 1) + "…"
    return f"{set_cell_size(label, room)}  {counts}".rstrip() if counts else label


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
