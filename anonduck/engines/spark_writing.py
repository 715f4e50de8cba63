"""Writing with Spark: rows go to a staging place, which is then renamed to its target.

A table is created empty, without a job, and filled afterwards, so that dropping it after any failure removes its files
too. A folder is written and renamed with Hadoop's file systems, which Spark itself uses.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from anonduck.engines.relation import Place, Relation
from anonduck.engines.spark_files import refuse_lake_target
from anonduck.engines.spark_frames import SparkFrames, is_small
from anonduck.engines.spark_session import functions, quoted, table_name, translated
from anonduck.errors import SourceError
from anonduck.statements.column_types import ZONED_IN_PARQUET
from anonduck.statements.expansion import Expression
from anonduck.statements.row_order import BUCKETS, bucket

REPLACED = "__anonduck_replaced"
MOMENTS = "spark.sql.parquet.outputTimestampType"
CARRIED = {"released": True}
"""Metadata that replaces that of a source's column: Spark's optimizer drops an alias without metadata."""
RANGE, PLACE, BEFORE = "range", "place", "before"
"""Columns of rows that are numbered in ranges: the range, the place in it, the number of rows in the ranges before."""
BUCKET, TIMES = "bucket", "times"
READ_BY = "read_by"
RANGE_BITS = 33
"""Lower bits of Spark's increasing numbers, which count the rows of a partition."""
PART_ROWS = 250_000
"""Rows of a range or a part at least, unless there is one alone."""


