"""The work that a discovery may take, from the table alone, so that it ends within about a minute on two cores.

Where there are more rules of RFDs than that can measure, those nearest to the frontier of k and information gain are
listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING

from anonduck.config.config import Config
from anonduck.database.progress import Reporter
from anonduck.frequency.floors import read_floor
from anonduck.measures.measures import CODED
from anonduck.rules.rule import LevelVector, Measures
from anonduck.search.lattice.limits import SearchLimits, model_work
from anonduck.statements import statement

if TYPE_CHECKING:
    from anonduck.database.connection import Database

SECONDS = 50.0  # what a discovery is to take by default where the machine does nothing else
VECTOR_SECONDS = 0.5e-3  # of an evaluated level vector, whatever the table,
ROW_SECONDS = 13e-9  # and for each row of the frequency set,
FAR_ROW_SECONDS = 17e-9  # and for each row of sets that are no longer at hand: of all
FAR_ROWS = 1_000_000  # where there are so many rows, of a share of them where there are fewer
SUPPRESSED = 1.5  # times that where records may be left out: classes are finer, and measured with and without them
ATTRIBUTES = 16  # of which more make sets larger, levels finer and models slower, by the fifth power of their number,
WIDEST = 40.0  # up to so many times, where hardly any set is smaller than the finest one
COLUMN_SECONDS = 0.75  # for each attribute, to read and code it and to explain rules: what the search has less,
CELL_SECONDS = 12e-6  # for each row of each attribute, to train the baseline, and
FLOOR_SECONDS = 6e-6  # for each record, to choose a floor and group the records there, where there is one,
LEAST_SHARE = 0.35  # but it has so much
FEWEST = 500

RULE_WORK = 30  # level vectors that it takes as long to measure the utility of a rule, to explain and to store it
LEAST_LISTED = 20


def budget_of(config: Config, rows: int, attributes: int, floored: int = 0) -> int:
    """The config's budget; by default that of a frequency set of so many rows and attributes, in two digits.

    ``floored`` is the number of records that were grouped at a floor; 0 without one.
    """
    if isinstance(config.budget, int):
        return config.budget
    evaluated = rows * (SUPPRESSED if config.requirement.suppression else 1.0)
    row = ROW_SECONDS + FAR_ROW_SECONDS * min(1.0, rows / FAR_ROWS)
    wide = min(WIDEST, max(1.0, attributes / ATTRIBUTES) ** 5)
    cost = VECTOR_SECONDS + row * evaluated * wide
    before = COLUMN_SECONDS * attributes + CELL_SECONDS * rows * attributes + FLOOR_SECONDS * floored
    seconds = max(LEAST_SHARE * SECONDS, SECONDS - before)
    work = max(FEWEST, int(seconds / cost))
    digits: int = 10 ** max(0, int(log10(work)) - 1)
    return work // digits * digits


def limit_work(limits: SearchLimits, database: Database, config: Config, attributes: int) -> SearchLimits:
    """Limits that start now, with what is left of the time and the config's budget of work."""
    return limits.with_budget(budget_here(database, config, attributes))


def budget_here(database: Database, config: Config, attributes: int) -> int:
    """``budget_of`` the frequency set that is there."""
    counted = statement("measures/records.sql", table={"cells": CODED})
    floored = int(database.value(counted)) if read_floor(database) else 0
    return budget_of(config, frequency_rows(database), attributes, floored)


def frequency_rows(database: Database) -> int:
    """How many rows the frequency set has."""
    return database.count(CODED)


# -- what a budget can measure -----------------------------------------------------------------------------------------


def affordable(
    rules: Mapping[LevelVector, Measures], models: Sequence[str], limits: SearchLimits, reporter: Reporter
) -> list[LevelVector]:
    """The rules that a budget can measure, and train all models for, in their order; the others are announced.

    Args:
        rules: the measures of each rule, by its level vector.
        models: trained for each rule that is listed.
        limits: the budget for it; without one all rules are listed.
        reporter: receives how many are not.
    """
    left = limits.units_left
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
