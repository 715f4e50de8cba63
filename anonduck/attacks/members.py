"""Who is in which class of a release, as far as everybody's quasi-identifiers tell it for certain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class ClassMembers:
    """The class of each combination of quasi-identifiers (combinations,), -1 where nobody can tell, and whether all
    people of each class are known (classes,).
    """

    classes: np.ndarray
    known: np.ndarray

    def of(self, one: int) -> np.ndarray:
        """The combinations of a class."""
        return np.flatnonzero(self.classes == one)


def certain_members(classes: np.ndarray, rows: np.ndarray, people: np.ndarray, records: np.ndarray) -> ClassMembers:
    """The members that follow from which combinations fit which classes.

    A class that fits no more people than it has records holds them all; people who fit one class are in it, if nobody
    was left out. Either may settle others, until nothing more follows.

    Args:
        classes, rows: the pairs (pairs,) of a class and a combination that fits it.
        people: how many have each combination.
        records: those of each class.
    """
    left, found = records.astype(np.int64), np.full(len(people), -1)
    everybody = int(records.sum()) == int(people.sum())
    while True:
        fitting = np.bincount(classes, people[rows], len(left))
        places = np.bincount(rows, minlength=len(people))
        certain = np.flatnonzero((fitting == left)[classes] | ((places == 1)[rows] & everybody))
        if not len(certain):
            return ClassMembers(found, (left == 0) & (records > 0))
        settled, first = np.unique(rows[certain], return_index=True)
        found[settled] = classes[certain[first]]
        left -= np.bincount(found[settled], people[settled], len(left)).astype(np.int64)
        open_ = (found[rows] < 0) & (left[classes] > 0)
        classes, rows = classes[open_], rows[open_]
