"""Sessions of a warehouse: drivers, how they find their servers, statements that can be cancelled, and safe errors.

Drivers read the environment only, so that no config holds a credential. A driver's own error messages may quote values
of records, so only the error's condition is reported.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, TypeVar

from anonduck.errors import AnonduckError, ConfigError, SourceBusy, SourceError
from anonduck.statements import Statement, statement

KNOWN = {
    "0A": "the server cannot do this, such as to read a table of another database",
    "08": "the connection cannot be made, or is lost; see that the server runs and where the environment says it is",
    "22": "a value does not fit the type that it is read as; name another under `types`",
    "25006": "the server or the session may only read",
    "25": "the transaction has ended; try again",
    "28": "the server does not let the user in; credentials come from the environment alone",
    "2BP01": "other objects of the database depend on it, such as views; drop those, or write to another name",
    "3D": "there is no such database",
    "3F": "there is no such schema",
    "40": "another transaction was in the way; try again",
    "42501": "the user lacks a privilege on it",
    "42703": "it has no column of a name that is asked for",
    "42809": "it is there, but no table",
    "42883": "an operation is not defined for the type of a column; name another type under `types`",
    "42P01": "there is no such table, or none that the user may see; name it schema.table",
    "42P07": "there is something of that name already",
    "53100": "the server's disk is full",
    "53": "the server lacks memory, disk or connections",
    "55": "somebody else uses the table; try again",
    "57014": "the statement was cancelled, by somebody or by a time limit of the server",
    "57": "the server was shut down, or ended the session",
    "58": "the server could not read or write its files",
}
"""Messages by SQLSTATE, or by its class of two characters."""

STOPPED = re.compile(r'"(column .+: a value that .+)"')
"""The message with which a statement of anonduck stops itself (``stop`` in
anonduck.statements.pipeline.engine_values).
"""
URI_SCHEMES = {"postgres": "postgresql://"}
"""libpq of PostgreSQL reads the rest itself: PGHOST, PGUSER, PGPASSWORD, PGPASSFILE, PGSERVICE and so on."""
SNOWFLAKE = {
    "SNOWFLAKE_ACCOUNT": "adbc.snowflake.sql.account",
    "SNOWFLAKE_USER": "username",
    "SNOWFLAKE_PASSWORD": "password",
    "SNOWFLAKE_DATABASE": "adbc.snowflake.sql.db",
    "SNOWFLAKE_SCHEMA": "adbc.snowflake.sql.schema",
    "SNOWFLAKE_WAREHOUSE": "adbc.snowflake.sql.warehouse",
    "SNOWFLAKE_ROLE": "adbc.snowflake.sql.role",
}
BIGQUERY = {"GOOGLE_CLOUD_PROJECT": "adbc.bigquery.sql.project_id"}
WHERE = {
    "postgres": "PGHOST, PGPORT, PGDATABASE, PGUSER, and PGPASSWORD, PGPASSFILE or PGSERVICE",
    "bigquery": "GOOGLE_CLOUD_PROJECT and GOOGLE_APPLICATION_CREDENTIALS",
    "snowflake": ", ".join(SNOWFLAKE),
}
BEGIN_WRITING = Statement("engines/adbc_session.BEGIN_WRITING", "BEGIN ISOLATION LEVEL REPEATABLE READ")
BEGIN_READING = Statement("engines/adbc_session.BEGIN_READING", "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
COMMIT = Statement("engines/adbc_session.COMMIT", "COMMIT")
"""Transactions of PostgreSQL, each of which reads one snapshot."""
PAUSE = 0.2
"""Seconds between two checks for a signal, and between two requests to cancel."""


def error_words(error: BaseException, text: str = "") -> str:
    """What went wrong, by the SQLSTATE of an ADBC error, or by its class.

    >>> error_words(ValueError("age 47"))
    'ValueError'
    """
    found = STOPPED.search(_primary(error))
    if found and found[1].replace("'", "''") in text:
        return found[1]
    state = str(getattr(error, "sqlstate", None) or "")
    for length in (5, 2):
        if state[:length] in KNOWN:
            return f"{KNOWN[state[:length]]} (SQLSTATE {state})"
    if state.strip("\0"):
        return f"SQLSTATE {state}"
    return status(error) or type(error).__name__


PASSING = ("08", "40", "53", "55", "57")
"""Classes of SQLSTATE that may not come again: the connection, another transaction, resources, locks, a shutdown."""
LASTING = ("0A", "28", "3D", "3F", "42")
"""Those that a new try meets again."""
REFUSED = ("UNAUTHENTICATED", "UNAUTHORIZED", "INVALID_ARGUMENT", "NOT_FOUND", "NOT_IMPLEMENTED")


def _passes(error: BaseException) -> bool:
    """Whether a statement that a server did not answer may be answered later."""
    state = str(getattr(error, "sqlstate", None) or "").strip("\0")
    return state[:2] in PASSING if state else status(error) in ("IO", "TIMEOUT")


def _lasts(error: BaseException) -> bool:
    """Whether a connection that was refused is refused later too."""
    state = str(getattr(error, "sqlstate", None) or "").strip("\0")
    return state[:2] in LASTING or status(error) in REFUSED


def status(error: BaseException) -> str:
    """The name of ADBC's own status, such as IO; empty if an error has none."""
    return str(getattr(getattr(error, "status_code", None), "name", ""))


