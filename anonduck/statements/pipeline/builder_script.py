"""A release as a standalone script: lookup tables with their rows, then one SELECT, in any dialect of sqlglot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp

from anonduck.statements.column_types import TEXT
from anonduck.statements.pipeline.builder_frequency import quoted
from anonduck.statements.pipeline.builder_release import ReleasedColumn, RuleColumn
from anonduck.statements.template import DIALECT

ROWS_PER_INSERT = 1_000
SESSION_ZONE = {
    "bigquery": ("SET", "@@time_zone ="),
    "clickhouse": ("SET", "session_timezone ="),
    "databricks": ("SET", "TIME ZONE"),
    "doris": ("SET", "time_zone ="),
    "duckdb": ("SET", "TimeZone ="),
    "exasol": ("ALTER", "SESSION SET TIME_ZONE ="),
    "materialize": ("SET", "TIME ZONE"),
    "mysql": ("SET", "time_zone ="),
    "oracle": ("ALTER", "SESSION SET TIME_ZONE ="),
    "postgres": ("SET", "TIME ZONE"),
    "redshift": ("SET", "TIMEZONE TO"),
    "risingwave": ("SET", "TIME ZONE"),
    "singlestore": ("SET", "time_zone ="),
    "snowflake": ("ALTER", "SESSION SET TIMEZONE ="),
    "spark": ("SET", "TIME ZONE"),
    "starrocks": ("SET", "time_zone ="),
    "trino": ("SET", "TIME ZONE"),
}


@dataclass(frozen=True)
class ScriptLookup:
    """A lookup table of a script: values with labels, or lower bounds with the labels above them (None: no bound)."""

    column: str
    table: str
    type: str
    interval: bool
    rows: tuple[tuple[Any, ...], ...]


def dialects() -> list[str]:
    """The dialects that a script can be written in."""
    return sorted(name for name in sqlglot.Dialect.classes if name)


def script(
    columns: Sequence[RuleColumn],
    lookups: Sequence[ScriptLookup],
    relation: str,
    *,
    dialect: str,
    refuse_unknown: bool,
    least: int = 1,
) -> list[str]:
    """The statements of the script, each without its semicolon; classes under ``least`` records are left out."""
    by_column = {lookup.column: lookup for lookup in lookups}
    statements: list[exp.Expr] = []
    for lookup in lookups:
        statements.append(_create(lookup))
        statements += _inserts(lookup, cast=dialect != DIALECT)
    select = _select(columns, by_column, relation, dialect, refuse_unknown)
    statements.append(ordered(select if least < 2 else _of_size(select, columns, least), columns))
    return [node.sql(dialect, pretty=isinstance(node, exp.Select)) for node in statements]


def session_zone(zone: str, dialect: str) -> str | None:
    """The statement that sets the time zone of a session; None where the dialect has none."""
    if dialect not in SESSION_ZONE:
        return None
    verb, words = SESSION_ZONE[dialect]
    return exp.Command(this=verb, expression=f"{words} {exp.Literal.string(zone).sql(dialect)}").sql(dialect)


def _create(lookup: ScriptLookup) -> exp.Expr:
    kind = exp.DataType.build(lookup.type, dialect=DIALECT)
    names = ["lower_bound", "upper_bound"] if lookup.interval else ["value"]
    definitions = [exp.ColumnDef(this=exp.to_identifier(name), kind=kind.copy()) for name in names]
    definitions.append(exp.ColumnDef(this=exp.to_identifier("label"), kind=exp.DataType.build("TEXT")))
    schema = exp.Schema(this=exp.table_(lookup.table, quoted=True), expressions=definitions)
    temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
    return exp.Create(this=schema, kind="TABLE", properties=temporary)


def _inserts(lookup: ScriptLookup, *, cast: bool) -> list[exp.Insert]:
    inserts = []
    for start in range(0, len(lookup.rows), ROWS_PER_INSERT):
        rows = [exp.Tuple(expressions=_row(lookup, row, cast)) for row in lookup.rows[start : start + ROWS_PER_INSERT]]
        inserts.append(exp.Insert(this=exp.table_(lookup.table, quoted=True), expression=exp.Values(expressions=rows)))
    return inserts


def _row(lookup: ScriptLookup, row: Sequence[Any], cast: bool) -> list[exp.Expr]:
    """Values and label; DuckDB reads a text as the column's type by itself, BigQuery and Spark want it said."""
    *values, label = [literal(value) for value in row]
    if not cast or lookup.type == TEXT:
        return [*values, label]
    kind = exp.DataType.build(lookup.type, dialect=DIALECT)
    return [*(v if isinstance(v, exp.Null) else exp.Cast(this=v, to=kind.copy()) for v in values), label]


def literal(value: Any) -> exp.Expr:
    """A text, or NULL."""
    return exp.null() if value is None else exp.Literal.string(value)


