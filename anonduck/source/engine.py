"""The only access to the source: the questions that may be asked of it, answered by DuckDB or by the engine it is in.

What a discovery asks is one statement, the frequency set; a release asks how many records there are, for the frequency
set of its columns, and to write its rows. All else happens in the decision database, on what those left there. No other
module runs a statement that reads the relation ``source``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from anonduck.database.connection import Database
from anonduck.database.file_states import FileState, settled_state
from anonduck.engines.arrow import pa, pc, plain_texts, with_one_zero
from anonduck.engines.protocol import SOURCE, Engine
from anonduck.engines.relation import Relation
from anonduck.errors import SourceError
from anonduck.source.columns import NO_RECORDS, Column, describe
from anonduck.statements import Statement, builder_packed, line, statement
from anonduck.statements.expansion import Expression, expression, quoted
from anonduck.statements.pipeline import builder_release
from anonduck.statements.pipeline.builder_release import RuleColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.relations import described, view_of
from anonduck.statements.template import DIALECT, table_of

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

FIRST_RECORDS = 1_000_000  # of which half differ, or the frequency set is taken to be small
ENOUGH = 1 << 14
"""Distinct combinations that are counted, of as many as are allowed: the estimate has an error of about 1 %."""
SURELY = 1.1  # an estimate above so many times the limit means more combinations than the limit, whatever its error


def one_in(most: int) -> int:
    """Of how many combinations one is counted where so many are allowed."""
    return max(1, most // ENOUGH)


FETCHED = "fetched_from_engine"
MOST_SAMPLED, SEED = 100_000, 0
"""The records that an engine draws, and the seed by which."""
BOUND = 1 << 31
"""Limits from here on are dropped: engines take no limit that large."""


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


def _values(column: str, table: str) -> Statement:
    """Writes the distinct values of a column of a table, without NULL, to the temporary table VALUES."""
    return statement("source/shipped_held.sql", column={"source_value": column}, table={"frequency": table})


def rolled(table: str, columns: Iterable[str], held: str) -> Statement:
    """The frequency set of some columns, from that of these and others."""
    tables = {"target": table, "frequency": held}
    return statement("source/rolled.sql", columns={"attributes": list(map(value_column, columns))}, table=tables)


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
    same, and its table is. Queries call the source ``named``, in ``dialect``; where it is ``floored``, a floor is found
    for one of too many combinations.
    """

    database: Database
    files: tuple[Path, ...] = ()
    _scans: dict[str, _Scan] = field(default_factory=dict)
    dialect: ClassVar[str] = DIALECT
    named: ClassVar[str] = "source"
    floored: ClassVar[bool] = True

    def columns(self) -> tuple[Column, ...]:
        """The columns, in order; no record is read."""
        described = line("source/engine.columns", "SELECT column_name, column_type FROM (DESCRIBE source)")
        return tuple(Column(name, kind) for name, kind in self.database.rows(described))

    def count(self) -> int:
        """How many records there are."""
        return int(self.database.value(line("source/engine.count", "SELECT count(*) FROM source")))

    def is_empty(self) -> bool:
        """Whether there is no record."""
        first = line("source/engine.is_empty", "SELECT count(*) FROM (SELECT 1 FROM source LIMIT 1)")
        return bool(self.database.value(first) == 0)

    def nulls(self, column: str) -> int:
        """How many records have NULL in a column."""
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
        """Three counts of a column: the most records of one value, the records left out if a value may have
        ``at_most``, and the records with NULL, which count for neither."""
        held = {"column": {"entity": column}, "table": {"counted": "source" if at_most is None else UNBOUNDED}}
        most, left_out, nameless = self.database.row(statement("source/entity_sizes.sql", **held), {"at_most": at_most})
        return int(most), int(left_out), int(nameless)

    def filling(self) -> Filling:
        """What the columns hold, by a scan for each 50 of them: exact counts, or estimates where it says so."""
        return filling_of(self.database, "source", [column.name for column in self.columns()])

    def sample(self) -> None:
        """Write a random sample of the records to the temporary table SAMPLE: all records, up to 100,000."""
        self.database.run(statement("source/sample.sql"))

    def draw(self, records: int, seed: int, person: str | None = None) -> None:
        """Write records drawn at random to the temporary table DRAWN, in two groups that are numbered in ``#group``.

        With the column of a ``person``, so many persons are drawn, with all of their records.
        """
        named = "source/drawn_records.sql" if person is None else "source/drawn_persons.sql"
        held = {} if person is None else {"person": person}
        self.database.run(statement(named, column=held), {"seed": seed, "limit": records})

    def values(self, column: str) -> None:
        """Write the distinct values of a column, without NULL, to the temporary table VALUES."""
        self.database.run(_values(column, "source"))

    def frequency_set(self, columns: Sequence[str], table: str = FREQUENCY_SET) -> None:
        """Write each distinct combination of the columns to ``table``, with its number of records, by one scan."""
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

    def exceeds(self, columns: Sequence[str], most: int) -> bool:
        """Whether the columns certainly have more than ``most`` distinct combinations; False may be either.

        It is False where the first records already repeat each other: to count the frequency set is then cheapest.
        """
        counted = {"counted": list(dict.fromkeys(columns))}
        first = statement("source/first_repeats.sql", columns=counted)
        records, distinct = self.database.row(first, {"most": FIRST_RECORDS})
        if distinct * 2 < records or records < min(most, FIRST_RECORDS):
            return False
        estimate = statement("source/combinations.sql", columns=counted)
        return bool(self.database.value(estimate, {"one_in": one_in(most)}) > SURELY * most)

    def value_counts(self, columns: Sequence[str], table: str) -> None:
        """Write the records of each value of each column to ``table``: a row has a value in one column, else NULL."""
        self.database.run(statement("source/value_counts.sql", table={"target": table}, lists={"columns": columns}))

    def sampled_set(self, columns: Sequence[str], size: int, records: int, seed: int, table: str) -> None:
        """Write the frequency set of about ``size`` random ones of all ``records``, or of all if there are fewer.

        They are the same records whatever their order.
        """
        drawn = statement("source/drawn_sample.sql", columns={"counted": columns})
        self.database.run(drawn, {"share": min(1.0, size / records), "seed": seed})
        self.database.run(statement("source/sampled_set.sql", table={"target": table}, lists={"columns": columns}))
        self.database.drop("drawn_sample")

    def fetch(self, query: Statement, lookups: Sequence[str]) -> Any:
        """The rows of a query on a source called ``named``, all whole numbers, as an Arrow table, by one scan.

        It is written in ``dialect``, and also reads ``lookups``, tables of the decision database.
        """
        return self.database.arrow(query)

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


