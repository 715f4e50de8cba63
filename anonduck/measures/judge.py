"""What is required of rules: which of them meet it, what they reach, and which classes they leave out for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from anonduck.database.connection import Database
from anonduck.frequency.roll_up import FrequencyTable
from anonduck.measures.class_judge import ClassJudge
from anonduck.measures.judge_tables import JudgeTables, SensitiveTable
from anonduck.measures.judged_classes import misses, reached_beside_k
from anonduck.measures.measures import CODED, ClassTotals
from anonduck.measures.requirement import Requirement
from anonduck.measures.rule_measures import RuleMeasurer, rest_of
from anonduck.privacy.requirement import CriterionResult
from anonduck.rules.rule import LevelVector, Measures, RuleSpace
from anonduck.statements import builder_privacy
from anonduck.statements.pipeline.builder_frequency import CLASS, code_column

KEPT, FAILING = "kept_set", "failing_codes"


@dataclass(frozen=True)
class RuleResult:
    """What a rule reaches; ``unmet`` says what it misses. What it reaches is not all measured where it misses k."""

    measures: Measures
    reached: tuple[CriterionResult, ...]
    unmet: tuple[str, ...]

    @property
    def met(self) -> bool:
        """Whether the rule meets all that is required."""
        return not self.unmet

    @property
    def nearness(self) -> tuple[bool, int]:
        """Larger for a rule that misses less: one whose k was reached was measured in all else too."""
        return all(one.met for one in self.reached if one.name == "k"), -len(self.unmet)


class JudgedTables(Protocol):
    """Where a judge reads the records that it judges."""

    def by_class(self) -> FrequencyTable:
        """The frequency set by class, whatever the sensitive values."""

    def sensitive(self) -> tuple[SensitiveTable, ...]:
        """The frequency set by the values of each sensitive column that requirements read."""


class VectorJudge:
    """Judges each level vector once, on tables in memory.

    Args:
        space: the attributes of the vectors.
        requirement: what is required.
        totals: what all records come to.
        tables: where the records are read.
        table: the frequency set by class, where it was read before.
    """

    def __init__(
        self,
        space: RuleSpace,
        requirement: Requirement,
        totals: ClassTotals,
        tables: JudgedTables,
        *,
        table: FrequencyTable | None = None,
    ) -> None:
        self.space = space
        self.requirement = requirement
        self.totals = totals
        self._tables = tables
        self._table = table
        self._verdicts: dict[LevelVector, RuleResult] = {}

    @cached_property
    def table(self) -> FrequencyTable:
        """The frequency set by class."""
        return self._table or self._tables.by_class()

    @cached_property
    def whole(self) -> RuleMeasurer:
        """Measures vectors where no record is left out."""
        return RuleMeasurer(self.table, self.totals, with_class=self.requirement.with_class)

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.totals.records

    @cached_property
    def classes(self) -> ClassJudge:
        """Judges vectors without measuring them."""
        return ClassJudge(self.requirement, self.table, self._tables.sensitive())

    def verdict(self, vector: LevelVector) -> RuleResult:
        """What the rule reaches and misses; records that are left out are charged as measures.measures says."""
        if vector not in self._verdicts:
            self._verdicts[vector] = self._judged(vector)
        return self._verdicts[vector]

    def _judged(self, vector: LevelVector) -> RuleResult:
        found = self.classes.verdict(vector)
        measures = replace(self.whole(vector), suppressed=found.suppressed, privacy=reached_beside_k(found.reached))
        if found.left_out is not None:
            measures = rest_of(self.table.at(vector), found.left_out, measures, with_class=self.requirement.with_class)
        unmet = misses(self.requirement, found.reached, found.suppressed, self.records)
        return RuleResult(measures, found.reached, (*unmet, *self.space.dropped(vector)))

    def under(self, requirement: Requirement) -> VectorJudge:
        """The same tables judged by the same models with other numbers; what was rolled up last is kept."""
        other = VectorJudge(self.space, requirement, self.totals, self._tables, table=self.table)
        other.classes = self.classes.under(requirement)
        return other

    def holds(self, vector: LevelVector) -> bool:
        """Whether the rule has what no finer rule regains; the search prunes by it."""
        return self.classes.holds(vector)


class RuleJudge(VectorJudge):
    """Judges on the coded frequency set of a database (that with sensitive values where it takes them)."""

    def __init__(
        self,
        database: Database,
        space: RuleSpace,
        requirement: Requirement,
        totals: ClassTotals,
        *,
        table: FrequencyTable | None = None,
    ) -> None:
        super().__init__(space, requirement, totals, JudgeTables(database, space, requirement), table=table)
        self.database = database

    def kept(self, vector: LevelVector, suppressed: int) -> str:
        """The name of the coded frequency set of the records that stay under a rule, made anew where some do not."""
        if not suppressed:
            return CODED
        if self.database.held.get(KEPT) == (self, vector):  # so that it is not made twice in a row
            return KEPT
        left_out = self.classes.verdict(vector).left_out
        return CODED if left_out is None else self._keep_others(vector, left_out)

    def _keep_others(self, vector: LevelVector, left_out: np.ndarray) -> str:
        """Make the set of the records that stay where these equivalence classes do not, or parts of them."""
        import pandas as pd

        rolled = self.table.at(vector)
        assert rolled.starts is not None
        rows = slice(None) if self.requirement.with_class else rolled.starts
        columns = [one for one in rolled.columns if one is not None]
        columns += [rolled.classes] if self.requirement.with_class and rolled.classes is not None else []
        names = builder_privacy.quasi_names(len(columns))
        frame = pd.DataFrame({name: one[rows][left_out] for name, one in zip(names, columns, strict=True)})
        self.database.register(FAILING, frame)
        try:
            self.database.run(builder_privacy.other_rows(CODED, self._attributes(vector), FAILING, KEPT))
        finally:
            self.database.unregister(FAILING)
        self.database.held[KEPT] = (self, vector)
        return KEPT

    def forget(self) -> None:
        """Remove the working table of the last rule."""
        if self.database.held.pop(KEPT, None) is not None:
            self.database.drop(("temp", KEPT))

    def _attributes(self, vector: LevelVector) -> list[str]:
        """The columns whose values the records of an equivalence class share."""
        codes = [code_column(name, level) for name, level in self.space.named(vector).items()]
        return [*codes, CLASS] if self.requirement.with_class else codes
