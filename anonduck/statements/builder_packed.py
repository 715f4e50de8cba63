"""One number for each row of a table: the places of its values among those of their columns, as the digits of a number.

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
    """The temporary table of the values of the column at a place: value, and its code from 0."""
    return f"packed_{place}"


def packed_rows(rows: exp.Expr, names: Sequence[str], sizes: Sequence[int]) -> Statement:
    """The column ``row``: the number of each row of a table that is called r, whose columns have so many values."""
    digits, steps = list[exp.Expr](), 1
    for place in reversed(range(len(names))):
        code = exp.column("code", table=values_table(place))
        digits.append(exp.Mul(this=code, expression=exp.Literal.number(steps)))
        steps *= sizes[place]
    number = reduce(lambda one, other: exp.Add(this=one, expression=other), digits)
    select = exp.select(exp.alias_(number, ROW, quoted=True)).from_(rows)
    for place, name in enumerate(names):
        table = values_table(place)
        same = exp.NullSafeEQ(this=quoted(name, "r"), expression=exp.column("value", table=table))
        select = select.join(exp.to_table(table), on=same)
    return Statement("builder_packed.packed_rows", select.sql(DIALECT, pretty=True))


def packed_release(names: Sequence[str], sizes: Sequence[int]) -> Statement:
    """The same of the temporary view ``release``."""
    return packed_rows(exp.to_table("release").as_("r", table=True), names, sizes)
