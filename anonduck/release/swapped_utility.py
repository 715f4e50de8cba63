"""What a release by swapping leaves of its data, and what models are trained on where it is compared.

The contingency tables are those of any values that are taken as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.config.config import Config
from anonduck.database.progress import Reporter, no_message
from anonduck.evaluation.evaluation import unlearnable
from anonduck.frequency.roll_up import distinct
from anonduck.measures.counted_cells import fold_records
from anonduck.methods.coded_records import MixedColumn
from anonduck.methods.permutation import information_lost
from anonduck.models.contingency import Contingency
from anonduck.rules.measure_names import ORIGINAL
from anonduck.rules.rounding import DIGITS

if TYPE_CHECKING:
    import pandas as pd

LOSS = "mutual_information_loss"


@dataclass(frozen=True, eq=False)
class SwappedColumns:
    """The records of a release by swapping: codes by column as they came and as they are shown, and those of the class;
    each (records,)."""

    columns: Sequence[MixedColumn]
    originals: Sequence[np.ndarray]
    shown: Sequence[np.ndarray]
    classes: np.ndarray

    def table(self, shown: Sequence[np.ndarray], seed: int, reporter: Reporter) -> Contingency:
        """The contingency table of codes that the records show, or had."""
        classes = self.classes.astype(np.int64)
        return folded_table(self.columns, shown, classes, np.ones_like(classes), seed, reporter.announce)


def swapped_utility(records: SwappedColumns, config: Config) -> dict[str, Any]:
    """``utility`` of swapped records. Values are as they were: of all measures, mutual information alone is lost."""
    with_class = ([*records.originals, records.classes], [*records.shown, records.classes])
    measures = {LOSS: round(information_lost(*with_class), DIGITS)} if LOSS in config.measures else {}
    return {"information_gain": None, "measures": measures}


def no_models(records: SwappedColumns, config: Config) -> str | None:
    """Why no model can be trained on swapped records, in words; None where one can."""
    if config.split_by is not None:
        return "swapped records have no order to be tested in, and the config has `split_by`"
    if config.test_on == ORIGINAL:
        return "models are tested on swapped records alone, and the config has `test_on: original`"
    return unlearnable(len(np.unique(records.classes)))


def folded_table(
    columns: Sequence[MixedColumn],
    shown: Sequence[np.ndarray],
    classes: np.ndarray,
    records: np.ndarray,
    seed: int,
    announce: Callable[[str], None] = no_message,
) -> Contingency:
    """The contingency table of values as they are, with folds drawn on what it holds.

    Args:
        columns: what is known of the values.
        shown: codes by column, each (rows,).
        classes: (rows,), class codes.
        records: (rows,), the records of each row.
        seed: draws the folds, and the sample where there are many cells.
        announce: hears of the sample.
    """
    rows, cell = distinct([*shown, classes])
    held = np.bincount(cell, weights=records, minlength=len(rows)).astype(np.int64)
    folds = fold_records(held, classes[rows], len(shown), seed, announce)
    there = np.flatnonzero(folds.any(axis=1))
    return mixed_table(columns, [one[rows][there] for one in shown], classes[rows][there], folds[there])


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


def coded(values: pd.Series[Any], number: bool) -> tuple[np.ndarray, MixedColumn]:
    """Codes in the order of values, 0 for NULL, and what is known of them."""
    known = values.astype(float) if number else values.astype("string")
    codes = known.rank(method="dense").fillna(0).to_numpy().astype(np.int64)
    size = int(codes.max(initial=0)) + 1
    if not number:
        return codes, MixedColumn(size)
    numbers = np.full(size, np.nan)
    numbers[codes] = known.to_numpy(dtype=float)
    return codes, MixedColumn(size, numbers)
