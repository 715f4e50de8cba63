"""Query files as text: names bound in the places of their markers, and lists that repeat a text for each item.

``each(names, t."{name}")`` writes a text once for each item of the list ``names``, as items of a list; ``all_of`` and
``any_of`` write conditions, ``sum_of`` and ``product_of`` sums and products, ``bits_of`` the bits of several numbers in
one, ``branches`` those of a CASE, ``joins`` joins, and ``united`` queries of a UNION ALL. In the text ``{n}`` is the
place of the item, from 0. Any other field is one of the item: inside double quotes a name, elsewhere a number, an
expression that this room made, or the list of an inner repetition. What follows a semicolon stands where the list is
empty: ``all_of(names, ...; TRUE)``; after a bare one nothing does, and a comma beside it goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

BETWEEN = {
    "each": ", ",
    "all_of": " AND ",
    "any_of": " OR ",
    "sum_of": " + ",
    "product_of": " * ",
    "bits_of": " | ",
    "branches": " ",
    "joins": "\n",
    "united": "\nUNION ALL\n",
}
PLACE = "n"
TOKEN = re.compile(r"""--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|\{\w+\}|\$?\w+|\s+|.""", re.DOTALL)
FIELD = re.compile(r"\{(\w+)\}")
NOTHING = "\0"  # stands where a list is empty
BEFORE_LIST = {",", "SELECT", "BY", "["}
OF_LISTS = {"row", "hash"}  # functions of any number of arguments
BEFORE_TABLE = {"FROM", "JOIN", "INTO", "TABLE", "VIEW", "EXISTS", "UPDATE", "DESCRIBE"}
AFTER_LIST = {",", ")", "]", "", ";", "FROM", "GROUP", "ORDER", "HAVING", "WHERE", "UNION", "LIMIT", "ROWS", "RANGE"}

IN_BACKTICKS = str.maketrans({"\\": "\\\\", "`": "\\`", "\n": "\\n", "\r": "\\r"})
"""What stands for a letter of a name between backticks where a backslash escapes."""


class BindingError(ValueError):
    """A query file and what is bound into it do not agree: a defect of anonduck, not of its input."""


class Expression(str):
    """SQL of an expression that this room made: a quoted name, a literal, a condition of the user that was checked."""

    __slots__ = ()


def number(value: float) -> Expression:
    """A floating-point number of SQL.

    >>> number(1e-06), number(0.5)
    ('1e-06', '0.5')
    """
    return Expression(repr(float(value)))


def expression(text: str, /, **fields: Any) -> Expression:
    """An expression of a text with fields.

    >>> expression('coalesce(t."{name}", {least})', name="age", least=1)
    'coalesce(t."age", 1)'
    """
    return Expression(expanded(_parts_of(text), fields))


@cache
def _parts_of(text: str) -> tuple[Part, ...]:
    """The parts of a text that stands in the code, which many expressions are made of."""
    return parsed(text, {})


def quoted(name: str) -> Expression:
    """A name in double quotes.

    >>> quoted('odd "name" x')
    '"odd ""name"" x"'
    """
    return Expression('"' + name.replace('"', '""') + '"')


def qualified(*names: str) -> Expression:
    """A name with those of its schema and catalog before it.

    >>> qualified("taxonomy", "age")
    '"taxonomy"."age"'
    """
    return Expression(".".join(map(quoted, names)))


def named(target: str | tuple[str, ...]) -> Expression:
    """A name alone, or with those of its schema and catalog before it."""
    return quoted(target) if isinstance(target, str) else qualified(*target)


Item = str | int | Mapping[str, Any]
"""An item of a list: its ``name`` alone, or its fields by their names."""
Lists = Mapping[str, Sequence[Item]]


@dataclass(frozen=True)
class Marker:
    """The place of a single name, and the alias that a table gets there."""

    name: str
    alias: str = ""


@dataclass(frozen=True)
class Field:
    """A name in double quotes with fields of an item in it, or such a field alone."""

    text: str


@dataclass(frozen=True)
class Repeat:
    """A text that is repeated for each item of a list; ``empty`` is what stands for no item, None where none may."""

    macro: str
    name: str
    body: tuple[Part, ...]
    empty: tuple[Part, ...] | None


Part = str | Marker | Field | Repeat


def parsed(text: str, binds: Mapping[str, str]) -> tuple[Part, ...]:
    """The parts of a query, cut at the markers of ``binds``; raises BindingError for what is not legal there."""
    return _Parser(text, binds).parts()


class _Parser:
    """Cuts a text into its parts, one token after the other."""

    def __init__(self, text: str, binds: Mapping[str, str]) -> None:
        self.tokens = [token for token in TOKEN.findall(text) if not token.startswith("--")]
        self.binds = binds
        self.at = 0

    def parts(self) -> tuple[Part, ...]:
        """All parts."""
        found = self._until("")
        if self.at < len(self.tokens):
            raise BindingError("a bracket closes that none opens")
        if ";" in found:
            raise BindingError("a file is one query, without a semicolon")
        return found

    def _next(self) -> str:
        """The token at hand; raises BindingError at the end."""
        if self.at >= len(self.tokens):
            raise BindingError("a list is not closed")
        return str(self.tokens[self.at])

    def _until(self, end: str) -> tuple[Part, ...]:
        """The parts up to the token ``end`` outside brackets, or to a bracket that closes an outer one."""
        found: list[Part] = []
        depth = 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            depth += {"(": 1, ")": -1}.get(token, 0)
            if depth < 0 or (token == end and not depth):
                break
            found.append(self._part(token))
            self.at += 1
        return tuple(found)

    def _part(self, token: str) -> Part:
        if token in BETWEEN and self._word(1) == "(":
            return self._repeat(token)
        if self._word(1) == "." and self.binds.get(self._word(2)) == "columns":
            self._skip(2)
            return self._list(self.tokens[self.at], f"{token}.", self._word(-3))
        kind = self.binds.get(token)
        if kind == "columns":
            return self._list(token, "", self._word(-1))
        if kind == "table":
            return self._table(token)
        if kind == "column":
            return Marker(token)
        return Field(token) if token[0] in '"{' and FIELD.search(token) else token

    def _word(self, steps: int) -> str:
        """The token so many steps on, without counting white space; empty at an end."""
        at, step = self.at, 1 if steps > 0 else -1
        while steps:
            at += step
            if not 0 <= at < len(self.tokens):
                return ""
            steps -= 0 if self.tokens[at].isspace() else step
        return str(self.tokens[at])

    def _skip(self, words: int) -> None:
        """Go so many tokens on, without counting white space."""
        while words:
            self.at += 1
            words -= not self._next().isspace()

    def _list(self, marker: str, prefix: str, before: str) -> Repeat:
        after = self._word(1)
        earlier = self._word(-4 if prefix else -2)
        allowed = {"(": earlier in OF_LISTS, "DISTINCT": earlier == "SELECT"}.get(before, before in BEFORE_LIST)
        if not allowed or after not in AFTER_LIST:
            raise BindingError(f"the list {marker} stands between {before!r} and {after!r}, where no list of names can")
        alone = before in ("SELECT", "DISTINCT", "[", "(") and after != ","
        return Repeat("each", marker, (prefix, Field('"{name}"')), None if alone else ())

    def _table(self, marker: str) -> Part:
        before = self._word(-1)
        if before not in BEFORE_TABLE or self._word(1) == ".":
            return marker
        named = before in ("FROM", "JOIN") and self._word(-2) != "DELETE" and self._word(1) != "AS"
        return Marker(marker, f" AS {marker}" if named else "")

    def _repeat(self, macro: str) -> Repeat:
        self._skip(2)
        name = self.tokens[self.at]
        self._skip(1)
        if self.tokens[self.at] != ",":
            raise BindingError(f"{macro}({name} ...) has no comma after the list")
        self.at += 1
        body, empty = self._until(";"), None
        if self.at < len(self.tokens) and self.tokens[self.at] == ";":
            self.at += 1
            empty = _trimmed(self._until(""))
        if self.at == len(self.tokens):
            raise BindingError(f"{macro}({name}, ...) is not closed")
        return Repeat(macro, name, _trimmed(body), empty)


def _trimmed(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Without white space at the ends."""
    space = [isinstance(part, str) and part.isspace() for part in parts]
    kept = [place for place, one in enumerate(space) if not one]
    return tuple(parts[kept[0] : kept[-1] + 1]) if kept else ()


