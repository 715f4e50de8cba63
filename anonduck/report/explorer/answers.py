"""Measure a rule in milliseconds while somebody moves sliders, on counts in memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from anonduck.database.connection import Database
from anonduck.frequency.roll_up import FrequencyTable
from anonduck.measures.class_judge import ClassJudge, Verdict, class_judge
from anonduck.measures.judged_classes import misses, reached_beside_k
from anonduck.measures.measures import ClassTotals
from anonduck.measures.requirement import Requirement
from anonduck.measures.rule_measures import measures_of, rest_of
from anonduck.privacy.requirement import ask
from anonduck.rules.rule import LevelVector, Measures, RuleSpace
from anonduck.search.lattice.costs import Goal, make_goal
from anonduck.search.searched_records import StoredRecords
from anonduck.taxonomy.catalog import Taxonomy

LOSS = "loss"
STEPS = (1, 2, 5)


@dataclass(frozen=True)
class SizeRange:
    """The equivalence classes of a rule with sizes from ``lower`` up to the next range: their number and
    their records.
    """

    lower: int
    classes: int
    records: int


@dataclass(frozen=True)
class Answer:
    """The measures of a rule.

    ``failing`` records are in classes that miss the requirement; they are suppressed (``measures.suppressed``) if so
    many may be. ``unmet`` names what is missed. ``sizes`` are those of the remaining classes, smallest first.
    """

    measures: Measures
    loss: float
    failing: int
    unmet: tuple[str, ...]
    sizes: tuple[SizeRange, ...]


def asked_for(requirement: Requirement, k: int, suppression: float) -> Requirement:
    """The requirement with another k and another share of suppression."""
    required = {one.model.name: one.required for one in requirement.asked} | {"k": k}
    return replace(requirement, asked=ask(required), suppression=suppression)


def answers_of(
    database: Database,
    space: RuleSpace,
    taxonomies: Mapping[str, Taxonomy],
    requirement: Requirement,
    totals: ClassTotals,
) -> Answers:
    """Read the decision database into memory for answers."""
    records = StoredRecords(database, taxonomies, totals.records)
    attributes, table = list(records.attributes(LOSS).values()), records.table(with_class=True)
    goal = make_goal(LOSS, list(taxonomies), attributes, k=1, weights={})
    return Answers(table, class_judge(database, space, requirement, table), goal, totals)


@dataclass(eq=False)
class Answers:
    """Measures rules on the frequency set in memory, by class value and by what the requirement reads.

    ``judge`` is that of the last question; it keeps rolled-up counts for the next one.
    """

    table: FrequencyTable
    judge: ClassJudge
    goal: Goal
    totals: ClassTotals

    def of(self, vector: LevelVector, requirement: Requirement) -> Answer:
        """The answer for the rule at a level vector, under a requirement."""
        self.judge = self.judge.under(requirement)
        verdict = self.judge.verdict(vector)
        unmet = self._missed(verdict, requirement)
        rolled = self.table.at(vector)
        found = replace(
            measures_of(rolled, self.totals, with_class=requirement.with_class), suppressed=verdict.suppressed
        )
        if verdict.left_out is not None:
            found = rest_of(rolled, verdict.left_out, found, with_class=requirement.with_class)
        records = rolled.records if requirement.with_class else rolled.sizes
        stay = records if verdict.left_out is None else records[~verdict.left_out]
        return Answer(
            measures=replace(found, privacy=reached_beside_k(verdict.reached)),
            loss=self.goal.of(self.table, rolled, verdict.left_out, requirement.k).cost,
            failing=self.judge.failing(vector),
            unmet=unmet,
            sizes=tuple(size_ranges(stay, requirement.k)),
        )

    def unmet(self, vector: LevelVector, requirement: Requirement) -> tuple[str, ...]:
        """What the rule misses, as in ``of``."""
        return self._missed(self.judge.under(requirement).verdict(vector), requirement)

    def _missed(self, verdict: Verdict, requirement: Requirement) -> tuple[str, ...]:
        return tuple(misses(requirement, verdict.reached, verdict.suppressed, self.totals.records))


def size_ranges(sizes: np.ndarray, k: int) -> list[SizeRange]:
    """Sizes of equivalence classes by range, those under k in one range; empty ranges are left out.

    >>> [(one.lower, one.classes, one.records) for one in size_ranges(np.array([1, 4, 5, 9, 30]), 5)]
    [(1, 2, 5), (5, 2, 14), (20, 1, 30)]
    """
    largest = int(sizes.max()) if len(sizes) else 1
    series = (step * 10**power for power in range(math.ceil(math.log10(largest)) + 1) for step in STEPS)
    bounds = sorted({1, k, *(one for one in series if one > k)})
    places = np.searchsorted(bounds, sizes, side="right") - 1
    classes = np.bincount(places, minlength=len(bounds))
    records = np.bincount(places, weights=sizes, minlength=len(bounds))
    return [SizeRange(bounds[at], int(classes[at]), int(records[at])) for at in np.flatnonzero(classes)]
