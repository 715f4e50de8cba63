"""Releases by a method that finds a rule: its levels are found first, and released as those of any rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.config.requirement_change import with_requirement
from anonduck.errors import ConfigError, RequirementNotMet
from anonduck.frequency.copies import in_memory
from anonduck.frequency.frequency_set import check_source
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.requirement import Requirement, requirement_of
from anonduck.methods.method import Method
from anonduck.release.job import check_target, checked_levels, make_stricter, release_by
from anonduck.release.recoding import Ground, Recipe
from anonduck.release.release import Release
from anonduck.release.rule_recoding import RuleRecoding, found_recoding
from anonduck.release.target import ReleaseTarget
from anonduck.search.level_space import SourceLevels
from anonduck.workspace import Workspace


def release_levels(
    workspace: Workspace,
    method: Method,
    settled: Mapping[str, Any],
    target: ReleaseTarget | None,
    requirement: Mapping[str, Any],
    *,
    export: str | None = None,
    overwrite: bool = False,
    dry_run: bool = False,
    unmapped: str | None = None,
    show_values: bool = False,
    **options: Any,
) -> Release:
    """Find a rule by a method whose recoding is levels, and release it; ``options`` are those of ``release_by``.

    ``settled`` are all options of the method. Raises RequirementNotMet where it finds no rule.
    """
    read = workspace.with_export(export)
    if target is not None:
        check_target(read, target, overwrite=overwrite or dry_run)
    required = _with_allowance(read, method, settled, requirement)
    wanted = requirement_of(with_requirement(read.config, required), workspace.folder)
    levels = _found(
        read, method, settled, wanted, unmapped=unmapped or workspace.config.unmapped, show_values=show_values
    )

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


def _with_allowance(
    read: Workspace, method: Method, settled: Mapping[str, Any], requirement: Mapping[str, Any]
) -> dict[str, Any]:
    """The requirement with the share of the records that the method leaves out, where that is its own."""
    k = with_requirement(read.config, requirement).requirement.k
    share = method.allowance(k, read.source.engine.count(), **settled)
    if share is None:
        return dict(requirement)
    if "suppression" in requirement:
        raise ConfigError(
            f"the method {method.name} decides by itself how many records are left out; leave `suppression` out of the "
            "replaced requirement"
        )
    return {**requirement, "suppression": share}


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
        source, roles = one.opened
        taxonomies = taxonomies_of(one, columns, label_k)
        space = SourceLevels(
            source.engine,
            roles,
            taxonomies,
            config,
            requirement,
            refuse=unmapped != "root",
            show_values=show_values,
            reporter=read.reporter,
        )
        vector = method.algorithm(space, seed=config.seed, progress=read.reporter.progress, **settled)
        if vector is None or vector == space.space.roots:
            raise RequirementNotMet(
                f"{method.name} finds no rule with a column under its root that meets {requirement.text}; nothing was "
                "written. Require less, allow more suppression, or use other taxonomies"
            )
        return space.space.named(vector)
