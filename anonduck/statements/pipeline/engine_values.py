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
from anonduck.statements.column_types import BOOLEAN, DATE, DOUBLE, FLOAT, STAMP, without_parameters
from anonduck.statements.pipeline.engines import NUMBERS, Engine, Family, family_of
from anonduck.statements.template import DIALECT
from anonduck.statements.trees import exp

DAYS = re.compile(r"\d{4}-\d\d-\d\d")
STAMPS = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,9})?)?")
TIMES = re.compile(r"\d\d:\d\d:\d\d(\.\d{1,9})?")


def is_nan(text: str | None, kind: str) -> bool:
    """Whether a value of a type is NaN."""
    return text is not None and family_of(kind) in ("float", "double") and math.isnan(float(text))


def check_kind(engine: Engine, name: str, kind: str) -> None:
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


def check_digits(engine: Engine, name: str, kind: str) -> None:
    """Raise DialectError if an engine cannot hold the decimal numbers of a column."""
    if family_of(kind) == "decimal" and _precision(kind) > engine.digits:
        raise engine.refusal(f"column {name!r} ({kind})", f"its numbers have {engine.digits} digits")


def literal(engine: Engine, text: str, kind: str) -> exp.Expr:
    """An exact literal of an engine for a value, given as DuckDB writes it; raises DialectError where there is none."""
    family = family_of(kind)
    if engine.name == DIALECT and family not in ("whole", "text"):
        return exp.cast(exp.Literal.string(text), kind, dialect=DIALECT)
    if family in ("float", "double"):
        return _floating(engine, float(text), single=family == "float")
    if family in ("whole", "huge", "decimal"):
        return _number(engine, text, kind, family)
    if family == "boolean":
        return exp.true() if text == "true" else exp.false()
    if family in ("date", "time", "stamp", "zoned"):
        return _temporal(engine, text, family)
    return exp.Literal.string(text)


def key(engine: Engine, value: exp.Expr, kind: str) -> exp.Expr:
    """What of a value is compared with literals: of a text its bytes, whatever collation its column has."""
    return text_key(engine, value) if family_of(kind) == "text" else value


def text_key(engine: Engine, value: exp.Expr) -> exp.Expr:
    """A text of an engine that is compared by its bytes."""
    if not engine.collation:
        return value
    name = exp.to_identifier(engine.collation, quoted=True) if engine.name == "postgres" else exp.var(engine.collation)
    return exp.Collate(this=engine.cast(value, "text"), expression=name)


def same(engine: Engine, one: exp.Expr, other: exp.Expr, kind: str) -> exp.Expr:
    """Whether two values of a type are the same one, NULL being a value.

    PostgreSQL joins by IS NOT DISTINCT FROM in no way but to try each row with each, so there NULL and the values are
    compared apart, as what a join can hash.
    """
    if engine.name != "postgres":
        return exp.NullSafeEQ(this=one, expression=other)
    values = [_filled(engine, value, kind) for value in (one, other)]
    nulls = [exp.paren(exp.Is(this=value.copy(), expression=exp.null())) for value in (one, other)]
    return exp.and_(exp.EQ(this=nulls[0], expression=nulls[1]), exp.EQ(this=values[0], expression=values[1]))


def _filled(engine: Engine, value: exp.Expr, kind: str) -> exp.Expr:
    """A value, with another in place of NULL."""
    family = family_of(kind)
    if family in NUMBERS:
        return exp.func("coalesce", value.copy(), exp.Literal.number(0))
    if family == "boolean":
        return exp.func("coalesce", value.copy(), exp.false())
    text = value.copy() if family == "text" else engine.cast(value.copy(), "text")
    return exp.func("coalesce", text, exp.Literal.string(""))


def stop(engine: Engine, words: str, value: exp.Expr) -> tuple[exp.Expr, bool]:
    """What stops a statement of an engine, and whether it stands as a condition and not as a value.

    ``value`` is of the record that stops it, or the engine would work it out before it reads a record.
    """
    message = exp.Literal.string(words)
    if engine.stop:
        return exp.Anonymous(this=engine.stop, expressions=[message]), False
    nothing = exp.func(
        "coalesce",
        exp.Substring(this=engine.cast(value, "text"), start=exp.Literal.number(1), length=exp.Literal.number(0)),
        exp.Literal.string(""),
    )
    said = exp.DPipe(this=message, expression=nothing)
    return exp.Is(this=engine.cast(said, "number"), expression=exp.null()), True


