"""Releases by swapping, evaluated: models take their values as they are.

By the protocol ``released`` models are cross-validated on the swapped records, in folds drawn on what these show. By
``held-out`` a training part is swapped by itself, models learn from what it shows, and predict the records of the fold
as they came; of a column that shows a level of its taxonomy or no larger numbers than some, what these would be shown
as. Nothing is written, so that the swaps of a config without a seed are drawn by one that is known: the same scores
come out again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.comparison.nodeless_release import NodelessRelease, dry_run
from anonduck.comparison.question import Contestant
from anonduck.config.requirement_change import with_requirement
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter, no_message
from anonduck.evaluation.cells import called_columns
from anonduck.evaluation.evaluation import TESTED, TRAINED
from anonduck.evaluation.part_cells import write_drawn
from anonduck.evaluation.source_cells import SourceCells
from anonduck.frequency.frequency_set import most_cells, sampled_if_many
from anonduck.measures.requirement import requirement_of
from anonduck.models.contingency import Contingency
from anonduck.release.by_recoding import method_origin
from anonduck.release.recoder import Recoder
from anonduck.release.swap_recoder import SwapRecoder
from anonduck.release.swap_settings import swap_settings
from anonduck.release.swapped_columns import swap_set
from anonduck.release.swapped_records import make_codes, read_codes
from anonduck.release.swapped_utility import mixed_table, no_models
from anonduck.statements import line, statement
from anonduck.statements.pipeline.column_names import value_column

if TYPE_CHECKING:
    from anonduck.workspace import Workspace

KNOWN_SEED = 1
SHOWN, TESTED_SET, TESTED_SHOWN = "compared_shown", "tested_set", "tested_shown"
WORDS = "; k and classes are those of its clusters, which its file does not show"


def recode_by_swaps(
    workspace: Workspace,
    contestant: Contestant,
    k: int,
    table: Callable[[SwapRecoder, Database], Contingency] | None = None,
) -> NodelessRelease:
    """The release of a method by swapping, whose smallest cluster is its k; ``table`` reads that of a training part."""
    config = workspace.config
    seeded = workspace.with_config(config.model_copy(update={"seed": config.seed or KNOWN_SEED}))
    found: dict[str, Any] = {}

    def read(database: Database, recoding: Recoder, _: bool) -> None:
        assert isinstance(recoding, SwapRecoder)
        found.update(recoding.utility(config))
        found["shown"], found["counts"] = recoding.shown, recoding.found.counts
        found["table"] = None if table is None else table(recoding, database)

    def released(reporter: Reporter) -> Contingency:
        read: Contingency = found["shown"].table(found["shown"].shown, config.seed, reporter)
        return read

    size, words = dry_run(seeded, contestant, k, read)
    counts = found["counts"]
    size = replace(size, k=counts["smallest"], classes=counts["clusters"], measures=found["measures"])
    return NodelessRelease(size, words + WORDS, released, no_models(found["shown"], config), found["table"])


def recode_part_by_swaps(
    workspace: Workspace, contestant: Contestant, k: int, source: SourceCells, fold: int
) -> NodelessRelease:
    """Swap the training part of a fold by itself; of taxonomies it reads those of the options' ``levels`` alone."""
    config = with_requirement(workspace.config, {"k": k})
    levels = swap_settings(method_origin(workspace, contestant.name, contestant.settings).options).levels
    with source.opened_part(fold, workspace.with_config(config), levels) as part:
        return recode_by_swaps(
            part,
            contestant,
            k,
            lambda recoding, database: _part_table(source, fold, recoding, database, workspace.config.seed),
        )


def _part_table(source: SourceCells, fold: int, recoding: SwapRecoder, database: Database, seed: int) -> Contingency:
    """The contingency table of what a training part shows, in the column TRAINED of ``folds``, and of the records of
    the fold that was held out, in TESTED."""
    class_ = recoding.inputs.roles.class_
    _number_shown(source, fold, recoding, database)
    for column in recoding.swapped:
        make_codes(database, column.name, recoding.numbered(column), over=SHOWN)
    make_codes(database, class_, None, over=SHOWN)
    columns, codes = zip(*(read_codes(database, column.name) for column in recoding.swapped), strict=True)
    text = 'SELECT "#records"::BIGINT AS records, tested FROM compared_shown ORDER BY "#row"'
    rows = database.arrays(line("comparison/swapped_release._part_table", text))
    folds = np.zeros((len(rows["tested"]), 2), dtype=np.int64)
    for place in (TRAINED, TESTED):
        counts = np.where(rows["tested"] == place, rows["records"], 0).astype(np.int64)
        folds[:, place] = sampled_if_many(counts, counts, most_cells(len(columns)), seed, no_message)
    held = np.flatnonzero(folds.any(axis=1))
    classes = read_codes(database, class_)[1].astype(np.int64)
    return mixed_table(columns, [one[held] for one in codes], classes[held], folds[held])


def _number_shown(source: SourceCells, fold: int, recoding: SwapRecoder, database: Database) -> None:
    class_ = recoding.inputs.roles.class_
    called = called_columns(source.counted, requirement_of(source.counted.config, source.counted.folder))
    write_drawn(database, called, source.folds[:, fold], TESTED_SET)
    database.run(swap_set(recoding.swapped, [class_], rows=TESTED_SET, made=TESTED_SHOWN))
    shown = [value_column(name) for name in (*(column.name for column in recoding.swapped), class_)]
    database.run(statement("comparison/shown_rows.sql", columns={"shown": shown}))
