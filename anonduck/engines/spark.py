"""Spark: tables of its catalogs and Parquet files, read and counted where they are.

No result passes through pandas: ``DataFrame.toArrow`` keeps 64-bit integers with NULL, decimals and moments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from anonduck.engines.equality import TEXTS, behaviour_query, check_behaviour, check_texts
from anonduck.engines.group_sizes import sizes_apart
from anonduck.engines.protocol import RECORDS, SOURCE, Profile
from anonduck.engines.relation import Relation
from anonduck.engines.spark_files import refuse_lake_place, state_of
from anonduck.engines.spark_frames import TEXT
from anonduck.engines.spark_session import condition, functions, quoted, released_session, translated
from anonduck.engines.spark_writing import SparkWriting

OPAQUE = pa.struct([("unreadable", pa.binary())])
"""The type of a column whose values have no Arrow type: DuckDB sees a nested column, which is never generalized."""

TESTED = ("4.3.",)
"""Prefixes of the versions with which the whole test suite passes."""

FLOATS = ("float", "double")

PRECISION = 0.02
"""The relative standard deviation of an estimated number of different values."""


class SparkEngine(SparkWriting):
    """The engine of a session of Spark."""

    kind = "spark"
    dialect = "spark"
    title = "Spark"
    writes = True

    def version(self) -> str:
        """See Engine."""
        return f"Spark {self.session.version}"

    def describe(self, relation: Relation) -> Any:
        """See Engine."""
        refuse_lake_place(self.session, relation.place)
        fields = translated("describe", lambda: self.frame(relation).schema.fields)
        return pa.schema([(field.name, _arrow_type(field.dataType)) for field in fields])

    def sample(self, relation: Relation, records: int, seed: int, columns: Sequence[str] | None = None) -> Any:
        """See Engine."""
        schema = self.describe(relation)
        if columns is not None:
            schema = pa.schema([schema.field(name) for name in columns])
        readable = [place for place, kind in enumerate(schema.types) if kind != OPAQUE]
        frame = self.columns(relation, [schema.names[place] for place in readable])
        drawn = self._scanned("sample", lambda: frame.orderBy(functions.rand(seed)).limit(records))
        return _with_opaque(drawn, schema, readable)

    def profile(self, relation: Relation, columns: Sequence[str]) -> Profile:
        """See Engine."""
        frame = self.columns(relation, columns)
        names = [functions.col(f"c{place}") for place in range(len(columns))]
        counts = [number_of_rows(), *map(functions.count, names)]
        estimates = [functions.approx_count_distinct(name.cast("string"), PRECISION) for name in names]
        found = self._scanned("profile", lambda: frame.agg(*counts, *estimates))
        records, *numbers = (column[0].as_py() for column in found.columns)
        filled, distinct = numbers[: len(columns)], numbers[len(columns) :]
        return Profile(records, tuple(filled), tuple(map(min, filled, distinct)), exact=False)

    def count_by(self, relation: Relation, columns: Sequence[str], most: int | None = None) -> Any:
        """See Engine."""
        frame = self.columns(relation, columns)
        number = number_of_rows().alias("records")
        counted = self._scanned("count_by", lambda: _at_most(frame.groupBy(*frame.columns).agg(number), most))
        none = most is not None and not counted.num_rows
        return None if none else counted.rename_columns([*columns, RECORDS])

    def histograms(self, relation: Relation, columns: Sequence[str]) -> Any:
        """See Engine."""
        frame = self.columns(relation, columns)
        which = functions.coalesce(
            *(
                functions.when(functions.grouping(name) == 0, functions.lit(place))
                for place, name in enumerate(frame.columns)
            )
        )
        number = number_of_rows().alias("records")
        sets = [[functions.col(name)] for name in frame.columns]
        counted = self._scanned(
            "histograms", lambda: frame.groupingSets(sets, *frame.columns).agg(which.alias("which"), number)
        )
        return counted.rename_columns([*columns, "which", RECORDS])

    def fetch(self, relation: Relation, rows: str, lookups: Mapping[str, Any]) -> Any:
        """See Engine."""
        return self._fetched("rows", relation, rows, lookups)

    def group_sizes(self, relation: Relation, kept: Sequence[str], others: Sequence[str], entity: str | None) -> Any:
        """See Engine."""
        query = sizes_apart(SOURCE, kept, others, entity, self.dialect)
        return self._fetched("group_sizes", relation, query, {})

    def _fetched(self, what: str, relation: Relation, rows: str, lookups: Mapping[str, Any]) -> Any:
        found = translated(what, lambda: self.selected(relation, rows, lookups))
        return self._scanned(what, lambda: found)

    def zeros_apart(self, relation: Relation) -> Relation:
        """See Engine."""
        frame = self.frame(relation)
        floats = [field.name for field in frame.schema.fields if field.dataType.typeName() in FLOATS]
        if not floats:
            return relation
        values = [functions.col(quoted(name)) for name in floats]
        signed = [functions.bool_or((one == 0) & one.cast(TEXT).startswith("-")) for one in values]
        held = [one.alias(f"c{place}") for place, one in enumerate(signed)]
        found = self._scanned("minus_zeros", lambda: frame.agg(*held))
        return relation.cast([name for name, one in zip(floats, found.columns, strict=True) if one[0].as_py()], TEXT)

    def common(self, relation: Relation, column: str, least: int) -> tuple[Any, int]:
        """See Engine."""
        counted = self.columns(relation, [column]).groupBy("c0").agg(number_of_rows().alias("records"))
        kept = self._scanned("common", lambda: counted.where(functions.col("records") >= least))
        every = self._scanned("common", lambda: counted.agg(number_of_rows().alias("values")))
        return kept.rename_columns(["value", RECORDS]), every.column(0)[0].as_py() - kept.num_rows

    def unsorted(self, relation: Relation, columns: Sequence[str]) -> tuple[str, ...]:
        """See Engine: maps, variants, and types that contain one."""
        frame = self.frame(relation)
        return tuple(name for name in columns if not translated("order", partial(_is_sorted, frame, name)))

    def largest(self, relation: Relation, column: str) -> int:
        """See Engine."""
        frame = self.columns(relation, [column])
        number = number_of_rows().alias("records")
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


def number_of_rows() -> Any:
    """The aggregate that counts rows."""
    return functions.count(functions.lit(1))


def _at_most(counted: Any, most: int | None) -> Any:
    """The rows of a DataFrame, or none if there are more than ``most``; rows over the limit are not read."""
    from pyspark.sql import Window

    if most is None:
        return counted
    few = counted.limit(most + 1)
    rows = number_of_rows().over(Window.partitionBy())
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


def _is_sorted(frame: Any, name: str) -> bool:
    """Whether Spark can order the values of a column; asks for a plan and reads nothing."""
    from pyspark.errors import AnalysisException

    values = frame.select(functions.col(quoted(name)).alias("value"))
    try:
        return bool(values.orderBy("value").schema)
    except AnalysisException as error:
        if not condition(error).startswith("DATATYPE_MISMATCH"):
            raise
    return False
