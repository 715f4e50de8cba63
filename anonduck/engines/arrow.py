"""Arrow tables as engines leave them and are given them: values that Arrow cannot hold, and texts that all read."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

OPAQUE = pa.struct([("unreadable", pa.binary())])
"""The type of a column whose values have no Arrow type: DuckDB sees a nested column, which is never generalized."""


def plain_texts(table: Any) -> Any:
    """An Arrow table whose texts are of the type that all engines read."""
    fields = [pa.field(field.name, _plain_type(field.type)) for field in table.schema]
    return table.cast(pa.schema(fields))


def _plain_type(kind: Any) -> Any:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if pa.types.is_large_string(kind) or pa.types.is_string_view(kind) else kind
