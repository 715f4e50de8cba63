"""A connection to DuckDB that writes what it runs to a tracer, keeps logs private and explains what DuckDB refuses."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import duckdb

from anonduck.database.ending import interruptible
from anonduck.database.errors import translated
from anonduck.database.files import log_of, make_private_log, remove_empty_log
from anonduck.errors import QueryError
from anonduck.statements import Statement
from anonduck.statements.literals import listed_rows, pasteable, redacted_sql

Tracer = Callable[[str], None]
MOST_LISTED = 1_000  # rows that Python hands over are written into the SQL up to so many


def traced_statement(statement: Statement, parameters: Mapping[str, Any], seconds: float, outcome: str) -> str:
    """A statement to paste into a DuckDB shell, under a comment with its origin, its time and its outcome."""
    return f"-- {statement.origin}: {seconds * 1000:.1f} ms, {outcome}\n{pasteable(statement, parameters)};\n"


def outcome_of(result: Any, columns: Sequence[str]) -> str:
    """How many rows a statement returned, or wrote: DuckDB returns the latter as one row with a column Count."""
    if isinstance(result, list) and list(columns) == ["Count"] and len(result) == 1:
        return f"{result[0][0]:,} rows written"
    rows = _rows(result)
    return f"{rows:,} row" + ("" if rows == 1 else "s")


def _rows(result: Any) -> int:
    if isinstance(result, dict):
        return len(next(iter(result.values()), ()))
    return len(result)


def note_on_database(happened: str, path: Path | None) -> str:
    """A note that a database was opened or closed."""
    return f"-- {happened}: {'a database in memory' if path is None else path}\n"


def note_on_rows(name: str, types: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows that Python registered as a table, as a statement that makes the same table."""
    return f"-- handed over by Python: {len(rows):,} rows\n{listed_rows(name, types, rows)};\n"


def note_on_object(name: str, words: str) -> str:
    """A note that Python registered data that is not written into the trace."""
    return f"-- handed over by Python as {name}: {words}\n"


BindValues = Mapping[str, Any]
Fetch = Literal["fetchall", "fetchnumpy", "df", "to_arrow_table"]
PARSED: dict[str, duckdb.Statement] = {}
"""Parsed statements of this process, by their text: each runs many times."""
MOST_PARSED = 2_000

UNREADABLE = "conversion error"
"""In what DuckDB's binding raises for a message that holds bytes of a damaged file."""


class Session:
    """One connection of DuckDB's, through which every statement of a database goes.

    ``own``: the connection is not its caller's. Parsed statements are shared only by such, as settings change parsing.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, tracer: Tracer | None = None, *, own: bool = True
    ) -> None:
        self.connection = connection
        self.tracer = tracer
        self._parsed = PARSED if own else {}
        self._logs: dict[str, Path] = {}

    @property
    def columns(self) -> list[str]:
        """The names of the columns of the latest result."""
        return [column[0] for column in self.connection.description or []]

    def note(self, text: str) -> None:
        """Pass a text to the tracer, if there is one."""
        if self.tracer is not None:
            self.tracer(text)

    def fetch(self, statement: Statement, parameters: BindValues | None = None, how: Fetch = "fetchall") -> Any:
        """The whole result of a statement, as ``how`` says; raises an AnonduckError for what DuckDB refuses."""
        given = parameters or {}
        if set(given) != statement.parameters:
            raise QueryError(
                statement.origin,
                redacted_sql(statement.sql),
                f"it takes the parameters {sorted(statement.parameters)} and got {sorted(given)}",
            )
        try:
            return self.raw(statement, given, how)
        except duckdb.Error as error:
            raise translated(statement, error) from None
        except RuntimeError as error:
            if UNREADABLE not in str(error):
                raise
            raise translated(statement, duckdb.Error("corrupt, in a message that is no text")) from None

    def raw(self, statement: Statement, parameters: BindValues | None = None, how: Fetch = "fetchall") -> Any:
        """The result of a statement; what DuckDB refuses stays an error of DuckDB's."""
        self.keep_private()
        if self.tracer is None:
            return self._run(statement, parameters or {}, how)
        started = perf_counter()
        try:
            result = self._run(statement, parameters or {}, how)
        except BaseException:
            self.tracer(traced_statement(statement, parameters or {}, perf_counter() - started, "failed"))
            raise
        outcome = outcome_of(result, self.columns if how == "fetchall" else ())
        self.tracer(traced_statement(statement, parameters or {}, perf_counter() - started, outcome))
        return result

    def _run(self, statement: Statement, parameters: BindValues, how: Fetch) -> Any:
        with interruptible(self), _interrupts():
            if how == "to_arrow_table":
                return self.connection.sql(statement.sql).to_arrow_table()
            parsed = self._parse(statement.sql)
            if parameters:
                self.connection.execute(parsed, dict(parameters))
            else:
                self.connection.execute(parsed)
            return getattr(self.connection, how)()

    def _parse(self, sql: str) -> duckdb.Statement | str:
        """A statement as DuckDB parsed it, cached by its text; a text of several statements is returned as it is."""
        parsed = self._parsed.get(sql)
        if parsed is None:
            several = self.connection.extract_statements(sql)
            if len(several) != 1:
                return sql
            (parsed,) = several
            if len(self._parsed) >= MOST_PARSED:
                self._parsed.clear()
            self._parsed[sql] = parsed
        return parsed

    def interrupt(self) -> None:
        """Stop the statement that runs, if there is one; may be called from another thread."""
        self.connection.interrupt()

    def register(self, name: str, data: Any) -> None:
        """Make a table, or a mapping of names to arrays, readable as ``name``; its rows are traced if they are few."""
        self.connection.register(name, data)
        if self.tracer is None:
            return
        held = next(iter(data.values())) if isinstance(data, dict) else data
        if not hasattr(held, "__len__") or len(held) > MOST_LISTED:
            size = f"{len(held):,} rows" if hasattr(held, "__len__") else "a stream of rows"
            self.tracer(note_on_object(name, f"{size}, which are not shown"))
            return
        rows = self.connection.table(name)
        types = {column: str(kind) for column, kind in zip(rows.columns, rows.types, strict=True)}
        self.tracer(note_on_rows(name, types, rows.fetchall()))

    def unregister(self, name: str) -> None:
        """Forget an object of Python."""
        self.connection.unregister(name)

    def watch_log(self, alias: str, path: Path) -> None:
        """Keep the log private of a database file that is attached as ``alias``."""
        self._logs[alias] = log_of(path)

    def keep_private(self) -> None:
        """Make the logs before DuckDB would make them, as it removes them with each checkpoint."""
        for log in self._logs.values():
            make_private_log(log)

    def leave_log(self, alias: str) -> None:
        """Stop keeping the log of a database that is detached; an empty log is removed."""
        log = self._logs.pop(alias, None)
        if log is not None:
            remove_empty_log(log)


@contextlib.contextmanager
def _interrupts() -> Iterator[None]:
    """Turn the errors that DuckDB raises for Ctrl-C into a KeyboardInterrupt."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        if "interrupt" not in str(error).lower():
            raise
        raise KeyboardInterrupt from None
