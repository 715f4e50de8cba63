"""The order in which the rows of a release are written: sorted, then dealt to buckets by a hash of their position.

Rows in the order of all their values would show a reader who takes a stretch of the file, such as a fold of
cross-validation without shuffling, one class after the other. So each row goes to one of BUCKETS by a hash of its
position, from 1, in that order; the buckets are written one after the other, sorted inside. The order follows from the
released values alone, so it shows no more than they do, and every stretch of the file is a fair sample.

The hash multiplies and takes remainders, in 64-bit integers that never overflow: any engine computes the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.expansion import Expression, Item, expression
from anonduck.statements.template import Statement, statement

BUCKETS = 64
PRIME = 2**31 - 1
FACTOR, SHIFT, TURN = 1_103_515_245, 12_345, 987_654_321


def bucket(place: Expression) -> Expression:
    """The bucket, from 0, of a position, an expression of 64 bits: a cubic polynomial of it modulo PRIME."""
    x = expression("(({place} % {p}) * {factor} + {shift}) % {p}", place=place, p=PRIME, factor=FACTOR, shift=SHIFT)
    text = "((((({x}) * ({x})) % {p}) * ({x} + {turn})) % {p}) % {buckets}"
    return expression(text, x=x, p=PRIME, turn=TURN, buckets=BUCKETS)


def dealt_rows(query: Statement, shown: Mapping[str, Expression], ordered: Sequence[Expression] = ()) -> Statement:
    """The rows of a query, dealt by their position in an order of the table ``sorted``, as which they are read; without
    one, in their own. ``shown`` is what of the table ``placed`` is shown for each column."""
    rows = expression("(\n{query}\n)", query=Expression(query.sql))
    lists: dict[str, Sequence[Item]] = {
        "columns": [{"name": name, "shown": text} for name, text in shown.items()],
        "ordered": [{"by": one} for one in ordered],
    }
    return statement(
        "engines/dealt_rows.sql", column={"place": unlike(list(shown))}, lists=lists, fields={"rows": rows}
    )


def unlike(names: Sequence[str]) -> str:
    """A name for the position that no column has, whatever the case."""
    taken, place = {name.lower() for name in names}, "row_place"
    while place in taken:
        place += "_"
    return place
