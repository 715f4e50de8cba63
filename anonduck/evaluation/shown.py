"""What a recoding shows of cells: by row and column the level of a node, and its label.

A recoding by classes shows of each class the smallest node that its records have in common, one by cuts the node of
each value, one by levels (a rule) the node at the level of the column. What a release shows is the same, computed in
the database (anonduck.release); test_shown.py holds both together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anonduck.evaluation.cells import Cells, CodedColumn
from anonduck.measures.free_levels import leveled, with_intervals


@dataclass(frozen=True, eq=False)
class Shown:
    """The nodes that a recoding shows of cells.

    Attributes:
        columns: the quasi-identifiers, with the free intervals that the recoding shows, if any.
        levels: by column, the level of the node of each row, (rows,).
        labels: by column, the place of its label in the texts of the column, (rows,).
    """

    columns: tuple[CodedColumn, ...]
    levels: tuple[np.ndarray, ...]
    labels: tuple[np.ndarray, ...]


def show_classes(
    cells: Cells,
    classes: np.ndarray,
    least_levels: Sequence[np.ndarray] | None = None,
    *,
    intervals: bool = False,
) -> Shown:
    """What classes show: the smallest node in each column that all records of the class have.

    Args:
        cells: the records.
        classes: the class of each combination of leaves, (combinations,), from 0.
        least_levels: by column, the level that each class shows at least, (classes,); NULL stays under the root.
        intervals: whether ordered columns show any intervals of their finest ones, and not nodes alone.
    """
    _, combination = cells.combinations
    assigned, count = classes[combination], int(classes.max(initial=-1)) + 1
    parts = []
    for place, column in enumerate(cells.columns):
        least = None if least_levels is None else least_levels[place]
        free = intervals and column.intervals is not None
        show = _intervals if free else _nodes
        parts.append(show(column, cells.leaves[place], assigned, count, least))
    return _stacked([(column, levels[assigned], labels[assigned]) for column, levels, labels in parts])


def show_cuts(cells: Cells, levels: Sequence[np.ndarray]) -> Shown:
    """What cuts show: ``levels`` has by column the level of each place of the column."""
    placed = zip(cells.columns, levels, strict=True)
    return _by_leaf(cells, [by_place[column.placed.place] for column, by_place in placed])


def show_levels(cells: Cells, levels: Mapping[str, int]) -> Shown:
    """What a rule shows: each column at its level, or at the root where the rule does not name it.

    NULL is NULL under the root.
    """
    found = []
    for column in cells.columns:
        level = levels.get(column.name, column.root)
        of_leaf = np.full(len(column.labels), level)
        of_leaf[0] = 0 if level < column.root else column.root
        found.append(of_leaf)
    return _by_leaf(cells, found)


def _by_leaf(cells: Cells, levels: Sequence[np.ndarray]) -> Shown:
    """What is shown where each leaf code of a column has one level, (leaf codes,)."""
    parts = []
    for column, leaves, given in zip(cells.columns, cells.leaves, levels, strict=True):
        of_leaf = np.where(column.unknown, column.root, given)
        parts.append((column, of_leaf[leaves], column.labels[leaves, of_leaf[leaves]]))
    return _stacked(parts)


def _stacked(parts: Sequence[tuple[CodedColumn, np.ndarray, np.ndarray]]) -> Shown:
    columns, levels, labels = zip(*parts, strict=True) if parts else ((), (), ())
    return Shown(columns, levels, labels)


# -- a column of classes -----------------------------------------------------------------------------------------------

_Part = tuple[CodedColumn, np.ndarray, np.ndarray]


def _nodes(
    column: CodedColumn, leaves: np.ndarray, assigned: np.ndarray, count: int, least_level: np.ndarray | None
) -> _Part:
    """The level and the label of each class."""
    places = column.placed.place[leaves]
    first, last = _ends(places, assigned, count)
    leaf = np.zeros(count, dtype=np.int64)
    leaf[assigned] = leaves
    levels = column.placed.common_levels(first, last)
    if least_level is not None:
        missing = (leaf == 0) & (levels == 0) & (least_level < column.root)
        levels = np.where(missing, 0, np.maximum(levels, least_level))
    unknown = np.zeros(count, dtype=bool)
    unknown[assigned[column.unknown[leaves]]] = True
    levels = np.where(unknown, column.root, levels)
    return column, levels, column.labels[leaf, levels]


def _intervals(
    column: CodedColumn, leaves: np.ndarray, assigned: np.ndarray, count: int, _: np.ndarray | None
) -> _Part:
    """The same where a class shows an interval of the finest ones, which is a node or has a level over the root."""
    assert column.intervals is not None
    cells, finest = column.intervals, column.cell.by_loss.paths[1]
    least, largest = _ends(leaves, assigned, count)
    first, last = _ends(np.where(leaves == 0, -1, finest[leaves]), assigned, count)
    same, missing = least == largest, first < 0
    free = ~same & ~missing
    pairs = sorted(set(zip(first[free].tolist(), last[free].tolist(), strict=True)))
    found = leveled(pairs, (int(cells.codes[0]), int(cells.codes[-1])), column.root, cells.apart)
    level_of = {(low, high): level for low, high, level in found}
    texts = {text: place for place, text in enumerate(column.texts)}
    levels, labels = np.full(count, column.root), np.full(count, column.labels[0, column.root])
    levels[same], labels[same] = 0, column.labels[least[same], 0]
    for at in np.flatnonzero(free).tolist():
        pair = int(first[at]), int(last[at])
        levels[at] = level_of[pair]
        if levels[at] != column.root:
            labels[at] = texts.setdefault(cells.label(*pair), len(texts))
    costs = {
        name: with_intervals(one, found, cells, name, leaves=column.cell.leaves, ordered=column.cell.ordered)
        for name, one in (("loss", column.cell.by_loss), ("ncp", column.cell.by_ncp))
    }
    cell = replace(column.cell, by_loss=costs["loss"], by_ncp=costs["ncp"])
    return replace(column, cell=cell, texts=tuple(texts)), levels, labels


def _ends(codes: np.ndarray, assigned: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest code of each class."""
    least, largest = np.full(count, np.iinfo(np.int64).max), np.full(count, -2, dtype=np.int64)
    np.minimum.at(least, assigned, codes)
    np.maximum.at(largest, assigned, codes)
    return least, largest
