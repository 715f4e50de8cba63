"""The labels over original values, from taxonomies of one row per value: the temporary table ``paths``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy.lookup import read_lines
from anonduck.statements import statement

LISTED = "listed_taxonomy"


def add_listed(work: Database, number: int, column: str, source: Any) -> None:
    """Add the taxonomy of a column: a CSV file or DataFrame of one line per value, the value first, then its labels."""
    import pandas as pd

    lines = read_lines(column, source)
    levels = [f"level_{level}" for level in range(1, len(lines[0]))]
    if not levels:
        raise AuditError(
            f"the taxonomy of {column!r} has one field in a line; it has the value, then a label per level"
        )
    work.register(LISTED, pd.DataFrame(lines, columns=["value", *levels], dtype="str"))
    try:
        add_labels(work, number, LISTED, levels)
    finally:
        work.unregister(LISTED)


def add_labels(work: Database, number: int, table: str, levels: Sequence[str]) -> None:
    """Add the labels of a table with a column ``value`` and the columns ``levels``."""
    query = statement(
        "privacy/add_paths.sql", columns={"levels": levels}, column={"value": "value"}, table={"taxonomy": table}
    )
    work.run(query, {"attribute": number})
