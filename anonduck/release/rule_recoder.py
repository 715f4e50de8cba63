"""The recoding by a rule: each column that it names has one level, and every record shows its node at that level.

Outermost intervals are labelled as if nothing lay beyond them, whatever was left out there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import RuleError
from anonduck.evaluation.spread import ShownLabels
from anonduck.frequency.frequency_set import make_lookup
from anonduck.methods.recodings import Levels
from anonduck.privacy.audited_tables import quasi_names
from anonduck.release.engine_rows import EngineLookup
from anonduck.release.recoded_columns import (
    ShownBy,
    grouped_rows,
    relabelled,
    shown_by_levels,
    shown_of_values,
    staying_rows,
)
from anonduck.release.recoder import (
    GROUPED,
    RELEASE_SET,
    STAYING,
    MeasureInputs,
    Placing,
    ReleaseInputs,
    RowRecoder,
    group_labels,
    kept_column,
    shown_labels,
)
from anonduck.release.released_rows import RowsQuery, rows_by_levels, unordered
from anonduck.rules.rule import METHOD, literal
from anonduck.source.columns import Column
from anonduck.statements import Statement, statement
from anonduck.statements.column_types import TEXT
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, RuleColumn, enumerated_labels
from anonduck.statements.pipeline.column_names import value_column
from anonduck.taxonomy.catalog import entries
from anonduck.taxonomy.interval_cells import OpenLabels, opening_of

NUMBERED = "numbered_set"
LabelChanges = Mapping[str, Mapping[str, str]]


def openings(database: Database, columns: Sequence[RuleColumn]) -> dict[str, OpenLabels]:
    """The columns whose labels depend on what a release shows, with how they are opened."""
    stored = entries(database)
    found = {
        column.name: opening_of(database, stored[column.name])
        for column in columns
        if column.looked_up and column.level not in (None, 0, column.root)
    }
    return {name: opening for name, opening in found.items() if opening is not None}


def outer_labels(database: Database, columns: Sequence[RuleColumn]) -> LabelChanges:
    """The labels of the grouped release that are to change, by column, with what they become."""
    opened = openings(database, columns)
    renamed = {
        column.name: opened[column.name].opened(_shown(database, column)) for column in columns if column.name in opened
    }
    return {name: labels for name, labels in renamed.items() if labels}


def rename_outer_labels(
    database: Database, columns: Sequence[RuleColumn], attributes: Sequence[str], *, some: bool
) -> None:
    """Open the outermost labels of the grouped release, of its lookups and, with ``some``, of the numbered set."""
    names = dict(zip(attributes, quasi_names(len(attributes)), strict=True))
    levels = {column.name: column.level for column in columns}
    for column, labels in outer_labels(database, columns).items():
        shown = value_column(column)
        places = [relabelled(shown, GROUPED), relabelled(f"level_{levels[column]}", LOOKUP_SCHEMA, column)]
        if some:
            places.append(relabelled(names[shown], NUMBERED))
        for old, new in labels.items():
            for query in places:
                database.run(query, {"old": old, "new": new})


def _shown(database: Database, column: RuleColumn) -> list[str]:
    query = statement(
        "release/shown_intervals.sql",
        table={"lookup": (LOOKUP_SCHEMA, column.name), "grouped": GROUPED},
        column={
            "label": f"level_{column.level}",
            "code": f"code_{column.level}",
            "shown": value_column(column.name),
        },
    )
    return [label for (label,) in database.rows(query)]


@dataclass(frozen=True, kw_only=True)
class RuleRecoder(RowRecoder):
    """A rule applied to a source: its id if it has one, and its levels under their roots.

    ``method`` is what the receipt says of how the rule was found; the release of one that a method found is measured
    itself. Once settled, ``staying`` is the frequency set of the records that it releases.
    """

    rule_id: str | None
    rule: Levels
    columns: tuple[RuleColumn, ...]
    method: Mapping[str, Any] = field(default_factory=lambda: dict(METHOD))
    staying: str = RELEASE_SET

    @property
    def text(self) -> str:
        """The rule's literal, after its id if it has one."""
        return f"{self.rule_id} ({literal(self.levels)})" if self.rule_id else literal(self.levels)

    @property
    def advice(self) -> str:
        """Where rules are found that protect more."""
        return "Choose a rule with coarser levels (`anonduck frontier`)"

    @property
    def levels(self) -> Mapping[str, int]:
        """The rule's levels."""
        return self.rule.levels

    @property
    def generalized(self) -> list[str]:
        """The columns that the rule names."""
        return list(self.levels)

    @property
    def highest_levels(self) -> Mapping[str, int]:
        """The rule's levels."""
        return self.levels

    @property
    def by_method(self) -> bool:
        """Whether a method found it, and no discovery."""
        return bool(self.method["name"] != METHOD["name"])

    @property
    def looked_up(self) -> list[RuleColumn]:
        """The columns whose values are placed in their taxonomies."""
        return [column for column in self.columns if column.looked_up]

    @property
    def measured(self) -> MeasureInputs | None:
        """The nodes at the rule's levels, where a method found these; None where a discovery measured them."""
        if not self.by_method:
            return None
        roles, taxonomies = self.inputs.roles, self.inputs.taxonomies
        roots = {name: taxonomy.root for name, taxonomy in taxonomies.items()}
        named = [column for column in self.columns if column.name in self.levels]
        shown = partial(shown_by_levels, roles.quasi_identifiers, named, roots)
        return MeasureInputs(roles, taxonomies, self.staying, shown)

    @property
    def _placings(self) -> list[Placing]:
        refuse = {one.name: not (one.unmapped and (one.level or one.text)) for one in self.looked_up}
        return [self.inputs.placing(name, refuse=refuse[name]) for name in refuse]

    def _find(self, database: Database, reporter: Reporter) -> None:
        for name in self._beside:
            make_lookup(database, self.inputs.taxonomies[name], frequency=RELEASE_SET, target=(LOOKUP_SCHEMA, name))

    @property
    def _scanned(self) -> list[str]:
        """The columns of the rule, the class, what requirements and measures read."""
        return list(dict.fromkeys([*self._held, *self._beside, *self.inputs.subgroups]))

    def group(self, database: Database) -> None:
        """Group RELEASE_SET by the labels of its lookups into GROUPED."""
        grouped = [column for column in self.columns if column.name in self._held or column.generalized]
        database.run(grouped_rows(grouped, ShownBy.LEVELS, RELEASE_SET))

    @property
    def _held(self) -> list[str]:
        return [*self.levels, self.inputs.roles.class_, *self.inputs.requirement.sensitive]

    @property
    def _beside(self) -> list[str]:
        """The quasi-identifiers at their roots, where these are measured too."""
        names = self.inputs.roles.quasi_identifiers if self.by_method else ()
        return [name for name in names if name not in self.levels]

    def settled(self, database: Database, *, numbered: bool) -> RuleRecoder:
        """The rule itself: a removed class takes away the bounds that showed it, and nothing else."""
        attributes = [value_column(column.name) for column in self.columns if column.distinguishes]
        settled = self
        if numbered:
            database.run(staying_rows(self.columns, ShownBy.LEVELS))
            settled = replace(self, staying=STAYING)
        rename_outer_labels(database, self.columns, attributes, some=numbered)
        return settled

    def rows(self, database: Database, *, some: bool) -> RowsQuery:
        """From the grouped rows; from the source, with the labels of the lookups numbered first, if columns are kept.

        With ``some`` only the records of the numbered set's classes are in it; the grouped rows hold no others.
        """
        if not self.inputs.roles.kept:
            return super().rows(database, some=some)
        for column in self.columns:
            for step in enumerated_labels(column) if column.enumerated else ():
                database.run(step)
        return rows_by_levels(self.columns, some=some)

    def rows_of(self, entity: str, *, some: bool) -> str:
        """From the source."""
        return unordered(rows_by_levels((*self.columns, RuleColumn(entity, None)), some=some))

    def lookups(self) -> list[tuple[EngineLookup, Statement]]:
        """The labels of each column that its values are looked up for."""
        return [
            (
                EngineLookup(f"anonduck_lookup_{place}", (column.name,), (column.name,)),
                shown_of_values(column),
            )
            for place, column in enumerate(self.columns)
            if column.looked_up and (_has_labels(column) or (column.unmapped and column.text))
        ]

    def described(self, database: Database) -> dict[str, Any]:
        """The rule, its method, and no more of that."""
        rule = {"id": self.rule_id, "levels": dict(self.levels), "literal": literal(self.levels)}
        return {"rule": rule, "method": dict(self.method)}

    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """The column's one level, its taxonomy, and the labels that are shown."""
        column = next(one for one in self.columns if one.name == name)
        taxonomy = self.inputs.taxonomies[name]
        entry: dict[str, Any] = {"level": column.level, "levels": taxonomy.root, "taxonomy": taxonomy.kind}
        if column.level == 0:
            return {**entry, "words": "the value itself"}
        return entry | group_labels(shown_labels(database, column))

    def labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels at the column's one level; none where it shows values."""
        column = next(one for one in self.columns if one.name == name)
        if not column.level:
            return ShownLabels()
        labels = tuple((column.level, label) for label in shown_labels(database, column))
        return ShownLabels(labels, self.inputs.taxonomies[name].kind, column.root, column.root_label, self.staying)

    def as_data(self, database: Database) -> Levels:
        """The levels."""
        return self.rule

    def forget(self, database: Database) -> None:
        """Remove the set of the records that stay; all else is written anew by the next release."""
        database.drop(("temp", STAYING))


