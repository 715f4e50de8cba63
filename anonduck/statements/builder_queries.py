"""Statements of queries that a user wrote over the table ``released``: taken apart, described, and asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anonduck.statements.expressions import created_table, created_view, quoted
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp, sqlglot

RELEASED = "released"
"""What queries call the release, and the source where they are asked of that."""


@dataclass(frozen=True)
class QueryText:
    """A query of a file: its place in it, from 1, its first line, the comment before it or empty text, and its SQL."""

    number: int
    line: int
    name: str
    sql: str


def query_texts(text: str) -> list[QueryText]:
    """The statements of a text, which semicolons part; raises ValueError for a text that is no SQL."""
    try:
        tokens = sqlglot.tokenize(text, read=DIALECT)
    except sqlglot.errors.SqlglotError:
        raise ValueError("a quote or a comment in it has no end") from None
    found: list[QueryText] = []
    held: list[Any] = []
    for token in [*tokens, None]:
        if token is not None and token.token_type.name != "SEMICOLON":
            held.append(token)
        elif held:
            name = " ".join(held[0].comments[-1].split()) if held[0].comments else ""
            sql = text[held[0].start : held[-1].end + 1]
            found.append(QueryText(len(found) + 1, held[0].line, name, sql))
            held = []
    return found


def shown_as_released(table: str) -> Statement:
    """The temporary view RELEASED over all of a table."""
    return created_view("builder_queries.shown_as_released", RELEASED, exp.select("*").from_(table))


def empty_columns(kinds: Mapping[str, str], table: str) -> Statement:
    """The temporary ``table`` of columns of these types, without rows."""
    columns = [
        exp.alias_(exp.cast(exp.null(), kind, dialect=DIALECT), name, quoted=True) for name, kind in kinds.items()
    ]
    select = exp.select(*columns).limit(0)
    return created_table("builder_queries.empty_columns", table, select, temporary=True)


def records_of_set(columns: Mapping[str, str], counted: str, records: str, table: str) -> Statement:
    """The temporary ``table`` of the records of a frequency set, each as often as it is counted.

    ``columns`` maps names to what they are called in the set; ``records`` is its column of counts.
    """
    repeated = exp.alias_(exp.Unnest(expressions=[exp.func("range", quoted(records))]), "#repeat", quoted=True)
    expanded = exp.select(*map(quoted, columns.values()), repeated).from_(counted)
    shown = [exp.alias_(quoted(called), name, quoted=True) for name, called in columns.items()]
    select = exp.select(*shown).from_(expanded.subquery("expanded"))
    return created_table("builder_queries.records_of_set", table, select, temporary=True)
