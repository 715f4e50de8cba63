"""The counted records of a source as codes: a row for each combination of leaves, class and sensitive values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from anonduck.database.connection import Database
from anonduck.database.progress import no_message
from anonduck.frequency.frequency_set import FOLDS, most_cells, sampled_if_many
from anonduck.frequency.roll_up import distinct
from anonduck.measures.measures import CODED
from anonduck.measures.numpy_requirements import SensitiveValues, TaxonomyNodes
from anonduck.measures.requirement import Requirement
from anonduck.models.folds import draw_folds
from anonduck.privacy import relations
from anonduck.privacy.audited_tables import sensitive_names
from anonduck.privacy.chosen_values import EVERY
from anonduck.privacy.lookup import refuse_lacking
from anonduck.privacy.relations import refuse_undeclared
from anonduck.statements import statement
from anonduck.statements.pipeline.column_names import CLASS, CODED_SENSITIVE, code_column

if TYPE_CHECKING:
    import pandas as pd

VALUE_CODES = "sensitive_codes"
LISTED = "listed_paths"
DEALING = 3_000_017  # added to the seed: records of a cell that differ in sensitive values are dealt to its folds


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """The value code of each row in a sensitive column, (rows,), and what is known of the values."""

    codes: np.ndarray
    values: SensitiveValues


@dataclass(frozen=True, eq=False)
class CountedCells:
    """Records as counted rows: one for each combination of leaves, class and sensitive values.

    Attributes:
        leaves: by column, the leaf code of each row, (rows,); 0 is NULL.
        classes: (rows,), class codes; 0 is NULL.
        sensitive: the sensitive columns, by name.
        records: (rows,), the records of each row.
        blocks: (cells, folds), where the config has ``split_by``: the records of each combination of leaves and class
            by block, in their order.
    """

    leaves: tuple[np.ndarray, ...]
    classes: np.ndarray
    sensitive: Mapping[str, SensitiveColumn]
    records: np.ndarray
    blocks: np.ndarray | None = None

    @property
    def total(self) -> int:
        """The number of records."""
        return int(self.records.sum())

    @cached_property
    def combinations(self) -> tuple[np.ndarray, np.ndarray]:
        """A row of each distinct combination of leaves, in their order, and the combination of each row."""
        return distinct(list(self.leaves))

    @cached_property
    def by_class(self) -> tuple[np.ndarray, np.ndarray]:
        """A row of each distinct combination of leaves and class, in their order, and the combination of each row."""
        return distinct([*self.leaves, self.classes])

    def without(self, records: np.ndarray) -> Self:
        """The same less some records of each row, (rows,): what is left where a fold is taken out."""
        left = self.records - records
        held = left > 0
        return replace(
            self,
            leaves=tuple(one[held] for one in self.leaves),
            classes=self.classes[held],
            sensitive={name: replace(one, codes=one.codes[held]) for name, one in self.sensitive.items()},
            records=left[held],
            blocks=None,
        )

    # -- folds ---------------------------------------------------------------------------------------------------------

    def folds(self, seed: int) -> np.ndarray:
        """The records of each row in each fold, (rows, folds): the folds of its cell, as a discovery draws them.

        The rows of a cell, which differ in sensitive values alone, are dealt the folds of the cell at random.
        """
        first, cell = self.by_class
        whole = self._summed(cell, len(first))
        drawn = draw_folds(whole, self.classes[first], folds=FOLDS, seed=seed)
        if len(first) == len(self.records):
            found: np.ndarray = drawn[cell]
            return found
        rows = np.repeat(np.arange(len(self.records)), self.records)
        order = np.argsort(cell[rows], kind="stable")
        dealt = np.repeat(np.tile(np.arange(FOLDS), len(first)), drawn.ravel())
        cells = np.repeat(np.arange(len(first)), whole)
        shuffled = np.lexsort((np.random.default_rng(seed + DEALING).random(len(dealt)), cells))
        folds = np.zeros((len(self.records), FOLDS), dtype=np.int64)
        np.add.at(folds, (rows[order], dealt[shuffled]), 1)
        return folds

    def sampled_folds(self, seed: int, announce: Callable[[str], None]) -> np.ndarray:
        """The records of each combination of leaves and class that models see, by fold, (combinations, folds).

        Where there are more combinations than ``most_cells``, those of an unbiased sample.
        """
        first, cell = self.by_class
        records = self._summed(cell, len(first))
        return fold_records(records, self.classes[first], len(self.leaves), seed, announce, self.blocks)

    def _summed(self, group: np.ndarray, groups: int) -> np.ndarray:
        return np.bincount(group, weights=self.records, minlength=groups).astype(np.int64)


def fold_records(
    records: np.ndarray,
    classes: np.ndarray,
    attributes: int,
    seed: int,
    announce: Callable[[str], None] = no_message,
    blocks: np.ndarray | None = None,
) -> np.ndarray:
    """The records of each cell that models see, by fold, (cells, folds).

    Args:
        records: (cells,), the records of each cell.
        classes: (cells,), their class codes.
        attributes: how many columns the cells have; where there are more cells than ``most_cells``, models see those of
            an unbiased sample.
        seed: draws the sample and the folds.
        announce: hears of the sample.
        blocks: (cells, folds), the records of each block, which are the folds then.
    """
    most = most_cells(attributes)
    if blocks is not None:
        return sampled_if_many(blocks, records, most, seed, announce)
    few = sampled_if_many(records, records, most, seed, announce)
    folds = np.zeros((len(records), FOLDS), dtype=np.int64)
    held = np.flatnonzero(few)
    folds[held] = draw_folds(few[held], classes[held], folds=FOLDS, seed=seed)
    return folds


def read_counted_cells(
    database: Database,
    table: str,
    leaves: Sequence[str],
    ordered: Sequence[str],
    requirement: Requirement,
    sensitive: Mapping[str, str],
) -> CountedCells:
    """The rows of a table of coded records, with what is known of their sensitive values.

    Args:
        database: holds the table, whose class codes are in ``CLASS``.
        table: its name.
        leaves: its columns of leaf codes.
        ordered: its columns by which rows are ordered; no two rows are equal in them.
        requirement: its models say what is known of sensitive values.
        sensitive: by sensitive column, what its values are called in the table.
    """
    columns: dict[str, Sequence[str]] = {"leaves": leaves, "ordered": ordered}
    rows = database.arrays(statement("measures/class_leaves.sql", columns=columns, table={"coded": table}))
    values = {}
    for name, stored in sensitive.items():
        try:
            known = read_sensitive_values(database, requirement, name, stored=stored, table=table)
            query = statement(
                "measures/value_codes.sql",
                columns={"ordered": ordered},
                column={"sensitive": stored},
                table={"coded": table},
            )
            codes = database.arrays(query)["value_code"]
        finally:
            relations.forget(database, [VALUE_CODES])
        values[name] = SensitiveColumn(codes.astype(np.int64), known)
    return CountedCells(
        leaves=tuple(rows[leaf].astype(np.int64) for leaf in leaves),
        classes=rows["class_code"].astype(np.int64),
        sensitive=values,
        records=rows["records"].astype(np.int64),
    )


def read_coded_cells(database: Database, names: Sequence[str], requirement: Requirement) -> CountedCells:
    """The coded frequency set of a decision database, with the sensitive values that are required to differ."""
    leaves = [code_column(name, 0) for name in names]
    called = sensitive_names(len(requirement.sensitive))
    table, ordered = CODED, [*leaves, CLASS]
    if called:
        table, ordered = CODED_SENSITIVE, [*leaves, CLASS, *called, "#records"]
    sensitive = dict(zip(requirement.sensitive, called, strict=True))
    return read_counted_cells(database, table, leaves, ordered, requirement, sensitive)


def read_sensitive_values(
    database: Database, requirement: Requirement, column: str, *, stored: str, table: str
) -> SensitiveValues:
    """What is known of each value of a sensitive column, ``stored`` in a table under that name.

    Leaves their codes in ``sensitive_codes``. Raises AuditError where a taxonomy that requirements read lacks some.
    """
    query = statement("measures/sensitive_codes.sql", column={"sensitive": stored}, table={"coded": table})
    order = list(requirement.orders.get(column, ()))
    of_policy = None
    if requirement.floors:
        database.run(query, {**requirement.of_policy.get(column, EVERY).binds, "declared": order})
        of_policy = database.arrays(statement("measures/sensitive_values.sql"))["concerning"].astype(bool)
    database.run(query, {**requirement.chosen.get(column, EVERY).binds, "declared": order})
    rows = database.arrays(statement("measures/sensitive_values.sql"))
    if order:
        refuse_undeclared(column, int((~rows["declared"] & ~rows["missing"]).sum()))
    taxonomy = _nodes(database, requirement.paths[column]) if column in requirement.paths else None
    if taxonomy is not None:
        refuse_lacking(column, len(rows["missing"]) - len(taxonomy.nodes[0]))
    return SensitiveValues(
        missing=rows["missing"].astype(bool),
        numbers=(rows["declared"] if order else rows["number"]).astype(bool),
        moments=rows["moment"].astype(bool),
        concerning=rows["concerning"].astype(bool),
        taxonomy=taxonomy,
        of_policy=of_policy,
    )


def _nodes(database: Database, listed: pd.DataFrame) -> TaxonomyNodes:
    with database.registered(LISTED, listed):
        rows = database.arrays(statement("measures/sensitive_nodes.sql", table={"listed": LISTED}))
    height = int(listed["level"].max()) + 1
    levels = [rows["level"] == level for level in range(height)]
    nodes, parents = rows["node"].astype(np.int64), rows["parent"].astype(np.int64)
    lowest = int(listed["node"].min())
    return TaxonomyNodes([nodes[one] - lowest for one in levels], [parents[one] - lowest for one in levels], height)
