"""How similar combinations are: the cosine of vectors to which each column adds a part of length 1.

A category is an indicator of its own (one-hot). A number is scaled by its rank among the values that records have, from
0 to 1, and stands at that share of a right angle: the cosine of two numbers is 1 where they are equal, and 0 for the
least and the largest. NULL and what a taxonomy does not know are categories beside all others. So the cosine is 1 for
equal combinations alone, and 0 where no column has anything in common (equation 11 of Majeed and Hwang 2023).
"""

from __future__ import annotations

import numpy as np

from anonduck.methods.coded_records import WHOLE, CodedRecords, PlacedColumn

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
