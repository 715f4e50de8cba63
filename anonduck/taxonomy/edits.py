"""Edits of a taxonomy's table by hand: what is kept beside the table follows it, nothing is rebuilt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anonduck.database.connection import Database
from anonduck.statements import statement
from anonduck.taxonomy.catalog import CatalogEntry, check_columns, entries, node_counts, was_edited, write_entry
from anonduck.taxonomy.node_widths import note_nodes


def follow_edits(database: Database, columns: Sequence[str], *, frequency: str = "frequency_set") -> None:
    """Count the nodes of edited taxonomies again, and let their bounds place unseen values as the edited table says.

    Raises TaxonomyError for a table whose columns are not those of a taxonomy any more.
    """
    for column, entry in entries(database).items():
        if column in columns:
            check_columns(database, column)
            if was_edited(database, entry):
                _follow(database, entry, frequency)


def _follow(database: Database, entry: CatalogEntry, frequency: str) -> None:
    column = entry.taxonomy.column
    nodes = node_counts(database, column)
    with database.transaction():
        if entry.taxonomy.kind == "intervals" and nodes[0]:
            _follow_bounds(database, column, entry.taxonomy.root, len(nodes) - 1)
        leaves = database.count(("taxonomy", column))
        counted = replace(entry.taxonomy, root=len(nodes) - 1, leaves=leaves, nodes=nodes)
        write_entry(database, replace(entry, taxonomy=counted))  # with the digest as built: the edit still shows
        note_nodes(database, column, len(nodes) - 1, frequency=frequency)


def _follow_bounds(database: Database, column: str, before: int, root: int) -> None:
    """Intervals get the path of their leaves; those without one keep theirs, relabelled, or go if levels changed."""
    tables: dict[str, str | tuple[str, str]] = {"bounds": ("bounds", column), "taxonomy": ("taxonomy", column)}
    paths = [f"{kind}_{level}" for kind in ("level", "code") for level in range(1, root + 1)]
    same_levels = root == before
    for level in range(1, root + 1) if same_levels else ():
        names = {"label": f"level_{level}", "code": f"code_{level}"}
        database.run(statement("taxonomy/bounds_follow_level.sql", column=names, table=tables))
    columns = {"paths": paths, "kept_paths": paths if same_levels else []}
    of_leaves = statement("taxonomy/bounds_of_leaves.sql", columns=columns, table=tables)
    database.run(of_leaves, {"same_levels": same_levels})
