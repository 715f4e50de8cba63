"""The release of a rule as text: a script with its lookup tables, the query alone, and the labels that it shows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from anonduck.config.requirement_change import with_requirement
from anonduck.database.fingerprints import fingerprint_key, text_fingerprint
from anonduck.errors import ConfigError, TaxonomyError
from anonduck.frequency.frequency_set import make_lookup
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.requirement import Requirement, requirement_of
from anonduck.privacy import relations
from anonduck.release.job import checked_levels, root_labels
from anonduck.release.plan import ReleasePlan, plan_of, refuse_dropped
from anonduck.release.recoding import GROUPED, RELEASE_SET, Ground
from anonduck.release.release import judge_release
from anonduck.release.rule_recoding import LabelChanges, RuleRecoding, openings, outer_labels, rule_recoding
from anonduck.release.script_text import ReleaseText, TextOptions, rule_text, select_alone, write_query, write_text
from anonduck.release.stricter_labels import labels_for, refuse_lost_levels, required_instead
from anonduck.search.stored_rules import rule_levels
from anonduck.source.engine import SourceEngine
from anonduck.statements import builder_privacy
from anonduck.statements.pipeline import builder_release
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.pipeline.builder_script import ALL_PASS
from anonduck.taxonomy.catalog import Taxonomy, digest
from anonduck.workspace import Workspace


def release_script(
    workspace: Workspace,
    rule: str | Mapping[str, int],
    options: TextOptions | None = None,
    *,
    unmapped: str | None = None,
    requirement: Mapping[str, Any] | None = None,
) -> str:
    """The release of a rule as a text of SQL, with single requirements replaced; comments say what it is."""
    options = options or TextOptions()
    with _as_text(workspace, rule, unmapped, requirement, options) as (one, text):
        return write_text(one, text, options)


def release_select(
    workspace: Workspace,
    rule: str | Mapping[str, int],
    relation: str,
    *,
    dialect: str = "duckdb",
    identifiers: str = "quoted",
    unmapped: str | None = None,
    requirement: Mapping[str, Any] | None = None,
    gated: bool = True,
) -> tuple[str, ReleaseText]:
    """The release of a rule as one SELECT, without comments or semicolon, and what it was written of.

    ``relation`` stands in its FROM as it is, such as ``{{ ref('persons') }}``. Unless it is ``gated``, whoever runs it
    checks its classes. Raises DialectError for what the dialect cannot say.
    """
    options = TextOptions("select", dialect, relation, identifiers, as_it_stands=True)
    with _as_text(workspace, rule, unmapped, requirement, options) as (one, text):
        leaves_out = text.passing.left_out is not None
        passing = text.passing if gated or leaves_out else ALL_PASS
        return select_alone(one, replace(text, passing=passing), options), text


@contextlib.contextmanager
def _as_text(
    workspace: Workspace,
    rule: str | Mapping[str, int],
    unmapped: str | None,
    requirement: Mapping[str, Any] | None,
    options: TextOptions,
) -> Iterator[tuple[Workspace, ReleaseText]]:
    """The workspace in which a requirement is replaced, and the release of a rule in it."""
    _, levels = rule_levels(workspace, rule)
    with required_instead(workspace, requirement or {}) as (one, label_k):
        source, roles = one.opened
        taxonomies = taxonomies_of(one, [name for name in levels if name in roles.quasi_identifiers], label_k)
        refuse_lost_levels(workspace, levels, taxonomies, label_k)
        plan = _script_plan(one, levels, taxonomies, keep_roots=False, unmapped=unmapped or one.config.unmapped)
        renamed = find_outer_labels(source.engine, plan, taxonomies)
        text = rule_text(one.database, plan, source, taxonomies, renamed, options.engine)
        for line in text.stops:
            workspace.reporter.announce(line)
        yield one, text


def released_labels(
    workspace: Workspace, levels: Mapping[str, int], taxonomies: Mapping[str, Taxonomy]
) -> LabelChanges:
    """The labels that a release by a rule shows in the place of those of its taxonomies, by column."""
    requirement = requirement_of(workspace.config, workspace.folder)
    plan = _plan(workspace, levels, taxonomies, requirement, keep_roots=False, unmapped=workspace.config.unmapped)
    return find_outer_labels(workspace.source.engine, plan, taxonomies)


def release_query(
    workspace: Workspace,
    levels: Mapping[str, int],
    *,
    required: Mapping[str, Any],
    fingerprints: Mapping[str, str],
    keep_roots: bool,
    unmapped: str,
) -> str:
    """The query of a release that was made, by what was ``required`` of it, without its lookup tables.

    Raises TaxonomyError if the taxonomies of the decision database, or those that are made for a larger k than the
    config's, do not have the ``fingerprints`` of the receipt.
    """
    label_k = required.get("k", 1)
    with labels_for(workspace, label_k) as one:
        taxonomies = one.taxonomies
        if one is not workspace:
            known = [name for name in fingerprints if name in one.roles.quasi_identifiers]
            taxonomies = taxonomies | taxonomies_of(one, known, label_k)
        key = fingerprint_key(one.database)
        for name, fingerprint in fingerprints.items():
            if name not in taxonomies or text_fingerprint(key, digest(one.database, name)) != fingerprint:
                raise TaxonomyError(f"the decision database does not hold the taxonomy of {name!r} that it was made by")
        asked = one.counting_records()
        asked = asked.with_config(with_requirement(asked.config, required))
        plan = _script_plan(asked, levels, taxonomies, keep_roots=keep_roots, unmapped=unmapped)
        return write_query(plan, taxonomies)


def _script_plan(
    workspace: Workspace,
    levels: Mapping[str, int],
    taxonomies: Mapping[str, Taxonomy],
    *,
    keep_roots: bool,
    unmapped: str,
) -> ReleasePlan[RuleRecoding]:
    """The plan of a release that one SELECT can make; raises ConfigError for one that takes several rounds."""
    requirement = requirement_of(workspace.config, workspace.folder)
    if requirement.suppression and not requirement.only_k:
        raise ConfigError(
            f"a script cannot leave out the classes that fail {requirement.text}: that takes one round after the "
            "other. Write the release with `project.release(RULE, FILE)`, or require k alone with `suppression`"
        )
    plan = _plan(workspace, levels, taxonomies, requirement, keep_roots=keep_roots, unmapped=unmapped)
    refuse_dropped(plan)
    return plan


def _plan(
    workspace: Workspace,
    levels: Mapping[str, int],
    taxonomies: Mapping[str, Taxonomy],
    requirement: Requirement,
    *,
    keep_roots: bool,
    unmapped: str,
) -> ReleasePlan[RuleRecoding]:
    source, roles = workspace.opened
    levels = checked_levels(levels, roles, taxonomies)
    labels = root_labels(workspace, taxonomies)
    ground = Ground(source, roles, taxonomies, requirement, labels, keep_roots, unmapped)
    return plan_of(rule_recoding(ground, rule_id=None, levels=levels), workspace.config, requirement)


def find_outer_labels(
    engine: SourceEngine, plan: ReleasePlan[RuleRecoding], taxonomies: Mapping[str, Taxonomy]
) -> LabelChanges:
    """What a release by a plan calls its outermost intervals, by column and label, where that is not their own label.

    For what describes a release without making it. The source is scanned once, if labels of the plan depend on it.
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
        if not plan.requirement.plain:
            relations.forget(database)
