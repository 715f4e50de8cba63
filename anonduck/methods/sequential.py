"""Sequential anonymization (Goldberger and Tassa 2010): move combinations between classes while loss falls.

It starts with the classes of Mondrian, which have k records and meet the requirement, and keeps both throughout. A pass
lists for each combination the classes that it could join, and then works in rounds. Each round makes the moves that
lower the loss most, where a class takes part in one move only. After the rounds, classes whose combinations all fit
better elsewhere are dissolved, and classes that have become large are cut by Mondrian.

The work is bounded by counts, not by the clock. In a pass, combinations are compared only with classes of their block;
the number of blocks keeps the compared pairs near PAIRS, and each pass forms other blocks. There are at most PASSES
passes; the last one is the first that lowers the loss by less than 1 / LEAST.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anonduck.methods.class_losses import NEVER, ClassLosses, listed_classes
from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.method import Meets, Note, Progress, no_note, no_progress
from anonduck.methods.mondrian import mondrian

PASSES = 10
ROUNDS = 200
PAIRS = 1 << 28
LEAST = 500


def sequential(
    data: CodedRecords,
    k: int,
    meets: Meets | None = None,
    *,
    seed: int = 0,
    progress: Progress = no_progress,
    note: Note = no_note,
) -> np.ndarray:
    """The class of each combination, from 0.

    ``progress`` is called with the cuts of Mondrian, then with the passes. ``note`` is called with a sentence if the
    bound ended the search before the loss stopped falling, or if records were compared within blocks.
    """
    found = mondrian(data, k, meets, seed=seed, progress=progress)
    return improved(data, k, meets, found, seed=seed, progress=progress, note=note)


def improved(
    data: CodedRecords,
    k: int,
    meets: Meets | None,
    begun: np.ndarray,
    *,
    seed: int = 0,
    progress: Progress = no_progress,
    note: Note = no_note,
) -> np.ndarray:
    """Classes of no more loss than the ``begun`` ones; each has k records and meets the requirement, as those do."""
    found, ranks = begun, np.random.default_rng(seed).permutation(len(begun))
    most, ended = 1, not len(found)
    for number in range(PASSES if len(found) else 0):
        blocks = _blocks(data, found, number)
        most = max(most, len(blocks))
        progress(_words(len(blocks)), number, PASSES)
        moved = _Pass(data, k, meets, found, ranks)
        before = int(moved.losses.losses.sum())
        moved.make(blocks)
        found = mondrian(data, k, meets, seed=seed, begun=_numbered(moved.losses.of_row))
        gained = before - int(ClassLosses(data, found).losses.sum())
        if gained * LEAST < before or not gained:
            ended = True
            break
    for words in _remarks(most, ended=ended):
        note(words)
    progress(_words(1), PASSES, PASSES)
    return found


def _remarks(blocks: int, *, ended: bool) -> Iterator[str]:
    if not ended:
        yield f"moving records was ended after {PASSES} passes, before the loss stopped falling"
    if blocks > 1:
        yield (
            f"records were compared within blocks of classes, {blocks:,} in a pass, and not with all classes: a longer "
            "search might lose less"
        )


def _words(blocks: int) -> str:
    return "moving records between classes" + (f", within {blocks:,} blocks" if blocks > 1 else "")


def _numbered(classes: np.ndarray) -> np.ndarray:
    """Classes numbered consecutively from 0."""
    found: np.ndarray = np.unique(classes, return_inverse=True)[1]
    return found


def _blocks(data: CodedRecords, of_row: np.ndarray, number: int) -> list[np.ndarray]:
    """Divide classes into blocks of neighbours, sorted by a column, then by the next ones.

    The first column is another one in each pass (``number``), so that classes meet other neighbours.
    """
    order = np.argsort(of_row, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(of_row[order]) != 0])
    least = [np.minimum.reduceat(places[order], starts) for places in data.places]
    turned = [*least[number % len(least) :], *least[: number % len(least)]]
    in_order = np.lexsort(turned[::-1])
    count = min(max(len(starts) // 2, 1), -(-len(of_row) * len(starts) // PAIRS))
    return np.array_split(in_order, count)


class _Pass:
    def __init__(self, data: CodedRecords, k: int, meets: Meets | None, of_row: np.ndarray, ranks: np.ndarray) -> None:
        self.data = data
        self.k = k
        self.meets = meets
        self.ranks = ranks
        self.losses = ClassLosses(data, of_row)

    def make(self, blocks: list[np.ndarray]) -> None:
        """Move combinations until no move lowers the loss, then dissolve classes."""
        listed = _Listed(self.losses, *listed_classes(self.losses, self._class_ranks(), blocks))
        for _ in range(ROUNDS):
            if not self._round(listed):
                break
        self._give_up(listed)

    def _class_ranks(self) -> np.ndarray:
        """The rank of the first combination of each class."""
        found = np.zeros(len(self.losses.sizes), dtype=np.int64)
        classes, first = np.unique(self.losses.of_row, return_index=True)
        found[classes] = self.ranks[first]
        return found

    # -- rounds --------------------------------------------------------------------------------------------------------

    def _round(self, listed: _Listed) -> bool:
        """Make the moves that lower the loss most; returns whether any move was tried."""
        losses, rows = self.losses, listed.rows
        own = losses.of_row[rows]
        free = (losses.sizes[own] - self.data.records[rows] >= self.k) | losses.alone[rows]
        change = np.where(listed.rises == NEVER, 0, listed.rises - losses.gains[rows])
        asked = np.flatnonzero(free & (change < 0))
        order = np.lexsort((self.ranks[rows[asked]], change[asked]))
        asked = asked[_apart(own[asked], listed.targets[asked], order)]
        targets = listed.targets[asked]
        stays, comes = self._allowed(rows[asked], targets)
        listed.bar(asked[~stays], asked[~comes])
        made = stays & comes
        if made.any():
            losses.move(rows[asked[made]], targets[made])
        listed.follow(asked, np.union1d(own[asked], targets))
        return len(asked) > 0

    def _allowed(self, rows: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Whether the class that each combination leaves, and the one that it joins, satisfy ``meets``."""
        every = np.ones(len(rows), dtype=bool)
        if self.meets is None or not len(rows):
            return every, every
        left = ~self.losses.alone[rows]
        return self._met(self.losses.of_row[rows], rows, left, -1), self._met(targets, rows, every, 1)

    def _met(self, classes: np.ndarray, rows: np.ndarray, asked: np.ndarray, sign: int) -> np.ndarray:
        """Whether classes satisfy ``meets`` with a combination each (sign 1) or without it (-1); True if not asked."""
        found = np.ones(len(rows), dtype=bool)
        if self.meets is None or not asked.any():
            return found
        group_of = np.full(len(self.losses.sizes), -1)
        group_of[classes[asked]] = np.arange(asked.sum())
        members = self.losses.rows_of(classes[asked])
        if sign < 0:
            members = np.setdiff1d(members, rows[asked], assume_unique=True)
        groups = group_of[self.losses.of_row[members]]
        if sign > 0:
            members, groups = np.r_[members, rows[asked]], np.r_[groups, np.arange(asked.sum())]
        found[asked] = self.meets(members, groups, int(asked.sum()))
        return found

    # -- classes given up ----------------------------------------------------------------------------------------------

    def _give_up(self, listed: _Listed) -> None:
        """Dissolve classes: move all combinations of a class to where they raise the loss least, if the sum falls."""
        rows, rises, targets = listed.rows, listed.rises, listed.targets
        classes, group = np.unique(self.losses.of_row[rows], return_inverse=True)
        sums = np.zeros(len(classes), dtype=np.int64)
        np.add.at(sums, group, np.where(rises == NEVER, 0, rises))
        sums -= self.losses.losses[classes]
        sums[group[rises == NEVER]] = 0
        members = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1]) if len(rows) else []
        used = np.zeros(len(self.losses.sizes), dtype=bool)
        chosen = []
        for one in np.lexsort((self._class_ranks()[classes], sums))[: np.count_nonzero(sums < 0)]:
            touched = np.r_[classes[one], targets[members[one]]]
            if not used[touched].any():
                used[touched] = True
                chosen.append(members[one])
        if chosen:
            given_up = np.repeat(np.arange(len(chosen)), [len(one) for one in chosen])
            together = np.concatenate(chosen)
            self._give_up_some(rows[together], targets[together], given_up)

    def _give_up_some(self, rows: np.ndarray, targets: np.ndarray, given_up: np.ndarray) -> None:
        """Move the combinations of dissolved classes; undo it where the loss does not fall or ``meets`` fails.

        ``given_up`` (rows,) numbers the class that each combination leaves.
        """
        losses, own = self.losses, self.losses.of_row[rows]
        changed, where = np.unique(targets, return_index=True)
        change = -losses.losses[own[np.unique(given_up, return_index=True)[1]]]
        np.subtract.at(change, given_up[where], losses.losses[changed])
        losses.move(rows, targets)
        np.add.at(change, given_up[where], losses.losses[changed])
        failing = change >= 0
        failing[given_up[where[~self._meet(changed)]]] = True
        back = failing[given_up]
        if back.any():
            losses.move(rows[back], own[back])

    def _meet(self, classes: np.ndarray) -> np.ndarray:
        """Whether each of the given classes satisfies ``meets``."""
        if self.meets is None:
            return np.ones(len(classes), dtype=bool)
        rows = self.losses.rows_of(classes)
        return self.meets(rows, np.searchsorted(classes, self.losses.of_row[rows]), len(classes))


