"""A session of a warehouse: statements run one after the other, and whatever ends the wait cancels them there."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, TypeVar

from anonduck.errors import AnonduckError, ConfigError, SourceError
from anonduck.statements import Statement, builder_postgres

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
"""By SQLSTATE or its class, the longest first."""

STOPPED = re.compile(r'"(column .+: a value that .+)"')
"""What a statement of anonduck's stops itself by: see ``stop`` in anonduck.statements.pipeline.engine_values."""


def refused(title: str, what: str, error: BaseException, text: str = "") -> AnonduckError:
    """The error to raise for one of a driver's, in words that hold no value.

    Args:
        title: what messages call the engine.
        what: what was asked of it.
        error: what the driver raised.
        text: the statement, whose own words may be told.
    """
    return SourceError(f"{title} cannot answer ({what}): {told(error, text)}")


def told(error: BaseException, text: str = "") -> str:
    """What went wrong, by the SQLSTATE of an error of ADBC, or by its class.

    >>> told(ValueError("age 47"))
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


def status(error: BaseException) -> str:
    """The name of ADBC's own status, such as IO; empty where an error has none."""
    return str(getattr(getattr(error, "status_code", None), "name", ""))


def _primary(error: BaseException) -> str:
    """The first of the words of PostgreSQL, without details, hints and the statement."""
    details: Any = getattr(error, "details", None) or []
    named = {_text(name): _text(value) for name, value in details}
    return named.get("PG_DIAG_MESSAGE_PRIMARY", "")


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


URI_SCHEMES = {"postgres": "postgresql://"}
"""Of PostgreSQL, libpq reads the rest: PGHOST, PGUSER, PGPASSWORD, PGPASSFILE, PGSERVICE and so on."""


@dataclass(frozen=True)
class AdbcDriver:
    """A driver: its kind in the config, what messages call its engine, its module and the extra that installs it.

    ``options`` are its own names of what variables of the environment say; it cannot do without the ``needed`` ones.
    ``settings`` are statements' worth of settings of a session, ``tested`` whether the tests run it on a server.
    """

    kind: str
    title: str
    module: str
    options: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    writes: bool = False

    def connect(self) -> Any:
        """A connection, each statement a transaction of its own.

        Raises:
            ConfigError: the driver is not installed, or the environment does not say where the server is.
            SourceError: the server does not answer.
        """
        dbapi = self._dbapi()
        try:
            if self.kind in URI_SCHEMES:
                return dbapi.connect(URI_SCHEMES[self.kind], autocommit=True)
            return dbapi.connect(db_kwargs=self._found(), autocommit=True)
        except dbapi.Error as error:
            raise SourceError(
                f"{self.title} cannot be reached ({told(error)}); it is looked for where the environment says: "
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
WHERE = {
    "postgres": "PGHOST, PGPORT, PGDATABASE, PGUSER, and PGPASSWORD, PGPASSFILE or PGSERVICE",
    "bigquery": "GOOGLE_CLOUD_PROJECT and GOOGLE_APPLICATION_CREDENTIALS",
    "snowflake": ", ".join(SNOWFLAKE),
}


Answer = TypeVar("Answer")

PAUSE = 0.2
"""Seconds between two looks at a signal, and between two requests to cancel."""


class ServerSession:
    """A connection to a warehouse; to PostgreSQL, one transaction with settings of its own, so that poolers may share
    what is under it."""

    def __init__(self, driver: AdbcDriver, *, writes: bool = False) -> None:
        self.driver = driver
        self._connection = driver.connect()
        if driver.kind == "postgres":
            try:
                self.run("begin", builder_postgres.begin(writes=writes))
                self.fetch("settings", builder_postgres.settings())
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
        """Run a statement that has no rows; ``text`` are words of anonduck's that it may stop with."""
        sql = command if isinstance(command, str) else command.sql
        self._waited(what, lambda cursor: cursor.execute(sql), text or sql)

    def leave(self, name: str, table: Any) -> None:
        """Leave a pyarrow.Table as a temporary table of this session."""
        self._waited("lookup", lambda cursor: cursor.adbc_ingest(name, table, mode="create", temporary=True))

    def close(self) -> None:
        """End it; a transaction that is open is rolled back, and what is temporary goes."""
        with contextlib.suppress(Exception):
            self._connection.close()

    def _waited(self, what: str, work: Callable[[Any], Answer], text: str = "") -> Answer:
        """What comes of some work on a cursor.

        The driver holds back signals for as long as a statement runs. So it runs in a thread of its own, and an
        interrupt of this one cancels it.
        """
        with self._translated(what, text), self._connection.cursor() as cursor, ThreadPoolExecutor(1) as pool:
            running = pool.submit(work, cursor)
            try:
                while not running.done():  # the driver's own handlers let a signal restart a wait without an end
                    wait([running], PAUSE)
                return running.result()
            except BaseException:
                while not running.done():  # one that has not reached the server yet is not cancelled by one call
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
        except Exception as error:  # errors of the driver, of its manager and of Arrow: their words may hold values
            raise refused(self.driver.title, what, error, text) from None
