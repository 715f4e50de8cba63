"""A cut tree as texts of SQL list it: bounds and values with their places, and what their nodes show.

The lists hold no combination of the source. They are of taxonomies, so that values which the source lacks now have
their place, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from anonduck.database.arrow_tables import arrow_table
from anonduck.database.connection import Database
from anonduck.methods.column_labels import ColumnLabels
from anonduck.methods.cut_tree import CutTree, Marks
from anonduck.release.recoder import ReleaseInputs
from anonduck.release.scripts.select_parts import ListedTree, Row, TreeColumn
from anonduck.release.tree_places import GIVEN, bound_places
from anonduck.statements import line, statement
from anonduck.statements.expansion import qualified
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, NodeColumn
from anonduck.taxonomy.catalog import entries
from anonduck.taxonomy.interval_cells import APART, OpenLabels, opening_of

TAXONOMY, BOUNDS = "taxonomy", "bounds"
LACKING = "-1"
"""The cell of a value that its taxonomy lacks."""


def listed_tree(
    database: Database, inputs: ReleaseInputs, tree: CutTree, columns: Sequence[NodeColumn], k: int | None
) -> ListedTree:
    """A tree with the columns that a release by it shows; ``k`` is what its sides need to stay, None if none goes."""
    shown = {column.name: column for column in columns}
    rows = np.column_stack([tree.node, tree.column, tree.first, tree.last, tree.next])
    listed = (
        _column(database, inputs, name, marks, shown.get(name))
        for name, marks in zip(tree.names, tree.marks, strict=True)
    )
    return ListedTree(tuple(listed), [list(map(str, row)) for row in rows.tolist()], int(tree.depths.max()), k)


def _column(database: Database, inputs: ReleaseInputs, name: str, marks: Marks, shown: NodeColumn | None) -> TreeColumn:
    taxonomy, kind = inputs.taxonomies[name], inputs.source.column(name).type
    is_bounded = taxonomy.kind == "intervals"
    levels = range(1, taxonomy.root)
    codes = [f"code_{level}" for level in levels]
    cells: list[Row]
    if is_bounded:
        given = arrow_table({"bound": list(marks.bounds or ()), "place": np.arange(1, 1 + marks.largest)})
        query = statement(
            "release/tree_bounds.sql", columns={"codes": codes}, table={"bounds": (BOUNDS, name), "given": GIVEN}
        )
        with database.registered(GIVEN, given):
            found = database.rows(query)
        cells = [(lower, str(place), _cell(nodes)) for lower, place, *nodes in found]
        paths = _paths(database, (BOUNDS, name), taxonomy.root)
    else:
        paths = _paths(database, (TAXONOMY, name), taxonomy.root)
        values = _values(database, name, codes)
        places = _places(database, name, marks, values, paths if taxonomy.kind == "computed" else {})
        cells = [(row[0], str(place), _cell(row[1:])) for row, place in zip(values, places, strict=True)]
    opening = opening_of(database, entries(database)[name])
    labels = _shown(paths, opening, taxonomy.root, inputs.root_label(name)) if shown is not None else ()
    texts = ((None, None), *_held(database, name)) if shown is not None and not shown.values else ()
    return TreeColumn(
        name,
        kind,
        is_bounded,
        cells,
        list(labels),
        itself=shown is not None and shown.values,
        refuses=inputs.unmapped != "root",
        texts=texts,
    )


def _cell(nodes: Sequence[int | str]) -> str:
    """The number of the lowest node over a value."""
    return str(nodes[0] if nodes else 1)


def _values(database: Database, name: str, codes: Sequence[str]) -> list[tuple[str, ...]]:
    """The values of a taxonomy as text with their nodes, in their order."""
    text = 'SELECT value::VARCHAR, each(codes, "{name}";) FROM {taxonomy} ORDER BY value'
    query = line("release/tree_text._values", text, codes=list(codes), taxonomy=qualified(TAXONOMY, name))
    return [tuple(map(str, row)) for row in database.rows(query)]


def _held(database: Database, name: str) -> Iterator[tuple[str, str]]:
    """The values of the source as texts."""
    text = "SELECT value::VARCHAR AS shown FROM {lookup} ORDER BY value"
    query = line("release/tree_text._held", text, lookup=qualified(LOOKUP_SCHEMA, name))
    for (value,) in database.rows(query):
        yield value, value


def _paths(database: Database, table: tuple[str, str], root: int) -> dict[str, tuple[tuple[int, str], ...]]:
    """By cell, code and label of the node at each level over the values and under the root."""
    levels = [{"level": level} for level in range(1, root)]
    if not levels:
        return {"1": ()}
    text = "SELECT DISTINCT each(levels, code_{level}, level_{level}) FROM {table} ORDER BY ALL"
    query = line("release/tree_text._paths", text, levels=levels, table=qualified(*table))
    found = {}
    for row in database.rows(query):
        found[str(row[0])] = tuple((int(code), str(label)) for code, label in zip(row[::2], row[1::2], strict=True))
    return found


def _places(
    database: Database,
    name: str,
    marks: Marks,
    values: Sequence[tuple[str, ...]],
    labels: Mapping[str, tuple[tuple[int, str], ...]],
) -> list[int]:
    """The places of the values of a taxonomy, whose nodes are named by their ``labels`` where it is computed."""
    if marks.bounds is not None:
        found: list[int] = bound_places(database, (TAXONOMY, name), marks.bounds).tolist()
        return found
    texts: list[list[str | None]] = [[None, *(row[0] for row in values)]]
    for level in range(len(values[0]) - 1 if values else 0):
        named = (labels[_cell(row[1:])][level][1] if labels else str(row[1 + level]) for row in values)
        texts.append([None, *named])
    known = np.ones(len(values) + 1, dtype=bool)
    found = marks.places(ColumnLabels(texts, known)).tolist()
    return found[1:]


def _shown(
    paths: Mapping[str, tuple[tuple[int, str], ...]], opening: OpenLabels | None, root: int, root_label: str
) -> Iterator[Row]:
    """What each cell shows at each level: NULL and values that the taxonomy lacks have no node with others but the
    root; the latter have two at each level, so that not even they have one in common."""
    for cell, path in paths.items():
        for level, (code, label) in enumerate(path, 1):
            opened = [label] * 3
            if opening is not None:
                sides = ((True, False), (False, True), (True, True))
                opened = [opening.opened_at(label, low=low, high=high) for low, high in sides]
            ends = opening is not None and label not in APART
            yield cell, str(level), str(code), label, *opened, str(int(ends))
    for level in range(1, root):
        yield "0", str(level), "0", None, None, None, None, "0"
        for node in ("-1", "-2"):
            yield LACKING, str(level), node, None, None, None, None, "0"
    for cell in (*paths, "0", LACKING):
        yield cell, str(root), "1", root_label, *[root_label] * 3, "0"
