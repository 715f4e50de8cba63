"""A release whose records have nodes of their own, in memory: what it loses, and the table that models are trained on.

Each record has a level for each column. A release in which all records have the same levels is that of a rule, and so
are its measures (anonduck.measures.rule_utility).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from anonduck.frequency.roll_up import RolledFrequencySet, distinct, first_of_runs, grouped, numbered
from anonduck.measures import numpy_measures
from anonduck.measures.numpy_measures import CodedAttribute
from anonduck.models.contingency import Contingency, SuppressedRecords
from anonduck.rules.rounding import DIGITS


@dataclass(frozen=True, eq=False)
class ReleasedCells:
    """The records of a source by what a release makes of them, as counts.

    ``leaves`` and ``levels`` hold for each quasi-identifier the leaf code of each cell, and the level of the node that
    it shows, (cells,); ``classes``, ``equivalence`` and ``records`` (cells,) are class codes, numbers of equivalence
    classes, and counts; ``stays`` (cells,) whether the records are released.
    """

    leaves: tuple[np.ndarray, ...]
    levels: tuple[np.ndarray, ...]
    classes: np.ndarray
    equivalence: np.ndarray
    records: np.ndarray
    stays: np.ndarray

    @property
    def total(self) -> int:
        """All records, released or not."""
        return int(self.records.sum())

    @property
    def released(self) -> ReleasedCells:
        """The cells whose records are released."""
        return self if self.stays.all() else self._released  # kept in itself, it would stay until garbage is collected

    @cached_property
    def _released(self) -> ReleasedCells:
        kept = self.stays
        return ReleasedCells(
            tuple(one[kept] for one in self.leaves),
            tuple(one[kept] for one in self.levels),
            *(one[kept] for one in (self.classes, self.equivalence, self.records, self.stays)),
        )

    @property
    def ungeneralized(self) -> ReleasedCells:
        """The same records as they came."""
        bare = tuple(np.zeros_like(one) for one in self.levels)
        return replace(self, levels=bare, stays=np.ones_like(self.stays))


@dataclass(frozen=True, eq=False)
class CellColumn:
    """A quasi-identifier of released cells: its taxonomy as codes, and what a model sees of it.

    ``by_loss`` and ``by_ncp`` have its cell costs by these measures; ``ordered`` says whether leaf codes are in the
    order of values; ``numbers`` (leaves + 1,) stand for the values, NaN for NULL's code 0; ``leaves`` are those of the
    taxonomy.
    """

    name: str
    by_loss: CodedAttribute
    by_ncp: CodedAttribute
    ordered: bool
    leaves: int
    numbers: np.ndarray

    @cached_property
    def over(self) -> np.ndarray:
        """The nodes over each leaf code, (leaf codes, levels): whole numbers, none of which two nodes share.

        A free interval is a node, too. Where a level has none over a leaf, the leaf stands for itself.
        """
        free = self.by_loss.free
        if free is None:
            return self.nodes
        order, begins, ends = self.by_loss.leaves_within()
        levels, place = np.unique(free.levels, return_inverse=True)
        alone = self.first_interval + len(begins) + np.arange(len(self.nodes))
        over = np.repeat(alone[:, None], len(levels), axis=1)
        for number, (begin, end, at) in enumerate(zip(begins.tolist(), ends.tolist(), place.tolist(), strict=True)):
            over[order[begin:end], at] = self.first_interval + number
        return np.column_stack([self.nodes, over])

    @cached_property
    def nodes(self) -> np.ndarray:
        """The same of the nodes of the taxonomy alone, (leaf codes, levels up to the root)."""
        levels = [*self.by_loss.paths, np.zeros_like(self.by_loss.paths[0])]
        begins = np.cumsum([0, *(int(path.max()) + 1 for path in levels[:-1])])
        return np.column_stack([path + begin for path, begin in zip(levels, begins, strict=True)])

    @property
    def first_interval(self) -> int:
        """The number of the first free interval, as a node."""
        return int(self.nodes.max(initial=-1)) + 1


# -- what it loses -----------------------------------------------------------------------------------------------------


class ReleaseMeasurer:
    """Measures a release; ``k`` is what ``average_class_size`` divides by, ``weights`` are those of ``distortion``."""

    def __init__(
        self,
        cells: ReleasedCells,
        columns: Sequence[CellColumn],
        *,
        k: int,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.cells = cells
        self.columns = columns
        self.k = k
        self.weights = weights or {}
        self.kept = cells.released
        self.suppressed = cells.total - self.kept.total

    def __call__(self, names: Sequence[str]) -> dict[str, float]:
        """The named utility measures, by the formulas of docs/measures.md."""
        return {name: round(_MEASURES[name](self), DIGITS) for name in names}

    def information_gain(self) -> float:
        """In bits, over all records; those left out tell nothing."""
        return round(numpy_measures.information_gain(*self.by_class), DIGITS)

    def detail(self) -> dict[str, float]:
        """The share of detail that each column keeps, by its name: 1 - NCP of its cells, those left out at 0."""
        costs = zip(self.columns, self.cell_costs(_ncp), strict=True)
        return {column.name: round(1 - cost / self.cells.total, DIGITS) for column, cost in costs}

    @cached_property
    def by_class(self) -> tuple[RolledFrequencySet, np.ndarray | None]:
        """The equivalence classes with their class values, and which rows are left out."""
        cells = self.cells
        keys, size = numbered([~cells.stays, cells.equivalence], len(cells.records))
        width = int(cells.classes.max(initial=0)) + 1
        found, first, records = grouped(keys * width + cells.classes, size * width, cells.records)
        starts = np.flatnonzero(first_of_runs(found // width))
        failing = ~cells.stays[first]
        rolled = RolledFrequencySet((), (), cells.classes[first], records, starts)
        return rolled, failing if failing.any() else None

    @cached_property
    def shown(self) -> tuple[np.ndarray, ...]:
        """The node that each released cell shows, by column."""
        return shown_nodes(self.kept, self.columns)

    def information(self, one: int, other: int, *, shown: bool) -> float:
        """The mutual information of two columns in bits, the class the last of them, as they came or as they are
        shown."""
        columns = [*(self.shown if shown else self.kept.leaves), self.kept.classes]
        return _information(columns[one], columns[other], self.kept.records)

    def cell_costs(self, of: Callable[[ReleaseMeasurer, int], float]) -> Iterator[float]:
        """What each column costs over all records, those left out at 1."""
        return (of(self, place) + self.suppressed for place in range(len(self.columns)))


def shown_nodes(cells: ReleasedCells, columns: Sequence[CellColumn]) -> tuple[np.ndarray, ...]:
    """The node that each cell shows, by column."""
    found = []
    for column, leaves, levels in zip(columns, cells.leaves, cells.levels, strict=True):
        free = column.by_loss.free
        intervals = None if free is None else column.first_interval + np.arange(len(free.levels))
        found.append(column.by_loss.of_cells(leaves, levels, list(column.nodes.T), intervals))
    return tuple(found)


def _loss(measurer: ReleaseMeasurer, place: int) -> float:
    return _cells_cost(measurer, measurer.columns[place].by_loss, place)


def _ncp(measurer: ReleaseMeasurer, place: int) -> float:
    return _cells_cost(measurer, measurer.columns[place].by_ncp, place)


def _cells_cost(measurer: ReleaseMeasurer, one: CodedAttribute, place: int) -> float:
    cells = measurer.kept
    return numpy_measures.cells_cost(one, cells.leaves[place], cells.levels[place], cells.records)


def _height(measurer: ReleaseMeasurer, place: int) -> float:
    """NULL under the root is as high as it came."""
    cells, one = measurer.kept, measurer.columns[place].by_loss
    return numpy_measures.cells_height(one, cells.leaves[place], cells.levels[place], cells.records)


def _mean(of: Callable[[ReleaseMeasurer, int], float]) -> Callable[[ReleaseMeasurer], float]:
    def measured(measurer: ReleaseMeasurer) -> float:
        count = measurer.cells.total * len(measurer.columns)
        return sum(measurer.cell_costs(of)) / count if count else 0.0

    return measured


def _distortion(measurer: ReleaseMeasurer) -> float:
    costs = zip(measurer.columns, measurer.cell_costs(_height), strict=True)
    return sum(measurer.weights.get(column.name, 1.0) * cost for column, cost in costs)


def _nonuniform_entropy(measurer: ReleaseMeasurer) -> float:
    cells, bits = measurer.kept, 0.0
    for column, codes, levels in zip(measurer.columns, cells.leaves, cells.levels, strict=True):
        held = np.bincount(codes, weights=cells.records, minlength=len(column.by_loss.records))
        present = replace(column.by_loss, records=held)
        bits += numpy_measures.cells_bits(present, codes, levels, cells.records)
    return max(0.0, bits)


def _kl_divergence(measurer: ReleaseMeasurer) -> float:
    """The mean over records of log2(n(leaves, class) * leaves covered / n(nodes, class)), in bits."""
    cells = measurer.kept
    if not cells.total:
        return 0.0
    original = _n_log_n([*cells.leaves, cells.classes], cells.records)
    released = _n_log_n([cells.equivalence, cells.classes], cells.records)
    covered = sum(_covered_bits(measurer, place) for place in range(len(measurer.columns)))
    return max(0.0, (original + covered - released) / cells.total)


def _covered_bits(measurer: ReleaseMeasurer, place: int) -> float:
    """The sum over records of log2 of the leaves that their node covers; NULL is one more leaf of a root that has it.

    What a record costs by ``loss`` is (leaves covered - 1) / (leaves - 1).
    """
    cells, column = measurer.kept, measurer.columns[place]
    one = column.by_loss
    under = [np.rint(costs * (column.leaves - 1)) + 1 for costs in one.costs]
    free = None if one.free is None else np.rint(one.free.costs * (column.leaves - 1)) + 1
    whole = np.full(len(one.records), column.leaves + bool((cells.leaves[place] == 0).any()))
    covered = one.of_cells(cells.leaves[place], cells.levels[place], [*under, whole], free)
    return float((cells.records * np.log2(np.maximum(covered, 1))).sum())


def _mutual_information_loss(measurer: ReleaseMeasurer) -> float:
    """As for a rule: the mean over pairs of columns, the class one of them, of the information that they lose."""
    pairs = list(combinations(range(len(measurer.columns) + 1), 2))
    lost = sum(measurer.information(*pair, shown=False) - measurer.information(*pair, shown=True) for pair in pairs)
    return lost / len(pairs)


def _information(one: np.ndarray, other: np.ndarray, records: np.ndarray) -> float:
    """The mutual information of two columns of codes, in bits."""
    total = float(records.sum())
    if not total:
        return 0.0
    apart = _n_log_n([one], records) + _n_log_n([other], records)
    return float(np.log2(total)) + (_n_log_n([one, other], records) - apart) / total


def _n_log_n(columns: Sequence[np.ndarray], records: np.ndarray) -> float:
    """The sum over distinct combinations of codes of n log2 n."""
    keys, size = numbered(columns, len(records))
    _, _, held = grouped(keys, size, records)
    return float((held * np.log2(held)).sum()) if len(held) else 0.0


_MEASURES: dict[str, Callable[[ReleaseMeasurer], float]] = {
    "loss": _mean(_loss),
    "ncp": _mean(_ncp),
    "precision": lambda measurer: 1.0 - _mean(_height)(measurer),
    "distortion": _distortion,
    "nonuniform_entropy": _nonuniform_entropy,
    "discernibility": lambda measurer: numpy_measures.discernibility(*measurer.by_class),
    "average_class_size": lambda measurer: numpy_measures.average_class_size(*measurer.by_class, measurer.k),
    "classification_metric": lambda measurer: numpy_measures.classification_metric(*measurer.by_class),
    "kl_divergence": _kl_divergence,
    "mutual_information_loss": _mutual_information_loss,
}


# -- what models see of it ---------------------------------------------------------------------------------------------


def released_contingency(
    cells: ReleasedCells, columns: Sequence[CellColumn], folds: np.ndarray, *, originals: bool
) -> Contingency:
    """The contingency table of a release: what models are trained on.

    ``folds`` (cells, folds) are the records of each cell by fold. A column that no record shows under its root is none
    of the release. Values without an order count as their node. An ordered column is a number where its nodes do not
    overlap: the value itself if all are values, else the place of the node. Where they overlap, it is two numbers, the
    least and the largest value under the node. With ``originals`` models are tested on the original values, and learn
    from values that are lent to the nodes (Last et al. 2014, section 5.1).
    """
    kept = cells.released
    shown = [
        place for place, one in enumerate(columns) if (kept.levels[place] != one.by_loss.root).any() or not one.leaves
    ]
    nodes = shown_nodes(kept, columns)
    seen = [
        part
        for place in shown
        for part in (
            [_value(columns[place], kept.leaves[place])]
            if originals
            else _seen(columns[place], nodes[place], kept.levels[place])
        )
    ]
    keys = [part.codes for part in seen] + ([nodes[place] for place in shown] if originals else [])
    sampled = np.flatnonzero(folds[cells.stays].any(axis=1))
    first, group = distinct([*(key[sampled] for key in keys), kept.classes[sampled]])
    rows = sampled[first]
    summed = np.zeros((len(rows), folds.shape[1]), dtype=np.int64)
    np.add.at(summed, group, folds[cells.stays][sampled])
    return Contingency(
        codes=_stacked([part.codes[rows] for part in seen], len(rows)).astype(np.int32),
        nominal=tuple(part.numbers is None for part in seen),
        sizes=tuple(int(part.codes.max(initial=0)) for part in seen),
        classes=kept.classes[rows],
        folds=summed,
        values=_stacked([part.values()[rows] for part in seen], len(rows)).astype(np.float64),
        nodes=_stacked([nodes[place][rows] for place in shown], len(rows)) if originals else None,
        over=tuple(columns[place].over for place in shown) if originals else None,
        left_out=None if cells.stays.all() else _left_out(cells, folds),
    )


def original_tables(
    cells: ReleasedCells, shown: ReleasedCells, columns: Sequence[CellColumn], folds: np.ndarray
) -> Iterator[Contingency]:
    """For each fold with records the table by which models that learn from what the others show are tested on it.

    The first fold of a table is what records of the other folds show, the second the values that records of this one
    have. ``shown`` are ``cells`` with the values that stand for their own, at level 0, or with nodes, whose values are
    lent to models; columns that are not shown are at their root. ``folds`` (cells, folds) are the records of each cell
    by fold.
    """
    kept, as_shown, held = cells.released, shown.released, folds[cells.stays]
    places = [place for place, one in enumerate(columns) if (as_shown.levels[place] != one.by_loss.root).any()]
    sampled = np.flatnonzero(held.any(axis=1))
    bare = replace(kept, levels=tuple(map(np.zeros_like, kept.levels)))
    lent = any((as_shown.levels[place] > 0).any() for place in places)
    taught, tested = (
        _grouped_values(
            [
                *(one.leaves[place][sampled] for place in places),
                *(nodes[place][sampled] for nodes in [shown_nodes(one, columns)] for place in places if lent),
            ],
            kept.classes[sampled],
            held[sampled],
        )
        for one in (as_shown, bare)
    )
    both, classes = np.vstack([taught[0], tested[0]]), np.r_[taught[1], tested[1]]
    codes, nodes = both[:, : len(places)], both[:, len(places) :]
    seen = [_value(columns[place], codes[:, at]) for at, place in enumerate(places)]
    left_out = None if cells.stays.all() else _left_out(cells, folds)
    for fold in np.flatnonzero(folds.any(axis=0)).tolist():
        counts = np.zeros((len(codes), 2), dtype=np.int64)
        counts[: len(taught[0]), 0] = taught[2].sum(axis=1) - taught[2][:, fold]
        counts[len(taught[0]) :, 1] = tested[2][:, fold]
        yield Contingency(
            codes=codes.astype(np.int32),
            nominal=tuple(part.numbers is None for part in seen),
            sizes=tuple(int(part.codes.max(initial=0)) for part in seen),
            classes=classes,
            folds=counts,
            values=_stacked([part.values() for part in seen], len(codes)).astype(np.float64),
            nodes=nodes if lent else None,
            over=tuple(columns[place].over for place in places) if lent else None,
            left_out=None if left_out is None else _of_fold(left_out, fold),
        )


def _grouped_values(
    leaves: Sequence[np.ndarray], classes: np.ndarray, folds: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct combinations of leaf codes and class: codes (rows, columns), classes, and records by fold."""
    first, group = distinct([*leaves, classes])
    summed = np.zeros((len(first), folds.shape[1]), dtype=np.int64)
    np.add.at(summed, group, folds)
    return _stacked([one[first] for one in leaves], len(first)), classes[first], summed


