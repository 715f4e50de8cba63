"""Sessions of Spark: opened and shared, with safe errors, and with the progress of a job.

Spark's own error messages quote values of records, so only the name of an error condition is reported.
"""

from __future__ import annotations

import contextlib
import os
import threading
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from anonduck.engines.protocol import Progress
from anonduck.engines.relation import Place
from anonduck.errors import AnonduckError, ConfigError, SourceBusy, SourceError
from anonduck.words import AtFirstUse

if TYPE_CHECKING:
    import pyspark.sql.functions

    functions = pyspark.sql.functions
else:
    functions = AtFirstUse("pyspark.sql.functions")

Answer = TypeVar("Answer")

LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
"""Loggers to which PySpark writes every error, even one that is caught (pyspark.errors.exceptions.base)."""

_THREAD = threading.local()

KNOWN = {
    "TABLE_OR_VIEW_NOT_FOUND": "there is no such table; name it as Spark's catalog does, catalog.schema.table",
    "SCHEMA_NOT_FOUND": "there is no such schema; make it, or name another",
    "PATH_NOT_FOUND": "there are no files at the path",
    "UNABLE_TO_INFER_SCHEMA": "there are no Parquet files at the path",
    "CAST_INVALID_INPUT": "a value does not fit the type that it is cast to; name another under `types`",
    "UNRESOLVED_COLUMN": "it has no column of a name that is translated for",
}
LOCAL = "local[*]"
CONNECT = "sc://"
MASTER = "SPARK_MASTER"
_CHANGING = threading.Lock()
_USERS: dict[Any, int] = {}
"""The number of engines on each session that was opened here. A caller's session is not listed, and stays open."""
PAUSE = 0.25
"""Seconds between two progress reports."""


def translated(what: str, question: Callable[[], Answer]) -> Answer:
    """The result of ``question``; raises SourceError, with a message that holds no value, for whatever Spark raises."""
    try:
        with without_error_logs():
            return question()
    except AnonduckError:
        raise
    except Exception as error:  # of Spark, Py4J or anything between them
        raise SourceError(f"Spark cannot answer ({what}): {error_words(error)}") from None


@contextlib.contextmanager
def without_error_logs() -> Iterator[None]:
    """Keep PySpark from writing this thread's errors, which hold values, to standard error."""
    _silence()
    before, _THREAD.silent = getattr(_THREAD, "silent", False), True
    try:
        yield
    finally:
        _THREAD.silent = before


@cache
def _silence() -> None:
    """Add a filter to PySpark's loggers that drops records of silenced threads."""
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:
        return
    for name in LOGGERS:
        PySparkLogger.getLogger(name).addFilter(lambda _: not getattr(_THREAD, "silent", False))


def error_words(error: BaseException) -> str:
    """What went wrong, by the name of Spark's error condition.

    >>> error_words(ValueError("age 47"))
    'ValueError'
    """
    name = condition(error)
    for known, words in KNOWN.items():
        if name.startswith(known):
            return f"{words} ({name})"
    return name or type(error).__name__


def condition(error: BaseException) -> str:
    """The name of an error condition, such as DIVIDE_BY_ZERO; empty if an error has none."""
    getter = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", None)
    try:
        found = getter() if getter else None
    except Exception:
        found = None
    return str(found or "")


def opened_session(master: str | None) -> Any:
    """Open a session at a master (default: SPARK_MASTER, else this machine). Raises ConfigError without PySpark.

    It logs nothing, because Spark's log quotes values. Spark reads everything else, such as credentials, from its own
    environment (spark-defaults.conf, SPARK_CONF_DIR, PYSPARK_SUBMIT_ARGS).
    """
    sessions = spark_sql().SparkSession
    with _CHANGING:
        ours = sessions.getActiveSession() is None
        session = _started(sessions, master) if ours else sessions.getActiveSession()
        if ours or session in _USERS:
            _USERS[session] = _USERS.get(session, 0) + 1
        return session


