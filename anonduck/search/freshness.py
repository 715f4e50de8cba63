"""Whether what is stored still holds: the discovery, the estimates beside it, the last choice.

This is the one place that knows what they depend on, compares that with the config, the source and the decision
database as they are now, and says what to do where it changed. Nothing is repaired here, but for taxonomies that the
config has otherwise by now: they are made anew before anything is said of a rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any

from anonduck.database.fingerprints import files_fingerprint, fingerprint_key, text_fingerprint
from anonduck.errors import ConfigError, RuleError, SourceError, TaxonomyError
from anonduck.rules.measure_names import ORIGINAL, UTILITY
from anonduck.rules.rule import AUTO, RFD, Rule, literal
from anonduck.search.expected import SCORED
from anonduck.search.store import SIZE_UNIT, LastChoice, StoredDiscovery
from anonduck.taxonomy.catalog import Taxonomy, trees

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.search.expected import KeptEstimates
    from anonduck.workspace import Workspace

AGAIN = "run `anonduck discover` again"
MISSING, SOURCE_MISSING = "missing", "the source is missing"
UNCHECKED = (
    "So nobody can tell whether the stored rules still hold. Put it back, or correct `source` in the config; then "
    f"{AGAIN} if it has other records"
)

FOR_ONCE = ("models", "test_on", "split_by", "seed", "weights", "keep")
"""What decides how rules are measured and judged, so that a discovery changed in it for once is not that of the config.

What else was changed for once decides which rules were looked for: whoever asked for that wants to use what was found.
"""

DECIDED_LATER = {
    "rule",
    "selection",
    "requirement",
    "publication",
    "reviewed",
    "accepted_unattacked",
    "policy",
    "labels",
    "method",
    "methods",
    "threads",
    "memory_limit",
    "database",
    "holdout",
    "workload",
    "subgroups",
    "expected_types",
    "next",
    "cut_anew",
}
"""Keys of the config that rules do not depend on; ``settings`` adds what of them decides in some searches."""

COMPARED_OTHERWISE = {"class", "identifiers", "insensitive", "quasi_identifiers", "taxonomies"}
"""Keys that are compared by what they lead to: the role of each column, and how its taxonomy groups values."""


# -- what is depended on -----------------------------------------------------------------------------------------------


def settings(workspace: Workspace, taxonomies: Mapping[str, Taxonomy], used: Config | None = None) -> dict[str, Any]:
    """What rules depend on: the config but for what is decided later, the taxonomies, the source's content.

    ``used`` is the config that rules were found with, changes for once included: ``config`` holds what it says of how
    rules are measured, ``asked`` what the project's own says.
    """
    from anonduck.frequency.taxonomies import planned

    config, roles = workspace.config, workspace.roles
    used = used or config
    changed = {name: getattr(used, name) for name in FOR_ONCE}
    return {
        "source": config.source,
        "where": config.where,
        "class": roles.named_class,
        "nodes": {name: list(taxonomies[name].nodes) for name in roles.quasi_identifiers},
        "planned": planned(workspace, list(roles.quasi_identifiers)),
        "label_k": config.requirement.k,
        "trees": trees(workspace.database, roles.quasi_identifiers),
        "hierarchies": _sensitive_hierarchies(workspace),
        "config": _kept_keys(config.model_copy(update=changed)),
        "asked": _kept_keys(config) | {"select": config.select},
        "content": content_fingerprint(workspace),
        "files": _files(workspace),
    }


def _kept_keys(config: Config) -> dict[str, Any]:
    left_out: dict[str, Any] = dict.fromkeys(DECIDED_LATER, True) | {"engine": {"kind", "master"}}
    return config.model_dump(mode="json", by_alias=True, exclude=left_out)


def _sensitive_hierarchies(workspace: Workspace) -> dict[str, str]:
    """Fingerprints of the taxonomy files of sensitive columns, by column."""
    from anonduck.measures.requirement import sensitive_files

    files = sensitive_files(workspace.config, workspace.folder)
    key = fingerprint_key(workspace.database)
    return {name: files_fingerprint(key, [path]) for name, path in files.items() if path.is_file()}


def _files(workspace: Workspace) -> list[list[Any]]:
    """Name, bytes and time of change of the source's files: where these stay, so does the content."""
    found = [(path, path.stat()) for path in workspace.source.files]
    return [[str(path), status.st_size, status.st_mtime_ns] for path, status in found]


def _found_by_select(config: Config) -> bool:
    """Whether what rules are selected by decides which are found."""
    if config.search == AUTO:
        return config.select in UTILITY or "." in config.select
    return config.search != RFD


