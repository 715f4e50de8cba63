"""Releases by the lock: what it holds is applied as it is, or refused with what would do instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from anonduck.config.lock import LOCK_NAME, Lock, read_lock, write_lock
from anonduck.config.reading import with_changes
from anonduck.database.progress import Reporter
from anonduck.errors import AnonduckError, RequirementNotMet, TaxonomyError
from anonduck.frequency.frequency_set import check_mapped, make_lookup
from anonduck.measures.requirement import requirement_of
from anonduck.release.found_classes import anonymize, release_by_method
from anonduck.release.job import release_rule
from anonduck.release.lock import lock_of, lock_path, refuse_changed
from anonduck.release.recoding import RELEASE_SET
from anonduck.release.release import Release
from anonduck.release.target import ReleaseTarget
from anonduck.rules.rule import RuleSpace, literal
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, lookup_schema
from anonduck.taxonomy.fingerprints import KEYED
from anonduck.words import counted, summary_line
from anonduck.workspace import Workspace

REASON = f"locked in {LOCK_NAME}"
MOST_TRIED = 24


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

    def as_json(self) -> dict[str, Any]:
        """The lock as ``anonduck lock --json`` prints it."""
        made = self.release.as_json()
        reached = {name: made[name] for name in ("rows", "classes", "k", "suppressed", "requirements", "met")}
        return {"file": str(self.path), "lock": self.lock.as_json(), "built": self.built, **reached}


def lock_release(workspace: Workspace, recoding: str | Mapping[str, int] | None) -> Locked:
    """Write the lock of a rule or method that meets the requirement; see ``anonduck.release.lock.lock_of``.

    Raises RequirementNotMet where it does not; an earlier lock stays then.
    """
    lock, path = lock_of(workspace, recoding), lock_path(workspace)
    done = Locked(path, lock, _dry(workspace, lock))
    write_lock(path, lock)
    return done


def check_lock(workspace: Workspace) -> Locked:
    """What a release by the lock would reach now; raises what ``release_locked`` does, and writes nothing."""
    path = lock_path(workspace)
    lock = read_lock(path)
    refuse_changed(workspace, lock)
    return Locked(path, lock, _dry(workspace, lock))


def release_locked(workspace: Workspace, target: ReleaseTarget | None, **options: Any) -> Release:
    """Release by the lock; ``options`` are those of ``release_by``.

    Raises ConfigError and TaxonomyError where something is not as it was locked, TaxonomyError for values that are new,
    and RequirementNotMet where the records do not meet what was locked, with a rule that would.
    """
    lock = read_lock(lock_path(workspace))
    refuse_changed(workspace, lock)
    return _made(workspace, lock, target, **options)


def _dry(workspace: Workspace, lock: Lock) -> Release:
    made = _made(workspace, lock, None, dry_run=True)
    lines = [line for line in made.receipt["requirements"] if not line["met"]]
    if lines:
        side = "over" if lines[0].get("at_most") else "under"
        missed = f"{lock.text} reaches {lines[0]['name']} = {lines[0]['reached']}, {side} the required"
        raise RequirementNotMet(f"{missed} {lines[0]['required']}. {_remedy(workspace, lock)}")
    return made


def _made(workspace: Workspace, lock: Lock, target: ReleaseTarget | None, **options: Any) -> Release:
    options = {"reason": REASON, **options}
    try:
        if lock.rule is not None:
            return release_rule(workspace, lock.rule, target, **options)
        return _by_method(workspace, lock, target, **options)
    except TaxonomyError as error:
        raise TaxonomyError(f"{error}. {_unseen(workspace, lock)}") from None
    except RequirementNotMet as error:
        raise RequirementNotMet(f"{error}. {_remedy(workspace, lock)}") from None


def _by_method(workspace: Workspace, lock: Lock, target: ReleaseTarget | None, **options: Any) -> Release:
    method = lock.method
    assert method is not None
    seeded = workspace.with_config(with_changes(workspace.config, {"seed": method.seed}))
    release = release_by_method if target is None else anonymize
    return release(seeded, method.name, target, settings=method.options, **options)


# -- what would do instead ---------------------------------------------------------------------------------------------


def _unseen(workspace: Workspace, lock: Lock) -> str:
    """How many values, by column, no locked taxonomy knows."""
    database, stored, told = workspace.database, workspace.taxonomies, []
    names = [name for name in lock.taxonomies if name in workspace.roles.quasi_identifiers]
    workspace.source.engine.frequency_set(names, RELEASE_SET)
    database.run(lookup_schema())
    for name in names:
        target = (LOOKUP_SCHEMA, name)
        make_lookup(database, stored[name], frequency=RELEASE_SET, target=target)
        counts = check_mapped(database, stored[name], target=target, refuse=False)
        if counts["values"]:
            told.append(f"{name!r} {counts['values']:,} in {counted(counts['records'], 'record', 'records')}")
    words = f"Values unknown to what is locked: {', '.join(told)}. " if told else ""
    return f"{words}Once they are in the taxonomies, lock again (`project.lock(RULE)`)"


def _remedy(workspace: Workspace, lock: Lock) -> str:
    """A coarser rule that meets the requirement, in words; the nearest of those that are tried."""
    if lock.rule is None:
        return "What is locked stays as it is: require less and lock again, or keep the earlier release"
    quiet = workspace.with_reporter(Reporter())
    for levels in _coarser(workspace, lock.rule):
        try:
            made = release_rule(quiet, levels, None, dry_run=True)
        except AnonduckError:
            continue
        if all(line["met"] for line in made.receipt["requirements"]):
            text = literal(levels)
            return f"{text} would meet it now (k = {made.k:,}): `project.lock({text!r})` locks that rule"
    return "None of the coarser rules that were tried meets it; `project.discover()` looks at others"


def _coarser(workspace: Workspace, levels: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Coarser rules, the nearest first: one column raised by one level, by two and so on, then all columns together.

    Columns that must stay are not raised over what they may have; a rule keeps at least one column.
    """
    requirement, stored = requirement_of(workspace.config, workspace.folder), workspace.taxonomies
    roots = {name: stored[name].root for name in levels}
    space = RuleSpace.keeping(roots, {name: cap for name, cap in requirement.keep.items() if name in roots})
    caps = dict(zip(space.attributes, space.coarsest, strict=True))
    raised = {name: range(level + 1, caps[name] + 1) for name, level in levels.items()}
    single = sorted((level - levels[name], name, level) for name, above in raised.items() for level in above)
    ways = [{**levels, name: level} for _, name, level in islice(single, MOST_TRIED)]
    highest = max(caps[name] - level for name, level in levels.items())
    together = (
        {name: min(level + more, caps[name]) for name, level in levels.items()} for more in range(1, highest + 1)
    )
    for way in chain(ways, together):
        named = {name: level for name, level in way.items() if level < roots[name]}
        if named:
            yield named
