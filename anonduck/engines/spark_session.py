"""A session of Spark for a config that names none: at its master, or at that of the environment."""

from __future__ import annotations

import os
import threading
import warnings
from typing import Any

from anonduck.errors import ConfigError, SourceError

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
