"""DataFrames of Spark: the records of relations, and the rows of queries on them and on lookups."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anonduck.engines.protocol import SOURCE, Progress, Tally, no_progress
from anonduck.engines.relation import Place, Relation, refuse_alike
from anonduck.engines.spark_session import functions, opened_session, quoted, table_name, translated, with_progress
from anonduck.errors import ConfigError

BINARY = "UTF8_BINARY"
"""The collation that compares texts by their bytes."""
TEXT = "STRING"
SMALL = 32 << 20
"""Lookups up to so many bytes are sent to every executor, so that the records are not moved."""
_VIEWS = threading.Lock()
"""Held while a query is analyzed, because sessions of several threads share the names of its views."""


def is_small(*lookups: Any) -> bool:
    """Whether Arrow tables are sent to every executor, where they are joined."""
    return sum(int(table.nbytes) for table in lookups) <= SMALL


class SparkFrames:
    """What is asked of a session of Spark: the caller's, or one opened at the master of a config."""

    def __init__(self, session: Any = None, *, master: str | None = None, progress: Progress = no_progress) -> None:
        self.tally = Tally()
        self.progress = progress
        self._own = session is None
        self.session = session if session is not None else opened_session(master)
        self._equal = False
        self.views: set[str] = set()

    def frame(self, relation: Relation) -> Any:
        """The records of a relation as a DataFrame, filtered and with columns cast."""
        frame = self._described(relation)
        if relation.where:
            frame = translated("where", lambda: frame.where(relation.where))
        casts = dict(relation.casts)
        if not casts:
            return frame
        if any(kind != TEXT for kind in casts.values()):  # a cast to text cannot fail
            self._check_setting("spark.sql.ansi.enabled", "true", "casts that fail")
        columns = [(name, functions.col(quoted(name))) for name in frame.columns]
        cast = [(one.cast(casts[name]) if name in casts else one).alias(name) for name, one in columns]
        return translated("types", lambda: frame.select(*cast))

    def _described(self, relation: Relation) -> Any:
        """All records of a relation as DuckDB compares them: texts by their bytes, durations as text."""
        frame = translated("open", lambda: self._opened(relation.place))
        refuse_alike(frame.columns, relation)
        kept = []
        for field in frame.schema.fields:
            value = functions.col(quoted(field.name))
            if getattr(field.dataType, "collation", BINARY) != BINARY:
                value = functions.collate(value, BINARY)
            elif field.dataType.simpleString().startswith("interval"):
                value = value.cast("string")
            kept.append(value.alias(field.name))
        return translated("columns", lambda: frame.select(*kept))

    def _check_setting(self, name: str, wanted: str, read: str) -> None:
        found = translated("settings", lambda: self.session.conf.get(name))
        if str(found).lower() != wanted:
            raise ConfigError(
                f"the session of Spark has {name}={found}, by which {read} mean something else; set it to {wanted}"
            )

    def _opened(self, place: Place) -> Any:
        if place.path:
            return self.session.read.parquet(place.path)
        return self.session.table(table_name(place))

    def columns(self, relation: Relation, names: Sequence[str]) -> Any:
        """Some columns of a relation, renamed c0, c1, ... to avoid clashes."""
        frame = self.frame(relation)
        named = [functions.col(quoted(name)).alias(f"c{place}") for place, name in enumerate(names)]
        return translated("columns", lambda: frame.select(*named))

    def selected(self, relation: Relation | None, rows: str, lookups: Mapping[str, Any], *, sent: bool = True) -> Any:
        """The DataFrame of a query; its views exist only while the query is analyzed, or until ``drop_views``."""
        frames = {} if relation is None else {SOURCE: self.frame(relation)}
        frames |= {name: self._uploaded(table, sent=sent) for name, table in lookups.items()}
        with _VIEWS:
            try:
                for name, frame in frames.items():
                    frame.createOrReplaceTempView(name)
                return self.session.sql(rows)
            finally:
                self.views |= set(frames)
                if getattr(self.session, "_jvm", None) is not None:
                    self.drop_views()

    def drop_views(self) -> None:
        """Drop the views of queries. Spark Connect resolves a query when it runs, so that they stay until then."""
        for name in self.views:
            self.session.catalog.dropTempView(name)
        self.views.clear()

    def _uploaded(self, table: Any, *, sent: bool = True) -> Any:
        """A lookup as a DataFrame with its own types: a moment without zone stays one.

        A small one that is ``sent`` is given to every executor where it is joined.
        """
        from pyspark.sql.pandas.types import from_arrow_schema

        schema = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
        frame = self.session.createDataFrame(table, schema)
        return functions.broadcast(frame) if sent and is_small(table) else frame

    def _scanned(self, what: str, rows: Callable[[], Any]) -> Any:
        """The rows of a DataFrame as an Arrow table; counts the scan and the rows."""
        table = translated(what, lambda: self._follow(lambda: rows().toArrow()))
        self.tally.add(table.num_rows)
        return table

    def _follow(self, job: Callable[[], Any]) -> Any:
        """The result of a job or catalog change; when an interrupt is raised, it has ended."""
        return with_progress(self.session, job, self.progress)
