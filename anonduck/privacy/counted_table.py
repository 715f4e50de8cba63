"""The door of the audit to a table of an engine: the engine counts, and what it counted is grouped once more in DuckDB.

No record is fetched but as a distinct combination of the audited columns, with its number of records. An engine that
tells more values apart than DuckDB does no harm so. Minus zero, which engines and DuckDB group with zero, is told apart
as text, as in a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from anonduck.database.connection import Database
from anonduck.privacy.audited_engine import AuditedEngine, DuckDBFile
from anonduck.privacy.audited_file import open_release
from anonduck.privacy.kept_columns import KeptSizes
from anonduck.statements import builder_grouped, builder_privacy

COUNTED = "counted_release"
RECORDS = builder_privacy.RECORDS
FLOATS = ("float", "double")  # in Arrow


class CountingEngine(Protocol):
    """What an audit asks of an engine (see anonduck.engines.protocol)."""

    def describe(self, relation: Any) -> Any:
        """The pyarrow.Schema of a relation."""

    def count_by(self, relation: Any, columns: Sequence[str]) -> Any:
        """Each distinct combination of the columns as a pyarrow.Table, its number of records last."""

    def group_sizes(self, relation: Any, kept: Sequence[str], others: Sequence[str], entity: str | None) -> Any:
        """The rows of anonduck.statements.builder_kept as a pyarrow.Table."""

    def zeros_apart(self, relation: Any) -> Any:
        """The relation, in which those columns of floating-point numbers are text that hold minus zero."""

    def equality(self) -> None:
        """Raise an error if the engine takes for equal what DuckDB tells apart."""


@dataclass(frozen=True, eq=False)
class EngineTable:
    """A table or folder that an engine reads, to be audited: what messages call it, the engine, and its relation."""

    text: str
    engine: CountingEngine
    relation: Any

    def counted(self, work: Database) -> CountedTable:
        """The same for an audit in a database."""
        self.engine.equality()
        return CountedTable(work, self.engine, self.relation)


@dataclass(frozen=True, eq=False)
class CountedTable:
    """An AuditedEngine (anonduck.privacy.audited_engine) on what an engine counts."""

    work: Database
    engine: CountingEngine
    relation: Any

    @cached_property
    def apart(self) -> Any:
        """The relation as it is counted."""
        return self.engine.zeros_apart(self.relation)

    def columns(self) -> tuple[str, ...]:
        """See AuditedEngine."""
        return tuple(self.engine.describe(self.relation).names)

    def kept(self, kept: Sequence[str], others: Sequence[str], entity: str | None) -> KeptSizes:
        """See AuditedEngine."""
        if not kept:
            return KeptSizes()
        found = self.engine.group_sizes(self.apart, kept, others, entity)
        return KeptSizes.of(kept, zip(*(column.to_pylist() for column in found.columns), strict=True))

    def classes(self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], entity: str | None) -> None:
        """See AuditedEngine."""
        columns = [*quasi_identifiers, *sensitive, *([] if entity is None else [entity])]
        with _Counted(self, columns) as names:
            quasi, rest = names[: len(quasi_identifiers)], names[len(quasi_identifiers) :]
            kept, person = rest[: len(sensitive)], rest[len(sensitive) :]
            self.work.run(builder_privacy.audited_set(quasi, kept, *person, counted=COUNTED))

    def persons(self, quasi_identifiers: Sequence[str], entity: str) -> None:
        """See AuditedEngine."""
        with _Counted(self, [*quasi_identifiers, entity]) as names:
            self.work.run(builder_privacy.audited_persons(names[:-1], names[-1], counted=COUNTED))

    def population(self, quasi_identifiers: Sequence[str]) -> None:
        """See AuditedEngine."""
        with _Counted(self, quasi_identifiers) as names:
            self.work.run(builder_privacy.audited_population(names, counted=COUNTED))

    def combinations(self, columns: Sequence[str], table: str) -> None:
        """See AuditedEngine."""
        with _Counted(self, columns) as names:
            self.work.run(builder_grouped.grouped(table, names, counted=COUNTED))


class _Counted:
    """What an engine counted by some columns, as COUNTED, its columns called c0, c1, ... and RECORDS, inside."""

    def __init__(self, table: CountedTable, columns: Sequence[str]) -> None:
        self.table, self.columns = table, columns

    def __enter__(self) -> list[str]:
        names = [f"c{place}" for place in range(len(self.columns))]
        found = self.table.engine.count_by(self.table.apart, list(self.columns)).rename_columns([*names, RECORDS])
        self.table.work.register(COUNTED, self._as_in_duckdb(found))
        return names

    def __exit__(self, *_: object) -> None:
        self.table.work.unregister(COUNTED)

    def _as_in_duckdb(self, found: Any) -> Any:
        """What was counted, in which numbers that are the engine's texts are DuckDB's, as those of a file are."""
        table = self.table
        if table.apart == table.relation:
            return found
        kinds = table.engine.describe(table.relation)
        texts = []
        for place, name in enumerate(self.columns):
            kind = kinds.field(name).type
            if str(kind) in FLOATS and found.column(place).type != kind:
                found = found.set_column(place, f"c{place}", found.column(place).cast(kind))
                texts.append(f"c{place}")
        table.work.register(COUNTED, found)
        try:
            return table.work.arrow(builder_grouped.as_text(COUNTED, texts))
        finally:
            table.work.unregister(COUNTED)


@contextmanager
def opened_release(work: Database, target: object, delim: str | None) -> Iterator[tuple[str | None, AuditedEngine]]:
    """What a release is called, None for a table in memory, and who answers what is asked of it.

    It is an EngineTable, or whatever ``open_release`` opens, which tells the errors.
    """
    if isinstance(target, EngineTable):
        yield target.text, target.counted(work)
        return
    with open_release(work, target, delim) as file:
        yield file, DuckDBFile(work)
