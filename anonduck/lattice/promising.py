"""The most that any model can score on a level vector: a goal whose cost is a promise, to be measured by training.

A model of a rule's contingency table tells one class for all tested records with the same codes. In each fold and
equivalence class it is right for the records of one class value at most, and the best that can be is the class value
that adds most to the score:

- accuracy counts each record as 1 / records: at most the sum over folds and equivalence classes of the largest count.
- balanced accuracy, the mean recall over the class values, all folds together (anonduck.scoring), counts a record as
  1 / (class values * records of its class value): at most the sum of the largest count so weighted.

A record that is left out counts as the guess of its fold (anonduck.contingency): the most frequent class of the other
folds, which is the same for all vectors. So what is right among those left out is known, not bounded.

Joining equivalence classes never raises such a sum, for the largest of summed counts is at most the sum of the largest;
and guessing one class for the records of an equivalence class is right for no more of them than its largest count.
So what a vector promises without suppression no coarser one exceeds, whatever that leaves out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonduck.config import Config
from anonduck.contingency import everyone, majority_guesses
from anonduck.frequency import FOLDS
from anonduck.lattice.goals import Cost, by_row
from anonduck.lattice.rolling import FrequencyTable, Rolled
from anonduck.measures import GENERALIZED
from anonduck.rules import Levels

if TYPE_CHECKING:
    from anonduck.contingency import Contingency

SCORES = ("accuracy", "balanced_accuracy")
DIGITS = 12


@dataclass(frozen=True)
class Wanted:
    """The score and the model that a search is to be best in."""

    score: str
    model: str

    @property
    def balanced(self) -> bool:
        """Whether it is the balanced accuracy."""
        return self.score == "balanced_accuracy"


def wanted_score(config: Config) -> Wanted | None:
    """What a config's ``select`` names, if it is a score that can be bounded: of a model, on generalized records."""
    score, _, model = config.select.partition(".")
    known = score in SCORES and bool(config.models) and (not model or model in config.models)
    return Wanted(score, model or config.models[0]) if known and config.test_on == GENERALIZED else None


@dataclass(frozen=True, eq=False)
class ScoreGoal:
    """Minus the most that a model can score, on a table whose class codes are fold * ``classes`` + class code.

    Fold number ``FOLDS`` holds the records that are in no fold.
    """

    name: str
    balanced: bool
    classes: int
    charges: bool = False
    additive: None = None
    bounds_when_suppressed: bool = True

    def least(self, table: FrequencyTable) -> float:
        """What no vector costs less, whatever it leaves out."""
        finest = (0,) * len(table.roots)
        return self.of(table, table.at(finest), None, 1).cost

    def of(self, table: FrequencyTable, rolled: Rolled, failing: np.ndarray | None, k: int) -> Cost:
        """The cost at ``rolled.levels`` where the ``failing`` equivalence classes, those under ``k``, are left out."""
        assert rolled.classes is not None
        assert rolled.starts is not None
        folds, classes = np.divmod(rolled.classes, self.classes)
        starts = np.r_[True, folds[1:] != folds[:-1]]
        starts[rolled.starts] = True
        groups = np.flatnonzero(starts)
        counted = np.bincount(rolled.classes, weights=rolled.records, minlength=(FOLDS + 1) * self.classes)
        by_class = counted.reshape(FOLDS + 1, self.classes)[:FOLDS].T
        totals = by_class.sum(axis=1)
        records = np.where(folds == FOLDS, 0, rolled.records)
        whole = most_score(records, classes, groups, totals, self.balanced)
        if failing is None:
            return Cost(-whole, -whole)
        guesses = np.r_[majority_guesses(by_class), -1]
        wrong = by_row(rolled, failing) & (classes != guesses[folds])
        return Cost(-most_score(np.where(wrong, 0, records), classes, groups, totals, self.balanced), -whole)


def most_score(
    records: np.ndarray, classes: np.ndarray, starts: np.ndarray, totals: np.ndarray, balanced: bool
) -> float:
    """The most that a model can score on counts: for each of the groups that start somewhere it tells one class.

    Args:
        records: of each row, (rows,); a group is an equivalence class in a fold, with a row for each class value. Of a
            group that is left out, the rows that are not guessed right are 0.
        classes: the class code of each row.
        starts: the first row of each group.
        totals: the tested records of each class code, those left out among them.
        balanced: whether each class value counts the same, or each record.
    """
    if not totals.any():
        return 0.0
    if not balanced:
        return round(float(np.maximum.reduceat(records, starts).sum() / totals.sum()), DIGITS)
    shares = np.divide(1.0, totals * np.count_nonzero(totals), out=np.zeros(len(totals)), where=totals > 0)
    return round(float(np.maximum.reduceat(records * shares[classes], starts).sum()), DIGITS) + 10.0**-DIGITS


def promise(table: Contingency, balanced: bool) -> float:
    """The most that a model can score on a contingency table, on its folds."""
    known = everyone(table)
    order = np.lexsort((table.classes, *table.codes.T))
    codes, folds, classes = table.codes[order], table.folds[order], table.classes[order]
    first = np.ones(len(codes), dtype=bool)
    first[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    cells = np.flatnonzero(first)
    width = folds.shape[1]
    starts = (np.arange(width)[:, None] * len(codes) + cells).ravel()
    totals = np.zeros(int(max(classes.max(initial=0), known.classes.max(initial=0))) + 1)
    totals[known.classes] = known.folds.sum(axis=1)
    return most_score(
        np.r_[folds.T.ravel(), known.guessed_right],
        np.r_[np.tile(classes, width), known.classes[known.guesses]],
        np.r_[starts, folds.size + np.arange(width)],
        totals,
        balanced,
    )


class AskedPromises:
    """The costs of vectors from contingency tables in SQL; ``table_of`` gives that of the records that stay, or all."""

    def __init__(self, table_of: Callable[[Levels, bool], Contingency], balanced: bool) -> None:
        self.table_of = table_of
        self.balanced = balanced

    def of_whole(self, vector: Levels) -> float:
        """The cost where no record is left out."""
        return -promise(self.table_of(vector, False), self.balanced)

    def of_rest(self, vector: Levels) -> float:
        """The cost where the records that the verdict leaves out are left out."""
        return -promise(self.table_of(vector, True), self.balanced)
