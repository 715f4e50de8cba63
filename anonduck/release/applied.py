"""A release as a table in memory: made, audited and read back as one that is written to a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from anonduck.release.frames import as_frame
from anonduck.release.job import release_rule
from anonduck.release.target import target_of
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd

OF_A_FILE = ("file", "sha256")


def apply_rule(workspace: Workspace, rule: str | Mapping[str, int], **options: Any) -> pd.DataFrame:
    """The rows of a release by a rule, in their order; ``options`` are those of ``release_by``.

    They are written to a Parquet file in a private temporary folder and audited there, so that nothing comes back that
    ``release`` would not have written. ``attrs["receipt"]`` is the receipt, but for what it says of the file.
    """
    import pyarrow.parquet as pq

    with TemporaryDirectory(prefix="anonduck-") as folder:
        target = target_of("released.parquet", Path(folder))
        release = release_rule(workspace, rule, target, **options)
        table = as_frame(pq.read_table(target.path))
    table.attrs["receipt"] = {name: value for name, value in release.receipt.items() if name not in OF_A_FILE}
    return table
