"""Regions: combinations put together, as methods cut them all at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

DENSE = 1 << 16


@dataclass(frozen=True, eq=False)
class Regions:
    """Combinations by region: ``rows`` are combinations, region by region, ``starts`` the first of each region."""

    rows: np.ndarray
    starts: np.ndarray

    @cached_property
    def lengths(self) -> np.ndarray:
        """The combinations of each region."""
        return np.diff(np.r_[self.starts, len(self.rows)])

    @cached_property
    def of_row(self) -> np.ndarray:
        """The region of each row."""
        return np.repeat(np.arange(len(self.starts)), self.lengths)

    def some(self, wanted: np.ndarray) -> Regions:
        """The regions that are wanted, in their order."""
        lengths = self.lengths[wanted]
        return Regions(self.rows[wanted[self.of_row]], np.cumsum(lengths) - lengths)


def whole(count: int) -> Regions:
    """All combinations as one region; no region where there are none."""
    return Regions(np.arange(count), np.zeros(min(count, 1), dtype=np.int64))


def joined(one: Regions, other: Regions) -> Regions:
    """All regions of both."""
    return Regions(np.r_[one.rows, other.rows], np.r_[one.starts, len(one.rows) + other.starts])


def divided(regions: Regions, sides: np.ndarray) -> Regions:
    """The sides of regions, as regions."""
    order = np.lexsort((sides, regions.of_row))
    of_row, sides = regions.of_row[order], sides[order]
    starts = np.flatnonzero(np.r_[True, (np.diff(of_row) != 0) | (np.diff(sides) != 0)][: len(order)])
    return Regions(regions.rows[order], starts)


def summed(groups: np.ndarray, records: np.ndarray, count: int) -> np.ndarray:
    """Records summed by group; exact, as sums of whole numbers under 2**53 are."""
    return np.bincount(groups, weights=records, minlength=count).astype(np.int64)


def numbered(keys: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct keys (under ``size``) in their order, and the number of each key among them."""
    if size > max(DENSE, 4 * len(keys)):
        found, numbers = np.unique(keys, return_inverse=True)
        return found, numbers
    there = np.bincount(keys, minlength=size) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[keys]
