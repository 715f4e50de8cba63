"""What is left of pairs of originals and released records for somebody who knows all originals (section 4.5).

A pair stands for a possible link only if it is in a perfect matching, one that gives each original a released record of
its own. Given one such matching, the others differ from it by cycles, so that a pair is in one if and only if its two
records are matched to each other or in one strongly connected component of the graph that goes from each original to
the released records that cover it, and from each of these to the original that it is matched to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonduck.auditing.cover import Pairs
from anonduck.errors import AuditError

MOST_EDGES = 100_000_000


@dataclass(frozen=True, eq=False)
class Degrees:
    """By released record how many originals it covers; by original record, how many released records cover it, and how
    many do in a perfect matching: None where they are too many to be matched."""

    covered: np.ndarray
    covering: np.ndarray
    matched: np.ndarray | None


def degrees_of(pairs: Pairs, released: np.ndarray, originals: np.ndarray) -> Degrees:
    """The degrees of all records; ``released`` and ``originals`` are how many records have each distinct row.

    Raises AuditError where there is no perfect matching: the release then is no generalization of the originals.
    """
    row_of = np.repeat(np.arange(len(released)), np.diff(pairs.starts))
    per_row = np.bincount(row_of, weights=originals[pairs.originals], minlength=len(released)).astype(np.int64)
    per_original = np.bincount(pairs.originals, weights=released[row_of], minlength=len(originals)).astype(np.int64)
    matched = None
    if int((per_row * released).sum()) <= MOST_EDGES:
        matched = _matched(*_of_records(pairs, per_row, released, originals))
    return Degrees(np.repeat(per_row, released), np.repeat(per_original, originals), matched)


def _matched(starts: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """How many released records are left for each original, of pairs of records."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    total = len(starts) - 1
    matched = largest_matching(starts, columns)
    lacking = int((matched < 0).sum())
    if lacking:
        raise AuditError(
            f"the release is no generalization of the original: {lacking:,} of its {total:,} records cannot be given "
            "originals of their own that they cover"
        )
    owners = np.empty(total, dtype=columns.dtype)
    owners[matched] = np.arange(total, dtype=columns.dtype)
    links = csr_array((np.ones(len(columns), dtype=np.int8), owners[columns], starts), shape=(total, total))
    _, component = connected_components(links, connection="strong")
    kept = component[owners[columns]] == np.repeat(component, np.diff(starts))
    return np.bincount(columns[kept], minlength=total)


def largest_matching(starts: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The column of each row in a largest matching, -1 for none, of as many rows as columns.

    Row by row, those with few columns first, takes the column that fewest rows have. Then paths are looked for that
    give a row without one a column: from all such rows at once, breadth first, each row and column being on one path
    alone, so that all that are found in one pass can be followed.
    """
    count = len(starts) - 1
    lengths, wanted = np.diff(starts), np.bincount(columns, minlength=count)
    of_row, of_column = np.full(count, -1, dtype=np.int64), np.full(count, -1, dtype=np.int64)
    for row in np.argsort(lengths, kind="stable").tolist():
        free = columns[starts[row] : starts[row + 1]]
        free = free[of_column[free] < 0]
        if len(free):
            column = free[wanted[free].argmin()]
            of_row[row], of_column[column] = column, row
    while _improved(starts, columns, of_row, of_column):
        pass
    return of_row


def _improved(starts: np.ndarray, columns: np.ndarray, of_row: np.ndarray, of_column: np.ndarray) -> bool:
    """Follow paths from rows without a column to columns without a row; returns whether there were any."""
    count = len(of_row)
    rows = np.flatnonzero(of_row < 0)
    root, came_from = np.full(count, -1, dtype=np.int64), np.full(count, -1, dtype=np.int64)
    root[rows] = rows
    done = np.zeros(count, dtype=bool)
    ends: list[np.ndarray] = []
    while len(rows):
        lengths = starts[rows + 1] - starts[rows]
        reached, source = columns[_ranges(starts[rows], lengths)], np.repeat(rows, lengths)
        new = came_from[reached] < 0
        reached, source = reached[new], source[new]
        came_from[reached] = source
        reached = np.unique(reached)
        free = reached[of_column[reached] < 0]
        _, firsts = np.unique(root[came_from[free]], return_index=True)
        ends.append(free[firsts])
        done[root[came_from[free]]] = True
        held = reached[of_column[reached] >= 0]
        rows = of_column[held]
        root[rows] = root[came_from[held]]
        rows = rows[~done[root[rows]]]
    for end in np.concatenate([np.zeros(0, dtype=np.int64), *ends]).tolist():
        column = end
        while column >= 0:
            row = came_from[column]
            of_row[row], of_column[column], column = column, row, of_row[row]
    return any(len(some) for some in ends)


def _of_records(
    pairs: Pairs, per_row: np.ndarray, released: np.ndarray, originals: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where the originals of each released record begin, and these, from the pairs of distinct rows."""
    sizes = originals[pairs.originals]
    firsts = np.cumsum(originals) - originals
    records = _ranges(firsts[pairs.originals], sizes)
    row_of = np.repeat(np.arange(len(released)), released)
    begins = np.cumsum(per_row) - per_row
    columns = records[_ranges(begins[row_of], per_row[row_of])]
    return np.r_[0, np.cumsum(per_row[row_of])].astype(np.int64), columns.astype(np.int32)


def _ranges(firsts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The numbers from each of the firsts on, one run after the other."""
    found: np.ndarray = np.repeat(firsts - np.cumsum(lengths) + lengths, lengths) + np.arange(int(lengths.sum()))
    return found
