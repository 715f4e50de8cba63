"""A table without rows that says why, wherever it is displayed, and has the columns that a full one has."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from textwrap import wrap
from typing import Any, ClassVar

import pandas as pd

from anonduck.words import Picture

WIDE, LINE, LETTERS = 560, 20, 75


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

    def plot(self, *args: Any, **options: Any) -> Any:  # type: ignore[override] # pandas has an accessor
        """What a table with rows draws is a picture that says why here, without a library; ``plot().save(FILE)``."""
        why = self.attrs.get("why")
        if why is None or len(self):
            return pd.DataFrame(self).plot(*args, **options)
        words = f"no rows: {why}"
        lines = wrap(words, LETTERS, break_long_words=False)
        written = "".join(f'<text x="10" y="{LINE * at}">{escape(line)}</text>' for at, line in enumerate(lines, 1))
        high = LINE * len(lines) + LINE // 2
        return Picture(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {high}" width="{WIDE}" role="img" '
            f'aria-label="{escape(words)}" font-family="sans-serif" font-size="14" fill="#808890">{written}</svg>'
        )


def empty_table(why: str, columns: Mapping[str, str]) -> pd.DataFrame:
    """A table of these columns, each of its type, without rows."""
    table = EmptyTable({name: pd.Series(dtype=kind) for name, kind in columns.items()})
    table.attrs["why"] = why
    return table
