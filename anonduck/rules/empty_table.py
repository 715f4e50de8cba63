"""A table without rows that says why, wherever it is displayed, and has the columns that a full one has."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import ClassVar

import pandas as pd


class EmptyTable(pd.DataFrame):
    """A table that displays ``attrs["why"]`` if it is empty; derived tables are plain."""

    _metadata: ClassVar[list[str]] = []

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        why = self.attrs.get("why")
        return super().__repr__() if why is None else f"no rows: {why}\nColumns: {', '.join(self.columns)}"

    def _repr_html_(self) -> str:
        why = self.attrs.get("why")
        return str(super()._repr_html_()) if why is None else f"<p>no rows: {escape(why)}</p>"  # type: ignore[misc]


def empty_table(why: str, columns: Mapping[str, str]) -> pd.DataFrame:
    """A table of these columns, each of its type, without rows."""
    table = EmptyTable({name: pd.Series(dtype=kind) for name, kind in columns.items()})
    table.attrs["why"] = why
    return table
