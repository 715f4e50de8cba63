"""Labels of computed taxonomies as expressions of an engine: the steps of sql/taxonomy/builders in its own functions.

A step that an engine has no expression for has none here: its labels are then listed, and the text says so.
"""

from __future__ import annotations

from anonduck.statements.column_types import DATE, STAMP, TEXT
from anonduck.statements.dialects import Dialect, family_of
from anonduck.statements.expansion import Expression, expression
from anonduck.statements.pipeline.engine_values import literal, string, text_key
from anonduck.statements.template import DIALECT
from anonduck.taxonomy.computed_labels import ComputedLabels, ComputedStep

Branches = list[tuple[Expression, Expression]]
WITH_YEARS_BEFORE_CHRIST = (DIALECT, "postgres")
"""Engines with dates before Christ, which the first four characters of their text do not show."""
FIRST, LAST = "0001-01-01", "9999-12-31"
OUTSIDE = "a date outside of the years 1 to 9999"

STAMP_TEXT = {
    "postgres": "TO_CHAR({moment}, 'YYYY-MM-DD HH24:MI:SS')",
    "snowflake": "TO_CHAR({moment}, 'YYYY-MM-DD HH24:MI:SS')",
}
"""A date or time stamp as a text that begins with YYYY-MM-DD, and of a time stamp HH:MM:SS after one more sign; in
other engines it is so when cast."""
SPARK_LOCAL = "{epoch} + MAKE_DT_INTERVAL(0, 0, 0, UNIX_SECONDS(FROM_UTC_TIMESTAMP({value}, {zone})))"
LOCAL = {
    "bigquery": "DATETIME({value}, {zone})",
    "databricks": SPARK_LOCAL,
    "duckdb": "TIMEZONE({zone}, {value})",
    "postgres": "TIMEZONE({zone}, {value})",
    "snowflake": "CONVERT_TIMEZONE({zone}, {value})",
    "spark": SPARK_LOCAL,
}
"""What the clock of a zone shows at a moment, whatever the zone of the session."""
OF_TEXT = {
    "computed_mask_right": "SUBSTR(SUBSTR({text}, 1, {kept}) || {stars}, 1, {length})",
    "computed_mask_left": "{hidden} || SUBSTR({shown} || {text}, LENGTH({shown} || {text}) - {before}, {kept})",
    "computed_prefix": "CASE SUBSTR({text}, 1, {kept}) WHEN '*' THEN '**' WHEN '' THEN '(empty)' "
    "ELSE SUBSTR({text}, 1, {kept}) END",
}
UNITS = {
    "second": "SUBSTR({text}, 1, 10) || 'T' || SUBSTR({text}, 12, 8)",
    "minute": "SUBSTR({text}, 1, 10) || 'T' || SUBSTR({text}, 12, 5)",
    "hour": "SUBSTR({text}, 1, 10) || 'T' || SUBSTR({text}, 12, 2)",
    "day": "SUBSTR({text}, 1, 10)",
    "month": "SUBSTR({text}, 1, 7)",
    "quarter": "SUBSTR({text}, 1, 4) || CASE WHEN SUBSTR({text}, 6, 2) <= '03' THEN '-Q1' "
    "WHEN SUBSTR({text}, 6, 2) <= '06' THEN '-Q2' WHEN SUBSTR({text}, 6, 2) <= '09' THEN '-Q3' ELSE '-Q4' END",
    "half_year": "SUBSTR({text}, 1, 4) || CASE WHEN SUBSTR({text}, 6, 2) <= '06' THEN '-H1' ELSE '-H2' END",
    "year": "SUBSTR({text}, 1, 4)",
    "five_year": "SUBSTR({text}, 1, 3) || CASE WHEN SUBSTR({text}, 4, 1) < '5' THEN '0' ELSE '5' END || '-' || "
    "SUBSTR({text}, 1, 3) || CASE WHEN SUBSTR({text}, 4, 1) < '5' THEN '4' ELSE '9' END",
    "decade": "SUBSTR({text}, 1, 3) || '0s'",
    "century": "SUBSTR({text}, 1, 2) || '00-' || SUBSTR({text}, 1, 2) || '99'",
    "weekday": "CASE {weekday} WHEN '1' THEN '1 Monday' WHEN '2' THEN '2 Tuesday' WHEN '3' THEN '3 Wednesday' "
    "WHEN '4' THEN '4 Thursday' WHEN '5' THEN '5 Friday' WHEN '6' THEN '6 Saturday' ELSE '7 Sunday' END",
    "weekend": "CASE WHEN {weekday} IN ('6', '7') THEN 'Saturday and Sunday' ELSE 'Monday to Friday' END",
    "week": "{week}",
}
"""What a date is called at a unit, by its text or its day."""
SPARK_WEEK = (
    "SUBSTR(CAST(DATE_PART('YEAROFWEEK', {day}) + 10000 AS STRING), 2, 4) || '-W' || "
    "SUBSTR(CAST(WEEKOFYEAR({day}) + 100 AS STRING), 2, 2)"
)
WEEK = {
    "bigquery": "FORMAT_DATE('%G-W%V', {day})",
    "databricks": SPARK_WEEK,
    "duckdb": "SUBSTR(CAST(ISOYEAR({day}) + 10000 AS VARCHAR), 2, 4) || '-W' || "
    "SUBSTR(CAST(WEEKOFYEAR({day}) + 100 AS VARCHAR), 2, 2)",
    "postgres": """TO_CHAR({day}, 'IYYY-"W"IW')""",
    "snowflake": "SUBSTR(CAST(YEAROFWEEKISO({day}) + 10000 AS VARCHAR), 2, 4) || '-W' || "
    "SUBSTR(CAST(WEEKISO({day}) + 100 AS VARCHAR), 2, 2)",
    "spark": SPARK_WEEK,
}
"""The ISO week, such as 2026-W01."""
SPARK_WEEKDAY = "SUBSTR(CAST(WEEKDAY({day}) + 1 + 10 AS STRING), 2, 1)"
WEEKDAY = {
    "bigquery": "FORMAT_DATE('%u', {day})",
    "databricks": SPARK_WEEKDAY,
    "duckdb": "SUBSTR(CAST(ISODOW({day}) + 10 AS VARCHAR), 2, 1)",
    "postgres": "TO_CHAR({day}, 'ID')",
    "snowflake": "SUBSTR(CAST(DAYOFWEEKISO({day}) + 10 AS VARCHAR), 2, 1)",
    "spark": SPARK_WEEKDAY,
}
"""The number of the day of the week as a text, Monday being 1."""