def content_fingerprint(workspace: Workspace) -> str | None:
    """A fingerprint of the source's files, or of its state in an engine; None for a source that has neither."""
    key, source = fingerprint_key(workspace.database), workspace.source
    if source.snapshot is not None:
        return text_fingerprint(key, source.snapshot)
    return files_fingerprint(key, source.files) if source.files else None


def asked_of_estimates(
    workspace: Workspace, beside: Sequence[str] | None = None, ks: Sequence[int] = (), *, every: bool = True
) -> dict[str, Any]:
    """What estimates depend on beside the discovery: the records, what is held out, what ``run`` selects by, the models
    that are tested ``beside`` those of the discovery, by default those of the config, and on which records; ``ks``
    beside the required one that a rule is selected at, and whether the models beside are tested by ``every`` rule of
    the frontier, too.

    Where rules stand beside other recodings, both are tested on records as they came.
    """
    config = workspace.config
    others = list(config.tested_beside if beside is None else beside)
    return {
        "content": content_fingerprint(workspace) or "",
        "holdout": config.holdout,
        "select": config.selection.model_dump(),
        "k": config.requirement.k,
        "beside": others,
        "test_on": ORIGINAL if others else config.test_on,
        "scored": SCORED,
        "ks": sorted(ks),
        "every": every or not others,
    }


# -- whether it is as it was -------------------------------------------------------------------------------------------


def is_current(workspace: Workspace, stored: StoredDiscovery, changes: Mapping[str, Any] | None = None) -> bool:
    """Whether the stored discovery serves for what is to be released now: of the source and config as they are, with
    what is asked for once (``changes``), and of rules that may meet what is required.

    Another search than the one that is asked for serves, too, unless its budget or time ended it.
    """
    if stored.settings["content"] is None or stale(workspace, stored, exactly=True):
        return False
    from anonduck.config.reading import with_changes

    used, wanted = used_config(stored), with_changes(workspace.config, changes or {})
    if stored.summary["cut"] and _kept_keys(used) != _kept_keys(wanted):
        return False
    same = [*FOR_ONCE, *(changes or ()), *(["select"] if _found_by_select(used) else [])]
    return all(getattr(used, name) == getattr(wanted, name) for name in same) and _meets_what_is_required(
        workspace, stored
    )


def found_otherwise(workspace: Workspace, stored: StoredDiscovery) -> bool:
    """Whether rules were looked for in another way than the config asks for."""
    return _kept_keys(used_config(stored)) != _kept_keys(workspace.config)


def stale(workspace: Workspace, stored: StoredDiscovery, *, exactly: bool = False) -> dict[str, str]:
    """What changed since the rules were found, so that their numbers are of something else: in words, by what it is.

    What decides later, such as the requirement, is none of it. Unless ``exactly``, the content of files whose size and
    time of change stayed is taken for the same. A source that has no files is taken for the same, too.
    """
    try:
        return _changes(workspace, stored, exactly)
    except (ConfigError, SourceError, TaxonomyError) as error:
        if isinstance(error, SourceError) and error.missing:
            return {MISSING: f"{SOURCE_MISSING}: {error}"}
        return {"config": f"the config cannot be followed as it is now: {error}"}


def _changes(workspace: Workspace, stored: StoredDiscovery, exactly: bool) -> dict[str, str]:
    then, roles = stored.settings, workspace.roles
    found = _changed_keys(stored, workspace.config)
    if list(then["nodes"]) != list(roles.quasi_identifiers):
        found["quasi_identifiers"] = "the quasi-identifiers changed"
    for name in changed_taxonomies(workspace, stored):
        found[f"taxonomies.{name}"] = why_changed(workspace, stored, name)
    if then["hierarchies"] != _sensitive_hierarchies(workspace):
        found["hierarchies"] = "the taxonomy of a sensitive column changed"
    own = workspace.export is None and "source" not in found
    looked_at = exactly or workspace.source.snapshot is not None or then["files"] != _files(workspace)
    if own and looked_at and then["content"] != content_fingerprint(workspace):
        found["content"] = "the records of the source changed"
    return dict(sorted(found.items()))


