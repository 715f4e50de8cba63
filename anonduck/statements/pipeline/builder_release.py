"""Columns of a release, and what its rows are written to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from anonduck.statements.expansion import Expression
from anonduck.statements.literals import literal
from anonduck.statements.template import Statement, line

LOOKUP_SCHEMA = "release_lookup"


class ReleasedColumn(Protocol):
    """A column of a release, by whatever it was recoded."""

    @property
    def name(self) -> str:
        """The column's name, in the source and in the release."""

    @property
    def generalized(self) -> bool:
        """Whether it is a quasi-identifier, and not kept as it is."""

    @property
    def distinguishes(self) -> bool:
        """Whether the records of an equivalence class are alike in it."""

    @property
    def typed(self) -> bool:
        """Whether it may hold values of the source's type, and not labels alone."""


@dataclass(frozen=True)
class RuleColumn:
    """A column of a release: how its values come from the source.

    ``level`` is None for a column that is kept as it is, 0 for a quasi-identifier's own values, the root's level for a
    root label that is kept on request. ``unmapped`` says that values its taxonomy lacks become the root label.
    """

    name: str
    level: int | None
    root: int = 0
    root_label: str = ""
    floating: bool = False
    text: bool = False
    looked_up: bool = False
    unmapped: bool = False

    @property
    def generalized(self) -> bool:
        """Whether it is a quasi-identifier, and not kept as it is."""
        return self.level is not None

    @property
    def distinguishes(self) -> bool:
        """Whether the records of an equivalence class are alike in it."""
        return self.generalized

    @property
    def typed(self) -> bool:
        """Whether it holds values of the source's type."""
        return self.level in (None, 0)

    @property
    def at_root(self) -> bool:
        """Whether all its values are the label of the root."""
        return self.level == self.root

    @property
    def labelled(self) -> bool:
        """Whether what a value shows is looked up, and not the value itself or the label of the root."""
        return self.looked_up and not self.at_root and bool(self.level or (self.unmapped and self.text))

    @property
    def enumerated(self) -> bool:
        """Whether its values are labels of a lookup and nothing else, so that they can be sorted by their number."""
        return self.looked_up and self.level not in (None, 0, self.root) and not self.unmapped


@dataclass(frozen=True)
class NodeColumn:
    """A quasi-identifier of a release in which each class, or each value, has a node of its own.

    ``values``: it holds values of the source's type, as each record shows one there; else it holds text.
    """

    name: str
    values: bool = False

    generalized = True
    distinguishes = True
    typed = True
    at_root = False


LABELS = (
    'DROP TYPE IF EXISTS "{schema}"."{name} labels"',
    'CREATE TYPE "{schema}"."{name} labels" AS ENUM (SELECT label FROM (SELECT label FROM "{name} shown" '
    "WHERE label IS NOT NULL UNION SELECT '') AS known ORDER BY label)",
    'ALTER TABLE "{name} shown" ALTER label TYPE "{schema}"."{name} labels"',
)


def enumerated_labels(column: RuleColumn) -> list[Statement]:
    """Make the labels that a column shows an ENUM in their order: 20 million labels are sorted faster by number.

    The ENUM holds the empty text too, for it must hold something where the column is NULL throughout.
    """
    named = {"schema": LOOKUP_SCHEMA, "name": column.name}
    return [line("builder_release.enumerated_labels", text, **named) for text in LABELS]


def copy_to(rows: str, path: str, kind: Literal["parquet", "csv"]) -> Statement:
    """Write the rows of a query to a file.

    Labels are text, not ENUM, which would be written faster: where a row group lacks some values of an ENUM, DuckDB 2.0
    fills its dictionary in the Parquet file with memory that was never set.
    """
    return line(
        "builder_release.copy_to",
        "COPY (\n{rows}\n) TO {path} (FORMAT {kind}, USE_TMP_FILE FALSE, each(csv, HEADER TRUE;))",
        rows=Expression(rows),
        path=literal(path),
        kind=Expression(kind),
        csv=[{}] if kind == "csv" else [],
    )


def create_table(rows: str, parts: Sequence[str]) -> Statement:
    """Write the rows of a query to a table, named by its catalog, schema and name."""
    catalog, schema, name = parts
    text = 'CREATE TABLE "{catalog}"."{schema}"."{name}" AS\n{rows}'
    named = {"catalog": catalog, "schema": schema, "name": name}
    return line("builder_release.create_table", text, rows=Expression(rows), **named)
