"""How wide the nodes of a taxonomy are: the leaves, records and share of the range that each stands for.

A utility measure weighs a label by what it no longer tells: the table ``taxonomy_nodes`` says so for every node above
the leaves. It is written when a taxonomy is made and when an edit of its table is noticed.
"""

from __future__ import annotations

from anonduck.database.connection import Database
from anonduck.statements import statement

Tables = dict[str, str | tuple[str, str]]


def note_nodes(database: Database, column: str, root: int, *, frequency: str = "frequency_set") -> None:
    """Write the nodes of a column into ``taxonomy_nodes``.

    Its columns: column_name, level (1 to root), code, label, leaves, records (NULL where the frequency set lacks the
    column), leaf_share (of all leaves, 0 to 1) and range_share: of the range of the finite leaves, by the interval
    if the taxonomy has bounds, else by its leaves; NULL for values that are no numbers, dates or timestamps.
    """
    database.run(statement("taxonomy/nodes_table.sql"))
    database.run(statement("taxonomy/nodes_forget.sql"), {"column_name": column})
    codes = [f"code_{level}" for level in range(1, root + 1)]
    _keep_leaves(database, column, codes, frequency)
    bounded = codes[-1] in database.types_if_there("bounds", column)
    if bounded:
        bounds: Tables = {"bounds": ("bounds", column)}
        database.run(statement("taxonomy/nodes_pieces_of_bounds.sql", columns={"codes": codes}, table=bounds))
    spans = "nodes_between_bounds" if bounded else "nodes_between_leaves"
    for level, code in enumerate(codes, 1):
        database.run(statement(f"taxonomy/{spans}.sql", column={"code": code}))
        names = {"label": f"level_{level}", "code": code}
        table: Tables = {"taxonomy": ("taxonomy", column)}
        insert = statement("taxonomy/nodes_insert.sql", column=names, table=table)
        database.run(insert, {"column_name": column, "level": level})


def _keep_leaves(database: Database, column: str, codes: list[str], frequency: str) -> None:
    """Write the temporary table ``node_leaves``, with records if the frequency set holds the column in its type."""
    table: Tables = {"taxonomy": ("taxonomy", column)}
    held = database.types_if_there("main", frequency)
    if held.get(f"{column}@value") != database.types_of(("taxonomy", column))["value"]:
        database.run(statement("taxonomy/nodes_uncounted.sql", columns={"codes": codes}, table=table))
        return
    query = statement(
        "taxonomy/nodes_counted.sql",
        columns={"codes": codes},
        column={"source_value": f"{column}@value"},
        table={**table, "frequency": frequency},
    )
    database.run(query)
