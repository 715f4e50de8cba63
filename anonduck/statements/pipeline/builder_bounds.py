"""Statements of bounds: a release whose ranges are two columns, from and to, of the type of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from anonduck.statements.column_types import DATE
from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.builder_classes import temporary
from anonduck.statements.pipeline.builder_release import ReleasedColumn, grouped_rows
from anonduck.statements.pipeline.column_names import RECORDS, value_column
from anonduck.statements.row_order import dealt_as_they_come
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

GIVEN = "given_bounds"
End = Literal["from", "to"]
FROM: End = "from"
TO: End = "to"
ENDS = (FROM, TO)


@dataclass(frozen=True)
class BoundColumn:
    """An end of the ranges of a quasi-identifier: the least, or the largest, value that a record may have.

    ``of`` is the quasi-identifier. ``itself`` says that each record shows its value there, which is both ends.
    """

    name: str
    of: str
    end: End
    itself: bool = False

    generalized = True
    distinguishes = True
    typed = True


def bounds_table(name: str) -> str:
    """The temporary table of the bounds of a column's labels."""
    return f"{name} bounds"


def bounds_of(name: str, kind: str) -> Statement:
    """``"<column> bounds"``: by label of GIVEN its ends in the type of the column, and the label of equal ends.

    One row: a label, also NULL. GIVEN has label, lower and upper as texts, which are NULL at open ends, and whether it
    is a value. The upper end of a range is not in it; of dates it is the day before. An end beyond the type is open.
    """
    ends = [exp.alias_(_end(kind, upper=end == TO), f"bound_{end}") for end in ENDS]
    typed = exp.select(exp.column("label"), *ends).from_(GIVEN).subquery("typed")
    alike = exp.Window(
        this=exp.Min(this=exp.column("label")), partition_by=[exp.column(f"bound_{end}") for end in ENDS]
    )
    select = exp.select("label", *(f"bound_{end}" for end in ENDS), exp.alias_(alike, "alike")).from_(typed)
    return temporary(bounds_table(name), select, "builder_bounds.bounds_of")


def _end(kind: str, *, upper: bool) -> exp.Expr:
    """An end in the type of a column."""
    text = "upper" if upper else "lower"
    to = exp.DataType.build(kind, dialect=DIALECT)
    bound: exp.Expr = exp.TryCast(this=exp.column(text), to=to)
    if upper and kind == DATE:
        bound = exp.Sub(this=bound, expression=exp.Literal.number(1))
    value = exp.Cast(this=exp.column(text), to=to.copy())
    return exp.Case().when(exp.column("is_value"), value).else_(bound)


def grouped_bounds(names: Sequence[str], split: Sequence[BoundColumn], grouped: str) -> Statement:
    """``grouped`` with the columns of ``split``, beside its columns ``names``; labels of equal ends become one."""
    of = {column.of: value_column(column.of) for column in split if not column.itself}
    values: dict[str, exp.Expr] = {name: quoted(name, "s") for name in names if name != RECORDS}
    places = {name: place for place, name in enumerate(of)}
    for name, place in places.items():
        values[of[name]] = exp.column("alike", table=f"b{place}")
    values |= {value_column(one.name): _bound(one, quoted(value_column(one.of), "s"), places) for one in split}
    select = exp.select(*[exp.alias_(value, name, quoted=True) for name, value in values.items()])
    select = select.from_(exp.to_table(grouped).as_("s", table=True))
    for name, place in places.items():
        select = _with_bounds(select, name, place, quoted(of[name], "s"))
    return grouped_rows("builder_bounds.grouped_bounds", grouped, select)


def bounded_rows(rows: exp.Select, columns: Sequence[ReleasedColumn], beside: Sequence[str] = ()) -> exp.Select:
    """The rows of a release by labels, with the ends of their ranges; ``beside`` are further columns of it."""
    split = [column for column in columns if isinstance(column, BoundColumn)]
    places = {name: place for place, name in enumerate(dict.fromkeys(one.of for one in split if not one.itself))}
    shown = [
        exp.alias_(
            _bound(one, quoted(one.of, "r"), places) if isinstance(one, BoundColumn) else quoted(one.name, "r"),
            one.name,
            quoted=True,
        )
        for one in columns
    ]
    select = exp.select(*shown, *[quoted(name, "r") for name in beside]).from_(rows.subquery("r"))
    for name, place in places.items():
        select = _with_bounds(select, name, place, quoted(name, "r"))
    return select


def dealt_bounds(rows: exp.Select, columns: Sequence[ReleasedColumn]) -> exp.Select:
    """The rows of ``bounded_rows`` in the order of a release's rows."""
    ordered = rows.order_by(*[exp.Ordered(this=exp.Literal.number(place + 1)) for place in range(len(columns))])
    return dealt_as_they_come(ordered, [column.name for column in columns])


def _bound(column: BoundColumn, value: exp.Expr, places: dict[str, int]) -> exp.Expr:
    return value if column.itself else exp.column(f"bound_{column.end}", table=f"b{places[column.of]}")


def _with_bounds(select: exp.Select, name: str, place: int, label: exp.Expr) -> exp.Select:
    table = exp.table_(bounds_table(name), quoted=True).as_(f"b{place}", table=True)
    same = exp.NullSafeEQ(this=label, expression=exp.column("label", table=f"b{place}"))
    return select.join(table, on=same, join_type="left")
