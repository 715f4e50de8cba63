"""What Spark writes: rows to a staging place, which is then renamed over its target.

A table is made empty, by no job, and filled afterwards: whatever fails in between, dropping it removes its files too.
A folder is written and renamed through Hadoop's file systems, as Spark itself reads and writes it.
"""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from anonduck.engines.protocol import RECORDS, SOURCE, Progress, Tally
from anonduck.engines.relation import Place, Relation
from anonduck.engines.spark_files import refuse_lake_target
from anonduck.engines.spark_session import asked, condition, followed
from anonduck.errors import SourceError
from anonduck.statements.builder_kept import sizes_of
from anonduck.statements.column_types import ZONED_IN_PARQUET

REPLACED = "__anonduck_replaced"
MOMENTS = "spark.sql.parquet.outputTimestampType"
FLOATS = ("float", "double")
TEXT = "STRING"
CARRIED = {"released": True}
"""What a column carries in the place of what its source did: Spark's optimizer drops an alias that carries nothing."""
SMALL = 32 << 20
"""Bytes of a lookup that every executor is sent whole, so that the records stay where they are."""
_VIEWS = threading.Lock()
"""Held while a query is read: sessions of several threads share the names of its views."""


class SparkWriting(ABC):
    """The writing half of the engine on Spark; ``frame`` and all else is the reading half's."""

    session: Any
    progress: Progress
    tally: Tally

    @abstractmethod
    def frame(self, relation: Relation) -> Any:
        """The records of a relation as a DataFrame."""

    def group_sizes(self, relation: Relation, kept: Sequence[str], others: Sequence[str], entity: str | None) -> Any:
        """See WritingEngine."""
        query = sizes_of(SOURCE, kept, others, entity, "spark").sql
        counted = asked("group_sizes", lambda: self.selected(relation, query, {}))
        table = asked("group_sizes", lambda: followed(self.session, counted.toArrow, self.progress))
        self.tally.add(table.num_rows)
        return table

    def zeros_apart(self, relation: Relation) -> Relation:
        """See WritingEngine."""
        from pyspark.sql import functions

        frame = self.frame(relation)
        floats = [field.name for field in frame.schema.fields if field.dataType.typeName() in FLOATS]
        if not floats:
            return relation
        values = [functions.col(quoted(name)) for name in floats]
        signed = [functions.bool_or((one == 0) & one.cast(TEXT).startswith("-")) for one in values]
        held = frame.agg(*[one.alias(f"c{place}") for place, one in enumerate(signed)])
        (row,) = asked("minus_zeros", lambda: followed(self.session, held.collect, self.progress))
        self.tally.add(1)
        return relation.cast([name for name, minus_zero in zip(floats, row, strict=True) if minus_zero], TEXT)

    def common(self, relation: Relation, column: str, least: int) -> tuple[Any, int]:
        """See WritingEngine."""
        from pyspark.sql import functions

        frame = self.frame(relation).select(functions.col(quoted(column)).alias("value"))
        counted = frame.groupBy("value").agg(functions.count(functions.lit(1)).alias("records"))
        kept = counted.where(functions.col("records") >= least)
        table = asked("common", lambda: followed(self.session, kept.toArrow, self.progress))
        self.tally.add(table.num_rows)
        values = asked("common", lambda: followed(self.session, counted.count, self.progress))
        self.tally.add(1)
        return table.rename_columns(["value", RECORDS]), int(values) - table.num_rows

    def unsorted(self, relation: Relation, columns: Sequence[str]) -> tuple[str, ...]:
        """See WritingEngine: maps, variants, and whatever holds one."""
        frame = self.frame(relation)
        return tuple(name for name in columns if not asked("order", partial(_is_sorted, frame, name)))

    def write(self, relation: Relation | None, rows: str, lookups: Mapping[str, Any], target: Place) -> None:
        """See WritingEngine."""
        found = asked("release", lambda: self.selected(relation, rows, lookups))
        if target.path:
            with self._moments_with_zone():
                plain = asked("release", lambda: _plain(found))
                asked("write", lambda: self._follow(lambda: plain.write.mode("error").parquet(target.path)))
        else:
            name = _named(target)
            make = partial(self.session.catalog.createTable, name, schema=_nullable(found.schema))
            asked("write", lambda: self._follow(make))
            with self._moments_with_zone():
                asked("write", lambda: self._follow(lambda: found.write.insertInto(name)))
        self.tally.add()

    def rename(self, staging: Place, target: Place) -> None:
        """See WritingEngine."""
        refuse_lake_target(self.session, target)
        replaced = _replaced(target)
        if self.exists(replaced) and not self.exists(target):  # a run was killed between both steps
            self._move(replaced, target)
        self.drop(replaced)
        held = self.exists(target)
        try:
            if held:
                self._move(target, replaced)
            self._move(staging, target)
        except BaseException:  # an interrupt is raised once what it came into is done
            if self.exists(target) and not self.exists(staging):
                self._move(target, staging)
            if held and not self.exists(target):
                self._move(replaced, target)
            raise
        self.drop(replaced)

    def drop(self, staging: Place) -> None:
        """See WritingEngine."""
        if staging.path:
            files, path = self._files(staging.path)
            asked("drop", lambda: files.delete(path, True))
        elif self.exists(staging):
            try:
                asked("drop", lambda: self.session.sql(f"DROP TABLE IF EXISTS {_named(staging)} PURGE"))
            except SourceError:  # catalogs that have no PURGE
                asked("drop", lambda: self.session.sql(f"DROP TABLE IF EXISTS {_named(staging)}"))

    def exists(self, place: Place) -> bool:
        """See WritingEngine."""
        if place.path:
            files, path = self._files(place.path)
            return bool(asked("look", lambda: files.exists(path)))
        return bool(asked("look", lambda: self.session.catalog.tableExists(_named(place))))

    # -- rows ----------------------------------------------------------------------------------------------------------

    def selected(self, relation: Relation | None, rows: str, lookups: Mapping[str, Any]) -> Any:
        """The DataFrame of a query; its views are there for as long as it is read, and no longer."""
        frames = {} if relation is None else {SOURCE: self.frame(relation)}
        frames |= {name: self._uploaded(table) for name, table in lookups.items()}
        with _VIEWS:
            try:
                for name, frame in frames.items():
                    frame.createOrReplaceTempView(name)
                return self.session.sql(rows)
            finally:
                for name in frames:
                    self.session.catalog.dropTempView(name)

    def _uploaded(self, table: Any) -> Any:
        """A lookup as a DataFrame, of the types that its values have: a moment without zone stays one."""
        from pyspark.sql import functions
        from pyspark.sql.pandas.types import from_arrow_schema

        schema = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
        frame = self.session.createDataFrame(table, schema)
        return functions.broadcast(frame) if table.nbytes <= SMALL else frame

    @contextlib.contextmanager
    def _moments_with_zone(self) -> Iterator[None]:
        """Parquet files hold moments as such inside; in Spark's older form, others read them without their zone."""
        before = self.session.conf.get(MOMENTS)
        self.session.conf.set(MOMENTS, ZONED_IN_PARQUET)
        try:
            yield
        finally:
            self.session.conf.set(MOMENTS, before)

    def _follow(self, job: Any) -> Any:
        """The answer of a job, or of a change to a catalog: when an interrupt is raised, neither is going on."""
        return followed(self.session, job, self.progress)

    # -- places --------------------------------------------------------------------------------------------------------

    def _move(self, place: Place, target: Place) -> None:
        if not place.path:
            name = ".".join(map(quoted, target.parts[-2:]))  # a catalog renames within itself
            change = f"ALTER TABLE {_named(place)} RENAME TO {name}"
            asked("rename", lambda: self._follow(lambda: self.session.sql(change)))
            return
        files, path = self._files(place.path)
        _, there = self._files(target.path)
        if not asked("rename", lambda: self._follow(lambda: files.rename(path, there))):
            raise SourceError(f"Spark cannot rename {place} to {target}; check that the folder can be written")

    def _files(self, path: str) -> tuple[Any, Any]:
        """The file system of a path, and the path as it knows it."""
        machine, context = getattr(self.session, "_jvm", None), getattr(self.session, "_jsc", None)
        if machine is None or context is None:
            raise SourceError(
                "a session of Spark Connect cannot put a folder in place; write to a table, spark:SCHEMA.TABLE"
            )
        there = machine.org.apache.hadoop.fs.Path(path)
        return asked("files", lambda: there.getFileSystem(context.hadoopConfiguration())), there


