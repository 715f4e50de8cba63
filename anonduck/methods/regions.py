"""Groups of combinations, stored together so that methods can cut all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from anonduck.methods.method import Progress

DENSE = 1 << 16
LARGEST = 1 << 62


@dataclass(frozen=True, eq=False)
class Regions:
    """Combinations by region: ``rows`` lists them region by region; ``starts`` is where each region starts."""

    rows: np.ndarray
    starts: np.ndarray

    @cached_property
    def lengths(self) -> np.ndarray:
        """The number of combinations of each region."""
        return np.diff(np.r_[self.starts, len(self.rows)])

    @cached_property
    def of_row(self) -> np.ndarray:
        """The region of each row."""
        return np.repeat(np.arange(len(self.starts)), self.lengths)

    def some(self, wanted: np.ndarray) -> Regions:
        """The regions with ``wanted`` true, in their order."""
        lengths = self.lengths[wanted]
        return Regions(self.rows.compress(wanted[self.of_row]), np.cumsum(lengths) - lengths)


def whole(count: int) -> Regions:
    """All combinations as one region; no region if there are none."""
    return Regions(np.arange(count), np.zeros(min(count, 1), dtype=np.int64))


def joined(one: Regions, other: Regions) -> Regions:
    """The regions of both, one after the other."""
    return Regions(np.r_[one.rows, other.rows], np.r_[one.starts, len(one.rows) + other.starts])


def divided(regions: Regions, sides: np.ndarray) -> Regions:
    """Divide regions by the ``sides`` (rows,) of their rows; each side becomes a region."""
    keys = regions.of_row * (int(sides.max(initial=0)) + 1) + sides
    order, ordered = _in_order(keys)
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]][: len(order)])
    return Regions(regions.rows[order], starts)


def _in_order(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows in the order of their keys (from 0), equal ones in their own order, and the keys in that order.

    Where key and row fit into one number, such numbers are sorted, which takes a fraction of the time.
    """
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)) >= LARGEST >> bits:
        order = np.argsort(keys, kind="stable")
        return order, keys[order]
    numbers = (keys << bits) | np.arange(len(keys))
    numbers.sort()
    return numbers & ((1 << bits) - 1), numbers >> bits


class BestCuts(NamedTuple):
    """The best cut of each region: the side of each row, whether a region has an allowed cut, and its column."""

    sides: np.ndarray
    allowed: np.ndarray
    columns: np.ndarray


class Watcher(Protocol):
    """Who is told of each round of cuts."""

    def cut(self, parents: Regions, columns: np.ndarray, sides: Regions) -> None:
        """Regions of the round before were cut, each in the column of its number; the sides are those of the next."""


def cut_up(
    regions: Regions,
    records: np.ndarray,
    least: int,
    best_cuts: Callable[[Regions], BestCuts],
    progress: Progress,
    watcher: Watcher | None = None,
) -> np.ndarray:
    """Cut regions, and their sides again, until no cut is left; returns the class of each combination, from 0.

    Args:
        regions: all combinations.
        records: the records of each combination.
        least: the records that a region needs to be cut.
        best_cuts: of regions, their best cuts.
        progress: called with the number of records in final classes.
        watcher: is told of the cuts that are made.
    """
    found = np.zeros(len(records), dtype=np.int64)
    count, placed, everyone = 0, 0, int(records.sum())
    while len(regions.rows):
        large = np.add.reduceat(records[regions.rows], regions.starts) >= least
        small, rest = regions.some(~large), regions.some(large)
        sides, allowed, columns = best_cuts(rest)
        uncut, cut = joined(small, rest.some(~allowed)), rest.some(allowed)
        regions = divided(cut, sides.compress(allowed[rest.of_row]))
        if watcher is not None and len(cut.rows):
            watcher.cut(cut, columns[allowed], regions)
        found[uncut.rows] = count + uncut.of_row
        count += len(uncut.starts)
        placed += int(records[uncut.rows].sum())
        progress("cutting classes", placed, everyone)
    return found


def summed(groups: np.ndarray, records: np.ndarray, count: int) -> np.ndarray:
    """Records summed by group, (count,); exact while sums are below 2**53."""
    return np.bincount(groups, weights=records, minlength=count).astype(np.int64)


def numbered(keys: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct keys (from 0, below ``size``) in their order, and the number of each key among them."""
    if size > max(DENSE, 4 * len(keys)):
        found, numbers = np.unique(keys, return_inverse=True)
        return found, numbers
    there = np.bincount(keys, minlength=size) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[keys]
