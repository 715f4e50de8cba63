"""Round values that stand for a class where none of its own may be shown: they lie on the grid of the taxonomy.

On a grid of intervals that is the middle of an interval, on a calendar the begin of a unit, such as the first of a
month: of the finest level over the median first, and of a wider one where that is a value that few records hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np

from anonduck.evaluation.typical import NONE, TypicalValues
from anonduck.measures.attributes import CountedColumn
from anonduck.statements.column_types import DATE, is_temporal, is_whole
from anonduck.taxonomy.calendar import Calendar
from anonduck.taxonomy.interval_cells import IntervalCells, OpenLabels


class Grid(Protocol):
    """Round values over the values of a column."""

    def value(self, level: int, node: int) -> str | None:
        """What stands for the values under a node of a level, as text; None for nothing."""


def made_values(
    column: CountedColumn, found: TypicalValues, grid: Grid | None, held_by_few: Callable[[set[str]], set[str]]
) -> list[str | None]:
    """A round number or date for each class, as text, where no value of the class may be shown.

    ``held_by_few`` returns those texts that are values of too few records. None where none is needed or found, or the
    taxonomy has no grid.
    """
    left = np.flatnonzero((found.codes == NONE) & (found.medians != NONE))
    texts: list[str | None] = [None] * len(found.codes)
    if grid is None:
        return texts
    for level, path in enumerate(column.paths[1:], start=1):
        if not len(left):
            break
        nodes = path[found.medians[left]]
        made = {node: grid.value(level, node) for node in np.unique(nodes).tolist()}
        hidden = held_by_few({text for text in made.values() if text})
        for at, node in zip(left.tolist(), nodes.tolist(), strict=True):
            texts[at] = None if made[node] in hidden else made[node]
        left = np.array([at for at in left.tolist() if texts[at] is None], dtype=np.int64)
    return texts


@dataclass(frozen=True, eq=False)
class IntervalGrid:
    """The middles of intervals.

    Attributes:
        column: the values.
        cells: their finest intervals.
        kind: the type of the column.
        held: the leaf codes of the released records, in their order.
    """

    column: CountedColumn
    cells: IntervalCells
    kind: str
    held: np.ndarray

    def value(self, level: int, node: int) -> str | None:
        """The middle of numbers, the first date; where one end is open the other one. None without bounds."""
        least, most = self._ends[level]
        return self._between(int(least[node]), int(most[node]))

    @cached_property
    def _ends(self) -> Mapping[int, tuple[np.ndarray, np.ndarray]]:
        """By level, the first and the last finest interval of each node."""
        finest, found = self.column.paths[1], {}
        for level, path in enumerate(self.column.paths[1:], start=1):
            most = np.zeros(int(path.max()) + 1, dtype=np.int64)
            least = np.full_like(most, np.iinfo(np.int64).max)
            np.minimum.at(least, path, finest)
            np.maximum.at(most, path, finest)
            found[level] = least, most
        return found

    @cached_property
    def _outer(self) -> tuple[int, int] | None:
        """The first and the last finest interval of the released values."""
        present = np.unique(self.column.paths[1][self.held[self.held != 0]])
        within = [one for one in present.tolist() if one not in self.cells.apart]
        return (within[0], within[-1]) if within else None

    def _between(self, first: int, last: int) -> str | None:
        """What stands for the interval from one code to another.

        Bounds of the outermost intervals are open where they would reveal a record that is not released.
        """
        written: OpenLabels = self.cells.written
        outer, apart = self._outer, self.cells.apart
        if first in apart or last in apart or outer is None:
            return None
        opened = written.opened_at(self.cells.label(first, last), low=first <= outer[0], high=last >= outer[1])
        lower, upper = written.bounds(opened)
        if lower is None:
            return None if upper is None else _before(upper, self.kind)
        if upper is None or is_temporal(self.kind):
            return lower
        return _middle(lower, upper, whole=is_whole(self.kind))


@dataclass(frozen=True, eq=False)
class CalendarGrid:
    """The begins of the units of a calendar.

    Attributes:
        column: the values.
        calendar: the unit of each level.
        kind: the type of the column.
        texts: the values of leaf codes as text.
    """

    column: CountedColumn
    calendar: Calendar
    kind: str
    texts: Callable[[int], str | None]

    def value(self, level: int, node: int) -> str | None:
        """The begin of the unit that a node stands for; None for dates that are infinite, or beyond the years 1 to
        9999."""
        text = self.texts(int(np.argmax(self.column.paths[level] == node)))
        return None if text is None else self.calendar.begin(text, level, of_day=self.kind == DATE)


def nearest_leaves(column: CountedColumn, medians: np.ndarray, made: Sequence[str | None]) -> np.ndarray:
    """The leaf code that stands for what was made, in models: of numbers the nearest, else the median's."""
    found = medians.copy()
    finite = np.flatnonzero(np.isfinite(column.numbers))
    for at, text in enumerate(made):
        if text is None or not len(finite):
            continue
        try:
            number = float(Decimal(text))
        except InvalidOperation:  # a date
            continue
        found[at] = finite[np.abs(column.numbers[finite] - number).argmin()]
    return found


def _before(bound: str, kind: str) -> str:
    """The last whole number or day under a bound; of other types the bound itself.

    >>> _before("20", "INTEGER"), _before("2000-01-01", "DATE"), _before("0.5", "DOUBLE")
    ('19', '1999-12-31', '0.5')
    """
    if is_whole(kind):
        return str(math.ceil(Fraction(bound)) - 1)
    if kind == DATE:
        return str(date.fromisoformat(bound) - timedelta(days=1))
    return bound


def _middle(lower: str, upper: str, *, whole: bool) -> str:
    """The middle of two numbers as text, rounded down where numbers are whole.

    >>> _middle("20", "25", whole=True), _middle("0.5", "1", whole=False)
    ('22', '0.75')
    """
    middle = (Fraction(lower) + Fraction(upper)) / 2
    return str(math.floor(middle)) if whole else format(Decimal(middle.numerator) / Decimal(middle.denominator), "f")
