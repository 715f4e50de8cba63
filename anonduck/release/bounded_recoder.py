"""Ranges as two columns: a release by labels, of which each column of intervals becomes its two ends.

``age_from`` and ``age_to`` have the type of ``age`` and say between which values it lies, both included: of
``[20, 30)`` they are 20 and 29 where values are whole numbers. Decimals and times have no last value under a bound, so
that the bound itself is shown. An open end is NULL, and so are both ends of a value that is missing: a record of which
nothing is shown and one without a value are alike. Classes that are alike by that become one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from anonduck.config.config import Config
from anonduck.config.ways import BOUND_COLUMNS, BOUND_TEXT
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.engines.arrow import pa
from anonduck.errors import ConfigError
from anonduck.evaluation.spread import ShownLabels
from anonduck.methods.recodings import Recoding
from anonduck.release.bound_columns import ENDS, FROM, GIVEN, BoundColumn, bounds_of, bounds_table, grouped_bounds
from anonduck.release.engine_rows import EngineLookup
from anonduck.release.recoder import GROUPED, MeasureInputs, NodelessRecoder, Recoder, RowRecoder, shown_labels
from anonduck.release.released_rows import RowsQuery, bounded_query, bounded_rows
from anonduck.release.rule_recoder import NUMBERED
from anonduck.source.engine import SourceEngine
from anonduck.statements import Statement, statement
from anonduck.statements.column_types import has_order, is_whole
from anonduck.statements.pipeline.builder_release import ReleasedColumn, RuleColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.taxonomy.catalog import entries
from anonduck.taxonomy.interval_cells import APART, OpenLabels, made_labels

WORDS = {
    FROM: "the least value that the record may have, NULL where that is open or it has none",
    "to": "the largest value that the record may have, NULL where that is open or it has none",
}


BY_TEXT = "classes_by_text"


def bounds_asked(asked: str | None, config: Config) -> str:
    """How ranges are written: as asked for, or as the config says; raises ConfigError for what is no way of it."""
    if asked not in (None, BOUND_TEXT, BOUND_COLUMNS):
        raise ConfigError(f"ranges are written as {BOUND_TEXT} or {BOUND_COLUMNS} (`bounds`); got {asked[:40]!r}")
    return asked or config.bounds


def refuse_bounds(bounds: str, what: str) -> None:
    """Raise ConfigError where ends of ranges are asked for as columns; ``what`` shows them as texts."""
    if bounds == BOUND_COLUMNS:
        raise ConfigError(
            f"{what} shows ranges as texts, and `bounds: {BOUND_COLUMNS}` is asked for; release to FILE.parquet or "
            f"FILE.csv, or take `bounds: {BOUND_TEXT}`"
        )


def ends_of(label: str | None, root_label: str, written: OpenLabels, *, whole: bool) -> tuple[str | None, str | None]:
    """The ends of a label as texts, None where they are open; of a value that is itself, and of whole numbers the last
    ones in the interval.

    >>> intervals = OpenLabels(low=True, high=True, words=None)
    >>> ends_of("[20, 30)", "*", intervals, whole=True), ends_of("[20, 30)", "*", intervals, whole=False)
    (('20', '29'), ('20', '30'))
    >>> ends_of("(-inf, 20)", "*", intervals, whole=True), ends_of("25", "*", intervals, whole=True)
    ((None, '19'), ('25', '25'))
    """
    if label is None or label == root_label:
        return None, None
    lower, upper = written.bounds(label)
    if lower is None and upper is None:
        return label, label
    if not whole:
        return lower, upper
    least = None if lower is None else str(math.ceil(Fraction(lower)))
    return least, None if upper is None else str(math.ceil(Fraction(upper)) - 1)


@dataclass(frozen=True, kw_only=True)
class BoundedRecoder(RowRecoder):
    """A recoding by labels, ``by_text``, that shows the ends of the ranges of the columns ``split`` once it is
    settled."""

    by_text: RowRecoder
    split: Mapping[str, OpenLabels]

    @property
    def text(self) -> str:
        """The recoding by labels."""
        return self.by_text.text

    @property
    def advice(self) -> str:
        """What to do for the recoding by labels."""
        return self.by_text.advice

    @property
    def shows(self) -> str:
        """What the recoding by labels shows."""
        return self.by_text.shows

    @property
    def merges(self) -> bool:
        """Classes that differ by labels may have the same ends."""
        return True

    @property
    def labelled_as_text(self) -> Recoder:
        """The recoding by labels."""
        return self.by_text

    @property
    def levels(self) -> Mapping[str, int]:
        """The levels of the rule, if it is one."""
        return self.by_text.levels

    @property
    def generalized(self) -> list[str]:
        """The quasi-identifiers, and not the columns that show them."""
        return self.by_text.generalized

    @property
    def highest_levels(self) -> Mapping[str, int]:
        """Those of the recoding by labels."""
        return self.by_text.highest_levels

    @property
    def measured(self) -> MeasureInputs | None:
        """What the recoding by labels is measured by."""
        return self.by_text.measured

    # -- filled --------------------------------------------------------------------------------------------------------

    def fill(self, engine: SourceEngine, *, show_values: bool, reporter: Reporter) -> dict[str, dict[str, int]]:
        """Fill the recoding by labels."""
        return self.by_text.fill(engine, show_values=show_values, reporter=reporter)

    @property
    def _scanned(self) -> Sequence[str]:
        return self.by_text._scanned

    def _find(self, database: Database, reporter: Reporter) -> None:
        self.by_text._find(database, reporter)

    def group(self, database: Database) -> None:
        """Group the records by labels."""
        self.by_text.group(database)

    def settled(self, database: Database, *, numbered: bool) -> Self:
        """The ends that the labels of the records that stay have."""
        by_text = self.by_text.settled(database, numbered=numbered)
        if numbered:  # rows by labels are those of these classes, and what is reached numbers them anew by their ends
            _keep(database, NUMBERED, BY_TEXT)
        held = database.types_of(GROUPED)
        columns: list[ReleasedColumn] = []
        for column in by_text.columns:
            if column.name not in self.split or (isinstance(column, RuleColumn) and column.at_root):
                columns.append(column)
                continue
            kind = self.inputs.source.column(column.name).type
            itself = held[value_column(column.name)] == kind
            if not itself:
                self._write_bounds(database, column, kind)
            columns += [BoundColumn(f"{column.name}_{end}", column.name, end, itself) for end in ENDS]
        split = [column for column in columns if isinstance(column, BoundColumn)]
        database.run(grouped_bounds(list(held), split))
        return replace(self, by_text=by_text, columns=tuple(columns))

    def _write_bounds(self, database: Database, column: ReleasedColumn, kind: str) -> None:
        """Write the ends of the labels that a column shows."""
        labels = shown_labels(database, column)
        written, root_label = self.split[column.name], self.inputs.root_label(column.name)
        rows = [
            (label, *ends_of(label, root_label, written, whole=is_whole(kind)), _is_value(label, root_label, written))
            for label in [None, *labels]
        ]
        given = dict(zip(("label", "lower", "upper", "is_value"), zip(*rows, strict=True), strict=True))
        types = {"label": pa.string(), "lower": pa.string(), "upper": pa.string(), "is_value": pa.bool_()}
        table = pa.table({name: pa.array(values, types[name]) for name, values in given.items()})
        with database.registered(GIVEN, table):
            database.run(bounds_of(column.name, kind))

    # -- written -------------------------------------------------------------------------------------------------------

    def rows(self, database: Database, *, some: bool) -> RowsQuery:
        """From the grouped rows, or from those by labels if columns are kept."""
        if not self.inputs.roles.kept:
            return super().rows(database, some=some)
        if some:
            _keep(database, BY_TEXT, NUMBERED)
        return bounded_rows(self.by_text.rows(database, some=some), self.columns)

    def rows_of(self, entity: str, *, some: bool) -> str:
        """From those by labels."""
        return bounded_query(self.by_text.rows_of(entity, some=some), self.columns, [entity]).sql

    def lookups(self) -> list[tuple[EngineLookup, Statement]]:
        """None: an engine writes labels alone."""
        refuse_bounds(BOUND_COLUMNS, "an engine")
        return []

    def described(self, database: Database) -> dict[str, Any]:
        """The recoding by labels."""
        return self.by_text.described(database)

    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """Which end of which quasi-identifier it is, with how much of that is shown at which level."""
        column = next(one for one in self.columns if one.name == name)
        if not isinstance(column, BoundColumn):
            return self.by_text.entry(database, name)
        known = self.by_text.entry(database, column.of)
        kept: dict[str, Any] = {
            part: known[part] for part in ("level", "levels", "taxonomy", "at_levels") if part in known
        }
        return {**kept, "of": column.of, "bound": column.end, "words": WORDS[column.end]}

    def labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels of columns whose ends are not shown; none of ends, which say themselves what they are."""
        shown = next((one for one in self.columns if one.name == name), None)
        return ShownLabels() if isinstance(shown, BoundColumn) else self.by_text.labelled(database, name)

    def as_data(self, database: Database) -> Recoding | None:
        """The recoding by labels."""
        return self.by_text.as_data(database)

    def forget(self, database: Database) -> None:
        """Remove the ends, and what the recoding by labels made."""
        for made in (BY_TEXT, *map(bounds_table, self.split)):
            database.drop(("temp", made))
        self.by_text.forget(database)


