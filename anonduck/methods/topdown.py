"""Top-down anonymization (Xu et al. 2006): split records around two that are far from each other.

The distance of two records is the width of their smallest common nodes. All regions of a round are split at once. The
two seeds of a region are found by going from a record to the farthest one a few times. Each other record joins the side
whose penalty, records times the widths of its nodes, then rises less. Records join in an order drawn with the seed, in
batches of one, two, four and so on, because a single record matters less the larger the sides are. A side with fewer
than k records takes the nearest records of the other. Where a split is not allowed, and after DEPTH rounds, Mondrian
cuts the region if it can.
"""

from __future__ import annotations

import numpy as np

from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.method import Meets, Progress, no_progress
from anonduck.methods.mondrian import mondrian
from anonduck.methods.regions import Regions, divided, joined, summed, whole

DEPTH = 64
STEPS = 3


def topdown(
    data: CodedRecords, k: int, meets: Meets | None = None, *, seed: int = 0, progress: Progress = no_progress
) -> np.ndarray:
    """The class of each combination, from 0."""
    found = _TopDown(data, k, meets, seed).classes(progress)
    return mondrian(data, k, meets, seed=seed, progress=progress, begun=found)


class _TopDown:
    def __init__(self, data: CodedRecords, k: int, meets: Meets | None, seed: int) -> None:
        self.data = data
        self.k = k
        self.meets = meets
        self.ranks = np.random.default_rng(seed).permutation(len(data.records))

    def classes(self, progress: Progress) -> np.ndarray:
        """The class of each combination."""
        regions = whole(len(self.data.records))
        done = regions.some(np.zeros(len(regions.starts), dtype=bool))
        for _ in range(DEPTH):
            if not len(regions.rows):
                break
            kept, regions = self._parted(regions)
            done = joined(done, kept)
            progress("parting records", int(self.data.records[done.rows].sum()), self.data.total)
        done = joined(done, regions)
        found = np.empty(len(self.data.records), dtype=np.int64)
        found[done.rows] = done.of_row
        return found

    def _parted(self, regions: Regions) -> tuple[Regions, Regions]:
        """Split each region once; returns the regions left unsplit, and the sides of the others as new regions."""
        large = np.add.reduceat(self.data.records[regions.rows], regions.starts) >= 2 * self.k
        small, regions = regions.some(~large), regions.some(large)
        if not len(regions.rows):
            return small, regions
        order = np.lexsort((self.ranks[regions.rows], regions.of_row))
        regions = Regions(regions.rows[order], regions.starts)
        sides = self._repaired(regions, self._sides(regions))
        allowed = self._both_meet(regions, sides)
        parted = regions.some(allowed)
        return joined(small, regions.some(~allowed)), divided(parted, sides[allowed[regions.of_row]])

    # -- sides ---------------------------------------------------------------------------------------------------------

    def _sides(self, regions: Regions) -> np.ndarray:
        """The side of each row, 0 or 1; the rows of a region are in the order in which they join."""
        one = regions.rows[regions.starts]
        other = self._farthest(regions, one)
        for _ in range(STEPS):
            one, other = other, self._farthest(regions, other)
        sides = _Sides(self.data, one, other)
        found = np.empty(len(regions.rows), dtype=np.int64)
        place = np.arange(len(regions.rows)) - regions.starts[regions.of_row]
        begin = 0
        while begin < regions.lengths.max():
            now = np.flatnonzero((begin <= place) & (place <= 2 * begin))
            found[now] = sides.join(regions.rows[now], regions.of_row[now])
            begin = 2 * begin + 1
        return found

    def _farthest(self, regions: Regions, rows: np.ndarray) -> np.ndarray:
        """For each region the row farthest from the given one; the first of equal ones."""
        apart = np.zeros(len(regions.rows), dtype=np.int64)
        for column, places in zip(self.data.columns, self.data.places, strict=True):
            here, there = places[regions.rows], places[rows][regions.of_row]
            apart += column.width(here, there)
        most = np.maximum.reduceat(apart, regions.starts)
        candidates = np.flatnonzero(apart == most[regions.of_row])
        _, first = np.unique(regions.of_row[candidates], return_index=True)
        found: np.ndarray = regions.rows[candidates[first]]
        return found

    # -- repaired ------------------------------------------------------------------------------------------------------

    def _repaired(self, regions: Regions, sides: np.ndarray) -> np.ndarray:
        """The sides after each one with fewer than k records took the nearest records of the other."""
        records = self.data.records[regions.rows]
        second = summed(regions.of_row, records * sides, len(regions.starts))
        first = summed(regions.of_row, records, len(regions.starts)) - second
        lacking = np.where(first < self.k, 0, np.where(second < self.k, 1, -1))
        held = np.minimum(first, second)
        giving = np.flatnonzero((lacking[regions.of_row] >= 0) & (sides != lacking[regions.of_row]))
        if not len(giving):
            return sides
        of_row = regions.of_row[giving]
        widths = self._widened(regions, sides, lacking, giving)
        order = np.lexsort((np.arange(len(giving)), widths, of_row))
        giving, of_row = giving[order], of_row[order]
        before = np.cumsum(records[giving]) - records[giving]
        starts = np.flatnonzero(np.r_[True, np.diff(of_row) != 0])
        before -= np.repeat(before[starts], np.diff(np.r_[starts, len(of_row)]))
        taken = giving[before + held[of_row] < self.k]
        repaired = sides.copy()
        repaired[taken] = lacking[regions.of_row[taken]]
        return repaired

    def _widened(self, regions: Regions, sides: np.ndarray, lacking: np.ndarray, giving: np.ndarray) -> np.ndarray:
        """The width of the nodes of the lacking side together with each row that could be given to it."""
        there = np.flatnonzero(sides == lacking[regions.of_row])
        of_row, widths = regions.of_row[there], np.zeros(len(giving), dtype=np.int64)
        for column, places in zip(self.data.columns, self.data.places, strict=True):
            least = np.full(len(regions.starts), len(column.place))
            most = np.full(len(regions.starts), -1)
            np.minimum.at(least, of_row, places[regions.rows[there]])
            np.maximum.at(most, of_row, places[regions.rows[there]])
            here, owner = places[regions.rows[giving]], regions.of_row[giving]
            low, high = np.minimum(least[owner], here), np.maximum(most[owner], here)
            widths += column.width(low, high)
        return widths

    def _both_meet(self, regions: Regions, sides: np.ndarray) -> np.ndarray:
        """Whether both sides of each region have k records and satisfy ``meets``."""
        count = 2 * len(regions.starts)
        groups = 2 * regions.of_row + sides
        met = summed(groups, self.data.records[regions.rows], count) >= self.k
        asked = met[groups]
        if self.meets is not None and met.any():
            numbers = np.cumsum(met) - 1
            met[met] = self.meets(regions.rows[asked], numbers[groups[asked]], int(numbers[-1]) + 1)
        both: np.ndarray = met[::2] & met[1::2]
        return both