def _has_labels(column: RuleColumn) -> bool:
    return column.level not in (None, 0, column.root)


def rule_recoder(inputs: ReleaseInputs, *, rule_id: str | None, levels: Mapping[str, int]) -> RuleRecoder:
    """A rule on a source: named attributes, the class, and the columns that are kept as they are.

    Raises RuleError for a rule without attributes.
    """
    if not levels:
        raise RuleError("the rule names no attribute under its root; a release needs at least one")
    columns = tuple(_columns(inputs, levels))
    return RuleRecoder(rule_id=rule_id, rule=Levels(dict(levels)), columns=columns, inputs=inputs)


def found_recoder(inputs: ReleaseInputs, levels: Mapping[str, int], method: Mapping[str, Any]) -> RuleRecoder:
    """A rule that a method found, whose release is measured itself; ``method`` is that of the receipt.

    All quasi-identifiers have a taxonomy in ``inputs``. Raises RuleError for a rule without attributes.
    """
    recoding = rule_recoder(inputs, rule_id=None, levels=levels)
    columns = tuple(replace(one, looked_up=True) if one.name in levels else one for one in recoding.columns)
    return replace(recoding, columns=columns, method=method)


def _columns(inputs: ReleaseInputs, levels: Mapping[str, int]) -> Iterator[RuleColumn]:
    for column in inputs.source.columns:
        kept = kept_column(inputs, column)
        if column.name in levels:
            yield at_level(inputs, column, levels[column.name])
        elif kept is not None:
            yield kept
        elif inputs.keep_roots and column.name in inputs.roles.quasi_identifiers:
            root = inputs.taxonomies[column.name].root
            yield RuleColumn(column.name, root, root, inputs.root_label(column.name))


def at_level(inputs: ReleaseInputs, column: Column, level: int) -> RuleColumn:
    """A quasi-identifier as a release shows it at a level."""
    taxonomy = inputs.taxonomies[column.name]
    return RuleColumn(
        name=column.name,
        level=level,
        root=taxonomy.root,
        root_label=inputs.root_label(column.name),
        floating=column.floating and level == 0,
        text=column.type == TEXT,
        looked_up=level > 0 or taxonomy.kind != "intervals",
        unmapped=inputs.unmapped == "root",
    )
