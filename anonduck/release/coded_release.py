"""Reads what a method works on: scanned records as codes, taxonomies as places, the judge of what is required."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.evaluation.finding import column_usefulness
from anonduck.frequency.frequency_set import check_source, read_paths
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.attributes import read_counted_columns
from anonduck.measures.group_judge import CombinationCells, GroupJudge, WholeJudge
from anonduck.measures.judge_tables import VALUE_CODES, read_sensitive_values
from anonduck.measures.numpy_requirements import SensitiveValues
from anonduck.measures.requirement import requirement_of
from anonduck.methods.coded_records import ClassCells, CodedRecords
from anonduck.methods.recodings import ColumnLabels
from anonduck.models.usefulness import Usefulness
from anonduck.privacy import relations
from anonduck.release.recoder import RELEASE_SET, ReleaseInputs, look_up_all
from anonduck.source.engine import SourceEngine
from anonduck.statements import statement
from anonduck.statements.pipeline import builder_methods, builder_release
from anonduck.statements.pipeline.builder_frequency import code_column, value_column
from anonduck.statements.pipeline.builder_methods import COMBINED
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.checks.checks import refuse_broken_trees
from anonduck.taxonomy.interval_cells import IntervalCells, interval_cells
from anonduck.workspace import Workspace


def read_cells(database: Database, inputs: ReleaseInputs) -> dict[str, IntervalCells]:
    """The finest intervals of the quasi-identifiers whose taxonomies have some, by column."""
    found = {name: interval_cells(database, inputs.taxonomies[name]) for name in inputs.roles.quasi_identifiers}
    return {name: cells for name, cells in found.items() if cells is not None}


def read_records(
    database: Database,
    inputs: ReleaseInputs,
    *,
    with_class: bool = False,
    cells: Mapping[str, IntervalCells] | None = None,
) -> CodedRecords:
    """The combinations of ``combined_set``, whose lookups are those of the release; on request with their classes.

    ``cells`` are those of the columns that show intervals, and not nodes.
    """
    free, names = cells or {}, inputs.roles.quasi_identifiers
    leaves = [code_column(name, 0) for name in names]
    rows = database.arrays(statement("release/method_combinations.sql", columns={"leaves": leaves}))
    total = int(rows["records"].sum())
    taxonomies = {name: inputs.taxonomies[name] for name in names}
    counted = read_counted_columns(database, taxonomies, total, schema=LOOKUP_SCHEMA)
    return CodedRecords(
        columns=tuple(one.placed(free.get(one.name)) for one in counted),
        codes=tuple(rows[leaf].astype(np.int64) for leaf in leaves),
        records=rows["records"].astype(np.int64),
        cells=_value_cells(database, inputs.roles.class_) if with_class else None,
    )


def read_labels(database: Database, inputs: ReleaseInputs) -> list[ColumnLabels]:
    """The labels of each quasi-identifier's values, from the lookups of the release."""
    return [_labels(database, inputs.taxonomies[name]) for name in inputs.roles.quasi_identifiers]


def _labels(database: Database, taxonomy: Taxonomy) -> ColumnLabels:
    names = [f"level_{level}" for level in range(1, taxonomy.root)]
    table = {"lookup": (LOOKUP_SCHEMA, taxonomy.column)}
    rows = database.arrow(statement("release/leaf_labels.sql", columns={"labels": names}, table=table))
    paths, _ = read_paths(database, taxonomy.column, taxonomy.root, schema=LOOKUP_SCHEMA)
    known = paths[1] != 0 if taxonomy.root > 1 else np.ones(len(paths[0]), dtype=bool)
    known[0] = True
    return ColumnLabels([[None, *rows.column(name).to_pylist()] for name in ("shown_value", *names)], known)


def read_secrets(database: Database, names: Sequence[str]) -> tuple[ClassCells, ...]:
    """The records of ``combined_set`` by combination and value of each sensitive column."""
    return tuple(_value_cells(database, name) for name in names)