def computed_label(
    engine: Dialect, labels: ComputedLabels, level: int, value: Expression, kind: str
) -> tuple[Branches, Expression | None, Expression] | None:
    """What a value shows at a level, as branches before it, a condition that must stop the statement, and the label.

    None where the engine has no expression for it.
    """
    first, steps = labels.read[0].name, labels.levels[level - 1]
    if len(steps) != 1:
        return None
    if first in ("computed_text", "computed_text_filled"):
        label = _of_text(steps[0], _filled(labels.read[0], _text(engine, value, kind)))
        return None if label is None else ([], None, label)
    if first == "computed_dates_plain":
        return _of_date(engine, labels, steps[0].columns["unit"], value, kind)
    return None


# -- parts of texts ----------------------------------------------------------------------------------------------------


def _text(engine: Dialect, value: Expression, kind: str) -> Expression:
    """The text of a value, compared by its bytes."""
    if engine.collation:
        return text_key(engine, value)
    return value if kind == TEXT else engine.typed(value, "text")


def _filled(step: ComputedStep, text: Expression) -> Expression:
    if step.name == "computed_text":
        return text
    length = int(step.values["length"])
    filled = "SUBSTR({pad} || {text}, LENGTH({text}) + 1, {length})"
    short = "CASE WHEN LENGTH({text}) < {length} THEN " + filled + " ELSE {text} END"
    return expression(short, text=text, length=length, pad=string(str(step.values["pad"]) * length))


def _of_text(step: ComputedStep, text: Expression) -> Expression | None:
    if step.name not in OF_TEXT:
        return None
    kept, length = int(step.values.get("kept", 0)), int(step.values.get("length", 0))
    stars = {name: string("*" * many) for name, many in (("stars", length), ("hidden", length - kept), ("shown", kept))}
    return expression(OF_TEXT[step.name], text=text, kept=kept, length=length, before=kept - 1, **stars)


# -- dates -------------------------------------------------------------------------------------------------------------


def _of_date(
    engine: Dialect, labels: ComputedLabels, unit: str, value: Expression, kind: str
) -> tuple[Branches, Expression | None, Expression]:
    zone = next((str(step.values["zone"]) for step in labels.read if step.name == "computed_dates_zoned"), None)
    moment = value if zone is None else _local(engine, value, zone)
    held = DATE if kind == DATE else STAMP
    as_text = STAMP_TEXT.get(engine.name)
    text = expression(as_text, moment=moment) if as_text else engine.typed(moment, "text")
    infinite: Branches = []
    if engine.name in WITH_YEARS_BEFORE_CHRIST:
        for name in map(string, ("infinity", "-infinity")):
            same = expression("{moment} = {named}", moment=moment, named=engine.typed(name, family_of(held)))
            infinite.append((same, name))
    return infinite, _outside(engine, text, moment, held), _unit(engine, unit, text, moment)


def _local(engine: Dialect, value: Expression, zone: str) -> Expression:
    epoch = literal(engine, "1970-01-01 00:00:00", STAMP)
    return expression(LOCAL[engine.name], value=value, zone=string(zone), epoch=epoch)


def _outside(engine: Dialect, text: Expression, moment: Expression, held: str) -> Expression | None:
    """Whether a date has no four digits of a year in its text; None where the engine has no such date."""
    if engine.name == "bigquery":  # its years have four digits
        return None
    if engine.name not in WITH_YEARS_BEFORE_CHRIST:
        return expression("SUBSTR({text}, 5, 1) <> '-'", text=text)
    last = LAST if held == DATE else f"{LAST} 23:59:59.999999"
    ends = {"first": literal(engine, FIRST, held), "last": literal(engine, last, held)}
    return expression("{moment} < {first} OR {moment} > {last}", moment=moment, **ends)


def _unit(engine: Dialect, unit: str, text: Expression, moment: Expression) -> Expression:
    """What a date is called at a unit."""
    has_day = engine.name in ("postgres", "snowflake", DIALECT)
    day = moment if has_day else engine.typed(expression("SUBSTR({text}, 1, 10)", text=text), "date")
    of_day = {"week": expression(WEEK[engine.name], day=day), "weekday": expression(WEEKDAY[engine.name], day=day)}
    return expression(UNITS[unit], text=text, **of_day)
