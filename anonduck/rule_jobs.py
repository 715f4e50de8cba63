"""Jobs on rules: find and keep them, and weigh them against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anonduck import preparation
from anonduck.config import Config
from anonduck.config_reading import with_changes
from anonduck.freshness import settings
from anonduck.frontier import frontier_rules, is_score, objective
from anonduck.rules import LATTICE
from anonduck.stored_rules import discovered
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd

    from anonduck.discovery import Discovery


def discover(workspace: Workspace, *, min_k: int | None = None, show_values: bool = False, **changes: Any) -> Discovery:
    """Find rules, with the config's keys in ``changes`` changed for once, and store them in place of an earlier
    discovery."""
    from anonduck.discovery import discover_rules
    from anonduck.frequency import SENSITIVE_SET
    from anonduck.lattice_discovery import discover_in_lattice
    from anonduck.privacy.choosing import refuse_absent
    from anonduck.requirements import demanded
    from anonduck.statements.builder_frequency import value_column
    from anonduck.store import write_discovery

    config = with_changes(workspace.config, changes)
    _refuse_unknown_select(config)
    demand = demanded(config, workspace.folder, **({} if min_k is None else {"k": min_k}))
    taxonomies = preparation.prepare(
        workspace.database,
        config,
        workspace.folder,
        workspace.source,
        workspace.roles,
        label_k=config.requirement.k,
        sensitive=demand.sensitive,
        show_values=show_values,
        reporter=workspace.reporter,
    )
    columns = {name: value_column(name) for name in demand.sensitive}
    refuse_absent(workspace.database, SENSITIVE_SET, columns, demand.chosen, workspace.reporter.announce)
    given = (workspace.database, config, taxonomies, workspace.roles.quasi_identifiers)
    if config.search == LATTICE:
        discovery = discover_in_lattice(*given, demand=demand, reporter=workspace.reporter)
    else:
        discovery = discover_rules(*given, min_k=demand.k, demand=demand, reporter=workspace.reporter)
    write_discovery(workspace.database, discovery, settings(workspace, taxonomies, config), config)
    return discovery


def _refuse_unknown_select(config: Config) -> None:
    """Raise ConfigError if the config selects by no measure there is; without models, scores are left open."""
    if config.models or not is_score(config.select):
        objective(config.select, config.models)


def frontier(
    workspace: Workspace, objectives: Sequence[str] | None, *, gap: bool, time_limit: float | None
) -> pd.DataFrame:
    """The non-dominated rules by falling k, as a table that a notebook displays as a chart."""
    import pandas as pd

    from anonduck.discovery import default_objectives
    from anonduck.report.frame import with_chart
    from anonduck.report.plotting import notebook_chart, points

    stored = discovered(workspace)
    models = stored.summary["models"]
    weighed = objectives or default_objectives(models)
    kept = frontier_rules(stored.rules, weighed, models)
    rows: list[dict[str, Any]] = [rule.as_json() for rule in kept]
    searches = {}
    if gap:
        from anonduck.gaps import measure_gaps

        found = measure_gaps(workspace, stored, kept, [name for name in weighed if name != "k"], time_limit)
        rows = [row | {"gap": found.of(rule.id)} for row, rule in zip(rows, kept, strict=True)]
        searches = {"lattice": dict(found.searches)}
    measure = next(name for name in weighed if name != "k")
    drawn = points(stored.rules, [rule.id for rule in kept], measure, models)
    chart = notebook_chart(drawn, measure, required=workspace.config.requirement.k) if drawn else None
    table = pd.DataFrame(rows)
    shown = table if chart is None else with_chart(table, chart)
    shown.attrs.update(searches)
    return shown
