"""Reads quasi-identifiers as codes: their paths, what their cells cost, and what a model sees of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import read_numbers, read_paths
from anonduck.measures.numpy_measures import CodedAttribute, height_cost, node_costs
from anonduck.measures.released_cells import CellColumn
from anonduck.methods.coded_records import PlacedColumn, placed_column, with_cells
from anonduck.statements import statement

if TYPE_CHECKING:
    from anonduck.taxonomy.catalog import Taxonomy
    from anonduck.taxonomy.interval_cells import IntervalCells

HEIGHTS = ("precision", "distortion")
LOOKUP = "lookup"


@dataclass(frozen=True, eq=False)
class CountedColumn:
    """A quasi-identifier of counted records: its taxonomy as codes, and how many records have each value.

    Attributes:
        taxonomy: what its codes are made from.
        paths: by level under the root, the node of each leaf code, (leaf codes,); 0 is NULL.
        held: (leaf codes,), the records of each value.
        nodes: a row for each node above the leaves: its level, its code, and how much of the column it covers.
        numbers: (leaf codes,), what stands for each value where they are in an order, NaN for NULL.
    """

    taxonomy: Taxonomy
    paths: tuple[np.ndarray, ...]
    held: np.ndarray
    nodes: Mapping[str, np.ndarray]
    numbers: np.ndarray

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.taxonomy.column

    @property
    def known(self) -> np.ndarray:
        """(leaf codes,), whether its taxonomy knows the value; NULL is known."""
        found = self.paths[1] != 0 if len(self.paths) > 1 else np.ones(len(self.held), dtype=bool)
        found[0] = True
        return found

    def attribute(self, goal: str) -> CodedAttribute:
        """The column with what its cells cost by the measure ``goal``."""
        unknown = [path[1:] == 0 for path in self.paths[1:]]
        costs = [np.zeros(len(self.held))]
        for level, path in enumerate(self.paths[1:], start=1):
            shares = self._shares(level, int(path.max()), goal)
            costs.append(np.where(path == 0, 1.0, shares[path]))
            costs[-1][0] = 0.0
        return CodedAttribute(
            paths=self.paths,
            records=self.held,
            costs=tuple(costs),
            unknown=any(bool(one.any()) for one in unknown),
        )

    def _shares(self, level: int, codes: int, goal: str) -> np.ndarray:
        """What a record of each node code of a level costs, from 0 to 1."""
        if goal in HEIGHTS:
            return np.full(codes + 1, height_cost(level, self.taxonomy.root))
        nodes = self.nodes
        if not len(nodes["code"]):  # a column that holds only NULL
            return np.zeros(codes + 1)
        cost = node_costs(goal, nodes, ordered=self.taxonomy.ordered)
        here = nodes["level"] == level
        shares = np.zeros(max(codes, int(nodes["code"].max())) + 1)
        shares[nodes["code"][here]] = cost[here]
        return shares

    @property
    def cells(self) -> CellColumn:
        """The column as one of released cells."""
        taxonomy = self.taxonomy
        loss, ncp = self.attribute("loss"), self.attribute("ncp")
        return CellColumn(self.name, loss, ncp, taxonomy.ordered, taxonomy.leaves, self.numbers)

    def placed(self, intervals: IntervalCells | None = None) -> PlacedColumn:
        """The column as methods cut it, by nodes or by ``intervals``."""
        nodes, taxonomy = self.nodes, self.taxonomy
        leaves = [np.ones(int(path.max()) + 1, dtype=np.int64) for path in self.paths]
        for level, covered in enumerate(leaves[1:], start=1):
            here = (nodes["level"] == level) & (nodes["code"] < len(covered))
            covered[nodes["code"][here]] = nodes["leaves"][here]
        column = placed_column(self.paths, leaves, taxonomy.leaves, ordered=taxonomy.ordered)
        return column if intervals is None else by_intervals(column, self.paths[1], intervals, taxonomy.leaves)


def read_counted_columns(
    database: Database, taxonomies: Mapping[str, Taxonomy], records: int, *, schema: str = LOOKUP
) -> tuple[CountedColumn, ...]:
    """Quasi-identifiers of a source with so many records, in the order given.

    ``schema`` is where the lookup tables are.
    """
    nodes = _nodes(database, taxonomies)
    paths = read_paths(database, {name: one.root for name, one in taxonomies.items()}, schema=schema)
    numbers = read_numbers(database, [name for name, one in taxonomies.items() if one.ordered], schema=schema)
    found = []
    for name, taxonomy in taxonomies.items():
        of_leaves, held = paths[name]
        values = numbers.get(name, np.arange(len(held) + 1, dtype=np.float64))
        found.append(CountedColumn(taxonomy, of_leaves, np.r_[records - held.sum(), held], nodes[name], values))
    return tuple(found)


def _nodes(database: Database, names: Iterable[str]) -> dict[str, Mapping[str, np.ndarray]]:
    """The nodes of the taxonomies of columns, by column."""
    asked = list(names)
    found = database.arrays(statement("measures/nodes.sql"), {"column_names": asked})
    of = found.pop("column_name")
    return {name: {key: column[of == name] for key, column in found.items()} for name in asked}


def by_intervals(column: PlacedColumn, codes: np.ndarray, cells: IntervalCells, leaves: int) -> PlacedColumn:
    """A column that is cut by intervals: ``codes`` is the node at level 1 of each leaf code, ``leaves`` how many leaves
    the taxonomy has."""
    through = np.zeros(int(cells.codes.max()) + 1)
    through[cells.codes] = np.cumsum(cells.leaves) / max(leaves, 1)
    return with_cells(column, codes, np.r_[0.0, through[:-1]], through)
