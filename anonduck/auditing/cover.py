"""Which original records each released record covers, and which of these links somebody can rule out.

A released record covers an original one if its labels are over the original's values and its distribution gives the
original's class value a share. Somebody who knows all originals can rule out links that are in no perfect matching,
which gives each original a released record of its own (Last et al. 2014, section 4.5).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

import numpy as np

from anonduck.errors import AuditError
from anonduck.privacy.lookup import read_lines

NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
FORMS = tuple(
    re.compile(form)
    for form in (
        rf"[\[(](?P<low>{NUMBER}|-inf), (?P<high>{NUMBER}|inf)\)",
        rf"under (?P<high>{NUMBER})",
        rf"(?P<low>{NUMBER}) and over",
    )
)
MOST_PAIRS = 300_000_000
"""The most pairs held in memory."""
ROOT = "*"
MOST_EDGES = 100_000_000


@dataclass(frozen=True, eq=False)
class CoverColumn:
    """A column of both tables: ``covers[l, v]`` says whether label l is over value v; label and value of each row."""

    covers: np.ndarray
    label_of: np.ndarray
    value_of: np.ndarray


def cover_column(name: str, labels: Any, values: Any, taxonomy: Any) -> CoverColumn:
    """A quasi-identifier of a release and its original. Raises AuditError for labels that are over no value."""
    shown, label_of = encoded(labels)
    held, value_of = encoded(values)
    covers = labels_over(name, shown, held, taxonomy)
    if not covers.any(axis=1).all():
        raise AuditError(
            f"the column {name!r} of the release has labels that are over no value of the original; give its "
            f"taxonomy (`--taxonomy {quote(name)}=FILE`), one line per value, leaf first"
        )
    return CoverColumn(covers, label_of, value_of)


def labels_over(name: str, labels: Sequence[str | None], values: Sequence[str | None], taxonomy: Any) -> np.ndarray:
    """Whether each label is over each value: equal, over it in the taxonomy, or an interval that holds it.

    ``*`` and the root of the taxonomy are over every value. NULL is over NULL only.
    """
    lines = [] if taxonomy is None else read_lines(name, taxonomy)
    number = {value: at for at, value in enumerate(values)}
    under, roots = _under(lines), {ROOT, *_root(lines)}
    covers = np.zeros((len(labels), len(values)), dtype=bool)
    numbers = _numbers(values)
    for at, label in enumerate(labels):
        bounds = bounds_of(label)
        covers[at] = label in roots
        if label in number:
            covers[at, number[label]] = True
        if bounds is not None:
            covers[at] |= (numbers >= bounds[0]) & (numbers < bounds[1])
        covers[at, [number[value] for value in under.get(label, []) if value in number]] = True
    return covers


def encoded(column: Any) -> tuple[list[str | None], np.ndarray]:
    """The distinct texts, and the number of each row's text."""
    numbers: dict[str | None, int] = {}
    of_row = [numbers.setdefault(text, len(numbers)) for text in column.to_pylist()]
    return list(numbers), np.array(of_row, dtype=np.int64)


def _root(lines: Sequence[Sequence[str]]) -> set[str]:
    """The label of the root: the last label, if it is the same in all lines. The first line may be a header."""
    tops = {line[-1] for line in lines[1:] if len(line) > 1}
    return tops if len(tops) == 1 else set()


def values_under(name: str, taxonomy: Any) -> dict[str | None, list[str]]:
    """The values under each label of a taxonomy; empty without a taxonomy."""
    return _under([] if taxonomy is None else read_lines(name, taxonomy))


def _under(lines: Sequence[Sequence[str]]) -> dict[str | None, list[str]]:
    found: dict[str | None, list[str]] = {}
    for value, *above in lines:
        for label in set(above):
            found.setdefault(label, []).append(value)
    return found


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    return re.fullmatch(NUMBER, text) is not None


def _numbers(values: Sequence[str | None]) -> np.ndarray:
    """Values as numbers, NaN for other values."""
    matched = [value is not None and is_number(value) for value in values]
    return np.array([float(value or 0) if fits else np.nan for value, fits in zip(values, matched, strict=True)])


def bounds_of(label: str | None) -> tuple[float, float] | None:
    """The two ends of an interval's label; None for other labels."""
    for form in FORMS:
        found = None if label is None else form.fullmatch(label)
        if found is not None:
            parts = found.groupdict()
            return float(parts.get("low", "-inf")), float(parts.get("high", "inf"))
    return None


