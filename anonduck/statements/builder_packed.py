"""One number for each row of a table, whose digits are the places of its values among those of their columns.

The first column counts most. Where values are numbered in their order, the numbers stand in the order of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from anonduck.statements.expansion import Item

ROW = "row"
MOST = 1 << 63
"""The product of the numbers of values stays under it, so that a row has 64 bits."""


def values_table(place: int) -> str:
    """The temporary table of the values of the digit at a place: ``value_0`` and so on, and their code from 0."""
    return f"packed_{place}"


def digits_of(columns: Sequence[Sequence[str]], sizes: Sequence[int], called: Sequence[str] = ()) -> list[Item]:
    """The digits as query files list them: the columns of each, how many values it has, and what it counts."""
    return [
        {
            "place": place,
            "names": names,
            "size": sizes[place],
            "step": prod(sizes[place + 1 :]),
            **({"called": called[place]} if called else {}),
        }
        for place, names in enumerate(columns)
    ]
