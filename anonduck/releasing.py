"""Releases and scripts of a project: its rule, taxonomies and requirement brought together."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck import preparation
from anonduck.column_types import OF_128_BITS, TEXT
from anonduck.config import Config
from anonduck.config_reading import make_config
from anonduck.errors import AuditError, ConfigError, ReleaseError, TaxonomyError
from anonduck.fingerprints import fingerprint_key, text_fingerprint
from anonduck.frequency import check_source, make_lookup
from anonduck.privacy import ask, relations
from anonduck.recoding import GROUPED, RELEASE_SET, Ground, Recode, Recoding
from anonduck.release import Release, judge_release, make_release
from anonduck.release_labels import Renamed, openings, outer_labels
from anonduck.release_plan import Plan, plan_of, plan_release
from anonduck.release_target import Target, refuse_existing, target_of
from anonduck.requirement_options import AUDIT_ONLY, MAX_COUNT, Requirement
from anonduck.requiring import Demand, demanded
from anonduck.rule_recoding import RuleRecoding, rule_recoding
from anonduck.rule_scores import scores_of
from anonduck.rules import check_levels
from anonduck.source import Roles, Source
from anonduck.source_engine import SourceEngine
from anonduck.statements import builder_privacy, builder_release, statement
from anonduck.statements.builder_release import LOOKUP_SCHEMA
from anonduck.stricter_labels import labels_for, refuse_lost_levels
from anonduck.taxonomy.catalog import Taxonomy, digest
from anonduck.taxonomy.edits import follow_edits

if TYPE_CHECKING:
    from anonduck.project import Project


def release_by(
    project: Project,
    made_by: str | Mapping[str, int] | Recode,
    path: str | Path | None,
    *,
    source: str | Path | None,
    overwrite: bool,
    dry_run: bool,
    requirement: Mapping[str, Any],
    keep_roots: bool,
    unmapped: str,
    show_values: bool,
) -> Release:
    """Recode a project's source, or another export with the same taxonomies, by a rule or another kind of recoding."""
    if path is None and not dry_run:
        raise ConfigError("a release needs a target: FILE.parquet, FILE.csv or FILE.duckdb::table")
    demand = demanded(_with_requirement(project.config, requirement), project.folder)
    # a lowered requirement keeps the labels that the rule was measured with
    label_k = max(demand.k, project.config.requirement.k)
    with contextlib.ExitStack() as stack:
        opened, roles = stack.enter_context(project.reading(source))
        target = None
        if path is not None:
            target = check_target(project, path, overwrite=overwrite or dry_run, source=source)
        check_source(opened.engine, roles, project.config)
        levels, recode = _recode(project, made_by)
        columns = (
            list(roles.quasi_identifiers)
            if keep_roots or callable(made_by)
            else [name for name in levels if name in roles.quasi_identifiers]
        )
        one = stack.enter_context(labels_for(project, label_k))
        if one is not project:
            opened, roles = stack.enter_context(_opened_stricter(one, source, columns, label_k))
        taxonomies = _taxonomies(one, opened, roles, columns, label_k, elsewhere=source is not None)
        refuse_lost_levels(project, levels, taxonomies, label_k)
        ground = Ground(opened, roles, taxonomies, demand, _root_labels(one, taxonomies), keep_roots, unmapped)
        plan = plan_of(recode(ground), project.config, demand)
        applied = plan.recoding.levels
        if applied and (one is project or _same_groups(project, one, applied)):
            plan = replace(plan, scores=scores_of(project.database, applied))
        if target is not None:
            _refuse_inexact(opened, plan, target)
        return make_release(
            one.database,
            plan,
            None if dry_run else target,
            source=opened,
            roles=roles,
            config=project.config,
            overwrite=overwrite,
            show_values=show_values,
            reporter=project.reporter,
        )


def _recode(project: Project, made_by: str | Mapping[str, int] | Recode) -> tuple[Mapping[str, int], Recode]:
    """The levels that are named, none where it is no rule, and what makes the recoding."""
    if callable(made_by):
        return {}, made_by
    identifier, levels = project.rule_levels(made_by)

    def recode(ground: Ground) -> Recoding:
        return rule_recoding(ground, rule_id=identifier, levels=_checked(levels, ground.roles, ground.taxonomies))

    return levels, recode


def _same_groups(project: Project, stricter: Project, levels: Mapping[str, int]) -> bool:
    """Whether the taxonomies for a larger k are those that rules were measured by: their groups may be others."""
    stored = project.taxonomies
    return all(name in stored and digest(project.database, name) == digest(stricter.database, name) for name in levels)


