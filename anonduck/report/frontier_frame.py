"""The table of a frontier, which a notebook displays as a chart."""

from __future__ import annotations

from typing import Any, ClassVar

import pandas as pd


class FrontierFrame(pd.DataFrame):
    """A table with a Vega-Lite specification to display it by; what is made from it is a plain table."""

    _metadata: ClassVar[list[str]] = ["chart"]
    chart: dict[str, Any]

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """The chart, for notebooks that draw Vega-Lite, and the table for the others."""
        charts = {f"application/vnd.vegalite.v{version}+json": self.chart for version in (5, 6)}
        return {**charts, "text/html": self.to_html(), "text/plain": self.to_string()}


def with_chart(table: pd.DataFrame, chart: dict[str, Any]) -> pd.DataFrame:
    """The same table, displayed by a chart."""
    framed = FrontierFrame(table)
    framed.chart = chart
    return framed
