"""The records of a source as counted rows with one fold for each record, and the training part of each fold."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from anonduck.config.config import Config
from anonduck.config.reading import with_changes
from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import FOLDS, few_enough, make_lookup, most_cells
from anonduck.frequency.taxonomies import build, taxonomies_of
from anonduck.measures.released_cells import distinct
from anonduck.measures.requirement import requirement_of
from anonduck.models.contingency import Contingency
from anonduck.models.folds import draw_folds
from anonduck.release.stricter_labels import in_memory
from anonduck.statements import statement
from anonduck.statements.column_types import OF_128_BITS
from anonduck.statements.pipeline import builder_comparison, builder_table
from anonduck.statements.pipeline.builder_frequency import CLASS, code_column, coded_frequency_set, value_column
from anonduck.taxonomy.catalog import digest, entries

if TYPE_CHECKING:
    from anonduck.workspace import Workspace

DEALING = 3_000_017  # added to the seed: records of a cell that differ in sensitive values are dealt to its folds
CLASS_VALUE = "v_class"
TRAINED, TESTED = 0, 1  # the folds of a table of a training part and of the fold that was held out


@dataclass(frozen=True, eq=False)
class SourceRecords:
    """The records of a source: ``codes`` (rows, columns) are leaf codes, 0 for NULL, ``classes`` (rows,) class codes,
    ``folds`` (rows, folds) the records of each fold, the same folds that a discovery draws.

    ``numbers`` has by column the number behind each leaf code, None where values have no order; ``called`` tells by
    column of the source how its values are called in ``compared_rows`` of the database.
    """

    database: Database
    names: tuple[str, ...]
    codes: np.ndarray
    classes: np.ndarray
    folds: np.ndarray
    numbers: tuple[np.ndarray | None, ...]
    called: dict[str, str]

    @property
    def records(self) -> np.ndarray:
        """The records of each row."""
        found: np.ndarray = self.folds.sum(axis=1)
        return found

    def ungeneralized(self, seed: int) -> Contingency:
        """The contingency table of the records as they came."""
        rows, folds = self.cells()
        few = few_enough(folds, folds.sum(axis=1), most_cells(len(self.names)), seed, lambda _: None)
        held = few.any(axis=1)
        return self.table(self.codes[rows][held], self.classes[rows][held], few[held])

    def cells(self) -> tuple[np.ndarray, np.ndarray]:
        """A row of each distinct combination of leaves and class, and the records of all its rows by fold."""
        rows, group = distinct([*self.codes.T, self.classes])
        folds = np.zeros((len(rows), self.folds.shape[1]), dtype=np.int64)
        np.add.at(folds, group, self.folds)
        return rows, folds

    def table(self, codes: np.ndarray, classes: np.ndarray, folds: np.ndarray) -> Contingency:
        """A contingency table of original values: ``codes`` (cells, columns), ``classes`` (cells,), ``folds``."""
        return self.table_of(range(len(self.names)), codes, classes, folds)

    def table_of(self, places: Sequence[int], codes: np.ndarray, classes: np.ndarray, folds: np.ndarray) -> Contingency:
        """The same of the columns at some places alone."""
        values = codes.astype(np.float64)
        for at, place in enumerate(places):
            numbers = self.numbers[place]
            if numbers is not None:
                values[:, at] = numbers[codes[:, at]]
        return Contingency(
            codes=codes.astype(np.int32),
            nominal=tuple(self.numbers[place] is None for place in places),
            sizes=tuple(int(self.codes[:, place].max()) for place in places),
            classes=classes,
            folds=folds,
            values=values,
        )


@contextlib.contextmanager
def source_records(workspace: Workspace) -> Iterator[SourceRecords]:
    """The records of a source, for as long as the block lasts, in a database of their own."""
    with in_memory(workspace) as one:
        yield _read(one)


def _read(one: Workspace) -> SourceRecords:
    database, roles = one.database, one.roles
    sensitive = requirement_of(one.config, one.folder).sensitive
    names = tuple(roles.quasi_identifiers)
    one.source.engine.frequency_set([*names, roles.class_, *sensitive])
    taxonomies = taxonomies_of(one, list(names), one.config.requirement.k)
    one.source.engine.frequency_set([*names, roles.class_, *sensitive])
    for name in names:
        make_lookup(database, taxonomies[name])
    database.run(
        statement(
            "frequency/class_values.sql",
            column={"class_value": value_column(roles.class_)},
            table={"frequency_set": "frequency_set"},
        )
    )
    called = {name: f"v{place}" for place, name in enumerate((*names, *sensitive))} | {roles.class_: CLASS_VALUE}
    database.run(coded_frequency_set("compared_coded", dict.fromkeys(names, 1), roles.class_, kept=called))
    leaves = [code_column(name, 0) for name in names]
    ordered = [*leaves, CLASS, *(called[name] for name in sensitive)]
    database.run(statement("comparison/numbered_rows.sql", columns={"ordered": ordered}))
    rows = database.arrays(statement("comparison/rows_read.sql", columns={"leaves": leaves}))
    codes = np.column_stack([rows[leaf].astype(np.int64) for leaf in leaves])
    classes, records = rows["class_code"].astype(np.int64), rows["records"].astype(np.int64)
    folds = fold_records(codes, classes, records, one.config.seed)
    numbers = tuple(_numbers(database, name) if taxonomies[name].ordered else None for name in names)
    return SourceRecords(database, names, codes, classes, folds, numbers, called)


def _numbers(database: Database, name: str) -> np.ndarray:
    rows = database.arrays(statement("measures/leaf_numbers.sql", table={"lookup": ("lookup", name)}))
    numbers: np.ndarray = np.r_[np.nan, np.asarray(rows["number"], dtype=np.float64)]
    return numbers


def fold_records(codes: np.ndarray, classes: np.ndarray, records: np.ndarray, seed: int) -> np.ndarray:
    """The records of each row in each fold (rows, folds): those of a cell as a discovery draws them.

    The rows of a cell, which differ in sensitive values alone, are dealt its folds at random.
    """
    first, group = distinct([*codes.T, classes])
    whole = np.bincount(group, weights=records, minlength=len(first)).astype(np.int64)
    drawn = draw_folds(whole, classes[first], folds=FOLDS, seed=seed)
    if len(first) == len(records):
        found: np.ndarray = drawn[group]
        return found
    rows = np.repeat(np.arange(len(records)), records)
    order = np.argsort(group[rows], kind="stable")
    dealt = np.repeat(np.tile(np.arange(FOLDS), len(first)), drawn.ravel())
    cells = np.repeat(np.arange(len(first)), whole)
    shuffled = np.lexsort((np.random.default_rng(seed + DEALING).random(len(dealt)), cells))
    folds = np.zeros((len(records), FOLDS), dtype=np.int64)
    np.add.at(folds, (rows[order], dealt[shuffled]), 1)
    return folds


@contextlib.contextmanager
def training_part(workspace: Workspace, records: SourceRecords, fold: int) -> Iterator[Workspace]:
    """A workspace of all records but those of a fold: a source of its own.

    Taxonomies that were imported, edited or read from a file are the project's; those that are made from the values of
    the source are made anew, from the part alone.
    """
    with in_memory(workspace) as one:
        database = one.database
        database.run(builder_table.copied((records.database.catalog, "main", "compared_rows")))
        _keep_part(database, records, fold)
        table = database.arrow(builder_comparison.part_records(records.called))
        quiet = replace(one.reporter, announce=_unheard)
        part = replace(one, written=_config_of_part(workspace, records), fixed=True, data=table, reporter=quiet)
        made = made_from_values(database)
        if made:
            build(part, made, replace=True, options=None)
        yield part


def _unheard(_: str) -> None:
    """What there is to say of the source is said once, of all its records."""


def made_from_values(database: Database) -> list[str]:
    """The columns whose taxonomy is made from the values that records have, and was not edited since."""
    return [
        name
        for name, entry in entries(database).items()
        if "label_k" in json.loads(entry.options) and digest(database, name) == entry.digest
    ]


def _keep_part(database: Database, records: SourceRecords, fold: int) -> None:
    import pandas as pd

    counts = records.records - records.folds[:, fold]
    database.register("part_counts", pd.DataFrame({"#row": np.arange(len(counts)), "records": counts}))
    told = [*records.called.values(), *(code_column(name, 0) for name in records.names), CLASS]
    try:
        database.run(statement("comparison/part_rows.sql", columns={"told": told}))
    finally:
        database.unregister("part_counts")


def _config_of_part(workspace: Workspace, records: SourceRecords) -> Config:
    """The config, of a table that holds the compared columns alone."""
    types = {name: workspace.source.column(name).type for name in records.called}
    changes = {
        "identifiers": [],
        "insensitive": [],
        "drop": [],
        "quasi_identifiers": list(records.names),
        "sensitive": [name for name in workspace.roles.sensitive if name in records.called],
        "types": {name: kind for name, kind in types.items() if kind in OF_128_BITS},
    }
    changed = with_changes(workspace.config, changes)
    return changed.model_copy(update={"source": None, "where": None, "entity": None})


def leaf_codes(database: Database, records: SourceRecords, name: str, schema: str) -> np.ndarray:
    """By leaf code in a release of the part, the leaf code among all records; 0 for NULL's."""
    query = statement(
        "comparison/part_leaves.sql",
        column={"leaf": code_column(name, 0), "raw_value": records.called[name]},
        table={"lookup": (schema, name)},
    )
    return _by_part_code(database.arrays(query), 1)


def class_codes(database: Database) -> np.ndarray:
    """By class code in a release of the part, the class code among all records."""
    return _by_part_code(
        database.arrays(statement("comparison/part_classes.sql", column={"class_value": CLASS_VALUE})), 0
    )


def _by_part_code(rows: dict[str, np.ndarray], first: int) -> np.ndarray:
    parts = rows["part_code"].astype(np.int64)
    found = np.zeros(len(parts) + first, dtype=np.int64)
    found[parts] = rows["code"].astype(np.int64)
    return found
