"""Quick looks at rules: whether a level vector meets what is required, and how much it tells of the class.

The frequency set is counted in memory where it fits (anonduck.frequency.roll_up); what sizes alone do not tell, and a
frequency set that does not fit, is asked in SQL. No model is trained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet
from anonduck.measures.judge import RuleJudge
from anonduck.measures.numpy_measures import by_row, information_gain, majority_shares, violating_pairs
from anonduck.rules.frontier import better_first
from anonduck.rules.measure_names import UTILITY
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import LevelVector
from anonduck.search.lattice.costs import CELL_MEASURES, GOALS, as_measure, make_goal
from anonduck.search.lattice_search import DEFAULT_GOAL, MEMORY_ROWS
from anonduck.search.lattice_tables import frequency_rows, read_attributes, read_table
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_frequency import code_column
from anonduck.taxonomy.catalog import Taxonomy


@dataclass(frozen=True)
class ClassInformation:
    """How much the equivalence classes tell of the class, larger is better: none falls as levels fall, unless more
    records are left out for it.

    ``information_gain`` is in bits. ``majority_share`` is the share of all records that have the most frequent class
    value of their equivalence class, those left out: the most frequent class value of all; ``balanced_majority_share``
    weighs each class value alike.
    """

    information_gain: float
    majority_share: float
    balanced_majority_share: float


@dataclass(frozen=True)
class QuickMeasures:
    """What was seen of a level vector: k of the records that stay; what it tells, and violating pairs, of all.

    ``selected`` is the utility that rules are selected by, larger is better, where it was asked for.
    """

    met: bool
    k: int
    violating_pairs: int
    told: ClassInformation
    selected: float | None = None


class QuickMeasurer:
    """Looks at each level vector once; None stands for one that misses what no finer vector regains.

    Args:
        database: holds ``coded_frequency_set`` and the lookup tables.
        taxonomies: those of the quasi-identifiers, in the order of the judge's space.
        judge: what is required.
        config: names a utility to select by, or another measure, which is not looked at.
        utility: measures that utility in SQL, of a level vector and the records that it leaves out.
        memory_rows: up to so many rows, the frequency set is counted in memory.
    """

    def __init__(
        self,
        database: Database,
        taxonomies: Mapping[str, Taxonomy],
        judge: RuleJudge,
        config: Config,
        utility: Callable[[LevelVector, int], float],
        memory_rows: int = MEMORY_ROWS,
    ) -> None:
        self.database = database
        self.judge = judge
        self.utility = utility
        self.selects = config.select in UTILITY
        self.name = config.select if self.selects and config.select in GOALS else DEFAULT_GOAL
        self.table: FrequencyTable | None = None
        if frequency_rows(database) <= memory_rows:
            attributes = read_attributes(database, taxonomies, judge.records, self.name)
            self.table = read_table(database, dict(zip(taxonomies, attributes, strict=True)), with_class=True)
            self.goal = make_goal(
                self.name, list(taxonomies), attributes, k=config.requirement.k, weights=config.weights
            )
        self.known: dict[LevelVector, QuickMeasures | None] = {}

    def __call__(self, vector: LevelVector) -> QuickMeasures | None:
        """What is seen of a level vector."""
        if vector not in self.known:
            found = self._asked(vector) if self.table is None else self._counted(vector, self.table)
            drops = found is not None and self.judge.space.dropped(vector)
            self.known[vector] = replace(found, met=False) if found is not None and drops else found
        return self.known[vector]

    def _counted(self, vector: LevelVector, table: FrequencyTable) -> QuickMeasures | None:
        demand = self.judge.demand
        rolled = table.at(vector)
        sizes = rolled.records if demand.with_class else rolled.sizes
        failing = sizes < demand.k
        if failing.all() or not demand.allows(int(sizes[failing].sum()), table.records):
            return None
        if not demand.only_k:
            if not self.judge.holds(vector):
                return None
            verdict = self.judge.verdict(vector)
            if verdict.measures.suppressed:
                return self._asked(vector)
            found = QuickMeasures(verdict.met, int(sizes.min()), violating_pairs(rolled), told(rolled, None))
            return replace(found, selected=self._selected(vector, table, rolled, None))
        if demand.with_class and failing.any():
            return self._asked(vector)
        left_out = failing if failing.any() else None
        found = QuickMeasures(True, int(sizes[~failing].min()), violating_pairs(rolled), told(rolled, left_out))
        return replace(found, selected=self._selected(vector, table, rolled, left_out))

    def _selected(
        self, vector: LevelVector, table: FrequencyTable, rolled: RolledFrequencySet, failing: np.ndarray | None
    ) -> float | None:
        """The utility to select by, without the ``failing`` equivalence classes."""
        if not self.selects:
            return None
        if self.name == DEFAULT_GOAL:
            return self.utility(vector, 0 if failing is None else int(rolled.sizes[failing].sum()))
        by_cell = failing is not None and self.name in CELL_MEASURES
        left_out = by_row(rolled, failing) if by_cell and failing is not None else failing
        cost = self.goal.of(table, rolled, left_out, self.judge.demand.k).cost
        return better_first(self.name, as_measure(self.name, cost))

    def _asked(self, vector: LevelVector) -> QuickMeasures | None:
        if not self.judge.holds(vector):
            return None
        verdict = self.judge.verdict(vector)
        found = verdict.measures
        if not verdict.met:
            return QuickMeasures(False, found.k, found.violating_pairs, ClassInformation(0.0, 0.0, 0.0))
        rows = self.judge.kept(vector, found.suppressed)
        levels = self.judge.space.named(vector)
        attributes = [code_column(name, level) for name, level in levels.items()]
        query = statement("search/majority.sql", columns={"attributes": attributes}, table={"coded": rows})
        shares = [round(float(share), DIGITS) for share in self.database.row(query)]
        selected = self.utility(vector, found.suppressed) if self.selects else None
        return QuickMeasures(
            True, found.k, found.violating_pairs, ClassInformation(found.information_gain, *shares), selected
        )


def told(rolled: RolledFrequencySet, failing: np.ndarray | None) -> ClassInformation:
    """What a rolled-up frequency set tells of the class where the ``failing`` equivalence classes are left out."""
    numbers = (information_gain(rolled, failing), *majority_shares(rolled, failing))
    return ClassInformation(*(round(number, DIGITS) for number in numbers))