def used(parts: Sequence[Part], binds: Mapping[str, str], *, inside: bool = False) -> Iterator[str]:
    """The markers, lists and fields that parts name, and each value as it is written; ``inside`` a list, one that
    ``binds`` do not name is a field of its item."""
    for part in parts:
        if isinstance(part, Marker):
            yield part.name
        elif isinstance(part, Repeat):
            if not inside or part.name in binds:
                yield part.name
            yield from used((*part.body, *(part.empty or ())), binds, inside=True)
        elif isinstance(part, Field):
            yield from (name for name in FIELD.findall(part.text) if not inside or name in binds)
        elif isinstance(part, str) and part.startswith("$"):
            yield part


def fields_of(repeat: Repeat) -> set[str]:
    """What an item of a list must have: the fields in its text, and the lists there with the fields of theirs."""
    found: set[str] = set()
    for part in (*repeat.body, *(repeat.empty or ())):
        if isinstance(part, Field):
            found |= set(FIELD.findall(part.text))
        elif isinstance(part, Repeat):
            found |= {part.name} | fields_of(part)
    return found


def expanded(parts: Sequence[Part], given: Mapping[str, Any]) -> str:
    """The text of parts with what is ``given`` for markers, lists and fields.

    Raises BindingError for a field that is given what may not stand there, and for an empty list where none may be.
    """
    tokens = list(_tokens(parts, given))
    for place in [at for at, token in enumerate(tokens) if token == NOTHING]:
        _close(tokens, place)
    return "".join(tokens)


