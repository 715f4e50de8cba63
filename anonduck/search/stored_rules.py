"""The stored rules: found again by id, literal or levels, with the config and the judge that they were measured by."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from anonduck.config.reading import read_config
from anonduck.database.files import rows_if_readable
from anonduck.errors import RuleError
from anonduck.measures.requirement import requirement_of
from anonduck.rules.rule import IDENTIFIER, RuleSpace, parse_literal
from anonduck.search.freshness import can_be_opened, refuse_changed_rule, size_unit, tell_stale
from anonduck.search.store import StoredDiscovery, read_discovery
from anonduck.source.entity import EntitySizes
from anonduck.statements import line
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.measures.judge import RuleJudge
    from anonduck.rules.rule import Rule


def stored_ids(config: Path) -> list[tuple[str, str]]:
    """Id and literal of each rule of the last discovery; none where there is none.

    Raises ConfigError for a config that cannot be read.
    """
    database = config.resolve().parent / read_config(config).database
    rules = line("search/stored_rules.stored_ids", "SELECT id, literal FROM rules ORDER BY substr(id, 2)::BIGINT")
    return [(str(one), str(literal)) for one, literal in rows_if_readable(database, rules)]


def discovered(workspace: Workspace) -> StoredDiscovery:
    """The stored discovery; raises RuleError if there is none.

    Where the source is gone, or cannot be opened as it is now, the persons of a config that has an entity are those
    that the discovery counted.
    """
    stored = read_discovery(workspace.database)
    if stored is None:
        raise RuleError("nothing was discovered yet; run `anonduck discover` first")
    _remember_persons(workspace, stored)
    return stored


def _remember_persons(workspace: Workspace, stored: StoredDiscovery) -> None:
    if workspace.written.entity is None:
        return
    from anonduck.config.entity import Entity

    entity, kept = workspace.written.entity, stored.summary.get("entity")
    if kept is None or Entity.model_validate(stored.settings["asked"]["entity"]) != entity:
        return
    if workspace.session.knows_sizes(entity.column) or can_be_opened(workspace):
        return
    workspace.session.assume_sizes(entity.column, EntitySizes(kept["at_most"], kept["left_out"]))


def rule_levels(workspace: Workspace, rule: str | Mapping[str, int]) -> tuple[str | None, dict[str, int]]:
    """Id and levels of a rule given as id, literal or mapping; raises RuleError if it cannot be applied now.

    Where what was measured of an id is of another config or other records than those of now, that is announced.
    """
    if not isinstance(rule, str):
        return None, dict(rule)
    if not IDENTIFIER.fullmatch(rule.strip()):
        return None, parse_literal(rule)
    stored = discovered(workspace)
    found = stored.rule(rule)
    refuse_changed_rule(workspace, stored, found)
    tell_stale(workspace, stored)
    return found.id, dict(found.levels)


def rule_at(workspace: Workspace, levels: Mapping[str, int] | None) -> Rule | None:
    """The rule of the last discovery that has these levels, whatever changed since; None where there is none."""
    stored = read_discovery(workspace.database) if levels else None
    if stored is None:
        return None
    return next((one for one in stored.rules if dict(one.levels) == dict(levels or {})), None)


def config_of(workspace: Workspace, stored: StoredDiscovery) -> Config:
    """The config as it was where that decides how rules are measured and judged, whatever it says now.

    Its requirement is the k that the average class size is divided by, and nothing else: ``judge_of`` requires what the
    rules had to meet. Raises RuleError if that k was not kept.
    """
    from anonduck.config.requirement import AllBut, RequirementOptions
    from anonduck.config.taxonomy import TaxonomyOptions

    known = stored.settings["config"]
    sensitive = known["sensitive"]
    files = {name: options for name, options in known["taxonomies"].items() if name in sensitive}
    return workspace.config.model_copy(
        update={
            "requirement": RequirementOptions(k=size_unit(stored)),
            "sensitive": sensitive,
            "sensitive_values": {
                name: AllBut.model_validate(values) if isinstance(values, dict) else values
                for name, values in known["sensitive_values"].items()
            },
            "taxonomies": workspace.config.taxonomies
            | {name: TaxonomyOptions.model_validate(options) for name, options in files.items()},
            "keep": known["keep"],
            "weights": known["weights"],
            "seed": known["seed"],
            "models": stored.summary["models"],
            "test_on": stored.summary["test_on"],
        }
    )


def judge_of(workspace: Workspace, stored: StoredDiscovery) -> RuleJudge:
    """The judge of the stored rules, by what they had to meet when they were found."""
    from anonduck.frequency.floors import read_floor
    from anonduck.measures.judge import RuleJudge
    from anonduck.measures.measures import measure_totals

    nodes = stored.settings["nodes"]
    requirement = requirement_of(config_of(workspace, stored), workspace.folder, **stored.summary["requirement"])
    roots = {name: len(counts) - 1 for name, counts in nodes.items()}
    space = RuleSpace.keeping(roots, requirement.keep, read_floor(workspace.database))
    totals = measure_totals(workspace.database)
    return RuleJudge(workspace.database, space, requirement, totals)
