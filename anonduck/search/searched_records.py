"""Counted records that rules are searched on, as codes in memory: those of the decision database, or a part of them.

Rules, their measures and the tables that models are trained on are all made from these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cached_property

import numpy as np

from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import FOLDS
from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet, distinct
from anonduck.measures.attributes import CountedColumn, read_counted_columns
from anonduck.measures.judge import VectorJudge
from anonduck.measures.judge_tables import read_leaves
from anonduck.measures.measures import contingency_of
from anonduck.measures.numpy_measures import CodedAttribute
from anonduck.models.contingency import Contingency, SuppressedRecords
from anonduck.rules.measure_names import GENERALIZED, ORIGINAL
from anonduck.rules.rule import LevelVector
from anonduck.search.assessors import FoldedClasses
from anonduck.statements import statement
from anonduck.statements.pipeline.column_names import code_column
from anonduck.taxonomy.catalog import Taxonomy


class SearchedRecords(ABC):
    """Counted records by leaf codes, class and fold, with the taxonomies of their quasi-identifiers as codes."""

    @property
    @abstractmethod
    def columns(self) -> tuple[CountedColumn, ...]:
        """The quasi-identifiers."""

    @abstractmethod
    def table(self, *, with_class: bool) -> FrequencyTable:
        """The frequency set, by class values too where they are asked for."""

    @property
    @abstractmethod
    def folded(self) -> tuple[FrequencyTable, int]:
        """The frequency set with a class code for each fold and class value, and how many class codes a fold has.

        The code is fold * class codes + class code; records that are in no fold have the fold number ``FOLDS``.
        """

    @abstractmethod
    def for_pairs(self) -> AbstractContextManager[Database]:
        """A database whose coded frequency set holds these records."""

    def attributes(self, goal: str) -> dict[str, CodedAttribute]:
        """The quasi-identifiers, with what their cells cost by a measure."""
        return {one.name: one.attribute(goal) for one in self.columns}

    @property
    def roots(self) -> LevelVector:
        """The root level of each quasi-identifier."""
        return tuple(one.taxonomy.root for one in self.columns)

    def contingency(
        self,
        vector: LevelVector,
        left_out: np.ndarray | None = None,
        *,
        test_on: str = GENERALIZED,
    ) -> Contingency:
        """The contingency table of a rule, on the folds of the records.

        Args:
            vector: the levels of the rule; attributes at their root are not in the table.
            left_out: the equivalence classes that are left out, None where none is.
            test_on: ``"original"`` for cells of original values beside the nodes that the rule shows (Last et al. 2014,
                section 5.1).
        """
        named = [place for place, level in enumerate(vector) if level < self.roots[place]]
        original = test_on == ORIGINAL
        finest = tuple(0 if original and place in named else level for place, level in enumerate(vector))
        table, values = self.folded
        cells = FoldedClasses(table.at(finest), values).cells
        shown = cells.codes
        if original:
            paths = [self.columns[place].paths[vector[place]] for place in named]
            shown = np.column_stack([path[codes] for path, codes in zip(paths, cells.codes.T, strict=True)])
        stays, suppressed = np.ones(len(cells.classes), dtype=bool), None
        if left_out is not None:
            _, group = distinct([*shown.T])
            stays = ~left_out[group]
            suppressed = _suppressed(cells.classes, np.where(stays[:, None], 0, cells.folds))
        codes, classes, folds = cells.codes[stays], cells.classes[stays], cells.folds[stays]
        levels = {self.columns[place].name: finest[place] for place in named}
        ordered = {one.name for one in self.columns if one.taxonomy.ordered}
        numbers = {one.name: one.numbers for one in self.columns}
        found = contingency_of(levels, ordered, numbers, codes, classes, folds, suppressed)
        if not original:
            return found
        return replace(found, nodes=shown[stays][folds.sum(axis=1) > 0].astype(np.int32))


def _suppressed(classes: np.ndarray, folds: np.ndarray) -> SuppressedRecords:
    """The records of ``folds`` (cells, folds), summed up by class; every class has a row."""
    known, place = np.unique(classes, return_inverse=True)
    summed = np.zeros((len(known), folds.shape[1]), dtype=np.int64)
    np.add.at(summed, place, folds)
    return SuppressedRecords(known.astype(np.int64), summed)


def kept_contingency(
    records: SearchedRecords,
    judge: VectorJudge,
    levels: Mapping[str, int],
    suppressed: int,
    *,
    test_on: str = GENERALIZED,
) -> Contingency:
    """The contingency table of a rule of these ``levels``, which leaves so many records out as the judge says."""
    vector = judge.space.vector(levels)
    left_out = judge.classes.verdict(vector).left_out if suppressed else None
    return records.contingency(vector, left_out, test_on=test_on)


def fold_table(
    columns: tuple[CountedColumn, ...],
    leaves: tuple[np.ndarray, ...],
    classes: np.ndarray,
    counts: np.ndarray,
) -> tuple[FrequencyTable, int]:
    """A frequency set by fold: ``counts`` (rows, FOLDS + 1) are the records of each row in each fold and in none."""
    row, fold = np.nonzero(counts)
    width = int(classes.max()) + 1
    held = tuple(one.astype(np.int32)[row] for one in leaves)
    base = RolledFrequencySet((0,) * len(held), held, fold * width + classes[row], counts[row, fold])
    return FrequencyTable(tuple(one.taxonomy.root for one in columns), [one.paths for one in columns], base), width


class StoredRecords(SearchedRecords):
    """The records of ``coded_frequency_set``, each part read where it is first asked for.

    Args:
        database: holds the set, with folds where models are trained, and the lookup tables.
        taxonomies: those of the quasi-identifiers, in the order of the rules' space.
        records: how many there are.
    """

    def __init__(self, database: Database, taxonomies: Mapping[str, Taxonomy], records: int) -> None:
        self.database = database
        self._taxonomies = taxonomies
        self._records = records

    @cached_property
    def columns(self) -> tuple[CountedColumn, ...]:
        """See SearchedRecords."""
        return read_counted_columns(self.database, self._taxonomies, self._records)

    @property
    def _leaves(self) -> list[str]:
        return [code_column(name, 0) for name in self._taxonomies]

    def table(self, *, with_class: bool) -> FrequencyTable:
        """See SearchedRecords."""
        paths = [one.paths for one in self.columns]
        return read_leaves(self.database, self._leaves, self.roots, paths, with_class=with_class)

    @cached_property
    def folded(self) -> tuple[FrequencyTable, int]:
        """See SearchedRecords."""
        rows = self.database.arrays(statement("search/lattice_fold_leaves.sql", columns={"leaves": self._leaves}))
        counts = np.empty((len(rows["records"]), FOLDS + 1), dtype=np.int64)
        for number in range(FOLDS):
            counts[:, number] = rows.pop(f"fold_{number}")  # what is read is given up: the frequency set may be large
        counts[:, FOLDS] = rows.pop("records") - counts[:, :FOLDS].sum(axis=1)
        leaves = tuple(rows.pop(leaf) for leaf in self._leaves)
        return fold_table(self.columns, leaves, rows["class_code"].astype(np.int64), counts)

    @contextmanager
    def for_pairs(self) -> Iterator[Database]:
        """See SearchedRecords."""
        yield self.database
