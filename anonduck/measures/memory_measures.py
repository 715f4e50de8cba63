"""The measures of a rule counted in memory: the twin of anonduck.measures.measures on the frequency set by class.

Both give the same numbers for every rule, with and without records left out (test_judge_twins.py).
"""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np

from anonduck.database.connection import Database
from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet
from anonduck.measures.measures import ClassTotals, RuleMeasurer
from anonduck.measures.numpy_measures import by_row, information_gain, violating_pairs
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import LevelVector, Measures, RuleSpace


def rule_measurer(
    database: Database, space: RuleSpace, totals: ClassTotals, table: FrequencyTable | None, *, with_class: bool
) -> RuleMeasurer:
    """Measures rules on ``table``, the frequency set by class in memory; in SQL where there is none."""
    if table is None:
        return RuleMeasurer(database, space, totals, with_class=with_class)
    return _MemoryMeasurer(database, space, totals, table, with_class)


class _MemoryMeasurer(RuleMeasurer):
    def __init__(
        self, database: Database, space: RuleSpace, totals: ClassTotals, table: FrequencyTable, with_class: bool
    ) -> None:
        super().__init__(database, space, totals, with_class=with_class)
        self.table = table

    def measured(self, vector: LevelVector) -> Measures:
        return measures_of(self.table.at(vector), self.totals, with_class=self.with_class)


def measures_of(rolled: RolledFrequencySet, totals: ClassTotals, *, with_class: bool = False) -> Measures:
    """What ``measure_rule`` measures, of the frequency set by class at the rule's levels."""
    sizes, cells = rolled.sizes, len(rolled.records)
    gain, violating = information_gain(rolled, None), violating_pairs(rolled)
    bias = (cells - len(sizes) - totals.class_values + 1) / (2 * totals.records * log(2))
    return Measures(
        k=int((rolled.records if with_class else sizes).min()),
        classes=len(sizes),
        information_gain=round(gain, DIGITS),
        information_gain_corrected=round(gain - bias, DIGITS),
        violating_pairs=violating,
        violating_share=round(violating / totals.pairs, DIGITS) if totals.pairs else 0.0,
    )


def rest_of(rolled: RolledFrequencySet, left_out: np.ndarray, whole: Measures, *, with_class: bool = False) -> Measures:
    """What ``measure_rest`` measures, where these equivalence classes are left out, or parts of them by class value.

    Some record stays.
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
        k=int((rolled.records[~gone] if with_class else sizes[sizes > 0]).min()),
        classes=classes,
        information_gain=round(gain, DIGITS),
        information_gain_corrected=round(gain - bias, DIGITS),
        suppressed=int(rolled.records[gone].sum()),
    )
