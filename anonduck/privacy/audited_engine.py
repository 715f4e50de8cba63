"""What an audit asks of a released file or of a table in an engine.

An audit asks for the columns, for the frequency set of what it measures, and for the sizes of the value groups of kept
columns; with persons or a population it groups once more. The answers are small, and all models are measured on them.
This interface shares nothing with that of the source, so an audit uses nothing that made the release.

An engine counts, and DuckDB groups its counts once more: only distinct combinations of the audited columns are fetched,
with their numbers of records. So an engine that distinguishes more values than DuckDB does no harm. Engines and DuckDB
group minus zero with zero; it is compared as text, as in a file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from anonduck.database.connection import Database
from anonduck.engines.arrow import pa, pc
from anonduck.engines.group_sizes import sizes_of
from anonduck.engines.opened import KINDS, kind_of, opened_engine
from anonduck.engines.protocol import Engine
from anonduck.engines.relation import Place, Relation
from anonduck.errors import AuditError
from anonduck.privacy import audited_tables, grouped_texts
from anonduck.privacy.audited_file import is_text_file, open_release
from anonduck.privacy.audited_tables import quasi_names, sensitive_names
from anonduck.privacy.direct_identifiers import DirectIdentifiers, direct_identifiers
from anonduck.privacy.kept_columns import KeptSizes
from anonduck.statements import Statement, line, statement
from anonduck.statements.column_types import holds_texts
from anonduck.statements.expansion import expression
from anonduck.statements.template import temporary_table_of
from anonduck.statements.user_sql import split_table_name

COUNTED, ROWS = "counted_release", "counted_rows"
AUDITED = "audited_set"
RECORDS = audited_tables.RECORDS
FLOATS = ("float", "double")  # in Arrow
LARGE = 500_000  # records: of fewer, one scan that groups by whole rows takes as long as one for each column


@dataclass(frozen=True, eq=False)
class DuckDBFile:
    """The engine of a file that is open as the temporary view ``release`` (see anonduck.privacy.audited_file).

    ``by_column`` says that columns can be read one by one, and are cheaper so. ``counted`` names a table of its
    distinct rows with their records, in the column RECORDS, which is read in its place.
    """

    work: Database
    by_column: bool = False
    counted: str | None = None

    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order; reads no record."""
        return tuple(name for name, _ in self.work.rows(statement("privacy/release_columns.sql")))

    def texts(self) -> list[str]:
        """The columns that hold texts; of CSV, all do."""
        kinds = self.work.rows(statement("privacy/release_columns.sql"))
        return [name for name, kind in kinds if holds_texts(kind)]

    def direct_identifiers(self) -> dict[str, DirectIdentifiers]:
        """What names a person directly in the columns that hold texts."""
        if self.counted is None:
            return direct_identifiers(self.work, self.texts(), "release")
        return direct_identifiers(self.work, self.texts(), self.counted, RECORDS)

    def kept(self, kept: Sequence[str], others: Sequence[str], entity: str | None) -> KeptSizes:
        """How many records, or persons, hold the values of kept columns and the combinations of all columns, by one
        scan.
        """
        if not kept:
            return KeptSizes()
        if self.counted is not None:
            counted = sizes_of(self.counted, kept, others, entity, records=RECORDS)
            return KeptSizes.of(kept, self.work.rows(counted))
        if entity is None and (records := self._large):
            from anonduck.privacy.by_column import sizes_by_column

            return KeptSizes.of(kept, sizes_by_column(self.work, kept, others, records))
        return KeptSizes.of(kept, self.work.rows(sizes_of("release", kept, others, entity)))

    def classes(self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], entity: str | None) -> None:
        """Make ``audited_set``: each distinct combination of the columns with its number of records."""
        self.work.run(audited_tables.audited_set(quasi_identifiers, sensitive, entity, counted=self.counted))

    def class_sizes(self, quasi_identifiers: Sequence[str], classes: str) -> None:
        """Make the table ``classes`` at once, where nothing but the sizes of equivalence classes is measured."""
        if quasi_identifiers and self.counted is None and (records := self._large):
            from anonduck.privacy.by_column import combination_sizes

            sizes = combination_sizes(self.work, quasi_identifiers, records)
            if sizes is not None:
                column = pa.Array.from_buffers(pa.int64(), len(sizes), [None, pa.py_buffer(sizes)])
                with self.work.registered(COUNTED, pa.table({RECORDS: column})):
                    self.work.run(_classes_alone(COUNTED, classes))
                return
        self.classes(quasi_identifiers, (), None)
        self.work.run(_classes_alone(AUDITED, classes))

    def number_classes(
        self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], tables: tuple[str, str]
    ) -> bool:
        """Make the numbered set and the classes by name at once, ``tables``, where that is faster; whether it was."""
        records = self._large if self.counted is None else 0
        if not records:
            return False
        from anonduck.privacy.by_column import number_classes

        quasi = dict(zip(quasi_identifiers, quasi_names(len(quasi_identifiers)), strict=True))
        held = dict(zip(sensitive, sensitive_names(len(sensitive)), strict=True))
        return number_classes(self.work, quasi, held, records, tables)

    @property
    def _large(self) -> int:
        """The records of a large file whose columns are cheaper one by one; 0 for any other."""
        records = self.work.count("release") if self.by_column else 0
        return records if records >= LARGE else 0

    def persons(self, quasi_identifiers: Sequence[str], entity: str) -> None:
        """Make ``audited_persons``: each equivalence class and person in it, with the person's number of records."""
        self.work.run(audited_tables.audited_persons(quasi_identifiers, entity, counted=self.counted))

    def population(self, quasi_identifiers: Sequence[str]) -> None:
        """Make ``audited_population``: each equivalence class with its number of records."""
        self.work.run(audited_tables.audited_population(quasi_identifiers, counted=self.counted))

    def combinations(self, columns: Sequence[str], table: str) -> None:
        """Make ``table``: each distinct combination of the columns, as text, with its number of records."""
        self.work.run(grouped_texts.grouped(table, columns, counted=self.counted))


