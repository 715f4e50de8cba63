"""A source that an engine holds, counted at a floor there: what the engine is sent, and what of its answers is kept.

Values are fetched by column, and a sample of records; of combinations, only those at the floor, as numbers, so that no
more come here than a frequency set may have. What stands for a value is sent to the engine as a lookup.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from anonduck.database.connection import Database
from anonduck.engines.arrow import plain_texts, with_one_zero
from anonduck.engines.protocol import SOURCE, TableEngine
from anonduck.engines.relation import Relation
from anonduck.source.columns import Column
from anonduck.statements import Statement, statement
from anonduck.statements.pipeline import builder_engine_floors as builder
from anonduck.statements.pipeline.builder_floors import one_in
from anonduck.statements.pipeline.builder_frequency import regrouped_set
from anonduck.statements.pipeline.engines import engine_named

FETCHED = "fetched_from_engine"
BOUND = 1 << 31
"""From so many combinations on none is too many: engines take no such limit."""


@contextmanager
def fetched_as(database: Database, table: Any) -> Iterator[str]:
    """What an engine left here, readable for DuckDB meanwhile by the name FETCHED."""
    database.register(FETCHED, with_one_zero(table))
    try:
        yield FETCHED
    finally:
        database.unregister(FETCHED)


@dataclass
class CountedSet:
    """The combinations that told that they are not too many, kept for whoever asks for them next."""

    columns: tuple[str, ...] = ()
    table: Any = None

    def taken(self, columns: Sequence[str]) -> Any:
        """The combinations of these columns, once; None where others, or none, are kept."""
        held = self.table if self.columns == tuple(columns) else None
        self.columns, self.table = (), None
        return held


@dataclass(eq=False)
class EngineFloors:
    """A FloorEngine on what an engine counts; ``described`` gives the columns of the source, ``counted`` is where a
    frequency set is left that is no larger than allowed."""

    database: Database
    engine: TableEngine
    relation: Relation
    described: Callable[[], Sequence[Column]]
    counted: CountedSet
    _values: str = field(default="", repr=False)
    _working: list[str] = field(default_factory=list, repr=False)

    def exceeds(self, columns: Sequence[str], most: int) -> bool:
        """See FloorEngine; by one scan, which is that of the frequency set where this is no larger than allowed."""
        names = tuple(dict.fromkeys(columns))
        found = self.engine.count_by(self.relation, names, most if most + 1 < BOUND else None)
        self.counted.columns, self.counted.table = names, found
        return self.counted.table is None

    def value_counts(self, columns: Sequence[str], table: str) -> None:
        """See FloorEngine; by one scan."""
        names = list(dict.fromkeys(columns))
        found = self.engine.histograms(self.relation, names)
        called = [*(f"c{place}" for place in range(len(names))), builder.GROUPED, "records"]
        with fetched_as(self.database, found.rename_columns(called)) as fetched:
            self.database.run(builder.value_counts(table, names, fetched))
        self._values = table

    def sample(self, columns: Sequence[str], size: int, seed: int, table: str) -> int:
        """See FloorEngine; by one scan. Which records are drawn may depend on their order in the engine."""
        import pyarrow as pa

        names = list(dict.fromkeys(columns))
        drawn = self.engine.sample(self.relation, size, seed, names)
        ones = pa.array([1] * drawn.num_rows, pa.int64())
        called = [f"c{place}" for place in range(len(names) + 1)]
        with fetched_as(self.database, pa.Table.from_arrays([*drawn.columns, ones], names=called)) as fetched:
            self.database.run(regrouped_set(table, names, fetched))
        return int(drawn.num_rows)

    def combinations_at(self, vectors: Sequence[Mapping[str, int]], held: Sequence[str], most: int) -> list[int]:
        """See FloorEngine."""
        import pyarrow as pa

        levels = {name: sorted({one[name] for one in vectors if name in one}) for one in vectors for name in one}
        columns = [*levels, *dict.fromkeys(held)]
        lookups = {
            builder.lookup_view(place): self._sent(
                builder.sent_keys(name, place, levels[name], len(columns))
                if name in levels
                else builder.sent_value_keys(self._numbered(name, place), place, len(columns))
            )
            for place, name in enumerate(columns)
        }
        lookups[builder.VECTORS] = pa.table({builder.VECTOR: pa.array(range(len(vectors)), pa.int32())})
        told = [{**one, **dict.fromkeys(held, 0)} for one in vectors]
        hashed = one_in(most)
        engine = engine_named(self.engine.dialect)
        query = builder.combinations_at(told, columns, hashed, SOURCE, engine)
        found = self.engine.fetch(self.relation, query, lookups)
        counts = dict(zip(*(column.to_pylist() for column in found.columns), strict=True))
        self._forget()
        return [hashed * int(counts.get(number, 0)) for number in range(len(vectors))]

    def frequency_set_at(
        self, columns: Sequence[str], shown: Mapping[str, str], left_out: Collection[str], table: str
    ) -> None:
        """See FloorEngine."""
        names = list(dict.fromkeys(columns))
        counted = [name for name in names if name not in left_out]
        numbered = {name: self._numbered(name, place, shown.get(name)) for place, name in enumerate(counted)}
        lookups = {
            builder.lookup_view(place): self._sent(builder.sent_numbers(numbered[name]))
            for place, name in enumerate(counted)
        }
        query = builder.frequency_set_at(counted, SOURCE, engine_named(self.engine.dialect))
        found = self.engine.fetch(self.relation, query, lookups)
        kinds = {column.name: column.type for column in self.described() if column.name in left_out}
        called = found.rename_columns([f"c{place}" for place in range(len(counted) + 1)])
        with fetched_as(self.database, called) as fetched:
            self.database.run(builder.set_of_numbers(table, names, numbered, kinds, fetched))
        self._forget()

    def _numbered(self, name: str, place: int, shown: str | None = None) -> str:
        """The table of the numbers of a column: of its values, or of their nodes at the floor."""
        table = f"numbered_{place}"
        made = builder.numbered_nodes(table, shown) if shown else builder.numbered_values(table, name, self._values)
        self.database.run(made)
        self._working.append(table)
        return table

    def _sent(self, query: Statement) -> Any:
        return plain_texts(self.database.arrow(query))

    def _forget(self) -> None:
        while self._working:
            self.database.run(statement("frequency/drop.sql", table={"working": self._working.pop()}))
