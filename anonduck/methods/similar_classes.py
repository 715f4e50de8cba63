"""Classes of similar combinations (Majeed and Hwang 2023, Algorithm 1), without a matrix of all pairs.

A combination with k records is a class of its own: its records are equal. The others are taken in an order in which
similar ones are near each other: the first one that is left begins a class, and the most similar ones come to it until
it has k records, so that it has 2k - 1 at most. Combinations are compared within blocks; what the blocks leave over is
taken together and divided into classes in the same way. The last ones left over, under k records in all, come to the
classes whose first combination they are most similar to.

Classes that fail, by what else is asked of them, are put together with the most similar ones that do not.
"""

from __future__ import annotations

import numpy as np

from anonduck.methods.coded_records import WHOLE, CodedRecords, PlacedColumn
from anonduck.methods.method import Tell

EQUAL = 1 << 20
"""The similarity of two equal values; whole, so that sums and ties do not depend on the order of work."""


class Similarity:
    """Tells how similar combinations are, as the sum over columns of parts of EQUAL: the cosine is its mean.

    ``order`` has the combinations so that similar ones stand near each other: by categories first, those with few
    values before those with many, then by numbers.
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
        """How similar a combination is to each of others."""
        return compared(self.some(np.array([one])), self.some(others), self.cosines)

    def some(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Categories and positions of some combinations, for ``compared``."""
        return self.categories[:, rows], self.positions[:, rows]


def compared(
    one: tuple[np.ndarray, np.ndarray], others: tuple[np.ndarray, np.ndarray], cosines: list[np.ndarray]
) -> np.ndarray:
    """How similar one combination is to others."""
    found: np.ndarray = (others[0] == one[0]).sum(axis=0) * EQUAL
    for table, mine, theirs in zip(cosines, one[1], others[1], strict=True):
        found += table[np.abs(theirs - mine)]
    return found


def _distinct(places: np.ndarray) -> int:
    return len(np.unique(places))


def _scaled(column: PlacedColumn, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The position of each combination in an ordered column, and the similarity by how far positions are apart.

    What is no number stands so far away that its similarity is 0.
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
"""Combinations that are compared with each other; 4k where that is more, so that each block forms classes."""
NONE = -1


class SimilarClasses:
    """The classes of combinations: formed first, and then put together as far as some of them fail."""

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

    def form(self, tell: Tell) -> None:
        """Form classes; ``tell`` hears how many records are in one."""
        large = np.flatnonzero(self.data.records >= self.k)
        self.first_of[large] = large
        self._form(self.similarity.order, tell)

    def put_together(self, failing: np.ndarray) -> bool:
        """Let each class that fails join the most similar one of its block that does not, or one that does.

        Returns whether any did. Classes are as similar as the combinations that began them.
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

    def _form(self, order: np.ndarray, tell: Tell) -> None:
        left = order[self.first_of[order] == NONE]
        count = 0
        while count != 1:
            count = max(-(-len(left) // self.block), 1)
            for block in np.array_split(left, count):
                self._form_in(block)
                tell("forming classes", int(self.data.records[self.first_of != NONE].sum()), self.data.total)
            left = left[self.first_of[left] == NONE]
        begun = np.unique(self.first_of[self.first_of != NONE])
        for row in left:
            likeness = self.similarity.of(row, begun) if len(begun) else np.zeros(0)
            self.first_of[row] = begun[int(np.argmax(likeness))] if len(begun) else left[0]
        tell("forming classes", self.data.total, self.data.total)

    def _form_in(self, block: np.ndarray) -> None:
        """Form classes of the combinations of a block as long as they have k records."""
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
    """The most similar ones, the most similar first, of equal ones the first; ``count`` at most."""
    keys = np.arange(len(likeness)) - likeness * len(likeness)
    if len(keys) > count:
        found = np.argpartition(keys, count - 1)[:count]
        return found[np.argsort(keys[found])]
    return np.argsort(keys)


def _joined(joins: np.ndarray) -> np.ndarray:
    """For each class the least one of those that it ends up with, where each joins another or itself."""
    found = np.arange(len(joins))
    while True:
        least = found.copy()
        np.minimum.at(least, joins, found)
        least = np.minimum(least, least[joins])
        if (least == found).all():
            return found
        found = least
