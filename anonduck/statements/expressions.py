"""Expressions that many statements need."""

from __future__ import annotations

from sqlglot import exp


def quoted(name: str, table: str | None = None) -> exp.Column:
    """A quoted column, of a table alias if one is given."""
    return exp.column(exp.to_identifier(name, quoted=True), table=table)


def is_null(value: exp.Expr) -> exp.Is:
    """Whether a value is NULL."""
    return exp.Is(this=value.copy(), expression=exp.null())


def one_zero(value: exp.Expr) -> exp.Expr:
    """Minus zero equals zero but is written differently: which one a group shows would depend on the order of rows."""
    zero = exp.EQ(this=value.copy(), expression=exp.Literal.number(0))
    return exp.Case().when(zero, exp.Literal.number(0)).else_(value.copy())
