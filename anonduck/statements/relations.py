"""What is read as a relation, in SQL: files by a table function, and the rows that a view shows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.statements.column_readings import AS_IT_IS, ColumnReading
from anonduck.statements.expansion import Expression, expression
from anonduck.statements.literals import literal
from anonduck.statements.template import Statement, line

ReaderOptions = Mapping[str, str | bool | int | Sequence[str] | Mapping[str, str]]


def reader(function: str, path: str | Sequence[str], options: ReaderOptions) -> Expression:
    """A table function over a file, glob or list of files.

    >>> reader("read_csv", ["x.csv"], {"header": True, "columns": {"a": "DATE"}})
    "read_csv('x.csv', header = TRUE, columns = {'a': 'DATE'})"
    """
    files = path if isinstance(path, str) or len(path) > 1 else path[0]
    given = [{"option": Expression(name), "value": _value(value)} for name, value in options.items()]
    text = "{function}({files}, each(options, {option} = {value};))"
    return expression(text, function=Expression(function), files=_value(files), options=given)


def _value(value: Any) -> Expression:
    """The value of an option: a mapping is a STRUCT."""
    if isinstance(value, int) and value < 0:
        return Expression(value)
    if not isinstance(value, Mapping):
        return literal(value)
    fields = [{"key": literal(key), "value": literal(held)} for key, held in value.items()]
    return expression("{each(fields, {key}: {value})}", fields=fields)


def rows_of(relation: Expression, *, where: Expression | None = None, reading: ColumnReading = AS_IT_IS) -> Expression:
    """The query of the rows of a relation, as they are read; raises BindingError for a type that is no SQL."""
    rows = expression("SELECT {columns} FROM {relation}", columns=reading.star(), relation=relation)
    return rows if where is None else expression("{rows} WHERE {where}", rows=rows, where=where)


def view_of(query: str, name: str = "source") -> Statement:
    """Makes a temporary view anew of the rows of a query."""
    text = 'CREATE OR REPLACE TEMPORARY VIEW "{name}" AS\n{query}'
    return line("relations.view_of", text, name=name, query=Expression(query))


def relation_of(relation: Expression, limit: int) -> Statement:
    """All columns of a relation, of at most ``limit`` rows."""
    return line("relations.relation_of", "SELECT * FROM {relation} LIMIT {limit}", relation=relation, limit=limit)


def described(relation: Expression) -> Statement:
    """A row for each column of a relation, with its name and type first."""
    return line("relations.described", "DESCRIBE SELECT * FROM {relation}", relation=relation)


def count_of(relation: Expression) -> Statement:
    """How many rows a relation has."""
    return line("relations.count_of", "SELECT count(*) FROM {relation}", relation=relation)
