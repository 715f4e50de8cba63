"""Expressions that many statements need, and tables and views made of queries."""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp


def quoted(name: str, table: str | None = None) -> exp.Column:
    """A quoted column, of a table alias if one is given."""
    return exp.column(exp.to_identifier(name, quoted=True), table=table)


def is_null(value: exp.Expr) -> exp.Is:
    """Whether a value is NULL."""
    return exp.Is(this=value.copy(), expression=exp.null())


def one_zero(value: exp.Expr) -> exp.Expr:
    """A number with minus zero as zero: both are equal, and which one a group shows would depend on the row order."""
    zero = exp.EQ(this=value.copy(), expression=exp.Literal.number(0))
    return exp.Case().when(zero, exp.Literal.number(0)).else_(value.copy())


def named_table(parts: Sequence[str | None]) -> exp.Table:
    """A table by its catalog, schema and name, each quoted; the first two may be missing."""
    *qualifiers, name = parts
    catalog, schema = ([None, None, *qualifiers])[-2:]
    return exp.table_(name or "", db=schema, catalog=catalog, quoted=True)


def created_table(
    name: str,
    table: str | exp.Expr,
    made_of: exp.Expr | None,
    *,
    temporary: bool = False,
    parameters: frozenset[str] = frozenset(),
    copy: bool = True,
) -> Statement:
    """The statement ``name`` that makes a table anew of a query, in the place of one that is there.

    ``copy=False`` writes the tree without a copy of it, which is faster: for trees with no node in two places.
    """
    create = exp.Create(
        this=exp.to_table(table) if isinstance(table, str) else table,
        kind="TABLE",
        replace=True,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]) if temporary else None,
        expression=made_of,
    )
    return Statement(name, create.sql(DIALECT, pretty=True, copy=copy), parameters)


def created_view(name: str, view: str, rows: exp.Expr) -> Statement:
    """The statement ``name`` that makes a temporary view anew of a query."""
    create = exp.Create(
        this=exp.to_table(view),
        kind="VIEW",
        replace=True,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        expression=rows,
    )
    return Statement(name, create.sql(DIALECT, pretty=True))
