"""Classes that show typical values: in each column one value for all records of an equivalence class, of its type.

The classes are those that a release by ranges has, and so are its columns and the records that are left out. What a
class shows follows from the records that are released alone. Classes that show the same become one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Self

import numpy as np

from anonduck.config.config import RULES, Config
from anonduck.database.connection import Database
from anonduck.engines.arrow import pa
from anonduck.errors import ConfigError
from anonduck.evaluation.spread import ShownLabels
from anonduck.evaluation.typical import NONE, TypicalColumn, TypicalValues, typical_values
from anonduck.measures.attributes import CountedColumn, read_counted_columns
from anonduck.methods.method import Method
from anonduck.methods.registry import method_named, named_method
from anonduck.release.class_recoder import Assignment, ClassRecoder
from anonduck.release.node_recoder import node_columns
from anonduck.release.recoder import MeasureInputs, ReleaseInputs, listed_labels
from anonduck.statements.column_types import DATE, has_order, is_temporal, is_whole
from anonduck.statements.pipeline import builder_typical
from anonduck.statements.pipeline.builder_frequency import RECORDS, code_column
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, NodeColumn
from anonduck.statements.pipeline.builder_released import EQUIVALENCE
from anonduck.statements.pipeline.builder_typical import (
    CHOSEN,
    MADE_TEXTS,
    RARE_LEAVES,
    TypicalTypes,
    made_column,
    typical_column,
)
from anonduck.taxonomy.interval_cells import IntervalCells, OpenLabels, interval_cells

RANGES, TYPICAL = WAYS = ("ranges", "typical")
ABLE = ("mondrian", "guided", "sequential", "topdown")
"""The methods whose classes can show typical values."""

WORDS = "the typical value of the record's class, no fact about the record"
WARNING = (
    "each quasi-identifier shows the typical value of a class of records (`recoding.shows` is typical): the lower "
    "median of numbers and dates, or a round value where few records hold those of the class, and the most frequent of "
    "other values. It is no fact about any single record"
)


def refuse_untypical(method: Method | None, what: str) -> None:
    """Raise ConfigError unless classes of this method can show typical values; ``what`` names what is released by."""
    if method is None or method.name not in ABLE:
        raise ConfigError(
            f"{what} cannot show typical values (`show: {TYPICAL}`); the methods {', '.join(ABLE)} can. Choose one of "
            f"these, or take `show: {RANGES}`"
        )


def refuse_untypical_config(config: Config) -> None:
    """Raise ConfigError for a config that shows typical values, and may release by what cannot show them."""
    if config.show == RANGES:
        return
    for name in config.offered if config.method == RULES else [config.method]:
        method = None if name == RULES else named_method(name)[0]
        if method is None:
            refuse_untypical(None, "a rule, by which `run` may release,")
        else:
            refuse_untypical(method_named(method), f"a release by {method}")


@dataclass(frozen=True)
class TypicalRecoder(ClassRecoder):
    """The classes of a method, which show typical values once they are settled.

    ``beside`` has by column the levels and labels of nodes that still stand beside typical values, where a class has no
    value that may be shown.
    """

    beside: Mapping[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)

    @property
    def shows(self) -> str:
        """Typical values."""
        return TYPICAL

    @property
    def measured(self) -> MeasureInputs:
        """The nodes of the classes, and which columns show typical values in their place."""
        return replace(super().measured, typical=self._typical_columns)

    @property
    def _typical_columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if isinstance(column, NodeColumn))

    def settled(self, database: Database, *, numbered: bool) -> Self:
        """What the records that stay show: typical values, in columns of their types where each class has one."""
        settled = super().settled(database, numbered=numbered)
        settled._choose(database)
        beside = {
            column.name: tuple(database.rows(builder_typical.labels_beside(column)))
            for column in settled.columns
            if isinstance(column, NodeColumn)
        }
        columns = tuple(
            replace(column, values=not beside[column.name]) if isinstance(column, NodeColumn) else column
            for column in settled.columns
        )
        found = replace(settled, columns=columns, beside=beside)
        found.group(database)
        return found

    def _choose(self, database: Database) -> None:
        """Write what each class shows into the nodes of the classes."""
        names, shown = tuple(self.inputs.roles.quasi_identifiers), self._typical_columns
        rows = database.arrays(builder_typical.held_values(names, self.staying))
        records, numbers = rows[RECORDS].astype(np.int64), rows[EQUIVALENCE].astype(np.int64)
        equivalence, classes = np.unique(numbers, return_inverse=True)
        taxonomies = {name: self.inputs.taxonomies[name] for name in shown}
        counted = read_counted_columns(database, taxonomies, int(records.sum()), schema=LOOKUP_SCHEMA)
        parts: dict[str, Any] = {EQUIVALENCE: equivalence}
        for column in counted:
            leaves = rows[code_column(column.name, 0)].astype(np.int64)
            held = np.bincount(leaves, weights=records, minlength=len(column.held))
            known = TypicalColumn(
                column.taxonomy.ordered, held >= self.inputs.requirement.k, column.known, column.numbers
            )
            found = typical_values(known, classes, leaves, records)
            made = self._made(database, column, found, known, np.flatnonzero(held))
            parts[code_column(column.name, 0)] = pa.array(found.codes, pa.int64())
            parts[made_column(column.name)] = pa.array(made, pa.string())
            parts[typical_column(column.name)] = pa.array(_nearest_leaves(column, found.medians, made), pa.int64())
        database.register(CHOSEN, pa.table(parts))
        try:
            database.run(builder_typical.typical_nodes(names, [self._types(name) for name in shown]))
        finally:
            database.unregister(CHOSEN)

    def _types(self, name: str) -> TypicalTypes:
        column = self.inputs.source.column(name)
        return TypicalTypes(name, column.type if has_order(column.type) else None, column.floating)

    def _made(
        self, database: Database, column: CountedColumn, found: TypicalValues, known: TypicalColumn, held: np.ndarray
    ) -> list[str | None]:
        """A round number or date, as text, where no value of a class may be shown.

        It stands in the middle of the finest interval over the median where it is no rare value of the source, else of
        the next wider one. ``held`` are the leaf codes of the released records. None where none is needed or found, or
        the taxonomy has no grid.
        """
        kind = self.inputs.source.column(column.name).type
        left = np.flatnonzero((found.codes == NONE) & (found.medians != NONE))
        texts: list[str | None] = [None] * len(found.codes)
        cells = interval_cells(database, column.taxonomy) if len(left) and has_order(kind) else None
        if cells is None:
            return texts
        finest, rare = column.paths[1], np.flatnonzero(~known.common)
        grid, present = _Grid(cells, kind), np.unique(finest[held[held != 0]])
        for path in column.paths[1:]:
            most = np.zeros(int(path.max()) + 1, dtype=np.int64)
            least = np.full_like(most, np.iinfo(np.int64).max)
            np.minimum.at(least, path, finest)
            np.maximum.at(most, path, finest)
            nodes = path[found.medians[left]]
            made = {node: grid.value(int(least[node]), int(most[node]), present) for node in np.unique(nodes).tolist()}
            hidden = self._held_by_few(database, column.name, kind, {text for text in made.values() if text}, rare)
            for at, node in zip(left.tolist(), nodes.tolist(), strict=True):
                texts[at] = None if made[node] in hidden else made[node]
            left = np.array([at for at in left.tolist() if texts[at] is None], dtype=np.int64)
            if not len(left):
                break
        return texts

    def _held_by_few(self, database: Database, name: str, kind: str, texts: set[str], rare: np.ndarray) -> set[str]:
        """Those of the texts that are values of the leaf codes ``rare``, in the column's type."""
        if not texts:
            return set()
        database.register(MADE_TEXTS, pa.table({"text": pa.array(sorted(texts), pa.string())}))
        database.register(RARE_LEAVES, pa.table({"code": pa.array(rare, pa.int64())}))
        try:
            return {text for (text,) in database.rows(builder_typical.held_by_few(name, kind))}
        finally:
            database.unregister(MADE_TEXTS)
            database.unregister(RARE_LEAVES)

    # -- described -----------------------------------------------------------------------------------------------------

    def described(self, database: Database) -> dict[str, Any]:
        """The same as of ranges, and what a cell is."""
        known = super().described(database)
        return {**known, "warnings": [*known["warnings"], WARNING]}

    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """That the column shows typical values, and the labels that stand beside them."""
        taxonomy = self.inputs.taxonomies[name]
        known = {"level": None, "levels": taxonomy.root, "taxonomy": taxonomy.kind, "shows": TYPICAL, "words": WORDS}
        labels = list(dict.fromkeys(label for _, label in self.beside[name]))
        return known | listed_labels(labels) if labels else known

    def labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels that stand beside typical values, with their levels."""
        taxonomy = self.inputs.taxonomies[name]
        return ShownLabels(self.beside[name], taxonomy.kind, taxonomy.root, self.inputs.root_label(name), self.staying)


@dataclass(frozen=True, eq=False)
class _Grid:
    """The finest intervals of a column of a type, in the middle of which a round number stands for their values."""

    cells: IntervalCells
    kind: str

    def value(self, first: int, last: int, present: np.ndarray) -> str | None:
        """What stands for the interval from one code to another, as text: the middle of numbers, the first date; where
        one end is open the other one. ``present`` are the finest intervals of the released values. None for an interval
        without bounds.

        Those of the outermost intervals are open where they would reveal a record that is not released.
        """
        written: OpenLabels = self.cells.written
        apart = self.cells.apart
        within = [one for one in present.tolist() if one not in apart]
        if first in apart or last in apart or not within:
            return None
        label = self.cells.label(first, last)
        opened = written.opened_at(label, low=first <= within[0], high=last >= within[-1])
        lower, upper = written.bounds(opened)
        if lower is None:
            return None if upper is None else _before(upper, self.kind)
        if upper is None or is_temporal(self.kind):
            return lower
        return _middle(lower, upper, whole=is_whole(self.kind))


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


def _nearest_leaves(column: CountedColumn, medians: np.ndarray, made: Sequence[str | None]) -> np.ndarray:
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


def typical_recoder(assignment: Assignment, method: Method, inputs: ReleaseInputs) -> TypicalRecoder:
    """The classes of a method on a source, which show typical values; raises ConfigError where they cannot."""
    refuse_untypical(method, f"the classes of {method.name}")
    if inputs.requirement.linked_k is not None:
        raise ConfigError(
            "`linked_k` is judged by ranges, and typical values (`show: typical`) may make classes alike; take "
            "`linked_k` out of the requirement, or take `show: ranges`"
        )
    return TypicalRecoder(assignment=assignment, inputs=inputs, columns=tuple(node_columns(inputs)))
