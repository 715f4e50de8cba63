"""Values as an engine writes and compares them: exact literals of its own types, keys compared by their bytes.

A literal equals the value that DuckDB holds, or there is none: what an engine would round, clip or read by the zone of
a session is refused by name.
"""

from __future__ import annotations

import datetime
import math
import re
import struct
from collections.abc import Iterable

from anonduck.statements import column_types
from anonduck.statements.column_types import BOOLEAN, DATE, DOUBLE, FLOAT, STAMP, TEXT, without_parameters
from anonduck.statements.dialects import Dialect, Family, family_of
from anonduck.statements.expansion import Expression, expression, quoted
from anonduck.statements.literals import type_named
from anonduck.statements.template import DIALECT

DAYS = re.compile(r"\d{4}-\d\d-\d\d")
STAMPS = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,9})?)?")
SHORT = 260
FLOATING = ("float", "double")
TIMES = re.compile(r"\d\d:\d\d:\d\d(\.\d{1,9})?")


def is_nan(text: str | None, kind: str) -> bool:
    """Whether a value of a type is NaN."""
    return text is not None and family_of(kind) in ("float", "double") and math.isnan(float(text))


def check_kind(engine: Dialect, name: str, kind: str) -> None:
    """Raise DialectError if an engine cannot compare the values of a column."""
    family = family_of(kind)
    what = f"column {name!r} ({kind})"
    if family in engine.refused:
        raise engine.refusal(what, engine.refused[family])
    if engine.name == DIALECT:
        return
    if family == "other":
        raise engine.refusal(what, "its values have no literal there; leave the column out of the rule")
    check_digits(engine, name, kind)


def check_digits(engine: Dialect, name: str, kind: str) -> None:
    """Raise DialectError if an engine cannot hold the decimal numbers of a column."""
    if family_of(kind) == "decimal" and _precision(kind) > engine.digits:
        raise engine.refusal(f"column {name!r} ({kind})", f"its numbers have {engine.digits} digits")


def literal(engine: Dialect, text: str, kind: str) -> Expression:
    """An exact literal of an engine for a value, given as DuckDB writes it; raises DialectError where there is none."""
    family = family_of(kind)
    if engine.name == DIALECT and family not in ("whole", "text"):
        return _cast(text, type_named(kind))
    plain = as_text(engine, text, kind)
    if family == "text":
        return string(plain)
    if family in ("float", "double"):
        return _floating(engine, plain)
    if family in ("whole", "huge", "decimal"):
        return _cast(plain, "BIGNUMERIC") if family != "whole" and engine.name == "bigquery" else Expression(plain)
    if family == "boolean":
        return Expression(plain.upper())
    return _cast(plain, engine.types[family])


def as_text(engine: Dialect, text: str, kind: str) -> str:
    """The text of a value, given as DuckDB writes it, that an engine reads as that value; raises DialectError where
    there is none."""
    family = family_of(kind)
    if engine.name == DIALECT:
        return text
    if family in ("float", "double"):
        return _number_text(float(text), single=family == "float")
    if family in ("whole", "huge", "decimal"):
        if sum(map(str.isdigit, text)) > engine.digits:
            raise engine.refusal(f"a value of type {kind}", f"its numbers have {engine.digits} digits")
        return text
    if family == "zoned":
        return _moment(engine, text)
    return _temporal(engine, text, family) if family in ("date", "time", "stamp") else text


def type_of(engine: Dialect, kind: str) -> str:
    """What an engine calls the type of the literals of a type."""
    family = family_of(kind)
    if engine.name == DIALECT:
        return TEXT if family == "text" else type_named(kind)
    if family == "boolean":
        return "BOOL" if engine.name == "bigquery" else BOOLEAN
    if family in ("huge", "decimal") or without_parameters(kind) == "UBIGINT":
        sized = kind if family == "decimal" else "DECIMAL(38, 0)"
        return {"bigquery": "BIGNUMERIC", "postgres": "NUMERIC"}.get(engine.name, sized)
    return engine.types["double" if family == "float" else "text" if family == "other" else family]


def typed_null(engine: Dialect, kind: str) -> Expression:
    """NULL as a value of a type."""
    return expression("CAST(NULL AS {kind})", kind=Expression(type_of(engine, kind)))


def key(engine: Dialect, value: Expression, kind: str) -> Expression:
    """What of a value is compared with literals: of a text its bytes, whatever collation its column has."""
    return text_key(engine, value) if family_of(kind) == "text" else value


def text_key(engine: Dialect, value: Expression) -> Expression:
    """A text of an engine that is compared by its bytes."""
    if not engine.collation:
        return value
    collation = quoted(engine.collation) if engine.name == "postgres" else Expression(engine.collation)
    return expression("{text} COLLATE {collation}", text=engine.typed(value, "text"), collation=collation)


def is_null(value: Expression) -> Expression:
    """Whether a value is NULL."""
    return expression("{value} IS NULL", value=value)


def one_zero(value: Expression) -> Expression:
    """A number with minus zero as zero: both are equal, and which one a group shows would depend on the row order."""
    return expression("CASE WHEN {value} = 0 THEN 0 ELSE {value} END", value=value)


def with_one_zero(value: Expression, kind: str) -> Expression:
    """A value of a type, without minus zero."""
    return one_zero(value) if family_of(kind) in FLOATING else value


