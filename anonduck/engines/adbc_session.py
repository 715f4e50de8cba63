"""A session of a warehouse: statements run one after the other, and whatever ends the wait cancels them there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

from anonduck.engines.adbc_drivers import AdbcDriver
from anonduck.engines.adbc_errors import refused
from anonduck.errors import AnonduckError
from anonduck.statements import Statement, builder_postgres

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
