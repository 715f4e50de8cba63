"""Whether what is stored still holds: the discovery, the estimates beside it, the last choice.

This is the one place that knows what they depend on, compares that with the config, the source and the decision
database as they are now, and says what to do where it changed. Nothing is repaired here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isclose
from typing import Any

from anonduck.config.config import Config
from anonduck.database.fingerprints import files_fingerprint, fingerprint_key
from anonduck.errors import RuleError
from anonduck.measures.criteria import demanded
from anonduck.measures.measures import measure_totals
from anonduck.rules.measure_names import UTILITY
from anonduck.rules.rule import AUTO, COMBINED, LATTICE, Rule
from anonduck.search.expected import KeptEstimates
from anonduck.search.store import SIZE_UNIT, StoredDiscovery
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.workspace import Workspace

AGAIN = "run `project.discover()` again"
EARLIER = f"an earlier version of anonduck found these rules; {AGAIN}"
TOLERANCE = 1e-9

FOR_ONCE = (
    "k_counts",
    "search",
    "combine",
    "lattice_frontier",
    "models",
    "test_on",
    "split_by",
    "seed",
    "weights",
)
"""What decides which rules there are and how they score, so that a change for once counts as a change of the config."""

DECIDED_LATER = {"rule", "select", "requirement", "publication", "threads", "holdout"}
"""Keys of the config that rules do not depend on; ``settings`` adds what of them decides in some searches."""

SUPPRESSED = "counted as the majority guess"
"""How rules were measured that leave records out: rules that were measured otherwise are discovered anew."""


# -- what is depended on -----------------------------------------------------------------------------------------------


def settings(workspace: Workspace, taxonomies: Mapping[str, Taxonomy], used: Config | None = None) -> dict[str, Any]:
    """What rules depend on: the config but for what is decided later, the taxonomies' sizes, the source's content.

    ``used`` is the config that rules were found with: of its changes for once, those count that make other rules the
    best.
    """
    config, roles = workspace.config, workspace.roles
    used = used or config
    changed = {name: getattr(used, name) for name in FOR_ONCE}
    return {
        "source": config.source,
        "where": config.where,
        "class": roles.class_,
        **({"select": used.select} if _found_by_select(used) else {}),
        "nodes": {name: list(taxonomies[name].nodes) for name in roles.quasi_identifiers},
        **({"grouped_for_k": config.requirement.k} if _grouped_by_k(taxonomies, roles.quasi_identifiers) else {}),
        "config": config.model_copy(update=changed).model_dump(mode="json", by_alias=True, exclude=DECIDED_LATER),
        "content": content_fingerprint(workspace),
        **({"suppressed": SUPPRESSED} if config.requirement.suppression else {}),
    }


def _grouped_by_k(taxonomies: Mapping[str, Taxonomy], names: Sequence[str]) -> bool:
    """Whether groups depend on the required k: intervals end at no value that fewer records hold."""
    return any(taxonomies[name].kind == "intervals" for name in names)


def _found_by_select(config: Config) -> bool:
    """Whether what rules are selected by decides which are found."""
    if config.search == AUTO:
        return config.select in UTILITY or "." in config.select
    return config.search == LATTICE or (config.search == COMBINED and config.select in UTILITY)


def content_fingerprint(workspace: Workspace) -> str | None:
    """A fingerprint of the source's files; None for a source that has no files."""
    if not workspace.source.files:
        return None
    return files_fingerprint(fingerprint_key(workspace.database), workspace.source.files)


def asked_of_estimates(workspace: Workspace) -> dict[str, Any]:
    """What estimates depend on beside the discovery: the records, what is held out, and what ``run`` selects by."""
    config = workspace.config
    return {
        "content": content_fingerprint(workspace) or "",
        "holdout": config.holdout,
        "select": config.select,
        "k": config.requirement.k,
    }


# -- whether it is as it was -------------------------------------------------------------------------------------------


def is_current(workspace: Workspace, stored: StoredDiscovery) -> bool:
    """Whether the stored discovery is what one would find now, of the same source with the same settings."""
    taxonomies = workspace.taxonomies
    if not all(name in taxonomies for name in workspace.roles.quasi_identifiers):
        return False
    now = settings(workspace, taxonomies)
    known = now["content"] is not None and SIZE_UNIT in stored.summary
    return known and now == stored.settings and _meets_what_is_required(workspace, stored)


