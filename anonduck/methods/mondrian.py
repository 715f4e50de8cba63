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
from functools import cached_property

import numpy as np

from anonduck.methods.coded_records import WHOLE, ClassCells, CodedRecords, PlacedColumn
from anonduck.methods.method import Meets, Progress, no_progress
from anonduck.methods.regions import BestCuts, Regions, Watcher, cut_up, divided, numbered, summed, whole

BIT = 1 << 20
"""One bit of entropy for one record, as a whole number."""
FEW_CLASSES = 8
"""Up to so many values of the class, the records of each are counted in a pass of their own."""


class ClassEntropy:
    """The entropy of the class in groups of combinations. ``cells`` must be sorted by combination."""

    def __init__(self, cells: ClassCells) -> None:
        self.cells = cells
        self.width = int(cells.classes.max(initial=0)) + 1
        count = int(cells.combinations.max(initial=-1)) + 1
        self.starts = np.searchsorted(cells.combinations, np.arange(count))
        self.lengths = np.bincount(cells.combinations, minlength=count)

    def of_items(self, rows: np.ndarray, item: np.ndarray, group: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """What ``of_groups`` returns where each row is of an ``item`` (rows,), and these are in groups (items,)."""
        if self.width > FEW_CLASSES:
            return self.of_groups(rows, group[item], sizes)
        mixed, rest = _times_log(sizes), sizes.copy()
        for records in self._by_class:
            of_item = np.bincount(item, weights=records[rows], minlength=len(group))
            held = summed(group, of_item, len(sizes))
            mixed -= _times_log(held)
            rest -= held
        mixed -= _times_log(rest)
        return mixed

    @cached_property
    def _by_class(self) -> list[np.ndarray]:
        """The records of each combination with each value of the class but the last."""
        of_value = [self.cells.classes == value for value in range(self.width - 1)]
        return [
            np.bincount(self.cells.combinations[of], weights=self.cells.records[of], minlength=len(self.starts))
            for of in of_value
        ]

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
class _Items:
    """What a cut in one column never separates: the values of regions there, region by region in the order of places.

    Attributes:
        owner: (items,), the region of each.
        places: (items,), its place.
        records: (items,), its records.
        starts: (regions,), the first item of each region.
        rows: (rows,), the combinations of the regions, region by region.
        of_row: (rows,), the item of each combination.
    """

    owner: np.ndarray
    places: np.ndarray
    records: np.ndarray
    starts: np.ndarray
    rows: np.ndarray
    of_row: np.ndarray

    @cached_property
    def ends(self) -> np.ndarray:
        """The last item of each region."""
        found: np.ndarray = np.r_[self.starts[1:], len(self.owner)] - 1
        return found

    @cached_property
    def totals(self) -> np.ndarray:
        """The records of each region."""
        found: np.ndarray = np.add.reduceat(self.records, self.starts)
        return found

    def some(self, wanted: np.ndarray) -> _Items:
        """Those of the regions with ``wanted`` true, in their order."""
        if wanted.all():
            return self
        kept = wanted[self.owner]
        inside, number = kept[self.of_row], np.cumsum(kept) - 1
        return _Items(
            (np.cumsum(wanted) - 1)[self.owner.compress(kept)],
            self.places.compress(kept),
            self.records.compress(kept),
            number[self.starts[wanted]],
            self.rows.compress(inside),
            number[self.of_row.compress(inside)],
        )


@dataclass(frozen=True, eq=False)
class Cut:
    """A cut of regions: ``sides`` (items,) the side of each item; by region whether the cut is ``allowed``, and the
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
    watcher: Watcher | None = None,
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
        watcher: is told of the cuts that are made.
    """
    classes = np.zeros(len(data.records), dtype=np.int64) if begun is None else begun
    return _Mondrian(data, k, meets, strict=strict, by_entropy=splits == "entropy", seed=seed).classes(
        classes, progress, watcher
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
        self.records = data.records.astype(np.float64)  # as they are summed; exact while sums are below 2**53
        self.region = np.zeros(len(data.records), dtype=np.int64)
        self.alive = np.ones((len(data.columns), 1), dtype=bool)
        self.bounds = np.full((len(data.columns), 1), WHOLE, dtype=np.int64)

    def classes(self, begun: np.ndarray, progress: Progress, watcher: Watcher | None) -> np.ndarray:
        """The class of each combination, cutting the ``begun`` classes further."""
        regions = divided(whole(len(begun)), begun)
        return cut_up(regions, self.data.records, 2 * self.k, self._best_cuts, progress, watcher)

    def _best_cuts(self, regions: Regions) -> BestCuts:
        """The best cut of each region.

        With ``splits="entropy"`` the best cut has the least mixed sides. Ties, and all cuts otherwise, are ordered by
        the widest column, then by the most records in the largest side, then by the seeded rank.

        Each region is part of one of the round before. It is no wider than that in any column, and where fewer than k
        records of that differed from the most frequent value, no column has a cut of its parts: there neither is
        looked for again.
        """
        count = len(regions.starts)
        best, columns = np.zeros(len(regions.rows), dtype=np.int64), np.full(count, -1)
        found = _Best.none(count)
        before = self.region[regions.rows[regions.starts]]
        alive, bounds = self.alive[:, before], self.bounds[:, before]
        for number in np.argsort(-bounds.sum(axis=1), kind="stable") if count else ():
            wanted = alive[number] & ((bounds[number] >= found.width) | (self.entropy is not None))
            if not wanted.any():
                continue
            column, items = self.data.columns[number], self._items(regions, wanted, number)
            least, most = items.places[items.starts], items.places[items.ends]
            bounds[number, wanted] = widths = column.width(least, most)
            able = least < most
            if self.strict or not column.ordered:
                able &= items.totals - np.maximum.reduceat(items.records, items.starts) >= self.k
                alive[number, wanted] = able
            if self.entropy is None:
                able &= widths >= found.width[wanted]
            if not able.any():
                continue
            items, at = items.some(able), np.flatnonzero(wanted)[able]
            cut = self._column_cut(items, column, column.common_levels(least[able], most[able]))
            better = found.take(
                at, cut.allowed, self._purity(items, cut), widths[able], cut.largest, self.column_ranks[number]
            )
            columns[at[better]] = number
            changed = np.zeros(count, dtype=bool)
            changed[at[better]] = True
            rows = np.flatnonzero(changed[regions.of_row])
            best[rows] = cut.sides[items.of_row.compress(better[items.owner[items.of_row]])]
        self.region[regions.rows] = regions.of_row
        self.alive, self.bounds = alive, bounds
        return BestCuts(best, found.width >= 0, columns)

    def _items(self, regions: Regions, wanted: np.ndarray, number: int) -> _Items:
        """The items of the ``wanted`` regions in a column; each row of an ordered one where ``strict`` is off, as
        records of one value may be separated then."""
        regions = regions if wanted.all() else regions.some(wanted)
        column, rows, owner = self.data.columns[number], regions.rows, regions.of_row
        places = self.data.places[number][rows]
        if column.ordered and not self.strict:
            order = np.lexsort((self.row_ranks[rows], places, owner))
            of_row = np.empty(len(order), dtype=np.int64)
            of_row[order] = np.arange(len(order))
            return _Items(owner[order], places[order], self.data.records[rows[order]], regions.starts, rows, of_row)
        size = column.nodes.shape[1]
        found, of_row = numbered(owner * size + places, len(regions.starts) * size)
        owner, places = np.divmod(found, size)
        starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
        return _Items(owner, places, summed(of_row, self.records[rows], len(found)), starts, rows, of_row)

    def _column_cut(self, items: _Items, column: PlacedColumn, levels: np.ndarray) -> Cut:
        """Cut regions in one column, in which each has several places, at the children of its node there.

        Where classes show intervals, NULL is separated from all values first, and values are cut between two cells.
        """
        if column.cells is None:
            cut = self._through_children(items, column.nodes[levels[items.owner] - 1, items.places])
        else:
            cut = self._through_children(items, np.minimum(items.places, 1))
            cut = self._or_at_median(cut, items, column.nodes[1, items.places], strict=True)
        return self._or_at_median(cut, items, items.places, strict=self.strict) if column.ordered else cut

    def _or_at_median(self, cut: Cut, items: _Items, places: np.ndarray, *, strict: bool) -> Cut:
        """The cut, replaced by a cut at the median of places in regions where it is not allowed."""
        rest = ~cut.allowed
        if not rest.any():
            return cut
        of_rest = rest[items.owner]
        at_median = self._at_median(items.some(rest), places[of_rest], strict=strict)
        sides, allowed, largest = cut.sides, cut.allowed, cut.largest
        sides[of_rest] = at_median.sides
        allowed[rest], largest[rest] = at_median.allowed, at_median.largest
        return Cut(sides, allowed, largest)

    def _purity(self, items: _Items, cut: Cut) -> np.ndarray:
        """The negative class entropy of the sides of each region with an allowed cut; 0 for all unless cuts are chosen
        by entropy."""
        found = np.zeros(len(items.starts), dtype=np.int64)
        if self.entropy is not None and cut.allowed.any():
            some, sides = items.some(cut.allowed), cut.sides.compress(cut.allowed[items.owner])
            owner, group, sizes = _grouped(some, sides)
            mixed = self.entropy.of_items(some.rows, some.of_row, group, sizes)
            np.subtract.at(found, np.flatnonzero(cut.allowed)[owner], mixed)
        return found

    # -- through children ----------------------------------------------------------------------------------------------

    def _through_children(self, items: _Items, children: np.ndarray) -> Cut:
        """Make each child that meets the requirement a side of its own, and all others together one side."""
        owner, group, sizes = _grouped(items, children)
        count = len(items.starts)
        pooled = ~self._meet(items, group, sizes)
        while (lacking := self._pools_lack(items, group, owner, sizes, pooled)).any():
            added = _smallest(owner, sizes, ~pooled & lacking[owner])
            if not len(added):
                break
            pooled[added] = True
        sides = np.where(pooled, 0, np.arange(1, len(owner) + 1))
        pools = np.bincount(owner[pooled], minlength=count) > 0
        several = np.bincount(owner[~pooled], minlength=count) + pools > 1
        largest = np.zeros(count, dtype=np.int64)
        np.maximum.at(largest, owner[~pooled], sizes[~pooled])
        in_pool = summed(owner[pooled], sizes[pooled], len(largest))
        return Cut(sides[group], several & ~lacking, np.maximum(largest, in_pool))

    def _pools_lack(
        self, items: _Items, group: np.ndarray, owner: np.ndarray, sizes: np.ndarray, pooled: np.ndarray
    ) -> np.ndarray:
        """Whether the pooled children of each region fail the requirement; ``owner`` is the region of each child."""
        there, pool = numbered(owner[pooled], len(items.starts))
        lacking = np.zeros(len(items.starts), dtype=bool)
        of_child = np.full(len(owner), -1)
        of_child[pooled] = pool
        lacking[there] = ~self._meet(items, of_child[group], summed(pool, sizes[pooled], len(there)))
        return lacking

    # -- at the median -------------------------------------------------------------------------------------------------

    def _at_median(self, items: _Items, places: np.ndarray, *, strict: bool) -> Cut:
        """Cut each region into two sides of sizes as equal as possible, in the order of places."""
        owner, records, total = items.owner, items.records, items.totals
        sums = np.cumsum(records)
        begins = sums[items.starts] - records[items.starts]
        apart = np.abs(2 * (sums - begins[owner]) - total[owner])
        barred = np.zeros(len(owner), dtype=bool)
        barred[items.ends] = True
        if strict:
            barred[:-1] |= places[1:] == places[:-1]
        apart[barred] = np.iinfo(np.int64).max
        closest = np.minimum.reduceat(apart, items.starts)
        nearest = np.flatnonzero(apart == closest[owner])
        first = nearest[np.r_[True, np.diff(owner[nearest]) != 0]]
        sides = (np.arange(len(owner)) > first[owner]).astype(np.int64)
        of_side, group, sizes = _grouped(items, sides)
        lacking = np.bincount(of_side[~self._meet(items, group, sizes)], minlength=len(total)) > 0
        two = np.bincount(of_side, minlength=len(total)) == 2
        largest = np.maximum.reduceat(sizes, np.searchsorted(of_side, np.arange(len(total))))
        return Cut(sides, two & ~lacking & (closest < np.iinfo(np.int64).max), largest)

    # -- what is required ----------------------------------------------------------------------------------------------

    def _meet(self, items: _Items, group: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Whether each group of items has k records and satisfies ``meets``; ``group`` is -1 for items of none."""
        enough = sizes >= self.k
        if self.meets is None or not enough.any():
            return enough
        numbers = np.cumsum(enough) - 1
        asked = np.where((group >= 0) & enough[group], numbers[group], -1)[items.of_row]
        rows = asked >= 0
        enough[enough] = self.meets(items.rows[rows], asked[rows], int(numbers[-1]) + 1)
        return enough


@dataclass(frozen=True, eq=False)
class _Best:
    """The best cuts of regions so far, (regions,): how pure their sides are, the width of the column, the records of
    the largest side, and the rank of the column; without one the width is -1."""

    pure: np.ndarray
    width: np.ndarray
    largest: np.ndarray
    rank: np.ndarray

    @staticmethod
    def none(count: int) -> _Best:
        """No cut of any region."""
        least = np.full(count, np.iinfo(np.int64).min)
        return _Best(least, np.full(count, -1), np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64))

    def take(
        self, at: np.ndarray, allowed: np.ndarray, pure: np.ndarray, width: np.ndarray, largest: np.ndarray, rank: int
    ) -> np.ndarray:
        """Take those of a column's cuts of some regions that are better; returns which."""
        ranks = np.full(len(at), rank)
        known = (self.pure[at], self.width[at], self.largest[at], -self.rank[at])
        better: np.ndarray = allowed & _later((pure, width, largest, -ranks), known)
        changed = at[better]
        for of, new in ((self.pure, pure), (self.width, width), (self.largest, largest), (self.rank, ranks)):
            of[changed] = new[better]
        return better


def _grouped(items: _Items, parts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The parts of regions: the region of each part, the part of each item, and the records of each part."""
    width = int(parts.max()) + 1
    found, group = numbered(items.owner * width + parts, len(items.starts) * width)
    return found // width, group, summed(group, items.records, len(found))


def _later(ones: tuple[np.ndarray, ...], others: tuple[np.ndarray, ...]) -> np.ndarray:
    """Where the tuples ``ones`` are larger than the tuples ``others``, in lexicographic order."""
    found = np.zeros(len(ones[0]), dtype=bool)
    for one, other in reversed(list(zip(ones, others, strict=True))):
        found = (one > other) | ((one == other) & found)
    return found


def _smallest(owner: np.ndarray, sizes: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """The candidate of each region with the fewest records; the first of equal ones."""
    among = np.flatnonzero(candidates)
    among = among[np.lexsort((sizes[among], owner[among]))]
    found: np.ndarray = among[np.r_[True, np.diff(owner[among]) != 0][: len(among)]]
    return found