def _started(sessions: Any, master: str | None) -> Any:
    address = master or os.environ.get(MASTER) or LOCAL
    if address.startswith(CONNECT):
        return _connected(sessions, address)
    settings = {
        "spark.master": address,
        "spark.app.name": "anonduck",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # about versions of pandas, which is not used here
            _start_java(settings)
            return sessions.builder.config(map=settings).getOrCreate()
    except Exception as error:  # from a JVM that does not start, or from a cluster
        raise (SourceError if address.startswith("local") else SourceBusy)(
            f"Spark cannot be started ({type(error).__name__}); check that Java 17 or newer is there (JAVA_HOME), and "
            "that the master can be reached"
        ) from None


def _connected(sessions: Any, address: str) -> Any:
    """A session on a server of Spark Connect, for which no Java is needed here."""
    try:
        return sessions.builder.remote(address).appName("anonduck").getOrCreate()
    except ImportError:
        raise ConfigError(
            "a session of Spark Connect needs its client; install it with `pip install 'anonduck[connect]'`"
        ) from None
    except Exception as error:  # from the server, or on the way there
        raise SourceBusy(
            f"the server of Spark Connect cannot be reached ({type(error).__name__}); check the address in "
            f"`engine.master` or {MASTER}, sc://HOST:PORT"
        ) from None


def _start_java(settings: Mapping[str, str]) -> None:
    """Start Java in a session of its own, unless it runs.

    A signal to the process group, as timeout, systemd and Kubernetes send it, would end it before this process could
    cancel its job and remove what it wrote. It ends with this process all the same: its standard input is closed then.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is None:
        conf = SparkConf().setAll(list(settings.items()))
        SparkContext._ensure_initialized(gateway=launch_gateway(conf, {"start_new_session": True}), conf=conf)


def released_session(session: Any) -> None:
    """Stop a session that was opened here, once its last user is done."""
    with _CHANGING:
        if session not in _USERS:
            return
        _USERS[session] -= 1
        if not _USERS[session]:
            del _USERS[session]
            session.stop()


def spark_sql() -> Any:
    """The module pyspark.sql. Raises ConfigError if PySpark is not installed."""
    try:
        import pyspark.sql
    except ImportError:
        raise ConfigError("the engine spark needs PySpark; install it with `pip install 'anonduck[spark]'`") from None
    return pyspark.sql


def with_progress(session: Any, job: Callable[[], Answer], progress: Progress) -> Answer:
    """The result of a job; meanwhile ``progress`` is called with the numbers of finished and of all tasks.

    The job runs in its own thread, so that an exception in this one, such as an interrupt, cancels it in the cluster. A
    session of Spark Connect has no task counters and just waits.
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
    """A thread that runs a job in a named job group, with the Spark properties of this thread."""
    from pyspark import InheritableThread

    def run() -> None:
        try:
            with without_error_logs():
                context.setJobGroup(group, "anonduck", interruptOnCancel=True)
                answer.set_result(job())
        except BaseException as error:  # raised again in the waiting thread
            answer.set_exception(error)

    thread: threading.Thread = InheritableThread(target=run, name=group)
    thread.start()
    return thread


def tasks(tracker: Any, group: str) -> tuple[int, int]:
    """The numbers of finished and of all tasks of a job group so far."""
    finished = total = 0
    for job in tracker.getJobIdsForGroup(group):
        stages = tracker.getJobInfo(job)
        for stage in stages.stageIds if stages else ():
            found = tracker.getStageInfo(stage)
            if found is not None:
                finished += found.numCompletedTasks
                total += found.numTasks
    return finished, total


# -- names -------------------------------------------------------------------------------------------------------------


def table_name(place: Place) -> str:
    """The name of a place's table, its parts in backticks."""
    return ".".join(map(quoted, place.parts))


def quoted(name: str) -> str:
    """A name in backticks.

    >>> quoted("an `odd` name")
    '`an ``odd`` name`'
    """
    return "`" + name.replace("`", "``") + "`"