def _primary(error: BaseException) -> str:
    """PostgreSQL's primary message, without details, hints and the statement."""
    details: Any = getattr(error, "details", None) or []
    named = {_text(name): _text(value) for name, value in details}
    return named.get("PG_DIAG_MESSAGE_PRIMARY", "")


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


@dataclass(frozen=True)
class AdbcDriver:
    """A driver: its kind in the config, the engine's name in messages, its module.

    ``options`` maps environment variables to the driver's option names; those in ``needed`` must be set.
    """

    kind: str
    title: str
    module: str
    options: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    writes: bool = False

    def connect(self) -> Any:
        """Connect, with each statement a transaction of its own.

        Raises:
            ConfigError: the driver is not installed, or the environment does not name a server.
            SourceError: the server does not answer.
        """
        dbapi = self._dbapi()
        try:
            if self.kind in URI_SCHEMES:
                return dbapi.connect(URI_SCHEMES[self.kind], autocommit=True)
            return dbapi.connect(db_kwargs=self._found(), autocommit=True)
        except dbapi.Error as error:
            raise (SourceError if _lasts(error) else SourceBusy)(
                f"{self.title} cannot be reached ({error_words(error)}); it is looked for where the environment says: "
                f"{WHERE[self.kind]}"
            ) from None

    def _dbapi(self) -> Any:
        try:
            return importlib.import_module(f"{self.module}.dbapi")
        except ImportError:
            raise ConfigError(
                f"the engine {self.kind} needs the package {self.module.replace('_', '-')}; "
                f"install it with `pip install 'anonduck[{self.kind}]'`"
            ) from None

    def _found(self) -> dict[str, str]:
        missing = [name for name in self.needed if not os.environ.get(name)]
        if missing:
            raise ConfigError(f"the engine {self.kind} needs {', '.join(missing)} in the environment")
        return {option: os.environ[name] for name, option in self.options.items() if os.environ.get(name)}


DRIVERS = {
    driver.kind: driver
    for driver in (
        AdbcDriver("postgres", "PostgreSQL", "adbc_driver_postgresql", writes=True),
        AdbcDriver("bigquery", "BigQuery", "adbc_driver_bigquery", BIGQUERY, ("GOOGLE_CLOUD_PROJECT",)),
        AdbcDriver(
            "snowflake", "Snowflake", "adbc_driver_snowflake", SNOWFLAKE, ("SNOWFLAKE_ACCOUNT", "SNOWFLAKE_USER")
        ),
    )
}


Answer = TypeVar("Answer")


class ServerSession:
    """A connection to a warehouse. With PostgreSQL it is one transaction with its own settings, so that
    poolers work.
    """

    def __init__(self, driver: AdbcDriver, *, writes: bool = False) -> None:
        self.driver = driver
        self._connection = driver.connect()
        if driver.kind == "postgres":
            try:
                self.run("begin", BEGIN_WRITING if writes else BEGIN_READING)
                self.fetch("settings", statement("engines/postgres/settings.sql"))
            except BaseException:
                self.close()
                raise

    def fetch(self, what: str, query: Statement | str) -> Any:
        """The rows of a query as a pyarrow.Table."""
        text = query if isinstance(query, str) else query.sql

        def asked(cursor: Any) -> Any:
            cursor.execute(text)
            return cursor.fetch_arrow_table()

        return self._waited(what, asked, text)

    def run(self, what: str, command: Statement | str, text: str = "") -> None:
        """Run a statement without a result; ``text`` is the anonduck message that it may stop with."""
        sql = command if isinstance(command, str) else command.sql
        self._waited(what, lambda cursor: cursor.execute(sql), text or sql)

    def leave(self, name: str, table: Any) -> None:
        """Upload a pyarrow.Table as a temporary table of this session."""
        self._waited("lookup", lambda cursor: cursor.adbc_ingest(name, table, mode="create", temporary=True))

    def close(self) -> None:
        """Close the session; rolls back an open transaction and drops temporary tables."""
        with contextlib.suppress(Exception):
            self._connection.close()

    def _waited(self, what: str, work: Callable[[Any], Answer], text: str = "") -> Answer:
        """The result of some work on a cursor.

        The driver blocks signals while a statement runs. So it runs in its own thread, and an interrupt of this thread
        cancels the statement.
        """
        with self._translated(what, text), self._connection.cursor() as cursor, ThreadPoolExecutor(1) as pool:
            running = pool.submit(work, cursor)
            try:
                while (
                    not running.done()
                ):  # a wait without a timeout would restart after a signal, because of the driver's handlers
                    wait([running], PAUSE)
                return running.result()
            except BaseException:
                while not running.done():  # one call does not cancel a statement that has not reached the server yet
                    with contextlib.suppress(Exception):
                        cursor.adbc_cancel()
                    wait([running], PAUSE)
                raise

    @contextlib.contextmanager
    def _translated(self, what: str, text: str) -> Iterator[None]:
        try:
            yield
        except AnonduckError:
            raise
        except Exception as error:  # of the driver, its manager or Arrow; its message may hold values
            raise (SourceBusy if _passes(error) else SourceError)(
                f"{self.driver.title} cannot answer ({what}): {error_words(error, text)}"
            ) from None