def _classes_alone(counted: str, classes: str) -> Statement:
    text = 'SELECT row_number() OVER () AS class, "#records"::BIGINT AS records, '
    text += '"#records"::BIGINT AS persons, NULL::BIGINT AS held FROM "{counted}"'
    return temporary_table_of(classes, line("privacy/audited_engine._classes_alone", text, counted=counted))


@dataclass(frozen=True, eq=False)
class Counts:
    """The combinations of some columns that an engine counted of a table whose zeros have no sign: ``held`` is what
    ``count_by`` gave, in which a combination may come more than once."""

    columns: Sequence[str]
    held: Any

    @property
    def records(self) -> int:
        """How many rows the table has."""
        return int(pc.sum(self.held.column(len(self.columns))).as_py() or 0)

    def values(self, name: str) -> Any:
        """The values of a counted column, with their numbers of records."""
        counts = self.of([name]).rename_columns(["value", RECORDS])
        return counts.group_by("value").aggregate([(RECORDS, "sum")]).rename_columns(["value", RECORDS])

    def of(self, columns: Sequence[str]) -> Any:
        """The combinations of counted columns, their numbers of records last."""
        return self.held.select([*map(list(self.columns).index, columns), len(self.columns)])

    def sizes(
        self, work: Database, kept: Sequence[str], others: Sequence[str], entity: str | None
    ) -> list[tuple[Any, ...]] | None:
        """The rows of anonduck.engines.group_sizes, by the counts; None where a column was not counted."""
        named = {name: f"c{place}" for place, name in enumerate(self.columns)}
        if not named.keys() >= {*kept, *others} or (entity is not None and entity not in named):
            return None
        person = None if entity is None else named[entity]
        held, rest = ([named[name] for name in names] for names in (kept, others))
        with work.registered(COUNTED, self.held.rename_columns([*named.values(), "times"])):
            return work.rows(sizes_of(COUNTED, held, rest, person, records="times"))


