"""The first line of a CSV file: whether it names the columns or is a record, which would be lost as a header.

A column whose first field is a word while all others are numbers or dates proves a header. A first field that is
itself a number or a date proves a record, and so does a marker of a missing value where no column proves a header.
Where nothing is proven, half of the fields must not be among the values of their columns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from anonduck.words import MISSING, looks_like_value

Fields = Sequence[str | None]


@dataclass(frozen=True)
class FirstLine:
    """The fields of a first line, beside the first records under it; ``missing`` are texts that stand for NULL."""

    fields: Fields
    records: Sequence[Fields]
    missing: Collection[str] = MISSING

    @property
    def like_values(self) -> list[int]:
        """The places of fields that no header has: numbers or dates over such."""
        return [place for place, field in enumerate(self.fields) if field and self._is_value(place, field)]

    @property
    def markers(self) -> list[int]:
        """The places of fields that stand for a missing value, and seldom for a name."""
        return [place for place, field in enumerate(self.fields) if field and field.lower() in self.missing]

    @property
    def repeated(self) -> list[int]:
        """The places of fields that occur again in their columns."""
        found = ((place, field) for place, field in enumerate(self.fields) if field)
        return [place for place, field in found if any(record[place] == field for record in self.records)]

    @property
    def proving(self) -> list[int]:
        """The places of words over nothing but numbers and dates, where the line can be a header at all."""
        names = {(field or "").lower() for field in self.fields}
        again = any(tuple(record) == tuple(self.fields) for record in self.records)
        if len(names) < len(self.fields) or "" in names or again:
            return []
        return [place for place, field in enumerate(self.fields) if field and self._is_named(place, field)]

    def _values(self, place: int) -> list[str]:
        texts = (record[place] for record in self.records)
        return [text for text in texts if text and text.strip() and text.strip().lower() not in self.missing]

    def _is_value(self, place: int, field: str) -> bool:
        values = self._values(place)
        return looks_like_value(field) and (not values or any(map(looks_like_value, values)))

    def _is_named(self, place: int, field: str) -> bool:
        if field.lower() in self.missing:
            return False
        values = self._values(place)
        return (field[0].isalpha() or field[0] == "_") and bool(values) and all(map(looks_like_value, values))


def doubted(line: FirstLine) -> list[int]:
    """The places of the fields by which a first line is a record; none where it is the header.

    >>> doubted(FirstLine(["a", "b", "y"], [["1", "b", "y"], ["2", "a", "y"]]))
    []
    >>> doubted(FirstLine(["N/A", "34", "Rome"], [["1", "35", "Rome"], ["2", "36", "Oslo"]]))
    [0, 1, 2]
    """
    values, markers, repeated = line.like_values, line.markers, line.repeated
    if not values and (line.proving or (not markers and 2 * len(repeated) < len(line.fields))):
        return []
    return sorted({*values, *markers, *repeated})
