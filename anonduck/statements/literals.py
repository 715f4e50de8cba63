"""Values and paths within SQL: a statement with its parameters written in, or with its literals taken out."""

from __future__ import annotations

import datetime
import decimal
import itertools
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.statements.expansion import BindingError, Expression
from anonduck.statements.template import DIALECT, Statement, line

if TYPE_CHECKING:
    from sqlglot import Token

WRITTEN = re.compile(r"""(?<!\w)(?:"(?:[^"]|"")*"|'(?:[^']|'')*')""")  # no E'...', which ends elsewhere
PARAMETERS = re.compile(r"\([\w\s,\[\]]*\)")
HIDDEN = "…"
QUOTED = frozenset(
    {
        "STRING",
        "BIT_STRING",
        "BYTE_STRING",
        "HEREDOC_STRING",
        "HEX_STRING",
        "NATIONAL_STRING",
        "RAW_STRING",
        "UNICODE_STRING",
    }
)
"""The names of sqlglot's kinds of tokens that are texts."""
TYPES = {
    datetime.datetime: "TIMESTAMP",
    datetime.date: "DATE",
    datetime.time: "TIME",
    datetime.timedelta: "INTERVAL",
    decimal.Decimal: "DECIMAL(38, 18)",
    float: "DOUBLE",
    uuid.UUID: "UUID",
}


def pasteable(statement: Statement, parameters: Mapping[str, Any]) -> str:
    """The text of a statement with its parameters as literals, as a DuckDB shell takes it.

    >>> pasteable(Statement("few", "SELECT $least < 3, '$least'", frozenset({"least"})), {"least": 2})
    "SELECT 2 < 3, '$least'"
    """
    if not parameters:
        return statement.sql
    return _spliced(statement.sql, _parameters(statement.sql, parameters))


def redacted_sql(sql: str) -> str:
    """The text of a statement without the literals in it, which may be values of the source; names stay.

    >>> redacted_sql('SELECT "job" FROM t WHERE "job" = \\'nurse\\' AND age > 30')
    'SELECT "job" FROM t WHERE "job" = \\'…\\' AND age > …'
    """
    return _spliced(sql, _literals(sql))


def literal(value: Any) -> Expression:
    """A value of Python as a literal of the type that DuckDB gives it as a parameter.

    >>> literal([1, None, "it's"]), literal(0.5)
    ("[1, NULL, 'it''s']", "CAST('0.5' AS DOUBLE)")
    """
    if value is None or isinstance(value, bool):
        return Expression({None: "NULL", True: "TRUE", False: "FALSE"}[value])
    if isinstance(value, str):
        return Expression("'" + value.replace("'", "''") + "'")
    if isinstance(value, int):
        return Expression(value if value >= 0 else f"({value})")  # or `-` before it would open a comment
    if isinstance(value, (list, tuple)):
        return Expression(f"[{', '.join(map(literal, value))}]")
    for kind, name in TYPES.items():
        if isinstance(value, kind):
            aware = isinstance(value, datetime.datetime) and value.tzinfo is not None
            return Expression(f"CAST({literal(str(value))} AS {'TIMESTAMPTZ' if aware else name})")
    raise BindingError(f"no literal for {type(value).__name__}")


def type_named(kind: str) -> Expression:
    r"""A type, as DuckDB names it; raises BindingError for a text that may be more than a type.

    >>> type_named("STRUCT(a DECIMAL(18,3), \"b c\" ENUM('it''s'))[]")
    'STRUCT(a DECIMAL(18,3), "b c" ENUM(\'it\'\'s\'))[]'
    """
    before, left = "", WRITTEN.sub("x", kind)
    while left != before:
        before, left = left, PARAMETERS.sub("", left)
    if not re.fullmatch(r"[\w\s\[\]]+", left):
        raise BindingError("a name of a type is words, with what stands in brackets after them")
    return Expression(kind)


def listed_rows(table: str, types: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> str:
    """A temporary table of rows that came from Python, as a statement that holds them."""
    return line(
        "literals.listed_rows",
        'CREATE OR REPLACE TEMPORARY TABLE "{table}" AS SELECT each(names, CAST("{name}" AS {kind}) AS "{name}") '
        'FROM (VALUES each(rows, (each(row, {value})))) AS listed(each(names, "{name}")) LIMIT {most}',
        table=table,
        names=[{"name": name, "kind": Expression(kind)} for name, kind in types.items()],
        rows=[{"row": [{"value": literal(value)} for value in row]} for row in rows or [[None] * len(types)]],
        most=len(rows),
    ).sql


Cut = tuple[int, int, str]  # the first character of a piece of text, the one after it, and what stands there instead


def _spliced(text: str, cuts: Iterator[Cut]) -> str:
    parts, end = [], 0
    for first, after, instead in cuts:
        parts += [text[end:first], instead]
        end = after
    return "".join([*parts, text[end:]])


def _tokens(sql: str) -> list[Token]:
    import sqlglot

    return sqlglot.tokenize(sql, read=DIALECT)


def _parameters(sql: str, parameters: Mapping[str, Any]) -> Iterator[Cut]:
    tokens = _tokens(sql)
    for mark, name in itertools.pairwise(tokens):
        if mark.token_type.name == "PARAMETER" and name.start == mark.end + 1:
            yield mark.start, name.end + 1, literal(parameters[sql[name.start : name.end + 1]])


def _literals(sql: str) -> Iterator[Cut]:
    number_ends = -1
    for token in _tokens(sql):
        after = token.end + 1
        if token.token_type.name in QUOTED:
            yield token.start, after, f"'{HIDDEN}'"
        elif token.token_type.name == "NUMBER":
            yield token.start, after, HIDDEN
            number_ends = after
        elif token.start == number_ends and token.token_type.name == "VAR":  # the digits of 0xff
            yield token.start, after, ""


WILD = "*?["


def literal_path(path: str | Path) -> str:
    """The path as a pattern that matches nothing but itself."""
    return "".join(f"[{letter}]" if letter in WILD else letter for letter in str(path))


def pattern_of(folder: Path, text: str) -> str:
    """The pattern of a path or glob relative to a folder: what exists of it, file or folder, is meant literally."""
    given = folder / text
    if given.is_file():
        return literal_path(given)
    known = Path(given.anchor)
    parts = given.parts[1:] if given.anchor else given.parts
    while parts and (known / parts[0]).is_dir():
        known, parts = known / parts[0], parts[1:]
    return str(Path(literal_path(known), *parts))
