"""Statements that ask PostgreSQL's catalog and settings; what they read is no record."""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.builder_warehouse import name_of
from anonduck.statements.template import Statement
from anonduck.statements.trees import exp, sqlglot

DIALECT = "postgres"

COLUMNS = """
WITH RECURSIVE bases AS (
    SELECT attnum, attname::text AS name, atttypid AS type, atttypmod AS modifier, false AS domain
    FROM pg_attribute
    WHERE attrelid = to_regclass(:relation) AND attnum > 0 AND NOT attisdropped
        AND has_column_privilege(attrelid, attnum, 'SELECT')
    UNION ALL
    SELECT b.attnum, b.name, t.typbasetype, CASE t.typtypmod WHEN -1 THEN b.modifier ELSE t.typtypmod END, true
    FROM bases AS b JOIN pg_type AS t ON t.oid = b.type
    WHERE t.typtype = 'd'
)
SELECT b.name, CASE WHEN n.nspname = 'pg_catalog' THEN t.typname::text ELSE 'other' END AS type, b.modifier,
    CASE WHEN b.domain THEN format_type(b.type, b.modifier) END AS base
FROM bases AS b JOIN pg_type AS t ON t.oid = b.type JOIN pg_namespace AS n ON n.oid = t.typnamespace
WHERE t.typtype <> 'd'
ORDER BY b.attnum
"""

ESTIMATE = "SELECT max(reltuples) AS n FROM pg_class WHERE oid = to_regclass(:relation) AND relkind = 'r'"
EXISTS = "SELECT to_regclass(:relation) IS NOT NULL AS e"

SETTINGS = {
    "client_encoding": "UTF8",
    "standard_conforming_strings": "on",
    "datestyle": "ISO, YMD",
    "intervalstyle": "postgres",
    "timezone": "UTC",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "client_connection_check_interval": "5s",
    "client_min_messages": "error",
    "join_collapse_limit": "1",
    "from_collapse_limit": "1",
}
"""Values are written as text in one way, whatever the environment says. The server stops work for a client that is
gone. It sends no notices, which the driver would write to the standard error with the values in them. Joins are made in
the order in which they are written: classes that are kept are found by all of their columns last."""


def begin(*, writes: bool) -> Statement:
    """Begin a transaction that reads one snapshot."""
    return Statement(
        "builder_postgres.begin", f"BEGIN ISOLATION LEVEL REPEATABLE READ{'' if writes else ', READ ONLY'}"
    )


def commit() -> Statement:
    """Commit the transaction."""
    return Statement("builder_postgres.commit", "COMMIT")


def columns(parts: Sequence[str]) -> Statement:
    """The columns of a table that the user may read: name, type and its modifier, of a domain what it stands for.

    ``base`` is how that is written in a cast; it is NULL of what is no domain.
    """
    return _asked("columns", COLUMNS, parts)


def estimate(parts: Sequence[str]) -> Statement:
    """The server's estimate of the number of records of a table; NULL of a view."""
    return _asked("estimate", ESTIMATE, parts)


def exists(parts: Sequence[str]) -> Statement:
    """Whether there is a table or a view of a name."""
    return _asked("exists", EXISTS, parts)


def setting(name: str) -> Statement:
    """The value of a setting of the server."""
    call = exp.Anonymous(this="current_setting", expressions=[exp.Literal.string(name)])
    return _statement("setting", exp.select(exp.alias_(call, "value")))


def seeded(seed: float) -> Statement:
    """Seed the random numbers of this session; the seed is from 0 to 1."""
    call = exp.Anonymous(this="setseed", expressions=[exp.Literal.number(seed)])
    return _statement("seeded", exp.select(exp.alias_(exp.Is(this=call, expression=exp.null()), "done")))


def settings() -> Statement:
    """Set SETTINGS for this transaction, as far as the server knows them."""
    value = exp.Case(this=exp.func("lower", exp.column("name")))
    for name, text in SETTINGS.items():
        value = value.when(exp.Literal.string(name), exp.Literal.string(text))
    call = exp.Anonymous(this="set_config", expressions=[exp.column("name"), value, exp.true()])
    mine = exp.In(
        this=exp.func("lower", exp.column("name")), expressions=[exp.Literal.string(name) for name in SETTINGS]
    )
    return _statement("settings", exp.select(exp.alias_(call, "value")).from_("pg_settings").where(mine))


def _asked(name: str, query: str, parts: Sequence[str]) -> Statement:
    relation = exp.Literal.string(name_of(parts, DIALECT))
    return _statement(name, exp.replace_placeholders(sqlglot.parse_one(query, read=DIALECT), relation=relation))


def _statement(name: str, tree: exp.Expr) -> Statement:
    return Statement(f"builder_postgres.{name}", tree.sql(DIALECT))
