"""Releases: a recoding, taxonomies and a requirement brought together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from anonduck.config.config import Config
from anonduck.config.policy import policy_of
from anonduck.config.requirement_change import with_requirement
from anonduck.config.ways import BOUND_COLUMNS
from anonduck.errors import ConfigError, ReleaseError, TaxonomyError
from anonduck.evaluation.workload import workload_of
from anonduck.frequency.frequency_set import check_source
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.requirement import requirement_of
from anonduck.release.bound_columns import bounds_asked, refuse_bounds
from anonduck.release.engine_release import refuse_elsewhere, refuse_here, refuse_in_engine, refuse_proven
from anonduck.release.engine_target import EngineTarget
from anonduck.release.made_releases import keep_made
from anonduck.release.plan import AS_CONFIGURED, ReleasePlan, ReleaseSettings, plan_of, scores_of
from anonduck.release.policy_floors import judge_choice
from anonduck.release.recoder import Recipe, Recoder, ReleaseInputs
from anonduck.release.release import Release, make_release
from anonduck.release.row_recoder import bounded
from anonduck.release.stricter_labels import label_k_of, labels_for, refuse_lost_levels
from anonduck.release.target import ReleaseTarget
from anonduck.rules.rule import check_levels
from anonduck.source.source import Roles, Source
from anonduck.statements import statement
from anonduck.statements.column_types import OF_128_BITS, TEXT, fits_delta
from anonduck.taxonomy.catalog import Taxonomy, digest, entries
from anonduck.taxonomy.kept import KeptTaxonomies, taxonomies_to_keep
from anonduck.workspace import Workspace


def release_by(
    workspace: Workspace,
    recipe: Recipe,
    target: ReleaseTarget | None,
    settings: ReleaseSettings = AS_CONFIGURED,
) -> Release:
    """The one job of all releases: open the source, make the recoder, write, audit, put in place, keep in mind.

    ``target`` may be None in a dry run. Raises what ``anonduck.Project.release`` does.
    """
    if target is None and not settings.dry_run:
        raise ConfigError(
            "a release needs a target: FILE.parquet, FILE.csv, FILE.duckdb::table or delta:FOLDER, or spark:TABLE or "
            "FOLDER.parquet/ where an engine reads the source"
        )
    read, config = workspace.with_export(settings.export), workspace.config
    unmapped, dry_run, keep_roots = settings.unmapped or config.unmapped, settings.dry_run, settings.keep_roots
    wanted = with_requirement(read.config, settings.requirement or {})
    policy = policy_of(wanted, workspace.folder, "the release")
    of_choice = judge_choice(workspace, wanted, policy, recipe.levels if recipe.by_rule else None, settings)
    required = requirement_of(wanted, workspace.folder)
    label_k = label_k_of(required.k, config.requirement.k, settings.kept)
    roles = read.roles  # opened before the target is looked at, so that it is no file of the source
    if target is not None:
        check_target(read, target, overwrite=settings.overwrite or dry_run)
    bounds = _bounds(settings, config, target)
    if isinstance(target, EngineTarget):
        refuse_proven(recipe, target.text)
    check_source(read.source.engine, roles, config)
    workload = None if settings.reader is not None else workload_of(read)
    quasi, named = roles.quasi_identifiers, recipe.levels
    columns = list(quasi) if keep_roots or named is None else [name for name in named if name in quasi]
    if label_k > config.requirement.k and read.export is None and not dry_run:
        _leave_taxonomies(read, columns)
    with labels_for(read, label_k, settings.kept) as one:
        if one is not read:
            make_stricter(one, columns, label_k)
        source, roles = one.opened
        taxonomies = _taxonomies(one, columns, label_k, settings.kept)
        refuse_lost_levels(workspace, named or {}, taxonomies, label_k)
        subgroups = () if settings.reader is not None else tuple(dict.fromkeys(config.subgroups))
        labels = root_labels(one, taxonomies)
        inputs = ReleaseInputs(source, roles, taxonomies, required, labels, keep_roots, unmapped, subgroups)
        recoding = recipe.make(inputs)
        if bounds == BOUND_COLUMNS:
            recoding = bounded(recoding, one.database, asked=settings.bounds is not None)
        plan = plan_of(recoding, read.config, recipe.of_file(required))
        persons = read.person_counts(required.k, [one.model.name for one in required.own], required.linked_k)
        plan = replace(
            plan,
            reason=settings.reason,
            chosen_by=settings.chosen_by,
            candidate=settings.candidate,
            policy=policy,
            policy_remarks=() if policy is None else policy.remarks(wanted),
            asked=settings.asked,
            overridable=settings.overridable,
            entity=persons,
            unknown_values=unmapped,
            workload=workload,
            of_choice=of_choice,
        )
        applied = plan.recoding.levels
        if applied and (one is read or _same_groups(workspace, one, applied)):
            plan = replace(plan, scores=scores_of(read, applied))  # of this export, as the view `source` has to stay
        if isinstance(target, EngineTarget):
            refuse_elsewhere(plan.recoding, roles, target.text)
        elif not dry_run or settings.reader is not None:
            refuse_here(source, roles)
        if target is not None:
            _refuse_inexact(source, plan, target)
        finished = make_release(
            one.database,
            plan,
            None if dry_run else target,
            source=source,
            roles=roles,
            config=config,
            settings=settings,
            reporter=workspace.reporter,
        )
        made = replace(finished, kept=_to_keep(read, one, columns, label_k, settings))
    if made.written and target is not None and not recipe.by_rule:
        keep_made(workspace.database, target, made)
    return made


def _taxonomies(
    workspace: Workspace, columns: list[str], label_k: int, kept: KeptTaxonomies | None
) -> dict[str, Taxonomy]:
    """The taxonomies of the columns; raises TaxonomyError where kept ones would be made otherwise by now."""
    found = taxonomies_of(workspace, columns, label_k)
    if kept is None:
        return found
    now = entries(workspace.database)
    other = [name for name in kept.columns if now[name] != kept.entry(name)]
    if other:
        raise TaxonomyError(
            f"the recoding was kept with taxonomies of {', '.join(map(repr, other))} that group values otherwise than "
            "the config says now; find it anew: `anonduck run -o FILE --reselect`, or `anonduck lock ID` where it is "
            "locked"
        )
    return found


def _to_keep(
    read: Workspace, stricter: Workspace, columns: list[str], label_k: int, settings: ReleaseSettings
) -> KeptTaxonomies | None:
    """The taxonomies for a larger k to keep with a recoding; None where its taxonomies are the stored ones."""
    if stricter is read or not settings.as_data:
        return None
    return settings.kept or taxonomies_to_keep(stricter.database, read.database, columns, label_k)


def _bounds(settings: ReleaseSettings, config: Config, target: ReleaseTarget | None) -> str:
    """How ranges are written; raises ConfigError for columns where texts alone can be."""
    bounds = bounds_asked(settings.bounds, config)
    if isinstance(target, EngineTarget):
        refuse_bounds(bounds, target.text)
    if settings.reader is not None:
        refuse_bounds(bounds, "a script or a query")
    return bounds


def _same_groups(workspace: Workspace, stricter: Workspace, levels: Mapping[str, int]) -> bool:
    """Whether rules were measured by the taxonomies for a larger k: their groups may be others."""
    kept, made, stored = workspace.database, stricter.database, workspace.taxonomies
    return all(name in stored and digest(kept, name) == digest(made, name) for name in levels)


def _leave_taxonomies(workspace: Workspace, columns: list[str]) -> None:
    """Make those taxonomies of the project that are not there yet: an attack on the release asks for them.

    They are for the config's k; what is made for a larger one is forgotten with its release.
    """
    missing = [name for name in columns if name not in workspace.taxonomies]
    if missing:
        taxonomies_of(workspace, missing, workspace.config.requirement.k)


def make_stricter(stricter: Workspace, columns: list[str], label_k: int) -> None:
    """Make labels for a larger k where another export is released: from the project's own source, as all labels are."""
    stored = stricter.taxonomies
    if stricter.export is not None and all(name in stored for name in columns):
        taxonomies_of(stricter.with_export(None), columns, label_k)
    check_source(stricter.source.engine, stricter.roles, stricter.config)


