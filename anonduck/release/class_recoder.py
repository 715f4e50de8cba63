"""The recoding by classes: every record shows, in each column, the smallest common node of the class it was assigned.

A class has one node per column: the value where all its records have the same, else the lowest node of the taxonomy
that is over all of them, the root if need be. A method may raise a class to nodes over those.

A label of a taxonomy names no value that fewer than k records hold, at whatever level it stands. A value itself is
shown where all records of a released class hold it, and an equivalence class of the release, one assigned class or
several alike, has k records.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.engines.arrow import pa
from anonduck.measures import free_levels
from anonduck.measures.free_levels import leveled
from anonduck.measures.numpy_measures import CodedAttribute
from anonduck.methods.recodings import Recoding
from anonduck.release.coded_release import read_cells
from anonduck.release.node_recoder import NodeRecoder, node_columns
from anonduck.release.recoded_columns import (
    NODES,
    ShownBy,
    assigned_nodes,
    grouped_rows,
    intervals_table,
    levels_under,
    shown_by_classes,
    shown_combinations,
    shown_table,
    staying_rows,
    when,
)
from anonduck.release.recoder import STAYING, MeasureInputs, ReleaseInputs
from anonduck.release.released_rows import Assigner, RowsQuery, rows_by_classes
from anonduck.source.engine import SourceEngine
from anonduck.statements import Statement, line, statement
from anonduck.statements.literals import literal
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, RuleColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.template import temporary_table_of
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.interval_cells import IntervalCells

MADE = ("assigned_classes", NODES, STAYING)
GIVEN, ENDS = "given_intervals", "interval_ends"
PAIRS = """
SELECT DISTINCT first_code, last_code FROM interval_ends
WHERE NOT missing AND least_code < largest_code ORDER BY ALL"""


def write_intervals(
    database: Database, name: str, root: int, cells: IntervalCells, *, floating: bool, root_label: str
) -> None:
    """Write the nodes of all classes in a column, and its intervals with their levels.

    A class of one value shows that, one with NULL and values the root; any other one the interval from the cell of its
    least value to that of its largest one.
    """
    database.run(interval_ends(name, floating=floating))
    pairs = database.rows(line("release/class_recoder.PAIRS", PAIRS))
    rows = [
        {"first_code": first, "last_code": last, "node_level": level, "label": cells.label(first, last)}
        for first, last, level in leveled(pairs, (int(cells.codes[0]), int(cells.codes[-1])), root, cells.apart)
    ]
    schema = pa.schema([("first_code", "int32"), ("last_code", "int32"), ("node_level", "int32"), ("label", "string")])
    with database.registered(GIVEN, pa.Table.from_pylist(rows, schema)):
        try:
            given = line("release/class_recoder.write_intervals", "SELECT * FROM given_intervals")
            database.run(temporary_table_of(intervals_table(name), given))
            tables = {"intervals": intervals_table(name), "shown": shown_table(name)}
            query = statement("release/interval_nodes.sql", table=tables)
            database.run(query, {"root": root, "root_label": root_label})
        finally:
            database.drop(("temp", ENDS))


def interval_ends(name: str, *, floating: bool) -> Statement:
    """``interval_ends``: where the values of each class in one column begin and end."""
    return statement(
        "release/interval_ends.sql",
        column={"raw_value": value_column(name)},
        table={"lookup": (LOOKUP_SCHEMA, name)},
        lists={"floats": when(floating)},
    )


def class_nodes(name: str, root: int, *, floating: bool, raised: bool) -> Statement:
    """The smallest common node of each class in one column; ``raised`` ones are at their least levels or over these."""
    levels = {"levels": levels_under(root), "over": levels_under(root, over=1)}
    return statement(
        "release/class_nodes.sql",
        column={"raw_value": value_column(name)},
        table={"lookup": (LOOKUP_SCHEMA, name), "shown": shown_table(name)},
        lists={**levels, "floats": when(floating), "raised": [{"attribute": literal(name)}] if raised else []},
    )


def with_intervals(
    database: Database, attribute: CodedAttribute, taxonomy: Taxonomy, cells: IntervalCells, goal: str
) -> CodedAttribute:
    """The attribute with a level for each one over the root that the intervals of its column have."""
    text = 'SELECT first_code, last_code, node_level FROM "{table}" '
    text += "WHERE node_level > $root ORDER BY node_level, first_code"
    query = line("release/class_recoder.with_intervals", text, "root", table=intervals_table(taxonomy.column))
    intervals = database.rows(query, {"root": taxonomy.root})
    return free_levels.with_intervals(
        attribute, intervals, cells, goal, leaves=taxonomy.leaves, ordered=taxonomy.ordered
    )


class Assignment(ABC):
    """What gives each record its class: a table that was made elsewhere, or a method."""

    @property
    @abstractmethod
    def text(self) -> str:
        """Whose classes they are."""

    @property
    @abstractmethod
    def advice(self) -> str:
        """What to do where a release by them stays under its requirement, as a sentence."""

    @property
    @abstractmethod
    def more_in_common(self) -> str:
        """What to do where they have nothing in common in any column, as part of a sentence."""

    @property
    def raised(self) -> bool:
        """Whether classes have least levels, in ``least_levels`` once all are assigned."""
        return False

    @property
    @abstractmethod
    def assigner(self) -> Assigner:
        """The table of the class of each record of the source, once all are assigned."""

    @property
    def free_intervals(self) -> bool:
        """Whether columns of intervals show intervals of their finest ones, and not nodes alone."""
        return False

    def scanned_column(self, name: str) -> str:
        """The column of RELEASE_SET with what the source has in one of its columns."""
        return value_column(name)

    @abstractmethod
    def scan(self, engine: SourceEngine, held: Sequence[str]) -> None:
        """Scan the columns that a release holds into RELEASE_SET."""

    @abstractmethod
    def assign(self, database: Database, inputs: ReleaseInputs, reporter: Reporter) -> None:
        """Give each row of RELEASE_SET the number of its class, and list these numbers in ``assigned_classes``.

        The lookups of the quasi-identifiers are there.
        """

    @property
    def warnings(self) -> Sequence[str]:
        """What everybody has to know of releases by them; it depends on no record."""
        return ()

    @property
    def remarks(self) -> Sequence[str]:
        """What whoever releases them has to know, once all are assigned."""
        return ()

    @abstractmethod
    def described(self, database: Database, staying: str) -> dict[str, Any]:
        """``method``; ``staying`` is the set of the records that are released."""

    def as_data(self, database: Database, inputs: ReleaseInputs) -> Recoding | None:
        """The classes as data; None where they cannot be applied to other records."""
        return None

    @abstractmethod
    def forget(self, database: Database) -> None:
        """Remove its working tables."""


@dataclass(frozen=True)
class ClassRecoder(NodeRecoder):
    """Assigned classes on a source."""

    way: ClassVar[ShownBy] = ShownBy.CLASSES
    counts_classes: ClassVar[bool] = True

    assignment: Assignment

    @property
    def text(self) -> str:
        """Whose classes they are."""
        return self.assignment.text

    @property
    def advice(self) -> str:
        """What whoever assigned them can do."""
        return self.assignment.advice

    @property
    def measured(self) -> MeasureInputs:
        """The nodes of the classes."""
        inputs, names = self.inputs, self.inputs.roles.quasi_identifiers
        shown = partial(shown_by_classes, names)
        return MeasureInputs(inputs.roles, inputs.taxonomies, self.staying, shown, free=self.assignment.free_intervals)

    # -- filled --------------------------------------------------------------------------------------------------------

    def scan(self, engine: SourceEngine) -> None:
        """Scan what the assignment reads too."""
        self.assignment.scan(engine, self._scanned)

    def _find(self, database: Database, reporter: Reporter) -> None:
        """Give each record its class, and write what each class shows in each column."""
        self.assignment.assign(database, self.inputs, reporter)
        cells = read_cells(database, self.inputs) if self.assignment.free_intervals else {}
        for name in self.generalized:
            floating, root = self.inputs.source.column(name).floating, self.inputs.taxonomies[name].root
            root_label = self.inputs.root_label(name)
            if name in cells:
                write_intervals(database, name, root, cells[name], floating=floating, root_label=root_label)
            else:
                query = class_nodes(name, root, floating=floating, raised=self.assignment.raised)
                database.run(query, {"root": root, "root_label": root_label})

    def group(self, database: Database) -> None:
        """Put the nodes of the classes side by side, and group the records by them."""
        self._side_by_side(database)
        database.run(grouped_rows(self._grouped_columns, ShownBy.CLASSES, self.staying, self._bounds))

    def _side_by_side(self, database: Database) -> None:
        ends = [one.of for one in self._bounds if not one.itself]
        database.run(assigned_nodes(self.inputs.roles.quasi_identifiers, ends))

    # -- settled -------------------------------------------------------------------------------------------------------

    def _leave_out(self, database: Database) -> None:
        database.run(staying_rows(self.columns, ShownBy.CLASSES))
        text = 'DELETE FROM assigned_classes WHERE assigned NOT IN (SELECT "#assigned" FROM "{staying}")'
        database.run(line("release/class_recoder._leave_out", text, staying=STAYING))

    @property
    def _nothing_shown(self) -> str:
        return (
            f"{self.text} have no node under the root in any column, so that there is nothing to release; "
            f"{self.assignment.more_in_common}"
        )

    # -- written -------------------------------------------------------------------------------------------------------

    def _source_rows(self, database: Database, beside: Sequence[RuleColumn], *, some: bool) -> RowsQuery:
        staying, class_ = self.staying if some else None, self.inputs.roles.class_
        return rows_by_classes([*self.released, *beside], self.assignment.assigner, class_, staying)

    def _combinations(self, keys: Sequence[str]) -> Statement:
        held = [self.assignment.scanned_column(name) for name in keys]
        return shown_combinations(self.columns, held, ShownBy.CLASSES, self.staying)

    def described(self, database: Database) -> dict[str, Any]:
        """No rule; the method that assigned the classes."""
        return {
            "rule": None,
            "method": self.assignment.described(database, self.staying),
            "warnings": list(self.assignment.warnings),
            "remarks": list(self.assignment.remarks),
        }

    def as_data(self, database: Database) -> Recoding | None:
        """What was assigned."""
        return self.assignment.as_data(database, self.inputs)

    def forget(self, database: Database) -> None:
        """Remove the assignment, and all that was made of it."""
        self.assignment.forget(database)
        names = self.inputs.roles.quasi_identifiers
        for made in (*MADE, *map(shown_table, names), *map(intervals_table, names)):
            database.drop(("temp", made))


def class_recoder(assignment: Assignment, inputs: ReleaseInputs) -> ClassRecoder:
    """Assigned classes on a source."""
    return ClassRecoder(assignment, inputs=inputs, columns=tuple(node_columns(inputs)))
