"""Reads what a method works on: scanned records as codes, taxonomies as places, the judge of what is required."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import read_paths
from anonduck.measures.attributes import read_counted_column
from anonduck.measures.group_judge import CombinationCells, GroupJudge, WholeJudge
from anonduck.measures.judge_tables import VALUE_CODES, read_sensitive_values
from anonduck.measures.numpy_requirements import SensitiveValues
from anonduck.methods.coded_records import ClassCells, CodedRecords
from anonduck.privacy import relations
from anonduck.release.recoding import Ground
from anonduck.release.stored_recoding import ColumnLabels
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_frequency import code_column, value_column
from anonduck.statements.pipeline.builder_methods import COMBINED
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.interval_cells import IntervalCells, interval_cells


def read_cells(database: Database, ground: Ground) -> dict[str, IntervalCells]:
    """The finest intervals of the quasi-identifiers whose taxonomies have some, by column."""
    found = {name: interval_cells(database, ground.taxonomies[name]) for name in ground.roles.quasi_identifiers}
    return {name: cells for name, cells in found.items() if cells is not None}


def read_records(
    database: Database, ground: Ground, *, with_class: bool = False, cells: Mapping[str, IntervalCells] | None = None
) -> CodedRecords:
    """The combinations of ``combined_set``, whose lookups are those of the release; on request with their classes.

    ``cells`` are those of the columns that show intervals, and not nodes.
    """
    free, names = cells or {}, ground.roles.quasi_identifiers
    leaves = [code_column(name, 0) for name in names]
    rows = database.arrays(statement("release/method_combinations.sql", columns={"leaves": leaves}))
    total = int(rows["records"].sum())
    counted = [read_counted_column(database, ground.taxonomies[name], total, schema=LOOKUP_SCHEMA) for name in names]
    return CodedRecords(
        columns=tuple(one.placed(free.get(one.name)) for one in counted),
        codes=tuple(rows[leaf].astype(np.int64) for leaf in leaves),
        records=rows["records"].astype(np.int64),
        cells=_value_cells(database, ground.roles.class_) if with_class else None,
    )


def read_labels(database: Database, ground: Ground) -> list[ColumnLabels]:
    """The labels of each quasi-identifier's values, from the lookups of the release."""
    return [_labels(database, ground.taxonomies[name]) for name in ground.roles.quasi_identifiers]


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


def read_group_judge(database: Database, ground: Ground) -> GroupJudge | None:
    """The judge of what is required of each class beside its size; None where that is all."""
    cells = _judged_cells(database, ground)
    return None if cells is None else GroupJudge(ground.requirement, cells)


def read_whole_judge(database: Database, ground: Ground) -> WholeJudge | None:
    """The same for all classes at once: the judge of all that is required."""
    cells = _judged_cells(database, ground)
    return None if cells is None else WholeJudge(ground.requirement, cells)


def _judged_cells(database: Database, ground: Ground) -> dict[str, CombinationCells] | None:
    requirement = ground.requirement
    if requirement.only_k and not requirement.with_class:
        return None
    return dict(_cells(database, ground))


def _cells(database: Database, ground: Ground) -> Iterator[tuple[str, CombinationCells]]:
    class_value = value_column(ground.roles.class_)
    if not ground.requirement.sensitive:
        rows = database.arrays(statement("release/method_class_cells.sql", column={"class_value": class_value}))
        yield "", _as_cells(rows, np.zeros(len(rows["records"]), dtype=np.int64))
    for name in ground.requirement.sensitive:
        stored = value_column(name)
        try:
            values = read_sensitive_values(database, ground.requirement, name, stored=stored, table=COMBINED)
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
