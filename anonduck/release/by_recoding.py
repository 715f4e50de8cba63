"""Releases by recodings: of rules, found by methods, and kept as data.

``release_recoding`` releases by a recoding that is there; ``release_rule`` and ``release_method`` find one first. All
hand the same job (``anonduck.release.job``) how to make the recoder once the source is open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from anonduck.config.config import Config
from anonduck.config.ways import RANGES
from anonduck.config.without_class import refuse_method
from anonduck.errors import ConfigError
from anonduck.methods.cut_tree import CutTree
from anonduck.methods.recodings import (
    APPLICABLE,
    ClassDistributions,
    Cuts,
    Levels,
    Partition,
    Recoding,
    Swaps,
)
from anonduck.methods.registry import method_named
from anonduck.release.engine_target import EngineTarget
from anonduck.release.job import checked_levels, release_by
from anonduck.release.plan import AS_CONFIGURED, ReleaseSettings
from anonduck.release.recoder import Recipe, Recoder, ReleaseInputs
from anonduck.release.release import Release
from anonduck.release.rule_recoder import rule_recoder
from anonduck.release.target import ReleaseTarget
from anonduck.release.ways import refuse_unallowed, refuse_way
from anonduck.search.stored_rules import rule_levels
from anonduck.workspace import Workspace

KINDS: Mapping[str, tuple[type[Recoding], ...]] = {
    "levels": (Levels,),
    "cuts": (Cuts,),
    "classes": (Partition, CutTree),
    "distributions": (ClassDistributions,),
    "swapped": (Swaps,),
}
"""By the kind of recoding that a method finds, what it is as data."""


@dataclass(frozen=True)
class Origin:
    """Where a recoding comes from, for the receipt.

    Attributes:
        rule_id: the id of a rule, such as ``R12``; None for one without an id, and for methods.
        method: the name of the method that found it; None for a rule.
        options: all options of the method.
    """

    rule_id: str | None = None
    method: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def release_recoding(
    workspace: Workspace,
    recoding: Recoding | None,
    origin: Origin,
    target: ReleaseTarget | None,
    settings: ReleaseSettings = AS_CONFIGURED,
) -> Release:
    """Release by a recoding that is there; nothing is found anew.

    Args:
        workspace: has the source, the taxonomies that the recoding was found by, and the requirement.
        recoding: from a rule, a method or ``recoding_from_json``; None stands for what the method of the origin finds
            on the source now. Swaps are drawn anew, by the same blocks.
        origin: where it comes from: ``Origin(rule_id="R12")``, or ``Origin(method=NAME, options=ALL_OPTIONS)``.
        target: where the release goes; None in a dry run.
        settings: how it is made; ``export`` applies the recoding to another export, whose values take the nodes that
            cover them.

    Returns the release, audited, with its receipt and what it reached.

    Raises ConfigError for a recoding that is not of its method's kind or cannot be applied again, RequirementNotMet
    where the records do not meet the requirement or no class covers any of them, and what ``Project.release`` does.
    """
    show = settings.show or workspace.config.shown_by(origin.method)
    if show != RANGES:
        _refuse_shown(workspace.config, show, origin, target, settings)
    if origin.method is None:
        if not isinstance(recoding, Levels):
            raise ConfigError("a recoding that is no rule comes from a method; name it in `origin`")
        return release_by(workspace, _rule_recipe(recoding, origin), target, settings)
    method = method_named(origin.method)
    if recoding is not None and not isinstance(recoding, KINDS[method.recoding]):
        finds = KINDS[method.recoding][0].kind
        raise ConfigError(f"{method.name} recodes by {finds}, and cannot release by {recoding.kind}")
    if settings.export is not None and not (recoding is None or isinstance(recoding, APPLICABLE)):
        raise ConfigError(
            f"{recoding.kind} are of the records that they were made of, and cannot be applied to another export; "
            f"anonymize that one by {method.name}"
        )
    from anonduck.release.method_recipes import levels_recipe, method_recipe

    if method.recoding == "levels":
        assert recoding is None or isinstance(recoding, Levels)
        recipe, settings = levels_recipe(workspace, recoding, method, origin.options, target, settings)
        return release_by(workspace, recipe, target, settings)
    shown = workspace.config.shown_columns if settings.show is None else None
    as_data = settings.as_data or settings.reader is not None
    recipe = method_recipe(workspace, recoding, method, origin.options, target, show, shown, as_data=as_data)
    return release_by(workspace, recipe, target, settings)


def release_rule(
    workspace: Workspace,
    rule: str | Mapping[str, int],
    target: ReleaseTarget | None,
    settings: ReleaseSettings = AS_CONFIGURED,
) -> Release:
    """Release by a rule: an id, a literal or levels; raises RuleError for none that can be applied."""
    identifier, levels = rule_levels(workspace.with_export(settings.export), rule)
    return release_recoding(workspace, Levels(levels), Origin(rule_id=identifier), target, settings)


def release_method(
    workspace: Workspace,
    name: str,
    target: ReleaseTarget | None,
    settings: ReleaseSettings = AS_CONFIGURED,
    *,
    k: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Release:
    """Release by the recoding that a method finds on the source.

    ``k`` replaces the required one, as ``settings.requirement`` does; ``options`` of the method are over those of the
    config. Raises ConfigError for a method or an option that is not known.
    """
    required = dict(settings.requirement or {})
    if k is not None:
        if "k" in required:
            raise ConfigError("k is given twice, as `-k N` and by `--require k=N`; give it once")
        required["k"] = k
    origin = method_origin(workspace, name, options)
    return release_recoding(workspace, None, origin, target, replace(settings, requirement=required))


def method_origin(workspace: Workspace, name: str, options: Mapping[str, Any] | None = None) -> Origin:
    """The origin of what a method finds with some options, over those of the config.

    Raises ConfigError for a method or an option that is not known, and for one that needs a class where there is none.
    """
    resolved = method_named(name).resolve_options(workspace.config.method_options.get(name, {}), options or {})
    refuse_method(workspace.config, name, options or {})
    return Origin(method=name, options=resolved)


# -- how each is made --------------------------------------------------------------------------------------------------


def _rule_recipe(recoding: Levels, origin: Origin) -> Recipe:
    def make(inputs: ReleaseInputs) -> Recoder:
        levels = checked_levels(recoding.levels, inputs.roles, inputs.taxonomies)
        return rule_recoder(inputs, rule_id=origin.rule_id, levels=levels)

    return Recipe(make, recoding.levels, by_rule=True)


def _refuse_shown(
    config: Config, show: str, origin: Origin, target: ReleaseTarget | None, settings: ReleaseSettings
) -> None:
    """Raise ConfigError for what cannot be shown in a way that is not that of ranges."""
    method = None if origin.method is None else method_named(origin.method)
    refuse_way(method, show, "a rule" if method is None else f"a release by {method.name}")
    refuse_unallowed(config, show)
    if settings.reader is not None:
        raise ConfigError(
            f"a script or a query shows {RANGES} alone, and `show: {show}` is asked for; write the "
            f"release to a file, or take `show: {RANGES}`"
        )
    if isinstance(target, EngineTarget):
        raise ConfigError(
            f"{target.text} is written by an engine, which is given {RANGES} alone, and `show: {show}` is asked for; "
            f"release to FILE.parquet or FILE.csv, or take `show: {RANGES}`"
        )
