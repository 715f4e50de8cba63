"""Counted cells as records that rules are searched on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anonduck.frequency.frequency_set import FOLDS
from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet
from anonduck.measures.attributes import CountedColumn
from anonduck.measures.counted_cells import CountedCells, read_coded_cells
from anonduck.measures.judge import VectorJudge
from anonduck.measures.judge_tables import JudgeTables
from anonduck.measures.measures import CODED, totals_of
from anonduck.measures.requirement import Requirement
from anonduck.rules.rule import RuleSpace
from anonduck.search.searched_records import SearchedRecords, fold_table
from anonduck.statements import statement
from anonduck.statements.pipeline.column_names import CELL, CLASS, RECORDS, code_column

if TYPE_CHECKING:
    import pandas as pd

    from anonduck.database.connection import Database

NEITHER = "these records have no folds, and no database that joins their pairs"


class CellRecords(SearchedRecords):
    """The records of cells, for searches that train no model and join no pairs.

    Args:
        columns: the quasi-identifiers, whatever records they count.
        cells: the records.
    """

    def __init__(self, columns: Sequence[CountedColumn], cells: CountedCells) -> None:
        self.cells = cells
        self._whole = columns

    @cached_property
    def columns(self) -> tuple[CountedColumn, ...]:
        """See SearchedRecords."""
        each = zip(self._whole, self.cells.leaves, strict=True)
        return tuple(replace(one, held=self.held(codes, len(one.held))) for one, codes in each)

    def held(self, codes: np.ndarray, values: int) -> np.ndarray:
        """The records of each of so many codes; ``codes`` (rows of the cells,)."""
        return np.bincount(codes, weights=self.cells.records, minlength=values).astype(np.int64)

    def table(self, *, with_class: bool) -> FrequencyTable:
        """See SearchedRecords."""
        first, group = self.cells.by_class if with_class else self.cells.combinations
        leaves = tuple(one[first].astype(np.int32) for one in self.cells.leaves)
        classes = self.cells.classes[first] if with_class else None
        base = RolledFrequencySet((0,) * len(leaves), leaves, classes, self.held(group, len(first)))
        return FrequencyTable(self.roots, [one.paths for one in self.columns], base)

    @property
    def folded(self) -> tuple[FrequencyTable, int]:
        """See SearchedRecords."""
        raise ValueError(NEITHER)

    def for_pairs(self) -> AbstractContextManager[Database]:
        """See SearchedRecords."""
        raise ValueError(NEITHER)

    def judge(self, requirement: Requirement, floor: Mapping[str, int] | None = None) -> VectorJudge:
        """A judge of rules on these records, none of which has a level under a ``floor``."""
        roots = {one.name: one.taxonomy.root for one in self.columns}
        floor = {name: min(level, roots[name]) for name, level in (floor or {}).items()}  # a part may have fewer levels
        space = RuleSpace.keeping(roots, requirement.keep, floor)
        totals = totals_of(self.held(self.cells.classes, 1))
        tables = JudgeTables(requirement, lambda: self.table(with_class=True), lambda: self.cells)
        return VectorJudge(space, requirement, totals, tables)


class PartRecords(CellRecords):
    """A part of the counted records of a source, for all searches.

    Args:
        database: joins the pairs of records, apart from what it holds.
        columns: the quasi-identifiers, whatever records they count.
        cells: the records of the part.
        folds: (combinations of leaves and class, FOLDS), the records of each in each fold.
    """

    def __init__(
        self,
        database: Database,
        columns: Sequence[CountedColumn],
        cells: CountedCells,
        folds: np.ndarray,
    ) -> None:
        super().__init__(columns, cells)
        self.database = database
        self._folds = folds

    @cached_property
    def folded(self) -> tuple[FrequencyTable, int]:
        """See SearchedRecords."""
        first, group = self.cells.by_class
        others = self.held(group, len(first)) - self._folds.sum(axis=1)
        leaves = tuple(one[first] for one in self.cells.leaves)
        return fold_table(self.columns, leaves, self.cells.classes[first], np.column_stack([self._folds, others]))

    @contextmanager
    def for_pairs(self) -> Iterator[Database]:
        """See SearchedRecords; what is written of the pairs is forgotten."""
        with self.database.apart(), self.database.registered(CODED, self._coded()):
            yield self.database

    def _coded(self) -> pd.DataFrame:
        """The coded frequency set of the part."""
        import pandas as pd

        first, group = self.cells.by_class
        codes = {
            code_column(column.name, level): _smallest(path)[leaves[first]]
            for column, leaves in zip(self.columns, self.cells.leaves, strict=True)
            for level, path in enumerate(column.paths)
        }
        counted = {CLASS: self.cells.classes[first], RECORDS: self.held(group, len(first))}
        return pd.DataFrame({CELL: np.arange(len(first)), **codes, **counted})


def _smallest(codes: np.ndarray) -> np.ndarray:
    """The same codes in the type that takes the least memory."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))


def read_stored_cells(
    database: Database, names: Sequence[str], requirement: Requirement, *, blocks: bool
) -> CountedCells:
    """The counted records of a decision database, with the sensitive values that are required to differ, or with their
    records by block."""
    counted = read_coded_cells(database, names, requirement)
    if not blocks:
        return counted
    leaves = {"leaves": [code_column(name, 0) for name in names]}
    rows = database.arrays(statement("search/lattice_fold_leaves.sql", columns=leaves))
    by_block = [rows[f"fold_{number}"] for number in range(FOLDS)]
    return replace(counted, blocks=np.column_stack(by_block).astype(np.int64))
