"""Reads what requirements are judged by: the frequency set by class, and by the values of each sensitive column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import read_paths
from anonduck.frequency.roll_up import KEPT_CODES, FrequencyTable, RolledFrequencySet
from anonduck.measures.measures import CODED
from anonduck.measures.numpy_requirements import SensitiveValues, TaxonomyNodes
from anonduck.measures.requirement import Requirement
from anonduck.privacy import relations
from anonduck.privacy.chosen_values import EVERY
from anonduck.privacy.lookup import refuse_lacking
from anonduck.privacy.relations import refuse_undeclared
from anonduck.rules.rule import LevelVector, RuleSpace
from anonduck.statements import statement
from anonduck.statements.builder_privacy import sensitive_names
from anonduck.statements.pipeline.builder_frequency import CLASS, CODED_SENSITIVE, code_column

if TYPE_CHECKING:
    import pandas as pd

VALUE_CODES = "sensitive_codes"
LISTED = "listed_paths"


@dataclass(frozen=True, eq=False)
class SensitiveTable:
    """The frequency set by the values of one sensitive column, and what is known of these."""

    table: FrequencyTable
    values: SensitiveValues


class JudgeTables:
    """Reads the tables of a judge; where k counts the class, it is one more attribute that has a level 0 alone."""

    def __init__(self, database: Database, space: RuleSpace, requirement: Requirement) -> None:
        self.database = database
        self.requirement = requirement
        self.leaves = [code_column(name, 0) for name in space.attributes]
        self.names = space.attributes
        self.roots = space.roots

    @cached_property
    def paths(self) -> list[tuple[np.ndarray, ...]]:
        """The paths of each attribute; a judge that is given its table may need none."""
        found = read_paths(self.database, dict(zip(self.names, self.roots, strict=True)))
        return [found[name][0] for name in self.names]

    def by_class(self) -> FrequencyTable:
        """The frequency set by class, whatever the sensitive values."""
        return read_leaves(self.database, self.leaves, self.roots, self.paths, with_class=True)

    def sensitive(self) -> tuple[SensitiveTable, ...]:
        """The frequency set by the values of each sensitive column."""
        if not self.requirement.sensitive:
            return ()
        names = zip(self.requirement.sensitive, sensitive_names(len(self.requirement.sensitive)), strict=True)
        try:
            return tuple(self._sensitive(column, name) for column, name in names)
        finally:
            relations.forget(self.database, [VALUE_CODES])

    @property
    def _columns(self) -> list[str]:
        return [*self.leaves, *([CLASS] if self.requirement.with_class else [])]

    def _sensitive(self, column: str, name: str) -> SensitiveTable:
        values = read_sensitive_values(self.database, self.requirement, column, stored=name, table=CODED_SENSITIVE)
        query = statement(
            "measures/sensitive_leaves.sql", columns={"leaves": self._columns}, column={"sensitive": name}
        )
        found = self.database.arrays(query)
        kept = KEPT_CODES // len(self.requirement.sensitive)
        return SensitiveTable(self._table(found, found["value_code"].astype(np.int64), kept), values)

    def _table(self, rows: dict[str, np.ndarray], values: np.ndarray, kept_codes: int) -> FrequencyTable:
        columns = tuple(rows[name].astype(np.int32) for name in self._columns)
        given = (self.roots, self.paths, columns, values, rows["records"].astype(np.int64), kept_codes)
        return table_of_values(*given, with_class=self.requirement.with_class)


def table_of_values(
    roots: LevelVector,
    paths: Sequence[Sequence[np.ndarray]],
    columns: tuple[np.ndarray, ...],
    values: np.ndarray,
    records: np.ndarray,
    kept_codes: int,
    *,
    with_class: bool,
) -> FrequencyTable:
    """The frequency set by the value codes of a sensitive column, (rows,); where k counts the class, ``columns`` has
    its codes behind the leaf codes."""
    base = RolledFrequencySet((0,) * len(columns), columns, values, records)
    if not with_class:
        return FrequencyTable(roots, paths, base, kept_codes)
    classes = (np.arange(int(columns[-1].max()) + 1),)
    return FrequencyTable((*roots, 1), [*paths, classes], base, kept_codes)


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


def read_sensitive_values(
    database: Database, requirement: Requirement, column: str, *, stored: str, table: str
) -> SensitiveValues:
    """What is known of each value of a sensitive column, ``stored`` in a table under that name.

    Leaves their codes in ``sensitive_codes``. Raises AuditError where a taxonomy that requirements read lacks some.
    """
    query = statement("measures/sensitive_codes.sql", column={"sensitive": stored}, table={"coded": table})
    order = list(requirement.orders.get(column, ()))
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
    )


def _nodes(database: Database, listed: pd.DataFrame) -> TaxonomyNodes:
    with database.registered(LISTED, listed):
        rows = database.arrays(statement("measures/sensitive_nodes.sql", table={"listed": LISTED}))
    height = int(listed["level"].max()) + 1
    levels = [rows["level"] == level for level in range(height)]
    nodes, parents = rows["node"].astype(np.int64), rows["parent"].astype(np.int64)
    lowest = int(listed["node"].min())
    return TaxonomyNodes([nodes[one] - lowest for one in levels], [parents[one] - lowest for one in levels], height)
