"""Releases by recodings: of rules, found by methods, and kept as data.

``release_recoding`` releases by a recoding that is there; ``release_rule`` and ``release_method`` find one first. All
hand the same job (``anonduck.release.job``) how to make the recoder once the source is open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anonduck.config.config import Config
from anonduck.config.reading import with_changes
from anonduck.config.requirement_change import with_requirement
from anonduck.config.ways import RANGES, SWAPPED
from anonduck.config.without_class import refuse_method
from anonduck.errors import ConfigError
from anonduck.evaluation.finding import found_levels, with_allowance
from anonduck.frequency.copies import in_memory
from anonduck.frequency.frequency_set import check_source
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.requirement import Requirement, requirement_of
from anonduck.methods.method import Method
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
from anonduck.release.class_recoder import class_recoder
from anonduck.release.class_swaps import class_swap_recoder
from anonduck.release.cut_recoder import cut_recoder
from anonduck.release.distribution_recoder import distribution_recoder
from anonduck.release.engine_target import EngineTarget
from anonduck.release.found_classes import FoundClasses, weighed_columns
from anonduck.release.job import check_target, checked_levels, make_stricter, release_by
from anonduck.release.plan import AS_CONFIGURED, ReleaseSettings
from anonduck.release.preprocessing import number_ranges, preprocessing
from anonduck.release.recoder import Recipe, Recoder, ReleaseInputs, asked_of_file
from anonduck.release.release import Release
from anonduck.release.rule_recoder import found_recoder, rule_recoder
from anonduck.release.swap_recoder import swap_recoder
from anonduck.release.swap_settings import swap_settings
from anonduck.release.target import ReleaseTarget
from anonduck.release.typical_recoder import typical_recoder
from anonduck.release.ways import refuse_unallowed, refuse_way
from anonduck.search.stored_rules import rule_levels
from anonduck.workspace import Workspace

KINDS: Mapping[str, type[Recoding]] = {
    "levels": Levels,
    "cuts": Cuts,
    "classes": Partition,
    "distributions": ClassDistributions,
    "swapped": Swaps,
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
        finds = KINDS[method.recoding].kind
        raise ConfigError(f"{method.name} recodes by {finds}, and cannot release by {recoding.kind}")
    if settings.export is not None and not (recoding is None or isinstance(recoding, APPLICABLE)):
        raise ConfigError(
            f"{recoding.kind} are of the records that they were made of, and cannot be applied to another export; "
            f"anonymize that one by {method.name}"
        )
    if method.recoding == "levels":
        assert recoding is None or isinstance(recoding, Levels)
        recipe, settings = _levels_recipe(workspace, recoding, method, origin, target, settings)
        return release_by(workspace, recipe, target, settings)
    shown = workspace.config.shown_columns if settings.show is None else None
    return release_by(workspace, _recipe(workspace, recoding, method, origin, target, show, shown), target, settings)


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
    models: Sequence[str] | None = None,
) -> Release:
    """Release by the recoding that a method finds on the source.

    ``k`` replaces the required one, as ``settings.requirement`` does; ``options`` of the method are over those of the
    config. ``models`` replace those of the config. Raises ConfigError for a method or an option that is not known.
    """
    if models is not None:
        workspace = workspace.with_config(with_changes(workspace.config, {"models": list(models)}))
    required = dict(settings.requirement or {})
    if k is not None:
        if "k" in required:
            raise ConfigError("k is given twice, as `k=N` and by `requirement={'k': N}`; give it once")
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


def _recipe(
    workspace: Workspace,
    recoding: Recoding | None,
    method: Method,
    origin: Origin,
    target: ReleaseTarget | None,
    show: str,
    shown: Mapping[str, str] | None,
) -> Recipe:
    """The recipe of a method that finds no rule; swaps take taxonomies of those columns alone that show a level."""
    config, options = workspace.config, origin.options
    if method.recoding == "swapped":
        swaps = recoding if isinstance(recoding, Swaps) else None
        return Recipe(
            lambda inputs: swap_recoder(method, options, config, inputs, swaps),
            swap_settings(options).levels,
            asked_of_file,
            method.name,
        )
    if method.recoding == "distributions":
        as_json, given = target is not None and target.kind == "csv", recoding
        assert given is None or isinstance(given, ClassDistributions)
        return Recipe(
            lambda inputs: distribution_recoder(
                method,
                options,
                config.seed,
                inputs,
                given and given.in_order(inputs.roles.quasi_identifiers),
                as_json=as_json,
            ),
            of_file=asked_of_file,
            proven=method.name,
        )
    if method.recoding == "cuts":
        cuts = recoding if isinstance(recoding, Cuts) else None
        return Recipe(
            lambda inputs: cut_recoder(
                method, options, config.seed, inputs, cuts and cuts.in_order(inputs.roles.quasi_identifiers)
            )
        )
    partition, ranges = recoding if isinstance(recoding, Partition) else None, number_ranges(options)

    def make(inputs: ReleaseInputs) -> Recoder:
        names, weighed = tuple(inputs.roles.quasi_identifiers), weighed_columns(method, inputs.roles)
        if partition is not None and set(partition.revealed) != set(weighed):
            raise ConfigError(
                f"{method.name} found this recoding with other sensitive columns; give these their roles again, or "
                "anonymize anew"
            )
        before = preprocessing(inputs, options, ranges)
        given = partition and partition.in_order(names)
        found = FoundClasses(method, options, config.seed, names, inputs.requirement, weighed, before, given)
        if show == SWAPPED:
            return class_swap_recoder(found, method, config, inputs)
        return class_recoder(found, inputs) if show == RANGES else typical_recoder(found, method, inputs, shown)

    return Recipe(make, of_file=asked_of_file, proven=method.name) if show == SWAPPED else Recipe(make)


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


def _levels_recipe(
    workspace: Workspace,
    recoding: Levels | None,
    method: Method,
    origin: Origin,
    target: ReleaseTarget | None,
    settings: ReleaseSettings,
) -> tuple[Recipe, ReleaseSettings]:
    """The recipe of levels that a method finds, or found, and the settings with the suppression that it decides.

    Raises RequirementNotMet where it finds no rule.
    """
    read, config = workspace.with_export(settings.export), workspace.config
    if target is not None:
        check_target(read, target, overwrite=settings.overwrite or settings.dry_run)
    given = settings.requirement or {}
    required = with_allowance(read.config, read.source.engine.count, method, origin.options, given)
    if recoding is None:
        wanted = requirement_of(with_requirement(read.config, required), workspace.folder)
        unmapped = settings.unmapped or config.unmapped
        found = _search_levels(read, method, origin, wanted, unmapped=unmapped, show_values=settings.show_values)
        recoding = Levels(found)
    levels = recoding.levels

    def make(inputs: ReleaseInputs) -> Recoder:
        named = checked_levels(levels, inputs.roles, inputs.taxonomies)
        return found_recoder(inputs, named, method.described(origin.options, inputs.requirement.as_json()))

    return Recipe(make), replace(settings, requirement=required)


def _search_levels(
    read: Workspace, method: Method, origin: Origin, requirement: Requirement, *, unmapped: str, show_values: bool
) -> dict[str, int]:
    """The levels that a method finds, in a database of its own: what a discovery has stored stays as it is."""
    check_source(read.source.engine, read.roles, read.config)
    own_k = read.with_export(None).config.requirement.k
    columns, label_k = list(read.roles.quasi_identifiers), max(requirement.k, own_k)
    if label_k == own_k:
        taxonomies_of(read, columns, label_k)
    with in_memory(read) as one:
        if label_k > own_k:
            make_stricter(one, columns, label_k)
        return found_levels(
            one, method, origin.options, requirement, label_k=label_k, unmapped=unmapped, show_values=show_values
        )
