"""Rows as pandas has them, with whole numbers left whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def as_frame(table: Any) -> pd.DataFrame:
    """An Arrow table as a pandas one: whole numbers and booleans with NULL in it stay what they are (``Int64`` and the
    like), where pandas would make them floating-point numbers and objects."""
    import pandas as pd
    import pyarrow as pa

    nullable = {getattr(pa, name.lower())(): getattr(pd, f"{name}Dtype")() for name in _WHOLE}
    nullable[pa.bool_()] = pd.BooleanDtype()
    columns = {
        name: column.to_pandas(types_mapper=nullable.get if column.null_count else None)
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))


_WHOLE = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
