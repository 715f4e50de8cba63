"""The one door of the audit to its file: what it asks of the relation ``release``, and DuckDB's answers.

An audit asks for the columns, for the frequency set of what it measures, and how many records hold the values of
columns that are kept as they are; with persons or a population it groups once more. What comes out is small, and all
models are measured on it. It shares nothing with the door to the source, so that an audit uses nothing that made the
release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from anonduck.database.connection import Database
from anonduck.privacy.kept_columns import KeptSizes
from anonduck.statements import builder_grouped, builder_privacy, statement
from anonduck.statements.builder_kept import sizes_of


class AuditedEngine(Protocol):
    """What is asked of a released file; tables are left in the audit's own database."""

    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order; no record is read."""

    def kept(self, kept: Sequence[str], others: Sequence[str], entity: str | None) -> KeptSizes:
        """How many records, or persons, hold the values of kept columns and the combinations of all, by one scan."""

    def classes(self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], entity: str | None) -> None:
        """Leave ``audited_set``: each distinct combination of the columns with its number of records."""

    def persons(self, quasi_identifiers: Sequence[str], entity: str) -> None:
        """Leave ``audited_persons``: each equivalence class and person in it with the person's number of records."""

    def population(self, quasi_identifiers: Sequence[str]) -> None:
        """Leave ``audited_population``: each equivalence class with its number of records."""

    def combinations(self, columns: Sequence[str], table: str) -> None:
        """Leave each distinct combination of the columns, as text, in ``table`` with its number of records."""


@dataclass(frozen=True, eq=False)
class DuckDBFile:
    """The engine of a file that is open as the temporary view ``release`` (see anonduck.privacy.audited_file)."""

    work: Database

    def columns(self) -> tuple[str, ...]:
        """See AuditedEngine."""
        return tuple(name for (name,) in self.work.rows(statement("privacy/release_columns.sql")))

    def kept(self, kept: Sequence[str], others: Sequence[str], entity: str | None) -> KeptSizes:
        """See AuditedEngine."""
        rows = self.work.rows(sizes_of("release", kept, others, entity)) if kept else ()
        return KeptSizes.of(kept, rows)

    def classes(self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], entity: str | None) -> None:
        """See AuditedEngine."""
        self.work.run(builder_privacy.audited_set(quasi_identifiers, sensitive, entity))

    def persons(self, quasi_identifiers: Sequence[str], entity: str) -> None:
        """See AuditedEngine."""
        self.work.run(builder_privacy.audited_persons(quasi_identifiers, entity))

    def population(self, quasi_identifiers: Sequence[str]) -> None:
        """See AuditedEngine."""
        self.work.run(builder_privacy.audited_population(quasi_identifiers))

    def combinations(self, columns: Sequence[str], table: str) -> None:
        """See AuditedEngine."""
        self.work.run(builder_grouped.grouped(table, columns))
