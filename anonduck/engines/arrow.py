"""Arrow tables as engines leave them: what stands for values that Arrow cannot hold."""

from __future__ import annotations

import pyarrow as pa

OPAQUE = pa.struct([("unreadable", pa.binary())])
"""The type of a column whose values have no Arrow type: DuckDB sees a nested column, which is never generalized."""
