"""The only access to the source: the questions that may be asked of it, and the engine that answers in DuckDB.

What a discovery asks is one statement, the frequency set; a release asks how many records there are, for the frequency
set of its columns, and to write its rows. All else happens in the decision database, on what those left there. No other
module runs a statement that reads the relation ``source``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from anonduck.database.connection import Database
from anonduck.database.file_states import FileState, settled_state
from anonduck.source.columns import Column
from anonduck.source.floor_engine import DuckDBFloors, FloorEngine
from anonduck.statements import Statement, builder_packed, line, statement
from anonduck.statements.expansion import Expression, expression
from anonduck.statements.pipeline import builder_release
from anonduck.statements.pipeline.builder_release import RuleColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.relations import view_of
from anonduck.statements.template import table_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow

FREQUENCY_SET, SENSITIVE_SET = "frequency_set", "sensitive_set"
"""What a discovery scans; no statement changes their rows, they are only replaced."""

UNBOUNDED = "source_unbounded"
"""The view of all records, where ``source`` is one of so many of each person."""

SAMPLE = "source_sample"
VALUES = "shipped_values"
PACKED = "packed_source"
DRAWN = "drawn_records"


@dataclass(frozen=True)
class Filling:
    """How many records a source has, and per column, in order, how many have a value and how many values are distinct.

    ``exact`` is whether the numbers of distinct values are counts; else they are estimates.
    """

    records: int
    filled: tuple[int, ...]
    distinct: tuple[int, ...]
    exact: bool = True


BLOCK = 50
"""Columns that one statement profiles: a statement on hundreds takes seconds to plan and gigabytes to count."""


def blocks_of(columns: Sequence[str], size: int = BLOCK) -> list[Sequence[str]]:
    """The columns in order, in blocks of at most ``size``."""
    return [columns[start : start + size] for start in range(0, len(columns), size)]


def filling_of(database: Database, table: str, columns: Sequence[str]) -> Filling:
    """What columns of a table hold, by one scan for each block of them."""
    records, filled, distinct = 0, list[int](), list[int]()
    for block in blocks_of(columns):
        query = statement("source/profile.sql", table={"counted": table}, columns={"profiled": block})
        records, *counts = database.row(query)
        filled += counts[: len(block)]
        distinct += counts[len(block) :]
    return Filling(records, tuple(filled), tuple(distinct))


def frequency_set(table: str, columns: Sequence[str]) -> Statement:
    """One row per distinct combination of the columns' values in ``source``, with its number of records."""
    return table_of(table, _counted(columns))


def counted_source(columns: Sequence[str], relation: str) -> Statement:
    """The rows of the frequency set, from a query of the source's rows in place of the view ``source``."""
    query = _counted(columns)
    text = "WITH source AS (\n{relation}\n)\n{query}"
    return line(query.name, text, relation=Expression(relation), query=Expression(query.sql))


def _counted(columns: Sequence[str]) -> Statement:
    return statement("source/frequency_set.sql", lists={"columns": columns})


def _shown(column: RuleColumn) -> str:
    """What a release shows of a value that it keeps: a zero without a sign."""
    return 'CASE WHEN s."{name}" = 0 THEN 0 ELSE s."{name}" END' if column.floating else 's."{name}"'


def rolled(table: str, columns: Iterable[str], held: str) -> Statement:
    """The frequency set of some columns, from that of these and others."""
    tables = {"target": table, "frequency": held}
    return statement("source/rolled.sql", columns={"attributes": list(map(value_column, columns))}, table=tables)