@dataclass(frozen=True, eq=False)
class EngineTable:
    """A table or folder of an engine, to be audited: its name in messages, the engine, the relation, and what the
    engine counted of it already."""

    text: str
    engine: Engine
    relation: Relation
    counts: Counts | None = None

    def counted(self, work: Database) -> CountedTable:
        """The table, whose counts are left in a database."""
        self.engine.equality()
        return CountedTable(work, self.engine, self.relation, self.counts)


@dataclass(frozen=True, eq=False)
class CountedTable:
    """The door to a table of an engine: ``counts``, or else what the engine counts."""

    work: Database
    engine: Engine
    relation: Relation
    counts: Counts | None = None

    @cached_property
    def apart(self) -> Relation:
        """The relation that is counted, with minus zero as text."""
        return self.relation if self.counts is not None else self.engine.zeros_apart(self.relation)

    def columns(self) -> tuple[str, ...]:
        """See DuckDBFile."""
        return tuple(self.engine.describe(self.relation).names)

    def kept(self, kept: Sequence[str], others: Sequence[str], entity: str | None) -> KeptSizes:
        """See DuckDBFile."""
        if not kept:
            return KeptSizes()
        sizes = None if self.counts is None else self.counts.sizes(self.work, kept, others, entity)
        if sizes is None:
            found = self.engine.group_sizes(self.apart, kept, others, entity)
            return KeptSizes.of(kept, zip(*(column.to_pylist() for column in found.columns), strict=True))
        return KeptSizes.of(kept, sizes)

    def classes(self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], entity: str | None) -> None:
        """See DuckDBFile."""
        columns = [*quasi_identifiers, *sensitive, *([] if entity is None else [entity])]
        with self._counted(columns) as names:
            quasi, rest = names[: len(quasi_identifiers)], names[len(quasi_identifiers) :]
            kept, person = rest[: len(sensitive)], rest[len(sensitive) :]
            self.work.run(audited_tables.audited_set(quasi, kept, *person, counted=COUNTED))

    def class_sizes(self, quasi_identifiers: Sequence[str], classes: str) -> None:
        """See DuckDBFile."""
        self.classes(quasi_identifiers, (), None)
        self.work.run(_classes_alone(AUDITED, classes))

    def number_classes(
        self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], tables: tuple[str, str]
    ) -> bool:
        """See DuckDBFile: an engine's counts are small."""
        return False

    def persons(self, quasi_identifiers: Sequence[str], entity: str) -> None:
        """See DuckDBFile."""
        with self._counted([*quasi_identifiers, entity]) as names:
            self.work.run(audited_tables.audited_persons(names[:-1], names[-1], counted=COUNTED))

    def population(self, quasi_identifiers: Sequence[str]) -> None:
        """See DuckDBFile."""
        with self._counted(quasi_identifiers) as names:
            self.work.run(audited_tables.audited_population(names, counted=COUNTED))

    def combinations(self, columns: Sequence[str], table: str) -> None:
        """See DuckDBFile."""
        with self._counted(columns) as names:
            self.work.run(grouped_texts.grouped(table, names, counted=COUNTED))

    @contextmanager
    def _counted(self, columns: Sequence[str]) -> Iterator[list[str]]:
        """Register the engine's counts by some columns as COUNTED; yields its columns c0, c1, ..., RECORDS aside."""
        names = [f"c{place}" for place in range(len(columns))]
        counts = self.counts
        found = self.engine.count_by(self.apart, list(columns)) if counts is None else counts.of(columns)
        found = found.rename_columns([*names, RECORDS])
        with self.work.registered(COUNTED, self._as_in_duckdb(found, columns)):
            yield names

    def _as_in_duckdb(self, found: Any, columns: Sequence[str]) -> Any:
        """The counts, with the engine's texts of numbers replaced by DuckDB's, so that they equal those of a file."""
        if self.apart == self.relation:
            return found
        kinds = self.engine.describe(self.relation)
        texts = []
        for place, name in enumerate(columns):
            kind = kinds.field(name).type
            if str(kind) in FLOATS and found.column(place).type != kind:
                found = found.set_column(place, f"c{place}", found.column(place).cast(kind))
                texts.append(f"c{place}")
        read = [
            {"name": name, "value": expression('"{name}"::VARCHAR' if name in texts else '"{name}"', name=name)}
            for name in found.column_names
        ]
        with self.work.registered(COUNTED, found):
            text = 'SELECT each(columns, {value} AS "{name}") FROM "{held}"'
            return self.work.arrow(line("privacy/audited_engine._as_in_duckdb", text, held=COUNTED, columns=read))


