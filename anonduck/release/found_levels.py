"""Releases by a method that finds a rule: its levels are found first, and released as those of any rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.config.requirement_change import with_requirement
from anonduck.evaluation.finding import found_levels, with_allowance
from anonduck.frequency.copies import in_memory
from anonduck.frequency.frequency_set import check_source
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.requirement import Requirement, requirement_of
from anonduck.methods.method import Method
from anonduck.release.job import check_target, checked_levels, make_stricter, release_by
from anonduck.release.recoding import Ground, Recipe
from anonduck.release.release import Release
from anonduck.release.rule_recoding import RuleRecoding, found_recoding
from anonduck.release.stored_recoding import Keep, StoredLevels
from anonduck.release.target import ReleaseTarget
from anonduck.workspace import Workspace


def release_levels(
    workspace: Workspace,
    method: Method,
    settled: Mapping[str, Any],
    target: ReleaseTarget | None,
    requirement: Mapping[str, Any],
    *,
    stored: StoredLevels | None = None,
    keep: Keep | None = None,
    export: str | None = None,
    overwrite: bool = False,
    dry_run: bool = False,
    unmapped: str | None = None,
    show_values: bool = False,
    **options: Any,
) -> Release:
    """Find a rule by a method whose recoding is levels, and release it; ``options`` are those of ``release_by``.

    ``settled`` are all options of the method. ``stored`` levels are released as they are; ``keep`` is handed those that
    are found. Raises RequirementNotMet where it finds no rule.
    """
    read = workspace.with_export(export)
    if target is not None:
        check_target(read, target, overwrite=overwrite or dry_run)
    required = with_allowance(read.config, read.source.engine.count, method, settled, requirement)
    wanted = requirement_of(with_requirement(read.config, required), workspace.folder)
    if stored is None:
        unknown = unmapped or workspace.config.unmapped
        stored = StoredLevels(_found(read, method, settled, wanted, unmapped=unknown, show_values=show_values))
    if keep is not None:
        keep(stored)
    levels = stored.levels

    def make(ground: Ground) -> RuleRecoding:
        named = checked_levels(levels, ground.roles, ground.taxonomies)
        return found_recoding(ground, named, described(method, settled, ground.requirement))

    given: dict[str, Any] = {"export": export, "overwrite": overwrite, "dry_run": dry_run, "unmapped": unmapped}
    return release_by(
        workspace, Recipe(make), target, requirement=required, show_values=show_values, **given, **options
    )


def described(method: Method, settled: Mapping[str, Any], requirement: Requirement) -> dict[str, Any]:
    """``method`` of the receipt: its name and options, and what the rule had to meet."""
    model = requirement.as_json()
    return {
        "name": method.name,
        "options": dict(settled),
        "model": model,
        "words": f"{method.name}: {method.words} ({method.source})",
        "attacks": method.attacks(model),
    }


def _found(
    read: Workspace,
    method: Method,
    settled: Mapping[str, Any],
    requirement: Requirement,
    *,
    unmapped: str,
    show_values: bool,
) -> dict[str, int]:
    """The levels that a method finds, in a database of its own: what a discovery has stored stays as it is."""
    config = read.config
    check_source(read.source.engine, read.roles, config)
    own_k = read.with_export(None).config.requirement.k
    columns, label_k = list(read.roles.quasi_identifiers), max(requirement.k, own_k)
    if label_k == own_k:
        taxonomies_of(read, columns, label_k)
    with in_memory(read) as one:
        if label_k > own_k:
            make_stricter(one, columns, label_k)
        return found_levels(
            one, method, settled, requirement, label_k=label_k, unmapped=unmapped, show_values=show_values
        )
