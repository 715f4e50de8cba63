"""The lock: a recoding written down with all that it depends on, and releases by nothing but that.

Of a rule the file holds the levels, of a cut tree its cuts. What other methods found holds values of the source: it
stays in the decision database, and the file has its fingerprint.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

from anonduck.config.config import Config
from anonduck.config.lock import (
    LOCK_NAME,
    VERSION,
    Lock,
    LockedMethod,
    LockedTaxonomy,
    LockedTree,
    read_lock,
    required,
    write_lock,
)
from anonduck.config.reading import with_changes
from anonduck.config.ways import BOUND_TEXT, RANGES, RULES, SWAPPED, TYPICAL
from anonduck.database.documents import (
    LOCKED_OFFERED,
    LOCKED_RECODING,
    LOCKED_TAXONOMIES,
    keep_document,
    kept_document,
)
from anonduck.database.fingerprints import fingerprint_key, text_fingerprint
from anonduck.errors import ConfigError, RequirementNotMet, RuleError, TaxonomyError
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.requirement import sensitive_files
from anonduck.methods.cut_tree import CutTree
from anonduck.methods.recodings import Levels, Partition, Recoding, recoding_from_json
from anonduck.methods.registry import METHODS, method_named
from anonduck.offer.candidates import Candidate, candidate_from_json
from anonduck.release.by_recoding import Origin, method_origin, release_recoding
from anonduck.release.job import checked_levels
from anonduck.release.last_recoding import MISSED, last_recoding
from anonduck.release.lock_remedies import coarser_rule, unseen_values
from anonduck.release.plan import AS_CONFIGURED, ReleaseSettings
from anonduck.release.release import Release
from anonduck.release.script import FoundRecoding
from anonduck.release.target import ReleaseTarget
from anonduck.rules.rule import IDENTIFIER, literal, parse_literal
from anonduck.search.store import last_choice, read_discovery
from anonduck.search.stored_rules import rule_levels
from anonduck.statements import line
from anonduck.statements.expansion import qualified
from anonduck.taxonomy.catalog import entries
from anonduck.taxonomy.kept import KeptTaxonomies, kept_from_json
from anonduck.taxonomy.plans import KEYED, PLAIN, file_fingerprint, key_name, taxonomy_fingerprint
from anonduck.words import summary_line
from anonduck.workspace import Workspace

AGAIN = "`anonduck lock RULE` locks what is there now"
OF_RECORDS = ("where", "types", "nulls", "timezone", "sensitive_values")
ENTITY, DATES = "entity", "dates"
PRUNE = "prune"
NOT_AGAIN = ("swapped", "distributions")
"""Kinds of recodings that draw anew: two releases of the same records differ, so none is a rule for the next night."""


def lock_path(workspace: Workspace) -> Path:
    """Where the lock of a project is: beside its config."""
    return workspace.folder / LOCK_NAME


# -- making one --------------------------------------------------------------------------------------------------------


def _lock_of(
    workspace: Workspace, recoding: Recoding | None, origin: Origin, show: str | dict[str, str], k: int | None
) -> Lock:
    """The lock of a recoding as things are now; raises ConfigError where it cannot be applied again."""
    if origin.method is not None:
        method, levels = _method(workspace.config, origin.method, origin.options), None
        columns = list(workspace.roles.quasi_identifiers)
        taxonomies_of(workspace, columns, workspace.config.requirement.k)
    else:
        if not isinstance(recoding, Levels):
            raise ConfigError("a recoding that is no rule comes from a method; name it in `origin`")
        method, levels = None, _levels(workspace, recoding.levels)
        columns = list(levels)
    return Lock.model_validate(
        {
            "version": VERSION,
            "rule": levels,
            "method": method,
            "k": k,
            "show": None if show == RANGES else show,
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
            "there is nothing to lock yet: no `rule:` in the config, and no release by `anonduck run -o FILE`. Name a "
            "rule, such as `anonduck lock R1`, or a method"
        )
    return choice.levels if choice.by_rule else str(choice.method["name"])


def _levels(workspace: Workspace, levels: Mapping[str, int]) -> dict[str, int]:
    """The levels of a rule under their roots, whose taxonomies are there afterwards."""
    named = [name for name in levels if name in workspace.roles.quasi_identifiers]
    made = taxonomies_of(workspace, named, workspace.config.requirement.k)
    found = checked_levels(levels, workspace.roles, made)
    if not found:
        raise RuleError("the rule names no attribute under its root; there is nothing to lock")
    return found


def _method(config: Config, name: str, options: Mapping[str, Any]) -> LockedMethod:
    method = method_named(name)
    if method.recoding in NOT_AGAIN:
        raise ConfigError(
            f"the method {name} draws its release from a seed that stays secret, and cannot be locked; lock a rule, or "
            "a method that recodes by classes, cuts or levels"
        )
    return LockedMethod(name=name, options=dict(options), seed=config.seed)


def _settings(workspace: Workspace) -> dict[str, Any]:
    """What the config and the source say of what is released, and of what is required."""
    config, roles = workspace.config, workspace.roles
    names = {*OF_RECORDS, *([] if config.entity is None else [ENTITY]), *([DATES] if config.dates else [])}
    kept = config.model_dump(mode="json", include=names, by_alias=True)
    return {
        "class": roles.named_class,
        "sensitive": list(roles.sensitive),
        "insensitive": list(roles.insensitive),
        "requirement": required(config.in_persons().requirement),
        "keep": dict(config.keep),
        "unmapped": config.unmapped,
        "bounds": None if config.bounds == BOUND_TEXT else config.bounds,
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
    """Raise ConfigError or TaxonomyError if the config, the roles or the taxonomies are not the locked ones."""
    changes = [*_other_settings(workspace, lock), *_other_recoding(workspace, lock)]
    if changes:
        raise ConfigError(
            f"{LOCK_NAME} is not of this config: {'; '.join(changes)}. Undo the change, or have it locked: {AGAIN}"
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
            f"(`anonduck taxonomy show {quote(other[0])}`) and have it locked: {AGAIN}"
        )


def _other_settings(workspace: Workspace, lock: Lock) -> Iterator[str]:
    now, then = _settings(workspace), lock.as_json()
    for name, value in now.items():
        if name == "records" and then[name] != value:
            yield f"one of {', '.join(f'`{key}`' for key in (*OF_RECORDS, DATES, ENTITY))} changed"
        elif then.get(name) != value:
            yield f"`{name}` was {_shown(then.get(name))} and is {_shown(value)}"


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_shown(one)}" for name, one in value.items()) + "}"
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _other_recoding(workspace: Workspace, lock: Lock) -> Iterator[str]:
    """Where the config names a rule or a method of its own, or sets the method or what becomes of a tree otherwise."""
    config = workspace.config
    if lock.tree is not None and config.next != (lock.next or PRUNE):
        yield f"`next` is {config.next}, and {lock.next or PRUNE} is locked"
    if config.method != RULES and (lock.method is None or lock.method.name != config.method):
        yield f"`method` is {config.method}, and {lock.text} is locked"
    elif lock.method is not None and _other_method(workspace, lock, lock.method):
        yield f"the options or the seed of the method {lock.method.name} changed"
    if lock.method is not None and isinstance(lock.show, dict):
        if config.shown_columns != lock.show:
            yield f"`show` is {_shown(config.shown_columns or list(config.ways))}, and {_shown(lock.show)} is locked"
    elif lock.method is not None and (lock.show or RANGES) not in config.ways:
        yield f"`show` is {', '.join(config.ways)}, and {lock.show or RANGES} is locked"
    elif lock.method is not None and config.shown_columns is not None:
        yield "`show` names columns, and one way for all columns is locked"
    if config.rule is not None and (pinned := _pinned(workspace, config.rule)) not in (None, lock.rule):
        yield f"`rule` is {config.rule if pinned is None else literal(pinned)}, and {lock.text} is locked"


def _other_method(workspace: Workspace, lock: Lock, method: LockedMethod) -> bool:
    """Whether the config sets the method otherwise, by an option that it names; of one whose recoding is no data, and
    is found anew, by any option."""
    config, options = workspace.config, method_origin(workspace, method.name).options
    named = options if lock.recoding is None and lock.tree is None else config.method_options.get(method.name, {})
    if set(method.options) != set(options):
        return True
    return config.seed != method.seed or any(method.options.get(name) != options[name] for name in named)


def _pinned(workspace: Workspace, rule: str) -> dict[str, int] | None:
    """The levels of the config's rule; None for an id that is not stored."""
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


