"""Whether this DuckDB behaves as queries expect: asked on each opening, if its version was not tested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb

from anonduck.database.errors import redacted
from anonduck.errors import DatabaseError
from anonduck.statements import Statement, statement

TESTED = ("2.0.1",)
"""The versions of DuckDB that the whole test suite passes with; of others some of it is run, such as the lowest."""

QUERIES = ("database/engine_behaviour.sql", "database/duckdb_behaviour.sql")


def refuse_another(ask: Callable[[Statement], Any]) -> None:
    """Raise DatabaseError if this DuckDB was not tested and an expression gives something else than in those that were.

    ``ask`` returns the rows of a statement, or raises an error of DuckDB's.
    """
    if duckdb.__version__ in TESTED:
        return
    try:
        rows = [row for name in QUERIES for row in ask(statement(name))]
    except duckdb.Error as error:
        found = f"it refuses a query of what is expected of it ({redacted(str(error))})"
    else:
        found = "; ".join(
            f"that {behaviour} does not hold, for an expression gives {value!r} in place of {expected!r}"
            for behaviour, value, expected in rows
            if value != expected
        )
    if found:
        raise DatabaseError(
            f"DuckDB {duckdb.__version__} is not among the versions that anonduck was tested with "
            f"({', '.join(TESTED)}), and differs from them: {found}. No figure is sure there. Install a tested "
            f"version, such as `pip install duckdb=={TESTED[-1]}`, or a newer anonduck"
        )