def stop(engine: Dialect, words: str, value: Expression) -> Expression:
    """The end of a CASE that stops a statement of an engine: what is ELSE, or a condition that fails.

    ``value`` is of the record that stops it, or the engine would work it out before it reads a record.
    """
    if engine.stop:
        return expression("ELSE {stopped}", stopped=called(engine.stop, string(words)))
    nothing = "coalesce(SUBSTRING({text}, 1, 0), '')"
    said = expression("{words} || " + nothing, words=string(words), text=engine.typed(value, "text"))
    return expression("WHEN {failing} IS NULL THEN NULL", failing=engine.typed(said, "number"))


def stopping(engine: Dialect, words: str, value: Expression) -> Expression:
    """What stops a statement, as a value."""
    return called(engine.stop, string(words)) if engine.stop else cases([], stop(engine, words, value))


def cases(branches: Iterable[tuple[Expression, Expression]], end: Expression) -> Expression:
    """A CASE of conditions with what each gives, and its end; on one line where it is short."""
    held = [{"when": when, "then": then} for when, then in branches]
    short = expression("CASE branches(held, WHEN {when} THEN {then};) {end} END", held=held, end=end)
    if len(short) <= SHORT and "\n" not in short:
        return short
    return expression("CASE\njoins(held, WHEN {when} THEN {then};)\n{end}\nEND", held=held, end=end)


def otherwise(value: Expression) -> Expression:
    """The end of a CASE that gives a value."""
    return expression("ELSE {value}", value=value)


def called(name: str, *arguments: Expression) -> Expression:
    """A call of a function."""
    held = [{"one": one} for one in arguments]
    return expression("{name}(each(held, {one}))", name=Expression(name), held=held)


def within(query: Expression) -> Expression:
    """A query in brackets."""
    return expression("(\n{query}\n)", query=query)


# -- literals ----------------------------------------------------------------------------------------------------------


def string(text: str) -> Expression:
    """A text."""
    return Expression("'" + text.replace("'", "''") + "'")


def _cast(text: str, kind: str) -> Expression:
    return expression("CAST({text} AS {kind})", text=string(text), kind=Expression(kind))


def _precision(kind: str) -> int:
    return int(kind.partition("(")[2].partition(",")[0])


def _number_text(value: float, *, single: bool) -> str:
    """A floating-point number with all its digits; a single one as its exact double."""
    value += 0.0  # minus zero is no other number
    if single and math.isfinite(value):
        (value,) = struct.unpack("f", struct.pack("f", value))
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _floating(engine: Dialect, text: str) -> Expression:
    """A floating-point number with an exponent, which is read as no decimal."""
    if not math.isfinite(float(text)):
        return _cast(text, engine.types["double"])
    return Expression(text if "e" in text else f"{text}e0")


def _temporal(engine: Dialect, text: str, family: Family) -> str:
    form = {"date": DAYS, "time": TIMES}.get(family, STAMPS)
    if not form.fullmatch(text):
        raise engine.refusal(f"a {family}", "it lies outside of the years 1 to 9999")
    whole, point, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    if len(fraction) > engine.fraction:
        raise engine.refusal("a time stamp", f"its seconds have {engine.fraction} decimal places")
    if family == "stamp" and len(whole) == len("2020-01-01"):
        whole += " 00:00:00"
    return f"{whole}{point}{fraction}" if fraction else whole


def _moment(engine: Dialect, text: str) -> str:
    """A moment in UTC with its offset, which no session reads in its own zone."""
    try:
        moment = datetime.datetime.fromisoformat(text).astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        raise engine.refusal("a moment", "it lies outside of the years 1 to 9999") from None
    exact = moment.replace(tzinfo=None).isoformat(" ")
    exact = exact.rstrip("0") if "." in exact else exact
    return f"{exact}+00:00"


ALIKE = frozenset(
    {
        *(("text", to) for to in ("text", "whole", "decimal", "double", "date")),
        *(("whole", to) for to in ("text", "whole", "decimal", "double")),
        *(("date", to) for to in ("text", "date", "stamp")),
        *(("decimal", "double"), ("float", "double"), ("stamp", "date"), ("boolean", "text")),
        *((one, one) for one in ("double", "float", "boolean", "stamp", "decimal")),
    }
)
"""Families of types: from, to. Others round, pad or read by the zone of a session in one engine and not in another."""

NAMED = frozenset({"SMALLINT", "INTEGER", "BIGINT", column_types.DECIMAL, BOOLEAN, DATE, DOUBLE})
"""Types that engines call as DuckDB does."""


def cast_type(engine: Dialect, name: str, kind: str, to: str) -> str:
    """What an engine calls the type that a column is cast to; raises DialectError for a cast that is not on the list.

    >>> from anonduck.statements.dialects import dialect_named
    >>> cast_type(dialect_named("spark"), "age", "VARCHAR", "INTEGER"), cast_type(dialect_named("spark"), "n", "BIGINT",
    ... "VARCHAR")
    ('INTEGER', 'STRING')
    """
    families = (family_of(kind), family_of(to))
    if families not in ALIKE or (families[1] == "decimal" and "(" not in to):
        raise engine.refusal(
            f"types.{name}: a cast from {column_types.without_names(kind)} to {column_types.without_names(to)}",
            "it is not on the list of casts that give the same there; cast it in a view",
        )
    if to in (TEXT, STAMP):
        return engine.types[families[1]]
    if to == DOUBLE:
        return engine.types["double"]
    if without_parameters(to) not in NAMED or to == FLOAT:
        raise engine.refusal(f"types.{name}: the type {to}", "it has none of the same values; name another")
    return to
