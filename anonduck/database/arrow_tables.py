"""Arrow tables of numbers and texts, made of their bytes: PyArrow loads pandas to look at anything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa


def arrow_table(columns: Mapping[str, np.ndarray | Sequence[str | None]]) -> pa.Table:
    """A table of columns of one length: arrays of numbers without NULL, and lists of texts."""
    import pyarrow as pa

    return pa.Table.from_arrays([_column(values) for values in columns.values()], names=list(columns))


def _column(values: Any) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    if isinstance(values, np.ndarray):
        kind = pa.from_numpy_dtype(values.dtype)
        return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])
    encoded = [(text or "").encode() for text in values]
    ends = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=ends[1:])
    known = np.packbits(np.array([text is not None for text in values], dtype=bool), bitorder="little")
    buffers = [pa.py_buffer(known), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), buffers)
