"""The stored rules against what the decision database holds now: whether they are of the same, and their judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonduck.config import Config
from anonduck.errors import RuleError
from anonduck.measures import RuleMeasurer, measure_totals
from anonduck.requirement_options import AllBut, Requirement
from anonduck.requiring import RuleJudge, demanded
from anonduck.rules import Space
from anonduck.store import Stored
from anonduck.taxonomy_options import TaxonomyOptions

if TYPE_CHECKING:
    from anonduck.project import Project

AVERAGE_SIZE = "average_class_size"


def refuse_changed(project: Project, stored: Stored) -> None:
    """Raise RuleError if the taxonomies or the records are not those that the rules were found on."""
    taxonomies = project.taxonomies
    for name, nodes in stored.settings["nodes"].items():
        if name not in taxonomies or list(taxonomies[name].nodes) != nodes:
            raise RuleError(
                f"the taxonomy of {name!r} changed since the rules were found; run `project.discover()` again"
            )
    if stored.rules and measure_totals(project.database).records != stored.summary["rows"]:
        raise RuleError("the decision database holds other records than the rules; run `project.discover()` again")


def config_of(project: Project, stored: Stored) -> Config:
    """The config as it was where that decides how rules are measured and judged, whatever it says now.

    Its requirement is the k that the average class size is divided by, and nothing else: ``judge_of`` requires what the
    rules had to meet.
    """
    known = stored.settings["config"]
    sensitive = known.get("sensitive", project.config.sensitive)
    files = {name: options for name, options in known.get("taxonomies", {}).items() if name in sensitive}
    return project.config.model_copy(
        update={
            "requirement": Requirement(k=_divisor(stored)),
            "sensitive": sensitive,
            "sensitive_values": {
                name: AllBut.model_validate(values) if isinstance(values, dict) else values
                for name, values in known.get("sensitive_values", {}).items()
            },
            "taxonomies": project.config.taxonomies
            | {name: TaxonomyOptions.model_validate(options) for name, options in files.items()},
            "k_counts": known.get("k_counts", []),
            "weights": known.get("weights", project.config.weights),
            "seed": known.get("seed", project.config.seed),
            "models": stored.summary["models"],
            "test_on": stored.summary["test_on"],
        }
    )


def _divisor(stored: Stored) -> int:
    """The k that average class sizes were divided by, read off a rule: `min_k` requires another one."""
    divided = [rule for rule in stored.rules if rule.utility.get(AVERAGE_SIZE)]
    if not divided:
        return int(stored.summary["min_k"])
    rule = max(divided, key=lambda one: one.utility[AVERAGE_SIZE])
    records = int(stored.summary["rows"]) - rule.measures.suppressed
    return max(1, round(records / rule.measures.classes / rule.utility[AVERAGE_SIZE]))


def judge_of(project: Project, stored: Stored) -> RuleJudge:
    """The judge of the stored rules, by what they had to meet when they were found."""
    nodes = stored.settings["nodes"]
    space = Space(tuple(nodes), tuple(len(counts) - 1 for counts in nodes.values()))
    demand = demanded(config_of(project, stored), project.folder, **stored.summary["requirement"])
    totals = measure_totals(project.database)
    measurer = RuleMeasurer(project.database, space, totals, with_class=demand.with_class)
    return RuleJudge(project.database, space, measurer, demand, stored.summary["rows"])
