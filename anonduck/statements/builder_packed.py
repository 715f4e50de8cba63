"""One number for each row of a table, whose digits are the places of its values among those of their columns.

The first column counts most. Where values are numbered in their order, the numbers stand in the order of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from math import prod

from anonduck.statements.expansion import Expression, expression
from anonduck.statements.expressions import created_table, quoted
from anonduck.statements.template import DIALECT, Statement, line
from anonduck.statements.trees import exp

ROW = "row"
MOST = 1 << 63
"""The product of the numbers of values stays under it, so that a row has 64 bits."""


def values_table(place: int) -> str:
    """The temporary table of the values of the digit at a place: ``value_0`` and so on, and their code from 0."""
    return f"packed_{place}"


def value_name(place: int) -> str:
    """The value of the column at a place of a digit, in the digit's table."""
    return f"value_{place}"


def packed_rows(rows: str, digits: Sequence[Sequence[str]], sizes: Sequence[int]) -> Statement:
    """The column ``row``: the number of each row of a query.

    A digit is of one column or of several together, and has so many values.
    """
    return _packed(expression("(\n{rows}\n)", rows=Expression(rows)), digits, sizes)


def _packed(rows: Expression, digits: Sequence[Sequence[str]], sizes: Sequence[int]) -> Statement:
    alike = 'all_of(names, r."{name}" IS NOT DISTINCT FROM packed_{place}.value_{n})'
    text = 'SELECT sum_of(digits, packed_{n}.code * {step}) AS "{row}" FROM {rows} AS r joins(digits, JOIN packed_{n} ON {alike})'
    given = [
        {"step": step, "alike": expression(alike, names=names, place=place)}
        for place, (names, step) in enumerate(zip(digits, _steps(sizes), strict=True))
    ]
    return line("builder_packed.packed_rows", text, row=ROW, rows=rows, digits=given)


def packed_classes(
    table: str, named: str, quasi: Mapping[str, str], sizes: Sequence[int], sensitive: Mapping[str, str]
) -> tuple[Statement, Statement]:
    """Two tables of the temporary view ``release``, whose classes are the numbers of rows of ``quasi``.

    ``table`` has a row for each class and values of ``sensitive``, with its records; ``named`` one for each class, with
    its values. Both columns are given with their names in these tables.
    """
    held = [exp.alias_(quoted(name, "r"), called) for name, called in sensitive.items()]
    count = exp.alias_(exp.cast(exp.Count(this=exp.Star()), "BIGINT"), "records")
    numbered = exp.select(*held, count, exp.alias_(_number(sizes), "class"))
    numbered = _with_digits(numbered.from_(exp.to_table("release").as_("r", table=True)), [[name] for name in quasi])
    numbered.set("group", exp.Group(all=True))
    values = [
        exp.alias_(exp.column(value_name(0), table=values_table(place)), called)
        for place, called in enumerate(quasi.values())
    ]
    classes = exp.select("class").distinct().from_(table).subquery("classes")
    select = exp.select(*values, exp.column("class", table="classes")).from_(classes)
    for place, step in enumerate(_steps(sizes)):
        on = f"(classes.class // {step}) % {sizes[place]} = {values_table(place)}.code"
        select = select.join(exp.to_table(values_table(place)), on=on, dialect=DIALECT)
    return (
        created_table("builder_packed.packed_classes", table, numbered, temporary=True),
        created_table("builder_packed.packed_classes", named, select, temporary=True),
    )


def _steps(sizes: Sequence[int]) -> list[int]:
    """What each digit counts."""
    return [prod(sizes[place + 1 :]) for place in range(len(sizes))]


def _number(sizes: Sequence[int]) -> exp.Expr:
    numbers: list[exp.Expr] = [
        exp.Mul(this=exp.column("code", table=values_table(place)), expression=exp.Literal.number(step))
        for place, step in reversed([*enumerate(_steps(sizes))])
    ]
    return reduce(lambda one, other: exp.Add(this=one, expression=other), numbers)


def _with_digits(select: exp.Select, digits: Sequence[Sequence[str]]) -> exp.Select:
    """Rows of r, joined to the values of each digit."""
    for place, names in enumerate(digits):
        table = values_table(place)
        same = [
            exp.NullSafeEQ(this=quoted(name, "r"), expression=exp.column(value_name(among), table=table))
            for among, name in enumerate(names)
        ]
        select = select.join(exp.to_table(table), on=exp.and_(*same))
    return select


def packed_release(names: Sequence[str], sizes: Sequence[int]) -> Statement:
    """The same of the temporary view ``release``, where each column is a digit."""
    return _packed(Expression("release"), [[name] for name in names], sizes)
