"""The recoding by classes: every record shows, in each column, the smallest common node of the class it was assigned.

A class has one node per column: the value where all its records have the same, else the lowest node of the taxonomy
that is over all of them, the root if need be. Which label is shown where is decided by the classes that are released
alone: a column where they all have one value keeps its type, any other holds text; a column where all are at the root
is left out; and outermost intervals are open, so that no bound tells of a record that was left out.

A label of a taxonomy names no value that fewer than k records hold, at whatever level it stands. A value itself is
shown where all records of a released class hold it, and an equivalence class of the release, one assigned class or
several alike, has k records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import ReleaseError
from anonduck.release.recoding import (
    GROUPED,
    RELEASE_SET,
    STAYING,
    Ground,
    Measured,
    check_scanned,
    kept_column,
    listed_labels,
    look_up,
)
from anonduck.source.engine import SourceEngine
from anonduck.statements import statement
from anonduck.statements.pipeline import builder_classes, builder_release, builder_released
from anonduck.statements.pipeline.builder_classes import Assigner, ClassColumn, level_column
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, RuleColumn
from anonduck.taxonomy.builders.open_labels import OpenLabels, opening_of

MADE = ("assigned_classes", builder_classes.NODES, STAYING)


class Assignment(Protocol):
    """What gives each record its class: a table that was made elsewhere, or a method."""

    @property
    def text(self) -> str:
        """Whose classes they are."""

    @property
    def advice(self) -> str:
        """What to do where a release by them stays under its requirement, as a sentence."""

    @property
    def more_in_common(self) -> str:
        """What to do where they have nothing in common in any column, as part of a sentence."""

    @property
    def assigner(self) -> Assigner:
        """The table that tells the class of each record of the source, once all are assigned."""

    def scan(self, engine: SourceEngine, held: Sequence[str]) -> None:
        """Scan the columns that a release holds into RELEASE_SET."""

    def assign(self, database: Database, ground: Ground, held: Sequence[str], reporter: Reporter) -> None:
        """Give each row of RELEASE_SET the number of its class, and list these numbers in ``assigned_classes``.

        The lookups of the quasi-identifiers are there.
        """

    def described(self, database: Database) -> dict[str, Any]:
        """``method`` of the receipt."""

    def forget(self, database: Database) -> None:
        """Remove its working tables."""


@dataclass(frozen=True)
class ClassRecoding:
    """Assigned classes on a source; once settled, with the columns that are released and their levels.

    ``at_levels`` tells by column how many classes have their node at which level, ``staying`` is the frequency set of
    the records that are released.
    """

    assignment: Assignment
    ground: Ground
    columns: tuple[ClassColumn | RuleColumn, ...]
    staying: str = RELEASE_SET
    at_levels: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Whose classes they are."""
        return self.assignment.text

    @property
    def advice(self) -> str:
        """What whoever assigned them can do."""
        return self.assignment.advice

    @property
    def levels(self) -> Mapping[str, int]:
        """None: a column has no one level."""
        return {}

    @property
    def generalized(self) -> list[str]:
        """The released quasi-identifiers."""
        return [column.name for column in self.columns if column.generalized]

    @property
    def highest_levels(self) -> Mapping[str, int]:
        """The highest level of any class, for columns that no class shows at the root; known once it is settled."""
        highest = {name: max(levels) for name, levels in self.at_levels.items()}
        return {name: level for name, level in highest.items() if level < self.ground.taxonomies[name].root}

    @property
    def measured(self) -> Measured:
        """The nodes of the classes."""
        ground, names = self.ground, self.ground.roles.quasi_identifiers
        return Measured(
            ground.roles, ground.taxonomies, self.staying, partial(builder_released.shown_by_classes, names)
        )

    # -- filled --------------------------------------------------------------------------------------------------------

    def fill(self, engine: SourceEngine, *, show_values: bool, reporter: Reporter) -> dict[str, dict[str, int]]:
        """Join the source with its classes, find the node of each class in each column, and group by these."""
        database = engine.database
        self.assignment.scan(engine, self._scanned)
        names, demand = self.generalized, self.ground.demand
        check_scanned(database, names, demand, show_values=show_values, reporter=reporter)
        counts = {
            name: look_up(
                database,
                self.ground.taxonomies[name],
                root_label=self._root_label(name),
                refuse=self.ground.unmapped != "root",
                show_values=show_values,
                reporter=reporter,
            )
            for name in names
        }
        self.assignment.assign(database, self.ground, self._scanned, reporter)
        self._find_nodes(database)
        self._group(database)
        return {name: unmapped for name, unmapped in counts.items() if unmapped["values"]}

    def _find_nodes(self, database: Database) -> None:
        """Write ``assigned_nodes``: level, label and value of each class in each column."""
        for name in self.generalized:
            floating = self.ground.source.column(name).floating
            query = builder_classes.class_nodes(name, self.ground.taxonomies[name].root, floating=floating)
            database.run(query, {"root_label": self._root_label(name)})
        database.run(builder_classes.assigned_nodes(self.generalized))

    def _group(self, database: Database) -> None:
        grouped = [column for column in self.columns if column.name in self._held]
        database.run(builder_classes.grouped_classes(grouped, GROUPED, held=self.staying))

    @property
    def _held(self) -> list[str]:
        roles = self.ground.roles
        return [*roles.quasi_identifiers, roles.class_, *self.ground.demand.sensitive]

    @property
    def _scanned(self) -> list[str]:
        return [*self._held, *self.ground.beside]

    def _root_label(self, name: str) -> str:
        return self.ground.root_labels.get(name, "*")

    # -- settled -------------------------------------------------------------------------------------------------------

    def settled(self, database: Database, *, numbered: bool) -> ClassRecoding:
        """The classes that stay, with labels, types and columns that depend on these alone.

        Raises ReleaseError where nothing under a root is left to release.
        """
        staying = RELEASE_SET
        if numbered:
            staying = STAYING
            database.run(builder_classes.staying_set(self.columns, GROUPED, STAYING))
            database.run(statement("release/class_leave_out.sql", table={"staying": STAYING}))
        at_levels = {name: _levels(database, name) for name in self.generalized}
        settled = replace(self, staying=staying, at_levels=at_levels, columns=tuple(self._shown(at_levels)))
        settled._open_labels(database)
        settled._group(database)
        return settled

    def _shown(self, at_levels: Mapping[str, Mapping[int, int]]) -> Iterator[ClassColumn | RuleColumn]:
        roots = {name: self.ground.taxonomies[name].root for name in at_levels}
        under_root = [name for name, levels in at_levels.items() if set(levels) != {roots[name]}]
        if not under_root:
            raise ReleaseError(
                f"{self.text} have no node under the root in any column, so that there is nothing to release; "
                f"{self.assignment.more_in_common}"
            )
        for column in self.columns:
            if isinstance(column, RuleColumn):
                yield column
            elif column.name in under_root or self.ground.keep_roots:
                yield replace(column, values=set(at_levels[column.name]) == {0})

    def _open_labels(self, database: Database) -> None:
        """Open the labels of the intervals that the least and the largest released value of a column lie in."""
        for name in self.generalized:
            opening = opening_of(database, name)
            if opening is None:
                continue
            for old, new in self._opened(database, name, opening).items():
                query = statement(
                    "release/relabelled.sql",
                    table={"relabelled": builder_classes.NODES},
                    column={"label": value_column(name)},
                )
                database.run(query, {"old": old, "new": new})

    def _opened(self, database: Database, name: str, opening: OpenLabels) -> dict[str, str]:
        root = self.ground.taxonomies[name].root
        query = statement(
            "release/class_ends.sql",
            columns={"labels": [f"level_{level}" for level in range(1, root + 1)]},
            column={"raw_value": value_column(name)},
            table={"lookup": (LOOKUP_SCHEMA, name), "staying": self.staying},
        )
        ends = database.rows(query)
        found = {}
        for level, label in _labels(database, name):
            first, last = (end[level - 1] == label for end in (ends[0], ends[-1]))
            if level < root and (first or last):
                found[label] = opening.opened_at(label, low=first, high=last)
        return {old: new for old, new in found.items() if old != new}

    # -- written -------------------------------------------------------------------------------------------------------

    def rows(self, database: Database, *, some: bool) -> Any:
        """From the grouped rows, or from the source and its classes if columns are kept."""
        roles = self.ground.roles
        if not roles.kept:
            return builder_release.expanded_rows(self.columns, GROUPED)
        staying = self.staying if some else None
        return builder_classes.class_rows(self.columns, self.assignment.assigner, roles.class_, staying)

    def described(self, database: Database) -> dict[str, Any]:
        """No rule; the method that assigned the classes."""
        return {"rule": None, "method": self.assignment.described(database)}

    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """The column's taxonomy, how many classes have their node at which level, and the labels over level 0."""
        taxonomy, levels = self.ground.taxonomies[name], self.at_levels[name]
        entry: dict[str, Any] = {
            "level": None,
            "levels": taxonomy.root,
            "taxonomy": taxonomy.kind,
            "at_levels": {str(level): classes for level, classes in levels.items()},
        }
        if set(levels) == {0}:
            return {**entry, "words": "the value itself"}
        return entry | listed_labels(list(dict.fromkeys(label for _, label in _labels(database, name))))

    def forget(self, database: Database) -> None:
        """Remove the assignment, and all that was made of it."""
        self.assignment.forget(database)
        for made in (*MADE, *(builder_classes.nodes_table(name) for name in self.ground.roles.quasi_identifiers)):
            database.run(statement("release/class_forget.sql", table={"made": made}))


def class_recoding(assignment: Assignment, ground: Ground) -> ClassRecoding:
    """Assigned classes on a source."""
    return ClassRecoding(assignment, ground, tuple(_columns(ground)))


def _columns(ground: Ground) -> Iterator[ClassColumn | RuleColumn]:
    for column in ground.source.columns:
        kept = kept_column(ground, column)
        if kept is not None:
            yield kept
        elif column.name in ground.roles.quasi_identifiers:
            yield ClassColumn(column.name)


def _levels(database: Database, name: str) -> dict[int, int]:
    query = statement("release/class_levels.sql", column={"node_level": level_column(name)})
    return dict(database.rows(query))


def _labels(database: Database, name: str) -> Sequence[tuple[int, str]]:
    columns = {"node_level": level_column(name), "node_label": value_column(name)}
    return database.rows(statement("release/class_labels.sql", column=columns))