def _value_cells(database: Database, name: str) -> ClassCells:
    columns = {"class_value": value_column(name)}
    rows = database.arrays(statement("release/method_class_cells.sql", column=columns))
    combinations, records = rows["combination"].astype(np.int64), rows["records"].astype(np.int64)
    return ClassCells(combinations, rows["class_code"].astype(np.int64) - 1, records)


def read_group_judge(database: Database, inputs: ReleaseInputs) -> GroupJudge | None:
    """The judge of what is required of each class beside its size; None where that is all."""
    cells = _judged_cells(database, inputs)
    return None if cells is None else GroupJudge(inputs.requirement, cells)


def read_whole_judge(database: Database, inputs: ReleaseInputs) -> WholeJudge | None:
    """The same for all classes at once: the judge of all that is required."""
    cells = _judged_cells(database, inputs)
    return None if cells is None else WholeJudge(inputs.requirement, cells)


def _judged_cells(database: Database, inputs: ReleaseInputs) -> dict[str, CombinationCells] | None:
    requirement = inputs.requirement
    if requirement.only_k and not requirement.with_class:
        return None
    return dict(_cells(database, inputs))


def _cells(database: Database, inputs: ReleaseInputs) -> Iterator[tuple[str, CombinationCells]]:
    class_value = value_column(inputs.roles.class_)
    if not inputs.requirement.sensitive:
        rows = database.arrays(statement("release/method_class_cells.sql", column={"class_value": class_value}))
        yield "", _as_cells(rows, np.zeros(len(rows["records"]), dtype=np.int64))
    for name in inputs.requirement.sensitive:
        stored = value_column(name)
        try:
            values = read_sensitive_values(database, inputs.requirement, name, stored=stored, table=COMBINED)
            columns = {"class_value": class_value, "sensitive": stored}
            rows = database.arrays(statement("release/method_cells.sql", column=columns))
        finally:
            relations.forget(database, [VALUE_CODES])
        yield name, _as_cells(rows, rows["value_code"].astype(np.int64), values)


def _as_cells(
    rows: dict[str, np.ndarray], value_codes: np.ndarray, values: SensitiveValues | None = None
) -> CombinationCells:
    combinations, classes = rows["combination"].astype(np.int64), rows["class_code"].astype(np.int64)
    return CombinationCells(combinations, classes, value_codes, rows["records"].astype(np.int64), values)


# -- how useful columns are --------------------------------------------------------------------------------------------


def source_usefulness(workspace: Workspace) -> Usefulness:
    """The usefulness of the quasi-identifiers of the source, whose taxonomies are built first where they are missing.

    Raises what opening a source and building taxonomies raise.
    """
    source, roles = workspace.opened
    check_source(source.engine, roles, workspace.config)
    taxonomies = taxonomies_of(workspace, roles.quasi_identifiers, workspace.config.requirement.k)
    inputs = ReleaseInputs(source, roles, taxonomies, requirement_of(workspace.config, workspace.folder))
    database, names = workspace.database, tuple(roles.quasi_identifiers)
    try:
        _scan(source.engine, inputs, workspace.reporter)
        return column_usefulness(
            read_records(database, inputs, with_class=True), names, workspace.config.seed, workspace.reporter
        )
    finally:
        database.drop(("temp", builder_methods.COMBINED))


def _scan(engine: SourceEngine, inputs: ReleaseInputs, reporter: Reporter) -> None:
    """Number the combinations of the quasi-identifiers, with what they are in their taxonomies."""
    names, database = inputs.roles.quasi_identifiers, engine.database
    engine.frequency_set([*names, inputs.roles.class_], RELEASE_SET)
    refuse_broken_trees(database, names, frequency=RELEASE_SET, show_values=False)
    database.run(builder_release.lookup_schema())
    placings = [inputs.placing(name, refuse=False) for name in names]
    look_up_all(database, placings, show_values=False, reporter=reporter)
    database.run(builder_methods.combined_set(names))
