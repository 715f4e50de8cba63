"""Which rules of RFDs the default search lists where there are more than its budget can measure: those nearest to the
frontier of k and information gain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.database.progress import Reporter
from anonduck.rules.rule import LevelVector, Measures
from anonduck.search.lattice.limits import SearchLimits, model_work
from anonduck.search.lattice.local_search import ObjectiveValues, first_frontiers

RULE_WORK = 30  # level vectors that it takes as long to measure the utility of a rule, to explain and to store it
LEAST_LISTED = 20


def affordable(
    rules: Mapping[LevelVector, Measures], models: Sequence[str], limits: SearchLimits, reporter: Reporter
) -> list[LevelVector]:
    """The rules that a budget can measure, and train all models for, in their order; the others are announced.

    Args:
        rules: the measures of each rule, by its level vector.
        models: trained for each rule that is listed.
        limits: the budget for it; without one all rules are listed.
        reporter: is told how many are not.
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
            "information gain: the budget allows no more; `budget=N` changes that, `search='rfd'` lists all"
        )
    return [vector for vector in rules if vector in kept]


def nearest_first(rules: Mapping[LevelVector, Measures]) -> list[LevelVector]:
    """The level vectors by the frontier that they stand on once those before are taken away, then by falling k."""
    left = {vector: ObjectiveValues(found.k, (found.information_gain,)) for vector, found in rules.items()}
    ordered: list[LevelVector] = []
    while left:
        front = first_frontiers(left, 1)
        ordered += sorted(front, key=lambda vector: (-left[vector].k, vector))
        left = {vector: point for vector, point in left.items() if vector not in set(front)}
    return ordered