def _changed_keys(stored: StoredDiscovery, config: Config) -> dict[str, str]:
    """What the config says otherwise than when the rules were found, by key; nothing is asked of the source."""
    from anonduck.config.config import Config

    then, found = stored.settings, dict[str, str]()
    if then["class"] != config.class_:
        found["class"] = f"the class was {_named(then['class'])} and is now {_named(config.class_)}"
    asked, now = _kept_keys(Config.model_validate({"class": config.class_})) | then["asked"], _kept_keys(config)
    if _found_by_select(used_config(stored)):
        now["select"] = config.select
    for key in now.keys() - COMPARED_OTHERWISE:
        if asked[key] != now[key]:
            found[key] = f"`{key}` changed in the config"
    if found.get("source") and asked["source"] and now["source"]:
        found["source"] = f"they were found on {asked['source']}, and the source is now {now['source']}"
    return found


def _named(class_: str | None) -> str:
    return "none" if class_ is None else repr(class_)


def changed_taxonomies(workspace: Workspace, stored: StoredDiscovery) -> list[str]:
    """The quasi-identifiers whose taxonomy is another than the rules were found with, or is to be made otherwise.

    One that was made otherwise for once, and is to be made again as it was, is none of them.
    """
    from anonduck.frequency.taxonomies import regrouped

    then, k = stored.settings["trees"], workspace.config.requirement.k
    names = [name for name in workspace.roles.quasi_identifiers if name in then]
    other = set(regrouped(workspace, names, k))
    as_it_was = {name for name in other if stored.settings["label_k"] == k and same_plan(workspace, stored, name)}
    now = trees(workspace.database, [name for name in names if name not in other])
    return [name for name in names if name not in as_it_was and (name in other or now[name] != then[name])]


def same_plan(workspace: Workspace, stored: StoredDiscovery, name: str) -> bool:
    """Whether the config says of a taxonomy what it said when the rules were found, but for the required k."""
    from anonduck.frequency.taxonomies import planned

    then = stored.settings["planned"]
    return name in then and planned(workspace, [name])[name] == then[name]


def why_changed(workspace: Workspace, stored: StoredDiscovery, name: str) -> str:
    """Why the taxonomy of a column is another, in words: by the required k alone, or by itself."""
    then, now = stored.settings["label_k"], workspace.config.requirement.k
    if then != now and same_plan(workspace, stored, name):
        return f"the required k was {then:,} and is {now:,}, which groups the values of {name!r} otherwise"
    return f"the taxonomy of {name!r} changed"


def _required_otherwise(workspace: Workspace, stored: StoredDiscovery) -> list[str]:
    """What the config requires by now, in words, where no stored rule may meet it; else empty."""
    from anonduck.measures.requirement import Requirement, requirement_of
    from anonduck.privacy.requirement import ask

    if _meets_what_is_required(workspace, stored):
        return []
    then = stored.summary["requirement"]
    found_for = Requirement(
        ask({name: value for name, value in then.items() if name != "suppression"}), then.get("suppression", 0.0)
    )
    now = requirement_of(workspace.config, workspace.folder).text
    return [f"the rules were found for {found_for.text}, and the config now requires {now}"]


def tell_stale(workspace: Workspace, stored: StoredDiscovery) -> list[str]:
    """Announce what changed since the rules were found, in one line, and return it."""
    changed = reasons(workspace, stored)
    if changed and changed[0].startswith(SOURCE_MISSING):
        workspace.reporter.announce(f"{'; '.join(changed)}. {UNCHECKED}")
    elif changed:
        workspace.reporter.announce(
            f"the stored rules are out of date: {'; '.join(changed)}. To find them anew, {AGAIN}"
        )
    return changed


def can_be_opened(workspace: Workspace) -> bool:
    """Whether the project's own source is there, and has the columns that the config names; ``stale`` says why not."""
    try:
        return bool(workspace.with_export(None).opened)
    except (ConfigError, SourceError):
        return False


def reasons(workspace: Workspace, stored: StoredDiscovery) -> list[str]:
    """Why the stored rules are out of date, in words: what changed since, and what is required by now.

    An engine is not started for that: as long as it sleeps, the config alone is compared.
    """
    if workspace.engine_sleeps:
        return [*_changed_keys(stored, workspace.written).values()]
    changed = stale(workspace, stored)
    entity = workspace.written.entity
    if MISSING in changed and entity is not None and not workspace.session.knows_sizes(entity.column):
        return list(changed.values())  # what is required counts the records of persons, who are not there
    return [*changed.values(), *_required_otherwise(workspace, stored)]


def _meets_what_is_required(workspace: Workspace, stored: StoredDiscovery) -> bool:
    """Whether the stored rules may meet what is required now: the same requirement, but for a larger k.

    With suppression each k leaves out other classes, so that all measures of a rule change with it.
    """
    from anonduck.measures.requirement import requirement_of

    now = requirement_of(workspace.config, workspace.folder).as_json()
    then = {"k": stored.summary["min_k"], **stored.summary["requirement"]}
    others = {name: value for name, value in then.items() if name != "k"}
    if others != {name: value for name, value in now.items() if name != "k"}:
        return False
    return bool(then["k"] == now["k"] if "suppression" in now else then["k"] <= now["k"])


