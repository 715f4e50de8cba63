"""What is required of rules: which of them meet it, what they reach, and which classes they leave out for it.

Whether a rule meets what is required is asked twice. ``RuleJudge.holds`` tells of the part that no finer rule regains:
the search prunes by it. ``RuleJudge.verdict`` tells of all of it: in SQL of the rule that is released, and for a
discovery, which judges many, on codes in memory where they fit, with the same answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import MEMORY_ROWS
from anonduck.measures.criteria import Criteria
from anonduck.measures.judged_classes import ClassesResult, judge_classes, misses, reached_beside_k
from anonduck.measures.measures import CODED, measure_rest
from anonduck.privacy import relations
from anonduck.privacy.requirement import CriterionResult
from anonduck.rules.rule import LevelVector, Measures, RuleSpace
from anonduck.statements import builder_privacy, statement
from anonduck.statements.pipeline.builder_frequency import CLASS, CODED_SENSITIVE, code_column

if TYPE_CHECKING:
    import numpy as np

    from anonduck.frequency.roll_up import FrequencyTable
    from anonduck.measures.memory_judge import MemoryJudge

KEPT, FAILING = "kept_set", "failing_codes"
ABSORBING, MONOTONE = "absorbing", "monotone"


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


class RuleJudge:
    """Judges each level vector once, on the coded frequency set (that with sensitive values where it takes them).

    Args:
        database: holds these sets.
        space: the attributes of the vectors.
        whole: measures a vector where no record is left out.
        demand: what is required.
        records: how many records there are.
        memory_rows: up to so many rows, the sets are read into memory where ``in_memory`` is asked.
        table: the frequency set by class in memory, where so many vectors are judged that it pays.
    """

    def __init__(
        self,
        database: Database,
        space: RuleSpace,
        whole: Callable[[LevelVector], Measures],
        demand: Criteria,
        records: int,
        memory_rows: int = MEMORY_ROWS,
        *,
        table: FrequencyTable | None = None,
    ) -> None:
        self.database = database
        self.space = space
        self.whole = whole
        self.demand = demand
        self.records = records
        self.memory_rows = memory_rows
        self.table = table
        self._verdicts: dict[LevelVector, RuleResult] = {}
        self._holds: dict[LevelVector, bool] = {}

    @cached_property
    def in_memory(self) -> MemoryJudge | None:
        """The same judge on codes in memory, made when it is first asked for; None where the sets do not fit, or where
        a requirement can be judged in SQL alone.
        """
        from anonduck.measures.memory_judge import read_memory_judge

        return read_memory_judge(self.database, self.space, self.demand, self.memory_rows)

    def verdict(self, vector: LevelVector) -> RuleResult:
        """What the rule reaches and misses; records that are left out are charged as measures.measures says."""
        if vector not in self._verdicts:
            found = self._suppressed(vector) if self.demand.suppression else self._judged(vector)
            self._verdicts[vector] = replace(found, unmet=(*found.unmet, *self.space.dropped(vector)))
        return self._verdicts[vector]

    def holds(self, vector: LevelVector) -> bool:
        """Whether the rule has what no finer rule regains.

        Without suppression that is each requirement whose model is monotone. With it, that the classes that fail an
        absorbing one (k, l) do not hold more records than may be left out: no class of a finer rule meets those unless
        the class that it is part of does. Any other model can be met by two classes and missed by both together.
        """
        if not self.demand.plain and self.in_memory is not None:
            return self.in_memory.holds(vector)
        if vector not in self._holds:
            self._holds[vector] = self._has_what_no_finer_rule_regains(vector)
        return self._holds[vector]

    def _has_what_no_finer_rule_regains(self, vector: LevelVector) -> bool:
        if not self.demand.suppression:
            return all(one.met for one in self.verdict(vector).reached if one.asked.model.monotone)
        if self.whole(vector).k < self.demand.k and not self.demand.allows(self._under_k(vector), self.records):
            return False
        absorbing = self.demand.part(ABSORBING)
        if absorbing.only_k:
            return True
        if absorbing.asked == self.demand.asked:
            return self.demand.allows(self.verdict(vector).measures.suppressed, self.records)
        found = self._classes(vector, absorbing)
        return self.demand.allows(found.suppressed, self.records)

    def kept(self, vector: LevelVector, suppressed: int) -> str:
        """The name of the coded frequency set of the records that stay under a rule, made anew where some do not."""
        if not suppressed:
            return CODED
        if self.database.held.get(KEPT) == (self, vector):  # so that it is not made twice in a row
            return KEPT
        if self._by_codes is not None:
            left_out = self._counted(vector, self._by_codes)[0]
            return self._keep_others(vector, self._by_codes, left_out) if left_out is not None else CODED
        if not self.demand.only_k:
            self._classes(vector, self.demand)
        return self._keep(vector)

    @property
    def _by_codes(self) -> FrequencyTable | None:
        """The table to judge on in place of SQL; None where there is none, or one of the requirements has no twin."""
        return self.table if self.table is not None and (self.demand.only_k or self.in_memory is not None) else None

    def _keep(self, vector: LevelVector) -> str:
        """Make the set of the records that stay; but for k alone, by the classes as they were grouped last."""
        attributes = self._attributes(vector)
        if self.demand.only_k:
            query = statement("measures/kept_by_size.sql", columns={"attributes": attributes}, table={"kept": KEPT})
            self.database.run(query, {"k": self.demand.k})
        else:
            self.database.run(builder_privacy.kept_rows(CODED, attributes, KEPT))
        self.database.held[KEPT] = (self, vector)
        return KEPT

    def _keep_others(self, vector: LevelVector, table: FrequencyTable, left_out: np.ndarray) -> str:
        """Make the set of the records that stay where these equivalence classes do not, or parts of them."""
        import pandas as pd

        rolled = table.at(vector)
        assert rolled.starts is not None
        rows = slice(None) if self.demand.with_class else rolled.starts
        columns = [one for one in rolled.columns if one is not None]
        columns += [rolled.classes] if self.demand.with_class and rolled.classes is not None else []
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
        """Remove the working tables of the last rule."""
        self.database.held.pop(KEPT, None)
        if not self.demand.plain:
            relations.forget(self.database)
            self.database.run(statement("privacy/forget.sql", table={"made": KEPT}))

    def _judged(self, vector: LevelVector) -> RuleResult:
        """Without suppression; a rule under k is not measured further."""
        whole = self.whole(vector)
        reached = tuple(CriterionResult(one, {"k": whole.k}) for one in self.demand.asked if one.model.name == "k")
        if not self.demand.only_k and all(one.met for one in reached):
            twin = self.in_memory if self._by_codes is not None else None
            reached = (twin.verdict(vector) if twin is not None else self._classes(vector, self.demand)).reached
        unmet = tuple(misses(self.demand, reached, 0, self.records))
        return RuleResult(replace(whole, privacy=reached_beside_k(reached)), reached, unmet)

    def _suppressed(self, vector: LevelVector) -> RuleResult:
        if self._by_codes is not None:
            return self._suppressed_in_memory(vector, self._by_codes)
        whole = self.whole(vector)
        suppressed = self._under_k(vector) if whole.k < self.demand.k else 0
        reached: tuple[CriterionResult, ...] = ()
        if not self.demand.only_k and self.demand.allows(suppressed, self.records):
            found = self._classes(vector, self.demand)
            suppressed, reached = found.suppressed, found.reached
        unmet = tuple(misses(self.demand, reached, suppressed, self.records))
        measures = replace(whole, privacy=reached_beside_k(reached), suppressed=suppressed)
        if suppressed and self.demand.allows(suppressed, self.records):
            rows = self._keep(vector)  # right after they were grouped
            levels = self.space.named(vector)
            counted = self.demand.with_class
            measures = measure_rest(self.database, levels, measures, rows, self.records, suppressed, with_class=counted)
        return RuleResult(measures, reached, unmet)

    def _suppressed_in_memory(self, vector: LevelVector, table: FrequencyTable) -> RuleResult:
        from anonduck.measures.memory_measures import rest_of

        left_out, suppressed, reached = self._counted(vector, table)
        whole = replace(self.whole(vector), suppressed=suppressed)
        if left_out is not None:
            whole = rest_of(table.at(vector), left_out, whole, with_class=self.demand.with_class)
        unmet = tuple(misses(self.demand, reached, suppressed, self.records))
        return RuleResult(replace(whole, privacy=reached_beside_k(reached)), reached, unmet)

    def _counted(
        self, vector: LevelVector, table: FrequencyTable
    ) -> tuple[np.ndarray | None, int, tuple[CriterionResult, ...]]:
        """What is left out, None where that is nothing or more than allowed; the records that fail; what is reached."""
        if not self.demand.only_k:
            assert self.in_memory is not None
            found = self.in_memory.verdict(vector)
            return found.left_out, found.suppressed, found.reached
        rolled = table.at(vector)
        sizes = rolled.records if self.demand.with_class else rolled.sizes
        failing = sizes < self.demand.k
        suppressed = int(sizes[failing].sum())
        allowed = 0 < suppressed < self.records and self.demand.allows(suppressed, self.records)
        return (failing if allowed else None), suppressed, ()

    def _under_k(self, vector: LevelVector) -> int:
        query = statement("measures/under_size.sql", columns={"attributes": self._attributes(vector)})
        return int(self.database.value(query, {"k": self.demand.k}))

    def _classes(self, vector: LevelVector, demand: Criteria) -> ClassesResult:
        table = CODED_SENSITIVE if demand.sensitive else CODED
        names = builder_privacy.sensitive_names(len(demand.sensitive))
        return judge_classes(self.database, table, self._attributes(vector), names, demand)

    def _attributes(self, vector: LevelVector) -> list[str]:
        """The columns whose values the records of an equivalence class share."""
        codes = [code_column(name, level) for name, level in self.space.named(vector).items()]
        return [*codes, CLASS] if self.demand.with_class else codes
