"""The lock: a rule or a method is written down with all that it depends on, and compared with what is there now."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anonduck.config.config import RULES, Config
from anonduck.config.lock import LOCK_NAME, VERSION, Lock, LockedMethod, LockedTaxonomy, required
from anonduck.errors import ConfigError, RuleError, TaxonomyError
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.requirement import sensitive_files
from anonduck.methods.registry import METHODS, method_named
from anonduck.release.job import checked_levels
from anonduck.rules.rule import IDENTIFIER, literal, parse_literal
from anonduck.search.store import last_choice, read_discovery
from anonduck.search.stored_rules import rule_levels
from anonduck.taxonomy.catalog import entries
from anonduck.taxonomy.fingerprints import KEYED, PLAIN, file_fingerprint, key_name, taxonomy_fingerprint
from anonduck.workspace import Workspace

AGAIN = "`project.lock(RULE)` locks what is there now"
OF_RECORDS = ("where", "types", "nulls", "timezone", "sensitive_values")
ENTITY = "entity"
NOT_AGAIN = ("swapped", "distributions")
"""Kinds of recodings that draw anew what a second release would tell apart: they are no rule for the next night."""


def lock_path(workspace: Workspace) -> Path:
    """Where the lock of a project is: beside its config."""
    return workspace.folder / LOCK_NAME


# -- making one --------------------------------------------------------------------------------------------------------


def lock_of(workspace: Workspace, recoding: str | Mapping[str, int] | None) -> Lock:
    """The lock of a rule (id, literal or levels) or of the method of that name, as things are now.

    None stands for what ``run`` releases by: the config's method or rule, else its last choice. Raises ConfigError
    where there is none, or where the method cannot be applied again.
    """
    workspace.source  # noqa: B018 - what is wrong with the source is told first
    recoding = _chosen(workspace) if recoding is None else recoding
    if isinstance(recoding, str) and recoding in METHODS:
        method, levels = _method(workspace.config, recoding), None
        columns = list(workspace.roles.quasi_identifiers)
        taxonomies_of(workspace, columns, workspace.config.requirement.k)
    else:
        method, levels = None, _levels(workspace, recoding)
        columns = list(levels)
    return Lock.model_validate(
        {
            "version": VERSION,
            "rule": levels,
            "method": method,
            **_settings(workspace),
            "key": key_name(workspace.database),
            "taxonomies": _taxonomies(workspace, columns),
        }
    )


def _chosen(workspace: Workspace) -> str | dict[str, int]:
    """What ``run`` releases by."""
    config = workspace.config
    if config.method != RULES:
        return config.method
    if config.rule is not None:
        return config.rule
    choice = last_choice(workspace.database)
    if choice is None or not (choice.by_rule or choice.method["name"] in METHODS):
        raise ConfigError(
            "there is nothing to lock yet: no `rule:` in the config, and no release by `project.run(FILE)`. Name a "
            "rule, such as `project.lock('R1')`, or a method"
        )
    return choice.levels if choice.by_rule else str(choice.method["name"])


def _levels(workspace: Workspace, rule: str | Mapping[str, int]) -> dict[str, int]:
    """The levels of a rule under their roots, whose taxonomies are there afterwards."""
    _, levels = rule_levels(workspace, rule)
    named = [name for name in levels if name in workspace.roles.quasi_identifiers]
    made = taxonomies_of(workspace, named, workspace.config.requirement.k)
    found = checked_levels(levels, workspace.roles, made)
    if not found:
        raise RuleError("the rule names no attribute under its root; there is nothing to lock")
    return found


def _method(config: Config, name: str) -> LockedMethod:
    method = method_named(name)
    if method.recoding in NOT_AGAIN:
        raise ConfigError(
            f"the method {name} draws its release from a seed that stays secret, and cannot be locked; lock a rule, or "
            "a method that recodes by classes, cuts or levels"
        )
    options = method.resolve_options(config.methods.get(name, {}))
    return LockedMethod(name=name, options=options, seed=config.seed)


def _settings(workspace: Workspace) -> dict[str, Any]:
    """What the config and the source say of what is released, and of what is required."""
    config, roles = workspace.config, workspace.roles
    names = {*OF_RECORDS, *([] if config.entity is None else [ENTITY])}
    kept = config.model_dump(mode="json", include=names, by_alias=True)
    return {
        "class": roles.class_,
        "sensitive": list(roles.sensitive),
        "insensitive": list(roles.insensitive),
        "requirement": required(config.in_persons().requirement),
        "k_counts": list(config.k_counts),
        "keep": dict(config.keep),
        "unmapped": config.unmapped,
        "records": PLAIN + hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest(),
    }


def _taxonomies(workspace: Workspace, columns: list[str]) -> dict[str, LockedTaxonomy]:
    """Taxonomies that are there, and the files of those of sensitive columns, which no release generalizes."""
    database, stored = workspace.database, entries(workspace.database)
    found = {
        name: LockedTaxonomy(
            kind=stored[name].taxonomy.kind,
            levels=stored[name].taxonomy.root,
            fingerprint=taxonomy_fingerprint(database, name),
        )
        for name in columns
    }
    for name, path in sensitive_files(workspace.config, workspace.folder).items():
        try:
            found[name] = LockedTaxonomy(kind="file", levels=0, fingerprint=file_fingerprint(path))
        except OSError:
            raise TaxonomyError(f"the taxonomy file {path} of {name!r} cannot be read") from None
    return found


# -- comparing one -----------------------------------------------------------------------------------------------------


def refuse_changed(workspace: Workspace, lock: Lock) -> None:
    """Raise ConfigError or TaxonomyError if the config, the roles or the taxonomies are not those that were locked."""
    told = [*_other_settings(workspace, lock), *_other_recoding(workspace, lock)]
    if told:
        raise ConfigError(
            f"{LOCK_NAME} is not of this config: {'; '.join(told)}. Undo the change, or have it locked: {AGAIN}"
        )
    _refuse_other_columns(workspace, lock)
    _refuse_unconfirmed(workspace, lock)
    generalized = [name for name in lock.taxonomies if name in workspace.roles.quasi_identifiers]
    taxonomies_of(workspace, generalized, workspace.config.requirement.k)
    now = _taxonomies(workspace, generalized)
    other = [name for name in lock.taxonomies if now.get(name) != lock.taxonomies[name]]
    if other:
        raise TaxonomyError(
            f"other taxonomies than those of {LOCK_NAME}, by which values are grouped otherwise: "
            f"{', '.join(map(repr, other))}. Bring them back, or look at what is there now "
            f"(`project.show_taxonomy({other[0]!r})`) and have it locked: {AGAIN}"
        )


def _other_settings(workspace: Workspace, lock: Lock) -> Iterator[str]:
    now, then = _settings(workspace), lock.as_json()
    for name, value in now.items():
        if name == "records" and then[name] != value:
            yield f"one of {', '.join(f'`{key}`' for key in (*OF_RECORDS, ENTITY))} changed"
        elif then[name] != value:
            yield f"`{name}` was {_shown(then[name])} and is {_shown(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_shown(one)}" for name, one in value.items()) + "}"
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _other_recoding(workspace: Workspace, lock: Lock) -> Iterator[str]:
    """Where the config names a rule or a method of its own, or sets the method otherwise."""
    config = workspace.config
    if config.method != RULES and (lock.method is None or lock.method.name != config.method):
        yield f"`method` is {config.method}, and {lock.text} is locked"
    elif lock.method is not None and lock.method != _method(config, lock.method.name):
        yield f"the options or the seed of the method {lock.method.name} changed"
    if config.rule is not None and (pinned := _pinned(workspace, config.rule)) not in (None, lock.rule):
        yield f"`rule` is {config.rule if pinned is None else literal(pinned)}, and {lock.text} is locked"


def _pinned(workspace: Workspace, rule: str) -> dict[str, int] | None:
    """The levels of the config's rule; None for an id that nothing here tells."""
    if not IDENTIFIER.fullmatch(rule.strip()):
        return parse_literal(rule)
    stored = read_discovery(workspace.database)
    found = [one for one in stored.rules if one.id == rule.strip()] if stored else []
    return dict(found[0].levels) if found else None


