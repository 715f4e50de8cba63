"""What is required of rules: which of them meet it, what they reach, and which classes they leave out for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np

from anonduck.database.connection import Database
from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet
from anonduck.measures.class_judge import ClassJudge
from anonduck.measures.judge_tables import JudgeTables, stored_tables
from anonduck.measures.judged_classes import misses, reached_beside_k
from anonduck.measures.measures import CODED, ClassTotals
from anonduck.measures.numpy_measures import alike_pairs, by_row, information_gain
from anonduck.measures.requirement import Requirement
from anonduck.privacy import audited_tables
from anonduck.privacy.requirement import CriterionResult
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import LevelVector, Measures, RuleSpace
from anonduck.statements.pipeline.column_names import code_column

KEPT, FAILING = "kept_set", "failing_codes"


def measures_of(rolled: RolledFrequencySet, totals: ClassTotals) -> Measures:
    """k, classes, information gain (bits; Caruccio et al. 2022, 5.2), its Miller-Madow correction, violating pairs.

    ``rolled`` is the frequency set by class at the rule's levels.

    The plug-in information gain grows with the number of classes even for a shuffled class; Miller (1955) corrects each
    entropy by (cells - 1) / (2 N) nats, which for a mutual information comes to
    -(joint cells - classes - class values + 1) / (2 N).
    """
    sizes, cells = rolled.sizes, len(rolled.records)
    gain, alike = information_gain(rolled, None), alike_pairs(sizes)
    violating = alike - alike_pairs(rolled.records)
    bias = (cells - len(sizes) - totals.class_values + 1) / (2 * totals.records * log(2))
    return Measures(
        k=int(sizes.min()),
        k_with_class=int(rolled.records.min()),
        classes=len(sizes),
        information_gain=round(gain, DIGITS),
        information_gain_corrected=round(gain - bias, DIGITS),
        violating_pairs=violating,
        violating_share=round(violating / totals.pairs, DIGITS) if totals.pairs else 0.0,
        alike_pairs=alike,
    )


def rest_of(rolled: RolledFrequencySet, left_out: np.ndarray, whole: Measures) -> Measures:
    """The measures where these equivalence classes are left out; some record stays.

    k and classes are of the records that stay, violating pairs of all (``whole``). Information gain is over all
    records: the mean of log2 of the share of a record's class value in its equivalence class by that among all records.
    A record that is left out says nothing of its class and adds nothing, so that the gain is at most that of the rule
    without suppression. The correction is Miller and Madow's for the entropies of the records that stay.
    """
    assert rolled.classes is not None
    assert rolled.starts is not None
    gone = by_row(rolled, left_out)
    records = np.where(gone, 0, rolled.records)
    sizes = np.add.reduceat(records, rolled.starts)
    every = np.bincount(rolled.classes, weights=rolled.records)
    kept = np.bincount(rolled.classes, weights=records)
    total = float(every.sum())
    there = every > 0
    free = float((kept[there] / every[there] * (1 - every[there] / total)).sum())
    classes = int(np.count_nonzero(sizes))
    gain = information_gain(rolled, left_out)
    bias = (int(np.count_nonzero(records)) - classes - free) / (2 * total * log(2))
    return replace(
        whole,
        k=int(sizes[sizes > 0].min()),
        k_with_class=int(rolled.records[~gone].min()),
        classes=classes,
        information_gain=round(gain, DIGITS),
        information_gain_corrected=round(gain - bias, DIGITS),
        suppressed=int(rolled.records[gone].sum()),
    )


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
        tables: JudgeTables,
        *,
        table: FrequencyTable | None = None,
    ) -> None:
        self.space = space
        self.requirement = requirement
        self.totals = totals
        self._tables = tables
        self._table = table
        self._verdicts: dict[LevelVector, RuleResult] = {}
        self._whole: dict[LevelVector, Measures] = {}

    @cached_property
    def table(self) -> FrequencyTable:
        """The frequency set by class."""
        return self._table or self._tables.by_class()

    def whole(self, vector: LevelVector) -> Measures:
        """k, classes, information gain and violating pairs of the rule where no record is left out; measured once."""
        if vector not in self._whole:
            self._whole[vector] = measures_of(self.table.at(vector), self.totals)
        return self._whole[vector]

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.totals.records

    @cached_property
    def classes(self) -> ClassJudge:
        """Judges vectors without measuring them."""
        return ClassJudge(self.requirement, self.table, self._tables.sensitive(self.table))

    def verdict(self, vector: LevelVector) -> RuleResult:
        """What the rule reaches and misses; records that are left out are charged as measures.measures says."""
        if vector not in self._verdicts:
            self._verdicts[vector] = self._judged(vector)
        return self._verdicts[vector]

    def _judged(self, vector: LevelVector) -> RuleResult:
        found = self.classes.verdict(vector)
        measures = replace(self.whole(vector), suppressed=found.suppressed, privacy=reached_beside_k(found.reached))
        if found.left_out is not None:
            measures = rest_of(self.table.at(vector), found.left_out, measures)
        unmet = misses(self.requirement, found.reached, found.suppressed, self.records)
        return RuleResult(measures, found.reached, (*unmet, *self.space.dropped(vector)))

    def under(self, requirement: Requirement) -> VectorJudge:
        """The same tables judged by the same models with other numbers; what was rolled up last is kept.

        All tables are read by then: the other judge needs no database.
        """
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
        super().__init__(space, requirement, totals, stored_tables(database, space, requirement), table=table)
        self.database = database

    def kept(self, vector: LevelVector, suppressed: int) -> str:
        """The name of the coded frequency set of the records that stay under a rule, made anew where some do not."""
        if not suppressed:
            return CODED
        left_out = self.classes.verdict(vector).left_out
        return CODED if left_out is None else self._keep_others(vector, left_out)

    def _keep_others(self, vector: LevelVector, left_out: np.ndarray) -> str:
        """Make the set of the records that stay where these equivalence classes do not."""
        rolled = self.table.at(vector)
        assert rolled.starts is not None
        columns = [one for one in rolled.columns if one is not None]
        names = audited_tables.quasi_names(len(columns))
        failing = {name: one[rolled.starts][left_out] for name, one in zip(names, columns, strict=True)}
        with self.database.registered(FAILING, failing):
            self.database.run(audited_tables.other_rows(CODED, self._attributes(vector), FAILING, KEPT))
        return KEPT

    def forget(self) -> None:
        """Remove the working table of the last rule."""
        self.database.drop(("temp", KEPT))

    def _attributes(self, vector: LevelVector) -> list[str]:
        """The columns whose values the records of an equivalence class share."""
        return [code_column(name, level) for name, level in self.space.named(vector).items()]
