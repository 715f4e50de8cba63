"""Reads what a method works on: scanned records as codes, taxonomies as places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anonduck.config.without_class import refuse_without
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.evaluation.finding import coded_records, column_usefulness
from anonduck.frequency.frequency_set import check_source, read_paths
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.attributes import read_counted_columns
from anonduck.measures.counted_cells import CountedCells, read_counted_cells
from anonduck.measures.requirement import requirement_of
from anonduck.methods.coded_records import CodedRecords, PlacedColumn
from anonduck.methods.column_labels import ColumnLabels
from anonduck.models.usefulness import Usefulness
from anonduck.release.recoded_columns import COMBINED, combined_set
from anonduck.release.recoder import RELEASE_SET, ReleaseInputs, look_up_all
from anonduck.source.engine import SourceEngine
from anonduck.statements import builder_database, statement
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.pipeline.column_names import CLASS, code_column, value_column
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.checks.checks import refuse_broken_trees
from anonduck.taxonomy.interval_cells import IntervalCells, interval_cells
from anonduck.workspace import Workspace

METHOD_ROWS = "method_rows"


def read_cells(database: Database, inputs: ReleaseInputs) -> dict[str, IntervalCells]:
    """The finest intervals of the quasi-identifiers whose taxonomies have some, by column."""
    found = {name: interval_cells(database, inputs.taxonomies[name]) for name in inputs.roles.quasi_identifiers}
    return {name: cells for name, cells in found.items() if cells is not None}


def read_counted(database: Database, inputs: ReleaseInputs, sensitive: Sequence[str]) -> CountedCells:
    """The rows of ``combined_set`` as codes, with the values of some ``sensitive`` columns."""
    names = inputs.roles.quasi_identifiers
    called = {name: value_column(name) for name in sensitive}
    leaves = [code_column(name, 0) for name in names]
    kept = [*leaves, CLASS, *called.values()]
    try:
        database.run(statement("release/method_rows.sql", columns={"kept": kept}))
        return read_counted_cells(database, METHOD_ROWS, leaves, ["#row"], inputs.requirement, called)
    finally:
        database.drop(("temp", METHOD_ROWS))


def read_placed(
    database: Database, inputs: ReleaseInputs, cells: CountedCells, free: Mapping[str, IntervalCells] | None = None
) -> list[PlacedColumn]:
    """The quasi-identifiers as methods cut them, by the lookups of the release; ``free`` are the intervals of those
    that show intervals, and not nodes."""
    taxonomies = {name: inputs.taxonomies[name] for name in inputs.roles.quasi_identifiers}
    counted = read_counted_columns(database, taxonomies, cells.total, schema=LOOKUP_SCHEMA)
    return [one.placed((free or {}).get(one.name)) for one in counted]


def read_records(database: Database, inputs: ReleaseInputs) -> CodedRecords:
    """The combinations of ``combined_set``, whose lookups are those of the release, with their classes."""
    cells = read_counted(database, inputs, ())
    return coded_records(cells, read_placed(database, inputs, cells), with_class=True)


def read_labels(database: Database, inputs: ReleaseInputs) -> list[ColumnLabels]:
    """The labels of each quasi-identifier's values, from the lookups of the release."""
    taxonomies = {name: inputs.taxonomies[name] for name in inputs.roles.quasi_identifiers}
    found = read_paths(database, {name: one.root for name, one in taxonomies.items()}, schema=LOOKUP_SCHEMA)
    return [labels_of(database, one, found[name][0]) for name, one in taxonomies.items()]


def read_node_names(database: Database, inputs: ReleaseInputs) -> list[ColumnLabels]:
    """What names the nodes of each quasi-identifier as long as values are grouped alike: the values, and over them the
    codes of their nodes, as texts; the labels where new values have computed ones.

    What groups are called may change with the config and with k.
    """
    taxonomies = {name: inputs.taxonomies[name] for name in inputs.roles.quasi_identifiers}
    found = read_paths(database, {name: one.root for name, one in taxonomies.items()}, schema=LOOKUP_SCHEMA)
    columns = []
    for name, one in taxonomies.items():
        labels = labels_of(database, one, found[name][0])
        if one.kind != "computed":
            codes = [list(map(str, path.tolist())) for path in found[name][0][1:]]
            labels = ColumnLabels([labels.texts[0], *codes], labels.known)
        columns.append(labels)
    return columns


def labels_of(database: Database, taxonomy: Taxonomy, paths: Sequence[np.ndarray]) -> ColumnLabels:
    """The labels of a column's values, from its lookup of the release; ``paths`` are the nodes of its leaf codes."""
    names = [f"level_{level}" for level in range(1, taxonomy.root)]
    table = {"lookup": (LOOKUP_SCHEMA, taxonomy.column)}
    rows = database.arrow(statement("release/leaf_labels.sql", columns={"labels": names}, table=table))
    known = paths[1] != 0 if taxonomy.root > 1 else np.ones(len(paths[0]), dtype=bool)
    known[0] = True
    return ColumnLabels([[None, *rows.column(name).to_pylist()] for name in ("shown_value", *names)], known)


# -- how useful columns are --------------------------------------------------------------------------------------------


def source_usefulness(workspace: Workspace) -> Usefulness:
    """The usefulness of the quasi-identifiers of the source, whose taxonomies are built first where they are missing.

    Raises ConfigError without a class, and what opening a source and building taxonomies raise.
    """
    refuse_without(workspace.config, "a column is useful for telling the class")
    source, roles = workspace.opened
    check_source(source.engine, roles, workspace.config)
    taxonomies = taxonomies_of(workspace, roles.quasi_identifiers, workspace.config.requirement.k)
    inputs = ReleaseInputs(source, roles, taxonomies, requirement_of(workspace.config, workspace.folder))
    database, names = workspace.database, tuple(roles.quasi_identifiers)
    try:
        _scan(source.engine, inputs, workspace.reporter)
        return column_usefulness(read_records(database, inputs), names, workspace.config.seed, workspace.reporter)
    finally:
        database.drop(("temp", COMBINED))


def _scan(engine: SourceEngine, inputs: ReleaseInputs, reporter: Reporter) -> None:
    """Number the combinations of the quasi-identifiers, with what they are in their taxonomies."""
    names, database = inputs.roles.quasi_identifiers, engine.database
    engine.frequency_set([*names, inputs.roles.class_], RELEASE_SET)
    refuse_broken_trees(database, names, frequency=RELEASE_SET, show_values=False)
    database.run(builder_database.schema(LOOKUP_SCHEMA))
    placings = [inputs.placing(name, refuse=False) for name in names]
    look_up_all(database, placings, show_values=False, reporter=reporter)
    database.run(combined_set(names, inputs.roles.class_))