def _of_fold(left_out: SuppressedRecords, fold: int) -> SuppressedRecords:
    """Those of the other folds, and those of one."""
    own = left_out.folds[:, fold]
    return SuppressedRecords(left_out.classes, np.column_stack([left_out.folds.sum(axis=1) - own, own]))


@dataclass(frozen=True, eq=False)
class _Seen:
    """What a model sees of a column: codes of the cells, 0 for NULL, and the number behind each code of an order."""

    codes: np.ndarray
    numbers: np.ndarray | None

    def values(self) -> np.ndarray:
        """A number for each cell."""
        found: np.ndarray = self.codes if self.numbers is None else self.numbers[self.codes]
        return found


def _value(column: CellColumn, leaves: np.ndarray) -> _Seen:
    return _Seen(leaves, column.numbers if column.ordered else None)


def _seen(column: CellColumn, nodes: np.ndarray, levels: np.ndarray) -> list[_Seen]:
    if not levels.any():
        return [_value(column, nodes)]
    if not column.ordered:
        return [_Seen(_numbered(nodes, nodes), None)]
    least, largest = _ends(column)
    if (_shown_over(column, nodes, least, largest) <= 1).all():
        return [_placed(_numbered(least[nodes], nodes))]
    return [_Seen(end[nodes], column.numbers) for end in (least, largest)]


