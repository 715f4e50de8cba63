"""The classes of a release, what they show of sensitive columns, and which people of the original are in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from anonduck.attacks.attacked_columns import AttackedColumn
from anonduck.attacks.cuts import ClassCut, at_median, through_nodes
from anonduck.attacks.downcoding import ColumnNodes, numbered, read_nodes
from anonduck.attacks.knowledge import ORIGINAL, sized_classes
from anonduck.attacks.known_requirement import ClassValues
from anonduck.database.connection import Database
from anonduck.statements import statement

REMEMBERED = 4096  # cached labels: the values of each, and the combinations with these values


@dataclass(frozen=True, eq=False)
class ClassMembers:
    """The class of each combination of quasi-identifiers (combinations,), -1 if it is not certain.

    ``known`` (classes,) says whether all people of a class are certain.
    """

    classes: np.ndarray
    known: np.ndarray


def certain_members(classes: np.ndarray, rows: np.ndarray, people: np.ndarray, records: np.ndarray) -> ClassMembers:
    """Find who must be in which class, given which combinations fit which classes.

    A class that fits no more people than it has records holds all of them. People who fit one class only are in it, if
    no record was suppressed. Each conclusion may lead to others, so both rules repeat until nothing more follows.

    Args:
        classes, rows: pairs (pairs,) of a class and a combination that fits it.
        people: the number of people with each combination.
        records: the number of records of each class.
    """
    left, found = records.astype(np.int64), np.full(len(people), -1)
    everybody = int(records.sum()) == int(people.sum())
    while True:
        fitting = np.bincount(classes, people[rows], len(left))
        places = np.bincount(rows, minlength=len(people))
        certain = np.flatnonzero((fitting == left)[classes] | ((places == 1)[rows] & everybody))
        if not len(certain):
            return ClassMembers(found, (left == 0) & (records > 0))
        placed, first = np.unique(rows[certain], return_index=True)
        found[placed] = classes[certain[first]]
        left -= np.bincount(found[placed], people[placed], len(left)).astype(np.int64)
        open_ = (found[rows] < 0) & (left[classes] > 0)
        classes, rows = classes[open_], rows[open_]


@dataclass(frozen=True, eq=False)
class ColumnOrder:
    """A known column: its nodes, whether its taxonomy is known, and how its values are ordered.

    ``ranks`` (values,) is None unless values have an order that the nodes follow. ``free``: labels are intervals that
    may begin and end at any node.
    """

    nodes: ColumnNodes
    placed: bool
    ranks: np.ndarray | None
    free: bool


@dataclass(frozen=True, eq=False)
class KnownClass:
    """A class whose people are known: its labels, and the values of its people (columns, people).

    ``sensitive_values`` is what its released records show of each sensitive column. ``truth`` (sensitive, people) is
    what the people truly have, -1 for a value that the class does not show.
    """

    labels: np.ndarray
    people: np.ndarray
    sensitive_values: tuple[ClassValues, ...]
    truth: np.ndarray


class ClassPeople:
    """The classes of a release, numbered from 0, and who is in them."""

    def __init__(
        self, work: Database, known: Sequence[AttackedColumn], sensitive: Sequence[AttackedColumn], *, free: bool
    ) -> None:
        nodes = read_nodes(work, [*known, *sensitive])
        self._sensitive = [f"l_{one.number}" for one in sensitive]
        self._read_classes(work, known, sensitive)
        values, records = numbered(work, [*known, *sensitive], ORIGINAL)
        order = np.lexsort(values)  # a seed draws the same deals whatever the order of rows in the file
        values, records = values[:, order], records[order]
        self._values, self._records = values[: len(known)], records
        self._truth = np.array(
            [_labels(of)[row] for of, row in zip(nodes[len(known) :], values[len(known) :], strict=True)]
        )
        self.columns = _orders(work, known, nodes, self._labels, free=free)
        self._covers = lru_cache(REMEMBERED)(lambda column, label: self.columns[column].nodes.covers(label))
        self._children = lru_cache(REMEMBERED)(lambda column, label: self.columns[column].nodes.children(label))
        self._members()

    def __len__(self) -> int:
        return len(self.records)

    @property
    def known(self) -> np.ndarray:
        """Whether all people of each class are known (classes,)."""
        return self._who.known

    def at(self, one: int) -> KnownClass:
        """A class whose people are known."""
        cells = slice(*self._cells[one : one + 2])
        dealt = [np.repeat(labels[cells], self._held[cells]) for labels in self._shown]
        sensitive_values, truth = [], []
        rows = self._order[slice(*self._begins[one : one + 2])]
        rows = np.repeat(rows, self._records[rows])
        for labels, true, overall in zip(dealt, self._truth, self._overall, strict=True):
            values, codes = np.unique(labels, return_inverse=True)
            sensitive_values.append(ClassValues(codes, overall[values], int(np.count_nonzero(overall))))
            place = np.minimum(np.searchsorted(values, true[rows]), len(values) - 1)
            truth.append(np.where(values[place] == true[rows], place, -1))
        return KnownClass(self._labels[:, one], self._values[:, rows], tuple(sensitive_values), np.array(truth))

    def cuts(self, one: KnownClass, *, strict: bool) -> list[ClassCut]:
        """The cuts of a class that Mondrian would try, in any column."""
        found = []
        for column, (order, values) in enumerate(zip(self.columns, one.people, strict=True)):
            if order.free and order.ranks is not None:
                found.append(through_nodes((order.ranks[values] > 0).astype(np.int64)))
            elif order.placed:
                found.append(through_nodes(self._children(column, int(one.labels[column]))[values]))
            if order.ranks is not None and strict:
                found.append(at_median(order.ranks[values]))
        return [cut for cut in found if cut is not None]

    def may_be_several(self, one: KnownClass, k: int, *, strict: bool) -> bool:
        """Whether a class may in fact be several classes with equal labels, parted by a median cut.

        A cut below the lowest node over several values leaves no trace in the labels. Without ``strict``, medians may
        part equal values too, and then any ordered column makes this possible.
        """
        ordered = [number for number, order in enumerate(self.columns) if order.ranks is not None]
        if not strict:
            return bool(ordered)
        shown = np.array([self._child_nodes(column, one) for column in range(len(self.columns))])
        return any(
            _parts_alike(ranks[one.people[number]], shown, k)
            for number in ordered
            if (ranks := self.columns[number].ranks) is not None
        )

    def _child_nodes(self, column: int, one: KnownClass) -> np.ndarray:
        """The finer node right under the label of a class that each of its people lies in (people,).

        People who lie in several of these nodes show the label itself. If labels are intervals, that cannot be seen:
        -1.
        """
        if self.columns[column].free:
            return np.full(one.people.shape[1], -1)
        found: np.ndarray = self._children(column, int(one.labels[column]))[one.people[column]]
        return found

    # -- reading -------------------------------------------------------------------------------------------------------

    def _read_classes(
        self, work: Database, known: Sequence[AttackedColumn], sensitive: Sequence[AttackedColumn]
    ) -> None:
        table = work.frame(sized_classes([*known, *sensitive]))
        labels = table[[f"l_{one.number}" for one in known]].to_numpy(np.int64).T
        new = np.r_[True, (np.diff(labels, axis=1) != 0).any(axis=0)]
        self._cells = np.r_[np.flatnonzero(new), len(table)]
        self._labels = labels[:, new]
        self._held = table["records"].to_numpy(np.int64)
        self._shown = [table[name].to_numpy(np.int64) for name in self._sensitive]
        self.records = np.add.reduceat(self._held, self._cells[:-1])
        self._overall = [np.bincount(labels, self._held) / self._held.sum() for labels in self._shown]

    def _members(self) -> None:
        """Assign combinations of values to classes, and sort the rows of the original by class."""
        combinations, of_row = np.unique(self._values, axis=1, return_inverse=True)
        people = np.bincount(of_row, self._records).astype(np.int64)
        fitting = self._fitting(combinations)
        classes = np.repeat(np.arange(len(fitting)), [len(rows) for rows in fitting])
        self._who: ClassMembers = certain_members(classes, np.concatenate(fitting), people, self.records)
        of_row = self._who.classes[of_row]
        self._order = np.argsort(of_row, kind="stable")
        self._begins = np.searchsorted(of_row[self._order], np.arange(len(self.records) + 1))

    def _fitting(self, combinations: np.ndarray) -> list[np.ndarray]:
        """The combinations that fit each class."""
        behind = lru_cache(REMEMBERED)(
            lambda column, label: np.flatnonzero(self._covers(column, label)[combinations[column]])
        )
        found = []
        for labels in self._labels.T:
            rows = [behind(column, int(label)) for column, label in enumerate(labels)]
            order = sorted(range(len(rows)), key=lambda column: len(rows[column]))
            left = rows[order[0]]
            for column in order[1:]:
                left = left[self._covers(column, int(labels[column]))[combinations[column, left]]]
            found.append(left)
        return found


def _parts_alike(ranks: np.ndarray, shown: np.ndarray, k: int) -> bool:
    """Whether some cut between two ranks leaves two sides of k people that show the same labels as all people together.

    ``shown`` (columns, people) are the finer nodes of the people.
    """
    several = (shown != shown[:, :1]).any(axis=1)
    for rank in np.unique(ranks)[1:]:
        left = ranks < rank
        sides = (shown[:, left], shown[:, ~left])
        if all(side.shape[1] >= k and (side != side[:, :1]).any(axis=1)[several].all() for side in sides):
            return True
    return False


def _labels(nodes: ColumnNodes) -> np.ndarray:
    """The narrowest label over each value (values,) of a kept column."""
    found = np.zeros(len(nodes.shares), dtype=np.int64)
    begins = nodes.labels.indptr
    for label in np.argsort(-np.diff(begins), kind="stable"):
        found[nodes.labels.indices[begins[label] : begins[label + 1]]] = label
    return found


def _orders(
    work: Database, known: Sequence[AttackedColumn], nodes: Sequence[ColumnNodes], labels: np.ndarray, *, free: bool
) -> list[ColumnOrder]:
    table = work.frame(statement("attacks/values.sql"))
    found = []
    for one, of, shown in zip(known, nodes, labels, strict=False):
        here = table[table["attribute"] == one.number]
        positions = here["position"].to_numpy(np.float64)
        ranks = _ranks(positions) if _follows(of, positions) else None
        shows = free or any(_between(of, int(label)) for label in np.unique(shown))
        found.append(ColumnOrder(of, bool(here["placed"].any()), ranks, ranks is not None and shows))
    return found


def _ranks(positions: np.ndarray) -> np.ndarray:
    """The rank of each value, from 1; 0 for NULL, which stands first."""
    found: np.ndarray = np.where(np.isnan(positions), 0, np.unique(positions, return_inverse=True)[1] + 1)
    return found


def _follows(nodes: ColumnNodes, positions: np.ndarray) -> bool:
    """Whether all values except NULL have a position, and each node is a contiguous range of them."""
    if np.isnan(positions[:-1]).any() or not len(positions):
        return False
    ranks, begins = _ranks(positions), nodes.nodes.indptr
    for node in np.flatnonzero(np.diff(begins)):
        held = ranks[nodes.nodes.indices[begins[node] : begins[node + 1]]]
        held = np.unique(held[held > 0])
        if len(held) and held[-1] - held[0] + 1 != len(held):
            return False
    return True


def _between(nodes: ColumnNodes, label: int) -> bool:
    """Whether a label covers neither one value nor all, and is no node of the known taxonomy."""
    inside = nodes.covers(label)
    size = int(inside.sum())
    if size < 2 or size >= len(inside) - 1 or not nodes.nodes.nnz:
        return False
    held = nodes.nodes @ inside.astype(np.float64)
    return not ((held == size) & (np.diff(nodes.nodes.indptr) == size)).any()
