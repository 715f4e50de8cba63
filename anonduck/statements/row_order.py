"""The order in which the rows of a release are written: sorted, then dealt to buckets by a hash of their position.

Rows in the order of all their values would show a reader who takes a stretch of the file, such as a fold of
cross-validation without shuffling, one class after the other. So each row goes to one of BUCKETS by a hash of its
position, from 1, in that order; the buckets are written one after the other, sorted inside. The order follows from the
released values alone, so it shows no more than they do, and every stretch of the file is a fair sample.

The hash multiplies and takes remainders, in 64-bit integers that never overflow: any engine computes the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anonduck.statements.expressions import quoted
from anonduck.statements.trees import exp

BUCKETS = 64
PRIME = 2**31 - 1
FACTOR, SHIFT, TURN = 1_103_515_245, 12_345, 987_654_321


def bucket(place: exp.Expr) -> exp.Expr:
    """The bucket, from 0, of a position, an expression of 64 bits: a cubic polynomial of it modulo PRIME."""
    x = _remainder(exp.Add(this=_times(_remainder(place, PRIME), _number(FACTOR)), expression=_number(SHIFT)), PRIME)
    squared = _remainder(_times(x, x), PRIME)
    turned = exp.Add(this=x.copy(), expression=_number(TURN))
    return _remainder(_remainder(_times(squared, turned), PRIME), BUCKETS)


def dealt(
    rows: exp.Select, names: Sequence[str], order: Sequence[exp.Expr], as_bigint: Callable[[exp.Expr], exp.Expr]
) -> exp.Select:
    """The rows of a select, whose columns are ``names``, dealt by their position in an ``order``.

    The order is of columns of the table ``sorted``, as which the rows are read. ``as_bigint`` casts a number to 64
    bits, which that of a row is not in every engine.
    """
    place = unlike(names)
    number = as_bigint(exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=list(order))))
    numbered = exp.select(*[quoted(name, "sorted") for name in names], exp.alias_(number, place, quoted=True))
    numbered = numbered.from_(rows.subquery("sorted"))
    shown = [quoted(name, "placed") for name in names]
    return in_buckets(exp.select(*shown).from_(numbered.subquery("placed")), quoted(place, "placed"))


def in_buckets(select: exp.Select, place: exp.Expr) -> exp.Select:
    """A select in the order of the buckets of ``place``, and inside of that."""
    return select.order_by(bucket(place), place.copy())


def unlike(names: Sequence[str]) -> str:
    """A name for the position that no column has, whatever the case."""
    taken, place = {name.lower() for name in names}, "row_place"
    while place in taken:
        place += "_"
    return place


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)


def _times(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.Mul(this=_whole(one), expression=_whole(other))


def _remainder(value: exp.Expr, of: int) -> exp.Expr:
    return exp.Mod(this=_whole(value), expression=_number(of))


def _whole(value: exp.Expr) -> exp.Expr:
    return value.copy() if isinstance(value, (exp.Column, exp.Literal)) else exp.paren(value)