def _keep(database: Database, given: str, kept: str) -> None:
    """Copy a table over another one."""
    database.run(statement("database/kept_rows.sql", table={"given": given, "kept": kept}))


def _is_value(label: str | None, root_label: str, written: OpenLabels) -> bool:
    """Whether a label is a value itself."""
    if label is None or label == root_label:
        return False
    return label in APART or written.bounds(label) == (None, None)


def bounded(recoding: Recoder, database: Database, *, asked: bool) -> Recoder:
    """The recoding with the ends of its ranges as columns; the same one where it has no ranges that anonduck made.

    ``asked`` says that this release was asked for them, and not the config for all: it is refused then. Raises
    ConfigError for names that the source has already.
    """
    typical = recoding.measured.typical if recoding.measured is not None else ()
    split, stored = {}, entries(database)
    for name in recoding.generalized if isinstance(recoding, RowRecoder) else ():
        written = made_labels(database, stored[name]) if name not in typical else None
        if written is not None and has_order(recoding.inputs.source.column(name).type):
            split[name] = written
    if not split or not isinstance(recoding, RowRecoder) or isinstance(recoding, NodelessRecoder):
        if not asked:
            return recoding
        raise ConfigError(
            f"the release of {recoding.text} shows no ranges of numbers or dates that anonduck made, of which "
            f"`bounds: {BOUND_COLUMNS}` would write the ends; take `bounds: {BOUND_TEXT}`"
        )
    taken = {column.name.lower(): column.name for column in recoding.inputs.source.columns}
    for name in split:
        for end in ENDS:
            if (other := taken.get(f"{name}_{end}".lower())) is not None:
                raise ConfigError(
                    f"`bounds: {BOUND_COLUMNS}` writes the ends of {name!r} as {f'{name}_{end}'!r}, and the source has "
                    f"a column {other!r}; rename one of them in the source, or take `bounds: {BOUND_TEXT}`"
                )
    return BoundedRecoder(by_text=recoding, split=split, inputs=recoding.inputs, columns=recoding.columns)
