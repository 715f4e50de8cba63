"""Classes that show typical values: in each column one value for all records of an equivalence class, of its type.

The classes are the same as in a release by ranges, and so are its columns and the records that are left out. What a
class shows follows from the records that are released alone. Classes that show the same become one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self, TypeGuard

import numpy as np

from anonduck.config.ways import TYPICAL
from anonduck.database.connection import Database
from anonduck.engines.arrow import pa
from anonduck.errors import ConfigError
from anonduck.evaluation.spread import ShownLabels
from anonduck.evaluation.typical import TypicalColumn, typical_values
from anonduck.evaluation.typical_grid import CalendarGrid, Grid, IntervalGrid, made_values, nearest_leaves
from anonduck.evaluation.typical_shown import typical_columns
from anonduck.measures.attributes import CountedColumn, read_counted_columns
from anonduck.methods.method import Method
from anonduck.release.class_recoder import Assignment, ClassRecoder
from anonduck.release.node_recoder import node_columns
from anonduck.release.recoded_columns import EQUIVALENCE, shown_table
from anonduck.release.recoder import MeasureInputs, ReleaseInputs, group_labels
from anonduck.release.ways import refuse_way
from anonduck.statements import Statement, line, statement
from anonduck.statements.column_types import has_order
from anonduck.statements.expansion import Expression, expression, qualified
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, NodeColumn
from anonduck.statements.pipeline.column_names import RECORDS, code_column
from anonduck.taxonomy.calendar import calendar_of
from anonduck.taxonomy.catalog import entries
from anonduck.taxonomy.interval_cells import interval_cells

CHOSEN, MADE_TEXTS, RARE_LEAVES, NUMBERED = "chosen_values", "made_texts", "rare_leaves", "equivalent_classes"
WORDS = "the typical value of the record's class, no fact about the record"
WARNING = (
    "{} quasi-identifier shows the typical value of a class of records (`recoding.shows` is typical): the lower "
    "median of numbers and dates, or a round value where few records hold those of the class, and the most frequent of "
    "other values. It is no fact about any single record{}"
)


@dataclass(frozen=True)
class TypicalTypes:
    """A column that shows typical values: its name, and whether its type has a minus zero.

    ``made`` is its DuckDB type where values may be made for it; None where they may not.
    """

    name: str
    made: str | None
    floating: bool


def typical_column(name: str) -> str:
    """The column of CHOSEN with the leaf code that stands for a made value."""
    return f"{name}@typical"


def made_column(name: str) -> str:
    """The column of CHOSEN with a round number, or date, that stands for the values of a class, as text."""
    return f"{name}@made"


def held_values(names: Sequence[str], staying: str) -> Statement:
    """The records of a set by equivalence class (NUMBERED) and leaf codes."""
    return statement("release/held_values.sql", table={"staying": staying}, lists={"names": names})


def equivalent_classes(names: Sequence[str]) -> Statement:
    """NUMBERED: the equivalence class of each class."""
    return statement("release/equivalent_classes.sql", lists={"names": names})


def typical_shown(column: TypicalTypes) -> Statement:
    """What a column shows of each class, with what CHOSEN says of its equivalence class in the place of nodes."""
    made, value = Expression("NULL"), "l.value"
    if column.made is not None:
        made = expression('TRY_CAST(c."{name}" AS {kind})', name=made_column(column.name), kind=Expression(column.made))
    own = f"CASE WHEN {value} = 0 THEN 0 ELSE {value} END" if column.floating else value
    return statement(
        "release/typical_shown.sql",
        column={"code": code_column(column.name, 0), "made_code": typical_column(column.name)},
        table={"lookup": (LOOKUP_SCHEMA, column.name), "shown": shown_table(column.name)},
        fields={"made": made, "own": Expression(own)},
    )


def labels_beside(name: str) -> Statement:
    """The levels and labels of the nodes that a column still shows beside typical values."""
    text = 'SELECT DISTINCT node_level, label FROM "{shown}" WHERE typical_code < 0 ORDER BY label, node_level'
    return line("release/typical_recoder.labels_beside", text, shown=shown_table(name))


def values_of_few(name: str, kind: str) -> Statement:
    """Those of MADE_TEXTS that are, in the DuckDB type ``kind`` of a column, values of RARE_LEAVES."""
    text = "SELECT DISTINCT m.text FROM made_texts AS m JOIN {lookup} AS l ON l.value = TRY_CAST(m.text AS {kind}) "
    text += "JOIN rare_leaves AS r ON r.code = l.code_0"
    named = {"lookup": qualified(LOOKUP_SCHEMA, name), "kind": Expression(kind)}
    return line("release/typical_recoder.values_of_few", text, **named)


@dataclass(frozen=True)
class TypicalRecoder(ClassRecoder):
    """The classes of a method, which show typical values once they are settled.

    ``beside`` has by column the levels and labels of nodes that still stand beside typical values, where a class has no
    value that may be shown. Columns that are not ``typical`` show ranges.
    """

    typical: tuple[str, ...] = ()
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
        return tuple(column.name for column in self.columns if self._is_typical(column))

    def _is_typical(self, column: object) -> TypeGuard[NodeColumn]:
        return isinstance(column, NodeColumn) and column.name in self.typical

    def _settled(self, database: Database) -> Self:
        """What the records that stay show: typical values, in columns of their types where each class has one."""
        settled = super()._settled(database)
        settled._choose(database)
        beside = {
            column.name: tuple(database.rows(labels_beside(column.name)))
            for column in settled.columns
            if self._is_typical(column)
        }
        columns = tuple(
            replace(column, values=not beside[column.name]) if self._is_typical(column) else column
            for column in settled.columns
        )
        return replace(settled, columns=columns, beside=beside)

    def _choose(self, database: Database) -> None:
        """Write what each class shows, by the labels of all columns side by side."""
        names, shown = tuple(self.inputs.roles.quasi_identifiers), self._typical_columns
        self._side_by_side(database)
        database.run(equivalent_classes(names))
        rows = database.arrays(held_values(names, self.staying))
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
            rare, kind = np.flatnonzero(~known.common), self.inputs.source.column(column.name).type
            grid = grid_of(database, column, kind, np.flatnonzero(held))
            made = made_values(column, found, grid, partial(held_by_few, database, column.name, kind, rare))
            parts[code_column(column.name, 0)] = pa.array(found.codes, pa.int64())
            parts[made_column(column.name)] = pa.array(made, pa.string())
            parts[typical_column(column.name)] = pa.array(nearest_leaves(column, found.medians, made), pa.int64())
        with database.registered(CHOSEN, pa.table(parts)):
            for name in shown:
                database.run(typical_shown(self._types(name)))
        database.drop(("temp", NUMBERED))

    def _types(self, name: str) -> TypicalTypes:
        column = self.inputs.source.column(name)
        return TypicalTypes(name, column.type if has_order(column.type) else None, column.floating)

    # -- described -----------------------------------------------------------------------------------------------------

    def described(self, database: Database) -> dict[str, Any]:
        """The same as of ranges, and what a cell is."""
        known = super().described(database)
        every = len(self.typical) == len(self.inputs.roles.quasi_identifiers)
        whose = "" if every else f"; so show {', '.join(map(repr, self.typical))} alone, other columns ranges"
        return {**known, "warnings": [*known["warnings"], WARNING.format("each" if every else "a", whose)]}

    def _known(self, database: Database, name: str) -> dict[str, Any]:
        """That the column shows typical values, and the labels that stand beside them; of another, its ranges."""
        if name not in self.typical:
            return super()._known(database, name)
        taxonomy = self.inputs.taxonomies[name]
        known = {"level": None, "levels": taxonomy.root, "taxonomy": taxonomy.kind, "shows": TYPICAL, "words": WORDS}
        labels = list(dict.fromkeys(label for _, label in self.beside[name]))
        return known | group_labels(labels) if labels else known

    def _labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels that stand beside typical values, with their levels; of another column, those of its ranges."""
        if name not in self.typical:
            return super()._labelled(database, name)
        taxonomy = self.inputs.taxonomies[name]
        return ShownLabels(self.beside[name], taxonomy.kind, taxonomy.root, self.inputs.root_label(name), self.staying)


