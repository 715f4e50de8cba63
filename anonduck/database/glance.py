"""A look into a decision database that changes nothing: it is opened to read, and closed at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from anonduck.statements import Statement


def glance(path: Path, query: Statement) -> list[tuple[Any, ...]]:
    """The rows of a query; none where there is no such file, somebody else is writing it, or it has no such table.

    For what is offered and not needed, such as completions of a shell.
    """
    if not path.is_file():
        return []
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            return connection.execute(query.sql).fetchall()
    except duckdb.Error:
        return []
