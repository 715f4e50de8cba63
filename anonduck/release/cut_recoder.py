"""The recoding by cuts: each value of a column has one node, and every record shows the node of its value.

The nodes of a column cut its taxonomy: no two of them are over each other. A rule is the cut at one level; here one
value may be shown as it is, and another one by its group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from anonduck.database.arrow_tables import arrow_table
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.evaluation.finding import found_cuts
from anonduck.methods.method import Method
from anonduck.methods.recodings import Cuts
from anonduck.release.coded_release import read_counted, read_labels, read_placed
from anonduck.release.node_recoder import NodeRecoder, node_columns
from anonduck.release.recoded_columns import (
    COMBINED,
    CUT_CODES,
    ShownBy,
    combined_set,
    grouped_rows,
    levels_under,
    shown_by_values,
    shown_combinations,
    shown_table,
    staying_rows,
    when,
)
from anonduck.release.recoder import STAYING, MeasureInputs, ReleaseInputs
from anonduck.release.released_rows import RowsQuery, alike_values, rows_by_values
from anonduck.statements import Statement, statement
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, NodeColumn, RuleColumn
from anonduck.statements.pipeline.column_names import value_column

GIVEN = "given_cut"
MADE = (COMBINED, CUT_CODES, STAYING)


def cut_nodes(name: str, root: int, *, floating: bool) -> Statement:
    """The cut of a column: what each of its values shows."""
    return statement(
        "release/cut_nodes.sql",
        table={"lookup": (LOOKUP_SCHEMA, name), "shown": shown_table(name)},
        lists={"over": levels_under(root, over=1), "floats": when(floating)},
    )


@dataclass(frozen=True)
class CutRecoder(NodeRecoder):
    """The cuts that a method finds on a source, or ``given`` ones; ``options`` are those of the method.

    ``found`` has by column the level of each leaf code, once they are found.
    """

    way: ClassVar[ShownBy] = ShownBy.VALUES
    counts_classes: ClassVar[bool] = False

    method: Method
    options: Mapping[str, Any]
    seed: int
    given: Cuts | None = None
    found: list[np.ndarray] = field(default_factory=list, compare=False)

    @property
    def text(self) -> str:
        """Whose cuts they are."""
        return f"the cuts of {self.method.name}"

    @property
    def measured(self) -> MeasureInputs:
        """The nodes of the cuts."""
        inputs, names = self.inputs, self.inputs.roles.quasi_identifiers
        shown = partial(shown_by_values, names, [*map(NodeColumn, names)], {})
        return MeasureInputs(inputs.roles, inputs.taxonomies, self.staying, shown)

    # -- filled --------------------------------------------------------------------------------------------------------

    def _find(self, database: Database, reporter: Reporter) -> None:
        """Find the cuts, and write for each column the table of its values with their nodes."""
        names = self.inputs.roles.quasi_identifiers
        if self.given is None:
            self.found[:] = self._search(database, reporter)
        else:
            labels = read_labels(database, self.inputs)
            self.found[:] = [self.given.levels(name, one) for name, one in zip(names, labels, strict=True)]
        for name, levels in zip(names, self.found, strict=True):
            self._write_lookup(database, name, levels)

    def _search(self, database: Database, reporter: Reporter) -> list[np.ndarray]:
        """The level of each leaf code, by column."""
        inputs = self.inputs
        database.run(combined_set(inputs.roles.quasi_identifiers, inputs.roles.class_))
        cells = read_counted(database, inputs, inputs.requirement.sensitive)
        columns = read_placed(database, inputs, cells)
        found = found_cuts(self.method, self.options, cells, columns, inputs.requirement, self.seed, reporter)
        return [levels[column.place] for column, levels in zip(columns, found, strict=True)]

    def _write_lookup(self, database: Database, name: str, levels: np.ndarray) -> None:
        with database.registered(GIVEN, arrow_table({"leaf_code": np.arange(len(levels)), "shown_level": levels})):
            database.run(statement("database/kept_rows.sql", table={"given": GIVEN, "kept": CUT_CODES}))
        floating, root = self.inputs.source.column(name).floating, self.inputs.taxonomies[name].root
        values = {"root": root, "root_label": self.inputs.root_label(name)}
        database.run(cut_nodes(name, root, floating=floating), values)

    def group(self, database: Database) -> None:
        """Group the records by the nodes of their values."""
        database.run(grouped_rows(self._grouped_columns, ShownBy.VALUES, self.staying, self._bounds))

    # -- settled -------------------------------------------------------------------------------------------------------

    def _leave_out(self, database: Database) -> None:
        database.run(staying_rows(self.columns, ShownBy.VALUES))

    @property
    def _nothing_shown(self) -> str:
        return (
            f"{self.text} are at the root in all columns, so that there is nothing to release; require less, or "
            "give fewer columns the role of quasi-identifiers"
        )

    # -- written -------------------------------------------------------------------------------------------------------

    def _source_rows(self, database: Database, beside: Sequence[RuleColumn], *, some: bool) -> RowsQuery:
        alike = [*self.inputs.roles.quasi_identifiers, self.inputs.roles.class_] if some else []
        return rows_by_values([*self.released, *beside], self.staying, alike_values(alike))

    def _combinations(self, keys: Sequence[str]) -> Statement:
        return shown_combinations(self.columns, [*map(value_column, keys)], ShownBy.VALUES, self.staying)

    def described(self, database: Database) -> dict[str, Any]:
        """No rule; the method, its options, and what the cuts had to meet."""
        model = {one.model.name: one.required for one in self.inputs.requirement.own}
        return {"rule": None, "method": self.method.described(self.options, model)}

    def as_data(self, database: Database) -> Cuts:
        """The cuts by the labels of their nodes."""
        names = self.inputs.roles.quasi_identifiers
        return self.given or Cuts.of(names, read_labels(database, self.inputs), self.found)

    def forget(self, database: Database) -> None:
        """Remove the combinations and the cuts."""
        for made in (*MADE, *map(shown_table, self.inputs.roles.quasi_identifiers)):
            database.drop(("temp", made))


def cut_recoder(
    method: Method, options: Mapping[str, Any], seed: int, inputs: ReleaseInputs, given: Cuts | None = None
) -> CutRecoder:
    """The cuts of a method on a source, or given ones."""
    columns = tuple(node_columns(inputs))
    return CutRecoder(method, options, seed, given, inputs=inputs, columns=columns)
