"""Statements that number the values of each column of a release by their order (anonduck.statements.builder_packed)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from anonduck.statements.builder_packed import value_name, values_table
from anonduck.statements.expressions import created_table, one_zero, quoted
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.builder_release import RuleColumn
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

KEPT = "packed_kept"


def about_so_many(columns: Sequence[RuleColumn]) -> Statement:
    """One number: about how many distinct values the columns of the source have that are kept as they are."""
    counts: list[exp.Expr] = [
        exp.Anonymous(this="approx_count_distinct", expressions=[quoted(column.name)]) for column in columns
    ]
    total = reduce(lambda one, other: exp.Add(this=one, expression=other), counts)
    return Statement("builder_places.about_so_many", exp.select(total).from_("source").sql(DIALECT))


def kept_values(columns: Sequence[RuleColumn]) -> Statement:
    """``packed_kept``: each value of the columns that are kept as they are, by one scan of the source.

    The value of a column stands under its name, and ``in <place>`` is 0 for it.
    """
    shown = [exp.alias_(_kept(one), one.name, quoted=True) for one in columns]
    rows = exp.select(*shown).from_(exp.to_table("source").as_("s", table=True)).subquery("k")
    names = [quoted(one.name, "k") for one in columns]
    marks = [
        exp.alias_(exp.Anonymous(this="GROUPING", expressions=[name.copy()]), _mark(place), quoted=True)
        for place, name in enumerate(names)
    ]
    select = exp.select(*names, *marks).from_(rows)
    sets = exp.GroupingSets(expressions=[exp.Tuple(expressions=[name.copy()]) for name in names])
    select.set("group", exp.Group(grouping_sets=[sets]))
    return created_table("builder_places.kept_values", KEPT, select, temporary=True)


def values_of_kept(place: int, name: str, among: int) -> Statement:
    """The values of a column that is kept as it is, the one ``among`` those of ``kept_values``, by their order."""
    of = exp.EQ(this=quoted(_mark(among)), expression=exp.Literal.number(0))
    values = exp.select(_value(quoted(name), 0)).from_(KEPT).where(of)
    return _numbered("builder_places.values_of_kept", place, values, 1)


def values_of_grouped(place: int, names: Sequence[str], grouped: str) -> Statement:
    """The combinations of columns of the grouped release, by their order."""
    values = [_value(quoted(value_column(name)), among) for among, name in enumerate(names)]
    return _numbered(
        "builder_places.values_of_grouped", place, exp.select(*values).distinct().from_(grouped), len(values)
    )


def _numbered(name: str, place: int, rows: exp.Select, count: int) -> Statement:
    values = [exp.column(value_name(among), table="v") for among in range(count)]
    order = exp.Order(expressions=[exp.Ordered(this=value.copy(), nulls_first=False) for value in values])
    number = exp.Window(this=exp.RowNumber(), order=order)
    code = exp.Sub(this=number, expression=exp.Literal.number(1))
    select = exp.select(*values, exp.alias_(code, "code")).from_(rows.subquery("v"))
    return created_table(name, values_table(place), select, temporary=True)


def _value(column: exp.Expr, among: int) -> exp.Expr:
    return exp.alias_(column, value_name(among))


def _kept(column: RuleColumn) -> exp.Expr:
    """What a release shows of a column that is kept as it is."""
    value = quoted(column.name, "s")
    return one_zero(value) if column.floating else value


def _mark(place: int) -> str:
    return f"in {place}"
