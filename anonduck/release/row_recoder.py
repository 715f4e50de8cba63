"""What recodings share by which each record shows labels, or values, of its own: by a rule, by classes or by cuts.

What a class, or a value, shows of a column is one table (anonduck.release.recoded_columns.shown_table). Once it is
known which records stay, the outermost intervals in it are opened, so that no bound reveals a record that was left out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from anonduck.config.ways import BOUND_COLUMNS, BOUND_TEXT
from anonduck.database.connection import Database
from anonduck.errors import ConfigError
from anonduck.evaluation.spread import ShownLabels
from anonduck.release.bound_columns import ENDS, WORDS, BoundColumn, refuse_bounds, write_bounds
from anonduck.release.engine_rows import EngineLookup
from anonduck.release.recoded_columns import ShownBy, relabelled, shown_levels, shown_table
from anonduck.release.recoder import RELEASE_SET, STAYING, NodelessRecoder, Recoder
from anonduck.release.released_rows import RowsQuery, unordered
from anonduck.statements import Statement, statement
from anonduck.statements.column_types import has_order
from anonduck.statements.pipeline.builder_release import (
    LOOKUP_SCHEMA,
    NodeColumn,
    ReleasedColumn,
    RuleColumn,
)
from anonduck.statements.pipeline.column_names import value_column
from anonduck.taxonomy.catalog import entries
from anonduck.taxonomy.interval_cells import OpenLabels, made_labels, opening_of

LabelChanges = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, kw_only=True)
class RowRecoder(Recoder):
    """A recoder that knows of each released row which record it is, so that an engine can recode by its lookups.

    ``ends`` has the columns that are asked for as bounds, with how their labels are written, and ``split`` those that
    are released so, once it is settled; ``staying`` is the frequency set of the records that are released then.
    """

    way: ClassVar[ShownBy]

    columns: tuple[NodeColumn | RuleColumn, ...]
    ends: Mapping[str, OpenLabels] = field(default_factory=dict)
    split: tuple[str, ...] = ()
    staying: str = RELEASE_SET

    @property
    def merges(self) -> bool:
        """Classes that differ by labels may have the same ends."""
        return bool(self.ends) or super().merges

    @property
    def released(self) -> tuple[ReleasedColumn, ...]:
        """The columns with their labels, or in their place the two ends."""
        return tuple(self._released(self.columns))

    def _released(self, columns: Sequence[NodeColumn | RuleColumn]) -> Iterator[ReleasedColumn]:
        for column in columns:
            if column.name in self.split:
                yield from (BoundColumn(column, end) for end in ENDS)
            else:
                yield column

    @property
    def labelled_as_text(self) -> Self:
        """The recoding with labels in the place of ends."""
        return replace(self, split=())

    @property
    def _bounds(self) -> list[BoundColumn]:
        return [column for column in self.released if isinstance(column, BoundColumn)]

    # -- settled -------------------------------------------------------------------------------------------------------

    def settled(self, database: Database, *, numbered: bool) -> Self:
        """The recoding of the records that stay, with labels, types and columns that depend on these alone."""
        found = (self.left_out(database) if numbered else self)._settled(database)
        found = found._with_bounds(database) if self.ends else found
        found._regroup(database)
        return found

    def _regroup(self, database: Database) -> None:
        """Group the records that stay by what they show now."""
        self.group(database)

    def left_out(self, database: Database) -> Self:
        """The recoding of the records whose classes stay in GROUPED."""
        self._leave_out(database)
        return replace(self, staying=STAYING)

    @abstractmethod
    def _leave_out(self, database: Database) -> None:
        """Write STAYING, the records whose classes stay in GROUPED, and forget what no other record shows."""

    @abstractmethod
    def _settled(self, database: Database) -> Self:
        """The recoding with what the records that stay show, in the tables of what columns show."""

    def _labels(self, database: Database, name: str) -> list[tuple[int, str | None]]:
        """The levels and labels that the records that stay show of a column, in the order of both."""
        return database.rows(shown_levels(name, self.way, self.staying))

    def opened(self, database: Database, names: Sequence[str]) -> LabelChanges:
        """By column the labels of the outermost intervals that records which stay show, with what they become."""
        stored, found = entries(database), {}
        for name in names:
            opening = opening_of(database, stored[name])
            found[name] = {} if opening is None else self._opened(database, name, opening)
        return {name: labels for name, labels in found.items() if labels}

    def _opened(self, database: Database, name: str, opening: OpenLabels) -> dict[str, str]:
        root = self.inputs.taxonomies[name].root
        query = statement(
            "release/class_ends.sql",
            columns={"labels": [f"level_{level}" for level in range(1, root + 1)]},
            column={"raw_value": value_column(name)},
            table={"lookup": (LOOKUP_SCHEMA, name), "staying": self.staying},
        )
        ends = database.rows(query)
        if not ends:  # NaN and infinities alone are released, which lie in no interval
            return {}
        found = {}
        for level, label in self._labels(database, name):
            if label is None or level in (0, root):
                continue
            if level < root:
                first, last = (end[level - 1] == label for end in (ends[0], ends[-1]))
            else:
                bounds = opening.bounds(label)
                first, last = (opening.bounds(ends[end][0])[end] == bounds[end] for end in (0, -1))
            if first or last:
                found[label] = opening.opened_at(label, low=first, high=last)
        return {old: new for old, new in found.items() if old != new}

    def open_labels(self, database: Database, names: Sequence[str]) -> LabelChanges:
        """Open the outermost labels in what columns show; returns which changed."""
        changed = self.opened(database, names)
        for name, labels in changed.items():
            query = relabelled("label", shown_table(name))
            for old, new in labels.items():
                database.run(query, {"old": old, "new": new})
        return changed

    def _with_bounds(self, database: Database) -> Self:
        """The recoding that releases the ends of ranges, which are written beside their labels."""
        split = [one.name for one in self.columns if one.name in self.ends and not one.at_root]
        found = replace(self, split=tuple(split))
        for name in dict.fromkeys(one.of for one in found._bounds if not one.itself):
            labels = dict.fromkeys(label for _, label in self._labels(database, name) if label is not None)
            kind, root_label = self.inputs.source.column(name).type, self.inputs.root_label(name)
            write_bounds(database, shown_table(name), [*labels], root_label, self.ends[name], kind)
        return found

    # -- written -------------------------------------------------------------------------------------------------------

    def rows(self, database: Database, *, some: bool) -> RowsQuery:
        """From the grouped rows, or from the source and what its values or classes show if columns are kept."""
        if not self.inputs.roles.kept:
            return super().rows(database, some=some)
        return self._source_rows(database, (), some=some)

    def rows_of(self, database: Database, entity: str, *, some: bool) -> str:
        """The query of the released rows with the column ``entity`` of the source; ``some`` as in ``rows``."""
        return unordered(self._source_rows(database, (RuleColumn(entity, None),), some=some))

    @abstractmethod
    def _source_rows(self, database: Database, beside: Sequence[RuleColumn], *, some: bool) -> RowsQuery:
        """The query of the rows with columns ``beside``, from the source joined with what its records show."""

    def lookups(self) -> Sequence[tuple[EngineLookup, Statement]]:
        """What each value, or combination of values, shows once it is settled: lookups, and the queries of them."""
        if self.split:
            refuse_bounds(BOUND_COLUMNS, "an engine")
        return self._lookups()

    @abstractmethod
    def _lookups(self) -> Sequence[tuple[EngineLookup, Statement]]:
        """The same of labels."""

    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """What is known of a column; of an end, of which quasi-identifier it is, with how much of that is shown at
        which level."""
        bound = next((one for one in self._bounds if one.name == name), None)
        if bound is None:
            return self._known(database, name)
        known = self._known(database, bound.of)
        parts = ("level", "levels", "taxonomy", "at_levels")
        kept: dict[str, Any] = {part: known[part] for part in parts if part in known}
        return {**kept, "of": bound.of, "bound": bound.end, "words": WORDS[bound.end]}

    @abstractmethod
    def _known(self, database: Database, name: str) -> dict[str, Any]:
        """What is known of a column that shows labels."""

    def labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels that a column shows; none of ends, which say themselves what they are."""
        if any(one.name == name for one in self._bounds):
            return ShownLabels()
        return self._labelled(database, name)

    @abstractmethod
    def _labelled(self, database: Database, name: str) -> ShownLabels:
        """The same of a column that shows labels."""


