"""The counted records of a source as codes: what recodings are applied to, and what they are evaluated on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from anonduck.database.connection import Database
from anonduck.database.progress import no_message
from anonduck.frequency.coded_set import coded_frequency_set
from anonduck.frequency.frequency_set import (
    FOLDS,
    SPLIT_SET,
    check_mapped,
    check_source,
    coded_split,
    make_lookup,
    write_class_values,
)
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.attributes import CountedColumn, read_counted_columns
from anonduck.measures.counted_cells import CountedCells, read_counted_cells
from anonduck.measures.released_cells import CellColumn
from anonduck.models.contingency import Contingency
from anonduck.statements import line, statement
from anonduck.statements.pipeline.column_names import CLASS, code_column
from anonduck.statements.template import table_of
from anonduck.taxonomy.calendar import calendar_of
from anonduck.taxonomy.catalog import CatalogEntry, entries
from anonduck.taxonomy.checks.checks import refuse_broken_trees
from anonduck.taxonomy.interval_cells import cells_of, made_labels, opened_by

if TYPE_CHECKING:
    from anonduck.measures.requirement import Requirement
    from anonduck.methods.coded_records import PlacedColumn
    from anonduck.source.source import Roles
    from anonduck.taxonomy.calendar import Calendar
    from anonduck.taxonomy.interval_cells import IntervalCells, OpenLabels
    from anonduck.workspace import Workspace

CODED, COUNTED = "coded_cells", "evaluated_cells"


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A quasi-identifier as codes.

    Attributes:
        counted: its taxonomy as codes, and the records of each value.
        cell: the costs of its nodes, and what a model sees of it.
        placed: its values in a row, as methods cut them.
        texts: the distinct labels that it may show, and None for NULL.
        labels: (leaf codes, levels), for each value and level, the root among these, the place of its label in
            ``texts``.
        unknown: (leaf codes,), whether the taxonomy lacks the value; such a value shows the root.
        written: how the labels of its intervals are written; None where it has none that anonduck made.
        intervals: its finest intervals, where it has some that anonduck made.
        calendar: the units of its levels, where these are dates.
    """

    counted: CountedColumn
    cell: CellColumn
    placed: PlacedColumn
    texts: tuple[str | None, ...]
    labels: np.ndarray
    unknown: np.ndarray
    written: OpenLabels | None
    intervals: IntervalCells | None
    calendar: Calendar | None = None

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.cell.name

    @property
    def opening(self) -> OpenLabels | None:
        """How the labels of its outer intervals are opened; None where they stay."""
        return opened_by(self.written)

    def only(self, codes: np.ndarray, records: np.ndarray) -> CodedColumn:
        """The same of fewer values: ``codes`` are their leaf codes, ascending, ``records`` those of NULL and each."""
        places = np.r_[0, codes]
        paths = (np.arange(len(places)), *(path[places] for path in self.counted.paths[1:]))
        numbers = self.counted.numbers[places]
        counted = replace(self.counted, paths=paths, held=records, numbers=numbers)
        shown = np.array(self.texts, dtype=object)[self.labels[places]]
        made = made_column(counted, shown, self.unknown[places], self.intervals, self.written)
        return replace(made, calendar=self.calendar)

    @property
    def root(self) -> int:
        """The level of the root."""
        return self.cell.by_loss.root


