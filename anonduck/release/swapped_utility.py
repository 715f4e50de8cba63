"""What a release by swapping leaves of its data: mutual information, and what models reach on it, trained as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from anonduck.config.config import Config
from anonduck.database.progress import Reporter
from anonduck.frequency.frequency_set import FOLDS, most_cells, sampled_if_many
from anonduck.measures.measures import ORIGINAL
from anonduck.measures.released_cells import distinct
from anonduck.methods.coded_records import MixedColumn
from anonduck.models.contingency import Contingency
from anonduck.models.folds import draw_folds
from anonduck.rules.rounding import DIGITS
from anonduck.search.training import model_scores
from anonduck.source.source import MAX_CLASS_VALUES

LOSS = "mutual_information_loss"


@dataclass(frozen=True, eq=False)
class SwappedColumns:
    """The records of a release by swapping: codes by column as they came and as they are shown, and those of the class;
    each (records,)."""

    columns: Sequence[MixedColumn]
    originals: Sequence[np.ndarray]
    shown: Sequence[np.ndarray]
    classes: np.ndarray


def swapped_utility(records: SwappedColumns, config: Config, reporter: Reporter) -> dict[str, Any]:
    """``utility`` of swapped records. Values are as they were: of all measures, mutual information alone is lost."""
    measures = {LOSS: round(information_lost(records), DIGITS)} if LOSS in config.measures else {}
    found: dict[str, Any] = {"information_gain": None, "measures": measures}
    reason = _no_models(records, config)
    if reason is not None or not config.models:
        return {**found, "majority_share": None, "models": {}, "baseline": {}, "models_reason": reason}
    scores = []
    for number, shown in enumerate((records.shown, records.originals)):
        reporter.progress("training models", number, 2)
        table = swapped_table(records, shown, config.seed, reporter)
        scores.append(model_scores(table, config.models, seed=config.seed))
    reporter.progress("training models", 2, 2)
    majority = round(float(np.bincount(records.classes).max()) / len(records.classes), DIGITS)
    return {**found, "majority_share": majority, "models": scores[0], "baseline": scores[1], "models_reason": None}


def information_lost(records: SwappedColumns) -> float:
    """The mean over pairs of columns, the class one of them, of the mutual information that they lose, in bits."""
    before, after = [*records.originals, records.classes], [*records.shown, records.classes]
    pairs = list(combinations(range(len(before)), 2))
    lost = sum(
        _information(before[one], before[other]) - _information(after[one], after[other]) for one, other in pairs
    )
    return lost / len(pairs)


def _information(one: np.ndarray, other: np.ndarray) -> float:
    """Of the pairs that occur: a table of all pairs would not fit."""
    width = int(other.max(initial=0)) + 1
    keys, both = np.unique(one.astype(np.int64) * width + other, return_counts=True)
    chance = np.bincount(one)[keys // width] * np.bincount(other)[keys % width] / len(one)
    return float((both * np.log2(both / chance)).sum() / len(one))


def _no_models(records: SwappedColumns, config: Config) -> str | None:
    values = len(np.unique(records.classes))
    if values < 2:
        return "the class has a single value; models need at least two"
    if values > MAX_CLASS_VALUES:
        return f"the class has {values:,} distinct values; models are trained for up to {MAX_CLASS_VALUES}"
    if config.split_by is not None:
        return "swapped records have no order to be tested in, and the config has `split_by`"
    if config.test_on == ORIGINAL:
        return "models are tested on swapped records alone, and the config has `test_on: original`"
    return None


def swapped_table(records: SwappedColumns, shown: Sequence[np.ndarray], seed: int, reporter: Reporter) -> Contingency:
    """The contingency table of codes that records show, or had, with folds drawn on what it holds."""
    classes = records.classes.astype(np.int64)
    rows, cell = distinct([*shown, classes])
    held = np.bincount(cell).astype(np.int64)
    few = sampled_if_many(held, held, most_cells(len(shown)), seed, reporter.announce)
    there = np.flatnonzero(few)
    folds = draw_folds(few[there], classes[rows][there], folds=FOLDS, seed=seed)
    return mixed_table(records.columns, [one[rows][there] for one in shown], classes[rows][there], folds)


def mixed_table(
    columns: Sequence[MixedColumn], shown: Sequence[np.ndarray], classes: np.ndarray, folds: np.ndarray
) -> Contingency:
    """A contingency table of values as they are: codes by column, each (cells,), and ``folds`` (cells, folds)."""
    codes = np.column_stack(shown).astype(np.int32)
    values = np.column_stack(
        [one if column.numbers is None else column.numbers[one] for column, one in zip(columns, codes.T, strict=True)]
    ).astype(np.float64)
    return Contingency(
        codes=codes,
        nominal=tuple(column.numbers is None for column in columns),
        sizes=tuple(column.size - 1 for column in columns),
        classes=classes,
        folds=folds,
        values=values,
    )