@contextlib.contextmanager
def _opened_stricter(
    project: Project, source: str | Path | None, columns: list[str], label_k: int
) -> Iterator[tuple[Source, Roles]]:
    """The source to release, once the labels for another export were made from the project's own."""
    stored = project.taxonomies
    if source is not None and all(name in stored for name in columns):
        _taxonomies(project, *project.opened, columns, label_k, elsewhere=False)
    with project.reading(source) as (opened, roles):
        check_source(opened.engine, roles, project.config)
        yield opened, roles


def check_target(project: Project, path: str | Path, *, overwrite: bool, source: str | Path | None = None) -> Target:
    """Where a release goes; raises ReleaseError if nothing can go there, before any work is done.

    ``source`` is another export that is released.
    """
    target = target_of(path, Path.cwd())
    project.protected(*([] if source is None else [source])).refuse(target.written, ReleaseError)
    refuse_existing(target, overwrite=overwrite)
    return target


def _refuse_inexact(source: Source, plan: Plan[Recoding], target: Target) -> None:
    """Parquet has no integers of 128 bits; DuckDB would write the nearest floating-point number."""
    for column in plan.columns:
        kind = source.column(column.name).type
        if target.kind == "parquet" and column.typed and kind in OF_128_BITS:
            raise ReleaseError(
                f"column {column.name!r} is {kind}, which Parquet cannot hold; release to CSV or a table, "
                f"or make it text with `types: {{{column.name}: {TEXT}}}`"
            )


def release_script(
    project: Project,
    rule: str | Mapping[str, int],
    *,
    dialect: str,
    table: str | None,
    unmapped: str,
    requirement: Mapping[str, Any],
) -> str:
    """The release of a rule as a standalone SQL script in a dialect, with single requirements replaced."""
    from anonduck.script import write_script

    _, levels = project.rule_levels(rule)
    with required_instead(project, requirement) as (one, label_k):
        source, roles = one.opened
        columns = [name for name in levels if name in roles.quasi_identifiers]
        taxonomies = _taxonomies(one, source, roles, columns, label_k, elsewhere=False)
        refuse_lost_levels(project, levels, taxonomies, label_k)
        plan = _script_plan(one, levels, taxonomies, keep_roots=False, unmapped=unmapped)
        renamed = find_outer_labels(source.engine, plan, taxonomies)
        return write_script(one.database, plan, source, taxonomies, dialect=dialect, table=table, renamed=renamed)


@contextlib.contextmanager
def required_instead(project: Project, requirement: Mapping[str, Any]) -> Iterator[tuple[Project, int]]:
    """The project with single requirements of its config replaced, and the k that its labels are made for."""
    config = _with_requirement(project.config, requirement)
    label_k = max(config.requirement.k, project.config.requirement.k)
    with labels_for(project, label_k) as one:
        assert one.opened  # by the project itself, so that the copy shares its database
        replaced = copy.copy(one)
        replaced.config = config
        yield replaced, label_k


def released_labels(project: Project, levels: Mapping[str, int], taxonomies: Mapping[str, Taxonomy]) -> Renamed:
    """The labels that a release by a rule shows in the place of those of its taxonomies, by column."""
    demand = demanded(project.config, project.folder)
    plan = _plan(project, levels, taxonomies, demand, keep_roots=False, unmapped=project.config.unmapped)
    return find_outer_labels(project.source.engine, plan, taxonomies)


def release_query(
    project: Project,
    levels: Mapping[str, int],
    *,
    label_k: int,
    fingerprints: Mapping[str, str],
    keep_roots: bool,
    unmapped: str,
) -> str:
    """The query of a release that was made, by labels for a k, without its lookup tables.

    Raises TaxonomyError if the taxonomies of the decision database, or those that are made for a larger k than the
    config's, do not have the ``fingerprints`` of the receipt.
    """
    from anonduck.script import write_query

    with labels_for(project, label_k) as one:
        taxonomies = one.taxonomies
        if one is not project:
            known = [name for name in fingerprints if name in one.roles.quasi_identifiers]
            taxonomies = taxonomies | _taxonomies(one, *one.opened, known, label_k, elsewhere=False)
        key = fingerprint_key(one.database)
        for name, fingerprint in fingerprints.items():
            if name not in taxonomies or text_fingerprint(key, digest(one.database, name)) != fingerprint:
                raise TaxonomyError(f"the decision database does not hold the taxonomy of {name!r} that it was made by")
        plan = _script_plan(one, levels, taxonomies, keep_roots=keep_roots, unmapped=unmapped)
        return write_query(one.database, plan, one.source, taxonomies)


