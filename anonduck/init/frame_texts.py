"""Texts of a pandas table that are dates or numbers, read as those of a CSV file are, so that both are one table.

pandas leaves dates as texts, and a column of numbers too where one text such as N/A stands among them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from anonduck.config.reading import make_config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.init.init import well_read
from anonduck.init.reading_proposal import SUSPECT
from anonduck.source.engine import DuckDBSource
from anonduck.source.shared_database import HeldEngine
from anonduck.statements.column_types import is_text

if TYPE_CHECKING:
    import pandas as pd

    from anonduck.config.config import Config

ROW = "#row"
LOOKED_AT = 1_000


def with_read_texts(
    table: pd.DataFrame, decided: Collection[str], reporter: Reporter
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table with those columns of texts as dates or numbers that a CSV file would have as such, and a sentence on
    each.

    Args:
        table: has columns of different names.
        decided: columns whose type somebody gave; they stay.
        reporter: follows the reading.
    """
    suspects = [str(name) for name in table if name not in decided and _is_suspect(table[name])]
    if not suspects:
        return table, ()
    with TemporaryDirectory(prefix="anonduck-") as folder:
        path = Path(folder) / "texts.csv"
        table[suspects].reset_index(drop=True).to_csv(path, index_label=ROW)
        read, why = _read(path, suspects, reporter)
    remarks = [f"column {name!r} is read as from a CSV file, as {kind}" for name, kind in why.items()]
    return table.assign(**{name: column.set_axis(table.index) for name, column in read.items()}), tuple(remarks)


def _is_suspect(column: pd.Series[Any]) -> bool:
    """Whether so many of the first texts have a digit that they may be dates or numbers."""
    import pandas as pd

    if not (pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype)):
        return False
    held = column.dropna().head(LOOKED_AT)
    if not len(held) or not held.map(lambda value: isinstance(value, str)).all():
        return False
    return bool(held.str.contains(r"\d").mean() >= SUSPECT)


def _read(path: Path, names: Sequence[str], reporter: Reporter) -> tuple[dict[str, pd.Series[Any]], dict[str, str]]:
    """The columns of a file that are no texts, and what they are instead."""
    database, own = Database(tracer=reporter.trace), HeldEngine()

    def reopen(config: Config) -> Any:
        return own.open(database, config, path.parent, None)

    try:
        opened, _, _, _ = well_read(reopen, make_config({"source": str(path)}), reporter)
        kinds = {name: opened.column(name).type for name in names}
        typed = [name for name, kind in kinds.items() if not is_text(kind)]
        if not typed:
            return {}, {}
        assert isinstance(opened.engine, DuckDBSource)  # as it is a file
        found = opened.engine.in_order(typed, ROW)
    finally:
        own.close()
        database.close()
    return {name: found[name].to_pandas() for name in typed}, {name: kinds[name] for name in typed}