@dataclass(frozen=True, eq=False)
class Pairs:
    """The originals that each released row covers: those of row i are ``originals[starts[i]:starts[i + 1]]``."""

    starts: np.ndarray
    originals: np.ndarray


def covered_pairs(columns: Sequence[CoverColumn], originals: int) -> Pairs:
    """All pairs of a released and a covered original row. Raises AuditError if there are too many.

    Rows are compared 64 originals at a time, as bits of a word.
    """
    bits = [_packed(column.covers[:, column.value_of]) for column in columns]
    rows = len(columns[0].label_of)
    found, lengths, held = [], np.zeros(rows, dtype=np.int64), 0
    for row in range(rows):
        both = bits[0][columns[0].label_of[row]].copy()
        for packed, column in zip(bits[1:], columns[1:], strict=True):
            both &= packed[column.label_of[row]]
        covered = np.flatnonzero(np.unpackbits(both.view(np.uint8), count=originals)).astype(np.int32)
        found.append(covered)
        lengths[row] = len(covered)
        held += len(covered)
        if held > MOST_PAIRS:
            raise AuditError(
                f"released records cover more than {MOST_PAIRS:,} pairs of distinct originals; audit a release of "
                "fewer records"
            )
    return Pairs(np.r_[0, np.cumsum(lengths)], np.concatenate(found))


def _packed(covers: np.ndarray) -> np.ndarray:
    """Rows of bits as 64-bit words, the last word padded with zeros."""
    packed = np.packbits(covers, axis=1)
    filled = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    filled[:, : packed.shape[1]] = packed
    return filled.view(np.uint64)


@dataclass(frozen=True, eq=False)
class Degrees:
    """How many links each record has.

    ``covered`` counts, for each released record, the originals that it covers; ``covering``, for each original, the
    released records that cover it; ``matched`` those of them that are in a perfect matching, None if there are too many
    links to match.
    """

    covered: np.ndarray
    covering: np.ndarray
    matched: np.ndarray | None


def degrees_of(pairs: Pairs, released: np.ndarray, originals: np.ndarray) -> Degrees:
    """The degrees of all records; ``released`` and ``originals`` are the numbers of records of the distinct rows.

    Raises AuditError if there is no perfect matching: then the release does not generalize these originals.
    """
    row_of = np.repeat(np.arange(len(released)), np.diff(pairs.starts))
    per_row = np.bincount(row_of, weights=originals[pairs.originals], minlength=len(released)).astype(np.int64)
    per_original = np.bincount(pairs.originals, weights=released[row_of], minlength=len(originals)).astype(np.int64)
    matched = None
    if int((per_row * released).sum()) <= MOST_EDGES:
        matched = _matched(*_of_records(pairs, per_row, released, originals))
    return Degrees(np.repeat(per_row, released), np.repeat(per_original, originals), matched)


def _matched(starts: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """How many released records are left for each original after matching.

    Given one perfect matching, all others differ from it by cycles. So a link is in some perfect matching if and only
    if its two records are matched to each other, or lie in one strongly connected component of the graph with an edge
    from each original to the released records that cover it, and from each released record to its matched original.
    """
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
    """The column of each row in a largest matching, -1 for none, for as many rows as columns.

    First, row by row, those with few columns first, each row takes its rarest free column. Then augmenting paths are
    found from all unmatched rows at once, breadth first. Each row and column is on one path only, so that all paths of
    one pass can be applied.
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
    """Apply augmenting paths from unmatched rows to unmatched columns; returns whether there were any."""
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
    """Expand pairs of distinct rows to pairs of records: where the originals of each released record begin, and the
    originals.
    """
    sizes = originals[pairs.originals]
    firsts = np.cumsum(originals) - originals
    records = _ranges(firsts[pairs.originals], sizes)
    row_of = np.repeat(np.arange(len(released)), released)
    begins = np.cumsum(per_row) - per_row
    columns = records[_ranges(begins[row_of], per_row[row_of])]
    return np.r_[0, np.cumsum(per_row[row_of])].astype(np.int64), columns.astype(np.int32)


def _ranges(firsts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """For each of ``firsts``, the ``lengths`` numbers from it on, concatenated."""
    found: np.ndarray = np.repeat(firsts - np.cumsum(lengths) + lengths, lengths) + np.arange(int(lengths.sum()))
    return found
