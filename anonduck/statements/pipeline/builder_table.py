"""Statements on a table of an attached database, whose names cannot be bound as parameters."""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.expressions import named_table
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp


def copy_schema(replaced: str, fresh: str) -> Statement:
    """Make all that the replaced database holds in the fresh one, its tables empty."""
    return Statement("builder_table.copy_schema", f"COPY FROM DATABASE {_name(replaced)} TO {_name(fresh)} (SCHEMA)")


def checkpoint(alias: str) -> Statement:
    """Write the log of an attached database into its file."""
    return Statement("builder_table.checkpoint", f"CHECKPOINT {_name(alias)}")


def drop(parts: Sequence[str]) -> Statement:
    """Drop a table if it is there."""
    return Statement("builder_table.drop", f"DROP TABLE IF EXISTS {named_table(parts).sql(DIALECT)}")


def carry(replaced: str, fresh: str, table: tuple[str, str], columns: Sequence[str]) -> Statement:
    """Fill a table, by schema and name, of the fresh database from that of the replaced one."""
    names = [exp.to_identifier(column, quoted=True) for column in columns]
    rows = exp.select(*(exp.column(name.copy()) for name in names)).from_(named_table((replaced, *table)))
    return Statement("builder_table.carry", exp.insert(rows, named_table((fresh, *table)), columns=names).sql(DIALECT))


def copied(parts: Sequence[str]) -> Statement:
    """Make a table of another database anew in this one, under the same schema and name."""
    rows = exp.select("*").from_(named_table(parts))
    created = exp.Create(this=named_table((None, *parts[1:])), kind="TABLE", expression=rows)
    return Statement("builder_table.copied", created.sql(DIALECT))


def filled(parts: Sequence[str]) -> Statement:
    """Add the rows of a table of another database to the one of the same schema and name in this one."""
    rows = exp.select("*").from_(named_table(parts))
    return Statement("builder_table.filled", exp.insert(rows, named_table((None, *parts[1:]))).sql(DIALECT))


def export_csv(parts: Sequence[str], path: str) -> Statement:
    """Write a table as CSV with a header."""
    options = [("FORMAT", exp.var("csv")), ("USE_TMP_FILE", exp.false()), ("HEADER", exp.true())]
    parameters = [exp.CopyParameter(this=exp.var(name), expression=value) for name, value in options]
    node = exp.Copy(this=named_table(parts), kind=False, files=[exp.Literal.string(path)], params=parameters)
    return Statement("builder_table.export_csv", node.sql(DIALECT))


def _name(alias: str) -> str:
    return exp.to_identifier(alias, quoted=True).sql(DIALECT)
