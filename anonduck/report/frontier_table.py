"""The frontier of a stored discovery as a table, which a notebook displays as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from anonduck.rules.empty_table import EmptyTable
from anonduck.rules.frontier import frontier_rules
from anonduck.rules.rule_table import rule_table
from anonduck.search.freshness import tell_stale
from anonduck.search.stored_rules import discovered
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    from anonduck.search.store import StoredDiscovery


def frontier_table(
    workspace: Workspace,
    objectives: Sequence[str] | None,
    *,
    everything: bool = False,
    nested: bool = False,
) -> pd.DataFrame:
    """The non-dominated rules by falling k, as a table that a notebook displays as a chart."""
    from anonduck.offer.candidates import kept_offer
    from anonduck.release.made_releases import comparable_releases
    from anonduck.report.frontier_chart import notebook_chart, points, release_points
    from anonduck.rules.measure_names import default_objectives

    stored = discovered(workspace)
    reasons = tell_stale(workspace, stored)
    models = stored.summary["models"]
    weighed = objectives or default_objectives(models, has_class=stored.has_class)
    kept = frontier_rules(stored.rules, weighed, models, everything=everything)
    measure = next(name for name in weighed if name != "k")
    on_it = {rule.id: rule.tied_with for rule in kept if rule.on_frontier}
    drawn = points(stored.rules, list(on_it), measure, models, on_it)
    made = comparable_releases(workspace, stored.summary["rows"])
    methods = release_points(made, measure)
    required = workspace.config.requirement.k
    chart = notebook_chart(drawn, measure, required=required, made=methods) if drawn else None
    table = rule_table([rule.as_json() for rule in kept], stored.roots, models, nested=nested, why=_why_none(stored))
    shown = table if chart is None else with_chart(table, chart)
    shown.attrs.update(
        {name: table.attrs[name] for name in ("why",) if name in table.attrs},
        levels=table.attrs["levels"],
        stale=reasons,
        releases=[one.as_json() for one in made],
        candidates=[one.as_json() for one in kept_offer(workspace, stored)],
    )
    return shown


def _why_none(stored: StoredDiscovery) -> str:
    """Why no rule is listed, and the next step."""
    if stored.summary["explanation"] or not stored.rules:
        return str(stored.summary["explanation"] or "no rule was found")
    return (
        f"none of the {len(stored.rules):,} rules that were found tells more of the class than its majority "
        "does; `anonduck frontier --all` lists those that no other beats"
    )


class FrontierFrame(EmptyTable):
    """A table that a notebook displays by a Vega-Lite specification; tables derived from it are plain."""

    _metadata: ClassVar[list[str]] = ["chart"]
    chart: dict[str, Any]

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """The chart, for notebooks that draw Vega-Lite, and the table for others."""
        charts = {f"application/vnd.vegalite.v{version}+json": self.chart for version in (5, 6)}
        shown = (self.to_html(), self.to_string()) if len(self) else (self._repr_html_(), repr(self))
        return {**charts, "text/html": shown[0], "text/plain": shown[1]}


def with_chart(table: pd.DataFrame, chart: dict[str, Any]) -> pd.DataFrame:
    """The same table, displayed by a chart."""
    framed = FrontierFrame(table)
    framed.chart = chart
    return framed
