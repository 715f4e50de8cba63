"""What is left of the ways to deal the values of a class to its people, once those are out in which it could be cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations

import numpy as np

from anonduck.attacks.cuts import ClassCut, CutJudge

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
