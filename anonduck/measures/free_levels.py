"""Free intervals: what classes show of a column by any of its finest intervals that follow one another.

What a record shows is known by its value and a level. An interval that is no node has a level over the root: intervals
that do not overlap share one, so that a level and a value say in which interval the value lies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anonduck.measures.numpy_measures import CodedAttribute, FreeLevel, node_costs

if TYPE_CHECKING:
    from anonduck.taxonomy.interval_cells import IntervalCells

LeveledInterval = tuple[int, int, int]
"""The codes of the first and the last finest interval, and the level."""


def leveled(
    pairs: Iterable[tuple[int, int]], whole: tuple[int, int], root: int, apart: Collection[int] = ()
) -> list[LeveledInterval]:
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
    attribute: CodedAttribute,
    intervals: Sequence[LeveledInterval],
    cells: IntervalCells,
    goal: str,
    *,
    leaves: int,
    ordered: bool,
) -> CodedAttribute:
    """The attribute with the levels over the root that the intervals have.

    An interval costs what its leaves, or its share of the range, cost by ``goal``. ``leaves`` are those of the
    taxonomy.
    """
    free = sorted((level, low, high) for low, high, level in intervals if level > attribute.root)
    if not free:
        return attribute
    levels, ends = np.array([one[0] for one in free]), np.array([one[1:] for one in free])
    costs = _costs(ends, cells, goal, leaves, ordered)
    found = [
        _free_level(attribute, ends[levels == level], costs[levels == level]) for level in np.unique(levels).tolist()
    ]
    return replace(attribute, free=tuple(found))


def _costs(ends: np.ndarray, cells: IntervalCells, goal: str, leaves: int, ordered: bool) -> np.ndarray:
    low, high = np.searchsorted(cells.codes, ends[:, 0]), np.searchsorted(cells.codes, ends[:, 1]) + 1
    nodes = {"leaves": cells.leaves, "leaf_share": cells.leaf_shares, "range_share": cells.range_shares}
    sums = {name: np.r_[0, np.cumsum(held)] for name, held in nodes.items()}
    root = {"leaves": leaves, "leaf_share": 1.0, "range_share": 1.0}
    intervals = {name: np.r_[held[high] - held[low], root[name]] for name, held in sums.items()}
    found: np.ndarray = node_costs(goal, intervals, ordered=ordered)[:-1]
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
