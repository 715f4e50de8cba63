"""Open an engine by its kind in the config, or on a caller's session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anonduck.engines.protocol import Engine
from anonduck.errors import ConfigError


def _spark(session: Any, master: str | None) -> Engine:
    from anonduck.engines.spark import SparkEngine

    return SparkEngine(session, master=master)


def _adbc(kind: str) -> Callable[[Any, str | None], Engine]:
    def opened(_session: Any, _master: str | None) -> Engine:
        from anonduck.engines.adbc import AdbcEngine

        return AdbcEngine(kind)

    return opened


KINDS: dict[str, Callable[[Any, str | None], Engine]] = {
    "spark": _spark,
    **{kind: _adbc(kind) for kind in ("postgres", "bigquery", "snowflake")},
}
"""Functions that open an engine, on a caller's session or a new one. Each imports its engine only when called."""


def opened_engine(kind: str, *, session: Any = None, master: str | None = None) -> Engine:
    """Open an engine, and check that it distinguishes texts as DuckDB does.

    Raises ConfigError for an unknown kind or a missing package, SourceError if the engine cannot be reached or treats
    different texts as equal.
    """
    if kind not in KINDS:
        raise ConfigError(f"engine.kind: there is no engine {kind!r} to read from; choose among {', '.join(KINDS)}")
    engine = KINDS[kind](session, master)
    engine.equality()
    return engine


def kind_of(session: Any) -> str:
    """The kind of engine of a caller's session. Raises ConfigError for anything else."""
    kind = type(session)
    if kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "SparkSession":
        return "spark"
    raise ConfigError(
        f"engine: it is a {kind.__module__}.{kind.__name__}; give a session of Spark, or the settings of an engine, "
        "such as `engine: {kind: spark}`"
    )
