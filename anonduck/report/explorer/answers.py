"""What a rule comes to while somebody moves sliders: counted in memory, in milliseconds, or asked in SQL."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.frequency.roll_up import FrequencyTable
from anonduck.measures.criteria import Criteria
from anonduck.measures.judge import RuleJudge
from anonduck.measures.judged_classes import misses, reached_beside_k
from anonduck.measures.measures import CODED, ClassTotals, RuleMeasurer
from anonduck.measures.memory_judge import MemoryJudge, MemoryVerdict, read_memory_judge
from anonduck.measures.memory_measures import measures_of, rest_of
from anonduck.measures.rule_utility import utility_of
from anonduck.measures.shortfall import shortfall
from anonduck.privacy import relations
from anonduck.privacy.requirement import ask
from anonduck.rules.rule import LevelVector, Measures, RuleSpace
from anonduck.search.lattice.costs import Goal, make_goal
from anonduck.search.lattice_tables import JUDGED_ROWS, frequency_rows, read_attributes, read_table
from anonduck.statements import builder_privacy, statement
from anonduck.statements.pipeline.builder_frequency import CLASS, CODED_SENSITIVE, code_column
from anonduck.taxonomy.catalog import Taxonomy

LOSS = "loss"
STEPS = (1, 2, 5)


@dataclass(frozen=True)
class SizeRange:
    """The equivalence classes of a rule in a range of sizes, from ``lower`` up to the next range: how many there are,
    and their records."""

    lower: int
    classes: int
    records: int


@dataclass(frozen=True)
class Answer:
    """What a rule comes to.

    ``failing`` records are in classes that fail what each class must meet; they are left out (``measures.suppressed``)
    where so many may be. ``unmet`` says what is missed. ``sizes`` are those of the classes that stay, smallest first.
    """

    measures: Measures
    loss: float
    failing: int
    unmet: tuple[str, ...]
    sizes: tuple[SizeRange, ...]


class Answers(Protocol):
    """Who answers."""

    @property
    def in_memory(self) -> bool:
        """Whether nothing is asked of the decision database any more."""

    def of(self, vector: LevelVector, demand: Criteria) -> Answer:
        """What the rule at a level vector comes to, under what is required."""

    def unmet(self, vector: LevelVector, demand: Criteria) -> tuple[str, ...]:
        """What the rule misses, which ``of`` tells too."""


def asked_for(demand: Criteria, k: int, suppression: float) -> Criteria:
    """What is required, with another k and another share of records that may be left out."""
    required = {one.model.name: one.required for one in demand.asked} | {"k": k}
    return replace(demand, asked=ask(required), suppression=suppression)


def answers_of(
    database: Database,
    space: RuleSpace,
    taxonomies: Mapping[str, Taxonomy],
    config: Config,
    demand: Criteria,
    totals: ClassTotals,
    rows: int = JUDGED_ROWS,
) -> Answers:
    """Answers from memory where the frequency set has up to so many ``rows`` and what is required is counted there."""
    judge = read_memory_judge(database, space, demand, rows)
    if judge is None or frequency_rows(database) > rows:
        return AnswersInSql(database, space, taxonomies, config, totals)
    attributes = read_attributes(database, taxonomies, totals.records, LOSS)
    table = read_table(database, dict(zip(taxonomies, attributes, strict=True)), with_class=True)
    goal = make_goal(LOSS, list(taxonomies), attributes, k=1, weights={})
    return AnswersInMemory(table, judge, goal, totals)


@dataclass(eq=False)
class AnswersInMemory:
    """Answers from the frequency set in memory: by class value, and as requirements read it.

    ``judge`` is that of the last question, which keeps what it rolled up for the next.
    """

    table: FrequencyTable
    judge: MemoryJudge
    goal: Goal
    totals: ClassTotals
    in_memory: bool = True

    def of(self, vector: LevelVector, demand: Criteria) -> Answer:
        """See Answers."""
        self.judge = self.judge.under(demand)
        verdict = self.judge.verdict(vector)
        unmet = self._missed(verdict, demand)
        rolled = self.table.at(vector)
        found = replace(measures_of(rolled, self.totals, with_class=demand.with_class), suppressed=verdict.suppressed)
        if verdict.left_out is not None:
            found = rest_of(rolled, verdict.left_out, found, with_class=demand.with_class)
        records = rolled.records if demand.with_class else rolled.sizes
        stay = records if verdict.left_out is None else records[~verdict.left_out]
        return Answer(
            measures=replace(found, privacy=reached_beside_k(verdict.reached)),
            loss=self.goal.of(self.table, rolled, verdict.left_out, demand.k).cost,
            failing=self.judge.failing(vector),
            unmet=unmet,
            sizes=tuple(size_ranges(stay, demand.k)),
        )

    def unmet(self, vector: LevelVector, demand: Criteria) -> tuple[str, ...]:
        """See Answers."""
        return self._missed(self.judge.under(demand).verdict(vector), demand)

    def _missed(self, verdict: MemoryVerdict, demand: Criteria) -> tuple[str, ...]:
        return tuple(misses(demand, verdict.reached, verdict.suppressed, self.totals.records))


@dataclass(frozen=True, eq=False)
class AnswersInSql:
    """Answers by the queries that measure and judge rules, on the coded frequency set of a database."""

    database: Database
    space: RuleSpace
    taxonomies: Mapping[str, Taxonomy]
    config: Config
    totals: ClassTotals
    in_memory: bool = False

    def of(self, vector: LevelVector, demand: Criteria) -> Answer:
        """See Answers."""
        measurer = RuleMeasurer(self.database, self.space, self.totals, with_class=demand.with_class)
        judge = RuleJudge(self.database, self.space, measurer, demand, self.totals.records)
        try:
            return self._answer(judge, vector, demand)
        finally:
            judge.forget()

    def unmet(self, vector: LevelVector, demand: Criteria) -> tuple[str, ...]:
        """See Answers."""
        return self.of(vector, demand).unmet

    def _answer(self, judge: RuleJudge, vector: LevelVector, demand: Criteria) -> Answer:
        found, levels = judge.verdict(vector), self.space.named(vector)
        suppressed = found.measures.suppressed
        left_out = suppressed if demand.allows(suppressed, self.totals.records) else 0
        loss = utility_of(self.database, self.taxonomies, self.config, judge)(levels, left_out, [LOSS])[LOSS]
        return Answer(
            measures=found.measures,
            loss=loss,
            failing=self._failing(levels, demand),
            unmet=tuple(misses(demand, found.reached, suppressed, self.totals.records)),
            sizes=tuple(self._sizes(judge, vector, left_out, demand.k)),
        )

    def _failing(self, levels: Mapping[str, int], demand: Criteria) -> int:
        table = CODED_SENSITIVE if demand.sensitive else CODED
        names = builder_privacy.sensitive_names(len(demand.sensitive))
        try:
            return shortfall(self.database, table, self._attributes(levels, demand), names, demand).failing
        finally:
            relations.forget(self.database)

    def _sizes(self, judge: RuleJudge, vector: LevelVector, left_out: int, k: int) -> list[SizeRange]:
        attributes = self._attributes(self.space.named(vector), judge.demand)
        query = statement(
            "report/sizes.sql", columns={"attributes": attributes}, table={"coded": judge.kept(vector, left_out)}
        )
        found = self.database.arrays(query)
        return size_ranges(np.repeat(found["records"], found["classes"]), k)

    def _attributes(self, levels: Mapping[str, int], demand: Criteria) -> list[str]:
        codes = [code_column(name, level) for name, level in levels.items()]
        return [*codes, CLASS] if demand.with_class else codes


def size_ranges(sizes: np.ndarray, k: int) -> list[SizeRange]:
    """Sizes of equivalence classes by range, those under k together; no range that is empty.

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