SUPPRESSED = "`suppression: SHARE` under `requirement`"
REASON = f"locked in {LOCK_NAME}"


@dataclass(frozen=True, repr=False)
class Locked:
    """A lock with its file, and what a release by it would reach now."""

    path: Path
    lock: Lock
    release: Release

    def __repr__(self) -> str:
        """What is locked, and what it reaches."""
        return summary_line("Locked", [self.lock.text, str(self.path), f"k {self.release.k:,}"])

    @property
    def built(self) -> list[str]:
        """The columns whose taxonomies this decision database alone can confirm."""
        return [name for name, one in self.lock.taxonomies.items() if one.fingerprint.startswith(KEYED)]

    @property
    def doubt(self) -> str | None:
        """That classes which a method made as small as it may seldom fit other records; None of others."""
        if not isinstance(self.release.recoding, Partition) or self.lock.groups is not None:
            return None
        return (
            "a method made these classes as small as k allows, and in another export of the same kind many have fewer "
            f"records: a locked run ends with exit code 1 then. {SUPPRESSED} lets it leave such records out; a rule "
            "or a candidate with a much larger k has room"
        )

    def as_json(self) -> dict[str, Any]:
        """The lock as ``anonduck lock --json`` prints it."""
        made = self.release.as_json()
        reached = {name: made[name] for name in ("rows", "classes", "k", "suppressed", "requirements", "met")}
        pruned = {"pruned": self.release.owner["method"].get("pruned")}
        return {"file": str(self.path), "lock": self.lock.as_json(), "built": self.built, **reached, **pruned}


