"""How the recoder of a method is made: these modules load NumPy, which a release by a rule does not need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anonduck.config.requirement_change import with_requirement
from anonduck.config.ways import RANGES, SWAPPED
from anonduck.errors import ConfigError
from anonduck.evaluation.finding import found_levels, with_allowance
from anonduck.frequency.copies import in_memory
from anonduck.frequency.frequency_set import check_source
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.requirement import Requirement, requirement_of
from anonduck.methods.cut_tree import CutTree
from anonduck.methods.method import Method
from anonduck.methods.recodings import (
    ClassDistributions,
    Cuts,
    Levels,
    Partition,
    Recoding,
    Swaps,
)
from anonduck.release.class_recoder import class_recoder
from anonduck.release.class_swaps import class_swap_recoder
from anonduck.release.cut_recoder import cut_recoder
from anonduck.release.distribution_recoder import distribution_recoder
from anonduck.release.found_classes import FoundClasses, weighed_columns
from anonduck.release.job import check_target, checked_levels, make_stricter
from anonduck.release.plan import ReleaseSettings
from anonduck.release.preprocessing import number_ranges, preprocessing
from anonduck.release.recoder import Recipe, Recoder, ReleaseInputs, asked_of_file
from anonduck.release.rule_recoder import found_recoder
from anonduck.release.swap_recoder import swap_recoder
from anonduck.release.swap_settings import swap_settings
from anonduck.release.target import ReleaseTarget
from anonduck.release.typical_recoder import typical_recoder
from anonduck.workspace import Workspace


def method_recipe(
    workspace: Workspace,
    recoding: Recoding | None,
    method: Method,
    options: Mapping[str, Any],
    target: ReleaseTarget | None,
    show: str,
    shown: Mapping[str, str] | None,
    *,
    as_data: bool,
) -> Recipe:
    """The recipe of a method that finds no rule; swaps take taxonomies of those columns alone that show a level.

    ``as_data`` says that what it finds is asked for as data, so that cuts are noted.
    """
    config = workspace.config
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
    classes = recoding if isinstance(recoding, (Partition, CutTree)) else None
    ranges = number_ranges(options)

    def make(inputs: ReleaseInputs) -> Recoder:
        names, weighed = tuple(inputs.roles.quasi_identifiers), weighed_columns(method, inputs.roles)
        if isinstance(classes, Partition) and set(classes.revealed) != set(weighed):
            raise ConfigError(
                f"{method.name} found this recoding with other sensitive columns; give these their roles again, or "
                "anonymize anew"
            )
        before = preprocessing(inputs, options, ranges)
        given = None if classes is None else classes.in_order(names)
        found = FoundClasses(
            method,
            options,
            config.seed,
            names,
            inputs.requirement,
            before,
            weighed,
            given,
            prunes=config.prunes,
            cut_anew=config.cut_anew,
            notes_cuts=as_data,
        )
        if show == SWAPPED:
            return class_swap_recoder(found, method, config, inputs)
        return class_recoder(found, inputs) if show == RANGES else typical_recoder(found, method, inputs, shown)

    return Recipe(make, of_file=asked_of_file, proven=method.name) if show == SWAPPED else Recipe(make)


def levels_recipe(
    workspace: Workspace,
    recoding: Levels | None,
    method: Method,
    options: Mapping[str, Any],
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
    required = with_allowance(read.config, read.source.engine.count, method, options, given)
    if recoding is None:
        wanted = requirement_of(with_requirement(read.config, required), workspace.folder)
        unmapped = settings.unmapped or config.unmapped
        found = _search_levels(read, method, options, wanted, unmapped=unmapped, show_values=settings.show_values)
        recoding = Levels(found)
    levels = recoding.levels

    def make(inputs: ReleaseInputs) -> Recoder:
        named = checked_levels(levels, inputs.roles, inputs.taxonomies)
        return found_recoder(inputs, named, method.described(options, inputs.requirement.as_json()))

    return Recipe(make), replace(settings, requirement=required)


def _search_levels(
    read: Workspace,
    method: Method,
    options: Mapping[str, Any],
    requirement: Requirement,
    *,
    unmapped: str,
    show_values: bool,
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
            one, method, options, requirement, label_k=label_k, unmapped=unmapped, show_values=show_values
        )
