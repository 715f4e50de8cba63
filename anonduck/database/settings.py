"""The settings of a connection: its time zone, and how much of the machine its queries may use."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import duckdb

from anonduck.database.errors import redacted
from anonduck.database.session import BindValues, Session
from anonduck.errors import ConfigError, DatabaseError
from anonduck.statements import builder_database

MEMORY_LIMIT = 3 << 30  # unless the config says another; a process with an audit then stays under 4 GB
LESS = f"{MEMORY_LIMIT >> 20}MiB"
"""The default limit, where DuckDB's own (a share of the machine's memory) is larger."""
LEAST_MEMORY = 63_900_000  # 64MB, as DuckDB rounds it
ORDER = {"default_order": "ascending", "default_null_order": "nulls_last"}
LEAST_WORDS = "write a size such as 8GB; the least is 64MB, and large exports need more"


def apply_settings(session: Session, settings: BindValues) -> None:
    """Set settings by name; raises DatabaseError for what DuckDB does not take."""
    for name, value in settings.items():
        try:
            session.raw(builder_database.setting(name), {"value": value})
        except duckdb.Error as error:
            why = LEAST_WORDS if name == "memory_limit" else redacted(str(error))
            raise DatabaseError(f"DuckDB does not take {name} = {value}: {why}") from None


def set_order(session: Session) -> None:
    """Make ORDER BY ascend and put NULL last, in this connection only: its caller's settings may differ."""
    for name, value in ORDER.items():
        session.raw(builder_database.setting(name, session=True), {"value": value})


def set_timezone(session: Session, timezone: str) -> None:
    """Set the time zone, which DuckDB would take from the process; raises ConfigError if there is none such."""
    try:
        session.raw(builder_database.setting("TimeZone"), {"value": timezone})
    except duckdb.Error:
        raise ConfigError(
            f"timezone: DuckDB knows no time zone {timezone!r}; write one such as UTC or Europe/Rome"
        ) from None


def limit(session: Session, threads: int | None, memory_limit: str | None) -> None:
    """Set how many threads and how much memory queries may use; raises DatabaseError for too little memory."""
    wanted = memory_limit or (LESS if _memory(session) > MEMORY_LIMIT else None)
    settings = {"threads": threads, "memory_limit": wanted}
    apply_settings(session, {name: value for name, value in settings.items() if value is not None})
    if wanted != LESS and _memory(session) < LEAST_MEMORY:
        raise DatabaseError(f"memory_limit: {memory_limit} is too little for DuckDB to work in: {LEAST_WORDS}")


def _memory(session: Session) -> float:
    """How many bytes DuckDB may use; 0 if there is too little memory even to ask."""
    try:
        ((text,),) = session.raw(builder_database.MEMORY)
    except duckdb.OutOfMemoryException:
        return 0.0
    number, unit = str(text).split()
    return float(number) * 1024.0 ** ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB").index(unit)


_THREADS = threading.Lock()
"""Held while a file is written whose bytes or memory depend on the threads: all cursors share the setting."""


@contextlib.contextmanager
def at_least_two_threads(session: Session) -> Iterator[None]:
    """Two threads or more inside, whatever the setting says outside."""
    with _THREADS:
        ((threads,),) = session.fetch(builder_database.THREADS)
        with _threads(session, int(threads), max(2, int(threads))):
            yield


@contextlib.contextmanager
def one_thread(session: Session) -> Iterator[None]:
    """One thread inside, whatever the setting says outside."""
    with _THREADS:
        ((threads,),) = session.fetch(builder_database.THREADS)
        with _threads(session, int(threads), 1):
            yield


@contextlib.contextmanager
def _threads(session: Session, before: int, wanted: int) -> Iterator[None]:
    if wanted != before:
        apply_settings(session, {"threads": wanted})
    try:
        yield
    finally:
        if wanted != before:
            apply_settings(session, {"threads": before})
