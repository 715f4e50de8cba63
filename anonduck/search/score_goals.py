"""A search for a score of models: a goal whose cost is what a level vector promises, to be measured by training.

A vector promises the most that any model can score on it (anonduck.models.score_bounds); ``ScoreGoal`` is the twin of
that bound on the frequency set by folds in memory, for the searches of anonduck.measures.numpy_measures.

Joining equivalence classes never raises such a sum, for the largest of summed counts is at most the sum of the largest;
and guessing one class for the records of an equivalence class is right for no more of them than its largest count.
So what a vector promises without suppression no coarser one exceeds, whatever that leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonduck.config.config import Config
from anonduck.frequency.frequency_set import FOLDS
from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet, first_of_runs
from anonduck.measures.numpy_measures import by_row
from anonduck.models.contingency import majority_guesses
from anonduck.models.score_bounds import most_score
from anonduck.rules.measure_names import GENERALIZED

SCORES = ("accuracy", "balanced_accuracy")


@dataclass(frozen=True)
class WantedScore:
    """The score and the model that a search is to be best in."""

    score: str
    model: str

    @property
    def balanced(self) -> bool:
        """Whether it is the balanced accuracy."""
        return self.score == "balanced_accuracy"


def wanted_score(config: Config) -> WantedScore | None:
    """What a config's ``select`` names, if it is a score that can be bounded: of a model, on generalized records."""
    score, _, model = config.select.partition(".")
    known = score in SCORES and bool(config.models) and (not model or model in config.models)
    return WantedScore(score, model or config.models[0]) if known and config.test_on == GENERALIZED else None


@dataclass(frozen=True, eq=False)
class ScoreGoal:
    """Minus the most that a model can score, on a table whose class codes are fold * ``classes`` + class code.

    Fold number ``FOLDS`` holds the records that are in no fold.
    """

    name: str
    balanced: bool
    classes: int
    additive: None = None
    bounds_when_suppressed: bool = True

    def of(self, table: FrequencyTable, rolled: RolledFrequencySet, failing: np.ndarray | None) -> float:
        """The cost at ``rolled.levels`` where the ``failing`` equivalence classes are left out."""
        assert rolled.classes is not None
        assert rolled.starts is not None
        folds, classes = np.divmod(rolled.classes, self.classes)
        starts = first_of_runs(folds)
        starts[rolled.starts] = True
        groups = np.flatnonzero(starts)
        counted = np.bincount(rolled.classes, weights=rolled.records, minlength=(FOLDS + 1) * self.classes)
        by_class = counted.reshape(FOLDS + 1, self.classes)[:FOLDS].T
        totals = by_class.sum(axis=1)
        records = np.where(folds == FOLDS, 0, rolled.records)
        if failing is not None:
            guesses = np.append(majority_guesses(by_class), -1)
            wrong = by_row(rolled, failing) & (classes != guesses[folds])
            records = np.where(wrong, 0, records)
        return -most_score(records, classes, groups, totals, balanced=self.balanced)