class _Sides:
    """The two growing sides of each region: their records, and for each column their least and largest place."""

    def __init__(self, data: CodedRecords, one: np.ndarray, other: np.ndarray) -> None:
        self.data = data
        self.seeds = (one, other)
        self.records = [np.zeros(len(one), dtype=np.int64) for _ in self.seeds]
        self.least = [[places[seed] for places in data.places] for seed in self.seeds]
        self.most = [[places[seed] for places in data.places] for seed in self.seeds]

    def join(self, rows: np.ndarray, of_row: np.ndarray) -> np.ndarray:
        """The side each row joins: that of the smaller rise in penalty, then the nearer seed, then fewer records."""
        keys = [self._keys(side, rows, of_row) for side in (0, 1)]
        found = np.zeros(len(rows), dtype=np.int64)
        for first, second in reversed(list(zip(*keys, strict=True))):
            found[first != second] = (second < first)[first != second]
        for side in (0, 1):
            self._grow(side, rows[found == side], of_row[found == side])
        return found

    def _keys(self, side: int, rows: np.ndarray, of_row: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        before, after, apart = (np.zeros(len(rows), dtype=np.int64) for _ in range(3))
        for number, (column, places) in enumerate(zip(self.data.columns, self.data.places, strict=True)):
            here, seed = places[rows], places[self.seeds[side]][of_row]
            least, most = self.least[side][number][of_row], self.most[side][number][of_row]
            low, high = np.minimum(least, here), np.maximum(most, here)
            before += column.width(least, most)
            after += column.width(low, high)
            apart += column.width(here, seed)
        held = self.records[side][of_row]
        return (held + self.data.records[rows]) * after - held * before, apart, held

    def _grow(self, side: int, rows: np.ndarray, of_row: np.ndarray) -> None:
        np.add.at(self.records[side], of_row, self.data.records[rows])
        for number, places in enumerate(self.data.places):
            np.minimum.at(self.least[side][number], of_row, places[rows])
            np.maximum.at(self.most[side][number], of_row, places[rows])
