"""What a release by a method leaves of its data: utility measures, and what models reach on it.

Measured on the records as they are released, with the folds that a discovery draws on the same source, so that the
scores can be compared with those of rules, and with the ungeneralized data. Of typical values models learn what the
records of other folds show, and are tested on the values that records have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.evaluation.evaluation import UNPREDICTED, Tables, scores_on, unlearnable
from anonduck.evaluation.typical import NONE
from anonduck.frequency.frequency_set import FOLDS
from anonduck.measures.attributes import CountedColumn, read_counted_columns
from anonduck.measures.counted_cells import fold_records
from anonduck.measures.released_cells import (
    CellColumn,
    ReleasedCells,
    ReleaseMeasurer,
    original_tables,
    released_contingency,
)
from anonduck.models.contingency import Contingency
from anonduck.release.class_recoder import with_intervals
from anonduck.release.recoder import RELEASE_SET, MeasureInputs, NodelessRecoder, Recoder
from anonduck.rules.measure_names import ORIGINAL
from anonduck.rules.rounding import DIGITS
from anonduck.search.training import rounded_score, tested_folds
from anonduck.statements import statement
from anonduck.statements.pipeline import builder_released, builder_typical
from anonduck.statements.pipeline.builder_classes import level_column
from anonduck.statements.pipeline.builder_frequency import code_column, value_column
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.pipeline.builder_typical import typical_column
from anonduck.taxonomy.interval_cells import interval_cells

MARKS = "released_marks"
MADE = (builder_released.CELLS, builder_released.CLASS_VALUES, builder_released.BLOCKS, MARKS)


def measure_release(database: Database, recoding: Recoder, config: Config, reporter: Reporter) -> dict[str, Any] | None:
    """``utility`` of a settled recoding; None for a rule, which its discovery measured.

    ``measures`` are the config's; ``models`` has the scores of the config's models, cross-validated on the release, and
    ``baseline`` those on the ungeneralized data; ``models_reason`` says why there are none.
    """
    if isinstance(recoding, NodelessRecoder):
        return recoding.utility(config, reporter)
    measured = recoding.measured
    if measured is None:
        return None
    names = list(measured.roles.quasi_identifiers)
    try:
        _make_cells(database, measured, names, config.split_by if config.models else None)
        cells, blocks = _read_cells(database, names, config.split_by if config.models else None)
        taxonomies = {name: measured.taxonomies[name] for name in names}
        counted = read_counted_columns(database, taxonomies, cells.total, schema=LOOKUP_SCHEMA)
        columns = [_column(database, measured, one) for one in counted]
        shown = _typical(database, measured, cells)
    finally:
        for made in MADE:
            database.drop(("temp", made))
    measurer = ReleaseMeasurer(cells, columns, k=config.requirement.k, weights=config.weights)
    gain = None if config.class_ is None else measurer.information_gain()
    found = {"information_gain": gain, "measures": measurer(config.measures)}

    def tables() -> Iterator[Tables]:
        folds = fold_records(cells.records, cells.classes, len(names), config.seed, reporter.announce, blocks)
        if shown is None:
            yield released_contingency(cells, columns, folds, originals=config.test_on == ORIGINAL)
        else:
            yield ([one] for one in original_tables(cells, shown, columns, folds)), np.unique(cells.classes)
        yield released_contingency(cells.ungeneralized, columns, folds, originals=False)

    return with_models(found, cells.classes, cells.records, tables(), config, reporter)


def with_models(
    found: Mapping[str, Any],
    classes: np.ndarray,
    records: np.ndarray,
    tables: Iterator[Tables],
    config: Config,
    reporter: Reporter,
    reason: str | None = None,
) -> dict[str, Any]:
    """What is ``found`` of a release, with the scores of models.

    Args:
        found: the measures.
        classes: (cells,), class codes.
        records: (cells,), the records of each cell.
        tables: those of the release, then that of the ungeneralized data.
        config: the models, and the seed.
        reporter: follows the training.
        reason: why no model can be trained, beside what the class says.
    """
    reason = (unlearnable(len(np.unique(classes))) or reason) if config.class_ is not None else UNPREDICTED
    if reason is not None or not config.models:
        return {**found, "majority_share": None, "models": {}, "baseline": {}, "models_reason": reason}
    scores = []
    for number, table in enumerate(tables):
        reporter.progress("training models", number, 2)
        only = tested_folds(table) if isinstance(table, Contingency) else None
        reached = scores_on(table, config, only=only).by_model
        scores.append({model: rounded_score(score) for model, score in reached.items()})
    reporter.progress("training models", 2, 2)
    majority = round(float(np.bincount(classes, weights=records).max()) / int(records.sum()), DIGITS)
    return {**found, "majority_share": majority, "models": scores[0], "baseline": scores[1], "models_reason": None}


def in_sample(utility: Mapping[str, Any] | None) -> dict[str, dict[str, Any]] | None:
    """``in_sample``: the scores of the models, called as those of rules are."""
    if utility is None or not utility["models"]:
        return None
    return {
        model: {
            "accuracy": score["accuracy"],
            "balanced_accuracy": score["balanced_accuracy"],
            "roc_auc": score["roc_auc"],
            "error": score["standard_error"],
            "baseline": {name: utility["baseline"][model][name] for name in ("accuracy", "balanced_accuracy")},
            "majority_share": utility["majority_share"],
            "tells_nothing": all(one["tells_nothing"] for one in utility["models"].values()),
        }
        for model, score in utility["models"].items()
    }


def _make_cells(database: Database, measured: MeasureInputs, names: Sequence[str], split_by: str | None) -> None:
    class_, some = measured.roles.class_, measured.staying != RELEASE_SET
    if some:
        database.run(statement("release/released_marks.sql", table={"staying": measured.staying}))
    values = {"class_value": value_column(class_)}
    database.run(statement("release/released_class_values.sql", column=values))
    if split_by is not None:
        database.run(statement("release/released_blocks.sql", column={"split_value": value_column(split_by)}))
    shown = measured.shown(MARKS if some else RELEASE_SET)
    database.run(builder_released.released_cells(names, class_, shown=shown, some=some, split_by=split_by))


def _read_cells(
    database: Database, names: Sequence[str], split_by: str | None
) -> tuple[ReleasedCells, np.ndarray | None]:
    """The cells, in the order in which a discovery numbers them; and the records of each by block, if they have one."""
    leaves, levels = [code_column(name, 0) for name in names], [level_column(name) for name in names]
    columns = [*leaves, *levels, *([builder_released.BLOCK] if split_by is not None else [])]
    rows = database.arrays(statement("release/released_cells_read.sql", columns={"shown": columns, "leaves": leaves}))
    cells = ReleasedCells(
        leaves=tuple(rows[name].astype(np.int64) for name in leaves),
        levels=tuple(rows[name].astype(np.int64) for name in levels),
        classes=rows["class_code"].astype(np.int64),
        equivalence=rows["equivalence"].astype(np.int64),
        records=rows["records"].astype(np.int64),
        stays=rows["stays"].astype(bool),
    )
    if split_by is None:
        return cells, None
    return _by_block(cells, rows[builder_released.BLOCK].astype(np.int64))


def _typical(database: Database, measured: MeasureInputs, cells: ReleasedCells) -> ReleasedCells | None:
    """The cells whose released records have the typical values of their classes, where columns show these.

    A value that was made counts as the leaf that is nearest to it; where a label stands, the node stays.
    """
    if not measured.typical:
        return None
    names = list(measured.roles.quasi_identifiers)
    rows = database.arrays(builder_typical.shown_codes(names, measured.typical))
    at = np.searchsorted(rows[builder_released.EQUIVALENCE], cells.equivalence[cells.stays])
    leaves, levels = list(cells.leaves), list(cells.levels)
    for name in measured.typical:
        place, codes = names.index(name), rows[typical_column(name)].astype(np.int64)[at]
        leaves[place], levels[place] = leaves[place].copy(), levels[place].copy()
        leaves[place][cells.stays] = np.where(codes == NONE, leaves[place][cells.stays], codes)
        levels[place][cells.stays] = np.where(codes == NONE, levels[place][cells.stays], 0)
    return replace(cells, leaves=tuple(leaves), levels=tuple(levels))


def _by_block(cells: ReleasedCells, blocks: np.ndarray) -> tuple[ReleasedCells, np.ndarray]:
    """One cell for all blocks, with its records in each; cells follow each other block by block."""
    alike = np.column_stack([*cells.leaves, cells.classes, cells.equivalence, cells.stays])
    begins = np.r_[True, (alike[1:] != alike[:-1]).any(axis=1)] if len(alike) else np.zeros(0, dtype=bool)
    folds = np.zeros((int(begins.sum()), FOLDS), dtype=np.int64)
    np.add.at(folds, (np.cumsum(begins) - 1, blocks), cells.records)
    kept = ReleasedCells(
        tuple(one[begins] for one in cells.leaves),
        tuple(one[begins] for one in cells.levels),
        cells.classes[begins],
        cells.equivalence[begins],
        folds.sum(axis=1),
        cells.stays[begins],
    )
    return kept, folds


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
