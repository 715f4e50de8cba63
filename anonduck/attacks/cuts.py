"""Cuts of a class that Mondrian would have made had the requirement allowed it, from its published description.

A class is cut through the finer nodes right under its label, those that miss the requirement put together, and if they
still miss it, with the smallest of the others; or, where values have an order, at their median (LeFevre et al. 2006;
docs/anonymize.md, "Mondrian").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonduck.attacks.diversity import ClassSecrets, meets
from anonduck.privacy.requirement import Criterion


@dataclass(frozen=True, eq=False)
class ClassCut:
    """A cut of a class: the side (records,) of each of its records, from 0; ``joining`` tells that sides which miss the
    requirement are put together.
    """

    sides: np.ndarray
    joining: bool

    @property
    def sizes(self) -> np.ndarray:
        """The records of each side."""
        return np.bincount(self.sides)


def through_nodes(nodes: np.ndarray) -> ClassCut | None:
    """The cut through the finer nodes (records,) that records lie in; None if that is one."""
    found, sides = np.unique(nodes, return_inverse=True)
    return ClassCut(sides, joining=True) if len(found) > 1 else None


def at_median(places: np.ndarray) -> ClassCut | None:
    """The cut between two values, whose sides are as large as each other as can be; None if all values are one.

    ``places`` (records,) are numbers in the order of values. Of two such cuts the first is taken.
    """
    found, value, records = np.unique(places, return_inverse=True, return_counts=True)
    if len(found) < 2:
        return None
    left = np.cumsum(records)[:-1]
    last = int(np.abs(2 * left - len(places)).argmin())
    return ClassCut((value > last).astype(np.int64), joining=False)


@dataclass(frozen=True, eq=False)
class CutJudge:
    """Whether cuts of a class are allowed: each side has ``k`` records and meets the criteria on all ``secrets``."""

    k: int
    criteria: Sequence[Criterion]
    secrets: Sequence[ClassSecrets]

    def allows(self, cut: ClassCut, deals: np.ndarray) -> np.ndarray:
        """Whether the cut is allowed in each deal (deals,): ``deals`` (deals, records) tell which record's values each
        person has.
        """
        counts = [_counted(cut, one.codes[deals], len(one.overall)) for one in self.secrets]
        sizes = cut.sizes
        meeting = self._meet(np.broadcast_to(sizes, (len(deals), len(sizes))), counts)
        found: np.ndarray = self._joined(sizes, counts, ~meeting) if cut.joining else np.all(meeting, axis=1)
        return found

    def _joined(self, sizes: np.ndarray, counts: Sequence[np.ndarray], pooled: np.ndarray) -> np.ndarray:
        """Whether two sides are left, once those that are ``pooled`` (deals, sides) are put together."""
        while True:
            some: np.ndarray = np.any(pooled, axis=1)
            pool = [(one * pooled[:, :, None]).sum(axis=1) for one in counts]
            lacking: np.ndarray = np.array(some)
            lacking[some] = ~self._meet(pooled[some] @ sizes, [one[some] for one in pool])
            growing = np.flatnonzero(lacking & ~pooled.all(axis=1))
            if not len(growing):
                allowed: np.ndarray = ((~pooled).sum(axis=1) + some > 1) & ~lacking
                return allowed
            left = np.where(pooled[growing], np.iinfo(np.int64).max, sizes)
            pooled[growing, left.argmin(axis=1)] = True

    def _meet(self, sizes: np.ndarray, counts: Sequence[np.ndarray]) -> np.ndarray:
        found: np.ndarray = sizes >= self.k
        for one, secrets in zip(counts, self.secrets, strict=True):
            found = found & meets(self.criteria, one, secrets)
        return found


def _counted(cut: ClassCut, values: np.ndarray, width: int) -> np.ndarray:
    """How many records of each side have each value, by deal: (deals, sides, width)."""
    shape = (len(values), int(cut.sides.max()) + 1, width)
    keys = (np.arange(shape[0])[:, None] * shape[1] + cut.sides) * width + values
    return np.bincount(keys.ravel(), minlength=shape[0] * shape[1] * width).reshape(shape)
