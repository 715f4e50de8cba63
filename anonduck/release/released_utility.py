"""What a release by a method leaves of its data, by utility measures of its records as they are released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.measures.attributes import CountedColumn, read_counted_columns
from anonduck.measures.released_cells import CellColumn, ReleasedCells, ReleaseMeasurer
from anonduck.release.class_recoder import with_intervals
from anonduck.release.recoded_columns import level_column, when
from anonduck.release.recoder import RELEASE_SET, MeasureInputs, NodelessRecoder, Recoder
from anonduck.statements import Statement, line, statement
from anonduck.statements.expansion import Expression
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.pipeline.column_names import code_column, value_column
from anonduck.statements.template import temporary_table_of
from anonduck.taxonomy.interval_cells import interval_cells

MARKS = "released_marks"
CLASS_VALUES = """
SELECT value, row_number() OVER (ORDER BY value NULLS FIRST) - 1 AS code
FROM (SELECT DISTINCT "{class_}" AS value FROM release_set)"""
MADE = ("released_cells", "released_class_values", MARKS)


def measure_release(database: Database, recoding: Recoder, config: Config) -> dict[str, Any] | None:
    """``utility`` of a settled recoding: its information gain, and the config's ``measures``; None for a rule, which
    its discovery measured."""
    if isinstance(recoding, NodelessRecoder):
        return recoding.utility(config)
    measured = recoding.measured
    if measured is None:
        return None
    names = list(measured.roles.quasi_identifiers)
    try:
        _make_cells(database, measured, names)
        cells = _read_cells(database, names)
        taxonomies = {name: measured.taxonomies[name] for name in names}
        counted = read_counted_columns(database, taxonomies, cells.total, schema=LOOKUP_SCHEMA)
        columns = [_column(database, measured, one) for one in counted]
    finally:
        for made in MADE:
            database.drop(("temp", made))
    measurer = ReleaseMeasurer(cells, columns, k=config.requirement.k, weights=config.weights)
    gain = None if config.class_ is None else measurer.information_gain()
    return {"information_gain": gain, "measures": measurer(config.measures)}


def _make_cells(database: Database, measured: MeasureInputs, names: Sequence[str]) -> None:
    class_, some = measured.roles.class_, measured.staying != RELEASE_SET
    if some:
        database.run(statement("release/released_marks.sql", table={"staying": measured.staying}))
    values = line("release/released_utility.CLASS_VALUES", CLASS_VALUES, class_=value_column(class_))
    database.run(temporary_table_of("released_class_values", values))
    shown = measured.shown(MARKS if some else RELEASE_SET)
    database.run(released_cells(names, class_, shown=shown, some=some))


def released_cells(names: Sequence[str], class_: str, *, shown: Statement, some: bool) -> Statement:
    """``released_cells``: the records of a query by leaf codes, the level that each column shows them at, and class.

    With ``some`` the query has also whether each stays.
    """
    return statement(
        "release/released_cells.sql",
        column={"class_value": value_column(class_)},
        lists={"names": names, "some": when(some)},
        fields={"shown": Expression(shown.sql)},
    )


def _read_cells(database: Database, names: Sequence[str]) -> ReleasedCells:
    leaves, levels = [code_column(name, 0) for name in names], [level_column(name) for name in names]
    shown = {"shown": [*leaves, *levels], "leaves": leaves}
    rows = database.arrays(statement("release/released_cells_read.sql", columns=shown))
    return ReleasedCells(
        leaves=tuple(rows[name].astype(np.int64) for name in leaves),
        levels=tuple(rows[name].astype(np.int64) for name in levels),
        classes=rows["class_code"].astype(np.int64),
        equivalence=rows["equivalence"].astype(np.int64),
        records=rows["records"].astype(np.int64),
        stays=rows["stays"].astype(bool),
    )


def _column(database: Database, measured: MeasureInputs, counted: CountedColumn) -> CellColumn:
    taxonomy, column = counted.taxonomy, counted.cells
    cells = interval_cells(database, taxonomy) if measured.free else None
    if cells is None:
        return column
    loss, ncp = (
        with_intervals(database, one, taxonomy, cells, goal)
        for one, goal in ((column.by_loss, "loss"), (column.by_ncp, "ncp"))
    )
    return replace(column, by_loss=loss, by_ncp=ncp)
