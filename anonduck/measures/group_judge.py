"""Judges groups of combinations in memory: whether each, as an equivalence class, would meet what is required of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anonduck.measures.class_judge import CodedClasses, classes_that_fail, reached_by
from anonduck.measures.numpy_requirements import BY_CLASS, LKC, TWINS, SensitiveCells, SensitiveValues
from anonduck.measures.requirement import Requirement
from anonduck.privacy.requirement import Criterion
from anonduck.rules.rounding import DIGITS


@dataclass(frozen=True, eq=False)
class CombinationCells:
    """The records of combinations by value of a sensitive column, combination by combination.

    Without ``values`` there is no sensitive column, and each row has the value code 0.
    """

    combinations: np.ndarray
    value_codes: np.ndarray
    records: np.ndarray
    values: SensitiveValues | None = None

    @cached_property
    def held(self) -> np.ndarray:
        """The records of each value code."""
        return np.bincount(self.value_codes, weights=self.records).astype(np.int64)

    def rows_of(self, combinations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows of combinations, and for each row the place of its combination among these."""
        starts = np.searchsorted(self.combinations, combinations)
        lengths = np.searchsorted(self.combinations, combinations, side="right") - starts
        places = np.repeat(np.arange(len(combinations)), lengths)
        ends = np.cumsum(lengths)
        return np.arange(len(places)) + np.repeat(starts - ends + lengths, lengths), places


def steers_classes(asked: Criterion) -> bool:
    """Whether a requirement is asked of each class while classes are found."""
    return asked.model.class_wise or asked.model.name == LKC


class GroupJudge:
    """Judges groups by the requirements that each class decides by itself; ``cells`` by sensitive column.

    Of what all classes together decide, LKC-privacy is judged by more than it asks: each group has its K records, and
    no value in it a larger share than its C. Records that are alike in some columns are whole classes, together no
    smaller than one and with no larger share, so that such classes have it, wherever their labels meet. The rest is
    left to the judge of the release.
    """

    def __init__(self, requirement: Requirement, cells: Mapping[str, CombinationCells]) -> None:
        self.asked = [one for one in requirement.part("class_wise").asked if _has_twin(one.model.name, one.model.reads)]
        self.shared = [one for one in requirement.asked if one.model.name == LKC]
        self.cells = cells

    def __call__(self, combinations: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
        """Whether each group meets the requirements; groups have numbers from 0 to ``count``."""
        parts = [_Parts(one, combinations, groups) for one in self.cells.values()]
        first = parts[0]
        cells = {
            name: part.sensitive_cells(one.values)
            for (name, one), part in zip(self.cells.items(), parts, strict=True)
            if one.values is not None
        }
        failing = classes_that_fail(CodedClasses(first.sizes, (), cells), self.asked)
        for one in self.shared:
            failing |= _fail_alone(one, cells)
        met = np.ones(count, dtype=bool)
        met[first.groups[failing[: len(first.groups)]]] = False
        return met


def _fail_alone(asked: Criterion, cells: Mapping[str, SensitiveCells]) -> np.ndarray:
    """Which classes have, each by itself, fewer records or a larger share of a value than LKC-privacy asks."""
    failing = np.zeros(len(next(iter(cells.values())).starts), dtype=bool)
    for held in cells.values():
        one = held.counting(of_policy=asked.of_policy)
        shares = np.round(one.largest(one.concerning(one.shares)), DIGITS)
        for bound in asked.model.bounds:
            failing |= ~asked.bound_holds(bound, one.sizes if bound.name == "k" else shares)
    return failing


class _Parts:
    """The groups, and behind them all other records as one more part.

    Some models compare a class with all records, which therefore have to be there.
    """

    def __init__(self, cells: CombinationCells, combinations: np.ndarray, groups: np.ndarray) -> None:
        rows, places = cells.rows_of(combinations)
        values = len(cells.held)
        self.groups, part = np.unique(groups[places], return_inverse=True)
        keys, key = np.unique(part * values + cells.value_codes[rows], return_inverse=True)
        holders = np.bincount(key, weights=cells.records[rows]).astype(np.int64)
        owner, codes = np.divmod(keys, values)
        rest = cells.held - np.bincount(codes, weights=holders, minlength=values).astype(np.int64)
        others = np.flatnonzero(rest)
        self.owner = np.r_[owner, np.full(len(others), len(self.groups))]
        self.codes = np.r_[codes, others]
        self.holders = np.r_[holders, rest[others]]
        self.sizes = np.bincount(self.owner, weights=self.holders).astype(np.int64)

    def sensitive_cells(self, values: SensitiveValues) -> SensitiveCells:
        """The cells of the groups."""
        starts = np.flatnonzero(np.r_[True, np.diff(self.owner) != 0])
        return SensitiveCells(values, starts, self.codes, self.holders)


class WholeJudge:
    """Judges all records at once, divided into classes, by all that is required; ``cells`` by sensitive column."""

    def __init__(self, requirement: Requirement, cells: Mapping[str, CombinationCells]) -> None:
        self.asked = [one for one in requirement.asked if one.model.name in TWINS]
        self.cells = cells

    def __call__(self, classes: np.ndarray, nodes: tuple[np.ndarray, ...], changed: int) -> bool:
        """Whether the classes of combinations meet the requirements.

        ``nodes`` names by quasi-identifier the node a combination shows, as a number. They meet them, it is assumed,
        without the quasi-identifier ``changed``, or with a coarser one in its place.
        """
        sizes, columns, cells = np.zeros(0), [], {}
        for name, one in self.cells.items():
            part = classes[one.combinations]
            _, first, part = np.unique(part, return_index=True, return_inverse=True)
            values = len(one.held)
            keys, key = np.unique(part * values + one.value_codes, return_inverse=True)
            holders = np.bincount(key, weights=one.records).astype(np.int64)
            owner, codes = np.divmod(keys, values)
            starts = np.flatnonzero(np.r_[True, np.diff(owner) != 0])
            sizes = np.add.reduceat(holders, starts)
            columns = [column[one.combinations[first]] for column in nodes]
            if one.values is not None:
                cells[name] = SensitiveCells(one.values, starts, codes, holders)
        others = tuple(column for number, column in enumerate(columns) if number != changed and column.any())
        return all(one.met for one in reached_by(CodedClasses(sizes, others, cells, (columns[changed],)), self.asked))


def _has_twin(name: str, reads: str) -> bool:
    return name == "k" or name in BY_CLASS or reads == "classes"
