"""Classes of similar combinations (Majeed and Hwang 2023, Algorithm 1), without a matrix of all pairs.

Similarity is the cosine of two vectors to which each column adds a part of length 1 (equation 11). A category is
one-hot. A number is scaled by its rank among the occurring values, from 0 to 1, and stands at that share of a right
angle: two numbers have the cosine 1 if equal, and 0 if they are the least and the largest. NULL and values unknown to
the taxonomy are categories of their own. So the cosine is 1 for equal combinations only, and 0 where no column has
anything in common.

A combination with k records is a class of its own. The others are sorted so that similar ones are near each other. The
first one left starts a class, and the most similar ones join it until it has k records, so that it has at most 2k - 1.
Combinations are compared within blocks; leftovers of the blocks are collected and formed into classes the same way. The
last leftovers, fewer than k records in all, join the class whose first combination is most similar.

Classes that fail a further requirement are merged with the most similar classes that do not.
"""

from __future__ import annotations

import numpy as np

from anonduck.methods.coded_records import WHOLE, CodedRecords, PlacedColumn
from anonduck.methods.method import Progress

EQUAL = 1 << 20
"""The similarity of two equal values; whole, so that sums and ties do not depend on the order of computation."""


class Similarity:
    """The similarity of combinations: the cosine times EQUAL times the number of columns, a whole number.

    ``order`` sorts combinations so that similar ones are near each other: by categories first, those with few values
    before those with many, then by numbers.
    """

    def __init__(self, data: CodedRecords) -> None:
        columns = list(zip(data.columns, data.places, strict=True))
        categories = sorted((places for one, places in columns if not one.ordered), key=_distinct)
        numbers = sorted((_scaled(one, places) for one, places in columns if one.ordered), key=lambda one: len(one[1]))
        count = len(data.records)
        self.categories = np.array(categories, dtype=np.int64).reshape(-1, count)
        self.positions = np.array([one for one, _ in numbers], dtype=np.int64).reshape(-1, count)
        self.cosines = [table for _, table in numbers]
        keys = [*self.categories, *self.positions]
        self.order = np.lexsort(keys[::-1]) if keys else np.arange(count)

    def of(self, one: int, others: np.ndarray) -> np.ndarray:
        """The similarity of one combination to each of the others."""
        return compared(self.some(np.array([one])), self.some(others), self.cosines)

    def some(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The categories and positions of the given combinations, for ``compared``."""
        return self.categories[:, rows], self.positions[:, rows]


def compared(
    one: tuple[np.ndarray, np.ndarray], others: tuple[np.ndarray, np.ndarray], cosines: list[np.ndarray]
) -> np.ndarray:
    """The similarity of one combination to others, (others,)."""
    found: np.ndarray = (others[0] == one[0]).sum(axis=0) * EQUAL
    for table, mine, theirs in zip(cosines, one[1], others[1], strict=True):
        found += table[np.abs(theirs - mine)]
    return found


def _distinct(places: np.ndarray) -> int:
    return len(np.unique(places))


def _scaled(column: PlacedColumn, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The position of each combination in an ordered column, and the similarity of two positions by their distance.

    NULL and unknown values get positions so far away that their similarity to numbers is 0.
    """
    held, rank = np.unique(places, return_inverse=True)
    missing, unknown = held == column.place[0], column.widths[0, held] == WHOLE
    numbers = ~(missing | unknown)
    count = max(int(numbers.sum()), 1)
    position = np.cumsum(numbers) - 1
    position[missing], position[unknown] = 2 * count, 4 * count
    table = np.zeros(4 * count + 1, dtype=np.int64)
    angles = np.arange(count) / max(count - 1, 1) * (np.pi / 2)
    table[:count] = np.rint(np.cos(angles) * EQUAL)
    found: np.ndarray = position[rank]
    return found, table


BLOCK = 2048
"""Combinations of a block, which are compared with each other; 4k if that is more, so that a block forms classes."""
NONE = -1


class SimilarClasses:
    """Forms classes of combinations, and then merges classes that fail a requirement."""

    def __init__(self, data: CodedRecords, k: int) -> None:
        self.data = data
        self.k = k
        self.similarity = Similarity(data)
        self.first_of = np.full(len(data.records), NONE)  # the combination that began the class of each
        self.block = max(BLOCK, 4 * k)

    @property
    def classes(self) -> np.ndarray:
        """The class of each combination, from 0, in the order of the combinations that began them."""
        return np.unique(self.first_of, return_inverse=True)[1]

    def form(self, progress: Progress) -> None:
        """Form classes; ``progress`` is called with the number of records that are in one."""
        large = np.flatnonzero(self.data.records >= self.k)
        self.first_of[large] = large
        self._form(self.similarity.order, progress)

    def put_together(self, failing: np.ndarray) -> bool:
        """Merge each failing class with the most similar class of its block that does not fail, or else with any.

        Returns whether classes were merged. The similarity of classes is that of the combinations that began them.
        """
        firsts, group = np.unique(self.first_of, return_inverse=True)
        if len(firsts) < 2 or not failing.any():
            return False
        place = np.empty(len(group), dtype=np.int64)
        place[self.similarity.order] = np.arange(len(group))
        in_order = np.argsort(place[firsts])
        joins = np.arange(len(firsts))
        for block in np.array_split(in_order, -(-len(in_order) // BLOCK)):
            self._join_in(block, firsts[block], failing[block], joins)
        self.first_of = firsts[_joined(joins)][group]
        return True

    def _join_in(self, block: np.ndarray, rows: np.ndarray, failing: np.ndarray, joins: np.ndarray) -> None:
        for number in np.flatnonzero(failing):
            likeness = self.similarity.of(rows[number], rows)
            if not failing.all():
                likeness[failing] = NONE
            likeness[number] = NONE
            joins[block[number]] = block[int(np.argmax(likeness))]

    def _form(self, order: np.ndarray, progress: Progress) -> None:
        left = order[self.first_of[order] == NONE]
        count = 0
        while count != 1:
            count = max(-(-len(left) // self.block), 1)
            for block in np.array_split(left, count):
                self._form_in(block)
                progress("forming classes", int(self.data.records[self.first_of != NONE].sum()), self.data.total)
            left = left[self.first_of[left] == NONE]
        begun = np.unique(self.first_of[self.first_of != NONE])
        for row in left:
            likeness = self.similarity.of(row, begun) if len(begun) else np.zeros(0)
            self.first_of[row] = begun[int(np.argmax(likeness))] if len(begun) else left[0]
        progress("forming classes", self.data.total, self.data.total)

    def _form_in(self, block: np.ndarray) -> None:
        """Form classes of the combinations of a block while k records are left."""
        records = self.data.records[block]
        categories, positions = self.similarity.some(block)
        remaining = int(records.sum())
        while remaining >= self.k:
            lacking = self.k - int(records[0])
            likeness = compared(
                (categories[:, :1], positions[:, :1]), (categories[:, 1:], positions[:, 1:]), self.similarity.cosines
            )
            nearest = _nearest(likeness, lacking) + 1
            come = nearest[: int(np.searchsorted(np.cumsum(records[nearest]), lacking)) + 1]
            self.first_of[block[0]] = block[0]
            self.first_of[block[come]] = block[0]
            remaining -= int(records[0] + records[come].sum())
            stay = np.ones(len(block), dtype=bool)
            stay[0], stay[come] = False, False
            block, records = block[stay], records[stay]
            categories, positions = categories[:, stay], positions[:, stay]


def _nearest(likeness: np.ndarray, count: int) -> np.ndarray:
    """The positions of at most ``count`` most similar ones, the most similar first; ties keep their order."""
    keys = np.arange(len(likeness)) - likeness * len(likeness)
    if len(keys) > count:
        found = np.argpartition(keys, count - 1)[:count]
        return found[np.argsort(keys[found])]
    return np.argsort(keys)


def _joined(joins: np.ndarray) -> np.ndarray:
    """For each class the smallest number of the classes it is merged with, where each joins another or itself."""
    found = np.arange(len(joins))
    while True:
        least = found.copy()
        np.minimum.at(least, joins, found)
        least = np.minimum(least, least[joins])
        if (least == found).all():
            return found
        found = least
