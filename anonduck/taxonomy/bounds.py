"""Bounds that an owner wrote: checked, and read as values of the column's type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal

from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import statement
from anonduck.statements.column_types import decimals_of, is_temporal

EXACT = Context(prec=400)


@dataclass(frozen=True)
class IntervalBound:
    """A bound as the owner wrote it, and the smallest value of the column's type at or above it, both as text."""

    text: str
    lower: str


def exact(value: float | str) -> Decimal:
    """A number as it was written, exactly.

    >>> exact(0.1)
    Decimal('0.1')
    """
    return Decimal(str(value))


def read_bounds(
    database: Database, column: str, column_type: str, bounds: Iterable[int | float | str], *, key: str
) -> list[IntervalBound]:
    """Bounds as the owner wrote them, fit for the column's type; raises TaxonomyError for those of another type."""
    temporal = is_temporal(column_type)
    read = []
    for bound in bounds:
        if isinstance(bound, str) != temporal:
            wanted = "dates or times as text, such as '2020-01-01'" if temporal else "numbers"
            raise TaxonomyError(f"the column {column} is {column_type}; `{key}` takes {wanted} for it")
        read.append(
            _moment(database, column, column_type, str(bound), key) if temporal else number_end(bound, column_type)
        )
    return read


def number_end(bound: float | str, column_type: str) -> IntervalBound:
    """A number as a bound: its text has the places of the column, its lower value is the next one that the type has."""
    number, places = exact(bound), decimals_of(column_type)
    if places is None:
        return IntervalBound(plain_places(number, 0), str(number))
    lower = number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_CEILING, context=EXACT)
    return IntervalBound(plain_places(number, places), f"{lower:f}")


def plain_places(number: Decimal, places: int) -> str:
    """A number as text with ``places`` decimals at least; with an exponent where it has very many digits.

    >>> plain_places(Decimal("10"), 2), plain_places(Decimal("1E+2"), 0), plain_places(Decimal("1E+50"), 0)
    ('10.00', '100', '1e50')
    """
    if not number:
        return f"{Decimal(0):.{places}f}"
    shortest = number.normalize(EXACT)
    sign, digits, exponent = shortest.as_tuple()
    if not isinstance(exponent, int):
        return str(number)
    if exponent + len(digits) > 40 or exponent + len(digits) < -20:
        return f"{'-' if sign else ''}{''.join(map(str, digits))}e{exponent}"
    return f"{shortest:.{max(places, -exponent)}f}"


def _moment(database: Database, column: str, column_type: str, text: str, key: str) -> IntervalBound:
    query = statement("taxonomy/bound_fits.sql")
    if not database.value(query, {"bound": text, "type": column_type}):
        raise TaxonomyError(
            f"`{key}` of the column {column} holds a text that is not a {column_type}; write it in ISO format, such as "
            "'2020-01-31' or '2020-01-31 12:00:00'"
        )
    return IntervalBound(text, text)


@dataclass(frozen=True)
class OpenEnds:
    """The open ends that the owner asked for; None where the values decide."""

    bottom: IntervalBound | None = None
    top: IntervalBound | None = None

    @property
    def binds(self) -> dict[str, str | None]:
        """The ends as a query takes them: the smallest value that is not under each, as text."""
        return {"bottom": self.bottom.lower if self.bottom else None, "top": self.top.lower if self.top else None}
