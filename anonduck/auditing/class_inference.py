"""What distributions tell somebody who knows the quasi-identifiers of people (Last et al. 2014, section 5.4).

After Kifer's deFinetti attack (2009), naive Bayes learns from the published distributions: a released record counts for
each value of the class by its share, and its label for each value under it alike. It then guesses the class of the
original records. Section 5.4 calls it a breach only where it succeeds more often with these than with people who are
not in the release; what it learns of everybody is what the release is for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonduck.auditing.cover import CoverColumn

LEAST = 1e-9
"""A chance that is no 0, for values that no label of a class is over."""


@dataclass(frozen=True)
class ClassInference:
    """Shares of the originals whose class is guessed right: by naive Bayes, and by naming the likeliest of all."""

    naive_bayes: float
    baseline: float

    @property
    def lift(self) -> float | None:
        """How many times more often naive Bayes is right; None where the baseline never is."""
        return self.naive_bayes / self.baseline if self.baseline else None

    def as_json(self) -> dict[str, float | None]:
        """What an audit tells of it."""
        lift = self.lift
        return {
            "naive_bayes": round(self.naive_bayes, 6),
            "baseline": round(self.baseline, 6),
            "lift": None if lift is None else round(lift, 6),
        }


def class_inference(
    columns: Sequence[CoverColumn], shares: np.ndarray, held: np.ndarray, released: np.ndarray, originals: np.ndarray
) -> ClassInference:
    """Guess the class of each original from the quasi-identifiers ``columns`` and what the release says of them.

    Args:
        columns: the quasi-identifiers of both tables, row by row.
        shares: of each released row and value of the class; shape (released rows, values).
        held: the value of the class of each original row.
        released, originals: how many records have each row.
    """
    weights = shares * released[:, None]
    by_class = weights.sum(axis=0)
    chances = np.tile(np.log(np.maximum(by_class / by_class.sum(), LEAST)), (len(held), 1))
    for column in columns:
        by_label = np.zeros((len(column.covers), shares.shape[1]))
        np.add.at(by_label, column.label_of, weights)
        over = column.covers / np.maximum(column.covers.sum(axis=1, keepdims=True), 1)
        by_value = over.T @ by_label / np.maximum(by_class, LEAST)
        chances += np.log(np.maximum(by_value, LEAST))[column.value_of]
    total = originals.sum()
    right = [float(originals[guess == held].sum() / total) for guess in (chances.argmax(axis=1), by_class.argmax())]
    return ClassInference(*right)