def _select(
    columns: Sequence[RuleColumn], lookups: dict[str, ScriptLookup], relation: str, dialect: str, refuse_unknown: bool
) -> exp.Select:
    aliases = {column: f"l{number}" for number, column in enumerate(lookups)}
    select = exp.select(
        *[exp.alias_(_released(c, lookups, aliases, dialect, refuse_unknown), c.name, quoted=True) for c in columns]
    )
    select = select.from_(source_of(relation))
    for name, lookup in lookups.items():
        select = _join(select, lookup, aliases[name], dialect)
    return select


def source_of(relation: str) -> exp.Expr:
    """What a script reads, a table or a query in DuckDB's dialect, as ``s``."""
    parsed: exp.Expr = exp.maybe_parse(relation, dialect=DIALECT)
    if isinstance(parsed, exp.Query):
        return parsed.subquery("s")
    found: exp.Expr = exp.alias_(exp.to_table(relation, dialect=DIALECT), "s", table=True)
    return found


def ordered(select: exp.Select, columns: Sequence[ReleasedColumn]) -> exp.Select:
    """The rows of a select in the order of all their values."""
    order = [exp.Ordered(this=exp.Literal.number(i), nulls_first=False) for i in range(1, len(columns) + 1)]
    return select.order_by(*order)


def _of_size(select: exp.Select, columns: Sequence[RuleColumn], least: int) -> exp.Select:
    """The rows of a select in classes of so many records; no dialect needs QUALIFY for it."""
    names = [quoted(c.name, "released") for c in columns]
    attributes = [quoted(c.name, "released") for c in columns if c.distinguishes]
    size = "class_size"
    while size in {c.name for c in columns}:
        size += "_"
    counted = exp.alias_(exp.Window(this=exp.Count(this=exp.Star()), partition_by=attributes), size, quoted=True)
    sized = exp.select(*names, counted).from_(select.subquery("released"))
    large = exp.GTE(this=quoted(size, "sized"), expression=exp.Literal.number(least))
    return exp.select(*[quoted(c.name, "sized") for c in columns]).from_(sized.subquery("sized")).where(large)


def _join(select: exp.Select, lookup: ScriptLookup, alias: str, dialect: str) -> exp.Select:
    value = quoted(lookup.column, "s")
    table = exp.alias_(exp.table_(lookup.table, quoted=True), alias, table=True)
    lower, upper = exp.column("lower_bound", table=alias), exp.column("upper_bound", table=alias)
    if not lookup.interval:
        return select.join(table, on=exp.EQ(this=value, expression=exp.column("value", table=alias)), join_type="left")
    above = exp.GTE(this=value, expression=lower)
    if dialect == DIALECT:
        select = select.join(table, on=above, join_type="left")
        select.args["joins"][-1].set("method", "ASOF")
        return select
    below = exp.LT(this=value.copy(), expression=upper)
    within = exp.and_(
        exp.or_(exp.Is(this=lower.copy(), expression=exp.null()), above),
        exp.or_(exp.Is(this=upper.copy(), expression=exp.null()), below),
    )
    return select.join(
        table, on=exp.and_(exp.Not(this=exp.Is(this=value.copy(), expression=exp.null())), within), join_type="left"
    )


def kept_value(column: RuleColumn) -> exp.Expr:
    """A value of the source as it is, but for minus zero."""
    value = quoted(column.name, "s")
    if not column.floating:
        return value
    zero = exp.EQ(this=value.copy(), expression=exp.Literal.number(0))
    return exp.Case().when(zero, exp.Literal.number(0)).else_(value)


def _released(
    column: RuleColumn, lookups: dict[str, ScriptLookup], aliases: dict[str, str], dialect: str, refuse_unknown: bool
) -> exp.Expr:
    value = kept_value(column)
    if column.name not in lookups:
        return exp.Literal.string(column.root_label) if column.level and column.level == column.root else value
    label = exp.column("label", table=aliases[column.name])
    is_null = exp.Is(this=quoted(column.name, "s"), expression=exp.null())
    unknown = exp.Is(this=label, expression=exp.null())
    if lookups[column.name].interval:
        lowest = exp.Literal.string(lookups[column.name].rows[0][-1])
        return (
            exp.Case().when(is_null, exp.null()).when(unknown, lowest).else_(label.copy())
            if dialect == DIALECT
            else label
        )
    otherwise: exp.Expr = exp.Literal.string(column.root_label)
    if refuse_unknown and dialect == DIALECT:
        words = f"column {column.name}: a value that its taxonomy does not know"
        otherwise = exp.Anonymous(this="error", expressions=[exp.Literal.string(words)])
    kept = value if column.level == 0 else label.copy()
    return exp.Case().when(is_null, exp.null()).when(unknown, otherwise).else_(kept)
