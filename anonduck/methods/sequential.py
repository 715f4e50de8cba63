"""Sequential anonymization (Goldberger and Tassa 2010): combinations move to other classes as long as the loss falls.

It begins with Mondrian's classes, so that each has k records and meets what else is required throughout. A pass makes
for each combination a list of classes that it could go to, and then goes in rounds: the moves of a round are those that
lower the loss most, each class being part of one. Then classes whose combinations all do better elsewhere are given up,
and classes that have become large are cut as Mondrian cuts.

What a pass does is bounded: classes are compared with combinations of the same block alone, of which there are as many
as keep the pairs under PAIRS; each pass makes other blocks. There are at most PASSES of them, and the last is one that
lowers the loss by less than one part in LEAST.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anonduck.methods.class_losses import NEVER, ClassLosses
from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.method import Meets, Tell, untold
from anonduck.methods.mondrian import mondrian

PASSES = 10
ROUNDS = 200
PAIRS = 1 << 28
LEAST = 500
LISTED = 8
AT_ONCE = 1 << 22


def sequential(
    data: CodedRecords, k: int, meets: Meets | None = None, *, seed: int = 0, tell: Tell = untold
) -> np.ndarray:
    """The class of each combination, from 0; ``tell`` hears of Mondrian's cuts, and then of the passes."""
    found = mondrian(data, k, meets, seed=seed, tell=tell)
    return improved(data, k, meets, found, seed=seed, tell=tell)


def improved(
    data: CodedRecords, k: int, meets: Meets | None, begun: np.ndarray, *, seed: int = 0, tell: Tell = untold
) -> np.ndarray:
    """Classes that lose less than those it begins with, each of which has k records and meets what else is required."""
    found, ranks = begun, np.random.default_rng(seed).permutation(len(begun))
    for number in range(PASSES if len(found) else 0):
        blocks = _blocks(data, found, number)
        tell(_words(len(blocks)), number, PASSES)
        moved = _Pass(data, k, meets, found, ranks)
        before = int(moved.losses.losses.sum())
        moved.make(blocks)
        found = mondrian(data, k, meets, seed=seed, begun=_numbered(moved.losses.of_row))
        gained = before - int(ClassLosses(data, found).losses.sum())
        if gained * LEAST < before or not gained:
            break
    tell(_words(1), PASSES, PASSES)
    return found


def _words(blocks: int) -> str:
    return "moving records between classes" + (f", within {blocks:,} blocks" if blocks > 1 else "")


def _numbered(classes: np.ndarray) -> np.ndarray:
    """Classes with numbers from 0 to their count."""
    found: np.ndarray = np.unique(classes, return_inverse=True)[1]
    return found


