"""The work that a discovery may take, from the rows and columns alone, so that it ends in about a minute on two cores.

Where there are more rules of RFDs than that can measure, those nearest to the frontier of k and information gain are
listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING

from anonduck.config.config import Config
from anonduck.database.progress import Reporter
from anonduck.measures.measures import CODED
from anonduck.rules.rule import LevelVector, Measures
from anonduck.search.lattice.limits import model_work

if TYPE_CHECKING:
    from anonduck.database.connection import Database

UNITS, FEWEST = 60_000, 500  # of work by default, for a small and for a large table
QUARTERED = 200_000_000  # rows times columns cubed of a table that has a quarter of a small one's

RULE_WORK = 30  # level vectors that it takes as long to measure the utility of a rule, to explain and to store it
LEAST_LISTED = 20


def budget_of(config: Config, rows: int, columns: int) -> int:
    """The config's budget; by default that of a frequency set of so many rows and columns, in two digits."""
    if isinstance(config.budget, int):
        return config.budget
    units = max(FEWEST, int(UNITS / (1 + rows * columns**3 / QUARTERED) ** 2))
    digits: int = 10 ** max(0, int(log10(units)) - 1)
    return units // digits * digits


def frequency_rows(database: Database) -> int:
    """How many rows the frequency set has."""
    return database.count(CODED)


# -- what a budget can measure -----------------------------------------------------------------------------------------


def affordable(
    rules: Mapping[LevelVector, Measures], models: Sequence[str], left: int | None, reporter: Reporter
) -> list[LevelVector]:
    """The rules that a budget can measure, and train all models for, in their order; the others are announced.

    Args:
        rules: the measures of each rule, by its level vector.
        models: trained for each rule that is listed.
        left: the work for it; where that is None, all rules are listed.
        reporter: receives how many are not.
    """
    if left is None:
        return list(rules)
    kept: set[LevelVector] = set()
    for vector in nearest_first(rules):
        left -= RULE_WORK + sum(model_work(one, rules[vector].classes) for one in models)
        if left < 0 and len(kept) >= LEAST_LISTED:
            break
        kept.add(vector)
    if len(kept) < len(rules):
        reporter.announce(
            f"{len(kept):,} of {len(rules):,} rules of RFDs are listed, those nearest to the frontier of k and "
            "information gain: the budget allows no more; `--budget N` changes that, `--search rfd` lists all"
        )
    return [vector for vector in rules if vector in kept]


def nearest_first(rules: Mapping[LevelVector, Measures]) -> list[LevelVector]:
    """The level vectors by the frontier that they stand on once those before are taken away, then by falling k."""
    left = sorted(rules, key=lambda vector: (-rules[vector].information_gain, -rules[vector].k, vector))
    ordered: list[LevelVector] = []
    while left:
        largest = 0
        front: list[LevelVector] = []
        rest: list[LevelVector] = []
        for vector in left:
            (front if rules[vector].k > largest else rest).append(vector)
            largest = max(largest, rules[vector].k)
        ordered += sorted(front, key=lambda vector: (-rules[vector].k, vector))
        left = rest
    return ordered
