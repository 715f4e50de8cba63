"""Releases and rows as pandas tables, with whole numbers left whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from anonduck.release.by_recoding import release_rule
from anonduck.release.plan import ReleaseSettings
from anonduck.release.target import target_of
from anonduck.workspace import Workspace

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


OF_A_FILE = ("file", "sha256")


def apply_rule(workspace: Workspace, rule: str | Mapping[str, int], settings: ReleaseSettings) -> pd.DataFrame:
    """The rows of a release by a rule, in their order.

    They are written to a Parquet file in a private temporary folder and audited there, so that nothing comes back that
    ``release`` would not have written. ``attrs["receipt"]`` is the receipt, but for what it says of the file.
    """
    import pyarrow.parquet as pq

    with TemporaryDirectory(prefix="anonduck-") as folder:
        target = target_of("released.parquet", Path(folder))
        release = release_rule(workspace, rule, target, settings)
        table = as_frame(pq.read_table(target.path))
    table.attrs["receipt"] = {name: value for name, value in release.receipt.items() if name not in OF_A_FILE}
    return table
