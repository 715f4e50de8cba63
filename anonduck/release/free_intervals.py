"""What classes show of a column by free intervals: any finest intervals of its taxonomy that follow one another.

What a record shows is given by its value and a level. An interval that is no node has a level over the root: intervals
that do not overlap share one, so that a level and a value identify the interval that the value lies in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from anonduck.database.connection import Database
from anonduck.measures.numpy_measures import CodedAttribute, FreeLevel, node_costs
from anonduck.statements import statement
from anonduck.statements.pipeline import builder_classes
from anonduck.statements.pipeline.builder_classes import intervals_table, nodes_table
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.interval_cells import IntervalCells

GIVEN, ENDS = "given_intervals", "interval_ends"


def write_intervals(
    database: Database, name: str, root: int, cells: IntervalCells, *, floating: bool, root_label: str
) -> None:
    """Write the nodes of all classes in a column, and its intervals with their levels.

    A class of one value shows that, one with NULL and values the root; any other one the interval from the cell of its
    least value to that of its largest one.
    """
    database.run(builder_classes.interval_ends(name, floating=floating))
    pairs = database.rows(statement("release/interval_pairs.sql"))
    rows = [
        {"first_code": first, "last_code": last, "node_level": level, "label": cells.label(first, last)}
        for first, last, level in leveled(pairs, (int(cells.codes[0]), int(cells.codes[-1])), root, cells.apart)
    ]
    schema = pa.schema([("first_code", "int32"), ("last_code", "int32"), ("node_level", "int32"), ("label", "string")])
    database.register(GIVEN, pa.Table.from_pylist(rows, schema))
    try:
        table: dict[str, str | tuple[str, str]] = {"intervals": intervals_table(name)}
        database.run(statement("release/interval_levels.sql", table=table))
        nodes = {**table, "nodes": nodes_table(name)}
        database.run(statement("release/interval_nodes.sql", table=nodes), {"root": root, "root_label": root_label})
    finally:
        database.unregister(GIVEN)
        database.run(statement("release/class_forget.sql", table={"made": ENDS}))


def leveled(
    pairs: Iterable[tuple[int, int]], whole: tuple[int, int], root: int, apart: Collection[int] = ()
) -> list[tuple[int, int, int]]:
    """Intervals by the codes of their first and last cell, in their order, with levels.

    One of a single cell is at level 1, the whole column at the root, as are intervals of several cells that hold one of
    those that stand ``apart``, and the others over it, no two that overlap at the same level.

    >>> leveled([(1, 1), (1, 2), (2, 3), (3, 4), (1, 4)], (1, 4), 3)
    [(1, 1, 1), (1, 2, 4), (1, 4, 3), (2, 3, 5), (3, 4, 4)]
    >>> leveled([(1, 2), (2, 3), (3, 3)], (1, 4), 3, apart={3})
    [(1, 2, 4), (2, 3, 3), (3, 3, 1)]
    """
    last: list[int] = []
    found = []
    for low, high in sorted(pairs):
        if low == high:
            level = 1
        elif (low, high) == whole or low in apart or high in apart:
            level = root
        else:
            free = next((place for place, end in enumerate(last) if end < low), len(last))
            last[free:] = [high, *last[free + 1 :]]
            level = root + 1 + free
        found.append((low, high, level))
    return found


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
