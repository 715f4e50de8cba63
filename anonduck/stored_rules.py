"""The stored rules against what the decision database holds now: whether they are of the same, and their judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anonduck.errors import RuleError
from anonduck.measures import RuleMeasurer, measure_totals
from anonduck.requiring import RuleJudge, demanded
from anonduck.rules import Space
from anonduck.store import Stored

if TYPE_CHECKING:
    from anonduck.project import Project


def refuse_changed(project: Project, stored: Stored) -> None:
    """Raise RuleError if the taxonomies or the records are not those that the rules were found on."""
    taxonomies = project.taxonomies
    for name, nodes in stored.settings["nodes"].items():
        if name not in taxonomies or list(taxonomies[name].nodes) != nodes:
            raise RuleError(
                f"the taxonomy of {name!r} changed since the rules were found; run `anonduck discover` again"
            )
    if stored.rules and measure_totals(project.database).records != stored.summary["rows"]:
        raise RuleError("the decision database holds other records than the rules; run `anonduck discover` again")


def judge_of(project: Project, stored: Stored, required: Mapping[str, Any] | None = None) -> RuleJudge:
    """The judge of the stored rules, by what the config requires, single requirements replaced by ``required``."""
    nodes = stored.settings["nodes"]
    space = Space(tuple(nodes), tuple(len(counts) - 1 for counts in nodes.values()))
    demand = demanded(project.config, project.folder, **(required or {}))
    measurer = RuleMeasurer(project.database, space, measure_totals(project.database))
    return RuleJudge(project.database, space, measurer, demand, stored.summary["rows"])
