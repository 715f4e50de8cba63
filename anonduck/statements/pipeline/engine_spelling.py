"""How an engine spells names and texts. What is written for it has DuckDB's quotes until it is whole."""

from __future__ import annotations

import re

from anonduck.statements.dialects import Dialect
from anonduck.statements.expansion import IN_BACKTICKS, Expression
from anonduck.statements.template import DIALECT, Statement, translated

MARK = "\0"  # at both ends of what is written as it stands; no SQL holds one
PIECES = re.compile(rf"""{MARK}[^{MARK}]*{MARK}|'(?:[^']|'')*'|"(?:[^"]|"")*\"""")
LAID_OUT = re.compile(rf"{PIECES.pattern}|\b(?:CASE|END)\b|[()]|[ ]*\n\s*")
CLOSING = re.compile(r"\)|END\b")
ESCAPED = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"})


def as_it_stands(text: str) -> Expression:
    """A text in an engine's own dialect, such as that of a template, which is spelled already."""
    return Expression(f"{MARK}{text}{MARK}")


def laid_out(text: str) -> Expression:
    """A text with its lines indented by the brackets and cases that are open there.

    >>> print(laid_out("SELECT (\\nSELECT 1\\n\\n) AS a"))
    SELECT (
      SELECT 1
    ) AS a
    """
    depth = 0

    def placed(found: re.Match[str]) -> str:
        nonlocal depth
        piece = found[0]
        depth += {"(": 1, "CASE": 1, ")": -1, "END": -1}.get(piece, 0)
        if not piece.isspace():
            return piece
        return "\n" + "  " * (depth - bool(CLOSING.match(text, found.end())))

    return Expression(LAID_OUT.sub(placed, text))


def without_standing(text: str) -> str:
    """A text with a name in the place of each that is written as it stands."""
    return PIECES.sub(lambda found: "source" if found[0].startswith(MARK) else found[0], text)


def spelled(text: str, engine: Dialect) -> str:
    """A text with its names and texts in the quotes of an engine.

    >>> from anonduck.statements.dialects import dialect_named
    >>> spelled('''SELECT "a ""b" <> 'it''s' ''', dialect_named("spark"))
    'SELECT `a "b` <> \\'it\\\\\\'s\\' '
    """
    return PIECES.sub(lambda found: _spelled(found[0], engine), text)


def written(text: str, engine: Dialect, *, checked: str | None = None) -> str:
    """A text as an engine spells it; raises DialectError, with a node's name, for what is not on its list.

    Where ``checked`` is given, that is read in its place: the text with fewer rows of its lists.
    """
    if engine.name != DIALECT:
        from anonduck.statements.pipeline.engine_nodes import check_text  # with sqlglot

        check_text(without_standing(text if checked is None else checked), engine)
    return spelled(text, engine)


def in_dialect(query: Statement, engine: Dialect) -> str:
    """A statement, translated into the dialect of an engine; raises DialectError for what is not on its list."""
    if engine.name != DIALECT:
        from anonduck.statements.pipeline.engine_nodes import check_text  # with sqlglot

        check_text(query.sql, engine)
    return translated(query, engine.name)


def _spelled(piece: str, engine: Dialect) -> str:
    quote, inner = piece[0], piece[1:-1]
    if quote == MARK:
        return inner
    if quote == "'":
        return "'" + inner.replace("''", "'").translate(ESCAPED) + "'" if engine.escapes else piece
    if not engine.backticks:
        return piece
    name = inner.replace('""', '"')
    return f"`{name.replace('`', '``')}`" if engine.backticks == "doubled" else f"`{name.translate(IN_BACKTICKS)}`"
