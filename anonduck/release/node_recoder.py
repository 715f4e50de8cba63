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
from anonduck.release.recoder import GROUPED, SHOWN, ReleaseInputs, group_labels, kept_column
from anonduck.release.row_recoder import RowRecoder
from anonduck.statements import Statement, line, statement
from anonduck.statements.expansion import qualified
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, NodeColumn, RuleColumn
from anonduck.statements.pipeline.column_names import value_column


@dataclass(frozen=True, kw_only=True)
class NodeRecoder(RowRecoder):
    """Records with nodes of their own; once settled, with the columns that are released and their levels.

    ``counts_classes`` says whether the levels of a column are counted by equivalence class of the release, or by node;
    ``at_levels`` has by column the levels of its nodes.
    """

    counts_classes: ClassVar[bool]

    at_levels: Mapping[str, frozenset[int]] = field(default_factory=dict)

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

    def _settled(self, database: Database) -> Self:
        """What the records that stay show; raises ReleaseError where nothing under a root is left to release."""
        at_levels = {name: frozenset(level for level, _ in self._labels(database, name)) for name in self.generalized}
        settled = replace(self, at_levels=at_levels, columns=tuple(self._shown(at_levels)))
        settled.open_labels(database, self.generalized)
        return settled

    @property
    @abstractmethod
    def _nothing_shown(self) -> str:
        """What it says, and what to do, where no column is under its root."""

    def _shown(self, at_levels: Mapping[str, frozenset[int]]) -> Iterator[NodeColumn | RuleColumn]:
        roots = {name: self.inputs.taxonomies[name].root for name in at_levels}
        under_root = [name for name, levels in at_levels.items() if levels != {roots[name]}]
        if not under_root:
            raise ReleaseError(self._nothing_shown)
        for column in self.columns:
            if isinstance(column, RuleColumn):
                yield column
            elif column.name in under_root or self.inputs.keep_roots:
                yield replace(column, values=at_levels[column.name] == {0})

    # -- written -------------------------------------------------------------------------------------------------------

    def _lookups(self) -> list[tuple[EngineLookup, Statement]]:
        """The nodes of each combination of quasi-identifiers and class."""
        keys = [*self.inputs.roles.quasi_identifiers, self.inputs.roles.class_]
        shown = tuple(column.name for column in self.columns if not isinstance(column, RuleColumn))
        return [(EngineLookup("anonduck_lookup", tuple(keys), shown, whole=True), self._combinations(keys))]

    @abstractmethod
    def _combinations(self, keys: Sequence[str]) -> Statement:
        """The query of what each combination of columns that stays shows."""

    def _nodes(self, database: Database, name: str) -> list[tuple[int, str]]:
        """The levels over 0 and the labels that they show in a column, in the order of both."""
        found = self._labels(database, name)
        return [(level, label) for level, label in found if level and label is not None]

    def _known(self, database: Database, name: str) -> dict[str, Any]:
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
        for level, label in self._nodes(database, name):
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

    def _labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels over level 0, with their levels."""
        taxonomy = self.inputs.taxonomies[name]
        labels = tuple(self._nodes(database, name))
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
