"""What a recoding comes to, as a candidate has it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anonduck.config.reading import with_changes
from anonduck.frequency.roll_up import distinct
from anonduck.measures.numpy_measures import alike_pairs
from anonduck.rules.dependency import AlikePairs
from anonduck.rules.rounding import DIGITS

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.evaluation.evaluation import RecodedCells
    from anonduck.evaluation.settled import Settled
    from anonduck.offer.candidates import Candidate


def with_detail(config: Config) -> Config:
    """The config with the measures that every candidate has."""
    return with_changes(config, {"measures": list(dict.fromkeys([*config.measures, "ncp"]))})


def measured(one: Candidate, recoded: RecodedCells, class_: str | None) -> Candidate:
    """The candidate with what its recoding comes to, without what is expected of models."""
    found, settled = recoded.measured, recoded.settled
    return replace(
        one,
        k=found.k,
        classes=found.classes,
        suppressed=found.suppressed,
        columns=settled.kept,
        detail=round(1 - found.measures["ncp"], DIGITS),
        detail_by_column=found.detail,
        changed=round(_changed(settled), DIGITS),
        information_gain=found.information_gain,
        dependency=None if class_ is None else _dependency(settled, class_).as_json(),
        measures=found.measures,
        privacy=found.risks,
        expected={},
    )


def _changed(settled: Settled) -> float:
    """The share of the values of quasi-identifiers that are not shown as they came, left out ones included.

    A typical value that is by chance the record's own counts as changed: the release does not show which are.
    """
    records, stays = settled.cells.records, settled.stays
    shown = sum(int(records[stays & (levels == 0)].sum()) for levels in settled.shown.levels)
    return 1 - shown / (settled.cells.total * len(settled.shown.levels))


def _dependency(settled: Settled, class_: str) -> AlikePairs:
    """How often two of the records that stay, which look alike, differ in the class."""
    records, held = _classes_held(settled)
    sizes = np.bincount(held, weights=records).astype(np.int64)
    alike = alike_pairs(sizes)
    return AlikePairs(settled.kept, class_, int(records.sum()), alike, alike - alike_pairs(records))


def _classes_held(settled: Settled) -> tuple[np.ndarray, np.ndarray]:
    """Of each equivalence class and class value that stays, how many records, and the number of the former."""
    stays = settled.stays
    first, group = distinct([settled.equivalence[stays], settled.cells.classes[stays]])
    records = np.bincount(group, weights=settled.cells.records[stays], minlength=len(first)).astype(np.int64)
    return records, np.unique(settled.equivalence[stays][first], return_inverse=True)[1]


def guessed_right(settled: Settled) -> float:
    """How often the class of a person in the release is its most frequent one in the equivalence class, which whoever
    finds that class guesses."""
    records, equivalence = _classes_held(settled)
    most = np.zeros(int(equivalence.max()) + 1)
    np.maximum.at(most, equivalence, records)
    return float(most.sum() / records.sum())
