"""One number for each row of a table, whose digits are the places of its values among those of their columns.

The first column counts most. Where values are numbered in their order, the numbers stand in the order of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from anonduck.statements.expressions import quoted
from anonduck.statements.template import DIALECT, Statement
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


def packed_rows(rows: exp.Expr, digits: Sequence[Sequence[str]], sizes: Sequence[int]) -> Statement:
    """The column ``row``: the number of each row of a table that is called r.

    A digit is of one column or of several together, and has so many values.
    """
    numbers, steps = list[exp.Expr](), 1
    for place in reversed(range(len(digits))):
        code = exp.column("code", table=values_table(place))
        numbers.append(exp.Mul(this=code, expression=exp.Literal.number(steps)))
        steps *= sizes[place]
    number = reduce(lambda one, other: exp.Add(this=one, expression=other), numbers)
    select = exp.select(exp.alias_(number, ROW, quoted=True)).from_(rows)
    for place, names in enumerate(digits):
        table = values_table(place)
        same = [
            exp.NullSafeEQ(this=quoted(name, "r"), expression=exp.column(value_name(among), table=table))
            for among, name in enumerate(names)
        ]
        select = select.join(exp.to_table(table), on=exp.and_(*same))
    return Statement("builder_packed.packed_rows", select.sql(DIALECT, pretty=True))


def packed_release(names: Sequence[str], sizes: Sequence[int]) -> Statement:
    """The same of the temporary view ``release``, where each column is a digit."""
    return packed_rows(exp.to_table("release").as_("r", table=True), [[name] for name in names], sizes)
