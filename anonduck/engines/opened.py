"""Engines by the kind that a config names, and the session of a caller's as the engine that it is of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anonduck.engines.protocol import TableEngine
from anonduck.errors import ConfigError


def _spark(session: Any, master: str | None) -> TableEngine:
    from anonduck.engines.spark import SparkEngine

    return SparkEngine(session, master=master)


KINDS: dict[str, Callable[[Any, str | None], TableEngine]] = {"spark": _spark}
"""What opens an engine, on a session of the caller's or by itself; one is imported when it is asked for."""


def opened_engine(kind: str, *, session: Any = None, master: str | None = None) -> TableEngine:
    """An engine that tells texts apart as DuckDB does.

    Raises ConfigError where there is none of the kind or its package is missing, SourceError where it cannot be reached
    or takes different texts for equal.
    """
    if kind not in KINDS:
        raise ConfigError(f"engine.kind: there is no engine {kind!r} to read from; choose among {', '.join(KINDS)}")
    engine = KINDS[kind](session, master)
    engine.equality()
    return engine


def kind_of(session: Any) -> str:
    """The kind of engine that a caller's session is of; raises ConfigError for what is none."""
    kind = type(session)
    if kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "SparkSession":
        return "spark"
    raise ConfigError(
        f"engine: it is a {kind.__module__}.{kind.__name__}; give a session of Spark, or the settings of an engine, "
        "such as `engine: {kind: spark}`"
    )
