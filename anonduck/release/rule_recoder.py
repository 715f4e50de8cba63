"""The recoding by a rule: each column that it names has one level, and every record shows its node at that level.

Outermost intervals are labelled as if nothing lay beyond them, whatever was left out there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Self

from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import RuleError
from anonduck.evaluation.spread import ShownLabels
from anonduck.frequency.frequency_set import make_lookup
from anonduck.methods.recodings import Levels
from anonduck.release.engine_rows import EngineLookup
from anonduck.release.recoded_columns import (
    ShownBy,
    grouped_rows,
    relabelled,
    rule_shown,
    shown_by_values,
    shown_of_values,
    shown_table,
    staying_rows,
)
from anonduck.release.recoder import (
    GROUPED,
    RELEASE_SET,
    STAYING,
    MeasureInputs,
    Placing,
    ReleaseInputs,
    group_labels,
    kept_column,
    shown_labels,
)
from anonduck.release.released_rows import RowsQuery, alike_labels, rows_by_values
from anonduck.release.row_recoder import RowRecoder
from anonduck.rules.rule import METHOD, literal
from anonduck.source.columns import Column
from anonduck.statements import Statement, statement
from anonduck.statements.column_types import TEXT
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, RuleColumn, enumerated_labels
from anonduck.statements.pipeline.column_names import value_column

CLASSES = "staying_classes"  # the grouped rows by labels, while others are made of them


@dataclass(frozen=True, kw_only=True)
class RuleRecoder(RowRecoder):
    """A rule applied to a source: its id if it has one, and its levels under their roots.

    ``method`` is what the receipt says of how the rule was found; the release of one that a method found is measured
    itself.
    """

    way: ClassVar[ShownBy] = ShownBy.VALUES

    rule_id: str | None
    rule: Levels
    columns: tuple[RuleColumn, ...]
    method: Mapping[str, Any] = field(default_factory=lambda: dict(METHOD))

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
        shown = partial(shown_by_values, roles.quasi_identifiers, named, roots)
        return MeasureInputs(roles, taxonomies, self.staying, shown)

    @property
    def _placings(self) -> list[Placing]:
        refuse = {one.name: not (one.unmapped and (one.level or one.text)) for one in self.looked_up}
        return [self.inputs.placing(name, refuse=refuse[name]) for name in refuse]

    def _find(self, database: Database, reporter: Reporter) -> None:
        for name in self._beside:
            make_lookup(database, self.inputs.taxonomies[name], frequency=RELEASE_SET, target=(LOOKUP_SCHEMA, name))
        self.show(database)

    def show(self, database: Database) -> None:
        """Write what values show, by the lookups of their columns."""
        for column in self.looked_up:
            if column.labelled or self.by_method:
                values: dict[str, Any] = {"level": column.level, "root": column.root}
                unknown = column.root_label if column.unmapped else None
                database.run(rule_shown(column), values | {"unknown": unknown})

    @property
    def _scanned(self) -> list[str]:
        """The columns of the rule, the class, what requirements and measures read."""
        return list(dict.fromkeys([*self._held, *self._beside, *self.inputs.subgroups]))

    def group(self, database: Database) -> None:
        """Group RELEASE_SET by the labels of its lookups into GROUPED."""
        grouped = [column for column in self.columns if column.name in self._held or column.generalized]
        database.run(grouped_rows(grouped, ShownBy.VALUES, self.staying, self._bounds))

    @property
    def _held(self) -> list[str]:
        return [*self.levels, self.inputs.roles.class_, *self.inputs.requirement.sensitive]

    @property
    def _beside(self) -> list[str]:
        """The quasi-identifiers at their roots, where these are measured too."""
        names = self.inputs.roles.quasi_identifiers if self.by_method else ()
        return [name for name in names if name not in self.levels]

    @property
    def opening(self) -> list[str]:
        """The columns that show labels, and not those of their roots alone."""
        return [column.name for column in self.looked_up if _has_labels(column)]

    def _leave_out(self, database: Database) -> None:
        database.run(staying_rows(self.columns, ShownBy.VALUES))

    def _settled(self, database: Database) -> Self:
        """The rule itself: a removed class takes away the bounds that showed it, and nothing else."""
        for name, labels in self.open_labels(database, self.opening).items():
            query = relabelled(value_column(name), GROUPED)
            for old, new in labels.items():
                database.run(query, {"old": old, "new": new})
        if self.inputs.roles.kept or self.inputs.requirement.linked_k is not None:
            database.run(statement("database/kept_rows.sql", table={"given": GROUPED, "kept": CLASSES}))
        return self

    def _regroup(self, database: Database) -> None:
        """Only by ends: labels were opened in the grouped rows too."""
        if self.split:
            self.group(database)

    def _source_rows(self, database: Database, beside: Sequence[RuleColumn], *, some: bool) -> RowsQuery:
        """The rows with labels that are numbered first; with ``some`` those whose labels are of a class that stays."""
        released = [*self.released, *beside]
        for column in self.columns:
            for step in enumerated_labels(column) if column.enumerated and column.name not in self.split else ():
                database.run(step)
        return rows_by_values(released, CLASSES, alike_labels(self.columns, released) if some else ())

    def _lookups(self) -> list[tuple[EngineLookup, Statement]]:
        """The labels of each column that its values are looked up for."""
        return [
            (
                EngineLookup(f"anonduck_lookup_{place}", (column.name,), (column.name,)),
                shown_of_values(column),
            )
            for place, column in enumerate(self.columns)
            if column.labelled
        ]

    def described(self, database: Database) -> dict[str, Any]:
        """The rule, its method, and no more of that."""
        rule = {"id": self.rule_id, "levels": dict(self.levels), "literal": literal(self.levels)}
        return {"rule": rule, "method": dict(self.method)}

    def _known(self, database: Database, name: str) -> dict[str, Any]:
        """The column's one level, its taxonomy, and the labels that are shown."""
        column = next(one for one in self.columns if one.name == name)
        taxonomy = self.inputs.taxonomies[name]
        entry: dict[str, Any] = {"level": column.level, "levels": taxonomy.root, "taxonomy": taxonomy.kind}
        if column.level == 0:
            return {**entry, "words": "the value itself"}
        return entry | group_labels(shown_labels(database, column))

    def _labelled(self, database: Database, name: str) -> ShownLabels:
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
        """Remove what values show, and what stays."""
        for made in (STAYING, CLASSES, *map(shown_table, self.levels)):
            database.drop(("temp", made))


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