def lock_release(workspace: Workspace, named: str | Mapping[str, int] | None) -> Locked:
    """Lock a rule (id, literal or levels), or what the method of that name finds now.

    None stands for what ``run`` releases by: the last recoding of the config's method while that meets the requirement,
    or its rule, else its last choice. Raises ConfigError where there is none, and what ``lock_recoding`` does.
    """
    workspace.source  # noqa: B018 - what is wrong with the source is reported first
    kept = last_recoding(workspace) if named is None and workspace.config.method != RULES else None
    named = _chosen(workspace) if named is None else named
    if isinstance(named, str) and named in METHODS:
        origin = method_origin(workspace, named)
        try:
            return lock_recoding(workspace, kept, origin)
        except RequirementNotMet:
            if kept is None:
                raise
            workspace.reporter.announce(f"{MISSED.format(named)}; finding it anew")
            return lock_recoding(workspace, None, origin)
    identifier, levels = rule_levels(workspace, named)
    return lock_recoding(workspace, Levels(levels), Origin(rule_id=identifier))


def lock_recoding(
    workspace: Workspace,
    recoding: Recoding | None,
    origin: Origin,
    show: str | None = None,
    offered: Candidate | None = None,
    k: int | None = None,
    kept: KeptTaxonomies | None = None,
) -> Locked:
    """Write the lock of a recoding that meets the requirement, and keep what the offer measured of it.

    None stands for what the method of the origin finds on the source now, and for what the config shows by it. ``k`` is
    what it was found for, where that is more than the config requires, and ``kept`` are the taxonomies for that k if it
    was kept before. Raises ConfigError for what cannot be applied again, RequirementNotMet where the requirement is
    missed; an earlier lock stays then.
    """
    shown = show or workspace.config.shown_by(origin.method)
    by_column = None if show is not None else workspace.config.shown_columns
    if shown == SWAPPED and origin.method is not None:
        raise ConfigError(
            f"swapped values (`show: {SWAPPED}`) are drawn from a seed that stays secret, and cannot be locked; take "
            f"`show: {RANGES}`, or release by `method: {origin.method}` without a lock"
        )
    held = dict(by_column) if by_column is not None and shown == TYPICAL else shown
    lock, path = _lock_of(workspace, recoding, origin, held, k), lock_path(workspace)
    made = _dry(workspace, lock, _Held(recoding, offered, kept))
    if lock.method is not None and made.recoding is not None:
        document = made.recoding.to_json()
        groups = None if made.kept is None else _groups(workspace, made.kept)
        found = _fingerprint(workspace, document)
        if isinstance(made.recoding, CutTree):
            labels = _node_labels(workspace, made.recoding) if made.kept is None else {}
            following = None if workspace.config.prunes else workspace.config.next
            tree = LockedTree.of(document, labels)
            lock = lock.model_copy(update={"tree": tree, "groups": groups, "next": following})
        else:
            lock = lock.model_copy(update={"recoding": found, "groups": groups})
            keep_document(workspace.database, LOCKED_RECODING, document, found)
        measured = {} if offered is None else offered.as_json()
        keep_document(workspace.database, LOCKED_OFFERED, measured, found)
        if made.kept is not None:
            keep_document(workspace.database, LOCKED_TAXONOMIES, made.kept.to_json(), found)
    write_lock(path, lock)
    return Locked(path, lock, made)


