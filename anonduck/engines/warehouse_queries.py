"""Statements for tables that stay in a warehouse: their records as they are read, which the queries of sql/engines ask.

Columns are read as values that DuckDB distinguishes as the warehouse does: texts by their bytes, whatever collation
their column has, and values without a counterpart as texts. No record's value stands in a statement. Queries call the
columns c0, c1, ..., so that the same text is SQL of every warehouse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from anonduck.engines.group_sizes import group_sizes
from anonduck.statements.dialects import DIALECTS
from anonduck.statements.expansion import IN_BACKTICKS, Expression, Item, expression, number, qualified, quoted
from anonduck.statements.literals import literal
from anonduck.statements.row_order import dealt_rows
from anonduck.statements.template import Statement, line, load, statement
from anonduck.statements.user_sql import condition

ReadAs = Literal["as it is", "text", "as text", "double"]
"""How a column is read: as it is; a text by its bytes; what is no text as one; a number of any precision as DOUBLE."""

BY_BYTES = {"postgres": '{value} COLLATE "C"'}
"""A text that is compared by its bytes; the other dialects have a function that takes a collation away."""
DISTINCT = {"postgres": "count(DISTINCT t.c{n})"}
"""PostgreSQL can only count how many values differ; the others estimate it."""
OTHER_AS_DOUBLE = 'CAST(CAST(s."{name}" AS DOUBLE PRECISION) AS NUMERIC) IS DISTINCT FROM s."{name}"'
RANDOM = {"postgres": "random()", "bigquery": "RAND()", "snowflake": "UNIFORM(0::DOUBLE, 1::DOUBLE, RANDOM())"}


@dataclass(frozen=True)
class WarehouseTable:
    """A table of a warehouse as it is read: its dialect, the parts of its name, its columns and what is wanted of it.

    ``where`` is a condition in the dialect; ``casts`` are columns with the dialect's name of a type; ``kinds`` are the
    Arrow types of the columns.
    """

    dialect: str
    parts: tuple[str, ...]
    columns: Mapping[str, ReadAs]
    where: str = ""
    casts: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, Any] = field(default_factory=dict)

    def inexact(self, columns: Sequence[str]) -> list[str]:
        """Those columns that are read as DOUBLE and may have more digits than it holds, which PostgreSQL can tell."""
        doubles = [name for name, reading in self.columns.items() if reading == "double" and name in columns]
        return doubles if self.dialect == "postgres" else []

    def exact(self) -> WarehouseTable:
        """The table with such columns as they are."""
        return replace(self, columns={name: as_is(reading) for name, reading in self.columns.items()})

    def asked(
        self, query: str, columns: Sequence[str], inexact: Sequence[str] = (), **lists: Sequence[Item]
    ) -> Statement:
        """A query of sql/engines about columns; if some are ``inexact`` numbers of PostgreSQL, ``rounded`` says whether
        one of them has more digits than DOUBLE holds exactly."""
        distinct = DISTINCT.get(self.dialect, "APPROX_COUNT_DISTINCT(t.c{n})")
        text = Expression(DIALECTS[self.dialect].types["text"])
        given: dict[str, Sequence[Item]] = {
            "table_rows": [{"rows": self.rows(columns, inexact)}],
            "columns": [{"distinct": expression(distinct, n=n), "text": text} for n, _ in enumerate(columns)],
            "rounded": [{}] if inexact else [],
            **lists,
        }
        file = f"engines/{query}.sql"
        return statement(file, lists={name: given[name] for name in load(file).binds})

    def rows(self, columns: Sequence[str], inexact: Sequence[str] = ()) -> Expression:
        """Its records in brackets, their columns called c0, c1, ..., and ``rounded`` if some are ``inexact``."""
        shown = [{"read": self._read(name), "called": expression("c{n}", n=n)} for n, name in enumerate(columns)]
        if inexact:
            other = expression(f"any_of(numbers, {OTHER_AS_DOUBLE})", numbers=inexact)
            shown.append({"read": other, "called": Expression("rounded")})
        return expression("({rows})", rows=self._select(shown))

    def as_read(self) -> Expression:
        """Its records with all columns, called as they are, in PostgreSQL."""
        return self._select([{"read": self._read(name), "called": quoted(name)} for name in self.columns])

    def _select(self, shown: Sequence[Item]) -> Expression:
        return expression(
            "SELECT each(shown, {read} AS {called}; 1 AS nothing) FROM {table} AS s joins(wanted, WHERE {condition};)",
            shown=shown,
            table=name_of(self.parts, self.dialect),
            wanted=[{"condition": condition(self.where, self.dialect)}] if self.where else [],
        )

    def _read(self, name: str) -> Expression:
        value, kind = expression("s.{name}", name=name_of([name], self.dialect)), self.casts.get(name)
        if kind is not None:
            value = expression("CAST({value} AS {kind})", value=value, kind=Expression(kind))
        return read_as(value, self.columns.get(name, "as it is"), self.dialect)


def as_is(reading: ReadAs) -> ReadAs:
    """How a column is read whose numbers keep all their digits."""
    return "as it is" if reading == "double" else reading


def name_of(parts: Sequence[str], dialect: str) -> Expression:
    """The name of a table or column as a dialect writes it, quoted."""
    if dialect == "bigquery":
        return Expression(".".join(f"`{part.translate(IN_BACKTICKS)}`" for part in parts))
    return qualified(*parts)


def read_as(value: Expression, reading: ReadAs, dialect: str) -> Expression:
    """A value as it is read."""
    if reading == "as it is":
        return value
    family = "double" if reading == "double" else "text"
    cast = value if reading == "text" else DIALECTS[dialect].typed(value, family)
    return cast if reading == "double" else expression(BY_BYTES.get(dialect, "COLLATE({value}, '')"), value=cast)


def count_by(
    table: WarehouseTable, columns: Sequence[str], inexact: Sequence[str] = (), most: int | None = None
) -> Statement:
    """Each distinct combination of the columns, and last the number of its records, after ``rounded``; no row if there
    are more combinations than ``most``."""
    counted = table.asked("count_by", columns, inexact)
    if most is None:
        return counted
    query = expression("({query})", query=Expression(_limited(counted, most + 1).sql))
    return table.asked("if_few", columns, inexact, counted=[{"query": query}], few=[{"most": most}])


def sample(table: WarehouseTable, columns: Sequence[str], records: int, share: float) -> Statement:
    """So many records at most, drawn at random from about a share of all."""
    drawn = {"number": Expression(RANDOM[table.dialect])}
    shares = [{**drawn, "share": number(share)}] if share < 1 else []
    return _limited(table.asked("sample", columns, drawn=[drawn], shares=shares), records)


def _limited(query: Statement, rows: int) -> Statement:
    return line(query.name, "{query}\nLIMIT {rows}", query=Expression(query.sql), rows=rows)


def sizes_of(
    table: WarehouseTable, kept: Sequence[str], others: Sequence[str], entity: str | None, inexact: Sequence[str] = ()
) -> Statement:
    """The rows of ``group_sizes``, with a last column ``rounded`` if some of the columns are ``inexact``."""
    names = list(dict.fromkeys([*kept, *others, *([] if entity is None else [entity])]))
    place = {name: expression("t.c{n}", n=n) for n, name in enumerate(names)}
    return group_sizes(
        table.rows(names, inexact),
        [place[name] for name in kept],
        [place[name] for name in others],
        None if entity is None else place[entity],
        rounded=bool(inexact),
    )


def groups_of(texts: Sequence[str | None], dialect: str) -> Statement:
    """Texts without quotes, read by their bytes, as the warehouse groups them: each group with its size."""
    kind = Expression(DIALECTS[dialect].types["text"])
    lists: dict[str, Sequence[Item]] = {
        "texts": [{"text": literal(text), "kind": kind} for text in texts],
        "shown": [{"read": read_as(Expression("s.c0"), "text", dialect)}],
    }
    return statement("engines/text_groups.sql", lists=lists)


def dealt_table(parts: Sequence[str], rows: WarehouseTable) -> Statement:
    """A table of rows of PostgreSQL in a release's order, texts sorted by their bytes; its texts have the default
    collation."""
    shown, ordered = dict[str, Expression](), list[Expression]()
    for name, reading in rows.columns.items():
        text = 'placed."{name}" COLLATE "default" AS "{name}"' if reading == "text" else 'placed."{name}"'
        shown[name] = expression(text, name=name)
        value = expression('sorted."{name}"', name=name)
        ordered.append(read_as(value, as_is(reading), rows.dialect))
    every = line("engines/warehouse_queries.dealt_table", "SELECT * FROM {table}", table=qualified(*rows.parts))
    dealt = dealt_rows(every, shown, ordered)
    text = "CREATE TABLE {table} AS\n{query}"
    return line(dealt.name, text, table=qualified(*parts), query=Expression(dealt.sql))
