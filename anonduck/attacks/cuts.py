"""Cuts of a class that Mondrian would have made had the requirement allowed it, from its published description.

A class is cut through the finer nodes right under its label, those that miss the requirement put together, and if they
still miss it, with the smallest of the others; or, where values have an order, at their median (LeFevre et al. 2006;
docs/anonymize.md, "Mondrian").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations

import numpy as np

from anonduck.attacks.known_requirement import ClassSecrets, meets
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


LISTED = 7  # records of a class whose deals are listed; those of larger ones are drawn
DRAWN, MOST_DRAWN = 2_048, 131_072  # deals at once, and of a class
ENOUGH = 1_000  # deals that are left, for chances with a standard error of 0.016 at most
CELLS = 1 << 22  # numbers in memory at once


@dataclass(frozen=True, eq=False)
class DealtChances:
    """The chances (groups, values) of each sensitive column that the people of each group have each value.

    ``groups`` (records,) are people whom no cut tells apart. ``left`` of ``made`` deals leave the class whole.
    """

    groups: np.ndarray
    chances: tuple[np.ndarray, ...]
    made: int
    left: int
    listed: bool

    @property
    def sure(self) -> bool:
        """Whether enough deals are left to tell chances by."""
        return self.left > 0 and (self.listed or self.left >= ENOUGH)


def chances_of(judge: CutJudge, barred: Sequence[ClassCut], random: np.random.Generator) -> DealtChances:
    """The chances in the deals in which none of the ``barred`` cuts is allowed, all of them being as likely."""
    records = len(judge.secrets[0].codes)
    _, groups = np.unique(np.array([cut.sides for cut in barred]), axis=1, return_inverse=True)
    sums = [np.zeros((int(groups.max()) + 1, len(one.overall))) for one in judge.secrets]
    found = DealtChances(groups, (), 0, 0, records <= LISTED)
    parts: Iterable[np.ndarray] = (
        [_every(records)] if found.listed else _drawn(records, _at_once(judge, barred), random)
    )
    for deals in parts:
        left = deals
        for cut in barred:
            left = left[~judge.allows(cut, left)] if len(left) else left
        for one, total in zip(judge.secrets, sums, strict=True):
            np.add.at(total, (np.broadcast_to(groups, left.shape), one.codes[left]), 1)
        found = replace(found, made=found.made + len(deals), left=found.left + len(left))
        if found.sure:
            break
    people = np.bincount(groups)[:, None] * max(found.left, 1)
    return replace(found, chances=tuple(total / people for total in sums))


def _at_once(judge: CutJudge, barred: Sequence[ClassCut]) -> int:
    """How many deals are drawn at once, so that they and what is counted of them fit in memory."""
    widest = max(len(cut.sizes) for cut in barred) * max(len(one.overall) for one in judge.secrets)
    return max(1, min(DRAWN, CELLS // (len(judge.secrets[0].codes) + widest)))


def _drawn(records: int, at_once: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    for start in range(0, MOST_DRAWN, at_once):
        yield random.permuted(np.tile(np.arange(records), (min(at_once, MOST_DRAWN - start), 1)), axis=1)


@cache
def _every(records: int) -> np.ndarray:
    return np.array(list(permutations(range(records))))
