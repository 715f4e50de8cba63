"""A row of a release by swapping: models take its values as they are.

By the protocol ``released`` models are cross-validated on the swapped records, in folds drawn on what these show. By
``held-out`` a training part is swapped by itself, models learn from what it shows, and predict the records of the fold
as they came; of a column that shows a level of its taxonomy or no larger numbers than some, what these would be shown
as. Nothing is written, so that the swaps of a config without a seed are drawn by one that is known: the same scores
come out again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.comparison.cost import RowClock, measured_cost
from anonduck.comparison.model_scores import scores_json
from anonduck.comparison.question import Contestant
from anonduck.config.requirement_change import with_requirement
from anonduck.database.connection import Database
from anonduck.database.progress import no_message
from anonduck.evaluation.cells import Cells, called_columns
from anonduck.evaluation.evaluation import TESTED, TRAINED, Evaluation
from anonduck.evaluation.source_cells import SourceCells
from anonduck.frequency.frequency_set import most_cells, sampled_if_many
from anonduck.measures.requirement import requirement_of
from anonduck.models.contingency import Contingency
from anonduck.models.cross_validation import cross_validated
from anonduck.release.by_recoding import release_method
from anonduck.release.plan import ReleasePlan, ReleaseSettings
from anonduck.release.recoder import Recoder
from anonduck.release.swap_recoder import SwapRecoder
from anonduck.release.swapped_records import make_codes, read_codes
from anonduck.release.swapped_utility import mixed_table, swapped_table
from anonduck.rules.rule import literal
from anonduck.statements import statement
from anonduck.statements.pipeline import builder_comparison, builder_swaps
from anonduck.statements.pipeline.builder_frequency import value_column

if TYPE_CHECKING:
    from collections.abc import Callable

    from anonduck.release.release import Release
    from anonduck.workspace import Workspace

KNOWN_SEED = 1
SHOWN, TESTED_SHOWN = "compared_shown", "tested_shown"
WORDS = "; k and classes are those of its clusters, which its file does not show"


def known_seed(workspace: Workspace) -> Workspace:
    """The workspace with a seed by which swaps are drawn, where the config has none."""
    return workspace.with_config(workspace.config.model_copy(update={"seed": workspace.config.seed or KNOWN_SEED}))


def swapped_row(workspace: Workspace, contestant: Contestant, k: int, clock: RowClock) -> dict[str, Any]:
    """What a release by swapping reaches at ``k``, by models that are cross-validated on it."""
    config = workspace.config
    told: dict[str, Any] = {"models_cpu_seconds": 0.0}

    def use(recoding: SwapRecoder, _: Database) -> None:
        found = measured(recoding, workspace)
        told.update(found, **sizes(recoding))
        if found["models_reason"] is None and config.models:
            began = process_time()
            table = swapped_table(recoding.shown, recoding.shown.shown, config.seed, workspace.reporter)
            made = process_time() - began
            scores = cross_validated(table, config.models, config.seed, clock.over)
            told.update(scores_json(replace(scores, cpu_seconds=made + scores.cpu_seconds)))

    with measured_cost() as cost:
        row = described(_released(known_seed(workspace), contestant, k, use))
    return {
        **row,
        **told,
        "words": row["words"] + WORDS,
        "seconds": cost.seconds,
        "cpu_seconds": round(cost.cpu_seconds - told["models_cpu_seconds"], 3),
        "memory_mb": cost.memory_mb,
    }


def _released(
    workspace: Workspace, contestant: Contestant, k: int, use: Callable[[SwapRecoder, Database], None]
) -> Release:
    """The release of a method by swapping, unwritten; ``use`` gets the swaps while their tables are there."""

    def read(database: Database, plan: ReleasePlan[Recoder], _: int) -> None:
        assert isinstance(plan.recoding, SwapRecoder)
        use(plan.recoding, database)

    return release_method(
        workspace,
        contestant.name,
        None,
        ReleaseSettings(dry_run=True, reader=read),
        k=k,
        options=contestant.settings,
    )


def described(release: Release) -> dict[str, Any]:
    """A release as part of a row: its size, and its recoding in words."""
    rule, method = release.receipt["rule"], release.receipt["method"]
    return {
        "k": release.k,
        "classes": release.classes,
        "records": release.rows,
        "suppressed": release.suppressed,
        "rule": None if rule is None else literal(rule["levels"]),
        "words": method.get("words"),
    }


def sizes(recoding: SwapRecoder) -> dict[str, int]:
    """The size of the smallest cluster as k, and the clusters as classes."""
    return {"k": recoding.found.counts["smallest"], "classes": recoding.found.counts["clusters"]}


def measured(recoding: SwapRecoder, workspace: Workspace) -> dict[str, Any]:
    """What is measured of swaps, and why models cannot be cross-validated on them, if so."""
    found = recoding.utility(workspace.config.model_copy(update={"models": []}), workspace.reporter)
    return {name: found[name] for name in ("information_gain", "measures", "models_reason")}


# -- a training part ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RecodedBySwaps:
    """A swapped training part: what it comes to, and the table that models are trained and tested on."""

    measured: Evaluation
    words: str
    table: Contingency

    def part_table(self, cells: Cells, fold: np.ndarray) -> Contingency:
        """The table, which was made while the swaps were there."""
        return self.table


def recode_part_by_swaps(
    workspace: Workspace, contestant: Contestant, k: int, source: SourceCells, fold: int
) -> RecodedBySwaps:
    """Swap the training part of a fold by itself."""
    found: dict[str, Any] = {}
    tables: list[Contingency] = []

    def use(recoding: SwapRecoder, database: Database) -> None:
        found.update({**measured(recoding, workspace), **sizes(recoding)})
        tables.append(_part_table(source, fold, recoding, database, workspace.config.seed))

    config = with_requirement(workspace.config, {"k": k})
    with source.opened_part(fold, workspace.with_config(config)) as part:
        made = _released(known_seed(part), contestant, k, use)
    evaluated = Evaluation(
        k=found["k"],
        classes=found["classes"],
        records=made.rows,
        suppressed=made.suppressed,
        information_gain=None,
        measures=found["measures"],
        risks={},
    )
    return RecodedBySwaps(evaluated, described(made)["words"] + WORDS, tables[0])


def _part_table(source: SourceCells, fold: int, recoding: SwapRecoder, database: Database, seed: int) -> Contingency:
    """The contingency table of what a training part shows, in the column TRAINED of ``folds``, and of the records of
    the fold that was held out, in TESTED."""
    class_ = recoding.inputs.roles.class_
    _number_shown(source, fold, recoding, database)
    for column in recoding.swapped:
        make_codes(database, column.name, recoding.numbered(column), over=SHOWN)
    make_codes(database, class_, None, over=SHOWN)
    columns, codes = zip(*(read_codes(database, column.name) for column in recoding.swapped), strict=True)
    rows = database.arrays(statement("comparison/shown_records.sql"))
    folds = np.zeros((len(rows["tested"]), 2), dtype=np.int64)
    for place in (TRAINED, TESTED):
        counts = np.where(rows["tested"] == place, rows["records"], 0).astype(np.int64)
        folds[:, place] = sampled_if_many(counts, counts, most_cells(len(columns)), seed, no_message)
    held = np.flatnonzero(folds.any(axis=1))
    classes = read_codes(database, class_)[1].astype(np.int64)
    return mixed_table(columns, [one[held] for one in codes], classes[held], folds[held])


def _number_shown(source: SourceCells, fold: int, recoding: SwapRecoder, database: Database) -> None:
    import pandas as pd

    class_ = recoding.inputs.roles.class_
    counts = source.folds[:, fold]
    there = np.flatnonzero(counts)
    called = called_columns(source.counted, requirement_of(source.counted.config, source.counted.folder))
    database.register(builder_comparison.DRAWN_COUNTS, pd.DataFrame({"#row": there, "records": counts[there]}))
    try:
        database.run(builder_comparison.drawn_set(called, builder_comparison.TESTED_SET))
    finally:
        database.unregister(builder_comparison.DRAWN_COUNTS)
    tops = {column.top: recoding.settings.top[column.name] for column in recoding.swapped if column.top}
    tested = {"rows": builder_comparison.TESTED_SET, "made": TESTED_SHOWN}
    database.run(builder_swaps.swap_set(recoding.swapped, [class_], **tested), tops)
    shown = [value_column(name) for name in (*(column.name for column in recoding.swapped), class_)]
    database.run(statement("comparison/shown_rows.sql", columns={"shown": shown}))
