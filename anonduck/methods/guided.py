"""Guided classes: cut regions where it helps models most, and where it keeps most detail.

It follows LeFevre, DeWitt and Ramakrishnan (Workload-aware anonymization, TODS 2008) and Goldsteen et al. (Anonymizing
machine learning models, 2020). A teacher says which class it expects of each combination, with models that have not
seen its records (anonduck.models.teacher). Cuts follow what it expects and not the classes themselves, so that they
follow what can be learned and tell less of single records.

All regions of a round are cut at once, each by the allowed cut with the highest score, ``gain + detail * saved``:

- ``gain`` is how much the variance of the expected shares falls, summed over class values and records, as a share of
  that of all records.
- ``saved`` is how much the width of what the sides show falls in the column that is cut, in the mean over all records
  and columns: the NCP of that column.

An ordered column may be cut between any two of its values. A nominal column may be cut between the children of the
smallest node over the region, in the order of what the teacher expects of them; a side of several children still shows
that node, because a class shows one node.

Whole numbers are summed, and scores are rounded to PRECISION, so that classes depend neither on threads nor on the
order of records. Of equal scores the cut with the smaller largest side goes first, then a rank of columns drawn with
the seed, then the first cut of the column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonduck.methods.coded_records import WHOLE, CodedRecords, PlacedColumn
from anonduck.methods.method import Meets, Progress, no_progress
from anonduck.methods.regions import Regions, divided, joined, numbered, summed, whole

SHARE = 1 << 16
"""An expected share of 1, as a whole number."""
PRECISION = 1 << 40
"""A score of 1, as a whole number."""
PAIRS = 1 << 21
"""Rows of cuts that are judged at a time."""
DETAIL = 0.3
NEVER = np.iinfo(np.int64).min


def guided(
    data: CodedRecords,
    k: int,
    meets: Meets | None = None,
    *,
    seed: int = 0,
    progress: Progress = no_progress,
    detail: float = DETAIL,
) -> np.ndarray:
    """The class of each combination, from 0.

    A cut is allowed if both sides have k records and satisfy ``meets``. If no cut is allowed, all records are one
    class; the caller checks whether that meets the requirement.

    Args:
        data: combinations with what is ``expected`` of their class; without that, cuts save detail alone.
        k: the least number of records in a class.
        meets: whether groups meet what is required besides k.
        seed: draws the ranks that break ties.
        progress: called with the number of records in final classes.
        detail: how much the saved width weighs against the gain; 0 cuts for models alone.
    """
    return _Guided(data, k, meets, detail, seed).classes(progress)


@dataclass(frozen=True, eq=False)
class Cuts:
    """The cuts of regions in one column that leave k records on each side, in the order of regions.

    ``regions`` is the region of each cut, ``scores`` and ``largest`` its score and the records of its largest side,
    ``after`` the last unit of the first side. ``units`` (rows,) is the unit of each row; units are numbered region by
    region in the order in which they can be parted.
    """

    regions: np.ndarray
    scores: np.ndarray
    largest: np.ndarray
    after: np.ndarray
    units: np.ndarray


class _Guided:
    def __init__(self, data: CodedRecords, k: int, meets: Meets | None, detail: float, seed: int) -> None:
        self.data, self.k, self.meets = data, k, meets
        self.column_order = np.argsort(np.random.default_rng(seed).permutation(len(data.columns)))
        self.weighed, self.variance, self.lead = _expected(data)
        self.detail = detail if self.variance or not detail else 1.0
        self.all_widths = float(max(data.total, 1)) * len(data.columns) * WHOLE

    def classes(self, progress: Progress) -> np.ndarray:
        """The class of each combination."""
        found = np.zeros(len(self.data.records), dtype=np.int64)
        count, placed = 0, 0
        regions = whole(len(found))
        while len(regions.rows):
            uncut, regions = self._cut(regions)
            found[uncut.rows] = count + uncut.of_row
            count += len(uncut.starts)
            placed += int(self.data.records[uncut.rows].sum())
            progress("cutting classes", placed, self.data.total)
        return found

    def _cut(self, regions: Regions) -> tuple[Regions, Regions]:
        """Cut each region once; returns the regions that cannot be cut, and the sides of the others as new regions."""
        large = np.add.reduceat(self.data.records[regions.rows], regions.starts) >= 2 * self.k
        small, regions = regions.some(~large), regions.some(large)
        second, allowed = self._best_cuts(regions)
        kept, cut = regions.some(~allowed), regions.some(allowed)
        return joined(small, kept), divided(cut, second[allowed[regions.of_row]])

    def _best_cuts(self, regions: Regions) -> tuple[np.ndarray, np.ndarray]:
        """Whether each row is on the second side of the best cut of its region, and whether a region has one."""
        count = len(regions.starts)
        second = np.zeros(len(regions.rows), dtype=bool)
        scores, largest = np.full(count, NEVER), np.zeros(count, dtype=np.int64)
        for number in self.column_order if count else ():
            column, places = self.data.columns[number], self.data.places[number][regions.rows]
            cuts = self._column_cuts(regions, column, places)
            better = _precedes(cuts, scores, largest)
            chosen = self._first_allowed(regions, cuts, np.flatnonzero(better))
            where = cuts.regions[chosen]
            scores[where], largest[where] = cuts.scores[chosen], cuts.largest[chosen]
            after = np.full(count, -1)
            after[where] = cuts.after[chosen]
            changed = after[regions.of_row] >= 0
            second[changed] = cuts.units[changed] > after[regions.of_row][changed]
        return second, scores > NEVER

    # -- the cuts of a column ------------------------------------------------------------------------------------------

    def _column_cuts(self, regions: Regions, column: PlacedColumn, places: np.ndarray) -> Cuts:
        """The cuts between values of an ordered column, or between children of a nominal one."""
        count, size = len(regions.starts), column.nodes.shape[1]
        least, most = (one.reduceat(places, regions.starts) for one in (np.minimum, np.maximum))
        parts = places
        if not column.ordered:
            levels = np.maximum(column.common_levels(least, most) - 1, 0)
            parts = column.nodes[levels[regions.of_row], places]
        found, units = numbered(regions.of_row * size + parts, count * size)
        owner, rows = found // size, regions.rows
        records = summed(units, self.data.records[rows], len(found))
        shares = [summed(units, weighed[rows], len(found)) for weighed in self.weighed]
        if column.ordered:
            first = last = found % size
        else:
            order, units = self._in_expected_order(owner, records, shares, units)
            records, shares = records[order], [one[order] for one in shares]
            first, last = _stretches(units, places, len(found))
        sums, total = _running(owner, records, count)
        ends = np.r_[owner[1:] == owner[:-1], False] & (sums >= self.k) & (total[owner] - sums >= self.k)
        at = np.flatnonzero(ends)
        region = owner[at]
        gain = np.zeros(len(at))
        for one in shares:
            running, whole_share = _running(owner, one, count)
            gain += _drop(running[at], sums[at], whole_share[region], total[region])
        width = column.width(least, most)[region]
        if column.ordered:
            widths = column.width(least[region], last[at]), column.width(first[at + 1], most[region])
        else:
            begins, ends_at = _edges(owner, at)
            widths = (
                np.where(begins, column.width(first[at], last[at]), width),
                np.where(ends_at, column.width(first[at + 1], last[at + 1]), width),
            )
        saved = (width - widths[0]) * sums[at] + (width - widths[1]) * (total[region] - sums[at])
        score = gain / self.variance if self.variance else gain
        score = score + self.detail * (saved / self.all_widths)
        return Cuts(
            regions=region,
            scores=np.rint(score * PRECISION).astype(np.int64),
            largest=np.maximum(sums[at], total[region] - sums[at]),
            after=at,
            units=units,
        )

    def _in_expected_order(
        self, owner: np.ndarray, records: np.ndarray, shares: list[np.ndarray], units: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Units in the order of the share that is expected of the class value that varies most, and those of rows."""
        means = shares[self.lead] / records if shares else np.zeros(len(owner))
        order = np.lexsort((np.arange(len(owner)), means, owner))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return order, rank[units]

    # -- which cut is allowed ------------------------------------------------------------------------------------------

    def _first_allowed(self, regions: Regions, cuts: Cuts, asked: np.ndarray) -> np.ndarray:
        """Of the asked cuts, the first allowed one of each region by score, smallest largest side and place.

        Cuts are judged in batches that double: most regions accept their first.
        """
        order = np.lexsort((cuts.after[asked], cuts.largest[asked], -cuts.scores[asked], cuts.regions[asked]))
        asked = asked[order]
        of = cuts.regions[asked]
        place = np.arange(len(asked)) - np.searchsorted(of, of)
        if self.meets is None:
            return asked[place == 0]
        found: list[np.ndarray] = []
        begin, size = 0, 1
        while len(asked):
            now = place < begin + size
            met = self._met(regions, cuts, asked[now])
            _, first = np.unique(of[now][met], return_index=True)
            found.append(asked[now][met][first])
            done = np.isin(of, of[now][met])
            left = ~(now | done)
            asked, of, place = asked[left], of[left], place[left]
            begin, size = begin + size, 2 * size
        return np.concatenate([np.zeros(0, dtype=np.int64), *found])

    def _met(self, regions: Regions, cuts: Cuts, asked: np.ndarray) -> np.ndarray:
        """Whether both sides of each cut satisfy ``meets``."""
        found = np.zeros(len(asked), dtype=bool)
        ends = np.cumsum(regions.lengths[cuts.regions[asked]])
        for some in np.split(np.arange(len(asked)), np.flatnonzero(np.diff(ends // PAIRS)) + 1):
            if self.meets is None or not len(some):
                continue
            region = cuts.regions[asked[some]]
            lengths = regions.lengths[region]
            cut = np.repeat(np.arange(len(some)), lengths)
            starts = np.cumsum(lengths) - lengths
            rows = np.arange(len(cut)) + np.repeat(regions.starts[region] - starts, lengths)
            groups = 2 * cut + (cuts.units[rows] > cuts.after[asked[some]][cut])
            order = np.argsort(groups, kind="stable")
            both = self.meets(regions.rows[rows[order]], groups[order], 2 * len(some))
            found[some] = both.reshape(-1, 2).all(axis=1)
        return found


def _expected(data: CodedRecords) -> tuple[list[np.ndarray], float, int]:
    """By class value the records of each combination times what is expected, as whole numbers around the mean; the
    variance of all records; and the class value that varies most."""
    if data.expected is None or not data.total:
        return [], 0.0, 0
    weighed, variances = [], []
    for shares in data.expected.T:
        whole_shares = np.rint(shares * SHARE).astype(np.int64)
        whole_shares -= round(int((whole_shares * data.records).sum()) / data.total)
        weighed.append(whole_shares * data.records)
        variances.append(float((weighed[-1] * whole_shares).sum()) - float(weighed[-1].sum()) ** 2 / data.total)
    total = sum(variances)
    return (weighed, total, int(np.argmax(variances))) if total > 0 else ([], 0.0, 0)


def _precedes(cuts: Cuts, scores: np.ndarray, largest: np.ndarray) -> np.ndarray:
    """Whether each cut goes before what its region has so far."""
    best, side = scores[cuts.regions], largest[cuts.regions]
    found: np.ndarray = (cuts.scores > best) | ((cuts.scores == best) & (cuts.largest < side))
    return found


def _running(owner: np.ndarray, numbers: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Running sums within each owner, and the total of each; every owner has numbers."""
    sums = np.cumsum(numbers)
    starts = np.searchsorted(owner, np.arange(count))
    total = np.add.reduceat(numbers, starts)
    return sums - (sums[starts] - numbers[starts])[owner], total


def _drop(part: np.ndarray, records: np.ndarray, total: np.ndarray, everyone: np.ndarray) -> np.ndarray:
    """How much the sum of squares around the mean falls where a group is parted in two."""
    rest, others = (total - part).astype(np.float64), everyone - records
    one, both = part.astype(np.float64), total.astype(np.float64)
    found: np.ndarray = one * one / records + rest * rest / others - both * both / everyone
    return found


def _stretches(units: np.ndarray, places: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last place of each unit."""
    first, last = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(first, units, places)
    np.maximum.at(last, units, places)
    return first, last


def _edges(owner: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether the unit at each place is the first of its owner, and whether the next one is the last."""
    starts, ends = np.r_[True, owner[1:] != owner[:-1]], np.r_[owner[1:] != owner[:-1], True]
    return starts[at], ends[at + 1]
