"""Judges the rolled-up classes of a level vector: how large k can be, what is met, and which classes are left out.

Every search in memory asks this of every vector, whatever it makes small. The records under k are counted from the
sizes at hand; all else that is required is judged by anonduck.measures.class_judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np

from anonduck.measures.class_judge import ClassJudge
from anonduck.measures.requirement import Requirement
from anonduck.rules.rule import LevelVector


@dataclass(frozen=True, eq=False)
class JudgedLevels:
    """Whether a level vector meets what is required.

    ``holds``: it has what no finer vector regains. ``reach`` is the largest k at which no more records than allowed are
    in classes under it: neither the k of the records that stay nor that of a finer vector exceeds it, as classes only
    part when levels fall. ``k`` is that of the records that stay. ``left_out`` says of each class
    whether it is left out, None where none is.
    """

    met: bool
    holds: bool
    reach: int
    k: int = 0
    left_out: np.ndarray | None = None


class LevelJudge:
    """Judges level vectors of a table of so many ``records``; ``classes`` is asked where more than k is required."""

    def __init__(self, requirement: Requirement, classes: ClassJudge, records: int) -> None:
        self.requirement = requirement
        self.classes = classes
        self.allowed = allowed(requirement, records)

    def __call__(self, vector: LevelVector, sizes: np.ndarray) -> JudgedLevels:
        """What a vector meets whose classes have these sizes."""
        k, reach = self.requirement.k, largest_k(sizes, self.allowed)
        if reach < k:
            return JudgedLevels(False, False, reach)
        if self.requirement.only_k:
            failing = sizes < k
            left_out = failing if failing.any() else None
            return JudgedLevels(True, True, reach, int(sizes[~failing].min()), left_out)
        if not self.classes.holds(vector):
            return JudgedLevels(False, False, reach)
        found = self.classes.verdict(vector)
        return JudgedLevels(found.met, True, reach, found.k, found.left_out if found.met else None)

    def is_hopeless(self, vector: LevelVector, judged: JudgedLevels) -> bool:
        """Whether neither the vector nor any finer one meets what is required, as far as that is known."""
        return not judged.met and (not judged.holds or self.classes.is_hopeless(vector))


def allowed(requirement: Requirement, records: int) -> int:
    """The most records that may be left out."""
    most = min(records, floor(requirement.suppression * records) + 1)
    while most > 0 and not requirement.allows(most, records):
        most -= 1
    return most


def largest_k(sizes: np.ndarray, most: int) -> int:
    """The largest k at which no more than ``most`` records are in classes under it; where all may be left out, the
    largest size."""
    if not most:
        return int(sizes.min())
    ordered = np.sort(sizes)
    place = int(np.searchsorted(np.cumsum(ordered), most, side="right"))
    return int(ordered[min(place, len(ordered) - 1)])
