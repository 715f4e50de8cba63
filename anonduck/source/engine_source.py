"""A source that stays in an engine: its answers are left as tables of the decision database.

The engine groups and counts; what was fetched is grouped once more here, as the engine may distinguish more values than
DuckDB does, but not fewer. Nothing here is called ``source``: what would ask DuckDB for the records fails.

Values are fetched by column, and a sample of records. Of a source with too many combinations only those at the floor
are fetched, as numbers, so that no more come here than a frequency set may have. What stands for a value is sent to the
engine as a lookup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from anonduck.database.connection import Database
from anonduck.engines.arrow import plain_texts, with_one_zero
from anonduck.engines.protocol import SOURCE, TableEngine
from anonduck.engines.relation import Relation
from anonduck.errors import SourceError
from anonduck.source.columns import Column, describe
from anonduck.source.engine import FREQUENCY_SET, DuckDBSource, Filling
from anonduck.source.source import NO_RECORDS
from anonduck.statements import Statement, relations, statement
from anonduck.statements.expansion import quoted

FETCHED = "fetched_from_engine"
BOUND = 1 << 31
"""Limits from here on are dropped: engines take no limit that large."""


@contextmanager
def fetched_as(database: Database, table: Any) -> Iterator[str]:
    """Make what was fetched from an engine readable for DuckDB inside, by the name FETCHED."""
    with database.registered(FETCHED, with_one_zero(table)):
        yield FETCHED


def _held(table: str, columns: Sequence[str], fetched: str, *, apart: Sequence[str] = ()) -> Statement:
    """The frequency set of what was fetched, or where ``apart`` says which column it is, the values of each."""
    tables = {"target": table, "fetched": fetched}
    return statement("source/fetched.sql", table=tables, lists={"columns": columns, "apart": apart})


@dataclass
class CountedSet:
    """The combinations that were fetched to check their number, kept for the next caller that needs them."""

    columns: tuple[str, ...] = ()
    table: Any = None

    def taken(self, columns: Sequence[str]) -> Any:
        """The combinations of these columns, once; None where others, or none, are kept."""
        held = self.table if self.columns == tuple(columns) else None
        self.columns, self.table = (), None
        return held


@dataclass(eq=False)
class EngineFloors:
    """A FloorEngine on what an engine counts; ``counted`` is where a frequency set is left that is no larger than
    allowed."""

    database: Database
    engine: TableEngine
    relation: Relation
    counted: CountedSet
    source: ClassVar[str] = SOURCE

    @property
    def dialect(self) -> str:
        """See FloorEngine."""
        return self.engine.dialect

    def exceeds(self, columns: Sequence[str], most: int) -> bool:
        """See FloorEngine; by one scan, which is that of the frequency set where this is no larger than allowed."""
        names = tuple(dict.fromkeys(columns))
        found = self.engine.count_by(self.relation, names, most if most + 1 < BOUND else None)
        self.counted.columns, self.counted.table = names, found
        return self.counted.table is None

    def value_counts(self, columns: Sequence[str], table: str) -> None:
        """See FloorEngine; by one scan."""
        found = self.engine.histograms(self.relation, columns)
        called = [*(f"c{place}" for place in range(len(columns))), "grouped", "records"]
        with fetched_as(self.database, found.rename_columns(called)) as fetched:
            self.database.run(_held(table, columns, fetched, apart=["grouped"]))

    def sample(self, columns: Sequence[str], size: int, records: int, seed: int, table: str) -> None:
        """See FloorEngine; by one scan. Which records are drawn may depend on their order in the engine."""
        import pyarrow as pa

        drawn = self.engine.sample(self.relation, size, seed, columns)
        ones = pa.array([1] * drawn.num_rows, pa.int64())
        called = [*(f"c{place}" for place in range(len(columns))), "records"]
        with fetched_as(self.database, pa.Table.from_arrays([*drawn.columns, ones], names=called)) as fetched:
            self.database.run(_held(table, columns, fetched))

    def fetch(self, query: Statement, lookups: Sequence[str]) -> Any:
        """See FloorEngine."""
        held = {name: statement("database/whole.sql", table={"held": name}) for name in lookups}
        sent = {name: plain_texts(self.database.arrow(rows)) for name, rows in held.items()}
        return self.engine.fetch(self.relation, query.sql, sent)


MOST_SAMPLED = 100_000
SEED = 0


@dataclass(eq=False)
class EngineSource:
    """The SourceEngine of a source that another engine holds; ``relation`` is the part that the config selects.

    The number of records is that of the last frequency set, once there is one: a scan there may be a bill.
    """

    database: Database
    engine: TableEngine
    relation: Relation
    _counted: CountedSet = field(default_factory=CountedSet, repr=False)
    _records: int | None = field(default=None, repr=False)

    def columns(self) -> tuple[Column, ...]:
        """See SourceEngine."""
        with self.described():
            return describe(self.database, relations.described(quoted(FETCHED)))

    def described(self) -> AbstractContextManager[str]:
        """Make FETCHED an empty table of the columns inside, with the types that DuckDB gives them."""
        return fetched_as(self.database, self.engine.describe(self.relation).empty_table())

    def count(self) -> int:
        """See SourceEngine."""
        if self._records is None:
            self._records = int(self.engine.count_by(self.relation, []).column(0)[0].as_py())
        return self._records

    def is_empty(self) -> bool:
        """See SourceEngine; False before the first frequency set, which raises SourceError where there is no record."""
        return self._records == 0

    def nulls(self, column: str) -> int:
        """See SourceEngine."""
        found = self.engine.profile(self.relation, [column])
        return found.records - found.filled[0]

    def entity_sizes(self, column: str, at_most: int | None) -> tuple[int, int, int]:
        """See SourceEngine; ``at_most`` was refused when the source was opened."""
        return self.engine.largest(self.relation, column), 0, self.nulls(column)

    def filling(self) -> Filling:
        """What the columns hold, as far as the engine counts: where it estimates, ``exact`` is false."""
        found = self.engine.profile(self.relation, [column.name for column in self.columns()])
        return Filling(found.records, found.filled, found.distinct, exact=found.exact)

    def sample(self) -> None:
        """See SourceEngine."""
        fetched = self.engine.sample(self.relation, MOST_SAMPLED, SEED)
        with fetched_as(self.database, fetched):
            self.database.run(statement("database/kept_rows.sql", table={"given": FETCHED, "kept": "source_sample"}))

    def values(self, column: str) -> None:
        """See SourceEngine."""
        fetched = self.engine.count_by(self.relation, [column]).rename_columns(["value", "records"])
        held = {"column": {"source_value": "value"}, "table": {"frequency": FETCHED}}
        with fetched_as(self.database, fetched):
            self.database.run(statement("source/shipped_held.sql", **held))

    def frequency_set(self, columns: Sequence[str], table: str = FREQUENCY_SET) -> None:
        """See SourceEngine."""
        from pyarrow import compute

        names = list(dict.fromkeys(columns))
        fetched = self._counted.taken(names)
        if fetched is None:
            fetched = self.engine.count_by(self.relation, names)
        self._records = int(compute.sum(fetched.column(fetched.num_columns - 1)).as_py() or 0)
        if not self._records:
            raise SourceError(NO_RECORDS)
        called = [*(f"c{place}" for place in range(len(names))), "records"]
        with fetched_as(self.database, fetched.rename_columns(called)):
            self.database.run(_held(table, names, FETCHED))

    @property
    def floors(self) -> EngineFloors | None:
        """See SourceEngine."""
        if not self.engine.looks_up:
            return None
        return EngineFloors(self.database, self.engine, self.relation, self._counted)

    def write_file(self, rows: str, path: Path, kind: Literal["parquet", "csv"], *, repeated: bool = False) -> None:
        """Write rows of the decision database, such as those of a grouped release; they cannot read the source."""
        DuckDBSource(self.database).write_file(rows, path, kind, repeated=repeated)

    def write_table(self, rows: str, parts: Sequence[str]) -> None:
        """Write them to a table."""
        DuckDBSource(self.database).write_table(rows, parts)

    def show_rows(self, rows: str) -> None:
        """Make them the temp view ``release``."""
        DuckDBSource(self.database).show_rows(rows)