def grid_of(database: Database, column: CountedColumn, kind: str, held: np.ndarray) -> Grid | None:
    """The round values of a column of a type; ``held`` are the leaf codes of the released records.

    None where its taxonomy has none, or the type no order.
    """
    if not has_order(kind):
        return None
    cells = interval_cells(database, column.taxonomy)
    if cells is not None:
        return IntervalGrid(column, cells, kind, held)
    calendar = calendar_of(database, entries(database)[column.name])
    texts = partial(_text_of, database, column.name)
    return None if calendar is None else CalendarGrid(column, calendar, kind, texts)


def _text_of(database: Database, name: str, code: int) -> str | None:
    """The value of a leaf code as text."""
    text = "SELECT value::VARCHAR FROM {lookup} WHERE code_0 = $leaf"
    query = line("release/typical_recoder._text_of", text, "leaf", lookup=qualified(LOOKUP_SCHEMA, name))
    found: str | None = database.value(query, {"leaf": code})
    return found


def held_by_few(database: Database, name: str, kind: str, rare: np.ndarray, texts: set[str]) -> set[str]:
    """Those of the texts that are values of the leaf codes ``rare``, in the column's type."""
    if not texts:
        return set()
    made, codes = (
        pa.table({"text": pa.array(sorted(texts), pa.string())}),
        pa.table({"code": pa.array(rare, pa.int64())}),
    )
    with database.registered(MADE_TEXTS, made), database.registered(RARE_LEAVES, codes):
        return {text for (text,) in database.rows(values_of_few(name, kind))}


def typical_recoder(
    assignment: Assignment, method: Method, inputs: ReleaseInputs, shown: Mapping[str, str] | None
) -> TypicalRecoder:
    """The classes of a method on a source, which show typical values; raises ConfigError where they cannot.

    ``shown`` says by column whether it does; None that all do.
    """
    refuse_way(method, TYPICAL, f"the classes of {method.name}")
    if inputs.requirement.linked_k is not None:
        raise ConfigError(
            "`linked_k` is judged by ranges, and typical values (`show: typical`) may make classes alike; take "
            "`linked_k` out of the requirement, or take `show: ranges`"
        )
    names = inputs.roles.quasi_identifiers
    columns, typical = tuple(node_columns(inputs)), typical_columns(shown, names)
    return TypicalRecoder(assignment=assignment, inputs=inputs, columns=columns, typical=typical)
