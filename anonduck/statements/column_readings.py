"""How columns of a source or an audited table are read where DuckDB would take different values for equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anonduck.statements.column_types import HUGEINT
from anonduck.statements.expansion import Expression, expression, quoted
from anonduck.statements.literals import literal, type_named

CENTURY = "CASE WHEN year({value}) > {latest} THEN CAST({value} - to_years(100) AS {kind}) ELSE {value} END"
"""A date of a year after the latest, a hundred years earlier."""
ONE_ZERO = "CASE WHEN {value} = '0' THEN '0' ELSE {value} END"
"""A value, with zero in place of minus zero.

The zero is a text, which fits every type: a CSV file that changes while it is read may have another type by then, and
that is to be noticed by its records.
"""


@dataclass(frozen=True)
class WrittenDates:
    """How the dates of a column are read: texts by a ``format``, if there is one, as the type ``kind``; a year after
    ``latest``, if there is one, is a hundred years earlier."""

    kind: str
    format: str | None = None
    latest: int | None = None

    def read(self, value: Expression) -> Expression:
        """A date of a value; NULL for NULL. A text of another format stops the query."""
        if self.format is not None:
            value = as_type(expression("strptime({value}, {form})", value=value, form=literal(self.format)), self.kind)
        if self.latest is None:
            return value
        return expression(CENTURY, value=value, latest=self.latest, kind=type_named(self.kind))


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

    def star(self) -> Expression:
        """All columns of a relation; raises BindingError for a type that is no SQL.

        >>> ColumnReading({"age": "BIGINT"}).star(), ColumnReading().star()
        ('* REPLACE (CAST("age" AS BIGINT) AS "age")', '*')
        """
        names = dict.fromkeys((*self.casts, *self.texts, *self.by_bytes, *self.one_zero, *self.dates))
        read = [{"name": name, "value": self._read(name)} for name in names]
        return expression('* REPLACE (each(read, {value} AS "{name}"))', read=read) if read else Expression("*")

    def _read(self, name: str) -> Expression:
        value = quoted(name)
        if name in self.whole:
            value = as_type(value, HUGEINT)
        if name in self.casts:
            value = as_type(value, self.casts[name])
        if name in self.dates:
            value = self.dates[name].read(value)
        if name in self.texts:
            value = as_type(value, self.texts[name])
        if name in self.by_bytes:
            value = as_type(as_type(value, "VARIANT"), self.by_bytes[name])
        return expression(ONE_ZERO, value=value) if name in self.one_zero else value


AS_IT_IS = ColumnReading()


def as_type(value: Expression, kind: str) -> Expression:
    """A value cast to a type that DuckDB named; raises BindingError for what is no SQL."""
    return expression("CAST({value} AS {kind})", value=value, kind=type_named(kind))
