"""Which rules of RFDs the default search lists where there are more than its budget can measure: those nearest to a
frontier of k and what rules are compared by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from anonduck.database.progress import Reporter
from anonduck.rules.rule import LevelVector, Rule
from anonduck.search.lattice.limits import SearchLimits, model_work
from anonduck.search.lattice.local_search import ObjectiveValues, first_frontiers

RULE_WORK = 30  # level vectors that it takes as long to measure the utility of a rule, to explain and to store it
LEAST_LISTED = 20


def affordable(
    rules: Sequence[Rule],
    points: Mapping[LevelVector, ObjectiveValues],
    vector_of: Callable[[Rule], LevelVector],
    models: Sequence[str],
    trained: Callable[[LevelVector], bool],
    limits: SearchLimits,
    reporter: Reporter,
) -> list[Rule]:
    """The rules that the rest of a budget can measure and train, in their order; the others are announced.

    Args:
        rules: rules with their measures.
        points: where each level vector stands, as far as it was seen.
        vector_of: a rule's levels.
        models: trained for each rule that is listed, unless ``trained`` says that they were.
        limits: what is left of the budget; without a budget all rules are listed.
        reporter: is told how many are not.
    """
    left = limits.units_left
    if left is None:
        return list(rules)
    by_vector = {vector_of(rule): rule for rule in rules}
    kept: set[LevelVector] = set()
    for vector in nearest_first([vector for vector in by_vector if vector in points], points):
        known = trained(vector)
        cost = RULE_WORK + sum(model_work(one, by_vector[vector].measures.classes) for one in models if not known)
        if cost > left and len(kept) >= LEAST_LISTED:
            break
        left -= cost
        kept.add(vector)
    if len(kept) < len(rules):
        reporter.announce(
            f"{len(kept):,} of {len(rules):,} rules of RFDs are listed, those nearest to a frontier; for the others "
            f"the budget of {int(limits.budget or 0):,} is used up: `budget=N` changes that, `search='rfd'` lists all"
        )
    return [rule for vector, rule in by_vector.items() if vector in kept]


def nearest_first(vectors: Sequence[LevelVector], points: Mapping[LevelVector, ObjectiveValues]) -> list[LevelVector]:
    """The level vectors by the frontier that they stand on once those before are taken away, then by falling k."""
    left, ordered = {vector: points[vector] for vector in vectors}, []
    while left:
        front = first_frontiers(left, 1)
        ordered += sorted(front, key=lambda vector: (-left[vector].k, vector))
        left = {vector: point for vector, point in left.items() if vector not in set(front)}
    return ordered
