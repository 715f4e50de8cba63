"""SQL that a user wrote, taken apart by sqlglot before it stands in a statement: conditions, types, names, queries.

sqlglot is imported where it is asked for something: most commands need none of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonduck.statements.column_types import BOOLEAN, DECIMAL, FLOATS, TEMPORALS, TEXT, UUID, WHOLE, without_parameters
from anonduck.statements.expansion import Expression
from anonduck.statements.literals import type_named
from anonduck.statements.template import DIALECT

if TYPE_CHECKING:
    from sqlglot import Token, exp

OWN_NAMES = frozenset((TEXT, BOOLEAN, *WHOLE, *FLOATS, DECIMAL, *TEMPORALS, UUID))
"""Names of types that are DuckDB's own; sqlglot knows others for them."""


def condition(where: str, dialect: str = DIALECT) -> Expression:
    """A condition in parentheses; raises ValueError for what is no SQL."""
    return Expression(condition_of(where, dialect).sql(dialect))


def condition_of(where: str, dialect: str = DIALECT) -> exp.Expr:
    """The tree of a condition in parentheses; raises ValueError for what is no SQL."""
    import sqlglot
    from sqlglot import exp

    try:
        trees = sqlglot.Dialect.get_or_raise(dialect).parse_into(exp.Condition, where)
    except sqlglot.errors.SqlglotError:
        raise ValueError from None
    except RecursionError:
        raise ValueError("; it is nested too deeply") from None
    if len(trees) != 1 or trees[0] is None or trees[0].find(exp.Placeholder, exp.Parameter):
        raise ValueError
    return exp.paren(trees[0])


def names_in(where: str) -> list[tuple[tuple[str, ...], bool]]:
    """The columns that a condition names, by their parts (``person.age`` has two), and whether one is in quotes."""
    from sqlglot import exp

    columns = condition_of(where).find_all(exp.Column)
    return [(tuple(part.name for part in one.parts), any(map(_quoted, one.parts))) for one in columns]


def _quoted(part: exp.Expr) -> bool:
    return bool(part.args.get("quoted"))


def named_type(kind: str) -> Expression:
    """A type that a user named, as DuckDB may know it; raises ValueError for what is no SQL.

    >>> named_type("DECIMAL(9,2)"), named_type("NUMBER(9,2)")
    ('DECIMAL(9,2)', 'DECIMAL(9, 2)')
    """
    if without_parameters(kind).upper() in OWN_NAMES:
        return type_named(kind)
    import sqlglot
    from sqlglot import exp

    try:
        trees = sqlglot.parse(f"SELECT CAST(NULL AS {kind})", read=DIALECT)
    except sqlglot.errors.SqlglotError:
        raise ValueError(kind) from None
    select = trees[0]
    if len(trees) != 1 or not isinstance(select, exp.Select) or _clauses(select) != {"expressions"}:
        raise ValueError(kind)
    cast = select.expressions[0]
    if len(select.expressions) != 1 or not isinstance(cast, exp.Cast) or not isinstance(cast.this, exp.Null):
        raise ValueError(kind)
    return Expression(cast.to.sql(DIALECT))


def _clauses(select: exp.Select) -> set[str]:
    """The clauses that a query has."""
    return {key for key, value in select.args.items() if value}


def split_table_name(text: str, dialect: str = DIALECT) -> list[str]:
    """The parts of ``schema.table``, quoted parts unquoted; raises ValueError if it is not a table's name."""
    import sqlglot
    from sqlglot import exp

    try:
        table = exp.maybe_parse(text, into=exp.Table, dialect=dialect)
        tokens = sqlglot.tokenize(text, read=dialect)
    except sqlglot.errors.SqlglotError:
        raise ValueError(text) from None
    parts = [part.name for part in table.parts] if isinstance(table, exp.Table) else []
    if not all(parts) or not 1 <= len(parts) <= 3 or len(tokens) != 2 * len(parts) - 1:
        raise ValueError(text)
    return parts


@dataclass(frozen=True)
class QueryText:
    """A query of a file: its place in it, from 1, its first line, the comment before it or empty text, and its SQL."""

    number: int
    line: int
    name: str
    sql: str


def query_texts(text: str) -> list[QueryText]:
    """The statements of a text, which semicolons part; raises ValueError for a text that is no SQL."""
    import sqlglot

    try:
        tokens = sqlglot.tokenize(text, read=DIALECT)
    except sqlglot.errors.SqlglotError:
        raise ValueError("a quote or a comment in it has no end") from None
    found: list[QueryText] = []
    held: list[Token] = []
    for token in [*tokens, None]:
        if token is not None and token.token_type.name != "SEMICOLON":
            held.append(token)
        elif held:
            name = " ".join(held[0].comments[-1].split()) if held[0].comments else ""
            sql = text[held[0].start : held[-1].end + 1]
            found.append(QueryText(len(found) + 1, held[0].line, name, sql))
            held = []
    return found