def _meets_what_is_required(workspace: Workspace, stored: StoredDiscovery) -> bool:
    """Whether the stored rules are those that may meet what is required now: the same, but for a larger k.

    With suppression each k leaves out other classes, so that all measures of a rule change with it; and an optimum
    without its frontier is the best at its own k alone.
    """
    now = demanded(workspace.config, workspace.folder).as_json()
    then = {"k": stored.summary["min_k"], **stored.summary.get("requirement", {})}
    lattice = stored.summary.get("lattice")
    if lattice is not None and lattice["frontier"] != "exact" and then["k"] != now["k"]:
        return False
    others = {name: value for name, value in then.items() if name != "k"}
    if others != {name: value for name, value in now.items() if name != "k"}:
        return False
    return bool(then["k"] == now["k"] if "suppression" in now else then["k"] <= now["k"])


def are_current(workspace: Workspace, kept: KeptEstimates | None) -> bool:
    """Whether estimates were kept, and are those that one would make now."""
    return kept is not None and kept.asked == asked_of_estimates(workspace)


def can_be_applied(workspace: Workspace, choice: Iterable[str]) -> bool:
    """Whether the columns of the last choice are still quasi-identifiers."""
    return set(choice) <= set(workspace.roles.quasi_identifiers)


# -- refusals ----------------------------------------------------------------------------------------------------------


def refuse_changed(workspace: Workspace, stored: StoredDiscovery) -> None:
    """Raise RuleError if the taxonomies or the records are not those that the rules were found on."""
    changed = _changed_taxonomy(workspace.taxonomies, stored, stored.settings["nodes"])
    if changed is not None:
        raise RuleError(f"the taxonomy of {changed!r} changed since the rules were found; {AGAIN}")
    if stored.rules and measure_totals(workspace.database).records != stored.summary["rows"]:
        raise RuleError(f"the decision database holds other records than the rules; {AGAIN}")


def refuse_changed_rule(workspace: Workspace, stored: StoredDiscovery, rule: Rule) -> None:
    """Raise RuleError if a stored rule does not mean now what it meant when it was found."""
    then, now = stored.settings["class"], workspace.config.class_
    if then != now:
        raise RuleError(f"{rule.id} was discovered for the class {then!r}, the config now says {now!r}; {AGAIN}")
    lost = next((name for name in rule.levels if name not in workspace.roles.quasi_identifiers), None)
    changed = lost or _changed_taxonomy(workspace.taxonomies, stored, rule.levels)
    if changed is not None:
        raise RuleError(f"{rule.id} generalizes {changed!r}, whose role or taxonomy changed since; {AGAIN}")


def _changed_taxonomy(taxonomies: Mapping[str, Taxonomy], stored: StoredDiscovery, names: Iterable[str]) -> str | None:
    """The first of the columns whose taxonomy is gone or has other nodes than the rules were found with."""
    nodes = stored.settings["nodes"]
    return next((name for name in names if name not in taxonomies or list(taxonomies[name].nodes) != nodes[name]), None)


def refuse_other_values(column: str, placed: int, records: int) -> None:
    """Raise RuleError if a column's lookup does not place all the records that the rules were found on."""
    if placed != records:
        raise RuleError(
            f"the values of {column!r} in the decision database are not those that the rules were found on; {AGAIN}"
        )


def refuse_measured_otherwise(measure: str, values: Iterable[tuple[Rule, float]], now: Callable[[Rule], float]) -> None:
    """Raise RuleError if what rules had of a measure is not what ``now`` measures of them."""
    for rule, value in values:
        if not isclose(now(rule), value, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            raise RuleError(f"the {measure} of {rule.id} no longer agrees with the config or the data; {AGAIN}")


def used_config(stored: StoredDiscovery) -> Config:
    """The config that rules were found with, changes for once included; raises RuleError if it was not kept."""
    if not stored.config:
        raise RuleError(EARLIER)
    return Config.model_validate(stored.config)


def size_unit(stored: StoredDiscovery) -> int:
    """The k that average class sizes were divided by, which ``min_k`` does not change; RuleError if it was not kept."""
    if SIZE_UNIT not in stored.summary:
        raise RuleError(EARLIER)
    return int(stored.summary[SIZE_UNIT])