def _blocks(data: CodedRecords, of_row: np.ndarray, number: int) -> list[np.ndarray]:
    """The classes by block: all of them, or as many as follow one another in the order of a column, then of the next.

    The column is another one in each pass.
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
        """Move combinations, and give up classes, until nothing more falls."""
        lists = [self._lists(block) for block in blocks]
        listed = _Listed(self.losses, *(np.concatenate([part[i] for part in lists]) for i in (0, 1)))
        for _ in range(ROUNDS):
            if not self._round(listed):
                break
        self._give_up(listed)

    # -- lists ---------------------------------------------------------------------------------------------------------

    def _lists(self, block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The combinations of a block in classes that lose something, and LISTED classes for each.

        The classes are dealt, in the order of the seeded ranks of their first combinations, into as many parts, and the
        best one of each part is listed; the own class stands where there are fewer others.
        """
        losses = self.losses
        block = block[np.argsort(self._class_ranks()[block])]
        rows = losses.rows_of(block[losses.losses[block] > 0])
        listed = np.tile(losses.of_row[rows][:, None], LISTED)
        tables = list(self._tables(block)) if len(rows) else []
        step = max(1, AT_ONCE // len(block))
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            rises = self._all_rises(part, block, tables)
            for number in range(min(LISTED, len(block))):
                among = slice(number, None, LISTED)
                listed[start : start + step, number] = block[among][rises[:, among].argmin(axis=1)]
        return rows, listed

    def _class_ranks(self) -> np.ndarray:
        """The rank of the first combination of each class."""
        found = np.zeros(len(self.losses.sizes), dtype=np.int64)
        classes, first = np.unique(self.losses.of_row, return_index=True)
        found[classes] = self.ranks[first]
        return found

    def _tables(self, block: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """By column: the width of each class of the block with each place (a row), and the row of each combination."""
        for number, column in enumerate(self.data.columns):
            levels, firsts = self.losses.levels[number][block], self.losses.firsts[number][block]
            keys = levels * len(column.place) + column.nodes[levels, firsts]
            _, first, node = np.unique(keys, return_index=True, return_inverse=True)
            places, rows = np.unique(self.data.places[number], return_inverse=True)
            here = places[:, None]
            shared = np.maximum(levels[first], column.common_levels(here, firsts[first]))
            yield column.widths[shared, np.broadcast_to(here, shared.shape)][:, node], rows

    def _all_rises(
        self, rows: np.ndarray, block: np.ndarray, tables: list[tuple[np.ndarray, np.ndarray]]
    ) -> np.ndarray:
        """By how much the loss of each class of the block rises with each of the combinations."""
        rises = np.zeros((len(rows), len(block)), dtype=np.int64)
        for table, row in tables:
            rises += table[row[rows]]
        rises *= self.losses.sizes[block] + self.data.records[rows][:, None]
        rises -= self.losses.losses[block]
        rises[self.losses.of_row[rows][:, None] == block] = NEVER
        return rises

    # -- rounds --------------------------------------------------------------------------------------------------------

    def _round(self, listed: _Listed) -> bool:
        """Make the moves that lower the loss most; False where there are none, and none was found not to be allowed."""
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
        """Whether what each combination leaves, and what it comes to, meets what is required beside k."""
        every = np.ones(len(rows), dtype=bool)
        if self.meets is None or not len(rows):
            return every, every
        left = ~self.losses.alone[rows]
        return self._met(self.losses.of_row[rows], rows, left, -1), self._met(targets, rows, every, 1)

    def _met(self, classes: np.ndarray, rows: np.ndarray, asked: np.ndarray, sign: int) -> np.ndarray:
        """Whether classes meet what is required with a combination each (sign 1) or without it (-1), where asked."""
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
        """Let all combinations of a class go where each raises the loss least, where that lowers it on the whole."""
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
        """Move the combinations of classes, and those back that do not lower the loss or whose targets meet less.

        ``given_up`` numbers the class that each combination leaves.
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
        """Whether each of some classes meets what is required beside k."""
        if self.meets is None:
            return np.ones(len(classes), dtype=bool)
        rows = self.losses.rows_of(classes)
        return self.meets(rows, np.searchsorted(classes, self.losses.of_row[rows]), len(classes))


class _Listed:
    """Combinations with the classes that each could go to, the best of these, and by how much the loss rises there."""

    def __init__(self, losses: ClassLosses, rows: np.ndarray, classes: np.ndarray) -> None:
        self.losses = losses
        self.rows = rows
        self.classes = classes
        self.targets, self.rises = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)
        self._measure(np.arange(len(rows)))

    def bar(self, all_of: np.ndarray, best_of: np.ndarray) -> None:
        """Take all classes from some lists, and the best one from others."""
        own = self.losses.of_row[self.rows]
        self.classes[all_of] = own[all_of][:, None]
        best = self.classes[best_of] == self.targets[best_of][:, None]
        self.classes[best_of] = np.where(best, own[best_of][:, None], self.classes[best_of])

    def follow(self, asked: np.ndarray, changed: np.ndarray) -> None:
        """Look again where lists or their classes have changed."""
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
    """Which moves are made, in the order in which they are preferred: those whose classes no earlier one changes."""
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
