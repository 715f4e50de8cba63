"""Statements of queries that a user wrote over the table ``released``: taken apart, described, and asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anonduck.statements.expansion import Expression
from anonduck.statements.template import DIALECT, Statement, line
from anonduck.statements.trees import sqlglot

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
    text = 'CREATE OR REPLACE TEMPORARY VIEW "{view}" AS SELECT * FROM "{table}"'
    return line("builder_queries.shown_as_released", text, view=RELEASED, table=table)


def empty_columns(kinds: Mapping[str, str], table: str) -> Statement:
    """The temporary ``table`` of columns of these types, without rows."""
    text = 'CREATE OR REPLACE TEMPORARY TABLE "{table}" AS SELECT each(columns, NULL::{kind} AS "{name}") LIMIT 0'
    columns = [{"name": name, "kind": Expression(kind)} for name, kind in kinds.items()]
    return line("builder_queries.empty_columns", text, table=table, columns=columns)
