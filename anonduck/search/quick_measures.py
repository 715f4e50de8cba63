"""Quick measures of level vectors: whether they meet what is required, and how well they predict the class.

All is counted on the frequency set in memory (anonduck.frequency.roll_up); no model is trained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anonduck.config.config import Config
from anonduck.frequency.roll_up import RolledFrequencySet
from anonduck.measures.attributes import CountedColumn
from anonduck.measures.judge import VectorJudge
from anonduck.measures.numpy_measures import by_row, information_gain, majority_shares, violating_pairs
from anonduck.rules.frontier import better_first
from anonduck.rules.measure_names import UTILITY
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import LevelVector
from anonduck.search.lattice.costs import GOALS, as_measure, make_goal
from anonduck.search.lattice_search import DEFAULT_GOAL
from anonduck.search.level_judge import LevelJudge


@dataclass(frozen=True)
class ClassInformation:
    """How well the equivalence classes predict the class, larger is better. None of these falls as levels fall, unless
    more records are left out.

    ``information_gain`` is in bits. ``majority_share`` is the share of all records that have the most frequent class
    value of their equivalence class, those left out: the most frequent class value of all; ``balanced_majority_share``
    weighs each class value alike.
    """

    information_gain: float
    majority_share: float
    balanced_majority_share: float


NO_INFORMATION = ClassInformation(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class QuickMeasures:
    """What a level vector comes to: k is of the records that stay, information and violating pairs are of all.

    ``selected`` is the utility that rules are selected by, larger is better, where it was asked for.
    """

    met: bool
    k: int
    violating_pairs: int
    information: ClassInformation
    selected: float | None = None


class QuickMeasurer:
    """Measures each level vector once; None stands for one that misses what no finer vector regains.

    Args:
        columns: the quasi-identifiers, in the order of the judge's space.
        judge: what is required.
        config: names a utility to select by, or another measure, which is not taken.
        utility: measures that utility, of a level vector and the records that it leaves out.
    """

    def __init__(
        self,
        columns: Sequence[CountedColumn],
        judge: VectorJudge,
        config: Config,
        utility: Callable[[LevelVector, int], float],
    ) -> None:
        self.judge = judge
        self.utility = utility
        self.selects = config.select in UTILITY
        self.name = config.select if self.selects and config.select in GOALS else DEFAULT_GOAL
        self.table = judge.table
        self.judged = LevelJudge(judge.requirement, judge.classes, self.table.records)
        names, attributes = [one.name for one in columns], [one.attribute(self.name) for one in columns]
        self.goal = make_goal(self.name, names, attributes, k=config.requirement.k, weights=config.weights)
        self.known: dict[LevelVector, QuickMeasures | None] = {}

    def __call__(self, vector: LevelVector) -> QuickMeasures | None:
        """The measures of a level vector."""
        if vector not in self.known:
            if self.judge.space.is_under_floor(vector):
                self.known[vector] = None
                return None
            found = self._counted(vector)
            drops = found is not None and self.judge.space.dropped(vector)
            self.known[vector] = replace(found, met=False) if found is not None and drops else found
        return self.known[vector]

    def _counted(self, vector: LevelVector) -> QuickMeasures | None:
        rolled = self.table.at(vector)
        judged = self.judged(vector, rolled.sizes)
        if not judged.holds:
            return None
        if not judged.met:
            return QuickMeasures(False, judged.k, violating_pairs(rolled), NO_INFORMATION)
        return self._met(vector, rolled, judged.left_out, judged.k)

    def _met(
        self,
        vector: LevelVector,
        rolled: RolledFrequencySet,
        left_out: np.ndarray | None,
        k: int,
    ) -> QuickMeasures:
        """The measures where these equivalence classes are left out."""
        selected = self._selected(vector, rolled, left_out) if self.selects else None
        return QuickMeasures(True, k, violating_pairs(rolled), class_information(rolled, left_out), selected)

    def _selected(self, vector: LevelVector, rolled: RolledFrequencySet, left_out: np.ndarray | None) -> float:
        """The utility to select by."""
        if self.name == DEFAULT_GOAL:
            suppressed = 0 if left_out is None else int(rolled.records[by_row(rolled, left_out)].sum())
            return self.utility(vector, suppressed)
        cost = self.goal.of(self.table, rolled, left_out).cost
        return better_first(self.name, as_measure(self.name, cost))


def class_information(rolled: RolledFrequencySet, failing: np.ndarray | None) -> ClassInformation:
    """How well classes predict the class value where the ``failing`` ones, or rows, are left out."""
    numbers = (information_gain(rolled, failing), *majority_shares(rolled, failing))
    return ClassInformation(*(round(number, DIGITS) for number in numbers))
