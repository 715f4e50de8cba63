"""Judges equivalence classes: which of them fail what is required, what the others reach, and whether that is enough.

A table of classes is judged in one way, whoever asks: a search of the many level vectors that it looks at, a method of
the classes that it finds, a release of those that it is about to write. The written file is audited by the queries of
sql/privacy, which test_judge.py holds this against.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet
from anonduck.measures.judge_tables import SensitiveTable
from anonduck.measures.numpy_requirements import BY_CLASS, LKC, MIXED, OF_CELLS, OF_SIZES, SensitiveCells, lkc
from anonduck.measures.requirement import Requirement
from anonduck.privacy.measures import refuse_unmeasured, worst_attribute
from anonduck.privacy.requirement import Criterion, CriterionResult
from anonduck.rules.rounding import DIGITS, rounded
from anonduck.rules.rule import LevelVector

TOLERATED = 1e-8
"""By how much a class may be over a bound and meet it all the same, or more."""

ROUNDING = 1e-6
"""By how many records a sum of shares of classes may be off."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """What equivalence classes reach, and which of them are left out for it.

    ``k`` is that of the records that stay; of all, where more than allowed would have to be left out. ``left_out`` says
    of each class whether it is left out. It is None where
    nothing is left out, or more than allowed, or all.
    """

    met: bool
    k: int
    suppressed: int
    reached: tuple[CriterionResult, ...]
    left_out: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class CodedClasses:
    """The equivalence classes of a table: records, node codes by quasi-identifier, cells by sensitive column.

    ``changed`` are the codes of further quasi-identifiers: where there are some, models of subsets of columns are asked
    of those alone that have all of these.
    """

    sizes: np.ndarray
    columns: tuple[np.ndarray, ...]
    cells: Mapping[str, SensitiveCells]
    changed: tuple[np.ndarray, ...] = ()

    def without(self, failing: np.ndarray) -> CodedClasses:
        """The other classes."""
        cells = {name: one.without(failing) for name, one in self.cells.items()}
        columns, changed = (tuple(one[~failing] for one in codes) for codes in (self.columns, self.changed))
        return CodedClasses(self.sizes[~failing], columns, cells, changed)


class ClassJudge:
    """Judges level vectors on tables in memory.

    Args:
        requirement: what is required.
        table: the frequency set by class; it is read where no sensitive value is.
        sensitive: the frequency set by the values of each sensitive column of ``requirement``, in that order.
    """

    def __init__(self, requirement: Requirement, table: FrequencyTable, sensitive: Sequence[SensitiveTable]) -> None:
        self.requirement = requirement
        self.table = table
        self.sensitive = dict(zip(requirement.sensitive, sensitive, strict=True))
        self.records = table.records
        self._absorbing = requirement.part("absorbing").asked
        self._last: tuple[LevelVector, CodedClasses] | None = None
        self._holds: dict[LevelVector, bool] = {}

    def holds(self, vector: LevelVector) -> bool:
        """Whether the rule has what no finer rule regains.

        Without suppression that is each requirement whose model is monotone. With it, that the classes that fail an
        absorbing one (k, l) do not hold more records than may be left out: no class of a finer rule meets those unless
        the class that it is part of does. Any other model can be met by two classes and missed by both together.
        """
        if vector not in self._holds:
            self._holds[vector] = self._has_what_no_finer_rule_regains(vector)
        return self._holds[vector]

    def _has_what_no_finer_rule_regains(self, vector: LevelVector) -> bool:
        if not self.requirement.suppression:
            return all(one.met for one in self.verdict(vector).reached if one.asked.model.monotone)
        classes = self._classes(vector)
        return self._allows(classes, classes_that_fail(classes, self._absorbing))

    def is_hopeless(self, vector: LevelVector) -> bool:
        """Whether neither the rule nor any finer one meets what is required, as far as that is known from the rule."""
        if not self.holds(vector):
            return True
        if not self.requirement.suppression:
            return False
        least = least_left_out(self._classes(vector), self.requirement)
        return not self.requirement.allows(ceil(least - ROUNDING), self.records)

    def verdict(self, vector: LevelVector) -> Verdict:
        """What the rule reaches and misses."""
        return judged(self._classes(vector), self.requirement)

    def under(self, requirement: Requirement) -> ClassJudge:
        """The same tables judged by the same models with other numbers; what was rolled up last is kept."""
        other = ClassJudge(requirement, self.table, tuple(self.sensitive.values()))
        other._last = self._last
        return other

    def failing(self, vector: LevelVector) -> int:
        """The records of the classes that fail what each class must meet, whether they may be left out or not."""
        classes = self._classes(vector)
        return int(classes.sizes[failing_classes(classes, self.requirement.asked)].sum())

    def _allows(self, classes: CodedClasses, failing: np.ndarray) -> bool:
        return self.requirement.allows(int(classes.sizes[failing].sum()), self.records)

    def _classes(self, vector: LevelVector) -> CodedClasses:
        """The equivalence classes; those of the last vector are kept, of which more is asked in a row."""
        if self._last is None or self._last[0] != vector:
            self._last = vector, self._read(vector) if self.sensitive else self._counted(vector)
        return self._last[1]

    def _counted(self, vector: LevelVector) -> CodedClasses:
        rolled = self.table.at(vector)
        assert rolled.starts is not None
        columns = tuple(column[rolled.starts] for column in rolled.columns if column is not None)
        return CodedClasses(rolled.sizes, columns, {})

    def _read(self, vector: LevelVector) -> CodedClasses:
        rolled = {name: one.table.at(vector) for name, one in self.sensitive.items()}
        first = next(iter(rolled.values()))
        assert first.starts is not None
        cells = {name: _cells(one, self.sensitive[name]) for name, one in rolled.items()}
        columns = tuple(column[first.starts] for column in first.columns if column is not None)
        return CodedClasses(first.sizes, columns, cells)


def _cells(rolled: RolledFrequencySet, sensitive: SensitiveTable) -> SensitiveCells:
    assert rolled.classes is not None
    assert rolled.starts is not None
    return SensitiveCells(sensitive.values, rolled.starts, rolled.classes, rolled.records)


# -- the verdict -------------------------------------------------------------------------------------------------------


def judged(classes: CodedClasses, requirement: Requirement, *, whole: bool = False) -> Verdict:
    """Leave out the classes that fail, where that many records may be, and measure the others.

    Unless the ``whole`` is asked for, nothing more is counted where k alone is missed.
    """
    if not len(classes.sizes):
        return Verdict(True, 0, 0, ())
    return (_suppressed if requirement.suppression else _unsuppressed)(classes, requirement, whole)


def _unsuppressed(classes: CodedClasses, requirement: Requirement, whole: bool) -> Verdict:
    smallest = int(classes.sizes.min())
    asked = [one for one in requirement.asked if one.model.name == "k"]
    reached = tuple(CriterionResult(one, {"k": smallest}) for one in asked)
    if whole or (not requirement.only_k and all(one.met for one in reached)):
        reached = reached_by(classes, requirement.asked)
    return Verdict(all(one.met for one in reached), smallest, 0, reached)


def _suppressed(classes: CodedClasses, requirement: Requirement, whole: bool) -> Verdict:
    records = int(classes.sizes.sum())
    left_out = classes.sizes < requirement.k
    if not requirement.only_k and (whole or requirement.allows(int(classes.sizes[left_out].sum()), records)):
        left_out = failing_classes(classes, requirement.asked)
    suppressed = int(classes.sizes[left_out].sum())
    if suppressed == records or not requirement.allows(suppressed, records):
        return Verdict(False, int(classes.sizes.min()), suppressed, ())
    rest = classes.without(left_out) if suppressed else classes
    reached = reached_by(rest, requirement.asked)
    return Verdict(
        met=all(one.met for one in reached),
        k=int(rest.sizes.min()),
        suppressed=suppressed,
        reached=reached,
        left_out=left_out if suppressed else None,
    )


# -- suppression -------------------------------------------------------------------------------------------------------


def failing_classes(classes: CodedClasses, asked: Sequence[Criterion]) -> np.ndarray:
    """Which classes are left out: each that fails a requirement decided class by class, until none does.

    Models that compare a class with all records (t-closeness, beta-likeness and others) compare it with the records
    that stay: those change with each round, so that further classes may fail. A class that failed does not come back.
    At the end every class that stays meets every such requirement, on the records that stay. What a class
    reaches by itself does not change while others are left out: only models that compare are looked at again.
    """
    wanted = [one for one in asked if one.model.class_wise]
    comparing = [one for one in wanted if not one.model.local]
    gone = failing = classes_that_fail(classes, wanted)
    while comparing and failing.any() and not gone.all():
        classes = classes.without(failing)
        failing = classes_that_fail(classes, comparing)
        gone = gone.copy()
        gone[np.flatnonzero(~gone)[failing]] = True
    return gone


def least_left_out(classes: CodedClasses, requirement: Requirement) -> float:
    """How many records any finer rule leaves out at least.

    A class that fails an absorbing requirement fails it in all its parts. Of another one, a share w may stay, in parts
    that each reach a limit L or less, and the others reach 1 at most: together they reach w L + (1 - w) at most, so
    that 1 - w is (reached - L) / (1 - L) at least. What stays has passed the first round of ``failing_classes``, in
    which classes are compared with all records, as they are here.
    """
    out = classes_that_fail(classes, requirement.part("absorbing").asked).astype(np.float64)
    for one in requirement.asked:
        if one.model.name not in MIXED:
            continue
        (bound,) = one.model.bounds
        read = MIXED[one.model.name]
        limit = read(np.array([one.numbers[bound.name]])).item() + TOLERATED
        if limit < 1:
            for reached in _reached_by_class(classes, one):
                out = np.maximum(out, (read(reached) - limit) / (1 - limit))
    return float(classes.sizes @ out)


def classes_that_fail(classes: CodedClasses, asked: Sequence[Criterion]) -> np.ndarray:
    """Which classes fail at least one of the requirements, each decided class by class."""
    failing = np.zeros(len(classes.sizes), dtype=bool)
    for one in asked:
        (bound,) = one.model.bounds
        for reached in _reached_by_class(classes, one):
            failing |= ~one.bound_holds(bound, reached)
    return failing


def _reached_by_class(classes: CodedClasses, asked: Criterion) -> Iterator[np.ndarray]:
    """What each class reaches, by sensitive column that the model can be measured on."""
    if asked.model.name == "k":
        yield classes.sizes
    elif asked.model.reads == "classes":
        yield np.round(1 / classes.sizes, DIGITS)
    else:
        for cells in classes.cells.values():
            if _readable(asked, cells):
                yield np.round(
                    BY_CLASS[asked.model.name](_counting(asked, cells), asked.parameters).astype(np.float64), DIGITS
                )


def _counting(asked: Criterion, cells: SensitiveCells) -> SensitiveCells:
    """The cells with the values that a requirement counts."""
    return cells.counting(of_policy=asked.of_policy)


def _readable(asked: Criterion, cells: SensitiveCells) -> bool:
    """Whether the column has the order or the taxonomy that a model needs."""
    needs = asked.model.needs
    return ("order" not in needs or cells.ordered) and ("taxonomy" not in needs or cells.values.taxonomy is not None)


# -- all classes -------------------------------------------------------------------------------------------------------


def reached_by(classes: CodedClasses, asked: Sequence[Criterion]) -> tuple[CriterionResult, ...]:
    """What the classes reach in each requirement, as anonduck.privacy.measures has it; raises AuditError if one
    cannot be measured.
    """
    found = [numbers for one in asked if (numbers := reached_in(classes, one)) is not None]
    refuse_unmeasured(asked, {one.name: one for one in found})
    return tuple(found)


def reached_in(classes: CodedClasses, asked: Criterion) -> CriterionResult | None:
    """What the classes reach in a model of ``TWINS``; None where no sensitive column can be measured by it."""
    if asked.model.name in OF_SIZES:
        number = rounded(OF_SIZES[asked.model.name](classes.sizes))
        return CriterionResult(asked, {asked.model.bounds[0].name: number})
    by_column = {
        column: {name: rounded(number) for name, number in _of_column(classes, _counting(asked, cells), asked).items()}
        for column, cells in classes.cells.items()
        if _readable(asked, cells)
    }
    if not by_column:
        return None
    worst = worst_attribute(asked.model, asked.parameters, by_column)
    return CriterionResult(asked, worst.numbers, worst.worst)


def _of_column(classes: CodedClasses, cells: SensitiveCells, asked: Criterion) -> dict[str, float]:
    """What a sensitive column reaches, by bound."""
    model = asked.model
    if model.name == LKC:
        return lkc(cells, classes.columns, asked.parameters, classes.changed)
    bound = model.bounds[0]
    if model.name in OF_CELLS:
        return {bound.name: OF_CELLS[model.name](cells)}
    by_class = BY_CLASS[model.name](cells, asked.parameters)
    worst = by_class.max() if model.at_most else by_class.min()
    return {bound.name: worst.item()}
