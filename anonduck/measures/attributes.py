"""Reads quasi-identifiers as codes: their paths, what their cells cost, and what a model sees of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import read_paths
from anonduck.measures.numpy_measures import CodedAttribute, height_cost, node_costs
from anonduck.measures.released_cells import CellColumn
from anonduck.methods.coded_records import PlacedColumn, placed_column, with_cells
from anonduck.statements import statement

if TYPE_CHECKING:
    from anonduck.taxonomy.catalog import Taxonomy
    from anonduck.taxonomy.interval_cells import IntervalCells

HEIGHTS = ("precision", "distortion")
LOOKUP = "lookup"


def read_attributes(
    database: Database, taxonomies: Mapping[str, Taxonomy], records: int, goal: str
) -> list[CodedAttribute]:
    """Each quasi-identifier with its paths and what its cells cost by the measure ``goal``, in the order given."""
    nodes = {} if goal in HEIGHTS else _nodes(database, taxonomies)
    return [
        _costed(*read_paths(database, name, taxonomy.root), taxonomy, records, goal, nodes.get(name, {}))
        for name, taxonomy in taxonomies.items()
    ]


def _nodes(database: Database, names: Iterable[str]) -> dict[str, Mapping[str, np.ndarray]]:
    """The nodes of the taxonomies of columns, by column."""
    asked = list(names)
    found = database.arrays(statement("measures/nodes.sql"), {"column_names": asked})
    of = found.pop("column_name")
    return {name: {key: column[of == name] for key, column in found.items()} for name in asked}


def _costed(
    paths: tuple[np.ndarray, ...],
    held: np.ndarray,
    taxonomy: Taxonomy,
    records: int,
    goal: str,
    nodes: Mapping[str, np.ndarray],
) -> CodedAttribute:
    unknown = [path[1:] == 0 for path in paths[1:]]
    costs = [np.zeros(len(held) + 1)]
    for level, path in enumerate(paths[1:], start=1):
        shares = _shares(nodes, taxonomy, level, int(path.max()), goal)
        costs.append(np.where(path == 0, 1.0, shares[path]))
        costs[-1][0] = 0.0
    return CodedAttribute(
        paths=paths,
        records=np.r_[records - held.sum(), held],
        costs=tuple(costs),
        unknown=any(bool(one.any()) for one in unknown),
    )


def _shares(nodes: Mapping[str, np.ndarray], taxonomy: Taxonomy, level: int, codes: int, goal: str) -> np.ndarray:
    """What a record of each node code of a level costs, from 0 to 1."""
    if goal in HEIGHTS:
        return np.full(codes + 1, height_cost(level, taxonomy.root))
    if not len(nodes["code"]):  # a column that holds only NULL
        return np.zeros(codes + 1)
    cost = node_costs(goal, nodes, ordered=taxonomy.ordered)
    here = nodes["level"] == level
    shares = np.zeros(max(codes, int(nodes["code"].max())) + 1)
    shares[nodes["code"][here]] = cost[here]
    return shares


def read_columns(
    database: Database, taxonomies: Mapping[str, Taxonomy], records: int, *, schema: str = LOOKUP
) -> list[CellColumn]:
    """Quasi-identifiers as columns of released cells, in the order given; ``schema`` is where the lookup tables are."""
    nodes = _nodes(database, taxonomies)
    return [
        _cell_column(database, name, taxonomy, records, nodes[name], schema) for name, taxonomy in taxonomies.items()
    ]


def _cell_column(
    database: Database, name: str, taxonomy: Taxonomy, records: int, nodes: Mapping[str, np.ndarray], schema: str
) -> CellColumn:
    paths, held = read_paths(database, name, taxonomy.root, schema=schema)
    loss, ncp = (_costed(paths, held, taxonomy, records, goal, nodes) for goal in ("loss", "ncp"))
    numbers = np.arange(len(loss.records), dtype=np.float64)
    if taxonomy.ordered:
        rows = database.arrays(statement("measures/leaf_numbers.sql", table={"lookup": (schema, name)}))
        numbers = np.r_[np.nan, np.asarray(rows["number"], dtype=np.float64)]
    return CellColumn(name, loss, ncp, taxonomy.ordered, taxonomy.leaves, numbers)


def read_placed(
    database: Database, taxonomy: Taxonomy, cells: IntervalCells | None = None, *, schema: str = LOOKUP
) -> PlacedColumn:
    """One quasi-identifier as methods cut it; with ``cells`` by intervals of these instead of nodes."""
    paths, _ = read_paths(database, taxonomy.column, taxonomy.root, schema=schema)
    nodes = _nodes(database, [taxonomy.column])[taxonomy.column]
    leaves = [np.ones(int(path.max()) + 1, dtype=np.int64) for path in paths]
    for level, covered in enumerate(leaves[1:], start=1):
        here = (nodes["level"] == level) & (nodes["code"] < len(covered))
        covered[nodes["code"][here]] = nodes["leaves"][here]
    column = placed_column(paths, leaves, taxonomy.leaves, ordered=taxonomy.ordered)
    return column if cells is None else by_intervals(column, paths[1], cells, taxonomy.leaves)


def by_intervals(column: PlacedColumn, codes: np.ndarray, cells: IntervalCells, leaves: int) -> PlacedColumn:
    """A column that is cut by intervals: ``codes`` is the node at level 1 of each leaf code, ``leaves`` how many leaves
    the taxonomy has."""
    through = np.zeros(int(cells.codes.max()) + 1)
    through[cells.codes] = np.cumsum(cells.leaves) / max(leaves, 1)
    return with_cells(column, codes, np.r_[0.0, through[:-1]], through)
