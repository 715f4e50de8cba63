"""Statements of a release whose labels are spread evenly over what they stand for, so that queries can be asked of it.

Each record takes one value under its label: of an equivalence class of n records, the i-th (from 0, in an order of its
own for each column) takes the value at the share (i + u) / n of the label's values, in their order, or of its interval.
u, from 0 to under 1, is drawn by a hash of the class and the column: of n records under a label of m values, each value
has n / m rounded up or down, and over many classes as many as that on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonduck.statements.column_types import DATE, STAMPS, TIME, ZONED, decimals_of
from anonduck.statements.expansion import Expression
from anonduck.statements.expressions import created_table, quoted
from anonduck.statements.template import DIALECT, Statement, line
from anonduck.statements.trees import exp

ROWS, SPREAD = "workload_rows", "workload_release"
ROW, LABEL, LEAVES, LOW, HIGH = "#row", "label", "leaves", "low", "high"
DAY = 86_400_000_000
PARTS = 1 << 20
"""Different starts u: a power of two, so that the share stays under 1 in floating point."""


@dataclass(frozen=True)
class SpreadColumn:
    """A released column: its name and its type in the source.

    ``table`` has a row for each of its labels, with the ``leaves`` under it, or where ``bounded`` with the ends of its
    interval in units of ``unit_of``; None where the column shows values of its type.
    """

    name: str
    kind: str
    table: str | None = None
    bounded: bool = False


def unit_of(kind: str) -> float:
    """The distance of two neighbouring values of a type: in microseconds of dates and times; 0 where there is none."""
    if kind == DATE:
        return DAY
    if kind in (*STAMPS, TIME, ZONED):
        return 1
    decimals = decimals_of(kind)
    return 0 if decimals is None else float(f"1e-{decimals}")


def numbered_rows(rows: str) -> Statement:
    """The temporary table ROWS: the rows of a release with their number in it."""
    made = (
        'CREATE OR REPLACE TEMPORARY TABLE "{made}" AS\n'
        'SELECT row_number() OVER () AS "{number}", *\nFROM (\n{rows}\n) AS placed'
    )
    return line("builder_spread.numbered_rows", made, made=ROWS, number=ROW, rows=Expression(rows))


def spread_rows(columns: Sequence[SpreadColumn], alike: Sequence[str]) -> Statement:
    """The temporary table SPREAD of some columns, of ROWS; records that are equal in ``alike`` are of one class."""
    spread = [column for column in columns if column.table is not None]
    shares = [exp.alias_(_share(column.name, alike), f"#share {column.name}", quoted=True) for column in spread]
    placed = exp.select("*", *shares).from_(ROWS)
    select = exp.select(*[exp.alias_(_value(column), column.name, quoted=True) for column in columns])
    select = select.from_(placed.subquery("p"))
    for column in spread:
        held = exp.table_(column.table or "", quoted=True).as_(f"t {column.name}", table=True, quoted=True)
        label = exp.cast(quoted(column.name, "p"), "VARCHAR", dialect=DIALECT)
        select = select.join(held, on=exp.EQ(this=_of(column, LABEL), expression=label), join_type="left")
    return created_table("builder_spread.spread_rows", SPREAD, select, temporary=True)


def _share(name: str, alike: Sequence[str]) -> exp.Expr:
    """The share of its label's values at which a record takes one, from 0 to under 1."""
    own = exp.Literal.string(name)
    order = exp.Order(expressions=[exp.Ordered(this=exp.func("hash", quoted(ROW), own)), exp.Ordered(this=quoted(ROW))])
    place = exp.Window(this=exp.RowNumber(), partition_by=[quoted(one) for one in alike], order=order)
    records = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[quoted(one) for one in alike])
    parts = exp.Literal.number(PARTS)
    drawn = exp.Mod(this=exp.func("hash", own.copy(), *map(quoted, alike)), expression=parts)
    start = exp.Div(this=_double(drawn), expression=_double(parts.copy()))
    before = exp.Sub(this=place, expression=exp.Literal.number(1))
    return exp.Div(this=exp.paren(exp.Add(this=exp.paren(before), expression=start)), expression=_double(records))


def _value(column: SpreadColumn) -> exp.Expr:
    shown = quoted(column.name, "p")
    if column.table is None:
        return shown
    share = quoted(f"#share {column.name}", "p")
    under = _in_interval(column, share) if column.bounded else _of_leaves(column, share)
    known = exp.Not(this=exp.Is(this=_of(column, LABEL), expression=exp.null()))
    return exp.Case().when(known, under).else_(_typed(shown, column.kind))


def _of_leaves(column: SpreadColumn, share: exp.Expr) -> exp.Expr:
    leaves = _of(column, LEAVES)
    place = exp.func("floor", exp.Mul(this=share, expression=exp.func("len", leaves)))
    last = exp.func("least", place, exp.Sub(this=exp.func("len", leaves.copy()), expression=exp.Literal.number(1)))
    at = exp.cast(exp.paren(exp.Add(this=last, expression=exp.Literal.number(1))), "BIGINT", dialect=DIALECT)
    return exp.func("list_extract", leaves.copy(), at, dialect=DIALECT)


def _in_interval(column: SpreadColumn, share: exp.Expr) -> exp.Expr:
    low, high, unit = _of(column, LOW), _of(column, HIGH), unit_of(column.kind)
    width = exp.func("greatest", exp.Sub(this=high, expression=low), exp.Literal.number(0))
    units: exp.Expr = exp.Add(this=low.copy(), expression=exp.Mul(this=width, expression=share))
    if unit:
        within = exp.func("floor", units)
        units = exp.Mul(this=within, expression=_double(exp.Literal.number(repr(unit))))
    if unit_of(column.kind) and decimals_of(column.kind) is None:
        micros = exp.cast(exp.paren(units), "BIGINT", dialect=DIALECT)
        return _typed(exp.func("make_timestamptz" if column.kind == ZONED else "make_timestamp", micros), column.kind)
    return _typed(exp.paren(units), column.kind)


def _of(column: SpreadColumn, name: str) -> exp.Column:
    return exp.column(name, table=exp.to_identifier(f"t {column.name}", quoted=True))


def _typed(value: exp.Expr, kind: str) -> exp.Expr:
    return exp.cast(value, kind, dialect=DIALECT)


def _double(value: exp.Expr) -> exp.Expr:
    return exp.cast(value, "DOUBLE", dialect=DIALECT)