def cases(branches: Iterable[tuple[exp.Expr, exp.Expr]], otherwise: exp.Expr | None = None) -> exp.Case:
    """A CASE of conditions with what each gives; the trees are taken over, not copied, as they may be large."""
    return exp.Case(ifs=[exp.If(this=condition, true=value) for condition, value in branches], default=otherwise)


# -- literals ----------------------------------------------------------------------------------------------------------


def _precision(kind: str) -> int:
    return int(kind.partition("(")[2].partition(",")[0])


def _signed(text: str) -> exp.Expr:
    return exp.Neg(this=exp.Literal.number(text[1:])) if text.startswith("-") else exp.Literal.number(text)


def _number(engine: Engine, text: str, kind: str, family: Family) -> exp.Expr:
    if sum(map(str.isdigit, text)) > engine.digits:
        raise engine.refusal(f"a value of type {kind}", f"its numbers have {engine.digits} digits")
    if family == "whole":
        return _signed(text)
    if engine.name == "bigquery":
        return exp.Cast(
            this=exp.Literal.string(text), to=exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="BIGNUMERIC")
        )
    return _signed(text)


def _floating(engine: Engine, value: float, *, single: bool) -> exp.Expr:
    """A floating-point number with an exponent, which is read as no decimal; a single one as its exact double."""
    value += 0.0  # minus zero is no other number
    if single and math.isfinite(value):
        (value,) = struct.unpack("f", struct.pack("f", value))
    if math.isfinite(value):
        text = repr(value)
        return _signed(text if "e" in text else f"{text}e0")
    named = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return engine.cast(exp.Literal.string(named), "double")


def _temporal(engine: Engine, text: str, family: Family) -> exp.Expr:
    if family == "zoned":
        return _moment(engine, text)
    form = {"date": DAYS, "time": TIMES}.get(family, STAMPS)
    if not form.fullmatch(text):
        raise engine.refusal(f"a {family}", "it lies outside of the years 1 to 9999")
    whole, point, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    if len(fraction) > engine.fraction:
        raise engine.refusal("a time stamp", f"its seconds have {engine.fraction} decimal places")
    if family == "stamp" and len(whole) == len("2020-01-01"):
        whole += " 00:00:00"
    exact = f"{whole}{point}{fraction}" if fraction else whole
    return engine.cast(exp.Literal.string(exact), family)


def _moment(engine: Engine, text: str) -> exp.Expr:
    """A moment in UTC with its offset, which no session reads in its own zone."""
    try:
        moment = datetime.datetime.fromisoformat(text).astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        raise engine.refusal("a moment", "it lies outside of the years 1 to 9999") from None
    exact = moment.replace(tzinfo=None).isoformat(" ")
    exact = exact.rstrip("0") if "." in exact else exact
    return engine.cast(exp.Literal.string(f"{exact}+00:00"), "zoned")


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


def cast_type(engine: Engine, name: str, kind: str, to: str) -> str:
    """What an engine calls the type that a column is cast to; raises DialectError for a cast that is not on the list.

    >>> from anonduck.statements.pipeline.engines import engine_named
    >>> cast_type(engine_named("spark"), "age", "VARCHAR", "INTEGER"), cast_type(engine_named("spark"), "n", "BIGINT",
    ... "VARCHAR")
    ('INTEGER', 'STRING')
    """
    families = (family_of(kind), family_of(to))
    if families not in ALIKE or (families[1] == "decimal" and "(" not in to):
        raise engine.refusal(
            f"types.{name}: a cast from {column_types.without_names(kind)} to {column_types.without_names(to)}",
            "it is not on the list of casts that give the same there; cast it in a view",
        )
    if to in (column_types.TEXT, STAMP):
        return engine.types[families[1]]
    if to == DOUBLE:
        return engine.types["double"]
    if without_parameters(to) not in NAMED or to == FLOAT:
        raise engine.refusal(f"types.{name}: the type {to}", "it has none of the same values; name another")
    return to
