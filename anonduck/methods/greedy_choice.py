"""The greedy choice of NSVDist (Last et al. 2014, Algorithm 1): add records one by one, each time at the least loss.

The algorithm as printed compares all records in every step. Here a cell is compared with all others once, and then only
with those whose loss with it is within a bound. That is enough while the closure loses less than the bound, because
losses never fall as closures grow. Beyond it, all are compared again with a larger bound. The result is the same as
that of the printed algorithm, ties included.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anonduck.methods.closures import ClosureColumn

OUT = 1 << 62
FoundClosure = tuple[list[tuple[int, int]], list[int], int, dict[int, int]]


class Greedy:
    """The greedy choice within one cluster. Cells are numbered in the order in which ties are broken."""

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
        """The cells sorted so that neighbours share their first columns, whose losses are then summed only once."""
        keys = [self.places[number] for number in self.varied[::-1]]
        found: list[int] = (np.lexsort(keys) if keys else np.arange(len(self.records))).tolist()
        return found

    def closure(self, cell: int) -> FoundClosure:
        """The closure of a cell: stretches by column, records by class value, loss, and members with their counts."""
        choice = _Choice(self, cell, self._losses_with(cell))
        while choice.size < self.k:
            choice.add_next()
        if self.monotone:
            self.bound = max(choice.loss, (3 * self.bound + choice.loss) // 4)
        return choice.closures, choice.held, choice.loss, choice.taken

    def _losses_with(self, cell: int) -> np.ndarray:
        """The loss of the closure of a cell and each other cell, (cells,)."""
        own = self.by_cell[cell]
        begun = [own[number] for number in self.varied]
        same = next((n for n, before in enumerate(self.begun) if before != begun[n]), len(self.begun))
        for n in range(same, len(begun)):
            number = self.varied[n]
            single = self.columns[number].single(begun[n])
            np.take(self.columns[number].row(single), self.slots[number], out=self.sums[n + 1], mode="clip")
            self.sums[n + 1] += self.sums[n]
            apart = self.columns[number].own_slot_loss(single)
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
    """The records chosen so far for one cell."""

    def __init__(self, greedy: Greedy, cell: int, losses: np.ndarray) -> None:
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
        """Follow the cells whose loss is within the bound and that may still be chosen."""
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
        """Choose the record of least loss, and with it the following ones that leave the closure unchanged."""
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
        """Compare all cells again and follow more of them, with a larger bound."""
        greedy = self.of
        losses = np.zeros(len(greedy.records), dtype=np.int32)
        for number in greedy.varied:
            column, closure = greedy.columns[number], self.closures[number]
            losses += column.row(closure)[greedy.slots[number]]
            apart = column.own_slot_loss(closure)
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
        """Choose the cells of this loss that the closure covers already, up to the first one that it does not."""
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
        """Extend the closure by a cell that it did not cover, and update the losses of all followed cells."""
        self.loss = int(self.losses[int(np.searchsorted(self.followed, cell))])
        for number in self.of.varied:
            column, before, place = self.of.columns[number], self.closures[number], self.of.by_cell[cell][number]
            if before[0] <= place <= before[1]:
                continue
            after = column.joined(before, place)
            change = column.row(after) - column.row(before)
            self.losses += change[self.of.slots[number][self.followed]]
            apart = column.own_slot_loss(before)
            if apart:
                self.losses[self.of.places[number][self.followed] == before[0]] += apart
            self.closures[number] = after
