"""Distributions: what NSVDist finds for each cell, and which l is feasible."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True, eq=False)
class Distributions:
    """What is found for each cell, which stand in the order of ``data.cells``.

    ``firsts`` and ``lasts`` have the stretch of places of its closure by column, ``values`` how many of the k records
    have each value of the class, and ``losses`` the sum of what the columns lose, each ``scale`` at most. The chosen
    cells are in ``members``, from ``starts`` on, with the records that were taken of each in ``taken``; its own record
    counts.
    """

    firsts: np.ndarray
    lasts: np.ndarray
    values: np.ndarray
    losses: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    taken: np.ndarray

    def loss(self, records: np.ndarray, columns: int) -> float:
        """The mean loss of a record, from 0 to 1 where the measure is LM."""
        return float((self.losses * records).sum() / records.sum() / ((1 << 31) // (columns + 1)) / columns)


def most_alike(k: int, l: float) -> int:  # noqa: E741
    """How many of k records may have one value of the class: floor(k / l), with l as it is written."""
    return int(Fraction(k) / Fraction(str(l)))


def highest_l(values: np.ndarray, k: int) -> float | None:
    """The highest l of k records, where ``values`` counts the records of each value; None where k is too many.

    It is feasible if and only if the values, each counted floor(k / l) times at most, give k records.
    """
    if values.sum() < k:
        return None
    enough = np.minimum(values[None, :], np.arange(1, k + 1)[:, None]).sum(axis=1) >= k
    return k / (int(enough.argmax()) + 1)