def bounded(recoding: Recoder, database: Database, *, asked: bool) -> Recoder:
    """The recoding with the ends of its ranges as columns; the same one where it has no ranges that anonduck made.

    ``asked`` says that this release was asked for them, and not the config for all: it is refused then. Raises
    ConfigError for names that the source has already.
    """
    typical = recoding.measured.typical if recoding.measured is not None else ()
    ends, stored = {}, entries(database)
    for name in recoding.generalized if isinstance(recoding, RowRecoder) else ():
        written = made_labels(database, stored[name]) if name not in typical else None
        if written is not None and has_order(recoding.inputs.source.column(name).type):
            ends[name] = written
    if not ends or not isinstance(recoding, RowRecoder) or isinstance(recoding, NodelessRecoder):
        if not asked:
            return recoding
        raise ConfigError(
            f"the release of {recoding.text} shows no ranges of numbers or dates that anonduck made, of which "
            f"`bounds: {BOUND_COLUMNS}` would write the ends; take `bounds: {BOUND_TEXT}`"
        )
    taken = {column.name.lower(): column.name for column in recoding.inputs.source.columns}
    for name in ends:
        for end in ENDS:
            if (other := taken.get(f"{name}_{end}".lower())) is not None:
                raise ConfigError(
                    f"`bounds: {BOUND_COLUMNS}` writes the ends of {name!r} as {f'{name}_{end}'!r}, and the source has "
                    f"a column {other!r}; rename one of them in the source, or take `bounds: {BOUND_TEXT}`"
                )
    return replace(recoding, ends=ends)