def _script_plan(
    project: Project, levels: Mapping[str, int], taxonomies: Mapping[str, Taxonomy], *, keep_roots: bool, unmapped: str
) -> Plan[RuleRecoding]:
    """The plan of a release that one SELECT can make; raises ConfigError for one that takes several rounds."""
    demand = demanded(project.config, project.folder)
    if demand.suppression and not demand.only_k:
        raise ConfigError(
            f"a script cannot leave out the classes that fail {demand.text}: that takes one round after the other. "
            "Write the release with `project.release(RULE, FILE)`, or require k alone with `suppression`"
        )
    return _plan(project, levels, taxonomies, demand, keep_roots=keep_roots, unmapped=unmapped)


def _plan(
    project: Project,
    levels: Mapping[str, int],
    taxonomies: Mapping[str, Taxonomy],
    demand: Demand,
    *,
    keep_roots: bool,
    unmapped: str,
) -> Plan[RuleRecoding]:
    source, roles = project.opened
    return plan_release(
        _checked(levels, roles, taxonomies),
        rule_id=None,
        source=source,
        roles=roles,
        taxonomies=taxonomies,
        config=project.config,
        demand=demand,
        root_labels=_root_labels(project, taxonomies),
        keep_roots=keep_roots,
        unmapped=unmapped,
    )


def find_outer_labels(engine: SourceEngine, plan: Plan[RuleRecoding], taxonomies: Mapping[str, Taxonomy]) -> Renamed:
    """What a release by a plan calls its outermost intervals, by column and label, where that is not their own label.

    For what tells of a release without making it. The source is scanned once, if labels of the plan depend on it.
    """
    rule, database = plan.recoding, engine.database
    if not openings(database, rule.columns):
        return {}
    rule.scan(engine)
    database.run(builder_release.lookup_schema())
    for column in rule.looked_up:
        make_lookup(database, taxonomies[column.name], frequency=RELEASE_SET, target=(LOOKUP_SCHEMA, column.name))
    rule.group(database)
    try:
        judged = judge_release(database, plan)
        if judged and judged.suppressed:
            database.run(builder_privacy.kept_rows(GROUPED, plan.attributes, GROUPED, temporary=False))
        return outer_labels(database, rule.columns)
    finally:
        if not plan.demand.plain:
            relations.forget(database)


def _with_requirement(config: Config, requirement: Mapping[str, Any]) -> Config:
    """The config with single requirements replaced; raises ConfigError for what is not known or cannot be."""
    if not requirement:
        return config
    known = [name for name in Requirement.model_fields if name != "preset"]
    for name, value in requirement.items():
        if name not in known and name not in AUDIT_ONLY:
            raise ConfigError(f"the requirement {name!r} is not known; known are {', '.join(known)}")
        if name == "k" and not (isinstance(value, int) and 1 <= value <= MAX_COUNT):
            raise ConfigError(
                f"the requirement {name}={value} asks for nothing or too much; it is from 1 to {MAX_COUNT}, a whole "
                "number such as k=5"
            )
    named = {name: _by_name(name, value) for name, value in requirement.items()}
    settings = config.model_dump(by_alias=True)
    return make_config(
        {**settings, "requirement": {**settings["requirement"], **named}}, whose="the replaced requirement"
    )


def _by_name(name: str, value: Any) -> Any:
    """A requirement of several numbers as the config writes it."""
    if not isinstance(value, (list, tuple)):
        return value
    try:
        (asked,) = ask({name: value})
    except AuditError as error:
        raise ConfigError(str(error)) from None
    return asked.required


def _taxonomies(
    project: Project, source: Source, roles: Roles, columns: list[str], label_k: int, *, elsewhere: bool
) -> dict[str, Taxonomy]:
    """Taxonomies of the columns: as stored for another export, else built first where they are missing."""
    if not elsewhere:
        return preparation.taxonomies_for(
            project.database,
            project.config,
            project.folder,
            source,
            roles,
            columns,
            label_k=label_k,
            reporter=project.reporter,
        )
    stored = project.taxonomies
    missing = [name for name in columns if name not in stored]
    if missing:
        raise TaxonomyError(
            f"another export is released with the same taxonomies, and {', '.join(map(repr, missing))} has none yet; "
            "build them from the project's source first with `project.build_taxonomies()`"
        )
    follow_edits(project.database, columns)
    return {name: project.taxonomies[name] for name in columns}


def _checked(levels: Mapping[str, int], roles: Roles, taxonomies: Mapping[str, Taxonomy]) -> dict[str, int]:
    roots = {name: taxonomies[name].root if name in taxonomies else 0 for name in roles.quasi_identifiers}
    return check_levels(levels, roots)


def _root_labels(project: Project, taxonomies: Mapping[str, Taxonomy]) -> dict[str, str]:
    labels = {}
    for name, taxonomy in taxonomies.items():
        query = statement(
            "taxonomy/root_label.sql", table={"taxonomy": ("taxonomy", name)}, column={"root": f"level_{taxonomy.root}"}
        )
        labels[name] = project.database.value(query) or "*"
    return labels
