"""The rows of a release that keeps no column, written group by group: records are dealt to buckets as numbers.

DuckDB would deal and sort labels. Here a position of 64 bits is dealt, and labels are looked up as they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.release.packed_rows import ROW_GROUP, buckets_of, numbered_values, parquet_writer, values_at, write_group
from anonduck.statements.column_types import ALIKE_IN_PARQUET
from anonduck.statements.row_order import BUCKETS
from anonduck.words import np

MOST_ROWS = 4_000_000  # distinct rows, whose labels are held in memory
MOST_LINES = 500_000  # the same, as lines of text
FEW_RECORDS = 100_000
MOST_DEALT = 1 << 24  # of them by bucket, which are held as numbers
CHUNK = 1 << 17  # positions that are dealt at once
BUFFER = 1 << 20  # bytes of lines that are written at once


def can_be_repeated(types: Iterable[str], rows: int, dealt: int) -> bool:
    """Whether rows of these DuckDB types, so many distinct ones and of them by bucket, are written to Parquet here."""
    return rows <= MOST_ROWS and dealt <= MOST_DEALT and ALIKE_IN_PARQUET.issuperset(types)


def can_be_lines(rows: int, dealt: int, records: int) -> bool:
    """Whether so many distinct rows, and so many of them by bucket, are repeated as lines of text: not for few records,
    which DuckDB writes before this has loaded NumPy."""
    return rows <= MOST_LINES and dealt <= MOST_DEALT and records > FEW_RECORDS


@dataclass(frozen=True)
class Dealt:
    """Rows by bucket, in the order of a release: ``rows``, numbers from 0, and ``times``, how often each comes."""

    rows: np.ndarray
    times: np.ndarray

    def stretches(self, most: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The rows of all records, ``most`` records at a time: their numbers, and how often each comes."""
        ends = np.cumsum(self.times, dtype=np.int64)
        for start in range(0, int(ends[-1]) if len(ends) else 0, most):
            stop = min(start + most, int(ends[-1]))
            first, times = _between(ends, start, stop)
            yield self.rows[first : first + len(times)], times


def dealt(records: np.ndarray) -> Dealt:
    """Deal the records of rows, so many of each, to their buckets (see anonduck.statements.row_order)."""
    ends = np.cumsum(records, dtype=np.int64)
    found = []
    for start in range(0, int(ends[-1]) if len(ends) else 0, CHUNK):
        stop = min(start + CHUNK, int(ends[-1]))
        first, times = _between(ends, start, stop)
        row = np.repeat(np.arange(len(times)), times)
        counts = np.bincount(row * BUCKETS + buckets_of(stop - start, after=start))
        held = np.flatnonzero(counts)
        found.append((first + held // BUCKETS, (held % BUCKETS).astype(np.uint8), counts[held]))
    rows, buckets, counts = (
        (np.concatenate(one) for one in zip(*found, strict=True)) if found else (np.empty(0, dtype=np.int64),) * 3
    )
    order = np.argsort(buckets, kind="stable")
    return Dealt(rows[order].astype(np.int32), counts[order].astype(np.int64))


def _between(ends: np.ndarray, start: int, stop: int) -> tuple[int, np.ndarray]:
    """The first of the rows, which end at ``ends``, with records from ``start`` to ``stop``, and how many it and each
    after it has there."""
    first, last = np.searchsorted(ends, [start, stop - 1], side="right")
    edges = np.concatenate([[start], np.clip(ends[first : last + 1], start, stop)])
    return int(first), edges[1:] - edges[:-1]


def write_repeated(rows: Any, names: Sequence[str], path: Path) -> None:
    """Write each row of an Arrow table as often as its last column says, dealt to buckets.

    The file holds the other columns under ``names``, in row groups of ROW_GROUP records; the same rows and versions
    give the same bytes. A row group's dictionaries hold only values of that row group. Raises OSError if the disk is
    full.
    """
    records = np.from_dlpack(rows.column(len(names)).combine_chunks())  # to_numpy() would import pandas
    columns = [numbered_values(rows.column(place).combine_chunks()) for place in range(len(names))]
    with parquet_writer(path, names, [values.type for values, _ in columns]) as (writer, schema):
        for found, times in dealt(records).stretches(ROW_GROUP):
            write_group(writer, schema, [values_at(values, codes[found], times) for values, codes in columns])


def repeat_lines(path: Path, rows: int) -> bool:
    """Repeat each of so many lines of a CSV file as often as its last field says, without that field, dealt to buckets.

    The first line is the header. False, and nothing is done, where a line is not a row: a text has a line break.
    """
    header, *lines = path.read_bytes().split(b"\n")
    if len(lines) != rows + 1 or lines.pop():
        return False
    parted = [line.rpartition(b",") for line in lines]
    found = dealt(np.array([int(times) for _, _, times in parted], dtype=np.int64))
    shown = [row + b"\n" for row, _, _ in parted]
    with path.open("wb", buffering=BUFFER) as file:
        file.write(header.rpartition(b",")[0] + b"\n")
        file.writelines(
            shown[row] * times for row, times in zip(found.rows.tolist(), found.times.tolist(), strict=True)
        )
    return True
