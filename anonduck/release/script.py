"""Releases as text: of a rule a script with its lookup tables, the query alone, and the labels that it shows.

Of a method, what is shown of what: classes need one list, of combinations, and cuts one for each column, of its values.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anonduck.config.policy import policy_of
from anonduck.config.requirement_change import with_requirement
from anonduck.database.connection import Database
from anonduck.database.fingerprints import fingerprint_key, text_fingerprint
from anonduck.errors import ConfigError, TaxonomyError
from anonduck.frequency.frequency_set import make_lookup
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.requirement import requirement_of
from anonduck.methods.column_labels import Node
from anonduck.methods.cut_tree import CutTree
from anonduck.methods.recodings import Partition, Recoding
from anonduck.methods.registry import method_named
from anonduck.privacy import audited_tables, relations
from anonduck.release import recoded_columns
from anonduck.release.by_recoding import Origin, release_recoding
from anonduck.release.class_recoder import ClassRecoder
from anonduck.release.cut_recoder import CutRecoder
from anonduck.release.job import checked_levels, root_labels
from anonduck.release.node_recoder import NodeRecoder
from anonduck.release.plan import AS_CONFIGURED, ReleasePlan, ReleaseSettings, plan_of, refuse_dropped
from anonduck.release.policy_floors import judge_choice
from anonduck.release.recoder import GROUPED, RELEASE_SET, Recoder, ReleaseInputs
from anonduck.release.release import judge_release
from anonduck.release.row_recoder import LabelChanges
from anonduck.release.rule_recoder import RuleRecoder, at_level, rule_recoder
from anonduck.release.script_text import (
    ReleaseText,
    TextOptions,
    level_listed,
    listed_values,
    passing_of,
    rule_text,
    select_alone,
    write_query,
    write_text,
)
from anonduck.release.scripts.engine_texts import ALL_PASS
from anonduck.release.scripts.select_parts import (
    CoveringNodes,
    Holder,
    Listed,
    ListedCombinations,
    ListedValues,
    in_the_text,
)
from anonduck.release.stricter_labels import labels_for, refuse_lost_levels, required_instead
from anonduck.release.tree_text import listed_tree
from anonduck.search.stored_rules import rule_levels
from anonduck.source.engine import SourceEngine
from anonduck.statements import builder_database, line
from anonduck.statements.column_types import TEXT
from anonduck.statements.dialects import Dialect
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, NodeColumn, RuleColumn
from anonduck.taxonomy.catalog import Taxonomy, digest, entries
from anonduck.taxonomy.interval_cells import opening_of
from anonduck.words import __version__
from anonduck.workspace import Workspace

Rule = str | Mapping[str, int]


@dataclass(frozen=True)
class FoundRecoding:
    """What a method found, that a text is written of: None where it is to find that now. ``called`` names it."""

    recoding: Recoding | None
    origin: Origin
    called: str


def release_script(
    workspace: Workspace,
    of: Rule | FoundRecoding,
    options: TextOptions | None = None,
    settings: ReleaseSettings = AS_CONFIGURED,
) -> dict[str, str]:
    """The release of a rule, or by what a method found, as a text of SQL, by the name of its file; comments say what it
    is.

    Raises ConfigError for a method that finds a rule or does not generalize values alone, and where records would have
    to be left out.
    """
    options = options or TextOptions()
    with _as_text(workspace, of, options, settings) as (one, text):
        return write_text(one, text, options)


def release_select(
    workspace: Workspace,
    of: Rule | FoundRecoding,
    relation: str,
    options: TextOptions,
    settings: ReleaseSettings,
    *,
    gated: bool = True,
    held: Holder = in_the_text,
) -> tuple[str, ReleaseText]:
    """The same as one SELECT, without comments or semicolon, and what it was written of.

    ``relation`` stands in its FROM as it is, such as ``{{ ref('persons') }}``. Unless it is ``gated``, whoever runs it
    checks its classes. Raises DialectError for what the dialect cannot say.
    """
    options = replace(options, form="select", table=relation, as_it_stands=True)
    with _as_text(workspace, of, options, settings) as (one, text):
        passing = text.passing if gated or text.passing.left_out is not None else ALL_PASS
        return select_alone(one, replace(text, passing=passing), options, held), text


@contextlib.contextmanager
def _as_text(
    workspace: Workspace, of: Rule | FoundRecoding, options: TextOptions, settings: ReleaseSettings
) -> Iterator[tuple[Workspace, ReleaseText]]:
    """The workspace in which a requirement is replaced, and the release in it."""
    if isinstance(of, FoundRecoding):
        yield workspace, _class_text(workspace, of, options.engine, settings)
        return
    _, levels = rule_levels(workspace, of)
    wanted = with_requirement(workspace.written, settings.requirement or {})
    judge_choice(workspace, wanted, policy_of(workspace.written, workspace.folder), levels, settings)
    with required_instead(workspace, settings.requirement or {}) as (one, label_k):
        source, roles = one.opened
        taxonomies = taxonomies_of(one, [name for name in levels if name in roles.quasi_identifiers], label_k)
        refuse_lost_levels(workspace, levels, taxonomies, label_k)
        unmapped = settings.unmapped or one.config.unmapped
        plan = _plan(one, levels, taxonomies, unmapped=unmapped)
        _refuse_rounds(plan)
        renamed = find_outer_labels(source.engine, plan, taxonomies)
        text = rule_text(one.database, plan, source, taxonomies, renamed, options.engine)
        for line in text.stops:
            workspace.reporter.announce(line)
        yield one, text


def released_labels(
    workspace: Workspace, levels: Mapping[str, int], taxonomies: Mapping[str, Taxonomy]
) -> LabelChanges:
    """The labels that a release by a rule shows in the place of those of its taxonomies, by column."""
    plan = _plan(workspace, levels, taxonomies, unmapped=workspace.config.unmapped)
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
        plan = _plan(asked, levels, taxonomies, keep_roots=keep_roots, unmapped=unmapped)
        _refuse_rounds(plan)
        return write_query(asked.database, plan, asked.source, taxonomies)


def _plan(
    workspace: Workspace,
    levels: Mapping[str, int],
    taxonomies: Mapping[str, Taxonomy],
    *,
    keep_roots: bool = False,
    unmapped: str,
) -> ReleasePlan[RuleRecoder]:
    source, roles = workspace.opened
    requirement = requirement_of(workspace.config, workspace.folder)
    levels = checked_levels(levels, roles, taxonomies)
    labels = root_labels(workspace, taxonomies)
    inputs = ReleaseInputs(source, roles, taxonomies, requirement, labels, keep_roots, unmapped)
    return plan_of(rule_recoder(inputs, rule_id=None, levels=levels), workspace.config, requirement)


def _refuse_rounds(plan: ReleasePlan[RuleRecoder]) -> None:
    """Raise ConfigError for a release that takes several rounds, as one SELECT cannot make it."""
    requirement = plan.requirement
    if requirement.suppression and not requirement.only_k:
        raise ConfigError(
            f"a script cannot leave out the classes that fail {requirement.text}: that takes one round after the "
            "other. Write the release with `anonduck release RULE -o FILE`, or require k alone with `suppression`"
        )
    refuse_dropped(plan)


def find_outer_labels(
    engine: SourceEngine, plan: ReleasePlan[RuleRecoder], taxonomies: Mapping[str, Taxonomy]
) -> LabelChanges:
    """What a release by a plan calls its outermost intervals, by column and label, where that is not their own label.

    For what describes a release without making it. The source is scanned once, if labels of the plan depend on it.
    """
    rule, database = plan.recoding, engine.database
    stored = entries(database)
    if not any(opening_of(database, stored[name]) for name in rule.opening):
        return {}
    rule.scan(engine)
    database.run(builder_database.schema(LOOKUP_SCHEMA))
    for column in rule.looked_up:
        make_lookup(database, taxonomies[column.name], frequency=RELEASE_SET, target=(LOOKUP_SCHEMA, column.name))
    rule.show(database)
    rule.group(database)
    try:
        judged = judge_release(database, plan)
        if judged and judged.suppressed:
            database.run(audited_tables.kept_rows(GROUPED, plan.attributes, GROUPED))
            rule = rule.left_out(database)
        return rule.opened(database, rule.opening)
    finally:
        rule.forget(database)
        if not plan.requirement.plain:
            relations.forget(database)


# -- the release of a method -------------------------------------------------------------------------------------------


UNKNOWN = "Records with a value that no record had which it was made of stop it."
UNCOVERED = "Records whose quasi-identifiers are together in no record that it was made of stop it."
TREE = "Each record has a class, whether it was made of such records or not; classes that become too small are merged."
COVERED = (
    "Other combinations of quasi-identifiers than it was made of show the lowest class that covers them, or nothing."
)


def _class_text(workspace: Workspace, found: FoundRecoding, engine: Dialect, settings: ReleaseSettings) -> ReleaseText:
    name = found.origin.method or ""
    kind = method_named(name).recoding
    if kind not in {"levels", "classes", "cuts"}:
        raise ConfigError(
            f"a release by {name} has no script: what a record shows depends on other records. Write it with "
            "`anonduck anonymize METHOD -o FILE`"
        )
    if kind == "levels":
        raise ConfigError(
            f"{name} finds a rule, and has no script of its own. Anonymize by it, and name the rule of the receipt"
        )
    texts: list[ReleaseText] = []

    def read(database: Database, plan: ReleasePlan[Recoder], suppressed: int) -> None:
        if suppressed:
            raise ConfigError(
                f"a script cannot leave out the {suppressed:,} records of classes that fail "
                f"{plan.requirement.text}. Write "
                "the release with `anonduck anonymize METHOD -o FILE`, or set `suppression: 0`"
            )
        assert isinstance(plan.recoding, (ClassRecoder, CutRecoder))
        passing = passing_of(plan.requirement, plan.requirement.sensitive)
        text = _text(database, found.called, plan.recoding, engine, prunes=workspace.config.prunes)
        values = listed_values(workspace.source.engine, text.listed, plan.requirement.k, engine)
        texts.append(replace(text, passing=passing, values=values))

    release_recoding(workspace, found.recoding, found.origin, None, replace(settings, dry_run=True, reader=read))
    return texts[0]


def _text(
    database: Database, called: str, recoding: ClassRecoder | CutRecoder, engine: Dialect, *, prunes: bool
) -> ReleaseText:
    stops: list[str] = []
    tree = recoding.as_data(database)
    if isinstance(tree, CutTree) and isinstance(recoding, ClassRecoder) and not recoding.assignment.free_intervals:
        columns, unknown = list(recoding.columns), TREE
        nodes = [column for column in columns if isinstance(column, NodeColumn)]
        k = recoding.inputs.requirement.k if prunes else None
        listed: list[Listed] = [listed_tree(database, recoding.inputs, tree, nodes, k)]
    elif isinstance(recoding, ClassRecoder):
        columns, combinations, stops = _combinations(database, recoding, engine)
        listed = [combinations]
        unknown = UNCOVERED if combinations.covering is None else COVERED
    else:
        columns, listed, unknown = list(recoding.columns), [*_values(database, recoding)], UNKNOWN
    lines = [f"anonduck {__version__}: the release of {called}", unknown, "It gives one row for each record."]
    return ReleaseText(called, columns, listed, lines, stops=stops, unseen=unknown)


def _combinations(
    database: Database, recoding: ClassRecoder, engine: Dialect
) -> tuple[list[NodeColumn | RuleColumn], ListedCombinations, list[str]]:
    """The columns, what each combination of quasi-identifiers shows, and which columns an engine cannot compute.

    Combinations that the classes were found by, though the source has none of them now, keep their class; others show
    the nodes of the lowest one that covers them, as where the classes are applied to another export.
    """
    inputs, names = recoding.inputs, tuple(recoding.inputs.roles.quasi_identifiers)
    partition = recoding.assignment.as_data(database, inputs)
    found = partition if isinstance(partition, Partition) else None
    shown = [_typed(column, found) for column in recoding.columns if isinstance(column, NodeColumn)]
    typed = {column.name: column for column in shown}
    columns = [typed.get(column.name, column) for column in recoding.columns]
    database.run(recoded_columns.assigned_combinations(names, recoding.assignment.scanned_column))
    rows = database.rows(recoded_columns.combinations(names, shown))
    kinds = tuple(inputs.source.column(one).type for one in names)
    listed = ListedCombinations(names, kinds, tuple((one.name, one.values) for one in shown), rows)
    if found is None:
        return columns, listed, []
    of_class: dict[int, tuple[str | None, ...]] = {}
    for row in rows:
        number = found.combinations.get(tuple(row[: len(names)]))
        if number is not None:
            of_class.setdefault(number, tuple(row[len(names) :]))
    for number, nodes in enumerate(found.nodes):
        labels = [_label(inputs, name, node) for name, node in zip(names, nodes, strict=True)]
        of_class.setdefault(number, tuple(labels[names.index(one.name)] for one in shown))
    there = {tuple(row[: len(names)]) for row in rows}
    others = [(*values, *of_class[number]) for values, number in found.combinations.items() if values not in there]
    covering, stops = _covering(database, inputs, found, of_class, shown, engine)
    rows = [*rows, *sorted(others, key=lambda row: [(one is not None, one) for one in row])]
    return columns, replace(listed, rows=rows, covering=covering), stops


def _typed(column: NodeColumn, found: Partition | None) -> NodeColumn:
    """A column that holds values where each class shows one, also those that the source has no record of now."""
    if found is None or not column.values:
        return column
    place = found.names.index(column.name)
    return replace(column, values=all(nodes[place][0] == 0 for nodes in found.nodes))


def _label(inputs: ReleaseInputs, name: str, node: Node) -> str | None:
    """What a node shows of a column that no record has which is in the source."""
    level, label = node
    return inputs.root_label(name) if level == inputs.taxonomies[name].root else label


def _covering(
    database: Database,
    inputs: ReleaseInputs,
    found: Partition,
    of_class: Mapping[int, tuple[str | None, ...]],
    shown: Sequence[NodeColumn],
    engine: Dialect,
) -> tuple[CoveringNodes, list[str]]:
    """The nodes of classes, the lowest first, of equal ones by what they show, which says nothing of their records."""
    roots = tuple(inputs.taxonomies[name].root for name in found.names)
    by_nodes = {nodes: of_class[number] for number, nodes in reversed(list(enumerate(found.nodes)))}
    order = {nodes: tuple(level for level, _ in nodes) for nodes in by_nodes}

    def lowest(one: tuple[tuple[Node, ...], tuple[str | None, ...]]) -> tuple[Any, ...]:
        nodes, shows = one
        return sum(order[nodes]), order[nodes], [label or "" for label in shows], str(nodes)

    rows = sorted(by_nodes.items(), key=lowest)
    labels, stops = [], []
    for place, name in enumerate(found.names):
        levels = sorted({nodes[place][0] for nodes in by_nodes} - {0, roots[place]})
        of_column: dict[int, Listed] = {}
        for level in levels:
            column = at_level(inputs, inputs.source.column(name), level)
            labelled, stopped = level_listed(database, column, inputs.taxonomies[name], inputs.source, engine)
            assert labelled is not None  # over level 0 a value shows a label
            of_column[level] = labelled
            stops += stopped
        labels.append(of_column)
    kinds = {one.name: inputs.source.column(one.name).type for one in shown}
    otherwise = [None if one.values and kinds[one.name] != TEXT else inputs.root_label(one.name) for one in shown]
    return CoveringNodes(roots, rows, labels, tuple(otherwise)), list(dict.fromkeys(stops))


def _values(database: Database, recoding: NodeRecoder) -> Iterator[ListedValues]:
    """What each value of a column shows, for each column that is released."""
    for column in recoding.columns:
        if isinstance(column, NodeColumn):
            shown, part = recoded_columns.shown_table(column.name), "leaf" if column.values else "label"
            text = 'SELECT key::VARCHAR, "{part}"::VARCHAR FROM "{shown}" ORDER BY key'
            rows = tuple(database.rows(line("release/script._values", text, part=part, shown=shown)))
            kind = recoding.inputs.source.column(column.name).type
            shows = kind if column.values else TEXT
            yield ListedValues(column.name, kind, rows, shows, words="a value that the release was not made of")