class SparkWriting(SparkFrames):
    """The writing half of the Spark engine."""

    def write(
        self,
        relation: Relation | None,
        rows: str,
        lookups: Mapping[str, Any],
        target: Place,
        records: int | None = None,
    ) -> None:
        """See Engine; rows that come from the source come in no order, and are dealt here."""
        sent = relation is not None or records is None
        found = translated("release", lambda: self.selected(relation, rows, lookups, sent=sent))
        if records is None:
            self._written(found, target)
        elif relation is None:
            few = is_small(*lookups.values())
            self._written(translated("release", lambda: self._repeated(found, records, few)), target)
        else:
            with self._dealt(found, records) as dealt:
                self._written(dealt, target)

    @contextlib.contextmanager
    def _dealt(self, found: Any, records: int) -> Iterator[Any]:
        """Rows in the order of a release, whose positions are numbered side by side.

        Spark sorts the rows into ranges and numbers those of each; the rows of the ranges before it are added. Equal
        rows, of which there may be millions, are also told apart by the task that read them, so that no range has them
        all. What was read and what was numbered is kept on the executors' disks meanwhile: to find the ranges Spark
        reads the rows once more than to sort them. Few rows are one range, for which nothing has to be found.
        """
        from pyspark import StorageLevel

        ranges = max(1, records // PART_ROWS)
        read = translated("release", lambda: _shown_columns(found))
        ranged = translated("release", lambda: _ranged(read, ranges))
        shown = _shown_names(found.columns)
        if ranges == 1:
            yield translated("release", lambda: self._in_parts(ranged.select(*shown, PLACE), found.columns, records))
            return
        try:
            for frame in (read, ranged):
                translated("release", partial(frame.persist, StorageLevel.DISK_ONLY))
            before = self._uploaded(translated("release", lambda: self._follow(lambda: _rows_before(ranged))))
            place = (functions.col(BEFORE) + functions.col(PLACE)).alias(PLACE)
            placed = translated("release", lambda: ranged.join(before, RANGE).select(*shown, place))
            yield translated("release", lambda: self._in_parts(placed, found.columns, records))
        finally:
            for frame in (ranged, read):
                translated("release", frame.unpersist)

    def _repeated(self, found: Any, records: int, few: bool) -> Any:
        """Rows in the order of a release, each repeated; ``few`` are sent to every executor.

        Equal rows stand together in a bucket. So their positions are counted by bucket, of which few numbers have to be
        moved and sorted, and they are repeated where they are written. Groups are dealt to tasks first, so that none of
        these numbers is counted in two.
        """
        *names, _, _ = found.columns
        rows = found.toDF(*_shown_names(names), PLACE, TIMES)
        ends = functions.col(PLACE) + functions.col(TIMES) - 1
        apart = rows.select(PLACE, ends.alias("end")).repartition(_parts(records), PLACE)
        places = apart.select(PLACE, functions.explode(functions.sequence(PLACE, "end")).alias("at"))
        dealt = places.select(PLACE, self._bucket("at")).groupBy(PLACE, BUCKET)
        again = dealt.agg(functions.count(functions.lit(1)).alias(TIMES))
        shown = rows.drop(TIMES)
        if few:  # then what is moved is numbers alone
            together = _parted(again, records).join(functions.broadcast(shown), PLACE)
        else:  # Spark takes the counts for as few as the groups, and would send them
            together = _parted(again.join(shown.hint("shuffle_hash"), PLACE), records)
        each = functions.explode(functions.sequence(functions.lit(1), TIMES)).alias("number")
        sorted_rows = together.sortWithinPartitions(BUCKET, PLACE).select(*_shown_names(names), each)
        return sorted_rows.select(*_released(names))

    def _in_parts(self, placed: Any, names: Sequence[str], records: int) -> Any:
        """Rows with their positions in the order of a release, in parts that are sorted side by side."""
        rows = _parted(placed.select("*", self._bucket(PLACE)), records)
        return rows.sortWithinPartitions(BUCKET, PLACE).select(*_released(names))

    def _bucket(self, place: str) -> Any:
        return functions.expr(bucket(Expression(quoted(place)))).alias(BUCKET)

    def _written(self, found: Any, target: Place) -> None:
        if target.path:
            self._removed_with_java(target.path)
            with self._moments_with_zone():
                plain = translated("release", lambda: _plain(found))
                translated("write", lambda: self._follow(lambda: plain.write.mode("error").parquet(target.path)))
        else:
            name = table_name(target)
            make = partial(self.session.catalog.createTable, name, schema=_nullable(found.schema))
            translated("write", lambda: self._follow(make))
            with self._moments_with_zone():
                translated("write", lambda: self._follow(lambda: found.write.insertInto(name)))
        self.tally.add()

    def rename(self, staging: Place, target: Place) -> None:
        """See Engine."""
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
        except BaseException:  # an interrupt arrives after the step that it interrupted
            if self.exists(target) and not self.exists(staging):
                self._move(target, staging)
            if held and not self.exists(target):
                self._move(replaced, target)
            raise
        self.drop(replaced)

    def drop(self, staging: Place) -> None:
        """See Engine."""
        if staging.path:
            files, path = self._files(staging.path)
            translated("drop", lambda: files.delete(path, True))
            translated("drop", lambda: files.cancelDeleteOnExit(path))
        elif self.exists(staging):
            try:
                translated("drop", lambda: self.session.sql(f"DROP TABLE IF EXISTS {table_name(staging)} PURGE"))
            except SourceError:  # some catalogs have no PURGE
                translated("drop", lambda: self.session.sql(f"DROP TABLE IF EXISTS {table_name(staging)}"))

    def _removed_with_java(self, path: str) -> None:
        """Have Java remove a folder when it ends, as it does after this process, however that ended.

        Its tasks write until then, so that only Java knows when nothing more comes. Hadoop notes a folder only while
        it is there, and Spark writes only where none is.
        """
        files, place = self._files(path)
        translated("write", lambda: files.mkdirs(place))
        translated("write", lambda: files.deleteOnExit(place))
        translated("write", lambda: files.delete(place, True))

    def exists(self, place: Place) -> bool:
        """See Engine."""
        if place.path:
            files, path = self._files(place.path)
            return bool(translated("look", lambda: files.exists(path)))
        return bool(translated("look", lambda: self.session.catalog.tableExists(table_name(place))))

    # -- rows ----------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _moments_with_zone(self) -> Iterator[None]:
        """Write moments to Parquet with their zone; in Spark's older format other readers lose it."""
        before = self.session.conf.get(MOMENTS)
        self.session.conf.set(MOMENTS, ZONED_IN_PARQUET)
        try:
            yield
        finally:
            self.session.conf.set(MOMENTS, before)

    # -- places --------------------------------------------------------------------------------------------------------

    def _move(self, place: Place, target: Place) -> None:
        if not place.path:
            name = ".".join(map(quoted, target.parts[-2:]))  # a catalog renames within itself
            change = f"ALTER TABLE {table_name(place)} RENAME TO {name}"
            translated("rename", lambda: self._follow(lambda: self.session.sql(change)))
            return
        files, path = self._files(place.path)
        _, there = self._files(target.path)
        if not translated("rename", lambda: self._follow(lambda: files.rename(path, there))):
            raise SourceError(f"Spark cannot rename {place} to {target}; check that the folder can be written")

    def _files(self, path: str) -> tuple[Any, Any]:
        """The file system of a path, and the path for it."""
        machine, context = getattr(self.session, "_jvm", None), getattr(self.session, "_jsc", None)
        if machine is None or context is None:
            raise SourceError(
                "a session of Spark Connect cannot put a folder in place; write to a table, spark:SCHEMA.TABLE"
            )
        there = machine.org.apache.hadoop.fs.Path(path)
        return translated("files", lambda: there.getFileSystem(context.hadoopConfiguration())), there


def _shown_names(names: Sequence[str]) -> list[str]:
    """Names for released columns that are unlike those of what else is known of a row."""
    return [f"shown_{number}" for number in range(len(names))]


def _parts(records: int) -> int:
    return min(BUCKETS, max(1, records // PART_ROWS))


def _parted(rows: Any, records: int) -> Any:
    """Rows in parts of whole buckets, those of the parts before a part coming before.

    So files are in the order of a release when they are read by their names, and how many there are depends on the
    number of records alone.
    """
    parts = _parts(records)
    return rows.repartitionById(parts, (functions.col(BUCKET) * parts / BUCKETS).cast("int"))


def _released(names: Sequence[str]) -> list[Any]:
    """The released columns under their own names."""
    return [functions.col(one).alias(name) for one, name in zip(_shown_names(names), names, strict=True)]


def _shown_columns(found: Any) -> Any:
    """The rows with their columns renamed, and the number of the task that read them."""
    names = zip(found.columns, _shown_names(found.columns), strict=True)
    shown = [functions.col(quoted(name)).alias(to) for name, to in names]
    return found.select(*shown, functions.spark_partition_id().alias(READ_BY))


def _ranged(read: Any, ranges: int) -> Any:
    """The rows in so many ranges of their values, NULL last, each with its range and its place in it, from 1."""
    *shown, by = (functions.col(name) for name in read.columns)
    order = [one.asc_nulls_last() for one in shown]
    number = functions.monotonically_increasing_id()  # counts the rows of a range, and has its number on top
    rows = read.repartitionByRange(ranges, *order, by).sortWithinPartitions(*order)
    of_range = functions.shiftright("number", RANGE_BITS).alias(RANGE)
    place = functions.col("number").bitwiseAND((1 << RANGE_BITS) - 1) + 1
    return rows.select(*shown, number.alias("number")).select(*shown, of_range, place.alias(PLACE))


def _rows_before(ranged: Any) -> Any:
    """An Arrow table of each range that has rows, with the number of rows in those before it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    sizes = ranged.groupBy(RANGE).count().toArrow().sort_by(RANGE)
    ends = pc.cumulative_sum(sizes.column("count").combine_chunks())
    return pa.table({RANGE: sizes.column(RANGE), BEFORE: pc.subtract(ends, sizes.column("count"))})


def _plain(frame: Any) -> Any:
    """The rows of a DataFrame without the metadata of its columns.

    Spark writes metadata into Parquet files, and an indexer of MLlib stores all values of the source there.
    """
    columns = [
        functions.col(quoted(field.name)).cast(field.dataType).alias(field.name, metadata=CARRIED)
        for field in _nullable(frame.schema).fields
    ]
    return frame.select(*columns)


def _nullable(schema: Any) -> Any:
    """A schema with all columns nullable and without metadata."""
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(field.name, _bare(field.dataType)) for field in schema.fields])


def _bare(kind: Any) -> Any:
    """A type whose fields have names and types only."""
    from pyspark.sql.types import ArrayType, MapType, StructField, StructType

    if isinstance(kind, StructType):
        return StructType([StructField(one.name, _bare(one.dataType), one.nullable) for one in kind.fields])
    if isinstance(kind, ArrayType):
        return ArrayType(_bare(kind.elementType), kind.containsNull)
    if isinstance(kind, MapType):
        return MapType(_bare(kind.keyType), _bare(kind.valueType), kind.valueContainsNull)
    return kind


def _replaced(target: Place) -> Place:
    """Where the old target is kept until the new rows are in place."""
    if target.path:
        return Place(path=target.path.rstrip("/") + REPLACED)
    return Place((*target.parts[:-1], target.parts[-1] + REPLACED))