class _Listed:
    """For each combination the classes it could join, the best one (``targets``), and the rise in loss there."""

    def __init__(self, losses: ClassLosses, rows: np.ndarray, classes: np.ndarray) -> None:
        self.losses = losses
        self.rows = rows
        self.classes = classes
        self.targets, self.rises = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)
        self._measure(np.arange(len(rows)))

    def bar(self, all_of: np.ndarray, best_of: np.ndarray) -> None:
        """Remove all classes from the lists ``all_of``, and the best class from the lists ``best_of``."""
        own = self.losses.of_row[self.rows]
        self.classes[all_of] = own[all_of][:, None]
        best = self.classes[best_of] == self.targets[best_of][:, None]
        self.classes[best_of] = np.where(best, own[best_of][:, None], self.classes[best_of])

    def follow(self, asked: np.ndarray, changed: np.ndarray) -> None:
        """Recompute the best class where a list or one of its classes has changed."""
        touched = np.zeros(len(self.losses.sizes), dtype=bool)
        touched[changed] = True
        again = touched[self.losses.of_row[self.rows]] | touched[self.classes].any(axis=1)
        again[asked] = True
        self._measure(np.flatnonzero(again))

    def _measure(self, places: np.ndarray) -> None:
        rises = self.losses.rises(self.rows[places][:, None], self.classes[places])
        best = rises.argmin(axis=1)
        self.targets[places] = self.classes[places, best]
        self.rises[places] = rises[np.arange(len(places)), best]


def _apart(own: np.ndarray, targets: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Which moves are made: in order of preference, those whose two classes no earlier move changes."""
    count = int(max(own.max(), targets.max())) + 1 if len(own) else 0
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    chosen, used, waiting = np.zeros(len(order), dtype=bool), np.zeros(count, dtype=bool), np.arange(len(order))
    while len(waiting):
        first = np.full(count, len(order))
        for classes in (own, targets):
            np.minimum.at(first, classes[waiting], place[waiting])
        now = waiting[(first[own[waiting]] == place[waiting]) & (first[targets[waiting]] == place[waiting])]
        chosen[now] = True
        used[own[now]] = used[targets[now]] = True
        waiting = waiting[~(used[own[waiting]] | used[targets[waiting]])]
    return chosen