def _node_labels(workspace: Workspace, tree: CutTree) -> dict[str, list[str]]:
    """What the nodes that a tree names are called, by column; of columns whose nodes are named by numbers."""
    found = {}
    for name, marks in zip(tree.names, tree.marks, strict=True):
        levels = {level for level, _ in marks.nodes} - {0}
        if not levels or workspace.taxonomies[name].kind == "computed":
            continue
        labels = {(0, text): str(text) for level, text in marks.nodes if level == 0}
        for level in levels:
            text = "SELECT DISTINCT code_{level}, level_{level} FROM {taxonomy}"
            query = line("release/lock._node_labels", text, level=level, taxonomy=qualified("taxonomy", name))
            labels |= {(level, str(code)): label for code, label in workspace.database.rows(query)}
        found[name] = [labels[level, str(node)] for level, node in marks.nodes]
    return found


def _fingerprint(workspace: Workspace, document: Mapping[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True)
    return KEYED + text_fingerprint(fingerprint_key(workspace.database), text)


def _locked_recoding(workspace: Workspace, lock: Lock) -> Recoding | None:
    """What the locked method found; None where it is to find that now: it was not kept, or by another database."""
    if lock.tree is not None and lock.method is not None:
        if not method_named(lock.method.name).finds_tree(lock.method.options):
            raise ConfigError(f"{LOCK_NAME} holds a tree, which {lock.text} does not find by these options. {AGAIN}")
        return CutTree.from_json(lock.tree.document())
    if lock.recoding is None:
        return None
    document = kept_document(workspace.database, LOCKED_RECODING, lock.recoding)
    if document is None:
        workspace.reporter.announce(
            f"this decision database is not the one that {LOCK_NAME} was made with; {lock.text} finds its recoding "
            "anew, by the locked options and seed"
        )
    return None if document is None else recoding_from_json(document)


def _locked_offered(workspace: Workspace, lock: Lock) -> Candidate | None:
    """The candidate that was locked, with what the offer measured of it, where that was in this decision database."""
    name = _name(workspace, lock)
    found = None if name is None else kept_document(workspace.database, LOCKED_OFFERED, name)
    return candidate_from_json(found) if found else None


def _name(workspace: Workspace, lock: Lock) -> str | None:
    """The fingerprint of the locked recoding, by which the decision database names what it holds of it."""
    if lock.tree is None:
        return lock.recoding
    return _fingerprint(workspace, CutTree.from_json(lock.tree.document()).to_json())


def _groups(workspace: Workspace, kept: KeptTaxonomies) -> dict[str, LockedTaxonomy]:
    """The kept taxonomies as a lock has them."""
    found = {}
    for name in kept.columns:
        one, fingerprint = kept.entry(name).taxonomy, kept.fingerprint(workspace.database, name)
        found[name] = LockedTaxonomy(kind=one.kind, levels=one.root, fingerprint=fingerprint)
    return found


def _locked_groups(workspace: Workspace, lock: Lock) -> KeptTaxonomies | None:
    """The taxonomies that the locked recoding was kept with; raises TaxonomyError for others than the locked ones."""
    if lock.groups is None:
        return None
    document = kept_document(workspace.database, LOCKED_TAXONOMIES, str(_name(workspace, lock)))
    kept = None if document is None else kept_from_json(document)
    if kept is None or _groups(workspace, kept) != lock.groups:
        raise TaxonomyError(
            f"the decision database does not hold the taxonomies for k = {lock.k} of {LOCK_NAME}, whose nodes the "
            f"locked recoding names. Bring that database back, or have it locked again: {AGAIN}"
        )
    return kept


@dataclass(frozen=True)
class _Held:
    """What the decision database holds of a lock: what was found, what was measured of it, the taxonomies of a larger
    k; None where it holds none."""

    recoding: Recoding | None
    offered: Candidate | None
    kept: KeptTaxonomies | None

    @classmethod
    def of(cls, workspace: Workspace, lock: Lock) -> _Held:
        """What it holds of that lock."""
        recoding = _locked_recoding(workspace, lock)
        kept = None if recoding is None else _locked_groups(workspace, lock)
        return cls(recoding, _locked_offered(workspace, lock), kept)


def locked_taxonomies(workspace: Workspace, lock: Lock) -> KeptTaxonomies | None:
    """The taxonomies for a larger k that a release by the lock takes; None where these are the stored ones."""
    return _Held.of(workspace, lock).kept


def check_lock(workspace: Workspace) -> Locked:
    """What a release by the lock would reach now; raises what ``release_locked`` does, and writes nothing."""
    path = lock_path(workspace)
    lock = read_lock(path)
    refuse_changed(workspace, lock)
    return Locked(path, lock, _dry(workspace, lock, _Held.of(workspace, lock)))


def release_locked(
    workspace: Workspace, target: ReleaseTarget | None, settings: ReleaseSettings = AS_CONFIGURED
) -> Release:
    """Release by the lock.

    Raises ConfigError and TaxonomyError where something is not as it was locked, TaxonomyError for values that are new,
    and RequirementNotMet where the records do not meet what was locked, with a rule that would.
    """
    lock = read_lock(lock_path(workspace))
    refuse_changed(workspace, lock)
    return _made(workspace, lock, _Held.of(workspace, lock), target, settings)


def locked_text(
    workspace: Workspace, settings: ReleaseSettings
) -> tuple[Workspace, Mapping[str, int] | FoundRecoding, ReleaseSettings]:
    """What is locked, for a text of it: the workspace with the seed that was locked, the levels of a rule or what a
    method found, and the settings of what it shows. Raises as ``release_locked`` does where something has changed."""
    lock = read_lock(lock_path(workspace))
    refuse_changed(workspace, lock)
    if lock.rule is not None:
        return workspace, lock.rule, settings
    seeded, origin = _origin(workspace, lock)
    held = _Held.of(workspace, lock)
    return seeded, FoundRecoding(held.recoding, origin, lock.text), _by_lock(lock, held, settings)


def _dry(workspace: Workspace, lock: Lock, held: _Held) -> Release:
    settings = ReleaseSettings(dry_run=True, as_data=lock.method is not None)
    made = _made(workspace, lock, held, None, settings)
    lines = [line for line in made.receipt["requirements"] if not line["met"]]
    if lines:
        side = "over" if lines[0].get("at_most") else "under"
        missed = f"{lock.text} reaches {lines[0]['name']} = {lines[0]['reached']}, {side} the required"
        raise RequirementNotMet(f"{missed} {lines[0]['required']}. {coarser_rule(workspace, lock)}")
    return made


def _made(
    workspace: Workspace, lock: Lock, held: _Held, target: ReleaseTarget | None, settings: ReleaseSettings
) -> Release:
    seeded, origin = _origin(workspace, lock)
    recoding = held.recoding if lock.method is not None else Levels(lock.rule or {})
    settings = replace(_by_lock(lock, held, settings), reason=REASON)
    try:
        return release_recoding(seeded, recoding, origin, target, settings)
    except TaxonomyError as error:
        raise TaxonomyError(f"{error}. {unseen_values(workspace, lock)}") from None
    except RequirementNotMet as error:
        raise RequirementNotMet(f"{error}. {coarser_rule(workspace, lock)}") from None


def _by_lock(lock: Lock, held: _Held, settings: ReleaseSettings) -> ReleaseSettings:
    """The settings with what the lock shows and what the database holds of it.

    What was kept has to meet the requirement alone; what is found anew is found for the locked k.
    """
    stricter = {} if lock.k is None or held.kept is not None else {"k": lock.k}
    required = {**stricter, **(settings.requirement or {})}
    return replace(settings, show=lock.way, requirement=required, offered=held.offered, kept=held.kept)


def _origin(workspace: Workspace, lock: Lock) -> tuple[Workspace, Origin]:
    """The workspace with the seed of what is locked, and where that comes from."""
    if lock.method is None:
        return workspace, Origin()
    seeded = workspace.with_config(with_changes(workspace.config, {"seed": lock.method.seed}))
    return seeded, Origin(method=lock.method.name, options=lock.method.options)
