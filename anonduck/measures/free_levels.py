"""Free intervals: what classes show of a column by any of its finest intervals that follow one another.

What a record shows is known by its value and a level. An interval that is no node has a level over the root: intervals
that do not overlap share one, so that a level and a value say in which interval the value lies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from anonduck.measures.numpy_measures import CodedAttribute, FreeIntervals, node_costs

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
    ends: list[tuple[int, int]] = []
    unused: list[int] = []
    found = []
    for low, high in sorted(pairs):
        if low == high:
            level = 1
        elif (low, high) == whole or low in apart or high in apart:
            level = root
        else:
            while ends and ends[0][0] < low:
                heappush(unused, heappop(ends)[1])
            free = heappop(unused) if unused else len(ends)
            heappush(ends, (high, free))
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
    levels, first, last = (np.array(held) for held in zip(*free, strict=True))
    costs = _costs(np.column_stack([first, last]), cells, goal, leaves, ordered)
    heights = np.zeros(len(free), dtype=np.int64)
    shown = FreeIntervals(levels, first, last, costs, heights)
    order, begins, ends = replace(attribute, free=shown).leaves_within()
    held = begins < ends
    for path in attribute.paths:  # nodes follow one another, so the first and the last show whether there are several
        heights[held] += path[order[begins[held]]] != path[order[ends[held] - 1]]
    return replace(attribute, free=replace(shown, heights=heights))


def _costs(ends: np.ndarray, cells: IntervalCells, goal: str, leaves: int, ordered: bool) -> np.ndarray:
    low, high = np.searchsorted(cells.codes, ends[:, 0]), np.searchsorted(cells.codes, ends[:, 1]) + 1
    nodes = {"leaves": cells.leaves, "leaf_share": cells.leaf_shares, "range_share": cells.range_shares}
    sums = {name: np.r_[0, np.cumsum(held)] for name, held in nodes.items()}
    root = {"leaves": leaves, "leaf_share": 1.0, "range_share": 1.0}
    intervals = {name: np.r_[held[high] - held[low], root[name]] for name, held in sums.items()}
    found: np.ndarray = node_costs(goal, intervals, ordered=ordered)[:-1]
    return found
