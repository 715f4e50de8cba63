"""The only door to DuckDB: one connection, statements in, rows out, errors with their query.

Longer than most modules, for it is one class that all rooms ask, by methods of a few lines each.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import duckdb

from anonduck.database.attachments import attached_source, copied, detach, free_name, has_database
from anonduck.database.behaviour import refuse_another
from anonduck.database.ending import remove_at_the_end, removed
from anonduck.database.errors import cannot_open, io_words, kind_of, redacted
from anonduck.database.files import (
    FORMAT,
    is_of_this_format,
    make_private_database,
    open_file,
    refuse_other_file,
    refuse_taken,
    remove_empty,
    spill_beside,
    spill_of,
    spill_of_memory,
)
from anonduck.database.session import BindValues, Session, Tracer, note_on_database
from anonduck.database.settings import (
    ORDER,
    apply_settings,
    at_least_two_threads,
    limit,
    one_thread,
    set_order,
    set_timezone,
)
from anonduck.errors import AnonduckError, DatabaseError, SourceError, kind_for
from anonduck.statements import Statement, builder_database, line, statement, together
from anonduck.statements.expansion import named

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

CATALOG = "anonduck"
TableName = str | tuple[str, str]
"""A table by its name, or by its schema and its name."""
TIMEZONE = "UTC"
Key = TypeVar("Key")
Value = TypeVar("Value")
_ATTACHING = threading.Lock()
"""Held between choosing a free name in a connection with several cursors, and attaching under it."""
_READING = threading.Lock()
"""Held while a caller's own connection runs a call: it takes one at a time."""
LOCKED = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
IN_MEMORY: dict[str, Any] = {**LOCKED, **ORDER, "default_collation": "binary"}
"""What a database in memory begins with; the settings of a file are those of all its connections in this process."""

TRIGGERS = ("macro", "system", "main", "duckdb_triggers")
"""The function that lists triggers, among the objects of all databases."""


def version() -> str:
    """DuckDB's version, for receipts."""
    return str(duckdb.__version__)


def is_relation(data: object) -> TypeGuard[duckdb.DuckDBPyRelation]:
    """Whether an object is a relation of DuckDB."""
    return isinstance(data, duckdb.DuckDBPyRelation)


def relation_of(table: Any) -> duckdb.DuckDBPyRelation:
    """An Arrow table as a relation of DuckDB's default connection."""
    return duckdb.from_arrow(table)


