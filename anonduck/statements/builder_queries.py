"""Statements of queries that a user wrote over the table ``released``: taken apart, described, and asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.statements.expressions import created_table, created_view, quoted
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp, sqlglot

RELEASED = "released"
"""What queries call the release, and the source where they are asked of that."""

ANSWER = "workload_answer"


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


def described(query: str) -> Statement:
    """The columns of the answer to a query, a row each: name, type, and more."""
    return Statement("builder_queries.described", f"DESCRIBE {query}")


def answered(query: str) -> Statement:
    """The temporary table ANSWER: what a query of a user returns."""
    return Statement("builder_queries.answered", f"CREATE OR REPLACE TEMP TABLE {ANSWER} AS\n{query}")


def shown_as_released(table: str) -> Statement:
    """The temporary view RELEASED over all of a table."""
    return created_view("builder_queries.shown_as_released", f"temp.{RELEASED}", exp.select("*").from_(table))


def asked_columns(names: Sequence[str], table: str, *, empty: bool = False) -> Statement:
    """The temporary ``table`` of some columns of the source; without rows where ``empty``."""
    select = exp.select(*map(quoted, names)).from_("source")
    rows = select.limit(0) if empty else select
    return created_table("builder_queries.asked_columns", table, rows, temporary=True)
