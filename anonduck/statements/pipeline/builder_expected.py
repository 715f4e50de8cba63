"""Statements that copy what a search reads into a database of its own."""

from __future__ import annotations

from sqlglot import exp

from anonduck.statements.template import DIALECT, Statement


def copied_table(catalog: str, schema: str, name: str, *, target: str | None = None) -> Statement:
    """Make the table ``schema.name`` (or ``target``, without a schema) of the current database a copy of that of
    ``catalog``."""
    made = exp.table_(name, db=schema, quoted=True) if target is None else exp.table_(target, quoted=True)
    read = exp.table_(name, db=schema, catalog=catalog, quoted=True)
    create = exp.Create(this=made, kind="TABLE", replace=True, expression=exp.select("*").from_(read))
    return Statement("builder_expected.copied_table", create.sql(DIALECT, pretty=True))


def created_schema(name: str) -> Statement:
    """Make a schema in the current database unless there is one."""
    create = exp.Create(this=exp.table_("", db=exp.to_identifier(name, quoted=True)), kind="SCHEMA", exists=True)
    return Statement("builder_expected.created_schema", create.sql(DIALECT))
