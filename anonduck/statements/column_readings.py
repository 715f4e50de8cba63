"""How columns of a source or an audited table are read where DuckDB would take different values for equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anonduck.statements.expressions import quoted
from anonduck.statements.template import DIALECT
from anonduck.statements.trees import exp, sqlglot

WIDEST_WHOLE = "HUGEINT"


@dataclass(frozen=True)
class WrittenDates:
    """How the dates of a column are read: texts by a ``format``, if there is one, as the type ``kind``; a year after
    ``latest``, if there is one, is a hundred years earlier."""

    kind: str
    format: str | None = None
    latest: int | None = None

    def read(self, value: exp.Expr) -> exp.Expr:
        """A date of a value; NULL for NULL. A text of another format stops the query."""
        if self.format is not None:
            parsed = exp.Anonymous(this="strptime", expressions=[value, exp.Literal.string(self.format)])
            value = as_type(parsed, self.kind)
        if self.latest is None:
            return value
        year = exp.Anonymous(this="year", expressions=[value.copy()])
        century = exp.Anonymous(this="to_years", expressions=[exp.Literal.number(CENTURY)])
        earlier = as_type(exp.Sub(this=value.copy(), expression=century), self.kind)
        return exp.Case().when(exp.GT(this=year, expression=exp.Literal.number(self.latest)), earlier).else_(value)


CENTURY = 100


@dataclass(frozen=True)
class ColumnReading:
    """The columns that are not read as they are.

    ``casts`` are read as another type; ``by_bytes``, with their types, lose the collations of their texts, which only
    the way through VARIANT takes away; ``one_zero`` show minus zero as zero; ``texts`` are cast again, to types that
    list no values. ``whole`` are numbers without a fraction, which lose their point before they become texts. ``dates``
    are read as they are written, up to their latest year.
    """

    casts: Mapping[str, str] = field(default_factory=dict)
    by_bytes: Mapping[str, str] = field(default_factory=dict)
    one_zero: Sequence[str] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    whole: Sequence[str] = ()
    dates: Mapping[str, WrittenDates] = field(default_factory=dict)

    def star(self) -> exp.Star:
        """All columns of a relation; raises ValueError for a type that is no SQL."""
        names = dict.fromkeys((*self.casts, *self.texts, *self.by_bytes, *self.one_zero, *self.dates))
        return exp.Star(replace=[exp.alias_(self._read(name), name, quoted=True) for name in names] or None)

    def _read(self, name: str) -> exp.Expr:
        value: exp.Expr = quoted(name)
        if name in self.whole:
            value = as_type(value, WIDEST_WHOLE)
        if name in self.casts:
            value = as_type(value, self.casts[name])
        if name in self.dates:
            value = self.dates[name].read(value)
        if name in self.texts:
            value = as_type(value, self.texts[name])
        if name in self.by_bytes:
            kind = exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=self.by_bytes[name])
            value = exp.Cast(this=exp.cast(value, "VARIANT", dialect=DIALECT), to=kind)
        return _one_zero(value) if name in self.one_zero else value


def _one_zero(value: exp.Expr) -> exp.Expr:
    """A value, with zero in place of minus zero.

    The zero is a text, which fits every type: a CSV file that changes while it is read may have another type by then,
    and that is to be noticed by its records.
    """
    zero = exp.Literal.string("0")
    return exp.Case().when(exp.EQ(this=value.copy(), expression=zero), zero.copy()).else_(value.copy())


AS_IT_IS = ColumnReading()


def as_type(value: exp.Expr, kind: str) -> exp.Expr:
    """A value cast to a type that somebody named; raises ValueError for what is no SQL."""
    try:
        trees = sqlglot.parse(f"SELECT CAST(NULL AS {kind})", read=DIALECT)
    except sqlglot.errors.SqlglotError:
        raise ValueError(kind) from None
    select = trees[0]
    if len(trees) != 1 or not isinstance(select, exp.Select) or clauses(select) != {"expressions"}:
        raise ValueError(kind)
    cast = select.expressions[0]
    if len(select.expressions) != 1 or not isinstance(cast, exp.Cast) or not isinstance(cast.this, exp.Null):
        raise ValueError(kind)
    return exp.Cast(this=value, to=cast.to)


def clauses(select: exp.Select) -> set[str]:
    """The clauses that a query has."""
    return {key for key, value in select.args.items() if value}
