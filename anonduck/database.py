"""The only door to DuckDB: one connection, statements in, rows out, errors with their query."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from anonduck.column_types import NOT_IN_ARROW, TEXT, UUID
from anonduck.errors import AnonduckError, ConfigError, DatabaseError, QueryError, SourceError
from anonduck.own_objects import refuse_foreign, refuse_taken
from anonduck.statements import Statement, builder_source, statement

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

Parameters = Mapping[str, Any]
CATALOG = "anonduck"
MEMORY_LIMIT = 3 << 30  # unless the config says another; a process with an audit then stays under 4 GB
LEAST_MEMORY = 63_900_000  # 64MB, as DuckDB rounds it
LEAST_WORDS = "write a size such as 8GB; the least is 64MB, and large exports need more"
TIMEZONE = "UTC"
LOCKED = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}

_BAD_INPUT = (
    duckdb.ConversionException,
    duckdb.OutOfRangeException,
    duckdb.InvalidInputException,
)


def version() -> str:
    """DuckDB's version, for receipts."""
    return str(duckdb.__version__)


class Database:
    """A decision database: a DuckDB file, or memory, that holds what each step wrote.

    With ``connection`` the work happens in a cursor of the caller's connection, in an attached database of its own, so
    that the caller's search path, transactions and tables stay as they are. Timestamps with zone are read and written
    in ``timezone``, wherever the process runs. A file that holds more than anonduck makes is refused.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        connection: duckdb.DuckDBPyConnection | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        timezone: str = TIMEZONE,
    ) -> None:
        self.path = path
        self.caller = connection
        self.timezone = timezone
        self._connection = self._open(path, connection)
        try:
            self._secure(path)
            self._pin(timezone)
        except BaseException:
            self.close()
            raise
        if connection is None:
            settings: dict[str, Any] = {"threads": threads, "memory_limit": memory_limit or self._less_memory()}
            spill = path.with_name(path.name + ".tmp") if path is not None else _private_spill()
            settings["temp_directory"] = str(spill)
            self._settle({name: value for name, value in settings.items() if value is not None})
            if self._memory() < LEAST_MEMORY:
                self.close()
                raise DatabaseError(f"memory_limit: {memory_limit} is too little for DuckDB to work in: {LEAST_WORDS}")

    def _open(self, path: Path | None, connection: duckdb.DuckDBPyConnection | None) -> duckdb.DuckDBPyConnection:
        target = ":memory:" if path is None else str(path)
        _refuse_other_file(path)
        try:
            with private_files():
                if connection is None:
                    refuse_taken(Path(target))
                    return duckdb.connect(target)
                cursor = connection.cursor()
                self._home = cursor.execute("SELECT current_database()").fetchall()[0][0].replace('"', '""')
                cursor.execute(f"ATTACH '{target.replace(chr(39), chr(39) * 2)}' AS {self._free_name(cursor)}")
                cursor.execute(f"USE {self.catalog}")
                return cursor
        except duckdb.Error as error:
            raise _cannot_open(target, error) from None

    def _secure(self, path: Path | None) -> None:
        """Refuse a file with objects of others; a connection of anonduck's own loads no extension by itself."""
        if self.caller is None:
            self._settle(LOCKED)
            ((catalog,),) = self._connection.execute("SELECT system.main.current_database()").fetchall()
            self.catalog = str(catalog)
        if path is not None:
            refuse_foreign(str(path), self.catalog, self.rows(statement("source/objects.sql")))

    def _pin(self, timezone: str) -> None:
        """Set the time zone of this session, which DuckDB would take from the process."""
        try:
            self._connection.execute("SET TimeZone = ?", [timezone])
        except duckdb.Error:
            raise ConfigError(
                f"timezone: DuckDB knows no time zone {timezone!r}; write one such as UTC or Europe/Rome"
            ) from None

    def _free_name(self, cursor: duckdb.DuckDBPyConnection) -> str:
        taken = {name for (name,) in cursor.execute("SELECT database_name FROM duckdb_databases()").fetchall()}
        self.catalog = next(n for n in (f"{CATALOG}_{i}" for i in range(len(taken) + 1)) if n not in taken)
        return self.catalog

    def _less_memory(self) -> str | None:
        """The default memory limit, where DuckDB's own (a share of the machine's memory) is larger."""
        return f"{MEMORY_LIMIT >> 20}MiB" if self._memory() > MEMORY_LIMIT else None

    def _memory(self) -> float:
        """How many bytes DuckDB may use; 0 if they do not do for asking."""
        try:
            ((text,),) = self._connection.execute("SELECT current_setting('memory_limit')").fetchall()
        except duckdb.OutOfMemoryException:
            return 0.0
        number, unit = str(text).split()
        return float(number) * 1024.0 ** ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB").index(unit)

    def _settle(self, settings: Parameters) -> None:
        for name, value in settings.items():
            try:
                self._connection.execute(f"SET {name} = ?", [value])
            except duckdb.Error as error:
                why = LEAST_WORDS if name == "memory_limit" else redacted(str(error))
                raise DatabaseError(f"DuckDB does not take {name} = {value}: {why}") from None

    @contextlib.contextmanager
    def two_threads(self) -> Iterator[None]:
        """Two threads or more inside: with a single one, DuckDB cuts a Parquet file into other row groups."""
        ((threads,),) = self._connection.execute("SELECT current_setting('threads')").fetchall()
        if int(threads) >= 2:
            yield
            return
        self._settle({"threads": 2})
        try:
            yield
        finally:
            self._settle({"threads": threads})

    @contextlib.contextmanager
    def apart(self) -> Iterator[str]:
        """A new database in memory, in which all statements inside happen; yields the name of the one that was left."""
        ((home,),) = self._connection.execute("SELECT current_database()").fetchall()
        name = f"{CATALOG}_apart"
        while self.has_database(name):
            name += "_"
        self._connection.execute(f"ATTACH ':memory:' AS {name}")
        self._connection.execute(f"USE {name}")
        try:
            yield home
        finally:
            quoted = home.replace('"', '""')
            self._connection.execute(f'USE "{quoted}"')
            self._connection.execute(f"DETACH {name}")

    # -- statements ------------------------------------------------------------------------------------------------

    def run(self, statement: Statement, parameters: Parameters | None = None) -> None:
        """Run a statement for its effect."""
        self._execute(statement, parameters, "fetchall")

    def run_as(self, kind: type[AnonduckError], statement: Statement) -> None:
        """Run a statement on the caller's behalf; what DuckDB refuses is an error of that kind, not a defect."""
        try:
            with private_files(), _interrupts():
                self._connection.execute(statement.sql).fetchall()
        except duckdb.Error as error:
            raise kind(f"{statement.name}: {io_words(str(error))}") from None

    def has_database(self, name: str) -> bool:
        """Whether a database of that name is attached."""
        rows = self._connection.execute("SELECT database_name FROM duckdb_databases()").fetchall()
        return (name,) in rows

    def rows(self, statement: Statement, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        fetched: list[tuple[Any, ...]] = self._execute(statement, parameters, "fetchall")
        return fetched

    def row(self, statement: Statement, parameters: Parameters | None = None) -> tuple[Any, ...]:
        """The one row of a statement that has just one."""
        (row,) = self.rows(statement, parameters)
        return row

    def value(self, statement: Statement, parameters: Parameters | None = None) -> Any:
        """The one value of a statement that has one row of one column."""
        (value,) = self.row(statement, parameters)
        return value

    def records(self, statement: Statement, parameters: Parameters | None = None) -> list[dict[str, Any]]:
        """All rows of a statement as dictionaries keyed by column name."""
        rows = self.rows(statement, parameters)
        names = [column[0] for column in self._connection.description or []]
        return [dict(zip(names, row, strict=True)) for row in rows]

    def arrays(self, statement: Statement, parameters: Parameters | None = None) -> dict[str, np.ndarray]:
        """The columns of a statement as numpy arrays, keyed by column name; for results without NULL."""
        fetched: dict[str, np.ndarray] = self._execute(statement, parameters, "fetchnumpy")
        return fetched

    def frame(self, statement: Statement, parameters: Parameters | None = None) -> pd.DataFrame:
        """The result of a statement as a pandas DataFrame."""
        fetched: pd.DataFrame = self._execute(statement, parameters, "df")
        return fetched

    def arrow(self, statement: Statement) -> Any:
        """The result of a statement without parameters as an Arrow table."""
        try:
            with private_files(), _interrupts():
                return self._connection.sql(statement.sql).to_arrow_table()
        except duckdb.Error as error:
            raise _translated(statement, error) from None

    def _execute(self, statement: Statement, parameters: Parameters | None, fetch: str) -> Any:
        parameters = parameters or {}
        if set(parameters) != statement.parameters:
            raise QueryError(
                statement.name,
                statement.sql,
                f"it takes the parameters {sorted(statement.parameters)} and got {sorted(parameters)}",
            )
        try:
            with private_files(), _interrupts():
                if parameters:
                    self._connection.execute(statement.sql, dict(parameters))
                else:
                    self._connection.execute(statement.sql)
                return getattr(self._connection, fetch)()
        except duckdb.Error as error:
            raise _translated(statement, error) from None

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All statements inside happen, or none."""
        self._connection.execute("BEGIN")
        try:
            yield
        except BaseException:
            with contextlib.suppress(duckdb.Error):
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def register(self, name: str, data: object) -> None:
        """Make a pandas, Arrow or Polars object readable as ``name``; raises SourceError if DuckDB cannot."""
        try:
            self._connection.register(name, data)
        except (duckdb.Error, TypeError, AttributeError) as error:
            kind = f"{type(data).__module__}.{type(data).__name__}"
            raise SourceError(
                f"the source is a {kind}; allowed are a path, a pandas, Arrow or Polars table or a DuckDB relation "
                f"({redacted(str(error))})"
            ) from None

    def unregister(self, name: str) -> None:
        """Forget a registered object."""
        self._connection.unregister(name)

    def adopt(self, name: str, data: object) -> None:
        """Make ``data`` readable as ``name``: a DuckDB relation is streamed into a table, all else is registered."""
        if not isinstance(data, duckdb.DuckDBPyRelation):
            self.register(name, data)
            return
        try:
            self._copy(name, data)
        except duckdb.Error as error:
            raise SourceError(f"the relation cannot be read: {redacted(str(error))}") from None

    def adopt_table(self, name: str, parts: Sequence[str]) -> None:
        """Make a table, view or temporary table of the caller's connection readable as ``name``."""
        assert self.caller is not None
        quoted = ".".join('"' + part.replace('"', '""') + '"' for part in parts)
        try:
            self._copy(name, self.caller.table(quoted))
        except duckdb.Error as error:
            raise SourceError(
                f"the connection has no table or view {'.'.join(parts)}: {redacted(str(error))}"
            ) from None

    def _copy(self, name: str, relation: duckdb.DuckDBPyRelation) -> None:
        """Stream a relation into a table by Arrow; types that Arrow lacks travel as text."""
        types = {column: str(kind) for column, kind in zip(relation.columns, relation.types, strict=True)}
        _refuse_lossy(types)
        texts = {column: kind for column, kind in types.items() if kind in NOT_IN_ARROW}
        sent = [duckdb.ColumnExpression(column) for column in types]
        as_text = [one.cast(TEXT).alias(c) if c in texts else one for c, one in zip(types, sent, strict=True)]
        stream = (relation.select(*as_text) if texts else relation).to_arrow_reader()
        self._connection.register("relation_stream", stream)
        adopted = builder_source.adopted_table(name, "relation_stream", texts)
        try:
            with private_files():
                self._connection.execute(adopted.sql).fetchall()
        finally:
            self._connection.unregister("relation_stream")

    def attach_source(self, path: Path, attach: Callable[[str, str], Statement]) -> str:
        """Attach a DuckDB file read-only and return the name that it got."""
        alias = "anonduck_source"
        query = (
            "SELECT database_name FROM duckdb_databases() WHERE path = ? AND readonly AND starts_with(database_name, ?)"
        )
        attached = self._connection.execute(query, [str(path), alias]).fetchall()
        if attached:  # by another cursor of the same connection
            return str(attached[0][0])
        while self.has_database(alias):
            alias += "_"
        try:
            self._connection.execute(attach(str(path), alias).sql)
        except duckdb.Error as error:
            words = str(error)
            if "lock" in words.lower():
                raise SourceError(f"{path} is open in another process for writing; wait for it to end") from None
            if "not a valid DuckDB" in words:
                raise SourceError(f"{path} is not a DuckDB database") from None
            raise SourceError(f"{path} cannot be opened: {redacted(words)}") from None
        return alias

    def lent(self) -> duckdb.DuckDBPyConnection:
        """The connection itself, for a library that writes its own SQL; what that makes, it must remove."""
        return self._connection

    def close(self) -> None:
        """Close the connection; with a caller's connection, detach the decision database only."""
        if self.caller is not None:
            with contextlib.suppress(duckdb.Error):
                self._connection.execute(f'USE "{self._home}"')
                self._connection.execute(f"DETACH {self.catalog}")
        self._connection.close()


@contextlib.contextmanager
def private_files() -> Iterator[None]:
    """Files that are created inside are readable by their owner only (mode 0600)."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextlib.contextmanager
def _interrupts() -> Iterator[None]:
    """DuckDB tells of Ctrl-C in a query by errors of its own; here it is a KeyboardInterrupt, as elsewhere."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        if "interrupt" not in str(error).lower():
            raise
        raise KeyboardInterrupt from None


def _refuse_lossy(types: Mapping[str, str]) -> None:
    """Raise SourceError for a nested column with values that Arrow lacks."""
    for column, kind in types.items():
        lacking = next((one for one in NOT_IN_ARROW if one != UUID and re.search(rf"\b{one}\b", kind)), None)
        if lacking is not None and kind not in NOT_IN_ARROW:
            raise SourceError(
                f"column {column!r} is {kind}; a nested {lacking} cannot be read from a connection. Leave the column "
                f"out, or cast it to {TEXT}"
            )


def _private_spill() -> Path:
    """A folder of this process alone, which DuckDB makes when it spills and removes when it closes."""
    return Path(tempfile.gettempdir()) / f"anonduck-{os.getpid()}-{secrets.token_hex(4)}"


def redacted(words: str) -> str:
    """DuckDB's words without what may be a value: quoted parts, numbers and the original line of a file go.

    >>> redacted("Conversion Error: Could not convert string 'Jane' to INT64 when casting from source column job")
    "Conversion Error: Could not convert string '…' to INT64 when casting from source column job"
    """
    words = re.split(r"Original Line|\nLINE \d+:|\n\s*\^", words)[0]
    words = re.sub(r"""(['"]).*\1""", "'…'", words, flags=re.DOTALL)
    words = re.sub(r"(?<![\w.])[-+]?\d[\d.eE+-]*", "…", words)
    kept = [line.strip() for line in words.splitlines() if line.strip()]
    return " ".join(kept[:3]) or "no further words"


def is_held(path: Path) -> bool:
    """Whether somebody, in this process or another, has a DuckDB file open for writing."""
    try:
        duckdb.connect(str(path), read_only=True).close()
    except duckdb.Error as error:
        words = str(error).lower()
        return any(told in words for told in ("lock", "different configuration", "already attached"))
    return False


def _refuse_other_file(path: Path | None) -> None:
    """DuckDB would open some files that are no databases, and make a file of an empty one: only its own are opened."""
    if path is None:
        return
    if path.is_dir():
        raise DatabaseError(
            f"the decision database {path} is a directory; move it away, or name a file with `database:`"
        )
    if not path.parent.is_dir():
        raise DatabaseError(f"there is no folder {path.parent} for the decision database {path.name}; make it first")
    try:
        with path.open("rb") as file:
            start = file.read(12)
    except FileNotFoundError:
        return
    except OSError as error:
        raise DatabaseError(f"the decision database {path} cannot be read: {error.strerror}") from None
    if start[8:] != b"DUCK":
        raise DatabaseError(f"{path} is not a DuckDB database; move it away, or name another with `database:`")


def _cannot_open(target: str, error: duckdb.Error) -> AnonduckError:
    words = str(error)
    if "lock" in words.lower():
        return DatabaseError(
            f"the decision database {target} is open in another process; only one may hold it. "
            "Wait for that process to end, or close its session, then try again"
        )
    if "not a valid DuckDB" in words:
        return DatabaseError(f"{target} is not a DuckDB database; move it away, or name another with `database:`")
    return DatabaseError(f"the decision database {target} cannot be opened: {redacted(words)}")


def _translated(statement: Statement, error: duckdb.Error) -> AnonduckError:
    words = str(error)
    if "no space left" in words.lower():
        return DatabaseError(f"the disk is full; the query {statement.name} could not write. Free space and run again")
    if isinstance(error, duckdb.IOException):
        return SourceError(f"a file could not be read or written in the query {statement.name}: {io_words(words)}")
    if isinstance(error, duckdb.OutOfMemoryException):
        return DatabaseError(
            f"the query {statement.name} needs more memory or disk than it may use; "
            "raise `memory_limit` in the config or free disk space beside the decision database"
        )
    if isinstance(error, _BAD_INPUT):
        return _bad_input(statement, words)
    return QueryError(statement.name, statement.sql, redacted(words))


def _bad_input(statement: Statement, text: str) -> SourceError:
    """The source is not what its format or its types say; which of the two, DuckDB's words tell."""
    words = redacted(text)
    fields = re.search(r"Line: (\d+)[\s\S]*Expected Number of Columns: (\d+) Found: (\d+)", text)
    if fields:
        counted = f"line {fields[1]} has {fields[3]} fields where {fields[2]} are expected"
        return SourceError(f"a file of the source is ragged: {counted}", fields=counted)
    unclosed = re.search(r"Line: (\d+)[\s\S]*unterminated quote", text)
    if unclosed:
        opened = f"line {unclosed[1]} opens a quote that is not closed"
        return SourceError(f"a file of the source is broken: {opened}", fields=opened)
    if "unicode" in text.lower():
        return SourceError(f"a text file is not UTF-8 (query {statement.name}); name its encoding, such as latin-1")
    if "Schema mismatch" in text:
        return SourceError("the files of the source do not have the same columns; name files of one export")
    if not re.search(r"conver|cast|CSV Error|out of range", text, flags=re.IGNORECASE):
        return SourceError(f"the source cannot be read (query {statement.name}: {words})", words)
    column = re.search(r'column "([^"]*)"', text) or re.search(r"casting from source column (.+)", text)
    line = re.search(r"Error on Line: (\d+)", text)
    whose = f"column {column[1]!r} of the source" if column else "the source"
    where = f" in line {line[1]}" if line else ""
    compared = "" if column else ", or that `where` compares with another type"
    return SourceError(
        f"{whose} holds a value{where} that does not fit its type{compared} (query {statement.name}: {words}). "
        f"Set the column's type in the config, for example `types: {{column: {TEXT}}}`",
        words,
    )


def io_words(words: str) -> str:
    """The first line of an input/output error; it names files, not values."""
    return words.splitlines()[0].removeprefix("IO Error: ")
