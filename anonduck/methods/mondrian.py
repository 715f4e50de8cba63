"""Mondrian (LeFevre, DeWitt and Ramakrishnan 2006), the greedy partitioning: cut regions as long as a cut is allowed.

All regions of a round are cut at once, each in one column: the one whose smallest common node is widest, among the
columns that can be cut. A cut separates the children of that node. Children that do not meet the requirement are
pooled; if the pool does not meet it either, the smallest of the other children are added. So a few rare values do not
prevent a cut between common ones. Where no such cut is allowed, an ordered column is cut at its median: between two
values (strict), or through the records of one value (relaxed), whose classes then overlap.

With ``splits="entropy"`` the cut is made where the class is least mixed afterwards, which ``ClassEntropy`` measures.

All numbers are whole and ties are broken by a rank drawn with the seed, so that classes depend neither on threads nor
on the order of records, as long as combinations come in the order of their values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonduck.methods.coded_records import ClassCells, CodedRecords, PlacedColumn
from anonduck.methods.method import Meets, Progress, no_progress
from anonduck.methods.regions import Regions, cut_up, divided, numbered, summed, whole

BIT = 1 << 20
"""One bit of entropy for one record, as a whole number."""


class ClassEntropy:
    """The entropy of the class in groups of combinations. ``cells`` must be sorted by combination."""

    def __init__(self, cells: ClassCells) -> None:
        self.cells = cells
        self.width = int(cells.classes.max(initial=0)) + 1
        count = int(cells.combinations.max(initial=-1)) + 1
        self.starts = np.searchsorted(cells.combinations, np.arange(count))
        self.lengths = np.bincount(cells.combinations, minlength=count)

    def of_groups(self, rows: np.ndarray, group: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The entropy of the class in each group times the records of the group (``sizes``), (groups,)."""
        lengths = self.lengths[rows]
        ends = np.cumsum(lengths)
        of_cell = np.repeat(np.arange(len(rows)), lengths)
        cells = np.arange(len(of_cell)) + np.repeat(self.starts[rows] - ends + lengths, lengths)
        keys = group[of_cell] * self.width + self.cells.classes[cells]
        found, part = numbered(keys, len(sizes) * self.width)
        mixed = _times_log(sizes)
        np.subtract.at(mixed, found // self.width, _times_log(summed(part, self.cells.records[cells], len(found))))
        return mixed


def _times_log(records: np.ndarray) -> np.ndarray:
    """n * log2(n) for numbers of records, in units of 1 / BIT."""
    found: np.ndarray = np.rint(records * np.log2(np.maximum(records, 1)) * BIT).astype(np.int64)
    return found


@dataclass(frozen=True, eq=False)
class Cut:
    """A cut of regions: ``sides`` (rows,) the side of each row; by region whether the cut is ``allowed``, and the
    records of its ``largest`` side."""

    sides: np.ndarray
    allowed: np.ndarray
    largest: np.ndarray


def mondrian(
    data: CodedRecords,
    k: int,
    meets: Meets | None = None,
    *,
    seed: int = 0,
    progress: Progress = no_progress,
    strict: bool = True,
    splits: str = "width",
    begun: np.ndarray | None = None,
) -> np.ndarray:
    """The class of each combination, from 0.

    A cut is allowed if each side has k records and satisfies ``meets``. If no cut is allowed, all records are one
    class; the caller checks whether that meets the requirement.

    Args:
        data: combinations; with ``splits="entropy"`` they have the records by class.
        k: the least number of records in a class.
        meets: whether groups meet what is required besides k.
        seed: draws the ranks that break ties.
        progress: called with the number of records in final classes.
        strict: never separate records with the same value by a median cut.
        splits: cut in the widest column (``"width"``), or where the class is least mixed afterwards (``"entropy"``).
        begun: classes to cut further, numbered from 0; None starts with all records in one class.
    """
    classes = np.zeros(len(data.records), dtype=np.int64) if begun is None else begun
    return _Mondrian(data, k, meets, strict=strict, by_entropy=splits == "entropy", seed=seed).classes(
        classes, progress
    )


class _Mondrian:
    def __init__(
        self, data: CodedRecords, k: int, meets: Meets | None, *, strict: bool, by_entropy: bool, seed: int
    ) -> None:
        self.data = data
        self.k = k
        self.meets = meets
        self.strict = strict
        self.entropy = ClassEntropy(data.cells) if by_entropy and data.cells is not None else None
        drawn = np.random.default_rng(seed)
        self.column_ranks = drawn.permutation(len(data.columns))
        self.row_ranks = np.zeros(0, dtype=np.int64) if strict else drawn.permutation(len(data.records))

    def classes(self, begun: np.ndarray, progress: Progress) -> np.ndarray:
        """The class of each combination, cutting the ``begun`` classes further."""
        regions = divided(whole(len(begun)), begun)
        return cut_up(regions, self.data.records, 2 * self.k, self._best_cuts, progress)

    def _best_cuts(self, regions: Regions) -> tuple[np.ndarray, np.ndarray]:
        """The side of each row by the best cut of its region, and whether a region has an allowed cut.

        With ``splits="entropy"`` the best cut has the least mixed sides. Ties, and all cuts otherwise, are ordered by
        the widest column, then by the most records in the largest side, then by the seeded rank.
        """
        count = len(regions.starts)
        best = np.zeros(len(regions.rows), dtype=np.int64)
        pure = np.full(count, np.iinfo(np.int64).min)
        width, largest = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=np.int64)
        for number in np.argsort(self.column_ranks) if count else ():
            column, places = self.data.columns[number], self.data.places[number][regions.rows]
            least, most = (one.reduceat(places, regions.starts) for one in (np.minimum, np.maximum))
            widths = column.width(least, most)
            wanted = (least < most) & ((widths >= width) | (self.entropy is not None))
            if not wanted.any():
                continue
            levels = column.common_levels(least[wanted], most[wanted])
            cut = self._column_cut(regions.some(wanted), column, places[wanted[regions.of_row]], levels)
            of_wanted = np.flatnonzero(wanted)
            purer = self._purity(regions.some(wanted), cut.sides)
            better = cut.allowed & _later(
                (purer, widths[wanted], cut.largest), (pure[wanted], width[wanted], largest[wanted])
            )
            changed = of_wanted[better]
            pure[changed], width[changed], largest[changed] = purer[better], widths[changed], cut.largest[better]
            rows = np.isin(regions.of_row, changed, assume_unique=False)
            best[rows] = cut.sides[rows[wanted[regions.of_row]]]
        return best, width >= 0

    def _column_cut(self, regions: Regions, column: PlacedColumn, places: np.ndarray, levels: np.ndarray) -> Cut:
        """Cut regions in one column, in which each has several places, at the children of its node there.

        Where classes show intervals, NULL is separated from all values first, and values are cut between two cells.
        """
        if column.cells is None:
            cut = self._through_children(regions, column.nodes[levels[regions.of_row] - 1, places])
        else:
            cut = self._through_children(regions, np.minimum(places, 1))
            cut = self._or_at_median(cut, regions, column.nodes[1, places], strict=True)
        return self._or_at_median(cut, regions, places, strict=self.strict) if column.ordered else cut

    def _or_at_median(self, cut: Cut, regions: Regions, places: np.ndarray, *, strict: bool) -> Cut:
        """The cut, replaced by a cut at the median of places in regions where it is not allowed."""
        rest = ~cut.allowed
        if not rest.any():
            return cut
        at_median = self._at_median(regions.some(rest), places[rest[regions.of_row]], strict=strict)
        sides, allowed, largest = cut.sides, cut.allowed, cut.largest
        sides[rest[regions.of_row]] = at_median.sides
        allowed[rest], largest[rest] = at_median.allowed, at_median.largest
        return Cut(sides, allowed, largest)

    def _purity(self, regions: Regions, sides: np.ndarray) -> np.ndarray:
        """The negative class entropy of the sides of each region; 0 for all unless cuts are chosen by entropy."""
        found = np.zeros(len(regions.starts), dtype=np.int64)
        if self.entropy is not None:
            owner, group, sizes = self._grouped(regions, sides)
            np.subtract.at(found, owner, self.entropy.of_groups(regions.rows, group, sizes))
        return found

    # -- through children ----------------------------------------------------------------------------------------------

    def _through_children(self, regions: Regions, children: np.ndarray) -> Cut:
        """Make each child that meets the requirement a side of its own, and all others together one side."""
        owner, group, sizes = self._grouped(regions, children)
        pooled = ~self._meet(regions.rows, group, sizes)
        while (lacking := self._pools_lack(regions, group, owner, pooled)).any():
            added = _smallest(owner, sizes, ~pooled & lacking[owner], len(regions.starts))
            if not len(added):
                break
            pooled[added] = True
        sides = np.where(pooled, 0, np.arange(1, len(owner) + 1))
        pools = np.bincount(owner[pooled], minlength=len(regions.starts)) > 0
        several = np.bincount(owner[~pooled], minlength=len(regions.starts)) + pools > 1
        largest = np.zeros(len(regions.starts), dtype=np.int64)
        np.maximum.at(largest, owner[~pooled], sizes[~pooled])
        in_pool = summed(owner[pooled], sizes[pooled], len(largest))
        return Cut(sides[group], several & ~lacking, np.maximum(largest, in_pool))

    def _pools_lack(self, regions: Regions, group: np.ndarray, owner: np.ndarray, pooled: np.ndarray) -> np.ndarray:
        """Whether the pooled children of each region fail the requirement."""
        lacking = np.zeros(len(regions.starts), dtype=bool)
        rows = pooled[group]
        if rows.any():
            there, pool = np.unique(regions.of_row[rows], return_inverse=True)
            sizes = summed(pool, self.data.records[regions.rows[rows]], len(there))
            lacking[there] = ~self._meet(regions.rows[rows], pool, sizes)
        return lacking

    # -- at the median -------------------------------------------------------------------------------------------------

    def _at_median(self, regions: Regions, places: np.ndarray, *, strict: bool) -> Cut:
        """Cut each region into two sides of sizes as equal as possible, in the order of places."""
        keys = (places, regions.of_row) if strict else (self.row_ranks[regions.rows], places, regions.of_row)
        order = np.lexsort(keys)
        of_row, records = regions.of_row[order], self.data.records[regions.rows[order]]
        sums = np.cumsum(records)
        begins = sums[regions.starts] - records[regions.starts]
        total = np.add.reduceat(records, regions.starts)
        apart = np.abs(2 * (sums - begins[of_row]) - total[of_row])
        ends = np.r_[regions.starts[1:], len(order)] - 1
        barred = np.zeros(len(order), dtype=bool)
        barred[ends] = True
        if strict:
            barred[:-1] |= places[order][1:] == places[order][:-1]
        apart[barred] = np.iinfo(np.int64).max
        closest = np.minimum.reduceat(apart, regions.starts)
        nearest = np.flatnonzero(apart == closest[of_row])
        _, first = np.unique(of_row[nearest], return_index=True)
        right = np.arange(len(order)) > nearest[first][of_row]
        sides = np.empty(len(order), dtype=np.int64)
        sides[order] = right
        owner, group, sizes = self._grouped(regions, sides)
        lacking = np.bincount(owner[~self._meet(regions.rows, group, sizes)], minlength=len(total)) > 0
        two = np.bincount(owner, minlength=len(total)) == 2
        largest = np.maximum.reduceat(sizes, np.searchsorted(owner, np.arange(len(total))))
        return Cut(sides, two & ~lacking & (closest < np.iinfo(np.int64).max), largest)

    # -- what is required ----------------------------------------------------------------------------------------------

    def _grouped(self, regions: Regions, parts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The parts of regions: the region of each part, the part of each row, and the records of each part."""
        width = int(parts.max()) + 1
        keys = regions.of_row * width + parts
        found, group = numbered(keys, len(regions.starts) * width)
        return found // width, group, summed(group, self.data.records[regions.rows], len(found))

    def _meet(self, rows: np.ndarray, group: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Whether each group of rows has k records and satisfies ``meets``."""
        enough = sizes >= self.k
        if self.meets is None or not enough.any():
            return enough
        asked = enough[group]
        numbers = np.cumsum(enough) - 1
        enough[enough] = self.meets(rows[asked], numbers[group[asked]], int(numbers[-1]) + 1)
        return enough


def _later(ones: tuple[np.ndarray, ...], others: tuple[np.ndarray, ...]) -> np.ndarray:
    """Where the tuples ``ones`` are larger than the tuples ``others``, in lexicographic order."""
    found = np.zeros(len(ones[0]), dtype=bool)
    for one, other in reversed(list(zip(ones, others, strict=True))):
        found = (one > other) | ((one == other) & found)
    return found


def _smallest(owner: np.ndarray, sizes: np.ndarray, candidates: np.ndarray, count: int) -> np.ndarray:
    """The candidate of each region with the fewest records; the first of equal ones."""
    among = np.flatnonzero(candidates)
    among = among[np.lexsort((sizes[among], owner[among]))]
    found: np.ndarray = among[np.r_[True, np.diff(owner[among]) != 0][: len(among)]]
    return found
