"""NSVDist (Last, Tassa, Zhmudyak and Shmueli 2014, Algorithm 1): records show what they share with k - 1 others.

The others are chosen one by one: each time the one with which the closure of all loses least, among those whose value
of the class was not yet chosen as often as l allows. Of equal ones the first goes, in an order that the seed draws.
Closures of different records are chosen each for itself, so records serve many others.

Records that are equal in all columns and the class make one cell, and have one closure. A cell compares itself with all
others once. From then on it follows those alone whose loss with it is small: no other can come first before the closure
loses as much, as losses never fall while closures grow. Where it does, all are compared again. So the members are
those of the algorithm as it is printed, ties included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anonduck.methods.closures import ClosureColumn, closure_columns
from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.method import Tell, untold
from anonduck.methods.mondrian import mondrian
from anonduck.methods.regions import summed

EXACT = 32_768
"""So many cells are compared each with each; more of them in clusters."""
CLUSTER = 3_000
OUT = 1 << 62


@dataclass(frozen=True, eq=False)
class Distributions:
    """What is found for each cell, which stand in the order of ``data.cells``.

    ``firsts`` and ``lasts`` have the stretch of places of its closure by column, ``values`` how many of the k records
    have each value of the class, and ``losses`` the sum of what the columns lose, each ``scale`` at most. The chosen
    cells are in ``members``, from ``starts`` on, with the records that were taken of each in ``taken``; its own record
    counts.
    """

    firsts: np.ndarray
    lasts: np.ndarray
    values: np.ndarray
    losses: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    taken: np.ndarray

    def loss(self, records: np.ndarray, columns: int) -> float:
        """The mean loss of a record, from 0 to 1 where the measure is LM."""
        return float((self.losses * records).sum() / records.sum() / ((1 << 31) // (columns + 1)) / columns)


def most_alike(k: int, l: float) -> int:  # noqa: E741
    """How many of k records may have one value of the class: floor(k / l), with l as it is written."""
    return int(Fraction(k) / Fraction(str(l)))


def highest_l(values: np.ndarray, k: int) -> float | None:
    """The highest l of k records, where ``values`` counts the records of each value; None where k is too many.

    It is feasible if and only if the values, each counted floor(k / l) times at most, give k records.
    """
    if values.sum() < k:
        return None
    enough = np.minimum(values[None, :], np.arange(1, k + 1)[:, None]).sum(axis=1) >= k
    return k / (int(enough.argmax()) + 1)


def nsvdist(
    data: CodedRecords,
    k: int,
    *,
    diversity: float = 1.0,
    loss: str = "lm",
    numbers: Sequence[np.ndarray | None] | None = None,
    clusters: int = 0,
    seed: int = 0,
    tell: Tell = untold,
) -> Distributions:
    """The closure and the distribution of each cell of ``data.cells``.

    Args:
        data: combinations with the records of each class; all together allow l.
        k: how many records each closure is of, the own one among them.
        diversity: l, from 1 on.
        loss: ``"lm"`` or ``"entropy"``.
        numbers: for each column the number of each leaf code, where it is covered by runs of cells of k records; None
            where it is covered by nodes.
        clusters: about how many records are compared with each other; 0 for all, as long as they are EXACT cells at
            most, else CLUSTER.
        seed: draws the order of equal ones.
        tell: hears how many records have a closure.
    """
    assert data.cells is not None
    cells = data.cells
    columns = closure_columns(data, k, loss=loss, numbers=numbers or [None] * len(data.columns))
    size = clusters or (0 if len(cells.records) <= EXACT else CLUSTER)
    cap = most_alike(k, diversity)
    places = np.ascontiguousarray(np.vstack(data.places)[:, cells.combinations])
    rank = np.random.default_rng(seed).permutation(len(cells.records))
    of_cell = _clusters(data, k, cap, size, seed)[cells.combinations]
    monotone = loss == "lm"
    parts, done = [], 0
    for members in _groups(of_cell, rank):
        greedy = _Greedy(columns, places[:, members], cells.classes[members], cells.records[members], k, cap, monotone)
        found = []
        for cell in greedy.order():
            found.append((members[cell], greedy.closure(cell)))
            done += int(cells.records[members[cell]])
            if len(found) % 64 == 0 or done == data.total:
                tell("closing records", done, data.total)
        parts.append((members, found))
    return _collected(parts, len(cells.records), len(columns), int(cells.classes.max()) + 1)


def _clusters(data: CodedRecords, k: int, cap: int, size: int, seed: int) -> np.ndarray:
    """The cluster of each combination: those of Mondrian (section 4.3), which allow l each."""
    if not size:
        return np.zeros(len(data.records), dtype=np.int64)
    assert data.cells is not None
    cells = data.cells
    width = int(cells.classes.max()) + 1
    by_class = np.zeros((len(data.records), width), dtype=np.int64)
    by_class[cells.combinations, cells.classes] = cells.records

    def meets(rows: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
        held = np.vstack([summed(groups, by_class[rows, value], count) for value in range(width)])
        found: np.ndarray = np.minimum(held, cap).sum(axis=0) >= k
        return found

    return mondrian(data, max(k, size // 2), meets, seed=seed)


def _groups(of_cell: np.ndarray, rank: np.ndarray) -> Iterator[np.ndarray]:
    """The cells of each cluster, in the order of their ranks."""
    order = np.lexsort((rank, of_cell))
    yield from np.split(order, np.flatnonzero(np.diff(of_cell[order])) + 1)


_Found = tuple[list[tuple[int, int]], list[int], int, dict[int, int]]


class _Greedy:
    """The greedy choice within one cluster, whose cells have numbers in the order in which equal ones go."""

    def __init__(
        self,
        columns: Sequence[ClosureColumn],
        places: np.ndarray,
        classes: np.ndarray,
        records: np.ndarray,
        k: int,
        cap: int,
        monotone: bool,
    ) -> None:
        varied = [
            number
            for number, (column, place) in enumerate(zip(columns, places, strict=True))
            if (place != place[0]).any() or column.unknown[place[0]]
        ]
        self.columns, self.k, self.cap = columns, k, cap
        self.varied = sorted(varied, key=lambda number: len(np.unique(places[number])))
        self.places, self.classes, self.records = places, classes, records
        self.slots = [column.slots[place] for column, place in zip(columns, places, strict=True)]
        self.alike = {number: _alike(places[number]) for number in varied if columns[number].coarse}
        self.by_cell: list[list[int]] = places.T.tolist()
        self.class_list, self.record_list = classes.tolist(), records.tolist()
        self.width = int(classes.max()) + 1
        self.monotone = monotone
        self.bound = 0 if monotone else OUT
        self.begun: list[int] = []
        self.sums = np.zeros((len(varied) + 1, places.shape[1]), dtype=np.int32)

    def order(self) -> list[int]:
        """The cells in an order in which many share the first columns, whose losses are then summed once."""
        keys = [self.places[number] for number in self.varied[::-1]]
        found: list[int] = (np.lexsort(keys) if keys else np.arange(len(self.records))).tolist()
        return found

    def closure(self, cell: int) -> _Found:
        """The closure of a cell, how many of its records have which value, its loss, and its members."""
        choice = _Choice(self, cell, self._losses_with(cell))
        while choice.size < self.k:
            choice.add_next()
        if self.monotone:
            self.bound = max(choice.loss, (3 * self.bound + choice.loss) // 4)
        return choice.closures, choice.held, choice.loss, choice.taken

    def _losses_with(self, cell: int) -> np.ndarray:
        """The loss of a cell with each cell."""
        own = self.by_cell[cell]
        begun = [own[number] for number in self.varied]
        same = next((n for n, before in enumerate(self.begun) if before != begun[n]), len(self.begun))
        for n in range(same, len(begun)):
            number = self.varied[n]
            single = self.columns[number].single(begun[n])
            np.take(self.columns[number].row(single), self.slots[number], out=self.sums[n + 1], mode="clip")
            self.sums[n + 1] += self.sums[n]
            apart = self.columns[number].kept_apart(single)
            if apart:
                self.sums[n + 1][self.alike[number][begun[n]]] -= apart
        self.begun = begun
        found: np.ndarray = self.sums[-1]
        return found


def _alike(places: np.ndarray) -> dict[int, np.ndarray]:
    """The cells at each place."""
    order = np.argsort(places, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(places[order])) + 1)
    return {int(places[part[0]]): part for part in parts}


class _Choice:
    """The records that are chosen for one cell."""

    def __init__(self, greedy: _Greedy, cell: int, losses: np.ndarray) -> None:
        self.of = greedy
        own = zip(greedy.columns, greedy.by_cell[cell], strict=True)
        self.closures = [column.single(place) for column, place in own]
        self.rows: dict[int, np.ndarray] = {}
        self.held = [0] * greedy.width
        self.held[greedy.class_list[cell]] = 1
        self.size, self.loss = 1, int(losses[cell])
        self.taken = {cell: 1}
        self._follow(losses)

    def _follow(self, losses: np.ndarray) -> None:
        """Follow the cells whose losses are within the bound, as far as they may still be chosen."""
        self.bound = self.of.bound
        if self.bound < OUT:
            self.followed = np.flatnonzero(losses <= self.bound)
        else:
            self.followed = np.arange(len(losses))
        self.losses = losses[self.followed].astype(np.int64)
        for value, count in enumerate(self.held):
            if count >= self.of.cap:
                self._bar(value)
        for cell, taken in self.taken.items():
            if taken >= self.of.record_list[cell]:
                self._drop(cell)

    def _bar(self, value: int) -> None:
        self.losses[self.of.classes[self.followed] == value] = OUT

    def _drop(self, cell: int) -> None:
        at = int(np.searchsorted(self.followed, cell))
        if at < len(self.followed) and self.followed[at] == cell:
            self.losses[at] = OUT

    def add_next(self) -> None:
        """Choose the record with which least is lost, and with it those after it that change nothing."""
        at = int(self.losses.argmin()) if len(self.losses) else -1
        least = int(self.losses[at]) if at >= 0 else OUT
        if least > self.bound or least >= OUT // 2:
            self._compare_again(least)
            return
        cell = int(self.followed[at])
        if self._inside(cell):
            self._add_inside(least)
        else:
            self._grow(cell)
            self._take(cell)

    def _compare_again(self, least: int) -> None:
        """Follow more cells."""
        greedy = self.of
        losses = np.zeros(len(greedy.records), dtype=np.int32)
        for number in greedy.varied:
            column, closure = greedy.columns[number], self.closures[number]
            losses += column.row(closure)[greedy.slots[number]]
            apart = column.kept_apart(closure)
            if apart:
                losses[greedy.alike[number][closure[0]]] -= apart
        needed = least if least < OUT // 2 else int(losses.max())
        greedy.bound = max(needed, greedy.bound + greedy.bound // 4)
        self._follow(losses)

    def _inside(self, cell: int) -> bool:
        return all(
            first <= place <= last for (first, last), place in zip(self.closures, self.of.by_cell[cell], strict=True)
        )

    def _add_inside(self, least: int) -> None:
        """Choose, of the cells with which as little is lost, those that are covered, up to one that is not."""
        for cell in self.followed[self.losses == least].tolist():
            if self.size >= self.of.k or not self._inside(cell):
                return
            self._take(cell, all_of=True)
            if self.held[self.of.class_list[cell]] >= self.of.cap:
                return

    def _take(self, cell: int, *, all_of: bool = False) -> None:
        greedy, value = self.of, self.of.class_list[cell]
        left = greedy.record_list[cell] - self.taken.get(cell, 0)
        count = min(left, greedy.cap - self.held[value], greedy.k - self.size) if all_of else 1
        self.taken[cell] = self.taken.get(cell, 0) + count
        self.size += count
        self.held[value] += count
        if count == left:
            self._drop(cell)
        if self.held[value] >= greedy.cap:
            self._bar(value)

    def _grow(self, cell: int) -> None:
        """The closure with a cell that it did not cover, and what it loses with each that is followed."""
        self.loss = int(self.losses[int(np.searchsorted(self.followed, cell))])
        for number in self.of.varied:
            column, before, place = self.of.columns[number], self.closures[number], self.of.by_cell[cell][number]
            if before[0] <= place <= before[1]:
                continue
            after = column.joined(before, place)
            change = column.row(after) - column.row(before)
            self.losses += change[self.of.slots[number][self.followed]]
            apart = column.kept_apart(before)
            if apart:
                self.losses[self.of.places[number][self.followed] == before[0]] += apart
            self.closures[number] = after


def _collected(
    parts: list[tuple[np.ndarray, list[tuple[int, _Found]]]], cells: int, columns: int, width: int
) -> Distributions:
    """What was found of all clusters, in the order of cells."""
    closures = np.zeros((cells, columns, 2), dtype=np.int64)
    values, losses = np.zeros((cells, width), dtype=np.int64), np.zeros(cells, dtype=np.int64)
    members: list[np.ndarray] = [np.zeros(0, dtype=np.int64)] * cells
    taken = list(members)
    for numbers, found in parts:
        for cell, (closure, held, loss, chosen) in found:
            closures[cell] = closure
            values[cell, : len(held)] = held
            losses[cell] = loss
            members[cell], taken[cell] = numbers[list(chosen)], np.array(list(chosen.values()))
    lengths = np.array([len(one) for one in members])
    return Distributions(
        firsts=closures[:, :, 0],
        lasts=closures[:, :, 1],
        values=values,
        losses=losses,
        starts=np.r_[0, np.cumsum(lengths)],
        members=np.concatenate(members),
        taken=np.concatenate(taken),
    )
