"""What equivalence classes show where they show typical values: the same as a release of them, on counted records.

A release chooses its values in the database (anonduck.release.typical_recoder); test_typical_shown.py holds both
together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from anonduck.config.ways import TYPICAL
from anonduck.errors import ConfigError
from anonduck.evaluation.cells import CodedColumn
from anonduck.evaluation.rare_groups import typical_of_groups
from anonduck.evaluation.settled import Settled
from anonduck.evaluation.shown import Shown
from anonduck.evaluation.typical import NONE, TypicalColumn, typical_values
from anonduck.evaluation.typical_grid import CalendarGrid, Grid, IntervalGrid, made_values, nearest_leaves
from anonduck.frequency.roll_up import distinct
from anonduck.statements.column_types import has_order, is_numeric
from anonduck.words import did_you_mean

MIDNIGHT = " 00:00:00"


def typical_columns(shown: Mapping[str, str] | None, names: Sequence[str]) -> tuple[str, ...]:
    """Which quasi-identifiers show typical values, all for None; raises ConfigError for columns that are none."""
    if shown is None:
        return tuple(names)
    for name in shown:
        if name not in names:
            raise ConfigError(
                f"show.{name}: {name!r} is not a quasi-identifier{did_you_mean(name, names)}; those are "
                f"{', '.join(map(repr, names))}"
            )
    return tuple(name for name in names if shown.get(name) == TYPICAL)


def show_typical(
    settled: Settled, k: int, kinds: Mapping[str, str], by_column: Mapping[str, str] | None = None
) -> Settled:
    """Show in each column one value for all records of an equivalence class; classes that show the same become one.

    Args:
        settled: the classes, by ranges.
        k: no value is shown that fewer released records hold.
        kinds: the types of the columns, by name.
        by_column: by column whether it shows ranges or typical values; None stands for typical values in all.

    Raises ConfigError where ``by_column`` names what is no column.
    """
    wanted = typical_columns(by_column, settled.cells.names)
    stays = settled.stays
    _, classes = np.unique(settled.equivalence[stays], return_inverse=True)
    records = settled.cells.records[stays]
    columns, labels, typical = list(settled.shown.columns), list(settled.shown.labels), []
    for place, column in enumerate(settled.shown.columns):
        codes = np.full(len(stays), NONE, dtype=np.int64)
        typical.append(codes)
        if column.name not in settled.kept or column.name not in wanted:
            continue
        one = ReleasedValues(column, kinds[column.name], settled.cells.leaves[place][stays], records, k)
        of_class, texts, shown = one.chosen(classes)
        codes[stays] = of_class[classes]
        own = labels[place][stays]
        labels[place] = labels[place].copy()
        labels[place][stays] = np.where(shown[classes] == NONE, own, shown[classes])
        columns[place] = replace(column, texts=texts)
    shown_now = Shown(tuple(columns), settled.shown.levels, tuple(labels))
    _, equivalence = distinct(labels)
    return replace(settled, shown=shown_now, equivalence=equivalence, typical=tuple(typical))


@dataclass(frozen=True, eq=False)
class ReleasedValues:
    """The released values of a column of a type: leaf codes and records, (rows,)."""

    column: CodedColumn
    kind: str
    leaves: np.ndarray
    records: np.ndarray
    k: int

    @cached_property
    def held(self) -> np.ndarray:
        """(leaf codes,), the released records of each value."""
        return np.bincount(self.leaves, weights=self.records, minlength=len(self.column.labels))

    def chosen(self, classes: np.ndarray) -> tuple[np.ndarray, tuple[str | None, ...], np.ndarray]:
        """By class the leaf code of what it shows, and the place of its text among the texts, which come between;
        NONE in both where a label stands."""
        counted = self.column.counted
        known = TypicalColumn(counted.taxonomy.ordered, self.held >= self.k, counted.known, counted.numbers)
        found = typical_values(known, classes, self.leaves, self.records)
        made = made_values(counted, found, self._grid, self._held_by_few)
        codes = found.codes.copy()
        texts = {text: at for at, text in enumerate(self.column.texts)}
        shown = np.where(codes == NONE, NONE, self.column.labels[codes, 0])
        nearest = nearest_leaves(counted, found.medians, made)
        for at, text in enumerate(made):
            if text is not None:
                same = self._values.get(self._alike(text))
                shown[at] = texts.setdefault(text, len(texts)) if same is None else self.column.labels[same, 0]
                codes[at] = nearest[at]
        return codes, tuple(texts), shown

    def common_for(self, groups: Sequence[tuple[int, ...]]) -> np.ndarray:
        """The leaf code that stands for each group of rare values in an order; NONE where nothing does.

        A round value counts as the nearest of the source.
        """
        counted = self.column.counted
        found = typical_of_groups(groups, self.held.astype(np.int64), counted.numbers, self.k)
        made = made_values(counted, found, self._grid, self._held_by_few)
        is_made = np.array([text is not None for text in made])
        return np.where(is_made, nearest_leaves(counted, found.medians, made), found.codes)

    @property
    def _grid(self) -> Grid | None:
        column, counted = self.column, self.column.counted
        if not has_order(self.kind):
            return None
        if column.intervals is not None:
            return IntervalGrid(counted, column.intervals, self.kind, np.flatnonzero(self.held))
        return None if column.calendar is None else CalendarGrid(counted, column.calendar, self.kind, self._text)

    def _text(self, code: int) -> str | None:
        return self.column.texts[int(self.column.labels[code, 0])]

    @cached_property
    def _values(self) -> dict[str | Fraction, int]:
        """The leaf code of each value, by what makes its text that of a value."""
        return {self._alike(str(self._text(code))): code for code in range(1, len(self.column.labels))}

    def _alike(self, text: str) -> str | Fraction:
        """What two texts of one value have in common: a number, or a date without its midnight."""
        if is_numeric(self.kind) and text not in ("nan", "inf", "-inf"):
            return Fraction(text)
        return text.removesuffix(MIDNIGHT)

    def _held_by_few(self, texts: set[str]) -> set[str]:
        """Those of the texts that are values of fewer than k released records."""
        codes = {text: self._values.get(self._alike(text)) for text in texts}
        return {text for text, code in codes.items() if code is not None and self.held[code] < self.k}