def _tokens(parts: Sequence[Part], given: Mapping[str, Any]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Repeat):
            yield from _repeated(part, given)
        elif isinstance(part, Marker):
            yield named(given[part.name]) + part.alias
        elif isinstance(part, Field):
            yield FIELD.sub(lambda found, text=part.text: _field(found[1], text, given), part.text)  # type: ignore[misc]
        else:
            yield part


def _repeated(repeat: Repeat, given: Mapping[str, Any]) -> Iterator[str]:
    items: Sequence[Item] | None = given.get(repeat.name)
    if items is None:
        raise BindingError(f"{repeat.macro}({repeat.name}, ...) is given no list")
    if not items:
        if repeat.empty is None:
            raise BindingError(f"{repeat.macro}({repeat.name}, ...) does not say what stands for an empty list")
        yield from _tokens(repeat.empty, given) if repeat.empty else (NOTHING,)
    in_brackets = repeat.macro == "any_of" and len(items) > 1
    yield "(" if in_brackets else ""
    for place, item in enumerate(items):
        yield BETWEEN[repeat.macro] if place else ""
        fields = item if isinstance(item, Mapping) else {"name": item}
        yield from _tokens(repeat.body, {**given, PLACE: place, **fields})
    yield ")" if in_brackets else ""


def _field(name: str, text: str, given: Mapping[str, Any]) -> str:
    value = given.get(name)
    if isinstance(value, int):
        return f" {value}" if value < 0 else str(value)  # two minus signs open a comment
    if text.startswith('"') and type(value) is str:
        return value.replace('"', '""')
    if not text.startswith('"') and isinstance(value, Expression):
        return value
    raise BindingError(f"{text} cannot be {type(value).__name__}: names stand in double quotes, expressions elsewhere")


def _close(tokens: list[str], place: int) -> None:
    """Take away what belongs to the list that is empty at a place: a comma beside it, or the BY that has no other."""
    before, after = (_beside(tokens, place, step) for step in (-1, 1))
    first = place
    if tokens[before].strip() == ",":
        first = before
    elif tokens[after].strip() == ",":
        tokens[after] = ""
    elif tokens[before] == "BY":
        first = _beside(tokens, before, -1)
    tokens[first : place + 1] = [""] * (place + 1 - first)


def _beside(tokens: Sequence[str], place: int, step: int) -> int:
    """The place of the next token in a direction that is no white space; the last place where there is none."""
    at = place + step
    while 0 < at < len(tokens) - 1 and not tokens[at].strip():
        at += step
    return min(max(at, 0), len(tokens) - 1)
