"""A source that stays in an engine: what is asked of it, left as tables of the decision database.

The engine groups and counts; what it fetched is grouped once more here, so that it may tell more apart than DuckDB
does, but not less. Nothing here is called ``source``: what would ask DuckDB for the records fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from anonduck.database.connection import Database
from anonduck.engines.protocol import TableEngine
from anonduck.engines.relation import Relation
from anonduck.source.columns import Column
from anonduck.source.engine import FREQUENCY_SET, SAMPLE, DuckDBSource, Filling
from anonduck.source.engine_floors import FETCHED, CountedSet, EngineFloors, fetched_as
from anonduck.source.files import describe, describing
from anonduck.statements import statement
from anonduck.statements.expressions import named_table
from anonduck.statements.pipeline.builder_frequency import regrouped_set

MOST_SAMPLED = 100_000
SEED = 0


@dataclass(eq=False)
class EngineSource:
    """The engine of a source that another engine holds; ``relation`` is what of it the config wants."""

    database: Database
    engine: TableEngine
    relation: Relation
    _drawn: int | None = field(default=None, repr=False)
    _counted: CountedSet = field(default_factory=CountedSet, repr=False)

    def columns(self) -> tuple[Column, ...]:
        """See SourceEngine."""
        with self.described():
            return describe(self.database, describing(named_table([FETCHED])))

    def described(self) -> AbstractContextManager[str]:
        """The table FETCHED has the columns inside, with the types that they have for DuckDB, and no record."""
        return fetched_as(self.database, self.engine.describe(self.relation).empty_table())

    def count(self) -> int:
        """See SourceEngine."""
        return int(self.engine.count_by(self.relation, []).column(0)[0].as_py())

    def is_empty(self) -> bool:
        """See SourceEngine."""
        return self.count() == 0

    def nulls(self, column: str) -> int:
        """See SourceEngine."""
        found = self.engine.profile(self.relation, [column])
        return found.records - found.filled[0]

    def most_records(self, column: str) -> int:
        """See SourceEngine."""
        return self.engine.largest(self.relation, column)

    def entity_sizes(self, column: str, at_most: int | None) -> tuple[int, int, int]:
        """See SourceEngine; ``at_most`` was refused when the source was opened."""
        return self.engine.largest(self.relation, column), 0, self.nulls(column)

    def filling(self) -> Filling:
        """What the columns hold: exact of what the sample holds all of, else in the engine's own estimates.

        The sample that tells is left for whoever asks for it next.
        """
        drawn = self._draw()
        if drawn < MOST_SAMPLED:
            records, *counts = self.database.row(statement("source/sampled_profile.sql", table={"sampled": SAMPLE}))
            width = len(counts) // 2
            return Filling(records, tuple(counts[:width]), tuple(counts[width:]))
        found = self.engine.profile(self.relation, [column.name for column in self.columns()])
        return Filling(found.records, found.filled, found.distinct, exact=found.exact)

    def sample(self) -> None:
        """See SourceEngine."""
        if self._drawn is None:
            self._draw()
        self._drawn = None

    def _draw(self) -> int:
        fetched = self.engine.sample(self.relation, MOST_SAMPLED, SEED)
        with fetched_as(self.database, fetched):
            self.database.run(statement("source/fetched_sample.sql", table={"fetched": FETCHED}))
        self._drawn = int(fetched.num_rows)
        return self._drawn

    def values(self, column: str) -> None:
        """See SourceEngine."""
        fetched = self.engine.count_by(self.relation, [column]).rename_columns(["value", "records"])
        held = {"column": {"source_value": "value"}, "table": {"frequency": FETCHED}}
        with fetched_as(self.database, fetched):
            self.database.run(statement("source/shipped_held.sql", **held))

    def frequency_set(self, columns: Sequence[str], table: str = FREQUENCY_SET) -> None:
        """See SourceEngine."""
        names = list(dict.fromkeys(columns))
        fetched = self._counted.taken(names)
        if fetched is None:
            fetched = self.engine.count_by(self.relation, names)
        with fetched_as(self.database, fetched.rename_columns([f"c{place}" for place in range(len(names) + 1)])):
            self.database.run(regrouped_set(table, names, FETCHED))

    @property
    def floors(self) -> EngineFloors | None:
        """See SourceEngine."""
        if not self.engine.looks_up:
            return None
        return EngineFloors(self.database, self.engine, self.relation, self.columns, self._counted)

    def write_file(self, rows: Any, path: Path, kind: Literal["parquet", "csv"]) -> None:
        """Write rows of the decision database, such as those of a grouped release; they cannot read the source."""
        DuckDBSource(self.database).write_file(rows, path, kind)

    def write_table(self, rows: Any, parts: Sequence[str]) -> None:
        """Write them to a table."""
        DuckDBSource(self.database).write_table(rows, parts)

    def show_rows(self, rows: Any) -> None:
        """Leave them as the temp view ``release``."""
        DuckDBSource(self.database).show_rows(rows)