def _is_sorted(frame: Any, name: str) -> bool:
    """Whether Spark orders the values of a column; it is asked for a plan, and reads nothing."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions

    values = frame.select(functions.col(quoted(name)).alias("value"))
    try:
        return bool(values.orderBy("value").schema)
    except AnalysisException as error:
        if not condition(error).startswith("DATATYPE_MISMATCH"):
            raise
    return False


def _plain(frame: Any) -> Any:
    """The rows of a DataFrame without what its columns carry beside them.

    Spark writes that into Parquet files, and an indexer of its MLlib leaves all values of the source there.
    """
    from pyspark.sql import functions

    columns = [
        functions.col(quoted(field.name)).cast(field.dataType).alias(field.name, metadata=CARRIED)
        for field in _nullable(frame.schema).fields
    ]
    return frame.select(*columns)


def _nullable(schema: Any) -> Any:
    """The columns of a schema, none of which is NOT NULL, without what they carry beside their values."""
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(field.name, _bare(field.dataType)) for field in schema.fields])


def _bare(kind: Any) -> Any:
    """A type whose fields carry nothing but their names and types."""
    from pyspark.sql.types import ArrayType, MapType, StructField, StructType

    if isinstance(kind, StructType):
        return StructType([StructField(one.name, _bare(one.dataType), one.nullable) for one in kind.fields])
    if isinstance(kind, ArrayType):
        return ArrayType(_bare(kind.elementType), kind.containsNull)
    if isinstance(kind, MapType):
        return MapType(_bare(kind.keyType), _bare(kind.valueType), kind.valueContainsNull)
    return kind


def _replaced(target: Place) -> Place:
    """Where what stands at a target is kept until the new rows are there."""
    if target.path:
        return Place(path=target.path.rstrip("/") + REPLACED)
    return Place((*target.parts[:-1], target.parts[-1] + REPLACED))


def _named(place: Place) -> str:
    return ".".join(map(quoted, place.parts))


def quoted(name: str) -> str:
    """A name in backticks.

    >>> quoted("an `odd` name")
    '`an ``odd`` name`'
    """
    return "`" + name.replace("`", "``") + "`"
