"""The tables of taxonomies: written from nodes, from labels or from the leaves of a file, or with fewer levels."""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.database.connection import Database
from anonduck.statements import statement
from anonduck.statements.pipeline.column_names import levels_to
from anonduck.statements.template import table_of, temporary_table_of


def write_taxonomy(database: Database, column: str, root: int) -> None:
    """Write ``taxonomy."<column>"`` from the temporary tables ``placed`` (leaves) and ``nodes`` (levels 1 to root).

    Leaves the paths of the nodes of level 1 as the temporary table ``paths``.
    """
    levels = levels_to(root)
    upper = [{"level": level, "below": level - 1} for level in range(2, root + 1)]
    database.run(statement("taxonomy/builders/paths_kept.sql", lists={"levels": levels, "upper": upper}))
    written = {"taxonomy": ("taxonomy", column)}
    database.run(statement("taxonomy/builders/taxonomy_of_paths.sql", table=written, lists={"levels": levels}))


def number_nodes(
    database: Database, labelled: str, numbered: str | tuple[str, ...], root: int, *, kept: Sequence[str] = ()
) -> None:
    """Write a table of values with the labels over them and the numbers of their nodes.

    ``labelled`` has the values with level_1 ... and the columns that are ``kept``. Without a schema the table is
    temporary.
    """
    query = statement(
        "taxonomy/builders/numbered_nodes.sql",
        columns={"kept": kept},
        table={"labelled": labelled},
        lists={"levels": levels_to(root)},
    )
    database.run(temporary_table_of(numbered, query) if isinstance(numbered, str) else table_of(numbered, query))


def write_imported(database: Database, column: str, place: int, root: int, numbering: str) -> None:
    """Write ``taxonomy."<column>"`` from the leaves of a file in ``hierarchy_leaves``, which has its place there.

    ``numbering`` names the column (``by_value`` or ``by_line``) whose order numbers the nodes.
    """
    query = statement(
        "taxonomy/files/import_taxonomy.sql",
        column={"numbering": numbering},
        table={"taxonomy": ("taxonomy", column)},
        lists={"levels": levels_to(root)},
    )
    database.run(query, {"place": place})


def keep_levels(database: Database, column: str, kept: Sequence[int], *, bounds: bool) -> None:
    """Rewrite a taxonomy, and its bounds where it has any, with some of the levels above the leaf, ascending."""
    levels = [{"old": old, "new": new} for new, old in enumerate(kept, 1)]
    if bounds:
        query = statement(
            "taxonomy/builders/bounds_kept.sql",
            column={"lowest": f"code_{kept[0]}"},
            table={"bounds": ("bounds", column)},
            lists={"kept": levels},
        )
        database.run(query)
    tables = {"taxonomy": ("taxonomy", column)}
    database.run(statement("taxonomy/builders/levels_kept.sql", table=tables, lists={"kept": levels}))
