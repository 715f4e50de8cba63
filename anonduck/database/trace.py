"""What a tracer is told: each statement as it ran, with its origin, its time and its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anonduck.statements import Statement
from anonduck.statements.literals import listed_rows, pasteable

Tracer = Callable[[str], None]
MOST_LISTED = 1_000  # rows that Python hands over are written into the SQL up to so many


def told(statement: Statement, parameters: Mapping[str, Any], seconds: float, outcome: str) -> str:
    """A statement as a DuckDB shell takes it, under a comment that says where it is from and what came of it."""
    return f"-- {statement.origin}: {seconds * 1000:.1f} ms, {outcome}\n{pasteable(statement, parameters)};\n"


def outcome_of(result: Any, columns: Sequence[str]) -> str:
    """How many rows a statement gave, or wrote: of that DuckDB tells in one row, whose column it calls Count."""
    if isinstance(result, list) and list(columns) == ["Count"] and len(result) == 1:
        return f"{result[0][0]:,} rows written"
    rows = _rows(result)
    return f"{rows:,} row" + ("" if rows == 1 else "s")


def _rows(result: Any) -> int:
    if isinstance(result, dict):
        return len(next(iter(result.values()), ()))
    return len(result)


def told_of_database(happened: str, path: Path | None, *, within: bool = False) -> str:
    """A note that a database was opened (``within`` a connection that was there) or closed."""
    where = " within a connection" if within else ""
    return f"-- {happened}{where}: {'a database in memory' if path is None else path}\n"


def told_of_rows(name: str, types: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows that Python handed over as a table, as the statement that makes the same table."""
    return f"-- handed over by Python: {len(rows):,} rows\n{listed_rows(name, types, rows)};\n"


def told_of_object(name: str, words: str) -> str:
    """A note that Python handed over what is not written into the SQL."""
    return f"-- handed over by Python as {name}: {words}\n"
