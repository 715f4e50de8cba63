"""A Parquet file of rows that repeat: each distinct row is encoded once, so that no text of a record is hashed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anonduck.statements.column_types import ALIKE_IN_PARQUET

ROW_GROUP = 1 << 20  # records
MOST_ROWS = 4_000_000  # distinct rows of the buckets, which are held in memory


def fits(types: Iterable[str], rows: int) -> bool:
    """Whether so many distinct rows, by bucket, of these DuckDB types are written here; else DuckDB writes them."""
    return rows <= MOST_ROWS and ALIKE_IN_PARQUET.issuperset(types)


def write_repeated(rows: Any, names: Sequence[str], path: Path) -> None:
    """Write each row of an Arrow table as often as its last column says, in the table's order.

    The file holds the other columns under ``names``, in row groups of ROW_GROUP records; the same rows and versions
    give the same bytes. A row group's dictionaries hold only values of that row group. Raises OSError if the disk is
    full.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    counts = np.from_dlpack(rows.column(len(names)).combine_chunks())  # to_numpy() would import pandas
    ends = np.cumsum(counts, dtype=np.int64)
    rows = rows.select(range(len(names))).combine_chunks()
    schema = pa.schema(
        [pa.field(name, _written_type(kind)) for name, kind in zip(names, rows.schema.types, strict=True)]
    )
    with path.open("wb") as file, pq.ParquetWriter(file, schema, compression="snappy", store_schema=False) as writer:
        for start in range(0, int(ends[-1]), ROW_GROUP):
            writer.write_table(_row_group(rows, ends, start, schema), row_group_size=ROW_GROUP)


def _written_type(kind: Any) -> Any:
    import pyarrow as pa

    return pa.dictionary(pa.int32(), kind) if pa.types.is_string(kind) else kind


def _row_group(rows: Any, ends: np.ndarray, start: int, schema: Any) -> Any:
    """The records ``start`` to ``start + ROW_GROUP`` of the rows whose repetitions end at ``ends``."""
    import pyarrow as pa

    stop = min(start + ROW_GROUP, int(ends[-1]))
    first, last = np.searchsorted(ends, [start, stop - 1], side="right")
    counts = np.diff(np.clip(ends[first : last + 1], start, stop), prepend=start)
    places = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    repeated = pa.Array.from_buffers(pa.int64(), len(places), [None, pa.py_buffer(places)])  # pa.array() would too
    part = rows.slice(int(first), len(counts))
    return pa.table([_repeated(column.combine_chunks(), repeated) for column in part.columns], schema=schema)


def _repeated(values: Any, rows: Any) -> Any:
    import pyarrow as pa

    if not pa.types.is_string(values.type):
        return values.take(rows)
    encoded = values.dictionary_encode()
    return pa.DictionaryArray.from_arrays(encoded.indices.take(rows), encoded.dictionary)