class SourceEngine(Protocol):
    """Every question to a source. Results are written to tables of ``database``, which all later steps read."""

    @property
    def database(self) -> Database:
        """The decision database."""

    def columns(self) -> tuple[Column, ...]:
        """The columns, in order; no record is read."""

    def count(self) -> int:
        """How many records there are."""

    def is_empty(self) -> bool:
        """Whether there is no record."""

    def nulls(self, column: str) -> int:
        """How many records have NULL in a column."""

    def entity_sizes(self, column: str, at_most: int | None) -> tuple[int, int, int]:
        """Three counts of a column: the most records of one value, the records left out if a value may have
        ``at_most``, and the records with NULL, which count for neither."""

    def filling(self) -> Filling:
        """What the columns hold, by a scan for each 50 of them: exact counts, or estimates where it says so."""

    def sample(self) -> None:
        """Write a random sample of the records to the temporary table SAMPLE: all records, up to 100,000."""

    def values(self, column: str) -> None:
        """Write the distinct values of a column, without NULL, to the temporary table VALUES."""

    def frequency_set(self, columns: Sequence[str], table: str = FREQUENCY_SET) -> None:
        """Write each distinct combination of the columns to ``table``, with its number of records, by one scan."""

    @property
    def floors(self) -> FloorEngine | None:
        """The FloorEngine of the source; None of an engine that has none."""

    def write_file(self, rows: str, path: Path, kind: Literal["parquet", "csv"], *, repeated: bool = False) -> None:
        """Write the rows of a query, which may read the source and the lookups of a release, to a file.

        ``repeated`` says that they are few rows, many times each, so that nothing large is sorted.
        """

    def write_table(self, rows: str, parts: Sequence[str]) -> None:
        """Write them to a table, named by its catalog, schema and name."""

    def show_rows(self, rows: str) -> None:
        """Make them the temp view ``release``, as an audit reads a written file."""


@dataclass(frozen=True)
class _Scan:
    """What a table was scanned from: its ``columns``, and the files as they were; and ``ids``, which table it was."""

    columns: frozenset[str]
    files: tuple[FileState, ...]
    ids: tuple[tuple[object, ...], ...]


