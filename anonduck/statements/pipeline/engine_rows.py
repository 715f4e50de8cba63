"""Rows of values as an engine lists them in a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from anonduck.statements.pipeline.engines import Engine

Row = Sequence[exp.Expr]


@dataclass(frozen=True)
class ListedRows:
    """Rows that a release is joined to: the name of their relation, its columns, and for ClickHouse their types."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: Sequence[Row]


def with_rows(select: exp.Select, lists: Sequence[ListedRows], engine: Engine) -> exp.Select:
    """A select with each list in its WITH clause."""
    for listed in lists:
        select = select.with_(_alias(listed, engine), as_=_query(listed, listed.rows, engine), copy=False)
    return select


def rows_query(listed: ListedRows, rows: Sequence[Row], engine: Engine) -> exp.Select:
    """A query of some of the rows alone."""
    within = exp.TableAlias(this=exp.to_identifier("listed"), columns=_alias(listed, engine).args["columns"])
    select = exp.select(*[exp.column(exp.to_identifier(name, quoted=True)) for name in listed.columns]).from_("listed")
    return select.with_(within, as_=_query(listed, rows, engine), copy=False)


def _alias(listed: ListedRows, engine: Engine) -> exp.TableAlias:
    """The name of a list, with the names of its columns where the rows do not tell them."""
    named = engine.rows in ("values", "rows", "union")
    columns = [exp.to_identifier(name, quoted=True) for name in listed.columns] if named else []
    return exp.TableAlias(this=exp.to_identifier(listed.name, quoted=True), columns=columns)


def _query(listed: ListedRows, rows: Sequence[Row], engine: Engine) -> exp.Expr:
    if engine.rows == "rows":
        return exp.Values(expressions=[exp.Anonymous(this="ROW", expressions=list(row)) for row in rows])
    if engine.rows == "union":
        return (
            exp.union(*[exp.select(*row) for row in rows], distinct=False, copy=False)
            if rows[1:]
            else exp.select(*rows[0])
        )
    if engine.rows == "structs":
        structs = [
            exp.Struct(expressions=[_field(*pair) for pair in zip(listed.columns, row, strict=True)]) for row in rows
        ]
        return exp.select("*").from_(exp.Unnest(expressions=[exp.Array(expressions=structs)]))
    tuples = [exp.Tuple(expressions=list(row)) for row in rows]
    if engine.rows == "function":
        names = [exp.to_identifier(name, quoted=True).sql(engine.dialect) for name in listed.columns]
        described = ", ".join(f"{name} {kind}" for name, kind in zip(names, listed.types, strict=True))
        call = exp.Anonymous(this="values", expressions=[exp.Literal.string(described), *tuples])
        return exp.select("*").from_(exp.Table(this=call))
    return exp.Values(expressions=tuples)


def _field(name: str, value: exp.Expr) -> exp.Expr:
    return exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=value)
