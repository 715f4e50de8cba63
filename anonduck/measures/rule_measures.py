"""The measures of a rule, of the frequency set by class: k, classes, information gain and violating pairs.

``anonduck sql --of MEASURE RULE`` prints the queries of the same numbers (measures/rule.sql, measures/kept_prior.sql);
test_judge_twins.py holds both together.
"""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np

from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet
from anonduck.measures.measures import ClassTotals
from anonduck.measures.numpy_measures import by_row, information_gain, violating_pairs
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import LevelVector, Measures


class RuleMeasurer:
    """Measures each level vector once, of the frequency set by class."""

    def __init__(self, table: FrequencyTable, totals: ClassTotals, *, with_class: bool = False) -> None:
        self.table = table
        self.totals = totals
        self.with_class = with_class
        self.known: dict[LevelVector, Measures] = {}

    def __call__(self, vector: LevelVector) -> Measures:
        """k, classes, information gain and violating pairs of the rule where no record is left out."""
        if vector not in self.known:
            self.known[vector] = measures_of(self.table.at(vector), self.totals, with_class=self.with_class)
        return self.known[vector]


def measures_of(rolled: RolledFrequencySet, totals: ClassTotals, *, with_class: bool = False) -> Measures:
    """k, classes, information gain (bits; Caruccio et al. 2022, 5.2), its Miller-Madow correction, violating pairs.

    ``rolled`` is the frequency set by class at the rule's levels. ``with_class``: k is that of the records alike in the
    attributes and in class; all else stays as it is.

    The plug-in information gain grows with the number of classes even for a shuffled class; Miller (1955) corrects each
    entropy by (cells - 1) / (2 N) nats, which for a mutual information comes to
    -(joint cells - classes - class values + 1) / (2 N).
    """
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
    """The measures where these equivalence classes are left out, or parts of them by class value; some record stays.

    k and classes are of the records that stay, violating pairs of all (``whole``). Information gain is over all
    records: the mean of log2 of the share of a record's class value in its equivalence class by that among all records.
    A record that is left out tells nothing of its class and adds nothing, so that the gain is at most that of the rule
    without suppression, unless ``with_class`` leaves out parts of equivalence classes. The correction is Miller and
    Madow's for the entropies of the records that stay.
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
