"""Spark: tables of its catalogs and Parquet files, read and counted where they are.

No result passes through pandas: ``DataFrame.toArrow`` keeps 64-bit integers with NULL, decimals and moments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from anonduck.engines.equality import TEXTS, behaviour_query, check_behaviour, check_texts
from anonduck.engines.protocol import RECORDS, Profile, Progress, Tally, no_progress
from anonduck.engines.relation import Place, Relation, refuse_alike
from anonduck.engines.spark_files import refuse_lake_place, state_of
from anonduck.engines.spark_session import (
    opened_session,
    quoted,
    released_session,
    table_name,
    translated,
    with_progress,
)
from anonduck.engines.spark_writing import TEXT, SparkWriting
from anonduck.errors import ConfigError

OPAQUE = pa.struct([("unreadable", pa.binary())])
"""The type of a column whose values have no Arrow type: DuckDB sees a nested column, which is never generalized."""

BINARY = "UTF8_BINARY"
"""The collation that compares texts by their bytes."""

TESTED = ("4.3.",)
"""Prefixes of the versions with which the whole test suite passes."""

PRECISION = 0.02
"""The relative standard deviation of an estimated number of different values."""


class SparkEngine(SparkWriting):
    """An engine on a Spark session: the caller's, or one opened at the master of a config."""

    kind = "spark"
    dialect = "spark"
    title = "Spark"
    writes = True

    def __init__(self, session: Any = None, *, master: str | None = None, progress: Progress = no_progress) -> None:
        self.tally = Tally()
        self.progress = progress
        self._own = session is None
        self.session = session if session is not None else opened_session(master)
        self._equal = False
        self.views = set()

    def version(self) -> str:
        """See Engine."""
        return f"Spark {self.session.version}"

    def describe(self, relation: Relation) -> Any:
        """See Engine."""
        import pyarrow as pa

        refuse_lake_place(self.session, relation.place)
        fields = translated("describe", lambda: self.frame(relation).schema.fields)
        return pa.schema([(field.name, _arrow_type(field.dataType)) for field in fields])

    def sample(self, relation: Relation, records: int, seed: int, columns: Sequence[str] | None = None) -> Any:
        """See Engine."""
        import pyarrow as pa
        from pyspark.sql import functions

        schema = self.describe(relation)
        if columns is not None:
            schema = pa.schema([schema.field(name) for name in columns])
        readable = [place for place, kind in enumerate(schema.types) if kind != OPAQUE]
        frame = self.columns(relation, [schema.names[place] for place in readable])
        drawn = self._scanned("sample", lambda: frame.orderBy(functions.rand(seed)).limit(records))
        return _with_opaque(drawn, schema, readable)

    def profile(self, relation: Relation, columns: Sequence[str]) -> Profile:
        """See Engine."""
        from pyspark.sql import functions

        frame = self.columns(relation, columns)
        names = [functions.col(f"c{place}") for place in range(len(columns))]
        counts = [functions.count(functions.lit(1)), *map(functions.count, names)]
        estimates = [functions.approx_count_distinct(name.cast("string"), PRECISION) for name in names]
        found = self._scanned("profile", lambda: frame.agg(*counts, *estimates))
        records, *numbers = (column[0].as_py() for column in found.columns)
        filled, distinct = numbers[: len(columns)], numbers[len(columns) :]
        return Profile(records, tuple(filled), tuple(map(min, filled, distinct)), exact=False)

    def count_by(self, relation: Relation, columns: Sequence[str], most: int | None = None) -> Any:
        """See Engine."""
        from pyspark.sql import functions

        frame = self.columns(relation, columns)
        number = functions.count(functions.lit(1)).alias("records")
        counted = self._scanned("count_by", lambda: _at_most(frame.groupBy(*frame.columns).agg(number), most))
        none = most is not None and not counted.num_rows
        return None if none else counted.rename_columns([*columns, RECORDS])

    def histograms(self, relation: Relation, columns: Sequence[str]) -> Any:
        """See Engine."""
        from pyspark.sql import functions

        frame = self.columns(relation, columns)
        which = functions.coalesce(
            *(
                functions.when(functions.grouping(name) == 0, functions.lit(place))
                for place, name in enumerate(frame.columns)
            )
        )
        number = functions.count(functions.lit(1)).alias("records")
        sets = [[functions.col(name)] for name in frame.columns]
        counted = self._scanned(
            "histograms", lambda: frame.groupingSets(sets, *frame.columns).agg(which.alias("which"), number)
        )
        return counted.rename_columns([*columns, "which", RECORDS])

    def fetch(self, relation: Relation, rows: str, lookups: Mapping[str, Any]) -> Any:
        """See Engine."""
        found = translated("rows", lambda: self.selected(relation, rows, lookups))
        return self._scanned("rows", lambda: found)

    def largest(self, relation: Relation, column: str) -> int:
        """See Engine."""
        from pyspark.sql import functions

        frame = self.columns(relation, [column])
        number = functions.count(functions.lit(1)).alias("records")
        counted = self._scanned("largest", lambda: frame.groupBy("c0").agg(number).agg(functions.max("records")))
        return int(counted.column(0)[0].as_py() or 0)

    def snapshot(self, relation: Relation) -> str | None:
        """See Engine: the version of an Iceberg or Delta table, else names, sizes and change times of the files,
        if known.
        """
        place = relation.place
        return translated("snapshot", lambda: state_of(self.session, self._opened(place), place))

    def equality(self) -> None:
        """See Engine."""
        if self._equal:
            return
        self._check_setting("spark.sql.parser.escapedStringLiterals", "false", "texts in a query")
        rows = [(text,) for text in (*TEXTS, None, None)]
        groups = translated(
            "equality", lambda: self.session.createDataFrame(rows, "t string").groupBy("t").count().collect()
        )
        check_texts([(row[0], row[1]) for row in groups], self.title)
        if not self.session.version.startswith(TESTED):
            self.behaviour()
        self._equal = True

    def behaviour(self) -> None:
        """Raise SourceError if this Spark does not behave as queries expect; takes some seconds."""
        rows = translated("behaviour", lambda: self.session.sql(behaviour_query(self.dialect)).collect())
        check_behaviour(rows, self.version)

    def close(self) -> None:
        """See Engine."""
        self.drop_views()
        if self._own:
            released_session(self.session)

    # -- relations -----------------------------------------------------------------------------------------------------

    def frame(self, relation: Relation) -> Any:
        """The records of a relation as a DataFrame, filtered and with columns cast."""
        from pyspark.sql import functions

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
        from pyspark.sql import functions

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
        from pyspark.sql import functions

        frame = self.frame(relation)
        named = [functions.col(quoted(name)).alias(f"c{place}") for place, name in enumerate(names)]
        return translated("columns", lambda: frame.select(*named))

    def _scanned(self, what: str, rows: Callable[[], Any]) -> Any:
        """The rows of a DataFrame as an Arrow table; counts the scan and the rows."""
        table = translated(what, lambda: with_progress(self.session, lambda: rows().toArrow(), self.progress))
        self.tally.add(table.num_rows)
        return table


def _at_most(counted: Any, most: int | None) -> Any:
    """The rows of a DataFrame, or none if there are more than ``most``; rows over the limit are not read."""
    from pyspark.sql import Window, functions

    if most is None:
        return counted
    few = counted.limit(most + 1)
    rows = functions.count(functions.lit(1)).over(Window.partitionBy())
    return few.withColumn("rows", rows).where(functions.col("rows") <= most).drop("rows")


def _arrow_type(kind: Any) -> Any:
    """The Arrow type in which Spark returns values of a type."""
    from pyspark.errors import PySparkTypeError
    from pyspark.sql.pandas.types import to_arrow_type

    if kind.typeName() == "timestamp":
        return pa.timestamp("us", tz="UTC")
    try:
        return to_arrow_type(kind)
    except PySparkTypeError:
        return OPAQUE


def _with_opaque(table: Any, schema: Any, readable: Sequence[int]) -> Any:
    """The table with all columns of the schema; columns that were not read are NULL."""
    read = dict(zip(readable, table.columns, strict=True))
    columns = [read.get(place, pa.nulls(table.num_rows, kind)) for place, kind in enumerate(schema.types)]
    return pa.Table.from_arrays(columns, names=schema.names)
