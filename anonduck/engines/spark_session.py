"""A session of Spark for a config that names none: at its master, or at that of the environment."""

from __future__ import annotations

import contextlib
import os
import threading
import uuid
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import cache
from typing import Any, TypeVar

from anonduck.engines.protocol import Progress
from anonduck.errors import AnonduckError, ConfigError, SourceError

Answer = TypeVar("Answer")

LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
"""Where PySpark writes the words of an error, whoever catches it (pyspark.errors.exceptions.base)."""

_THREAD = threading.local()

KNOWN = {
    "TABLE_OR_VIEW_NOT_FOUND": "there is no such table; name it as Spark's catalog does, catalog.schema.table",
    "SCHEMA_NOT_FOUND": "there is no such schema; make it, or name another",
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


LOCAL = "local[*]"
MASTER = "SPARK_MASTER"
_CHANGING = threading.Lock()
_USERS: dict[Any, int] = {}
"""How many engines use a session that was opened here; one of a caller's is not among them, and stays open."""


def opened_session(master: str | None) -> Any:
    """A session at a master (default: SPARK_MASTER, else this machine); raises ConfigError where there is no PySpark.

    It logs nothing, for Spark's log quotes values. What else a session needs, credentials among it, Spark reads from
    its own environment (spark-defaults.conf, SPARK_CONF_DIR, PYSPARK_SUBMIT_ARGS).
    """
    sessions = spark_sql().SparkSession
    with _CHANGING:
        ours = sessions.getActiveSession() is None
        session = _started(sessions, master) if ours else sessions.getActiveSession()
        if ours or session in _USERS:
            _USERS[session] = _USERS.get(session, 0) + 1
        return session


def _started(sessions: Any, master: str | None) -> Any:
    builder = sessions.builder.appName("anonduck").master(master or os.environ.get(MASTER) or LOCAL)
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of versions of pandas, which nothing here passes through
            return builder.config(map=settings).getOrCreate()
    except Exception as error:  # whatever a JVM that does not start, or a cluster, raises
        raise SourceError(
            f"Spark cannot be started ({type(error).__name__}); check that Java 17 or newer is there (JAVA_HOME), and "
            "that the master can be reached"
        ) from None


def released_session(session: Any) -> None:
    """End a session that was opened here, if nobody else uses it."""
    with _CHANGING:
        if session not in _USERS:
            return
        _USERS[session] -= 1
        if not _USERS[session]:
            del _USERS[session]
            session.stop()


def spark_sql() -> Any:
    """The module pyspark.sql; raises ConfigError where PySpark is not installed."""
    try:
        import pyspark.sql
    except ImportError:
        raise ConfigError("the engine spark needs PySpark; install it with `pip install 'anonduck[spark]'`") from None
    return pyspark.sql


PAUSE = 0.25
"""Seconds between two questions."""


def followed(session: Any, job: Callable[[], Answer], progress: Progress) -> Answer:
    """The answer of a job; meanwhile ``progress`` is told how many of its tasks are done.

    The job runs in a thread of its own, so that whoever is told may stop it: it is then cancelled in the cluster. A
    session of Spark Connect has no such counters, and waits.
    """
    context = getattr(session, "_sc", None)
    if context is None:
        return job()
    group = f"anonduck-{uuid.uuid4().hex}"
    answer: Future[Answer] = Future()
    thread = _job_thread(context, group, job, answer)
    try:
        while thread.is_alive():
            thread.join(PAUSE)
            progress(*tasks(context.statusTracker(), group))
    except BaseException:
        context.cancelJobGroup(group)
        thread.join()
        raise
    return answer.result()


def _job_thread(context: Any, group: str, job: Callable[[], Answer], answer: Future[Answer]) -> threading.Thread:
    """A thread that runs a job under the name of a group, with all else that Spark was told in this thread."""
    from pyspark import InheritableThread

    def run() -> None:
        try:
            with unlogged():
                context.setJobGroup(group, "anonduck", interruptOnCancel=True)
                answer.set_result(job())
        except BaseException as error:  # whoever waits raises it
            answer.set_exception(error)

    thread: threading.Thread = InheritableThread(target=run, name=group)
    thread.start()
    return thread


def tasks(tracker: Any, group: str) -> tuple[int, int]:
    """How many tasks of a group of jobs are done, and how many there are by now."""
    finished = total = 0
    for job in tracker.getJobIdsForGroup(group):
        stages = tracker.getJobInfo(job)
        for stage in stages.stageIds if stages else ():
            told = tracker.getStageInfo(stage)
            if told is not None:
                finished += told.numCompletedTasks
                total += told.numTasks
    return finished, total
