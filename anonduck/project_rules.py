"""The rules of a project: discovered, kept with what they depend on, found again, and weighed against each other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonduck import preparation
from anonduck.config import Config
from anonduck.config_reading import with_changes
from anonduck.errors import RuleError
from anonduck.frontier import is_score, objective
from anonduck.rules import COMBINED, LATTICE, parse_literal
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.utility_names import UTILITY

if TYPE_CHECKING:
    import pandas as pd

    from anonduck.discovery import Discovery
    from anonduck.project import Project
    from anonduck.store import Stored

FOR_ONCE = (
    *("k_counts", "search", "combine", "lattice_frontier"),
    *("models", "test_on", "split_by", "seed", "weights"),
)
"""What decides which rules there are and how they score, so that a change for once counts as a change of the config."""

SUPPRESSED = "counted as the majority guess"
"""How rules were measured that leave records out: rules that were measured otherwise are discovered anew."""


def discover(project: Project, *, min_k: int | None, show_values: bool, changes: Mapping[str, Any]) -> Discovery:
    """Find rules with the config changed for once, and store them in place of an earlier discovery."""
    from anonduck.discovery import discover_rules
    from anonduck.frequency import SENSITIVE_SET
    from anonduck.lattice_discovery import discover_in_lattice
    from anonduck.privacy.choosing import refuse_absent
    from anonduck.requiring import demanded
    from anonduck.statements.builder_frequency import value_column
    from anonduck.store import write_discovery

    config = with_changes(project.config, changes)
    _refuse_unknown_select(config)
    demand = demanded(config, project.folder, **({} if min_k is None else {"k": min_k}))
    taxonomies = preparation.prepare(
        project.database,
        config,
        project.folder,
        project.source,
        project.roles,
        label_k=config.requirement.k,
        sensitive=demand.sensitive,
        show_values=show_values,
        reporter=project.reporter,
    )
    columns = {name: value_column(name) for name in demand.sensitive}
    refuse_absent(project.database, SENSITIVE_SET, columns, demand.chosen, project.reporter.announce)
    given = (project.database, config, taxonomies, project.roles.quasi_identifiers)
    if config.search == LATTICE:
        discovery = discover_in_lattice(*given, demand=demand, reporter=project.reporter)
    else:
        discovery = discover_rules(*given, min_k=demand.k, demand=demand, reporter=project.reporter)
    write_discovery(project.database, discovery, settings(project, taxonomies, config), config)
    return discovery


def _refuse_unknown_select(config: Config) -> None:
    """Raise ConfigError if the config selects by no measure there is; without models, scores are left open."""
    if config.models or not is_score(config.select):
        objective(config.select, config.models)


def settings(project: Project, taxonomies: Mapping[str, Taxonomy], used: Config | None = None) -> dict[str, Any]:
    """What rules depend on: the config but for what is decided later, the taxonomies' sizes, the source's content.

    ``used`` is the config that rules were found with: of its changes for once, those count that make other rules the
    best.
    """
    config, roles = project.config, project.roles
    used = used or config
    changed = {name: getattr(used, name) for name in FOR_ONCE}
    return {
        "source": config.source,
        "where": config.where,
        "class": roles.class_,
        **({"select": used.select} if _found_by_select(used) else {}),
        "nodes": {name: list(taxonomies[name].nodes) for name in roles.quasi_identifiers},
        **({"grouped_for_k": config.requirement.k} if _grouped_by_k(taxonomies, roles.quasi_identifiers) else {}),
        "config": config.model_copy(update=changed).model_dump(
            mode="json", by_alias=True, exclude={"rule", "select", "requirement", "publication", "threads", "holdout"}
        ),
        "content": project.content_fingerprint(),
        **({"suppressed": SUPPRESSED} if config.requirement.suppression else {}),
    }


def _grouped_by_k(taxonomies: Mapping[str, Taxonomy], names: Sequence[str]) -> bool:
    """Whether groups depend on the required k: intervals end at no value that fewer records hold."""
    return any(taxonomies[name].kind == "intervals" for name in names)


def _found_by_select(config: Config) -> bool:
    """Whether what rules are selected by decides which are found."""
    return config.search == LATTICE or (config.search == COMBINED and config.select in UTILITY)


def content_fingerprint(project: Project) -> str | None:
    """A fingerprint of the source's files; None for a source that has no files."""
    from anonduck.fingerprints import files_fingerprint, fingerprint_key

    if not project.source.files:
        return None
    return files_fingerprint(fingerprint_key(project.database), project.source.files)


def discovered(project: Project) -> Stored:
    """The stored discovery; raises RuleError if there is none."""
    from anonduck.store import read_discovery

    stored = read_discovery(project.database)
    if stored is None:
        raise RuleError("nothing was discovered yet; run `project.discover()` first")
    return stored


def frontier(
    project: Project, objectives: Sequence[str] | None, *, gap: bool, time_limit: float | None
) -> pd.DataFrame:
    """The non-dominated rules by falling k, as a table that a notebook displays as a chart."""
    import pandas as pd

    from anonduck.discovery import default_objectives
    from anonduck.frontier import frontier_rules
    from anonduck.report.frame import with_chart
    from anonduck.report.plotting import notebook_chart, points

    stored = project.discovered()
    models = stored.summary["models"]
    weighed = objectives or default_objectives(models)
    kept = frontier_rules(stored.rules, weighed, models)
    rows: list[dict[str, Any]] = [rule.as_json() for rule in kept]
    searches = {}
    if gap:
        from anonduck.gaps import measure_gaps

        found = measure_gaps(project, stored, kept, [name for name in weighed if name != "k"], time_limit)
        rows = [row | {"gap": found.of(rule.id)} for row, rule in zip(rows, kept, strict=True)]
        searches = {"lattice": dict(found.searches)}
    measure = next(name for name in weighed if name != "k")
    drawn = points(stored.rules, [rule.id for rule in kept], measure, models)
    chart = notebook_chart(drawn, measure, required=project.config.requirement.k) if drawn else None
    table = pd.DataFrame(rows)
    shown = table if chart is None else with_chart(table, chart)
    shown.attrs.update(searches)
    return shown


def rule_levels(project: Project, rule: str | Mapping[str, int]) -> tuple[str | None, dict[str, int]]:
    """Id and levels of a rule given as id, literal or mapping; raises RuleError if it cannot be applied now."""
    if not isinstance(rule, str):
        return None, dict(rule)
    if not re.fullmatch(r"R\d+", rule.strip()):
        return None, parse_literal(rule)
    stored = project.discovered()
    found = stored.rule(rule)
    known, now = stored.settings, project.taxonomies
    if known["class"] != project.config.class_:
        raise RuleError(
            f"{rule} was discovered for the class {known['class']!r}, the config now says {project.config.class_!r}; "
            "run `project.discover()` again"
        )
    for name in found.levels:
        if (
            name not in project.roles.quasi_identifiers
            or name not in now
            or list(now[name].nodes) != known["nodes"][name]
        ):
            raise RuleError(
                f"{rule} generalizes {name!r}, whose role or taxonomy changed since; run `project.discover()` again"
            )
    return found.id, dict(found.levels)
