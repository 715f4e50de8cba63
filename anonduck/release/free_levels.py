"""The free intervals of a release as levels of a coded attribute, for its measures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anonduck.database.connection import Database
from anonduck.measures.numpy_measures import CodedAttribute, FreeLevel, node_costs
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_classes import intervals_table
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.interval_cells import IntervalCells


def with_intervals(
    database: Database, attribute: CodedAttribute, taxonomy: Taxonomy, cells: IntervalCells, goal: str
) -> CodedAttribute:
    """The attribute with a level for each one over the root that the intervals of its column have.

    An interval costs what its leaves, or its share of the range, cost by ``goal``.
    """
    query = statement("release/interval_read.sql", table={"intervals": intervals_table(taxonomy.column)})
    found = database.arrays(query, {"root": taxonomy.root})
    ends = np.column_stack([found["first_code"], found["last_code"]]).astype(np.int64)
    costs = _costs(ends, taxonomy, cells, goal)
    levels = found["node_level"].astype(np.int64)
    free = [
        _free_level(attribute, ends[levels == level], costs[levels == level]) for level in np.unique(levels).tolist()
    ]
    return replace(attribute, free=tuple(free))


def _costs(ends: np.ndarray, taxonomy: Taxonomy, cells: IntervalCells, goal: str) -> np.ndarray:
    low, high = np.searchsorted(cells.codes, ends[:, 0]), np.searchsorted(cells.codes, ends[:, 1]) + 1
    nodes = {"leaves": cells.leaves, "leaf_share": cells.leaf_shares, "range_share": cells.range_shares}
    sums = {name: np.r_[0, np.cumsum(held)] for name, held in nodes.items()}
    root = {"leaves": taxonomy.leaves, "leaf_share": 1.0, "range_share": 1.0}
    intervals = {name: np.r_[held[high] - held[low], root[name]] for name, held in sums.items()}
    found: np.ndarray = node_costs(goal, intervals, ordered=taxonomy.ordered)[:-1]
    return found


def _free_level(attribute: CodedAttribute, ends: np.ndarray, costs: np.ndarray) -> FreeLevel:
    """Intervals that do not overlap, by the codes of their cells, as a level."""
    codes = attribute.paths[1]
    path = len(ends) + np.arange(len(codes))
    shown, heights = np.zeros(len(codes)), np.zeros(len(codes), dtype=np.int64)
    for number, (first, last) in enumerate(ends.tolist()):
        inside = np.flatnonzero((first <= codes) & (codes <= last))
        path[inside], shown[inside] = number, costs[number]
        heights[inside] = sum(len(np.unique(level[inside])) > 1 for level in attribute.paths)
    return FreeLevel(path, shown, heights)