def _refuse_other_columns(workspace: Workspace, lock: Lock) -> None:
    """Each column of the lock has its role; a method has no column beside, as it would generalize that one too."""
    quasi = workspace.roles.quasi_identifiers
    gone = [name for name in lock.taxonomies if name not in (*quasi, *workspace.roles.sensitive)]
    new = [name for name in quasi if name not in lock.taxonomies] if lock.method is not None else []
    if gone or new:
        words = [f"{', '.join(map(repr, names))} {what}" for names, what in ((gone, "gone"), (new, "new")) if names]
        raise ConfigError(f"the quasi-identifiers are not those of {LOCK_NAME}: {'; '.join(words)}. {AGAIN}")


def _refuse_unconfirmed(workspace: Workspace, lock: Lock) -> None:
    """Taxonomies that were built from records are known to the decision database alone that they were locked with."""
    keyed = [name for name, one in lock.taxonomies.items() if one.fingerprint.startswith(KEYED)]
    if keyed and lock.key != key_name(workspace.database):
        raise TaxonomyError(
            f"the taxonomies of {', '.join(map(repr, keyed))} were built from the records, and only the decision "
            f"database that {LOCK_NAME} was made with knows them; this is another one. Run with that database, or "
            "export these taxonomies there, name the files in the config (`file:`), and lock again"
        )
