"""Quick looks at rules: whether a level vector meets what is required, and how much it tells of the class.

The frequency set is counted in memory where it fits (anonduck.lattice.rolling); what sizes alone do not tell, and a
frequency set that does not fit, is asked in SQL. No model is trained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anonduck.database import Database
from anonduck.lattice.reading import frequency_rows, read_attributes, read_table
from anonduck.lattice.rolling import FrequencyTable, Rolled
from anonduck.lattice.searching import MEMORY_ROWS
from anonduck.measures import DIGITS
from anonduck.requiring import RuleJudge
from anonduck.rules import Levels
from anonduck.statements import statement
from anonduck.statements.builder_frequency import code_column
from anonduck.taxonomy.catalog import Taxonomy


@dataclass(frozen=True)
class Told:
    """How much the equivalence classes tell of the class, larger is better: none falls as levels fall.

    ``information_gain`` is in bits. ``majority_share`` is the share of the records that have the most frequent class
    value of their equivalence class; ``balanced_majority_share`` weighs each class value alike.
    """

    information_gain: float
    majority_share: float
    balanced_majority_share: float


@dataclass(frozen=True)
class Probe:
    """What was seen of a level vector: k and what it tells, of the records that stay; violating pairs, of all."""

    met: bool
    k: int
    violating_pairs: int
    told: Told


class Prober:
    """Looks at each level vector once; None stands for one that misses what no finer vector regains.

    Args:
        database: holds ``coded_frequency_set`` and the lookup tables.
        taxonomies: those of the quasi-identifiers, in the order of the judge's space.
        judge: what is required.
        memory_rows: up to so many rows, the frequency set is counted in memory.
    """

    def __init__(
        self,
        database: Database,
        taxonomies: Mapping[str, Taxonomy],
        judge: RuleJudge,
        memory_rows: int = MEMORY_ROWS,
    ) -> None:
        self.database = database
        self.judge = judge
        self.table: FrequencyTable | None = None
        if frequency_rows(database) <= memory_rows:
            attributes = read_attributes(database, taxonomies, judge.records, "information_gain")
            named = dict(zip(taxonomies, attributes, strict=True))
            self.table = read_table(database, named, with_class=True)
        self.known: dict[Levels, Probe | None] = {}

    def __call__(self, vector: Levels) -> Probe | None:
        """What is seen of a level vector."""
        if vector not in self.known:
            self.known[vector] = self._asked(vector) if self.table is None else self._counted(vector, self.table)
        return self.known[vector]

    def _counted(self, vector: Levels, table: FrequencyTable) -> Probe | None:
        demand, records = self.judge.demand, table.records
        rolled = table.at(vector)
        sizes = rolled.sizes
        failing = sizes < demand.k
        if not demand.allows(int(sizes[failing].sum()), records):
            return None
        if not demand.only_k:
            if not self.judge.holds(vector):
                return None
            verdict = self.judge.verdict(vector)
            if verdict.measures.suppressed:
                return self._asked(vector)
            return Probe(verdict.met, int(sizes.min()), violating_pairs(rolled), told(rolled, None))
        if failing.all():
            return None
        return Probe(True, int(sizes[~failing].min()), violating_pairs(rolled), told(rolled, failing))

    def _asked(self, vector: Levels) -> Probe | None:
        if not self.judge.holds(vector):
            return None
        verdict = self.judge.verdict(vector)
        found = verdict.measures
        if not verdict.met:
            return Probe(False, found.k, found.violating_pairs, Told(0.0, 0.0, 0.0))
        rows = self.judge.kept(vector, found.suppressed)
        levels = self.judge.space.named(vector)
        attributes = [code_column(name, level) for name, level in levels.items()]
        query = statement("measures/majority.sql", columns={"attributes": attributes}, table={"coded": rows})
        shares = [round(float(share), DIGITS) for share in self.database.row(query)]
        return Probe(True, found.k, found.violating_pairs, Told(found.information_gain, *shares))


def violating_pairs(rolled: Rolled) -> int:
    """Pairs of records in one equivalence class that differ in class: the linear count of a rolled-up frequency set."""
    sizes, cells = rolled.sizes, rolled.records
    return int(sizes @ sizes - cells @ cells) // 2


def told(rolled: Rolled, failing: np.ndarray | None) -> Told:
    """What a rolled-up frequency set tells of the class, without the ``failing`` equivalence classes."""
    assert rolled.classes is not None
    assert rolled.starts is not None
    cells, classes = rolled.records.astype(np.float64), rolled.classes
    if failing is not None and failing.any():
        lengths = np.diff(np.r_[rolled.starts, len(cells)])
        cells = np.where(np.repeat(failing, lengths), 0.0, cells)
    sizes = np.add.reduceat(cells, rolled.starts)
    held = np.bincount(classes, weights=cells)
    total = float(sizes.sum())
    gain = np.log2(total) - (_n_log_n(held) + _n_log_n(sizes) - _n_log_n(cells)) / total
    shares = cells / np.where(held, held, 1.0)[classes]
    majority = np.maximum.reduceat(cells, rolled.starts).sum() / total
    balanced = np.maximum.reduceat(shares, rolled.starts).sum() / np.count_nonzero(held)
    return Told(*(round(max(0.0, float(number)), DIGITS) for number in (gain, majority, balanced)))


def _n_log_n(counts: np.ndarray) -> float:
    positive = counts[counts > 0]
    return float((positive * np.log2(positive)).sum())
