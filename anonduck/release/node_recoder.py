"""What recodings share whose records show nodes of their own: by classes or by cuts, and not one level a column.

What is shown where is decided by the records that are released alone: a column where each shows a value keeps its type,
any other holds text; a column where all are at the root is left out; and outermost intervals are open, so that no bound
reveals a record that was left out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from anonduck.database.arrow_tables import arrow_table
from anonduck.database.connection import Database
from anonduck.errors import ReleaseError
from anonduck.evaluation.spread import ShownLabels
from anonduck.release.engine_rows import EngineLookup
from anonduck.release.recoded_columns import relabelled
from anonduck.release.recoder import (
    GROUPED,
    RELEASE_SET,
    SHOWN,
    STAYING,
    ReleaseInputs,
    RowRecoder,
    group_labels,
    kept_column,
)
from anonduck.release.released_rows import RowsQuery, unordered
from anonduck.statements import Statement, line, statement
from anonduck.statements.expansion import qualified
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, NodeColumn, RuleColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.taxonomy.catalog import entries
from anonduck.taxonomy.interval_cells import OpenLabels, opening_of


@dataclass(frozen=True, kw_only=True)
class NodeRecoder(RowRecoder):
    """Records with nodes of their own; once settled, with the columns that are released and their levels.

    ``counts_classes`` says whether the levels of a column are counted by equivalence class of the release, or by node;
    ``at_levels`` has by column how many nodes are at which level, ``staying`` is the frequency set of the records
    that are released.
    """

    counts_classes: ClassVar[bool]

    columns: tuple[NodeColumn | RuleColumn, ...]
    staying: str = RELEASE_SET
    at_levels: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    @property
    def highest_levels(self) -> Mapping[str, int]:
        """The highest level of any node, for columns that are nowhere shown at the root; known once it is settled.

        An interval that is no node counts as one right under the root.
        """
        roots = {name: self.inputs.taxonomies[name].root for name in self.at_levels}
        return {
            name: max(min(level, roots[name] - 1) for level in levels)
            for name, levels in self.at_levels.items()
            if roots[name] not in levels
        }

    # -- filled --------------------------------------------------------------------------------------------------------

    @property
    def _grouped_columns(self) -> list[NodeColumn | RuleColumn]:
        return [column for column in self.columns if column.name in self._held]

    @property
    def _held(self) -> list[str]:
        inputs: ReleaseInputs = self.inputs
        return [*inputs.roles.quasi_identifiers, inputs.roles.class_, *inputs.requirement.sensitive]

    @property
    def _scanned(self) -> list[str]:
        return list(dict.fromkeys([*self._held, *self.inputs.subgroups]))

    # -- settled -------------------------------------------------------------------------------------------------------

    def settled(self, database: Database, *, numbered: bool) -> Self:
        """What the records that stay show, with labels, types and columns that depend on these alone.

        Raises ReleaseError where nothing under a root is left to release.
        """
        staying = STAYING if numbered else RELEASE_SET
        if numbered:
            self._leave_out(database)
        held = replace(self, staying=staying)
        at_levels = {name: held._levels(database, name) for name in self.generalized}
        settled = replace(held, at_levels=at_levels, columns=tuple(self._shown(at_levels)))
        settled._open_labels(database)
        settled.group(database)
        return settled

    @abstractmethod
    def _leave_out(self, database: Database) -> None:
        """Write STAYING, the records whose classes stay in GROUPED, and forget what no other record shows."""

    @abstractmethod
    def _levels(self, database: Database, name: str) -> dict[int, int]:
        """How many nodes of a column are shown at which level by the records that stay."""

    @abstractmethod
    def _labels(self, database: Database, name: str) -> Sequence[tuple[int, str]]:
        """The levels over 0 and the labels that they show in a column, in the order of both."""

    @property
    @abstractmethod
    def _nothing_shown(self) -> str:
        """What it says, and what to do, where no column is under its root."""

    def _shown(self, at_levels: Mapping[str, Mapping[int, int]]) -> Iterator[NodeColumn | RuleColumn]:
        roots = {name: self.inputs.taxonomies[name].root for name in at_levels}
        under_root = [name for name, levels in at_levels.items() if set(levels) != {roots[name]}]
        if not under_root:
            raise ReleaseError(self._nothing_shown)
        for column in self.columns:
            if isinstance(column, RuleColumn):
                yield column
            elif column.name in under_root or self.inputs.keep_roots:
                yield replace(column, values=set(at_levels[column.name]) == {0})

    def _open_labels(self, database: Database) -> None:
        """Open the labels of the intervals that the least and the largest released value of a column lie in."""
        stored = entries(database)
        for name in self.generalized:
            opening = opening_of(database, stored[name])
            table, column = self._labelled(name)
            query = relabelled(column, table)
            for old, new in {} if opening is None else self._opened(database, name, opening).items():
                database.run(query, {"old": old, "new": new})

    @abstractmethod
    def _labelled(self, name: str) -> tuple[str, str]:
        """The table, and the column of it, that the labels of a column stand in."""

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
            if level < root:
                first, last = (end[level - 1] == label for end in (ends[0], ends[-1]))
            else:
                bounds = opening.bounds(label)
                first, last = (opening.bounds(ends[end][0])[end] == bounds[end] for end in (0, -1))
            if level != root and (first or last):
                found[label] = opening.opened_at(label, low=first, high=last)
        return {old: new for old, new in found.items() if old != new}

    # -- written -------------------------------------------------------------------------------------------------------

    def rows(self, database: Database, *, some: bool) -> RowsQuery:
        """From the grouped rows, or from the source and its nodes if columns are kept."""
        if not self.inputs.roles.kept:
            return super().rows(database, some=some)
        return self._source_rows(self.columns, some=some)

    def rows_of(self, entity: str, *, some: bool) -> str:
        """From the source and its nodes."""
        return unordered(self._source_rows([*self.columns, RuleColumn(entity, None)], some=some))

    @abstractmethod
    def _source_rows(self, columns: Sequence[NodeColumn | RuleColumn], *, some: bool) -> RowsQuery:
        """The query of the columns' rows, from the source joined with the nodes of its records."""

    def lookups(self) -> list[tuple[EngineLookup, Statement]]:
        """The nodes of each combination of quasi-identifiers and class."""
        keys = [*self.inputs.roles.quasi_identifiers, self.inputs.roles.class_]
        shown = tuple(column.name for column in self.columns if not isinstance(column, RuleColumn))
        return [(EngineLookup("anonduck_lookup", tuple(keys), shown, whole=True), self._combinations(keys))]

    @abstractmethod
    def _combinations(self, keys: Sequence[str]) -> Statement:
        """The query of what each combination of columns that stays shows."""

    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """The column's taxonomy, how much of it is shown at which level, and the labels over level 0."""
        taxonomy, lowest = self.inputs.taxonomies[name], self._lowest_levels(database, name)
        levels = self._shown_levels(database, name, lowest)
        entry: dict[str, Any] = {
            "level": None,
            "levels": taxonomy.root,
            "taxonomy": taxonomy.kind,
            "at_levels": _by_level(levels, taxonomy.root),
        }
        if set(levels) == {0}:
            return {**entry, "words": "the value itself"}
        return entry | group_labels([label for label, level in lowest.items() if level])

    def _shown_levels(self, database: Database, name: str, lowest: Mapping[str, int]) -> dict[int, int]:
        """How many equivalence classes of the release, or nodes that it shows, are at which level, by their labels.

        Two assigned classes that look alike are one, and a label of two levels is at the lower one: that there are two
        is not in the release.
        """
        alike = [value_column(column.name) for column in self.columns if column.distinguishes]
        query = statement(
            "release/shown_classes.sql",
            columns={"alike": alike},
            column={"shown": value_column(name)},
            table={"grouped": GROUPED},
        )
        found: dict[int, int] = {}
        for text, classes in database.rows(query):
            level = lowest.get(text, 0)
            found[level] = found.get(level, 0) + (classes if self.counts_classes else 1)
        return dict(sorted(found.items()))

    def _lowest_levels(self, database: Database, name: str) -> dict[str, int]:
        """The lowest level at which each label over level 0 stands in the taxonomy; what it shows if it was opened."""
        lowest: dict[str, int] = {}
        for level, label in self._labels(database, name):
            lowest[label] = min(level, lowest.get(label, level))
        if not lowest:
            return lowest
        text = 'SELECT DISTINCT "{label}"::VARCHAR AS standing FROM {lookup} '
        text += 'WHERE "{label}"::VARCHAR IN (SELECT shown_label FROM shown_labels) ORDER BY standing'
        named = {"lookup": qualified(LOOKUP_SCHEMA, name)}
        with database.registered(SHOWN, arrow_table({"shown_label": list(lowest)})):
            for level in reversed(range(self.inputs.taxonomies[name].root)):
                label = f"level_{level}" if level else "value"
                query = line("release/node_recoder._lowest_levels", text, **named, label=label)
                for (standing,) in database.rows(query):
                    lowest[standing] = min(level, lowest[standing])
        return lowest

    def labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels over level 0, with their levels."""
        taxonomy = self.inputs.taxonomies[name]
        labels = tuple(self._labels(database, name))
        return ShownLabels(labels, taxonomy.kind, taxonomy.root, self.inputs.root_label(name), self.staying)


def _by_level(levels: Mapping[int, int], root: int) -> dict[str, int]:
    """How much is at which level, and how many are ``intervals`` that are no nodes."""
    free = sum(nodes for level, nodes in levels.items() if level > root)
    found = {str(level): nodes for level, nodes in levels.items() if level <= root}
    return {**found, "intervals": free} if free else found


def node_columns(inputs: ReleaseInputs) -> Iterator[NodeColumn | RuleColumn]:
    """The columns of a release in which quasi-identifiers show nodes, in the order of the source."""
    for column in inputs.source.columns:
        kept = kept_column(inputs, column)
        if kept is not None:
            yield kept
        elif column.name in inputs.roles.quasi_identifiers:
            yield NodeColumn(column.name)
