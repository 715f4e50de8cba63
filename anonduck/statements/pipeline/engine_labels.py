"""Labels of computed taxonomies as expressions of an engine: the steps of sql/taxonomy/builders in its own functions.

A step that an engine has no expression for has none here: its labels are then listed, and the text says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from anonduck.statements.column_types import DATE, STAMP, TEXT
from anonduck.statements.pipeline.builder_computed import ComputedLabels, ComputedStep
from anonduck.statements.pipeline.engine_values import cases, literal, text_key
from anonduck.statements.pipeline.engines import Engine, family_of
from anonduck.statements.template import DIALECT
from anonduck.statements.trees import exp

Branches = list[tuple["exp.Expr", "exp.Expr"]]
WITH_YEARS_BEFORE_CHRIST = (DIALECT, "postgres")
"""Engines with dates before Christ, which the first four characters of their text do not show."""
FIRST, LAST = "0001-01-01", "9999-12-31"
OUTSIDE = "a date outside of the years 1 to 9999"
STAMP_FORM = "YYYY-MM-DD HH24:MI:SS"
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def computed_label(
    engine: Engine, labels: ComputedLabels, level: int, value: exp.Expr, kind: str
) -> tuple[Branches, exp.Expr | None, exp.Expr] | None:
    """What a value shows at a level, as branches before it, a condition that must stop the statement, and the label.

    None where the engine has no expression for it.
    """
    names = [step.name for step in labels.read]
    steps = labels.levels[level - 1]
    if len(steps) != 1:
        return None
    if names[0] in ("computed_text", "computed_text_filled"):
        text = _filled(labels.read[0], _text(engine, value, kind))
        label = _of_text(steps[0], text)
        return None if label is None else ([], None, label)
    if names[0] == "computed_dates_plain":
        return _of_date(engine, labels, steps[0].columns["unit"], value, kind)
    return None


# -- parts of texts ----------------------------------------------------------------------------------------------------


def _string(text: str) -> exp.Expr:
    return exp.Literal.string(text)


def _called(name: str, *arguments: exp.Expr | str | int) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[_argument(one) for one in arguments])


def _argument(value: exp.Expr | str | int) -> exp.Expr:
    if isinstance(value, int):
        return exp.Literal.number(value)
    return _string(value) if isinstance(value, str) else value.copy()


def _text(engine: Engine, value: exp.Expr, kind: str) -> exp.Expr:
    """The text of a value, compared by its bytes."""
    if engine.collation:
        return text_key(engine, value)
    return value if kind == TEXT else engine.cast(value, "text")


def _part(text: exp.Expr, start: exp.Expr | int, length: exp.Expr | int) -> exp.Expr:
    """So many characters of a text from a place, which is at least 1."""
    return _called("SUBSTR", text, start, length)


def _length(text: exp.Expr) -> exp.Expr:
    return _called("LENGTH", text)


def _joined(*texts: exp.Expr) -> exp.Expr:
    return reduce(lambda one, other: exp.DPipe(this=one, expression=other), [text.copy() for text in texts])


def _padded_number(engine: Engine, number: exp.Expr, digits: int) -> exp.Expr:
    """A number from 0 as a text of so many digits."""
    above = exp.Add(this=number.copy(), expression=exp.Literal.number(10**digits))
    return _part(engine.cast(above, "text"), 2, digits)


def _filled(step: ComputedStep, text: exp.Expr) -> exp.Expr:
    if step.name == "computed_text":
        return text
    length, pad = int(step.values["length"]), str(step.values["pad"])
    after = exp.Add(this=_length(text), expression=exp.Literal.number(1))
    filled = _part(_joined(_string(pad * length), text), after, length)
    short = exp.LT(this=_length(text), expression=exp.Literal.number(length))
    return cases([(short, filled)], text.copy())


def _of_text(step: ComputedStep, text: exp.Expr) -> exp.Expr | None:
    kept = int(step.values.get("kept", 0))
    first = _part(text, 1, kept)
    if step.name == "computed_mask_right":
        length = int(step.values["length"])
        return _part(_joined(first, _string("*" * length)), 1, length)
    if step.name == "computed_mask_left":
        hidden = int(step.values["length"]) - kept
        longer = _joined(_string("*" * kept), text)
        start = exp.Sub(this=_length(longer), expression=exp.Literal.number(kept - 1))
        return _joined(_string("*" * hidden), _part(longer, start, kept))
    if step.name == "computed_prefix":
        others = {"*": "**", "": "(empty)"}
        same = [(exp.EQ(this=first.copy(), expression=_string(one)), _string(label)) for one, label in others.items()]
        return cases(same, first)
    return None


# -- dates -------------------------------------------------------------------------------------------------------------


def _of_date(
    engine: Engine, labels: ComputedLabels, unit: str, value: exp.Expr, kind: str
) -> tuple[Branches, exp.Expr | None, exp.Expr]:
    zone = next((str(step.values["zone"]) for step in labels.read if step.name == "computed_dates_zoned"), None)
    moment = value if zone is None else _local(engine, value, zone)
    held = DATE if kind == DATE else STAMP
    text = _stamp_text(engine, moment)
    label = _unit(engine, unit, text, moment)
    infinite: Branches = []
    if engine.name in (DIALECT, "postgres"):
        for name in ("infinity", "-infinity"):
            same = exp.EQ(this=moment.copy(), expression=engine.cast(_string(name), family_of(held)))
            infinite.append((same, _string(name)))
    return infinite, _outside(engine, text, moment, held), label


def _local(engine: Engine, value: exp.Expr, zone: str) -> exp.Expr:
    """What the clock of a zone shows at a moment, whatever the zone of the session."""
    if engine.name in ("spark", "databricks"):
        shown = _called("UNIX_SECONDS", _called("FROM_UTC_TIMESTAMP", value, zone))
        since = _called("MAKE_DT_INTERVAL", 0, 0, 0, shown)
        return exp.Add(this=literal(engine, "1970-01-01 00:00:00", STAMP), expression=since)
    if engine.name == "bigquery":
        return _called("DATETIME", value, zone)
    return _called("CONVERT_TIMEZONE" if engine.name == "snowflake" else "TIMEZONE", zone, value)


def _stamp_text(engine: Engine, moment: exp.Expr) -> exp.Expr:
    """A date or time stamp as a text that begins with YYYY-MM-DD, and of a time stamp HH:MM:SS after one more sign."""
    if engine.name in ("postgres", "snowflake"):
        return _called("TO_CHAR", moment, STAMP_FORM)
    return engine.cast(moment.copy(), "text")


def _outside(engine: Engine, text: exp.Expr, moment: exp.Expr, held: str) -> exp.Expr | None:
    """Whether a date has no four digits of a year in its text; None where the engine has no such date."""
    if engine.name == "bigquery":  # its years have four digits
        return None
    if engine.name not in WITH_YEARS_BEFORE_CHRIST:
        return exp.NEQ(this=_part(text, 5, 1), expression=_string("-"))
    last = LAST if held == DATE else f"{LAST} 23:59:59.999999"
    before = exp.LT(this=moment.copy(), expression=literal(engine, FIRST, held))
    return exp.or_(before, exp.GT(this=moment.copy(), expression=literal(engine, last, held)))


def _unit(engine: Engine, unit: str, text: exp.Expr, moment: exp.Expr) -> exp.Expr:
    """What a date is called at a unit."""

    def part(start: int, length: int) -> exp.Expr:
        return _part(text, start, length)

    def joined(*parts: exp.Expr | str) -> exp.Expr:
        return _joined(*[_string(one) if isinstance(one, str) else one for one in parts])

    def by_month(words: Mapping[str, str], last: str) -> exp.Expr:
        branches = [
            (exp.LTE(this=part(6, 2), expression=_string(month)), _string(word)) for month, word in words.items()
        ]
        return cases(branches, _string(last))

    def five(low: str, high: str) -> exp.Expr:
        return cases([(exp.LT(this=part(4, 1), expression=_string("5")), _string(low))], _string(high))

    written: dict[str, Callable[[], exp.Expr]] = {
        "second": lambda: joined(part(1, 10), "T", part(12, 8)),
        "minute": lambda: joined(part(1, 10), "T", part(12, 5)),
        "hour": lambda: joined(part(1, 10), "T", part(12, 2)),
        "day": lambda: part(1, 10),
        "month": lambda: part(1, 7),
        "quarter": lambda: joined(part(1, 4), by_month({"03": "-Q1", "06": "-Q2", "09": "-Q3"}, "-Q4")),
        "half_year": lambda: joined(part(1, 4), by_month({"06": "-H1"}, "-H2")),
        "year": lambda: part(1, 4),
        "five_year": lambda: joined(part(1, 3), five("0", "5"), "-", part(1, 3), five("4", "9")),
        "decade": lambda: joined(part(1, 3), "0s"),
        "century": lambda: joined(part(1, 2), "00-", part(1, 2), "99"),
    }
    if unit in written:
        return written[unit]()
    day = moment if engine.name in ("postgres", "snowflake", DIALECT) else engine.cast(part(1, 10), "date")
    if unit == "week":
        return _week(engine, day)
    number = _weekday(engine, day)
    is_day = [exp.EQ(this=number, expression=_string(str(place))) for place in range(1, 7)]
    if unit == "weekday":
        named = [_string(f"{place} {name}") for place, name in enumerate(DAYS, 1)]
        return cases([*zip(is_day, named, strict=False)], named[-1])
    free = [_string(place) for place in ("6", "7")]
    return cases(
        [(exp.In(this=number.copy(), expressions=free), _string("Saturday and Sunday"))], _string("Monday to Friday")
    )


def _week(engine: Engine, day: exp.Expr) -> exp.Expr:
    """The ISO week, such as 2026-W01."""
    if engine.name == "postgres":
        return _called("TO_CHAR", day, 'IYYY-"W"IW')
    if engine.name == "bigquery":
        return _called("FORMAT_DATE", "%G-W%V", day)
    if engine.name in ("spark", "databricks"):
        year, week = _called("DATE_PART", "YEAROFWEEK", day), _called("WEEKOFYEAR", day)
    elif engine.name == DIALECT:
        year, week = _called("ISOYEAR", day), _called("WEEKOFYEAR", day)
    else:
        year, week = _called("YEAROFWEEKISO", day), _called("WEEKISO", day)
    return _joined(_padded_number(engine, year, 4), _string("-W"), _padded_number(engine, week, 2))


def _weekday(engine: Engine, day: exp.Expr) -> exp.Expr:
    """The number of the day of the week as a text, Monday being 1."""
    if engine.name == "postgres":
        return _called("TO_CHAR", day, "ID")
    if engine.name == "bigquery":
        return _called("FORMAT_DATE", "%u", day)
    if engine.name in ("spark", "databricks"):
        return _padded_number(engine, exp.Add(this=_called("WEEKDAY", day), expression=exp.Literal.number(1)), 1)
    return _padded_number(engine, _called("ISODOW" if engine.name == DIALECT else "DAYOFWEEKISO", day), 1)
