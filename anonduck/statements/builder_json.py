"""Statements that ask which types hold what JSON files write, and that read the files by these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.column_readings import ColumnReading
from anonduck.statements.column_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    STAMP,
    TEXT,
    TIME,
    UUID,
    ZONED,
)
from anonduck.statements.expressions import is_null, quoted
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

HUGE = "HUGEINT"
_AS_THEY_ARE = {exp.DataType.Type.BIGINT, exp.DataType.Type.DOUBLE, exp.DataType.Type.BOOLEAN, exp.DataType.Type.INT128}
_HOLDERS = {exp.DataType.Type.STRUCT, exp.DataType.Type.LIST, exp.DataType.Type.ARRAY, exp.DataType.Type.MAP}

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?"
WRITTEN_AS = {
    DATE: _DAY,
    TIME: _CLOCK,
    STAMP: f"{_DAY}[ T]{_CLOCK}",
    ZONED: f"{_DAY}[ T]{_CLOCK} ?(Z|[-+][0-9]{{2}}(:?[0-9]{{2}})?)",
    UUID: "[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}",
    HUGE: "-?[0-9]+",
}
"""How values of a type are written that mean the same as text and as a value of it. DuckDB takes more for such: a code
like 24-01-05 or 2024-1-5 for a day, `epoch` for one too."""


def misfits(read: exp.Expr, asked: Sequence[tuple[str, str]]) -> Statement:
    """One row of columns that are read as text: per column and type, how many values are not written as such."""
    counts = [exp.func("count_if", _misfit(name, kind), dialect=DIALECT) for name, kind in asked]
    return Statement("builder_json.misfits", exp.select(*counts).from_(read.copy()).sql(DIALECT))


def typed(read: exp.Expr, casts: Mapping[str, str]) -> exp.Expr:
    """The rows of JSON files, with texts as the values that they write."""
    return exp.select(ColumnReading(casts).star()).from_(read.copy()).subquery("files")


def without_guesses(kind: str) -> str:
    """A nested type that keeps texts as texts, where DuckDB takes some for dates and identifiers.

    >>> without_guesses("STRUCT(a DATE, b BIGINT, c JSON)[]")
    'STRUCT(a TEXT, b BIGINT, c TEXT)[]'
    """
    return exp.DataType.build(kind, dialect=DIALECT).transform(_plain).sql(DIALECT)


def _plain(node: exp.Expr) -> exp.Expr:
    if not isinstance(node, exp.DataType) or node.this in _AS_THEY_ARE | _HOLDERS:
        return node
    return exp.DataType.build(TEXT, dialect=DIALECT)


def _misfit(name: str, kind: str) -> exp.Expr:
    value = quoted(name)
    if kind == DOUBLE:
        whole = _matches(value, WRITTEN_AS[HUGE])
        again = _tried(_tried(value, DOUBLE), HUGE)
        lost = exp.or_(is_null(again), exp.NullSafeNEQ(this=again.copy(), expression=_tried(value, HUGE)))
        endless = exp.func("isinf", _tried(value, DOUBLE), dialect=DIALECT)
        return exp.or_(exp.and_(whole, lost), exp.and_(_matches(value, ".*[0-9].*"), endless))
    unlike = exp.not_(_matches(value, WRITTEN_AS[kind]))
    return exp.and_(exp.not_(is_null(value)), exp.or_(unlike, is_null(_tried(value, kind))))


def _tried(value: exp.Expr, kind: str) -> exp.Expr:
    return exp.TryCast(this=value.copy(), to=exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=kind))


def _matches(value: exp.Expr, pattern: str) -> exp.Expr:
    return exp.Anonymous(this="regexp_full_match", expressions=[value.copy(), exp.Literal.string(pattern)])


READ_DIRECTLY = (BIGINT, HUGE, BOOLEAN, TEXT)
"""Types of JSON values that hold all that a column has, where DuckDB finds them in all of its rows."""
