"""Guided classes: cut regions where it helps models most, and where it keeps most detail.

It follows LeFevre, DeWitt and Ramakrishnan (Workload-aware anonymization, TODS 2008) and Goldsteen et al. (Anonymizing
machine learning models, 2020). A teacher says which class it expects of each combination, with models that have not
seen its records (anonduck.models.teacher). Cuts follow what it expects and not the classes themselves, so that they
follow what can be learned and show less of single records.

All regions of a round are cut at once, each by the allowed cut with the highest score, ``gain + detail * saved``:

- ``gain`` is how much the variance of the expected shares falls, summed over class values and records, as a share of
  that of all records.
- ``saved`` is how much the width of what the sides show falls in the column that is cut, in the mean over all records
  and columns: the NCP of that column.

An ordered column may be cut between any two of its values. In a nominal column, each child of the smallest node over
the region may be parted from the others: a class shows one node, and two groups of several children would both show the
parent. For the same reason a cut gains nothing where both sides show what the region showed. Such a cut is the last
choice, because other columns may narrow later.

Whole numbers are summed, and scores are rounded to PRECISION, so that classes depend neither on threads nor on the
order of records. Of equal scores the cut with the smaller largest side goes first, then a rank of columns drawn with
the seed, then the first cut of the column.

With ``diverse`` a cut also leaves so many values of the class on both sides, so that fewer classes tell the class of
their records. Whoever knows the method then learns of cuts that were not made, as from any requirement on the class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonduck.methods.coded_records import WHOLE, CodedRecords, PlacedColumn
from anonduck.methods.method import Meets, Progress, no_progress
from anonduck.methods.regions import BestCuts, Regions, Watcher, cut_up, numbered, summed, whole
from anonduck.methods.settings import DETAIL

SHARE = 1 << 16
"""An expected share of 1, as a whole number."""
PRECISION = 1 << 40
"""A score of 1, as a whole number."""
PAIRS = 1 << 21
"""Rows of cuts that are judged at a time."""
NEVER = np.iinfo(np.int64).min


def guided(
    data: CodedRecords,
    k: int,
    meets: Meets | None = None,
    *,
    seed: int = 0,
    progress: Progress = no_progress,
    detail: float = DETAIL,
    diverse: int = 1,
    watcher: Watcher | None = None,
) -> np.ndarray:
    """The class of each combination, from 0.

    A cut is allowed if both sides have k records, satisfy ``meets`` and are ``diverse`` in the class. If no cut is
    allowed, all records are one class; the caller checks whether that meets the requirement.

    Args:
        data: combinations with what is ``expected`` of their class; without that, cuts save detail alone.
        k: the least number of records in a class.
        meets: whether groups meet what is required besides k.
        seed: draws the ranks that break ties.
        progress: called with the number of records in final classes.
        detail: how much the saved width weighs against the gain; 0 cuts for models alone.
        diverse: how many values of the class both sides of a cut have at least.
        watcher: is told of the cuts that are made.
    """
    if diverse > 1:
        meets = _also_diverse(data, meets, diverse)
    return _Guided(data, k, meets, detail, seed).classes(progress, watcher)


def _also_diverse(data: CodedRecords, meets: Meets | None, least: int) -> Meets:
    """Whether groups satisfy ``meets`` and have at least so many values of the class."""
    if data.cells is None:
        raise ValueError("a number of values of the class is asked of records that have none")
    held = np.zeros((int(data.cells.classes.max(initial=-1)) + 1, len(data.records)), dtype=bool)
    held[data.cells.classes, data.cells.combinations] = True

    def both(combinations: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
        values = np.zeros(count, dtype=np.int64)
        for of_value in held:
            values += np.bincount(groups[of_value[combinations]], minlength=count) > 0
        enough: np.ndarray = values >= least
        return enough if meets is None else enough & meets(combinations, groups, count)

    return both


@dataclass(frozen=True, eq=False)
class ColumnCuts:
    """The cuts of regions in one column that leave k records on each side, in the order of regions.

    ``regions`` is the region of each cut, ``scores`` and ``largest`` its score and the records of its largest side.
    ``units`` (rows,) is the unit of each row, a value or a child; units are numbered region by region. A cut that is
    ``between`` units is after ``unit``; any other one parts ``unit`` from the others.
    """

    regions: np.ndarray
    scores: np.ndarray
    largest: np.ndarray
    unit: np.ndarray
    units: np.ndarray
    between: bool

    def is_second(self, units: np.ndarray, unit: np.ndarray) -> np.ndarray:
        """Whether units are on the second side of the cuts at ``unit``."""
        return units > unit if self.between else units != unit


class _Guided:
    def __init__(self, data: CodedRecords, k: int, meets: Meets | None, detail: float, seed: int) -> None:
        self.data, self.k, self.meets = data, k, meets
        self.column_order = np.argsort(np.random.default_rng(seed).permutation(len(data.columns)))
        self.weighed, self.variance = _expected(data)
        self.detail = detail if self.variance else 1.0
        self.all_widths = float(max(data.total, 1)) * len(data.columns) * WHOLE

    def classes(self, progress: Progress, watcher: Watcher | None) -> np.ndarray:
        """The class of each combination."""
        regions = whole(len(self.data.records))
        return cut_up(regions, self.data.records, 2 * self.k, self._best_cuts, progress, watcher)

    def _best_cuts(self, regions: Regions) -> BestCuts:
        """The best cut of each region, into two sides."""
        count = len(regions.starts)
        second = np.zeros(len(regions.rows), dtype=bool)
        scores, largest = np.full(count, NEVER), np.zeros(count, dtype=np.int64)
        columns = np.full(count, -1)
        for number in self.column_order if count else ():
            column, places = self.data.columns[number], self.data.places[number][regions.rows]
            cuts = self._column_cuts(regions, column, places)
            better = _precedes(cuts, scores, largest)
            chosen = self._first_allowed(regions, cuts, np.flatnonzero(better))
            where = cuts.regions[chosen]
            scores[where], largest[where] = cuts.scores[chosen], cuts.largest[chosen]
            cut_at = np.full(count, -1)
            cut_at[where], columns[where] = cuts.unit[chosen], number
            unit = cut_at[regions.of_row]
            second = np.where(unit >= 0, cuts.is_second(cuts.units, unit), second)
        return BestCuts(second, scores > NEVER, columns)

    # -- the cuts of a column ------------------------------------------------------------------------------------------

    def _column_cuts(self, regions: Regions, column: PlacedColumn, places: np.ndarray) -> ColumnCuts:
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
        width = column.width(least, most)[owner]
        if column.ordered:
            first, widths = _between(column, owner, found % size, least, most)
            one, total = _running(owner, records, count)
            sides = [_running(owner, share, count) for share in shares]
        else:
            first, widths = np.ones(len(owner), dtype=bool), _alone(column, owner, units, places, width, count)
            one, total = records, summed(owner, records, count)
            sides = [(share, summed(owner, share, count)) for share in shares]
        other = total[owner] - one
        at = np.flatnonzero(first & (one >= self.k) & (other >= self.k))
        region = owner[at]
        gain = np.zeros(len(at))
        for part, whole_share in sides:
            gain += _drop(part[at], one[at], whole_share[region], total[region])
        saved = ((width - widths[0]) * one + (width - widths[1]) * other)[at]
        score = np.where(saved > 0, gain / self.variance, 0.0) if self.variance else gain
        score = score + self.detail * (saved / self.all_widths)
        return ColumnCuts(
            regions=region,
            scores=np.rint(score * PRECISION).astype(np.int64),
            largest=np.maximum(one, other)[at],
            unit=at,
            units=units,
            between=column.ordered,
        )

    # -- which cut is allowed ------------------------------------------------------------------------------------------

    def _first_allowed(self, regions: Regions, cuts: ColumnCuts, asked: np.ndarray) -> np.ndarray:
        """Of the asked cuts, the first allowed one of each region by score, smallest largest side and place.

        Cuts are judged in batches that double: most regions accept their first.
        """
        order = np.lexsort((cuts.unit[asked], cuts.largest[asked], -cuts.scores[asked], cuts.regions[asked]))
        asked = asked[order]
        of = cuts.regions[asked]
        place = np.arange(len(asked)) - np.searchsorted(of, of)
        if self.meets is None:
            first_of_each: np.ndarray = asked[place == 0]
            return first_of_each
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

    def _met(self, regions: Regions, cuts: ColumnCuts, asked: np.ndarray) -> np.ndarray:
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
            groups = 2 * cut + cuts.is_second(cuts.units[rows], cuts.unit[asked[some]][cut])
            order = np.argsort(groups, kind="stable")
            both = self.meets(regions.rows[rows[order]], groups[order], 2 * len(some))
            found[some] = both.reshape(-1, 2).all(axis=1)
        return found


def _expected(data: CodedRecords) -> tuple[list[np.ndarray], float]:
    """By class value the records of each combination times what is expected, as whole numbers around the mean, and the
    variance of all records."""
    if data.expected is None or not data.total:
        return [], 0.0
    weighed, variances = [], []
    for shares in data.expected.T:
        whole_shares = np.rint(shares * SHARE).astype(np.int64)
        whole_shares -= round(int((whole_shares * data.records).sum()) / data.total)
        weighed.append(whole_shares * data.records)
        variances.append(float((weighed[-1] * whole_shares).sum()) - float(weighed[-1].sum()) ** 2 / data.total)
    total = sum(variances)
    return (weighed, total) if total > 0 else ([], 0.0)


def _precedes(cuts: ColumnCuts, scores: np.ndarray, largest: np.ndarray) -> np.ndarray:
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


def _between(
    column: PlacedColumn, owner: np.ndarray, places: np.ndarray, least: np.ndarray, most: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Whether a region can be cut after each of its places, and the widths of both sides."""
    follows = np.r_[owner[1:] == owner[:-1], False][: len(owner)]
    after = np.where(follows, np.roll(places, -1), places)
    return follows, (column.width(least[owner], places), column.width(after, most[owner]))


def _alone(
    column: PlacedColumn, owner: np.ndarray, units: np.ndarray, places: np.ndarray, width: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """The width of each child, and of the others of its region, which show one child or what the region shows."""
    first, last = np.full(len(owner), np.iinfo(np.int64).max), np.full(len(owner), -1)
    np.minimum.at(first, units, places)
    np.maximum.at(last, units, places)
    own = column.width(first, last)
    held = np.bincount(owner, minlength=count)[owner]
    return own, np.where(held == 2, summed(owner, own, count)[owner] - own, width)