@dataclass(frozen=True, eq=False)
class DuckDBSource:
    """The engine of a source that the decision database reads itself, as the temporary view ``source``.

    Of plain ``files``, what a discovery scanned is counted again in the place of a second scan: as long as they are the
    same, and its table is.
    """

    database: Database
    files: tuple[Path, ...] = ()
    _scans: dict[str, _Scan] = field(default_factory=dict)

    def columns(self) -> tuple[Column, ...]:
        """See SourceEngine."""
        described = line("source/engine.columns", "SELECT column_name, column_type FROM (DESCRIBE source)")
        return tuple(Column(name, kind) for name, kind in self.database.rows(described))

    def count(self) -> int:
        """See SourceEngine."""
        return int(self.database.value(line("source/engine.count", "SELECT count(*) FROM source")))

    def is_empty(self) -> bool:
        """See SourceEngine."""
        first = line("source/engine.is_empty", "SELECT count(*) FROM (SELECT 1 FROM source LIMIT 1)")
        return bool(self.database.value(first) == 0)

    def nulls(self, column: str) -> int:
        """See SourceEngine."""
        text = 'SELECT count(*) FROM source WHERE "{column}" IS NULL'
        return int(self.database.value(line("source/engine.nulls", text, column=column)))

    def holding_texts(self, columns: Sequence[str], texts: Sequence[str]) -> dict[str, int]:
        """How many records have one of some texts, by column."""
        found: dict[str, int] = {}
        for block in blocks_of(columns):
            query = statement("source/holding_texts.sql", columns={"looked_at": block})
            found |= zip(block, self.database.row(query, {"texts": list(texts)}), strict=True)
        return found

    def in_order(self, columns: Sequence[str], row: str) -> pyarrow.Table:
        """Columns of all records, in the order of the column ``row``."""
        text = 'SELECT each(columns, "{name}") FROM source ORDER BY "{row}"'
        return self.database.arrow(line("source/engine.in_order", text, columns=columns, row=row))

    def unread_dates(self, column: str, format_: str) -> tuple[int, int]:
        """How many texts of a column are no dates of a format, and how many there are."""
        query = statement("source/unread_dates.sql", column={"written": column})
        unread, filled = self.database.row(query, {"format": format_})
        return int(unread), int(filled)

    def entity_sizes(self, column: str, at_most: int | None) -> tuple[int, int, int]:
        """See SourceEngine."""
        held = {"column": {"entity": column}, "table": {"counted": "source" if at_most is None else UNBOUNDED}}
        most, left_out, nameless = self.database.row(statement("source/entity_sizes.sql", **held), {"at_most": at_most})
        return int(most), int(left_out), int(nameless)

    def filling(self) -> Filling:
        """See SourceEngine."""
        return filling_of(self.database, "source", [column.name for column in self.columns()])

    def sample(self) -> None:
        """See SourceEngine."""
        self.database.run(statement("source/sample.sql"))

    def draw(self, records: int, seed: int, person: str | None = None) -> None:
        """Write records drawn at random to the temporary table DRAWN, in two groups that are numbered in ``#group``.

        With the column of a ``person``, so many persons are drawn, with all of their records.
        """
        named = "source/drawn_records.sql" if person is None else "source/drawn_persons.sql"
        held = {} if person is None else {"person": person}
        self.database.run(statement(named, column=held), {"seed": seed, "limit": records})

    def values(self, column: str) -> None:
        """See SourceEngine."""
        held = {"column": {"source_value": column}, "table": {"frequency": "source"}}
        self.database.run(statement("source/shipped_held.sql", **held))

    def frequency_set(self, columns: Sequence[str], table: str = FREQUENCY_SET) -> None:
        """See SourceEngine."""
        wanted = list(dict.fromkeys(columns))
        if table in (FREQUENCY_SET, SENSITIVE_SET):
            files = settled_state(self.files)
            self.database.run(frequency_set(table, wanted))
            self._scans.pop(table, None)
            if files is not None:
                self._scans[table] = _Scan(frozenset(wanted), files, self._ids(table))
            return
        held = next((name for name in self._scans if self._holds(name, wanted)), None)
        self.database.run(frequency_set(table, wanted) if held is None else rolled(table, wanted, held))

    def _holds(self, table: str, columns: Sequence[str]) -> bool:
        """Whether a table still is what a scan of the files as they are would find of some columns."""
        scan = self._scans[table]
        held = scan.columns.issuperset(columns) and settled_state(self.files) == scan.files
        return held and self._ids(table) == scan.ids

    def _ids(self, table: str) -> tuple[tuple[object, ...], ...]:
        text = (
            "SELECT database_name, schema_name, table_oid FROM duckdb_tables() "
            "WHERE database_name IN (current_database(), 'temp') AND table_name = $name ORDER BY ALL"
        )
        return tuple(self.database.rows(line("source/engine._ids", text, "name"), {"name": table}))

    @property
    def floors(self) -> FloorEngine:
        """See SourceEngine."""
        return DuckDBFloors(self.database)

    def write_file(self, rows: str, path: Path, kind: Literal["parquet", "csv"], *, repeated: bool = False) -> None:
        """See SourceEngine."""
        with self.database.one_thread() if kind == "csv" and repeated else self.database.two_threads():
            self.database.run(builder_release.copy_to(rows, str(path), kind))

    def about_so_many(self, columns: Sequence[RuleColumn]) -> int:
        """About how many distinct values columns have, in sum."""
        text = 'SELECT sum_of(columns, approx_count_distinct("{name}")) FROM source'
        names = [one.name for one in columns]
        return int(self.database.value(line("source/engine.about_so_many", text, columns=names)))

    def kept_values(self, columns: Sequence[RuleColumn]) -> None:
        """Make ``packed_kept``, the distinct values of columns that are kept as they are."""
        held = [{"name": one.name, "shown": expression(_shown(one), name=one.name)} for one in columns]
        self.database.run(statement("source/kept_values.sql", lists={"columns": held}))

    def packed_rows(self, rows: str, digits: Sequence[Sequence[str]], sizes: Sequence[int]) -> np.ndarray:
        """The number of each row of a query (anonduck.statements.builder_packed), in no order."""
        self.database.run(view_of(rows, PACKED))
        try:
            numbered = statement(
                "database/packed_rows.sql",
                table={"relation": PACKED},
                lists={"digits": builder_packed.digits_of(digits, sizes)},
            )
            return self.database.arrays(numbered)[builder_packed.ROW]
        finally:
            self.database.drop_view(PACKED)

    def write_table(self, rows: str, parts: Sequence[str]) -> None:
        """See SourceEngine."""
        self.database.run(builder_release.create_table(rows, parts))

    def show_rows(self, rows: str) -> None:
        """See SourceEngine."""
        self.database.run(view_of(rows, "release"))