def _placed(codes: np.ndarray) -> _Seen:
    return _Seen(codes, np.arange(codes.max(initial=0) + 1, dtype=np.float64))


def _numbered(codes: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Numbers from 1 in the order of the codes, and 0 where the node is NULL."""
    numbers: np.ndarray = np.where(nodes == 0, 0, np.searchsorted(np.unique(codes[nodes != 0]), codes) + 1)
    return numbers


def _ends(column: CellColumn) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest leaf code under each node; NULL is its own, and under no other."""
    leaves = np.arange(len(column.nodes))
    least, largest = np.full(column.first_interval, len(leaves) - 1), np.zeros(column.first_interval, dtype=np.int64)
    for level in column.nodes.T:
        np.minimum.at(least, level[1:], leaves[1:])
        np.maximum.at(largest, level[1:], leaves[1:])
    least[0] = 0
    if column.by_loss.free is None:
        return least, largest
    order, begins, ends = column.by_loss.leaves_within()
    return np.r_[least, order[begins]], np.r_[largest, order[ends - 1]]


def _shown_over(column: CellColumn, nodes: np.ndarray, least: np.ndarray, largest: np.ndarray) -> np.ndarray:
    """How many of the ``nodes`` that cells show lie over each leaf but NULL's.

    Leaves of an interval follow one another.
    """
    found: np.ndarray = np.isin(column.nodes[1:], nodes).sum(axis=1)
    shown = np.unique(nodes)
    shown = shown[shown >= column.first_interval]
    changes = np.zeros(len(column.nodes) + 1, dtype=np.int64)
    np.add.at(changes, least[shown], 1)
    np.add.at(changes, largest[shown] + 1, -1)
    return found + np.cumsum(changes)[1:-1]


def _stacked(columns: Sequence[np.ndarray], rows: int) -> np.ndarray:
    return np.column_stack(columns) if columns else np.zeros((rows, 0))


def _left_out(cells: ReleasedCells, folds: np.ndarray) -> SuppressedRecords:
    """The records that are not released, by class and fold."""
    gone = ~cells.stays
    values = np.arange(int(cells.classes.max()) + 1)
    summed = np.zeros((len(values), folds.shape[1]), dtype=np.int64)
    np.add.at(summed, cells.classes[gone], folds[gone])
    return SuppressedRecords(values, summed)