@dataclass(frozen=True, eq=False, kw_only=True)
class Cells(CountedCells):
    """The records of a source as counted rows.

    Attributes:
        columns: the quasi-identifiers.
        class_texts: the values of the class as text, by code.
    """

    columns: tuple[CodedColumn, ...]
    class_texts: tuple[str | None, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return tuple(column.name for column in self.columns)

    def ungeneralized(self, seed: int) -> Contingency:
        """The contingency table of the records as they came, with all columns."""
        first, _ = self.by_class
        folds = self.sampled_folds(seed, no_message)
        held = np.flatnonzero(folds.any(axis=1))
        leaves = np.column_stack([one[first][held] for one in self.leaves])
        return self.original_table(range(len(self.columns)), leaves, self.classes[first][held], folds[held])

    def original_table(
        self, places: Sequence[int], leaves: np.ndarray, classes: np.ndarray, folds: np.ndarray
    ) -> Contingency:
        """A contingency table of original values in some columns: ``leaves`` (cells, columns), ``classes`` (cells,),
        ``folds`` (cells, folds)."""
        values = leaves.astype(np.float64)
        for at, place in enumerate(places):
            column = self.columns[place].cell
            if column.ordered:
                values[:, at] = column.numbers[leaves[:, at]]
        return Contingency(
            codes=leaves.astype(np.int32),
            nominal=tuple(not self.columns[place].cell.ordered for place in places),
            sizes=tuple(len(self.columns[place].labels) - 1 for place in places),
            classes=classes,
            folds=folds,
            values=values,
        )


# -- read --------------------------------------------------------------------------------------------------------------


def read_cells(workspace: Workspace, label_k: int, requirement: Requirement, *, checked: bool = False) -> Cells:
    """Count the records of a source in one scan, and read them with taxonomies whose labels are made for a k.

    Args:
        workspace: has a database of its own, in which working tables are made.
        label_k: no label names a value that fewer records hold.
        requirement: its models say what is known of sensitive values.
        checked: whether the source and its taxonomies were looked at before.

    Raises SourceError for a source without records, TaxonomyError for a value that a taxonomy lacks or for one that is
    no tree.
    """
    database, config = workspace.database, workspace.config
    source, roles = workspace.opened
    names, sensitive = list(roles.quasi_identifiers), _sensitive(roles, requirement)
    if not checked:
        check_source(source.engine, roles, config)
    taxonomies = taxonomies_of(workspace, names, label_k)
    source, roles = workspace.opened
    source.engine.frequency_set([*names, roles.class_, *sensitive])
    if not checked:
        refuse_broken_trees(database, names, frequency="frequency_set", show_values=False)
    for name in names:
        make_lookup(database, taxonomies[name])
    mapped = {name: taxonomies[name] for name in names}
    check_mapped(database, mapped, refuse=() if config.unmapped == "root" else None)
    write_class_values(database, roles)
    called = called_columns(workspace, requirement)
    database.run(coded_frequency_set(CODED, dict.fromkeys(names, 1), roles.class_, kept=called))
    leaves = [code_column(name, 0) for name in names]
    ordered = [*leaves, CLASS, *(called[name] for name in sensitive)]
    text = 'SELECT (row_number() OVER (ORDER BY each(ordered, "{name}"))) - 1 AS "#row", * FROM coded_cells'
    database.run(table_of(COUNTED, line("evaluation/cells.read_cells", text, ordered=ordered)))
    rows = read_counted_cells(
        database, COUNTED, leaves, ["#row"], requirement, {name: called[name] for name in sensitive}
    )
    counted = read_counted_columns(database, {name: taxonomies[name] for name in names}, rows.total)
    stored = entries(database)
    texts = line("evaluation/cells.read_cells", "SELECT value::VARCHAR AS text FROM class_values ORDER BY code")
    read = Cells(
        columns=tuple(_coded_column(database, one, stored[one.name]) for one in counted),
        leaves=rows.leaves,
        classes=rows.classes,
        sensitive=rows.sensitive,
        records=rows.records,
        class_texts=(None, *(text for (text,) in database.rows(texts))),
    )
    if config.split_by is None or not config.models:
        return read
    source.engine.frequency_set([*names, roles.class_, config.split_by], SPLIT_SET)
    database.run(coded_split(dict.fromkeys(names, 1), roles.class_, config.split_by))
    counts = database.arrays(statement("frequency/block_counts.sql", columns={"leaves": leaves}))
    blocks = np.column_stack([counts[f"fold_{number}"] for number in range(FOLDS)]).astype(np.int64)
    return replace(read, blocks=blocks)


def called_columns(workspace: Workspace, requirement: Requirement) -> dict[str, str]:
    """By column of the source, what its values are called in ``evaluated_cells``."""
    roles = workspace.roles
    columns = dict.fromkeys([*roles.quasi_identifiers, roles.class_, *_sensitive(roles, requirement)])
    return {name: f"v{place}" for place, name in enumerate(columns)}


def _sensitive(roles: Roles, requirement: Requirement) -> list[str]:
    return list(dict.fromkeys([*requirement.sensitive, *roles.sensitive]))


def _coded_column(database: Database, counted: CountedColumn, entry: CatalogEntry) -> CodedColumn:
    """Read the labels of a column, whose taxonomy is registered as ``entry``."""
    taxonomy, written = counted.taxonomy, made_labels(database, entry)
    name, root = taxonomy.column, taxonomy.root
    levels = [f"level_{level}" for level in range(1, root + 1)]
    text = 'SELECT value::VARCHAR AS text, each(levels, "{name}";) FROM "lookup"."{lookup}" ORDER BY code_0'
    rows = database.rows(line("evaluation/cells._coded_column", text, levels=levels, lookup=name))
    query = statement(
        "taxonomy/root_label.sql", table={"taxonomy": ("taxonomy", name)}, column={"root": f"level_{root}"}
    )
    shown = np.full((len(rows) + 1, root + 1), None, dtype=object)
    shown[1:] = rows if rows else shown[1:]
    unknown = np.array([False, *(row[1] is None for row in rows)])
    shown[:, root] = database.value(query) or "*"
    made = made_column(counted, shown, unknown, cells_of(database, taxonomy, written), written)
    return replace(made, calendar=calendar_of(database, entry))


def made_column(
    counted: CountedColumn,
    shown: np.ndarray,
    unknown: np.ndarray,
    intervals: IntervalCells | None,
    written: OpenLabels | None,
) -> CodedColumn:
    """A column of counted records: ``shown`` (leaf codes, levels) are the labels of each value, None for NULL under the
    root; ``unknown`` (leaf codes,) are the values that the taxonomy lacks."""
    root = shown.shape[1] - 1
    texts: dict[str | None, int] = {None: 0, shown[0, root]: 1}
    labels = np.ones(shown.shape, dtype=np.int64)
    for level in range(root):
        labels[:, level] = [texts.setdefault(text, len(texts)) for text in shown[:, level]]
    labels[unknown, 1:] = 1
    return CodedColumn(
        counted=counted,
        cell=counted.cells,
        placed=counted.placed(),
        texts=tuple(texts),
        labels=labels,
        unknown=unknown,
        written=written,
        intervals=intervals,
    )