class Database:
    """A decision database: a DuckDB file, or memory, that holds what each step wrote.

    With ``connection`` the work happens in a cursor of the caller's connection, in an attached database of its own, so
    that the caller's search path, transactions and tables stay as they are. Timestamps with zone are read and written
    in ``timezone``, wherever the process runs. A file that holds more than anonduck makes is refused. ``tracer``
    gets the text of each statement as it ran, with its parameters written in.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        connection: duckdb.DuckDBPyConnection | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        timezone: str = TIMEZONE,
        tracer: Tracer | None = None,
    ) -> None:
        self.path = path
        self.caller = connection
        self.timezone = timezone
        self._spill: Path | None = None
        self._folders = contextlib.ExitStack()  # private ones that stay until the end
        self.remarks: list[str] = []  # how tables were read, where a user has to know and nothing else says it
        self._is_new = False  # made by this opening, so that it holds nothing
        self._session = self._open(path, connection, tracer)
        self._session.note(
            note_on_database("opened" if connection is None else "opened in a connection of its caller", path)
        )
        try:
            if connection is not None or path is not None:
                set_order(self._session)
                self._session.raw(builder_database.COMPARE_BYTES)
            self._secure(path)
            refuse_another(self._session.raw)
            set_timezone(self._session, timezone)
            if connection is None:
                self._limit(threads, memory_limit)
        except BaseException:
            self.close()
            raise

    @property
    def tracer(self) -> Tracer | None:
        """What gets the text of each statement as it ran."""
        return self._session.tracer

    # -- opening and closing ---------------------------------------------------------------------------------------

    def _open(self, path: Path | None, caller: duckdb.DuckDBPyConnection | None, tracer: Tracer | None) -> Session:
        target = ":memory:" if path is None else str(path)
        refuse_other_file(path)
        if caller is None:
            refuse_taken(Path(target))
        try:
            if path is None and caller is None:
                session = Session(duckdb.connect(target, config=IN_MEMORY), tracer)
            elif caller is None:
                assert path is not None
                opened, self._is_new = open_file(path)
                session = Session(opened, tracer)
            else:
                with _READING:
                    cursor = caller.cursor()
                session = self._attached(path, Session(cursor, tracer, own=False))
        except duckdb.Error as error:
            raise cannot_open(target, error) from None
        except OSError as error:
            raise kind_for(DatabaseError, error)(
                f"the decision database {target} cannot be made: {error.strerror}; name another place as `database`"
            ) from None
        if path is not None:
            session.watch_log("", path)
        return session

    def _attached(self, path: Path | None, session: Session) -> Session:
        """Attach a database of our own to a cursor of the caller's connection, and make it the current one."""
        if path is not None and not path.exists():
            make_private_database(path, lambda made: duckdb.connect(str(made)).close())
        ((self._home,),) = session.raw(builder_database.CURRENT)
        with _ATTACHING:
            taken = {name for (name,) in session.raw(builder_database.ATTACHED)}
            self.catalog = next(n for n in (f"{CATALOG}_{i}" for i in range(len(taken) + 1)) if n not in taken)
            session.raw(builder_database.attach(":memory:" if path is None else str(path), self.catalog))
        session.raw(builder_database.use(self.catalog))
        return session

    def _secure(self, path: Path | None) -> None:
        """Refuse a file that holds objects anonduck did not make; keep our own connection from loading extensions."""
        if self.caller is None:
            if path is not None:
                apply_settings(self._session, LOCKED)
            self.catalog = str(self.value(builder_database.CURRENT))
        if path is None:
            return
        objects = [] if self._is_new else self.objects()
        if not is_of_this_format(str(path), self.catalog, objects):
            self._session.raw(builder_database.schema(FORMAT))

    def objects(self) -> list[tuple[Any, ...]]:
        """What all databases hold: the rows of database/objects.sql, and of triggers.sql where DuckDB has triggers."""
        found = self.rows(statement("database/objects.sql"))
        if TRIGGERS in (row[:4] for row in found):
            found += self.rows(statement("database/triggers.sql"))
        return found

    def _limit(self, threads: int | None, memory_limit: str | None) -> None:
        """Set what the work may use: threads, memory, and a private folder to spill to."""
        limit(self._session, threads, memory_limit)
        try:
            self._spill = spill_of_memory() if self.path is None else spill_beside(self.path)
        except OSError as error:
            raise kind_for(DatabaseError, error)(f"there can be no folder to spill to: {error.strerror}") from None
        remove_at_the_end(self._spill)
        apply_settings(self._session, {"temp_directory": str(self._spill)})

    def close(self) -> None:
        """Close the connection; with a caller's connection, detach the decision database only."""
        if self.caller is not None:
            with contextlib.suppress(duckdb.Error):
                self._session.raw(builder_database.use(self._home))
                self._session.raw(builder_database.detach(self.catalog))
        self._session.connection.close()
        self._folders.close()
        self._session.note(note_on_database("closed", self.path))
        self._session.leave_log("")
        spill = self._spill or (spill_of(self.path) if self.path is not None and self.caller is None else None)
        if spill is not None:  # also where an interrupt came between its making and the end of the opening
            remove_empty(spill)
            removed(spill)

    @contextlib.contextmanager
    def private_folder(self) -> Iterator[Path]:
        """A new folder that nobody else may enter, where queries spill to; it is removed afterwards."""
        beside = self._spill if self._spill is not None and self._spill.is_dir() else None
        try:
            made = tempfile.TemporaryDirectory(prefix="anonduck-", dir=beside)
        except OSError as error:
            raise kind_for(DatabaseError, error)(f"there can be no folder to spill to: {error.strerror}") from None
        with made as name:
            folder = Path(name)
            remove_at_the_end(folder)
            try:
                yield folder
            finally:
                removed(folder)

    def take_remarks(self) -> tuple[str, ...]:
        """The remarks on how tables were read since this was asked last, each once."""
        taken = tuple(dict.fromkeys(self.remarks))
        self.remarks.clear()
        return taken

    def lasting_folder(self) -> Path:
        """A private folder as above that is removed when the database is closed."""
        return self._folders.enter_context(self.private_folder())

    # -- other databases -------------------------------------------------------------------------------------------

    def two_threads(self) -> contextlib.AbstractContextManager[None]:
        """Use at least two threads inside: with one, DuckDB writes a Parquet file in other row groups."""
        return at_least_two_threads(self._session)

    def one_thread(self) -> contextlib.AbstractContextManager[None]:
        """Use one thread inside: more make DuckDB hold the text of a CSV file in memory until its turn comes."""
        return one_thread(self._session)

    @contextlib.contextmanager
    def apart(self) -> Iterator[str]:
        """Run all statements inside in a new database in memory; yields the name of the database that was current."""
        home = str(self.value(builder_database.CURRENT))
        with _ATTACHING:
            name = free_name(self._session, f"{CATALOG}_apart")
            self.run(builder_database.attach(":memory:", name))
        self.run(builder_database.use(name))
        try:
            yield home
        finally:
            self.run(builder_database.use(home))
            self.run(builder_database.detach(name))

    def beside(self, name: str) -> str:
        """A name for what is attached, unique among cursors of one connection, which share the names of databases."""
        return name if self.caller is None else f"{name}_of_{self.catalog}"

    def has_database(self, name: str) -> bool:
        """Whether a database of that name is attached."""
        return has_database(self._session, name)

    def attach_new(self, kind: type[AnonduckError], path: Path, attach: Callable[[Path], Statement], name: str) -> None:
        """Make a private DuckDB file as ``attach`` says and attach it as ``name``; raises an error of that kind."""

        def make(made: Path) -> None:
            self.run_as(kind, attach(made))
            detach(self._session, name)

        try:
            make_private_database(path, make)
        except OSError as error:
            if isinstance(error, AnonduckError):
                raise
            raise kind_for(kind, error)(f"{path} cannot be made: {error.strerror}") from None
        self.run_as(kind, builder_database.attach(str(path), name))
        self._session.watch_log(name, path)

    def detach(self, name: str) -> None:
        """Close a database that was attached, if it is, and wait until its file is closed."""
        try:
            if self.has_database(name):
                detach(self._session, name)
        finally:
            self._session.leave_log(name)  # or the next statement would make the log anew, beside a file that is gone

    def attach_source(self, path: Path) -> str:
        """Attach a DuckDB file read-only and return the name that it got."""
        with _ATTACHING:
            return attached_source(self._session, path)

    # -- statements ------------------------------------------------------------------------------------------------

    def run(self, statement: Statement, parameters: BindValues | None = None) -> None:
        """Run a statement for its effect."""
        self._session.fetch(statement, parameters)

    def run_as(self, kind: type[AnonduckError], statement: Statement) -> None:
        """Run a statement; what DuckDB refuses is raised as an error of that kind, with the input at fault, not
        anonduck."""
        try:
            self._session.raw(statement)
        except duckdb.Error as error:
            raise kind_of(kind, error)(f"{statement.origin}: {io_words(str(error))}") from None

    def rows(self, statement: Statement, parameters: BindValues | None = None) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        fetched: list[tuple[Any, ...]] = self._session.fetch(statement, parameters)
        return fetched

    def row(self, statement: Statement, parameters: BindValues | None = None) -> tuple[Any, ...]:
        """The one row of a statement that has just one."""
        (row,) = self.rows(statement, parameters)
        return row

    def value(self, statement: Statement, parameters: BindValues | None = None) -> Any:
        """The one value of a statement that has one row of one column."""
        (value,) = self.row(statement, parameters)
        return value

    def types_of(self, table: TableName) -> dict[str, str]:
        """The columns of a table with their DuckDB types, in its order."""
        text = "SELECT column_name, column_type FROM (DESCRIBE {table})"
        return dict(self.rows(line("database/connection.types_of", text, table=named(table))))

    def types_if_there(self, schema: str, table: str) -> dict[str, str]:
        """The columns of a table with their DuckDB types, in its order; none if there is no such table."""
        return dict(self.rows(statement("database/columns.sql"), {"schema": schema, "table": table}))

    def types_of_each(self, tables: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
        """For each of some tables its columns with their DuckDB types, in its order; none if there is no such table."""
        found: dict[tuple[str, str], dict[str, str]] = {table: {} for table in tables}
        schemas, names = (list(part) for part in zip(*tables, strict=True))
        read = statement("database/columns_of_tables.sql")
        for schema, table, column, kind in self.rows(read, {"schemas": schemas, "tables": names}):
            if (schema, table) in found:
                found[schema, table][column] = kind
        return [found[table] for table in tables]

    def types_in(self, schema: str) -> dict[str, dict[str, str]]:
        """The columns of each table of a schema with their DuckDB types, in its order, by the table's name."""
        found: dict[str, dict[str, str]] = {}
        text = (
            "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE schema_name = $schema "
            "AND database_name IN (current_database(), 'temp') ORDER BY table_name, column_index"
        )
        read = line("database/connection.types_in", text, "schema")
        for table, column, kind in self.rows(read, {"schema": schema}):
            found.setdefault(table, {})[column] = kind
        return found

    def count(self, table: TableName) -> int:
        """How many rows a table has."""
        return int(self.value(line("database/connection.count", "SELECT count(*) FROM {table}", table=named(table))))

    def drop(self, *tables: TableName) -> None:
        """Drop tables; a table that is not there is no error."""
        for table in tables:
            self.run(line("database/connection.drop", "DROP TABLE IF EXISTS {table}", table=named(table)))

    def drop_view(self, name: str) -> None:
        """Drop a temporary view; one that is not there is no error."""
        self.run(line("database/connection.drop_view", 'DROP VIEW IF EXISTS "temp"."{name}"', name=name))

    def row_of_each(self, statements: Mapping[Key, Statement]) -> dict[Key, tuple[Any, ...]]:
        """The one row of each of several queries of the same columns of stored tables, by key, in one statement."""
        if not statements:
            return {}
        found = {place: row for place, *row in self.rows(together(list(statements.values())))}
        return {key: tuple(found[place]) for place, key in enumerate(statements)}

    def rows_of_each(
        self, statements: Mapping[Key, Statement], parameters: BindValues | None = None
    ) -> dict[Key, list[tuple[Any, ...]]]:
        """The rows of each of several queries of the same columns of stored tables and parameters, by key, in one
        statement.

        The rows of a query are in no order.
        """
        found: dict[Key, list[tuple[Any, ...]]] = {key: [] for key in statements}
        keys = list(statements)
        for place, *row in self.rows(together(list(statements.values())), parameters) if statements else ():
            found[keys[place]].append(tuple(row))
        return found

    def records(self, statement: Statement, parameters: BindValues | None = None) -> list[dict[str, Any]]:
        """All rows of a statement as dictionaries keyed by column name."""
        rows = self.rows(statement, parameters)
        names = self._session.columns
        return [dict(zip(names, row, strict=True)) for row in rows]

    def arrays(self, statement: Statement, parameters: BindValues | None = None) -> dict[str, np.ndarray]:
        """The columns of a statement as numpy arrays, keyed by column name; for results without NULL."""
        fetched: dict[str, np.ndarray] = self._session.fetch(statement, parameters, "fetchnumpy")
        return fetched

    def arrays_of_each(self, statements: Mapping[str, Statement]) -> dict[str, dict[str, np.ndarray]]:
        """The columns of each of several queries of the same columns of stored tables as numpy arrays, by key, in one
        statement.

        The rows of a query are in no order.
        """
        if not statements:
            return {}
        columns = self.arrays(together(list(statements.values())))
        of = columns.pop("place")
        return {key: {name: one[of == place] for name, one in columns.items()} for place, key in enumerate(statements)}

    def frame(self, statement: Statement, parameters: BindValues | None = None) -> pd.DataFrame:
        """The result of a statement as a pandas DataFrame."""
        fetched: pd.DataFrame = self._session.fetch(statement, parameters, "df")
        return fetched

    def arrow(self, statement: Statement) -> Any:
        """The result of a statement without parameters as an Arrow table."""
        return self._session.fetch(statement, None, "to_arrow_table")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the statements inside as one transaction, which an error rolls back."""
        self.run(builder_database.BEGIN)
        try:
            yield
        except BaseException:
            with contextlib.suppress(AnonduckError):
                self.run(builder_database.ROLLBACK)
            raise
        self.run(builder_database.COMMIT)

    def register(self, name: str, data: object) -> None:
        """Make a pandas, Arrow or Polars object, or numpy arrays by the names of their columns, readable as ``name``;
        raises SourceError if DuckDB cannot."""
        try:
            self._session.register(name, data)
        except (duckdb.Error, TypeError, AttributeError) as error:
            kind = f"{type(data).__module__}.{type(data).__name__}"
            raise SourceError(
                f"the source is a {kind}; allowed are a path, a pandas, Arrow or Polars table or a DuckDB relation "
                f"({redacted(str(error))})"
            ) from None

    def unregister(self, name: str) -> None:
        """Forget a registered object."""
        self._session.unregister(name)

    @contextlib.contextmanager
    def registered(self, name: str, data: object) -> Iterator[None]:
        """Make an object readable as ``name`` for the statements inside; see ``register``."""
        self.register(name, data)
        try:
            yield
        finally:
            self.unregister(name)

    def adopt(self, name: str, data: object) -> None:
        """Make ``data`` readable as ``name``: a DuckDB relation is streamed into a table, all else is registered."""
        if not isinstance(data, duckdb.DuckDBPyRelation):
            self.register(name, data)
            return
        try:
            with _READING:
                copied(self._session, name, data)
        except duckdb.Error as error:
            raise SourceError(f"the relation cannot be read: {redacted(str(error))}") from None

    def adopt_table(self, name: str, parts: Sequence[str]) -> None:
        """Make a table, view or temporary table of the caller's connection readable as ``name``."""
        assert self.caller is not None
        quoted = ".".join('"' + part.replace('"', '""') + '"' for part in parts)
        try:
            with _READING:
                copied(self._session, name, self.caller.table(quoted))
        except duckdb.Error as error:
            raise SourceError(
                f"the connection has no table or view {'.'.join(parts)}: {redacted(str(error))}"
            ) from None

    def lent(self) -> duckdb.DuckDBPyConnection:
        """The connection itself, for a library that writes its own SQL; what that makes, it must remove."""
        self._session.keep_private()
        return self._session.connection
