"""How useful columns are for predicting the class: how permuting each changes the out-of-bag error of a forest.

Majeed and Hwang 2023, section 4.2, equations 3 to 8; the forest is Breiman's (2001), with the settings below. The paper
reads the change contrary to common use: a column whose permutation hardly changes the error weighs most. Both readings
are offered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonduck.models.estimators import grown_tree

TREES = 100
RECORDS = 10_000
PAPER, PREDICTIVE = "paper", "predictive"
INTERPRETATIONS: dict[str, str] = {
    PAPER: "the less permuting a column changes the error, the more useful it is: the paper expects many equal values "
    "of it, and that they need less hiding",
    PREDICTIVE: "the more permuting a column raises the error, the more useful it is: models need it",
}
"""The two readings of the change in error, and what each means."""
GRADES = ("high", "medium", "low")

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Usefulness:
    """How useful each column of ``names`` is, in their order.

    ``changes`` are the out-of-bag errors before a column is permuted minus those after, in the mean over the trees
    (equations 3 to 5), ``scores`` the same divided by their standard deviation (equations 6 to 8): negative where the
    column helps to predict the class. ``error`` is the mean out-of-bag error of a tree, ``records`` the number of
    records used, and ``trees`` the number of trees with records out of their bag.
    """

    names: tuple[str, ...]
    changes: tuple[float, ...]
    scores: tuple[float, ...]
    error: float
    records: int
    trees: int

    def shares(self, reading: str) -> tuple[float, ...]:
        """The weights by a reading, with sum 1.

        By ``"paper"`` 1 / (1 + z), where z is by how many standard deviations permuting the column raises the error: a
        column that it does not raise it by weighs most. By ``"predictive"`` z itself; equal weights if all are 0.
        """
        rises = np.maximum(-np.array(self.scores), 0.0)
        weights = 1 / (1 + rises) if reading == PAPER else rises
        if not weights.any():
            weights = np.ones(len(weights))
        return tuple(float(one) for one in weights / weights.sum())

    def grades(self, reading: str) -> tuple[int, ...]:
        """The usefulness of each column (equation 9): 0, 1 or 2 for the first, second or last third by weight.

        Equal weights are alike: the number of columns that weigh more decides, so that they have the better grade. A
        column that weighs nothing is in the last third.
        """
        weights = self.shares(reading)
        return tuple(3 * sum(other > one for other in weights) // len(weights) if one else 2 for one in weights)

    def graded(self, reading: str) -> list[dict[str, Any]]:
        """Weight in percent and grade of each column by a reading, as receipts list them."""
        graded = zip(self.names, self.shares(reading), self.grades(reading), strict=True)
        return [
            {"name": name, "weight": round(100 * share, 4), "grade": GRADES[grade]} for name, share, grade in graded
        ]

    def as_json(self) -> dict[str, Any]:
        """The document that ``anonduck usefulness --json`` prints."""
        changes = zip(self.names, self.changes, self.scores, strict=True)
        return {
            "trees": self.trees,
            "records": self.records,
            "error": self.error,
            "columns": [{"name": name, "change": change, "score": score} for name, change, score in changes],
            "readings": {
                reading: {"words": words, "columns": self.graded(reading)} for reading, words in INTERPRETATIONS.items()
            },
        }


def usefulness(
    names: Sequence[str],
    features: np.ndarray,
    combinations: np.ndarray,
    classes: np.ndarray,
    records: np.ndarray,
    *,
    seed: int,
    progress: Progress,
) -> Usefulness:
    """Measure how useful columns are for predicting the class of records.

    Args:
        names: the columns.
        features: the places of each combination (combinations, columns).
        combinations: the combination of each cell of records (cells,).
        classes: the class of each cell (cells,).
        records: the records of each cell (cells,). Of more than RECORDS in all, that many are drawn.
        seed: draws the records, the trees and the permutations.
        progress: called with the number of trees that have grown.

    A tree without records out of its bag is left out. The deviation is at least one record divided by all, so that the
    score of a column that changes all trees equally is finite.
    """
    random = np.random.default_rng(seed)
    total = int(records.sum())
    drawn = records if total <= RECORDS else random.multivariate_hypergeometric(records, RECORDS, method="marginals")
    of_record = np.repeat(np.arange(len(records)), drawn)
    seen, targets = features[combinations].astype(np.float32), classes
    trees = []
    for number in range(TREES):
        trees += [_changes(seen, targets, of_record, random)]
        progress("growing trees", number + 1, TREES)
    found = [one for one in trees if one is not None] or [(0.0, np.zeros(len(names)))]
    changes = np.array([change for _, change in found])
    mean = changes.mean(axis=0)
    spread = changes.std(axis=0, ddof=1) if len(changes) > 1 else np.zeros(len(names))
    deviation = np.maximum(spread, 1 / max(len(of_record), 1))
    return Usefulness(
        tuple(names),
        tuple(float(one) for one in mean.round(9)),
        tuple(float(one) for one in (mean / deviation).round(6)),
        round(float(np.mean([error for error, _ in found])), 6),
        len(of_record),
        TREES - trees.count(None),
    )


def _changes(
    seen: np.ndarray, classes: np.ndarray, of_record: np.ndarray, random: np.random.Generator
) -> tuple[float, np.ndarray] | None:
    """The out-of-bag error of a tree, and by column that error minus the one after permuting the column (equation 3).

    None where no record is out of the bag.

    The tree learns from as many records as there are, drawn with replacement, and from all columns at each split.
    """
    count = len(of_record)
    picked = random.integers(0, count, count)
    weights = np.bincount(of_record[picked], minlength=len(seen))
    held = np.flatnonzero(weights)
    tree: Any = grown_tree(seen[held], classes[held], weights[held], int(random.integers(1 << 31)))
    out = np.ones(count, dtype=bool)
    out[picked] = False
    left = of_record[out]
    if not len(left):
        return None
    rows, actual = seen[left], classes[left]
    before = float((tree.predict(rows) != actual).mean())
    changes = np.zeros(seen.shape[1])
    for column in range(seen.shape[1]):
        permuted = rows.copy()
        permuted[:, column] = permuted[random.permutation(len(rows)), column]
        changes[column] = before - float((tree.predict(permuted) != actual).mean())
    return before, changes
