"""Lists, for combinations, the classes that each could go to: those whose loss rises least with it.

Each combination is compared with each class of its block. The widths that a class has with a combination are looked up,
not computed pair by pair: combinations that have the same places share a row of a table.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anonduck.methods.class_losses import NEVER, ClassLosses

LISTED = 8
AT_ONCE = 1 << 16
"""Pairs that are compared together; few enough to stay in the cache of a processor."""
SHARED = 16
"""How many combinations there are at least for each row of a table that columns share."""

_Table = tuple[np.ndarray, np.ndarray]


def listed_classes(losses: ClassLosses, ranks: np.ndarray, blocks: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The combinations in classes that lose something, and LISTED classes of the own block for each.

    The classes of a block are dealt, in the order of ``ranks``, into as many parts, and the best one of each part is
    listed; the own class stands where there are fewer others.
    """
    block_of = np.empty(len(losses.sizes), dtype=np.int64)
    for number, block in enumerate(blocks):
        block_of[block] = number
    rows = np.flatnonzero(losses.losses[losses.of_row] > 0)
    of_rows = block_of[losses.of_row[rows]]
    rows = rows[np.argsort(of_rows, kind="stable")]
    ends = np.cumsum(np.bincount(of_rows, minlength=len(blocks)))[:-1]
    found = np.empty((len(rows), LISTED), dtype=np.int64)
    parts = zip(blocks, np.split(rows, ends), np.split(found, ends), strict=True)
    for block, some, listed in parts:
        in_order = block[np.argsort(ranks[block])]
        listed[:] = losses.of_row[some][:, None]
        for begin, number, classes in _best(losses, some, in_order):
            listed[begin : begin + len(classes), number] = classes
    return rows, found


def _best(losses: ClassLosses, rows: np.ndarray, block: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    """The best class of a part for some of the combinations: the first of these, the part, and their classes."""
    if not len(rows):
        return
    dealt = [block[number::LISTED] for number in range(min(LISTED, len(block)))]
    block, ends = np.concatenate(dealt), np.cumsum([len(part) for part in dealt])
    in_order = np.argsort(block)
    own = in_order[np.searchsorted(block, losses.of_row[rows], sorter=in_order)]
    tables = _tables(losses, rows, block)
    step = max(1, AT_ONCE // len(block))
    for begin in range(0, len(rows), step):
        now = slice(begin, begin + step)
        rises = _rises(losses, rows[now], block, [(table, row[now]) for table, row in tables])
        rises[np.arange(len(rises)), own[now]] = NEVER
        for number, (part, end) in enumerate(zip(dealt, ends, strict=True)):
            yield begin, number, part[rises[:, end - len(part) : end].argmin(axis=1)]


def _rises(losses: ClassLosses, rows: np.ndarray, block: np.ndarray, tables: list[_Table]) -> np.ndarray:
    """By how much the loss of each class of the block rises with each of the combinations, were it elsewhere."""
    rises = np.zeros((len(rows), len(block)), dtype=np.int64)
    for table, row in tables:
        rises += table[row]
    rises *= losses.sizes[block] + losses.data.records[rows][:, None]
    rises -= losses.losses[block]
    return rises


def _tables(losses: ClassLosses, rows: np.ndarray, block: np.ndarray) -> list[_Table]:
    """The widths of each class of the block with each combination, as a sum of tables.

    A table has a row for each of the places, of one column or of several, that some of the combinations have; it comes
    with the row of each combination. Columns share a table as long as it stays small.
    """
    columns = losses.data.columns
    found: list[_Table] = []
    for number in sorted(range(len(columns)), key=lambda one: len(columns[one].place)):
        table, row = _column_table(losses, number, rows, block)
        if found:
            (other, other_row), count = found[-1], len(table)
            keys, both = np.unique(other_row * count + row, return_inverse=True)
            if len(keys) * SHARED <= len(rows):
                found[-1] = (other[keys // count] + table[keys % count], both)
                continue
        found.append((table, row))
    return found


def _column_table(losses: ClassLosses, number: int, rows: np.ndarray, block: np.ndarray) -> _Table:
    column = losses.data.columns[number]
    least, most = losses.least[number][block], losses.most[number][block]
    _, first, node = np.unique(column.nodes_between(least, most), return_index=True, return_inverse=True)
    places, row = np.unique(losses.data.places[number][rows], return_inverse=True)
    low, high = np.minimum(places[:, None], least[first]), np.maximum(places[:, None], most[first])
    return column.width(low, high)[:, node], row