def check_target(workspace: Workspace, target: ReleaseTarget, *, overwrite: bool) -> None:
    """Raise ReleaseError if nothing can be written to a target, before any work is done."""
    workspace.protected().refuse(target.written, ReleaseError)
    if isinstance(target, EngineTarget):
        refuse_in_engine(workspace.source, workspace.roles, target, overwrite=overwrite)
    else:
        target.refuse_standing(overwrite=overwrite)


def _refuse_inexact(source: Source, plan: ReleasePlan[Recoder], target: ReleaseTarget) -> None:
    """Parquet has no integers of 128 bits; DuckDB would write the nearest floating-point number.

    Delta has fewer types than Parquet; deltalake would take an unsigned integer for a signed one.
    """
    for column in plan.columns:
        kind = source.column(column.name).type
        if target.kind == "delta" and column.typed and not fits_delta(kind):
            raise ReleaseError(
                f"column {column.name!r} is {kind}, which Delta tables cannot hold; release to FILE.parquet, "
                f"or make it text with `types: {{{column.name}: {TEXT}}}`"
            )
        if target.kind == "parquet" and column.typed and kind in OF_128_BITS:
            raise ReleaseError(
                f"column {column.name!r} is {kind}, which Parquet cannot hold; release to CSV or a table, "
                f"or make it text with `types: {{{column.name}: {TEXT}}}`"
            )


def checked_levels(levels: Mapping[str, int], roles: Roles, taxonomies: Mapping[str, Taxonomy]) -> dict[str, int]:
    """The levels of a rule, those at their root left out; raises RuleError if it cannot be applied."""
    roots = {name: taxonomies[name].root if name in taxonomies else 0 for name in roles.quasi_identifiers}
    return check_levels(levels, roots)


def root_labels(workspace: Workspace, taxonomies: Mapping[str, Taxonomy]) -> dict[str, str]:
    """The label of each taxonomy's root, by column."""
    queries = {
        name: statement(
            "taxonomy/root_label.sql", table={"taxonomy": ("taxonomy", name)}, column={"root": f"level_{taxonomy.root}"}
        )
        for name, taxonomy in taxonomies.items()
    }
    return {name: label or "*" for name, (label,) in workspace.database.row_of_each(queries).items()}