AuditedEngine = DuckDBFile | CountedTable
"""What is asked of a released file or table; the results are tables in the audit's own database."""


@contextmanager
def opened_release(work: Database, target: object, delim: str | None) -> Iterator[tuple[str | None, AuditedEngine]]:
    """Open a release; yields its name (None for a table in memory) and the AuditedEngine that answers for it.

    The target is an EngineTable, or anything that ``open_release`` opens, with the errors of that function.
    """
    if isinstance(target, EngineTable):
        yield target.text, target.counted(work)
        return
    with open_release(work, target, delim) as opened:
        file = opened.file
        by_column = file is not None and not is_text_file(file)
        counted = by_column and _count_rows(work)
        try:
            yield file, DuckDBFile(work, by_column=by_column, counted=ROWS if counted else None)
        finally:
            if counted:
                work.drop(("temp", ROWS))


def _count_rows(work: Database) -> bool:
    """Make ROWS of a large release most of whose first records are like others; whether that was done."""
    records = work.count("release")
    if records < LARGE:
        return False
    from anonduck.privacy.by_column import repeats

    columns = DuckDBFile(work).columns()
    if RECORDS in map(str.lower, columns) or not repeats(work, columns, records):
        return False
    text = 'SELECT each(shown, "{name}"), count(*) AS "#records" FROM release GROUP BY each(shown, "{name}")'
    work.run(temporary_table_of(ROWS, line("privacy/audited_engine._count_rows", text, shown=columns)))
    return True


@contextmanager
def engine_table(target: object, engine: Any) -> Iterator[EngineTable]:
    """Open ``SCHEMA.TABLE``, or a folder of Parquet files, in an engine, for the duration of the block.

    ``engine`` is a kind, such as ``"spark"``, or a session, which stays open. Raises AuditError for an invalid name,
    ConfigError and SourceError if there is no such engine.
    """
    if not isinstance(target, (str, Path)):
        raise AuditError("an engine audits a table by its name, or a folder of Parquet files by its path")
    kind = engine if isinstance(engine, str) else kind_of(engine)
    opened = opened_engine(kind, session=None if isinstance(engine, str) else engine)
    try:
        if not opened.writes:
            raise AuditError(f"anonduck does not audit in {opened.title}; audit a file of the release")
        yield EngineTable(str(target), opened, Relation(_place(str(target), kind, opened.dialect)))
    finally:
        opened.close()


def engine_of_name(target: object) -> str | None:
    """The kind of engine in the name of a table there, as releases print it; None for any other target.

    >>> engine_of_name("spark:sales.persons"), engine_of_name("out.duckdb::persons"), engine_of_name("s3://a/b")
    ('spark', None, None)
    """
    if not isinstance(target, str) or os.path.exists(target):
        return None
    kind, _, name = target.partition(":")
    return kind if kind in KINDS and name and not name.startswith((":", "//")) else None


def _place(text: str, kind: str, dialect: str) -> Place:
    name = text.removeprefix(f"{kind}:").removeprefix("table:")
    if name == text and ("/" in text or text.lower().endswith(".parquet") or Path(text).exists()):
        return Place(path=text if "://" in text else str(Path(text).resolve()))
    try:
        return Place(tuple(split_table_name(name, dialect)))
    except ValueError:
        raise AuditError(f"{text!r} is neither a table's name nor a path; write SCHEMA.TABLE or FOLDER/") from None
