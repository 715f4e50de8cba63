"""Reads what the lattice search needs from the decision database: taxonomies as codes, costs, the frequency set."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import FOLDS
from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet
from anonduck.measures.judge_tables import read_leaves
from anonduck.measures.measures import CODED
from anonduck.measures.numpy_measures import CodedAttribute
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_frequency import code_column


def read_table(database: Database, attributes: Mapping[str, CodedAttribute], *, with_class: bool) -> FrequencyTable:
    """The frequency set in memory, by class values too where they are asked for."""
    leaves = [code_column(name, 0) for name in attributes]
    roots = tuple(one.root for one in attributes.values())
    return read_leaves(database, leaves, roots, [one.paths for one in attributes.values()], with_class=with_class)


def read_fold_table(database: Database, attributes: Mapping[str, CodedAttribute]) -> tuple[FrequencyTable, int]:
    """The frequency set in memory, a class code for each fold and class value, and how many class codes a fold has.

    The code is fold * class codes + class code; records that are in no fold have the fold number ``FOLDS``.
    """
    leaves = [code_column(name, 0) for name in attributes]
    rows = database.arrays(statement("search/lattice_fold_leaves.sql", columns={"leaves": leaves}))
    counts = np.empty((len(rows["records"]), FOLDS + 1), dtype=np.int64)
    for number in range(FOLDS):
        counts[:, number] = rows.pop(f"fold_{number}")  # what is read is given up: the frequency set may be large
    counts[:, FOLDS] = rows.pop("records") - counts[:, :FOLDS].sum(axis=1)
    row, fold = np.nonzero(counts)
    classes = rows["class_code"].astype(np.int64)
    width = int(classes.max()) + 1
    columns = tuple(rows.pop(leaf).astype(np.int32)[row] for leaf in leaves)
    base = RolledFrequencySet((0,) * len(leaves), columns, fold * width + classes[row], counts[row, fold])
    roots = tuple(one.root for one in attributes.values())
    return FrequencyTable(roots, [one.paths for one in attributes.values()], base), width


def frequency_rows(database: Database) -> int:
    """How many rows the frequency set has."""
    return int(database.value(statement("measures/coded_rows.sql", table={"coded": CODED})))