@dataclass(eq=False)
class EngineSource:
    """A source that stays in another engine; ``relation`` is the part that the config selects.

    The engine groups and counts; what was fetched is grouped once more here, as the engine may distinguish more values
    than DuckDB does, but not fewer. Values are fetched by column, and a sample of records. Of a source with too many
    combinations only those at the floor are fetched, as numbers, so that no more come here than a frequency set may
    have; what stands for a value is sent to the engine as a lookup. The number of records is that of the last frequency
    set, once there is one: a scan there may be a bill.
    """

    database: Database
    engine: Engine
    relation: Relation
    _found: tuple[tuple[str, ...], Any] = field(default=((), None), repr=False)
    _records: int | None = field(default=None, repr=False)
    named: ClassVar[str] = SOURCE

    @property
    def dialect(self) -> str:
        """The engine's."""
        return self.engine.dialect

    @property
    def floored(self) -> bool:
        """Whether the engine can be given lookups."""
        return self.engine.writes

    def columns(self) -> tuple[Column, ...]:
        """See DuckDBSource."""
        with self.described():
            return describe(self.database, described(quoted(FETCHED)))

    def described(self) -> AbstractContextManager[str]:
        """Make FETCHED an empty table of the columns inside, with the types that DuckDB gives them."""
        return self._fetched(self.engine.describe(self.relation).empty_table())

    @contextmanager
    def _fetched(self, table: Any) -> Iterator[str]:
        """Make what was fetched readable for DuckDB inside, by the name FETCHED."""
        with self.database.registered(FETCHED, with_one_zero(table)):
            yield FETCHED

    def _leave(self, table: str, columns: Sequence[str], found: Any, *apart: str) -> None:
        """Leave the frequency set of what was fetched, or the values of each column where ``apart`` says which."""
        called = [*(f"c{place}" for place in range(len(columns))), *apart, "records"]
        with self._fetched(found.rename_columns(called)) as fetched:
            tables = {"target": table, "fetched": fetched}
            self.database.run(statement("source/fetched.sql", table=tables, lists={"columns": columns, "apart": apart}))

    def count(self) -> int:
        """See DuckDBSource."""
        if self._records is None:
            self._records = int(self.engine.count_by(self.relation, []).column(0)[0].as_py())
        return self._records

    def is_empty(self) -> bool:
        """See DuckDBSource; False before the first frequency set, which raises SourceError where there is no record."""
        return self._records == 0

    def nulls(self, column: str) -> int:
        """See DuckDBSource."""
        found = self.engine.profile(self.relation, [column])
        return found.records - found.filled[0]

    def entity_sizes(self, column: str, at_most: int | None) -> tuple[int, int, int]:
        """See DuckDBSource; ``at_most`` was refused when the source was opened."""
        return self.engine.largest(self.relation, column), 0, self.nulls(column)

    def filling(self) -> Filling:
        """See DuckDBSource; where the engine estimates, ``exact`` is false."""
        found = self.engine.profile(self.relation, [column.name for column in self.columns()])
        return Filling(found.records, found.filled, found.distinct, exact=found.exact)

    def sample(self) -> None:
        """See DuckDBSource."""
        with self._fetched(self.engine.sample(self.relation, MOST_SAMPLED, SEED)) as fetched:
            self.database.run(statement("database/kept_rows.sql", table={"given": fetched, "kept": SAMPLE}))

    def values(self, column: str) -> None:
        """See DuckDBSource."""
        found = self.engine.count_by(self.relation, [column]).rename_columns(["value", "records"])
        with self._fetched(found) as fetched:
            self.database.run(_values("value", fetched))

    def frequency_set(self, columns: Sequence[str], table: str = FREQUENCY_SET) -> None:
        """See DuckDBSource; raises SourceError where there is no record."""
        names = tuple(dict.fromkeys(columns))
        found = self._found[1] if self._found[0] == names else None
        self._found = ((), None)
        if found is None:
            found = self.engine.count_by(self.relation, names)
        self._records = int(pc.sum(found.column(len(names))).as_py() or 0)
        if not self._records:
            raise SourceError(NO_RECORDS)
        self._leave(table, names, found)

    def exceeds(self, columns: Sequence[str], most: int) -> bool:
        """See DuckDBSource; by one scan, which is that of the frequency set where this is no larger than allowed."""
        names = tuple(dict.fromkeys(columns))
        self._found = names, self.engine.count_by(self.relation, names, most if most + 1 < BOUND else None)
        return self._found[1] is None

    def value_counts(self, columns: Sequence[str], table: str) -> None:
        """See DuckDBSource; by one scan."""
        self._leave(table, columns, self.engine.histograms(self.relation, columns), "grouped")

    def sampled_set(self, columns: Sequence[str], size: int, records: int, seed: int, table: str) -> None:
        """See DuckDBSource; by one scan. Which records are drawn may depend on their order in the engine."""
        drawn = self.engine.sample(self.relation, size, seed, columns)
        ones = pa.array([1] * drawn.num_rows, pa.int64())
        self._leave(table, columns, drawn.append_column("#records", ones))

    def fetch(self, query: Statement, lookups: Sequence[str]) -> Any:
        """See DuckDBSource."""
        held = {name: statement("database/whole.sql", table={"held": name}) for name in lookups}
        sent = {name: plain_texts(self.database.arrow(rows)) for name, rows in held.items()}
        return self.engine.fetch(self.relation, query.sql, sent)


SourceEngine = DuckDBSource | EngineSource
"""What answers every question to a source. Results are left in the decision database, which all later steps read."""


def write_file(
    database: Database, rows: str, path: Path, kind: Literal["parquet", "csv"], *, repeated: bool = False
) -> None:
    """Write the rows of a query, which may read a source of DuckDB's and the lookups of a release, to a file.

    ``repeated`` says that they are few rows, many times each, so that nothing large is sorted.
    """
    with database.one_thread() if kind == "csv" and repeated else database.two_threads():
        database.run(builder_release.copy_to(rows, str(path), kind))


def write_table(database: Database, rows: str, parts: Sequence[str]) -> None:
    """Write them to a table, named by its catalog, schema and name."""
    database.run(builder_release.create_table(rows, parts))


def show_rows(database: Database, rows: str) -> None:
    """Make them the temp view ``release``, as an audit reads a written file."""
    database.run(view_of(rows, "release"))
