"""What Spark refuses, in words of anonduck's: its own quote values of records, so only a condition's name is told."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeVar

from anonduck.errors import AnonduckError, SourceError

Answer = TypeVar("Answer")

LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
"""Where PySpark writes the words of an error, whoever catches it (pyspark.errors.exceptions.base)."""

_THREAD = threading.local()

KNOWN = {
    "TABLE_OR_VIEW_NOT_FOUND": "there is no such table; name it as Spark's catalog does, catalog.schema.table",
    "PATH_NOT_FOUND": "there are no files at the path",
    "UNABLE_TO_INFER_SCHEMA": "there are no Parquet files at the path",
    "CAST_INVALID_INPUT": "a value does not fit the type that it is cast to; name another under `types`",
    "UNRESOLVED_COLUMN": "it has no column of a name that is asked for",
}


def asked(what: str, question: Callable[[], Answer]) -> Answer:
    """The answer to a question; raises SourceError with words that hold no value for whatever Spark raises."""
    try:
        with unlogged():
            return question()
    except AnonduckError:
        raise
    except Exception as error:  # errors of Spark, of Py4J and of what stands between them
        raise SourceError(f"Spark cannot answer ({what}): {told(error)}") from None


@contextlib.contextmanager
def unlogged() -> Iterator[None]:
    """PySpark writes no error of this thread, with the values in it, to the standard error meanwhile."""
    _silence()
    before, _THREAD.silent = getattr(_THREAD, "silent", False), True
    try:
        yield
    finally:
        _THREAD.silent = before


@cache
def _silence() -> None:
    """Have PySpark's loggers ask whether this thread is told."""
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:
        return
    for name in LOGGERS:
        PySparkLogger.getLogger(name).addFilter(lambda _: not getattr(_THREAD, "silent", False))


def told(error: BaseException) -> str:
    """What went wrong, by the name of the condition that Spark gives it.

    >>> told(ValueError("age 47"))
    'ValueError'
    """
    name = condition(error)
    for known, words in KNOWN.items():
        if name.startswith(known):
            return f"{words} ({name})"
    return name or type(error).__name__


def condition(error: BaseException) -> str:
    """The name of an error condition, such as DIVIDE_BY_ZERO; empty where an error has none."""
    getter = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", None)
    try:
        found = getter() if getter else None
    except Exception:
        found = None
    return str(found or "")
