"""A release by classes or by cuts as a standalone script: lookup tables, and one SELECT that joins them.

Classes have one table, of combinations; cuts have one for each column, of its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from anonduck.statements.column_types import TEXT
from anonduck.statements.pipeline.builder_classes import NODES, ClassColumn, leaf_column
from anonduck.statements.pipeline.builder_cuts import CutColumn, cut_table
from anonduck.statements.pipeline.builder_frequency import quoted, value_column
from anonduck.statements.pipeline.builder_methods import COMBINATIONS
from anonduck.statements.pipeline.builder_release import RuleColumn
from anonduck.statements.pipeline.builder_script import (
    ROWS_PER_INSERT,
    kept_value,
    literal,
    ordered,
    source_of,
)
from anonduck.statements.template import DIALECT, Statement

COMBINATION = "a combination of quasi-identifiers"
VALUE = "a value"
UNKNOWN = "{} that the release was not made of"


@dataclass(frozen=True)
class CombinationLookup:
    """What each combination of some quasi-identifiers shows, or each value of one.

    ``names`` and ``types`` are the quasi-identifiers and their types, in the order of the values that a row begins
    with. What is shown in each of ``shown`` follows. All are texts. ``table`` is the table in the script, ``noun``
    what one of its rows stands for.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    shown: tuple[ClassColumn | CutColumn, ...]
    rows: Sequence[tuple[str | None, ...]]
    table: str = "anonduck_combinations"
    noun: str = COMBINATION

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Name and type of each column of the table."""
        types = dict(zip(self.names, self.types, strict=True))
        values = [(f"value_{number}", kind) for number, kind in enumerate(self.types)]
        return [*values, *((f"shown_{n}", types[c.name] if c.values else TEXT) for n, c in enumerate(self.shown))]


def combinations(names: Sequence[str], shown: Sequence[ClassColumn]) -> Statement:
    """The values of each combination of ``assigned_combinations`` and what it shows, as texts, in their order.

    Which class it is in is not told.
    """
    values = [quoted(value_column(name), "k") for name in names]
    nodes = [quoted(leaf_column(c.name) if c.values else value_column(c.name), "n") for c in shown]
    select = exp.select(*[exp.cast(one, TEXT, dialect=DIALECT) for one in [*values, *nodes]])
    select = select.from_(exp.to_table(COMBINATIONS).as_("k", table=True))
    assigned = exp.column("assigned", table="k").eq(quoted("#assigned", "n"))
    select = select.join(exp.to_table(NODES).as_("n", table=True), on=assigned).order_by(
        *[one.copy() for one in values]
    )
    return Statement("builder_class_script.combinations", select.sql(DIALECT, pretty=True))


def cut_values(column: CutColumn) -> Statement:
    """The values of a column's cut and what each shows, as texts, in their order."""
    told = [exp.column("value"), exp.column("leaf" if column.values else "label")]
    select = exp.select(*[exp.cast(one, TEXT, dialect=DIALECT) for one in told])
    select = select.from_(exp.table_(cut_table(column.name), quoted=True)).order_by(told[0].copy())
    return Statement("builder_class_script.cut_values", select.sql(DIALECT, pretty=True))


def class_script(
    columns: Sequence[ClassColumn | CutColumn | RuleColumn],
    lookups: Sequence[CombinationLookup],
    relation: str,
    *,
    dialect: str,
) -> list[str]:
    """The statements of the script, each without its semicolon.

    In DuckDB a combination or a value that its table lacks stops it; in other dialects its records are left out.
    """
    statements: list[exp.Expr] = []
    for lookup in lookups:
        statements += [_create(lookup), *_inserts(lookup, cast=dialect != DIALECT)]
    statements.append(ordered(_select(columns, lookups, relation, refuse=dialect == DIALECT), columns))
    return [node.sql(dialect, pretty=isinstance(node, exp.Select)) for node in statements]


def _create(lookup: CombinationLookup) -> exp.Expr:
    definitions = [
        exp.ColumnDef(this=exp.to_identifier(name), kind=exp.DataType.build(kind, dialect=DIALECT))
        for name, kind in [*lookup.columns, ("known", "BOOLEAN")]
    ]
    schema = exp.Schema(this=exp.table_(lookup.table, quoted=True), expressions=definitions)
    return exp.Create(this=schema, kind="TABLE", properties=exp.Properties(expressions=[exp.TemporaryProperty()]))


def _inserts(lookup: CombinationLookup, *, cast: bool) -> list[exp.Insert]:
    kinds = [exp.DataType.build(kind, dialect=DIALECT) if cast and kind != TEXT else None for _, kind in lookup.columns]
    inserts = []
    for start in range(0, len(lookup.rows), ROWS_PER_INSERT):
        rows = [
            exp.Tuple(expressions=[*map(_cell, row, kinds), exp.true()])
            for row in lookup.rows[start : start + ROWS_PER_INSERT]
        ]
        inserts.append(exp.Insert(this=exp.table_(lookup.table, quoted=True), expression=exp.Values(expressions=rows)))
    return inserts


def _cell(value: Any, kind: exp.DataType | None) -> exp.Expr:
    cell = literal(value)
    return cell if kind is None or value is None else exp.Cast(this=cell, to=kind.copy())


def _select(
    columns: Sequence[ClassColumn | CutColumn | RuleColumn],
    lookups: Sequence[CombinationLookup],
    relation: str,
    *,
    refuse: bool,
) -> exp.Select:
    shown = {
        column.name: _shown(lookup, number, place, refuse=refuse)
        for number, lookup in enumerate(lookups)
        for place, column in enumerate(lookup.shown)
    }
    values = [kept_value(one) if isinstance(one, RuleColumn) else shown[one.name] for one in columns]
    released = [exp.alias_(value, one.name, quoted=True) for value, one in zip(values, columns, strict=True)]
    select = exp.select(*released).from_(source_of(relation))
    for number, lookup in enumerate(lookups):
        alike = [
            exp.NullSafeEQ(this=quoted(name, "s"), expression=exp.column(f"value_{place}", table=f"l{number}"))
            for place, name in enumerate(lookup.names)
        ]
        table = exp.alias_(exp.table_(lookup.table, quoted=True), f"l{number}", table=True)
        select = select.join(table, on=exp.and_(*alike), join_type="left" if refuse else "inner")
    return select


def _shown(lookup: CombinationLookup, number: int, place: int, *, refuse: bool) -> exp.Expr:
    value = exp.column(f"shown_{place}", table=f"l{number}")
    if not refuse:
        return value
    stop = exp.Anonymous(this="error", expressions=[exp.Literal.string(UNKNOWN.format(lookup.noun))])
    return exp.Case().when(exp.column("known", table=f"l{number}"), value).else_(stop)
