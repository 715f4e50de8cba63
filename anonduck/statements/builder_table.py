"""Statements on a table of an attached database, whose names cannot be bound as parameters."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from anonduck.statements.template import DIALECT, Statement


def attach(path: str, alias: str) -> Statement:
    """Attach a DuckDB file for writing; it is made if it is not there."""
    node = exp.Attach(this=exp.alias_(exp.Literal.string(path), alias, quoted=True))
    return Statement("attach target", node.sql(DIALECT))


def detach(alias: str) -> Statement:
    """Detach a database."""
    return Statement("detach target", exp.Detach(this=exp.to_identifier(alias, quoted=True)).sql(DIALECT))


def drop(parts: Sequence[str]) -> Statement:
    """Drop a table if it is there."""
    return Statement("drop table", exp.Drop(tables=[_table(parts)], kind="TABLE", exists=True).sql(DIALECT))


def rename(parts: Sequence[str], name: str) -> Statement:
    """Rename a table within its schema."""
    action = exp.AlterRename(this=exp.to_table(exp.to_identifier(name, quoted=True).sql(DIALECT), dialect=DIALECT))
    return Statement("rename table", exp.Alter(this=_table(parts), kind="TABLE", actions=[action]).sql(DIALECT))


def export_csv(parts: Sequence[str], path: str) -> Statement:
    """Write a table as CSV with a header."""
    options = [("FORMAT", exp.var("csv")), ("USE_TMP_FILE", exp.false()), ("HEADER", exp.true())]
    parameters = [exp.CopyParameter(this=exp.var(name), expression=value) for name, value in options]
    node = exp.Copy(this=_table(parts), kind=False, files=[exp.Literal.string(path)], params=parameters)
    return Statement("export table", node.sql(DIALECT))


def _table(parts: Sequence[str]) -> exp.Table:
    catalog, schema, name = parts
    return exp.table_(name, db=schema, catalog=catalog, quoted=True)
