"""The recoding by cuts: each value of a column has one node, and every record shows the node of its value.

The nodes of a column cut its taxonomy: no two of them are over each other. A rule is the cut at one level; here one
value may be shown as it is, and another one by its group. What is shown where is decided by the records that are
released alone: a column where each shows its own value keeps its type, any other holds text; a column at its root is
left out; and outermost intervals are open, so that no bound tells of a record that was left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import ReleaseError
from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.method import Method
from anonduck.release.coded_release import read_records, read_whole_judge, refuse_too_few
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
from anonduck.statements.pipeline import builder_cuts, builder_methods, builder_release, builder_released
from anonduck.statements.pipeline.builder_cuts import CutColumn, cut_table
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, RuleColumn
from anonduck.taxonomy.builders.open_labels import opening_of

GIVEN = "given_cut"
MADE = (builder_methods.COMBINED, builder_cuts.CUT_CODES, STAYING)


@dataclass(frozen=True)
class CutRecoding:
    """The cuts that a method finds on a source; once settled, with the columns that are released and their levels.

    ``options`` are those of the method. ``at_levels`` tells by column how many nodes that a record shows are at which
    level, ``staying`` is the frequency set of the records that are released.
    """

    method: Method
    options: Mapping[str, Any]
    seed: int
    ground: Ground
    columns: tuple[CutColumn | RuleColumn, ...]
    staying: str = RELEASE_SET
    at_levels: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Whose cuts they are."""
        return f"the cuts of {self.method.name}"

    @property
    def advice(self) -> str:
        """What to do where even all records together are too few, or too much alike."""
        return "Require less, or anonymize more records"

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
        """The highest level that a record shows, for columns that none shows at the root; known once it is settled."""
        highest = {name: max(levels) for name, levels in self.at_levels.items()}
        return {name: level for name, level in highest.items() if level < self.ground.taxonomies[name].root}

    @property
    def measured(self) -> Measured:
        """The nodes of the cuts."""
        ground, names = self.ground, self.ground.roles.quasi_identifiers
        return Measured(ground.roles, ground.taxonomies, self.staying, partial(builder_released.shown_by_cuts, names))

    # -- filled --------------------------------------------------------------------------------------------------------

    def fill(self, engine: SourceEngine, *, show_values: bool, reporter: Reporter) -> dict[str, dict[str, int]]:
        """Scan the source, find the cuts, and group the records by the nodes that they show."""
        database = engine.database
        engine.frequency_set([*self._held, *self.ground.beside], RELEASE_SET)
        names = self.generalized
        check_scanned(database, names, self.ground.demand, show_values=show_values, reporter=reporter)
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
        self._cut(database, reporter)
        self._group(database)
        return {name: unmapped for name, unmapped in counts.items() if unmapped["values"]}

    def _cut(self, database: Database, reporter: Reporter) -> None:
        """Find the cuts, and write for each column the table of its values with their nodes."""
        names = self.ground.roles.quasi_identifiers
        database.run(builder_methods.combined_set(names))
        records = read_records(database, self.ground, with_class=True)
        refuse_too_few(records, self.ground.demand.k)
        found = self.method.algorithm(
            records,
            self.ground.demand.k,
            read_whole_judge(database, self.ground),
            seed=self.seed,
            tell=reporter.progress,
            **self.options,
        )
        for name, levels in zip(names, self._of_codes(records, found), strict=True):
            self._keep(database, name, levels)

    @staticmethod
    def _of_codes(records: CodedRecords, found: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
        """The level of each leaf code, by column, from those of places."""
        for column, levels in zip(records.columns, found, strict=True):
            yield levels[column.place]

    def _keep(self, database: Database, name: str, levels: np.ndarray) -> None:
        database.register(GIVEN, pa.table({"leaf_code": np.arange(len(levels)), "shown_level": levels}))
        try:
            database.run(statement("release/cut_codes.sql"))
        finally:
            database.unregister(GIVEN)
        floating = self.ground.source.column(name).floating
        query = builder_cuts.cut_lookup(name, self.ground.taxonomies[name].root, floating=floating)
        database.run(query, {"root_label": self._root_label(name)})

    def _group(self, database: Database) -> None:
        grouped = [column for column in self.columns if column.name in self._held]
        database.run(builder_cuts.grouped_cuts(grouped, GROUPED, held=self.staying))

    @property
    def _held(self) -> list[str]:
        roles = self.ground.roles
        return [*roles.quasi_identifiers, roles.class_, *self.ground.demand.sensitive]

    def _root_label(self, name: str) -> str:
        return self.ground.root_labels.get(name, "*")

    # -- settled -------------------------------------------------------------------------------------------------------

    def settled(self, database: Database, *, numbered: bool) -> CutRecoding:
        """The cuts with labels, types and columns that depend on the records that stay alone.

        Raises ReleaseError where nothing under a root is left to release.
        """
        staying = RELEASE_SET
        if numbered:
            staying = STAYING
            database.run(builder_cuts.staying_cuts(self.columns, GROUPED, STAYING))
        at_levels = {name: _levels(database, name, staying) for name in self.generalized}
        settled = replace(self, staying=staying, at_levels=at_levels, columns=tuple(self._shown(at_levels)))
        settled._open_labels(database)
        settled._group(database)
        return settled

    def _shown(self, at_levels: Mapping[str, Mapping[int, int]]) -> Iterator[CutColumn | RuleColumn]:
        roots = {name: self.ground.taxonomies[name].root for name in at_levels}
        under_root = [name for name, levels in at_levels.items() if set(levels) != {roots[name]}]
        if not under_root:
            raise ReleaseError(
                f"{self.text} are at the root in all columns, so that there is nothing to release; require less, or "
                "give fewer columns the role of quasi-identifiers"
            )
        for column in self.columns:
            if isinstance(column, RuleColumn):
                yield column
            elif column.name in under_root or self.ground.keep_roots:
                yield replace(column, values=set(at_levels[column.name]) == {0})

    def _open_labels(self, database: Database) -> None:
        """Open the labels of the intervals that the least and the largest released value of a column lie in."""
        for name in self.generalized:
            for old, new in self._opened(database, name).items():
                table = {"relabelled": cut_table(name)}
                database.run(
                    statement("release/relabelled.sql", table=table, column={"label": "label"}),
                    {"old": old, "new": new},
                )

    def _opened(self, database: Database, name: str) -> dict[str, str]:
        opening, root = opening_of(database, name), self.ground.taxonomies[name].root
        if opening is None:
            return {}
        query = statement(
            "release/class_ends.sql",
            columns={"labels": [f"level_{level}" for level in range(1, root + 1)]},
            column={"raw_value": value_column(name)},
            table={"lookup": (LOOKUP_SCHEMA, name), "staying": self.staying},
        )
        ends = database.rows(query)
        found = {}
        for level, label in _labels(database, name, self.staying):
            first, last = (end[level - 1] == label for end in (ends[0], ends[-1]))
            if level < root and (first or last):
                found[label] = opening.opened_at(label, low=first, high=last)
        return {old: new for old, new in found.items() if old != new}

    # -- written -------------------------------------------------------------------------------------------------------

    def rows(self, database: Database, *, some: bool) -> Any:
        """From the grouped rows, or from the source and its cuts if columns are kept."""
        roles = self.ground.roles
        if not roles.kept:
            return builder_release.expanded_rows(self.columns, GROUPED)
        alike = [*roles.quasi_identifiers, roles.class_]
        return builder_cuts.cut_rows(self.columns, alike, self.staying if some else None)

    def described(self, database: Database) -> dict[str, Any]:
        """No rule; the method, its options, and what the cuts had to meet."""
        method = {
            "name": self.method.name,
            "options": dict(self.options),
            "model": {one.model.name: one.required for one in self.ground.demand.asked},
            "words": f"{self.method.name}: {self.method.words} ({self.method.source})",
        }
        return {"rule": None, "method": method}

    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """The column's taxonomy, how many nodes of its cut are at which level, and the labels over level 0."""
        taxonomy, levels = self.ground.taxonomies[name], self.at_levels[name]
        entry: dict[str, Any] = {
            "level": None,
            "levels": taxonomy.root,
            "taxonomy": taxonomy.kind,
            "at_levels": {str(level): nodes for level, nodes in levels.items()},
        }
        if set(levels) == {0}:
            return {**entry, "words": "the value itself"}
        labels = [label for _, label in _labels(database, name, self.staying)]
        return entry | listed_labels(list(dict.fromkeys(labels)))

    def forget(self, database: Database) -> None:
        """Remove the combinations and the cuts."""
        for made in (*MADE, *map(cut_table, self.ground.roles.quasi_identifiers)):
            database.run(statement("release/class_forget.sql", table={"made": made}))


def cut_recoding(method: Method, options: Mapping[str, Any], seed: int, ground: Ground) -> CutRecoding:
    """The cuts of a method on a source."""
    return CutRecoding(method, options, seed, ground, tuple(_columns(ground)))


def _columns(ground: Ground) -> Iterator[CutColumn | RuleColumn]:
    for column in ground.source.columns:
        kept = kept_column(ground, column)
        if kept is not None:
            yield kept
        elif column.name in ground.roles.quasi_identifiers:
            yield CutColumn(column.name)


def _levels(database: Database, name: str, staying: str) -> dict[int, int]:
    return dict(database.rows(_of_cut("release/cut_levels.sql", name, staying)))


def _labels(database: Database, name: str, staying: str) -> Sequence[tuple[int, str]]:
    return database.rows(_of_cut("release/cut_labels.sql", name, staying))


def _of_cut(query: str, name: str, staying: str) -> Any:
    return statement(
        query, column={"raw_value": value_column(name)}, table={"cut": cut_table(name), "staying": staying}
    )
