"""What recodings are expected to reach on people who are not in the release.

Some records are held out, the rest is recoded by itself, and models that learn from what it shows are tested on the
held records as they came. Parts, and how many, are those of a repeated search (anonduck.evaluation.holdout), so that
rules and other recodings are tested alike. The class decides no taxonomy here: those of all records are used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from anonduck.evaluation.evaluation import TESTED, TRAINED, RecodedCells, by_class
from anonduck.evaluation.holdout import DRAWING, HoldoutProtocol
from anonduck.frequency.frequency_set import most_cells, sampled_if_many
from anonduck.models.contingency import Contingency, everyone
from anonduck.models.cross_validation import predict_folds
from anonduck.models.folds import draw_folds
from anonduck.models.sampling import sample_records
from anonduck.models.scores import FoldResult
from anonduck.search.expected import ExpectedScore, expected_of

if TYPE_CHECKING:
    from anonduck.evaluation.cells import Cells

LEARNT = 60_000
"""Records that a model learns from, at most: a score needs an error, not all records."""
PROTOCOL = "{}: the records of {} are recoded by themselves, and models are tested on the others as they came"


@dataclass(eq=False)
class HeldOutParts:
    """The held parts of cells, and the models that are tested on them.

    Attributes:
        cells: all records.
        protocol: how records are held out.
        models: the models to test.
        seed: draws the parts and the samples that models learn from.
        over: whether the time is up; TrainingStoppedError is raised then.
    """

    cells: Cells
    protocol: HoldoutProtocol
    models: Sequence[str]
    seed: int
    over: Callable[[], bool]
    _held: list[np.ndarray] = field(default_factory=list)
    _baseline: dict[str, list[FoldResult]] = field(default_factory=dict)

    def expected(self, recode: Callable[[Cells, int], RecodedCells], k: int) -> dict[str, ExpectedScore]:
        """What a way to recode is expected to reach, by model.

        ``recode`` recodes the cells of a part at a k, which is ``k`` by the share of the records that the part has, so
        that classes are as coarse. Raises what it raises.
        """
        tested: dict[str, list[FoldResult]] = {model: [] for model in self.models}
        for held in self.parts:
            part = self.cells.without(held)
            recoded = recode(part, max(1, ceil(k * part.total / self.cells.total)))
            table = recoded.part_table(self.cells, held)
            for model in self.models:
                tested[model].append(self._tested(table, model))
        turns = len(self.parts)
        share = "one part" if turns == 1 else f"{turns} parts in turn"
        words = PROTOCOL.format("holdout" if turns == 1 else "nested cross-validation", f"all but {share}")
        baseline = self.baseline
        return {
            model: expected_of(found, baseline[model], protocol=words, found=turns) for model, found in tested.items()
        }

    @property
    def parts(self) -> list[np.ndarray]:
        """The held records of each row, (rows,), by part."""
        if not self._held:
            drawn = draw_folds(
                self.cells.records, self.cells.classes, folds=self.protocol.parts, seed=self.seed + DRAWING
            )
            self._held = [drawn[:, list(turn)].sum(axis=1) for turn in self.protocol.turns]
        return self._held

    @property
    def baseline(self) -> Mapping[str, list[FoldResult]]:
        """By model, what it reaches on each held part where it learns from the other records as they came."""
        if not self._baseline:
            tables = [self._original(held) for held in self.parts]
            self._baseline = {model: [self._tested(one, model) for one in tables] for model in self.models}
        return self._baseline

    def _tested(self, table: Contingency, model: str) -> FoldResult:
        table = _learnable(table, self.seed)
        found = predict_folds(table, model, only=[TESTED], seed=self.seed, over=self.over)[TESTED]
        return by_class(found, everyone(table).classes, np.unique(self.cells.classes))

    def _original(self, held: np.ndarray) -> Contingency:
        """The table of the records as they came, those that are held out in the fold TESTED."""
        cells, places = self.cells, range(len(self.cells.columns))
        first, cell = cells.by_class
        records = np.bincount(cell, weights=cells.records - held, minlength=len(first)).astype(np.int64)
        tested = np.bincount(cell, weights=held, minlength=len(first)).astype(np.int64)
        folds = np.zeros((len(first), 2), dtype=np.int64)
        most = most_cells(len(cells.columns))
        folds[:, TRAINED] = sampled_if_many(records, records, most, self.seed, _unannounced)
        folds[:, TESTED] = sampled_if_many(tested, tested, most, self.seed, _unannounced)
        kept = np.flatnonzero(folds.any(axis=1))
        leaves = np.column_stack([one[first][kept] for one in cells.leaves])
        return cells.original_table(places, leaves, cells.classes[first][kept], folds[kept])


def _learnable(table: Contingency, seed: int) -> Contingency:
    """The table with an unbiased sample of LEARNT records in the fold TRAINED, where there are more."""
    trained = table.folds[:, TRAINED]
    if int(trained.sum()) <= LEARNT:
        return table
    folds = table.folds.copy()
    folds[:, TRAINED] = sample_records(trained, LEARNT, seed=seed)
    held = np.flatnonzero(folds.any(axis=1))
    return replace(
        table,
        codes=table.codes[held],
        classes=table.classes[held],
        folds=folds[held],
        values=None if table.values is None else table.values[held],
        nodes=None if table.nodes is None else table.nodes[held],
    )


def _unannounced(_: str) -> None:
    """Announce nothing: that models learn from a sample is said once, of all records."""
