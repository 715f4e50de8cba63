"""The tables that requirements are judged on: the frequency set by class, and by values of each sensitive column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import read_paths
from anonduck.frequency.roll_up import KEPT_CODES, FrequencyTable, RolledFrequencySet, distinct
from anonduck.measures.counted_cells import CountedCells, SensitiveColumn, read_coded_cells
from anonduck.measures.measures import CODED
from anonduck.measures.numpy_requirements import SensitiveValues
from anonduck.measures.requirement import Requirement
from anonduck.rules.rule import LevelVector, RuleSpace
from anonduck.statements import statement
from anonduck.statements.pipeline.column_names import CLASS, code_column


@dataclass(frozen=True, eq=False)
class SensitiveTable:
    """The frequency set by the values of one sensitive column, and what is known of these."""

    table: FrequencyTable
    values: SensitiveValues


@dataclass(frozen=True, eq=False)
class JudgeTables:
    """The tables of a judge, each made where it is asked for.

    Attributes:
        requirement: names the sensitive columns.
        by_class: reads the frequency set by class, whatever the sensitive values.
        cells: reads the counted records.
    """

    requirement: Requirement
    by_class: Callable[[], FrequencyTable]
    cells: Callable[[], CountedCells]

    def sensitive(self, table: FrequencyTable) -> tuple[SensitiveTable, ...]:
        """The frequency set by the values of each sensitive column, beside the ``table`` by class."""
        if not self.requirement.sensitive:
            return ()
        cells = self.cells()
        return tuple(self._sensitive(table, cells, cells.sensitive[name]) for name in self.requirement.sensitive)

    def _sensitive(self, table: FrequencyTable, cells: CountedCells, column: SensitiveColumn) -> SensitiveTable:
        roots, paths, alike = table.roots, table.paths, cells.leaves
        present, codes = np.unique(column.codes, return_inverse=True)
        first, group = distinct([*alike, codes])
        counted = np.bincount(group, weights=cells.records, minlength=len(first)).astype(np.int64)
        held = tuple(one[first].astype(np.int32) for one in alike)
        base = RolledFrequencySet((0,) * len(held), held, codes[first], counted)
        kept = KEPT_CODES // len(self.requirement.sensitive)
        return SensitiveTable(FrequencyTable(roots, paths, base, kept), column.values.only(present))


def stored_tables(database: Database, space: RuleSpace, requirement: Requirement) -> JudgeTables:
    """The tables of the coded frequency set of a database, or of that with sensitive values."""

    def by_class() -> FrequencyTable:
        leaves = [code_column(name, 0) for name in space.attributes]
        found = read_paths(database, dict(zip(space.attributes, space.roots, strict=True)))
        paths = [found[name][0] for name in space.attributes]
        return read_leaves(database, leaves, space.roots, paths, with_class=True)

    def cells() -> CountedCells:
        return read_coded_cells(database, space.attributes, requirement)

    return JudgeTables(requirement, by_class, cells)


def read_leaves(
    database: Database,
    leaves: Sequence[str],
    roots: LevelVector,
    paths: Sequence[Sequence[np.ndarray]],
    *,
    with_class: bool,
) -> FrequencyTable:
    """The coded frequency set in memory, by class values too where they are asked for.

    Args:
        database: holds ``coded_frequency_set``.
        leaves: its columns of leaf codes, one for each attribute.
        roots: the root level of each attribute.
        paths: by attribute and level under the root, the node code of each leaf code.
        with_class: whether rows have the class; else rows that are equal in all leaves are one.
    """
    if with_class:
        columns: dict[str, Sequence[str]] = {"leaves": leaves, "ordered": [*leaves, CLASS]}
        query = statement("measures/class_leaves.sql", columns=columns, table={"coded": CODED})
    else:
        query = statement("measures/leaves.sql", columns={"leaves": leaves})
    rows = database.arrays(query)
    held = tuple(rows[name].astype(np.int32) for name in leaves)
    classes = rows["class_code"].astype(np.int64) if with_class else None
    base = RolledFrequencySet((0,) * len(held), held, classes, rows["records"].astype(np.int64))
    return FrequencyTable(roots, paths, base)