def are_current(
    workspace: Workspace,
    kept: KeptEstimates | None,
    beside: Sequence[str] | None = None,
    ks: Sequence[int] = (),
    *,
    every: bool = True,
) -> bool:
    """Whether estimates were kept, and would be made alike now, also of the models ``beside``, at these ``ks`` and for
    ``every`` rule of the frontier."""
    if kept is None or not set(ks) <= set(kept.asked["ks"]) or (every and not kept.asked["every"]):
        return False
    known = {name: kept.asked[name] for name in ("ks", "every")}
    return dict(kept.asked) == {**asked_of_estimates(workspace, beside), **known}


def can_be_applied(workspace: Workspace, choice: LastChoice) -> bool:
    """Whether the last choice means what it did: its columns are quasi-identifiers, grouped as they were then."""
    from anonduck.frequency.taxonomies import taxonomies_of

    if not set(choice.levels) <= set(workspace.roles.quasi_identifiers):
        return False
    made = taxonomies_of(workspace, list(choice.levels), workspace.config.requirement.k)
    now = trees(workspace.database, [name for name in made if name in choice.trees])
    return all(text == choice.trees[name] for name, text in now.items())


# -- refusals ----------------------------------------------------------------------------------------------------------


def refuse_changed(workspace: Workspace, stored: StoredDiscovery) -> None:
    """Raise RuleError if the rules were found on other taxonomies or records."""
    changed = _changed_taxonomy(workspace, stored, stored.settings["nodes"])
    if changed is not None:
        raise RuleError(f"the taxonomy of {changed!r} changed since the rules were found; {AGAIN}")
    from anonduck.measures.measures import measure_totals

    if stored.rules and measure_totals(workspace.database).records != stored.summary["rows"]:
        raise RuleError(f"the decision database holds other records than the rules; {AGAIN}")


def refuse_changed_rule(workspace: Workspace, stored: StoredDiscovery, rule: Rule) -> None:
    """Raise RuleError if a stored rule does not mean now what it meant when it was found.

    Taxonomies that the config has otherwise by now are made anew first: what counts is what a release would be made by.
    """
    from anonduck.frequency.taxonomies import taxonomies_of

    then, now = stored.settings["class"], workspace.config.class_
    if then != now:
        words = f"{rule.id} was discovered for the class {_named(then)}, the config now says {_named(now)}"
        raise RuleError(f"{words}; {AGAIN}")
    other = next((name for name in rule.levels if name not in workspace.roles.quasi_identifiers), None)
    if other is not None:
        raise RuleError(f"{rule.id} generalizes {other!r}, which is no quasi-identifier any more; {AGAIN}")
    taxonomies_of(workspace, list(rule.levels), workspace.config.requirement.k)
    changed = _changed_taxonomy(workspace, stored, rule.levels)
    if changed is not None:
        raise RuleError(
            f"{rule.id} generalizes {changed!r}, and {why_changed(workspace, stored, changed)}; {AGAIN}, or name its "
            f"levels, by the taxonomies of now: {quote(literal(rule.levels))}"
        )


def _changed_taxonomy(workspace: Workspace, stored: StoredDiscovery, names: Iterable[str]) -> str | None:
    """The first of the columns whose taxonomy is gone or has other nodes than the rules were found with."""
    kept, nodes, then = workspace.taxonomies, stored.settings["nodes"], stored.settings["trees"]
    names = list(names)
    now = trees(workspace.database, [name for name in names if name in kept])
    for name in names:
        if name not in kept or list(kept[name].nodes) != nodes[name] or now[name] != then[name]:
            return name
    return None


def refuse_other_values(column: str, placed: int, records: int) -> None:
    """Raise RuleError if a column's lookup does not place all the records that the rules were found on."""
    if placed != records:
        raise RuleError(
            f"the values of {column!r} in the decision database are not those that the rules were found on; {AGAIN}"
        )


def used_config(stored: StoredDiscovery) -> Config:
    """The config that rules were found with, changes for once included."""
    from anonduck.config.config import Config

    return Config.model_validate(stored.config)


def size_unit(stored: StoredDiscovery) -> int:
    """The k that average class sizes were divided by, which ``min_k`` does not change."""
    return int(stored.summary[SIZE_UNIT])
