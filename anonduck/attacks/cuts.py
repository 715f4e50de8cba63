"""Cuts of a class that Mondrian would have made if the requirement had allowed them, and what ruling them out reveals.

Mondrian cuts a class through the finer nodes right under its label: nodes that miss the requirement are put together,
with the smallest of the others if they still miss it. Ordered values are also cut at their median (LeFevre et al. 2006;
docs/anonymize.md, "Mondrian").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations

import numpy as np

from anonduck.attacks.known_requirement import ClassValues, meets
from anonduck.privacy.requirement import Criterion

LISTED = 7  # in classes of at most so many records all deals are listed; in larger ones deals are drawn
DRAWN, MOST_DRAWN = 2_048, 131_072  # deals drawn at once, and per class
ENOUGH = 1_000  # consistent deals, for chances with a standard error of at most 0.016
CELLS = 1 << 22  # numbers held in memory at once


@dataclass(frozen=True, eq=False)
class ClassCut:
    """A cut of a class: the side of each record (records,), from 0. ``joining``: sides that miss the requirement are
    merged.
    """

    sides: np.ndarray
    joining: bool

    @property
    def sizes(self) -> np.ndarray:
        """The number of records of each side."""
        return np.bincount(self.sides)


def through_nodes(nodes: np.ndarray) -> ClassCut | None:
    """The cut through the finer nodes (records,) of the records; None if all lie in one node."""
    found, sides = np.unique(nodes, return_inverse=True)
    return ClassCut(sides, joining=True) if len(found) > 1 else None


def at_median(places: np.ndarray) -> ClassCut | None:
    """The cut between two values that makes the sides most equal, the first of ties; None if all values are equal.

    ``places`` (records,) are numbers in the order of the values.
    """
    found, value, records = np.unique(places, return_inverse=True, return_counts=True)
    if len(found) < 2:
        return None
    left = np.cumsum(records)[:-1]
    last = int(np.abs(2 * left - len(places)).argmin())
    return ClassCut((value > last).astype(np.int64), joining=False)


@dataclass(frozen=True, eq=False)
class CutJudge:
    """Decides whether a cut is allowed: each side has ``k`` records and meets the criteria in all sensitive columns."""

    k: int
    criteria: Sequence[Criterion]
    sensitive_values: Sequence[ClassValues]

    def allows(self, cut: ClassCut, deals: np.ndarray) -> np.ndarray:
        """Whether the cut is allowed in each deal (deals,).

        ``deals`` (deals, records) gives, for each person, the number of the record whose values the person has.
        """
        counts = [_counted(cut, one.codes[deals], len(one.overall)) for one in self.sensitive_values]
        sizes = cut.sizes
        meeting = self._meet(np.broadcast_to(sizes, (len(deals), len(sizes))), counts)
        found: np.ndarray = self._joined(sizes, counts, ~meeting) if cut.joining else np.all(meeting, axis=1)
        return found

    def _joined(self, sizes: np.ndarray, counts: Sequence[np.ndarray], pooled: np.ndarray) -> np.ndarray:
        """Whether two sides are left, in each deal, after the ``pooled`` sides (deals, sides) are merged."""
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
        for one, sensitive_values in zip(counts, self.sensitive_values, strict=True):
            found = found & meets(self.criteria, one, sensitive_values)
        return found


def _counted(cut: ClassCut, values: np.ndarray, width: int) -> np.ndarray:
    """The number of records with each value, by deal and side: (deals, sides, width)."""
    shape = (len(values), int(cut.sides.max()) + 1, width)
    keys = (np.arange(shape[0])[:, None] * shape[1] + cut.sides) * width + values
    return np.bincount(keys.ravel(), minlength=shape[0] * shape[1] * width).reshape(shape)


@dataclass(frozen=True, eq=False)
class DealtChances:
    """For each group of people and each value of a sensitive column, the chance that they have it: (groups, values).

    People in one of the ``groups`` (records,) are on the same side of every cut. ``left`` of ``made`` deals are
    consistent with the class not being cut.
    """

    groups: np.ndarray
    chances: tuple[np.ndarray, ...]
    made: int
    left: int
    listed: bool

    @property
    def sure(self) -> bool:
        """Whether enough deals are left to estimate chances."""
        return self.left > 0 and (self.listed or self.left >= ENOUGH)


def chances_of(judge: CutJudge, barred: Sequence[ClassCut], random: np.random.Generator) -> DealtChances:
    """The chances over the deals in which none of the ``barred`` cuts is allowed. All such deals are equally likely."""
    records = len(judge.sensitive_values[0].codes)
    _, groups = np.unique(np.array([cut.sides for cut in barred]), axis=1, return_inverse=True)
    sums = [np.zeros((int(groups.max()) + 1, len(one.overall))) for one in judge.sensitive_values]
    found = DealtChances(groups, (), 0, 0, records <= LISTED)
    parts: Iterable[np.ndarray] = (
        [_every(records)] if found.listed else _drawn(records, _at_once(judge, barred), random)
    )
    for deals in parts:
        left = deals
        for cut in barred:
            left = left[~judge.allows(cut, left)] if len(left) else left
        for one, total in zip(judge.sensitive_values, sums, strict=True):
            np.add.at(total, (np.broadcast_to(groups, left.shape), one.codes[left]), 1)
        found = replace(found, made=found.made + len(deals), left=found.left + len(left))
        if found.sure:
            break
    people = np.bincount(groups)[:, None] * max(found.left, 1)
    return replace(found, chances=tuple(total / people for total in sums))


def _at_once(judge: CutJudge, barred: Sequence[ClassCut]) -> int:
    """The number of deals to draw at a time, bounded by memory."""
    widest = max(len(cut.sizes) for cut in barred) * max(len(one.overall) for one in judge.sensitive_values)
    return max(1, min(DRAWN, CELLS // (len(judge.sensitive_values[0].codes) + widest)))


def _drawn(records: int, at_once: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    for start in range(0, MOST_DRAWN, at_once):
        yield random.permuted(np.tile(np.arange(records), (min(at_once, MOST_DRAWN - start), 1)), axis=1)


@cache
def _every(records: int) -> np.ndarray:
    return np.array(list(permutations(range(records))))
