"""Ring generalization (after Wong, Mamoulis and Cheung, SIGMOD 2010): a rival of NSVDist, which calls it NHAA.

Built after what Last et al. (2014, section 4.5) tell of it, for the evaluation alone. Mondrian cuts the records into
clusters, in none of which more than one record in l has the same value of the class. The records of each cluster are
put into a ring in which any l that follow one another have l values. The view of a record is the closure of itself and
the l - 1 after it, so that each view covers l records and each record is covered by l views. Each view shows the value
of one of its records, and no two views that of the same one. Which one is drawn: views and records are matched at
random in l ways, no two of which share a pair, and one of these is taken, each as likely as any other.

So each record is behind each of its views with a chance of 1/l, before values are seen. Once they are, somebody who
knows which records each view covers can tell more (see ``told_apart``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anonduck.errors import RequirementNotMet
from anonduck.methods.closures import ClosureColumn, closure_columns
from anonduck.methods.coded_records import WHOLE, CodedRecords, PlacedColumn
from anonduck.methods.mondrian import mondrian
from anonduck.methods.nsvdist import Distributions
from anonduck.methods.regions import summed
from benchmarks.rings import ring_order


@dataclass(frozen=True, eq=False)
class Views:
    """What records show: ``windows`` (records, l) has the records that the view of each covers, its own first, and
    ``shown`` the one of these whose value it shows."""

    windows: np.ndarray
    shown: np.ndarray


def ring_generalization(
    data: CodedRecords,
    diversity: int,
    *,
    numbers: Sequence[np.ndarray | None] | None = None,
    seed: int = 0,
) -> Distributions:
    """The view of each record of ``apart(data)``, and its value as a distribution.

    Args:
        data: combinations with the records of each class.
        diversity: l, how many records each view covers, no two with the same value of the class.
        numbers: as for ``nsvdist``.
        seed: draws the cuts of equal width, the first record of each ring, the order of equal ones, and the matchings.

    Raises:
        RequirementNotMet: where more than one record in l has the same value.
    """
    data = apart(data)
    columns = closure_columns(data, diversity, loss="lm", numbers=numbers or [None] * len(data.columns))
    places, values = _places(data), _values(data)
    draw = np.random.default_rng(seed)
    windows = np.zeros((data.total, diversity), dtype=np.int64)
    shown = np.zeros(data.total, dtype=np.int64)
    for members in _groups(diverse_classes(data, diversity, columns, seed)):
        cluster = draw.permutation(members)
        made = ring_views(columns, places[:, cluster], values[cluster].tolist(), diversity, draw)
        windows[cluster], shown[cluster] = cluster[made.windows], cluster[made.shown]
    return covering(columns, places, windows, values[shown])


def mondrian_views(
    data: CodedRecords,
    diversity: int,
    *,
    numbers: Sequence[np.ndarray | None] | None = None,
    seed: int = 0,
) -> Distributions:
    """Mondrian's classes with the same closures: each record of ``apart(data)`` with its class's, and its own value."""
    data = apart(data)
    columns = closure_columns(data, diversity, loss="lm", numbers=numbers or [None] * len(data.columns))
    groups = list(_groups(diverse_classes(data, diversity, columns, seed)))
    windows: list[np.ndarray] = [groups[0]] * data.total
    for members in groups:
        for record in members.tolist():
            windows[record] = members
    return covering(columns, _places(data), windows, _values(data))


def apart(data: CodedRecords) -> CodedRecords:
    """The same with a cell for each single record: equal ones can have views of their own."""
    assert data.cells is not None
    row = np.repeat(np.arange(len(data.cells.records)), data.cells.records)
    cells = replace(
        data.cells,
        combinations=data.cells.combinations[row],
        classes=data.cells.classes[row],
        records=np.ones(len(row), dtype=np.int64),
    )
    return replace(data, cells=cells)


def covering(
    columns: Sequence[ClosureColumn], places: np.ndarray, windows: Iterable[np.ndarray], values: np.ndarray
) -> Distributions:
    """Each record with the closure of those in its window, and a value as a distribution concentrated there."""
    kept = [np.asarray(one) for one in windows]
    closures = np.zeros((len(kept), len(columns), 2), dtype=np.int64)
    losses = np.zeros(len(kept), dtype=np.int64)
    for record, window in enumerate(kept):
        least, most = places[:, window].min(axis=1).tolist(), places[:, window].max(axis=1).tolist()
        for number, column in enumerate(columns):
            closure = column.joined(column.single(least[number]), most[number])
            closures[record, number] = closure
            losses[record] += column.loss(closure)
    return Distributions(
        firsts=closures[:, :, 0],
        lasts=closures[:, :, 1],
        values=np.eye(int(values.max()) + 1, dtype=np.int64)[values],
        losses=losses,
        starts=np.cumsum([0, *map(len, kept)]),
        members=np.concatenate(kept),
        taken=np.ones(sum(map(len, kept)), dtype=np.int64),
    )


# -- clusters ----------------------------------------------------------------------------------------------------------


def diverse_classes(data: CodedRecords, diversity: int, columns: Sequence[ClosureColumn], seed: int) -> np.ndarray:
    """The class that Mondrian puts each record into; no value of the class has more than one in l of any.

    Numbers that closures cover by intervals are cut at any bound of these, by how long they are.
    """
    assert data.cells is not None
    cells = data.cells
    width = int(cells.classes.max()) + 1
    by_class = np.zeros((len(data.records), width), dtype=np.int64)
    np.add.at(by_class, (cells.combinations, cells.classes), cells.records)
    if (by_class.sum(axis=0) * diversity > data.total).any():
        raise RequirementNotMet(
            f"{by_class.sum(axis=0).max():,} of {data.total:,} records have the same value of the class, more than one "
            f"in {diversity}; ask for a smaller l"
        )

    def meets(rows: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
        held = np.vstack([summed(groups, by_class[rows, value], count) for value in range(width)])
        return np.asarray(held.max(axis=0) * diversity <= held.sum(axis=0))

    lined = tuple(_lined(column, closures) for column, closures in zip(data.columns, columns, strict=True))
    classes = mondrian(replace(data, columns=lined), diversity, meets, seed=seed)
    return np.asarray(classes[cells.combinations])


def _lined(column: PlacedColumn, closures: ClosureColumn) -> PlacedColumn:
    """The column as wide as what its closures lose: where these are intervals, it is cut between any of them."""
    if closures.cells is None:
        return column
    cells = closures.cells
    begins, ends = closures.cell_firsts[cells], closures.cell_lasts[cells]
    first, last = np.full(len(cells), closures.cell_firsts[0]), np.full(len(cells), closures.cell_lasts[-1])
    scale = WHOLE / closures.root_loss
    sides = closures.measure.of_run(first, begins), closures.root_loss - closures.measure.of_run(ends, last)
    return replace(column, cells=np.rint(np.vstack(sides) * scale).astype(np.int64))


def _groups(of_record: np.ndarray) -> Iterator[np.ndarray]:
    order = np.argsort(of_record, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(of_record[order])) + 1)


def _places(data: CodedRecords) -> np.ndarray:
    assert data.cells is not None
    return np.ascontiguousarray(np.vstack(data.places)[:, data.cells.combinations])


def _values(data: CodedRecords) -> np.ndarray:
    assert data.cells is not None
    return data.cells.classes


# -- views -------------------------------------------------------------------------------------------------------------


def ring_views(
    columns: Sequence[ClosureColumn],
    places: np.ndarray,
    values: Sequence[int],
    diversity: int,
    draw: np.random.Generator,
) -> Views:
    """The views of a cluster, of which ``places`` (columns, records) and values are told; its first record begins."""
    size = len(values)
    ring = np.array(ring_order(columns, places, values, diversity))
    covered = (np.arange(size)[:, None] + np.arange(diversity)) % size
    matching = disjoint_matchings(covered, draw)[draw.integers(diversity)]
    windows, shown = np.zeros((size, diversity), dtype=np.int64), np.zeros(size, dtype=np.int64)
    windows[ring], shown[ring] = ring[covered], ring[matching]
    return Views(windows, shown)


def told_apart(found: Distributions) -> float:
    """The share of records whose value is told to those who know which records each view covers, by one argument.

    Of the l views over a record, one shows its value. The others show those of records within l - 1 of it in the ring,
    which have other values: so a value that two of these views show is not its own.
    """
    diversity = int(found.starts[1])
    views = np.argsort(found.members, kind="stable").reshape(-1, diversity) // diversity
    shown = np.sort(found.values.argmax(axis=1)[views], axis=1)
    edges = np.ones((len(shown), 1), dtype=bool)
    differs = shown[:, 1:] != shown[:, :-1]
    once = np.hstack([edges, differs]) & np.hstack([differs, edges])
    return float((once.sum(axis=1) == 1).mean())


# -- matchings ---------------------------------------------------------------------------------------------------------


def disjoint_matchings(covered: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """As many matchings of all views to all records as a view covers records; each pair is in one of them.

    ``covered`` (views, l) has the records of each view, and each record is in l of them. What is left after a matching
    is regular again, so that there is always another one (König 1916).
    """
    left = covered.tolist()
    found = []
    for _ in range(covered.shape[1]):
        matching = _random_matching(left, draw)
        left = [[record for record in row if record != taken] for row, taken in zip(left, matching, strict=True)]
        found.append(matching)
    return np.array(found)


def _random_matching(covered: Sequence[Sequence[int]], draw: np.random.Generator) -> list[int]:
    """The record that each view is matched to, by random walks (Goel, Kapralov and Khanna 2010).

    A view takes any of its records. Where another view had that, this one takes any of its others, and so on.
    """
    of_view = [-1] * len(covered)
    holder = [-1] * len(covered)
    for begin in draw.permutation(len(covered)).tolist():
        view = begin
        while view >= 0:
            choices = [record for record in covered[view] if record != of_view[view]]
            record = choices[int(draw.integers(len(choices)))]
            of_view[view] = record
            view, holder[record] = holder[record], view
    return of_view
