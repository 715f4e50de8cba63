"""Rules that differ by noise alone: of such rules the one with the larger k stands, and the others tie with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from anonduck.rules.noise import is_better
from anonduck.rules.rule import Rule


def ties(rules: Sequence[Rule], buys: Callable[[Rule, Rule], bool]) -> dict[str, tuple[str, ...]]:
    """For each rule that does not stand, the ids of those with a larger k that it ties with, by falling k.

    Rules are taken by falling k. One stands if it buys something over every rule that stands before it with a larger k,
    by ``buys(rule, other)``; else it ties with those that it buys nothing over. So a tie is always with a rule that
    stands, however many rules that each differ little lie between two that differ.
    """
    standing: list[Rule] = []
    tied: dict[str, tuple[str, ...]] = {}
    for rule in sorted(rules, key=lambda one: -one.measures.k):
        before = [one for one in standing if one.measures.k > rule.measures.k]
        found = tuple(one.id for one in before if not buys(rule, one))
        if found:
            tied[rule.id] = found
        else:
            standing.append(rule)
    return tied


def differs(rule: Rule, other: Rule, name: str, models: Sequence[str]) -> bool | None:
    """Whether a rule's scores by fold are better than another's by more than noise; None for a measure without them."""
    mine, theirs = fold_scores(rule, name, models), fold_scores(other, name, models)
    return is_better(mine, theirs) if mine and len(mine) == len(theirs) else None


def fold_scores(rule: Rule, name: str, models: Sequence[str]) -> Sequence[float]:
    """What a rule reached in each fold by an objective, of the first model or a named one; empty where that is not told
    by fold."""
    base, _, model = name.partition(".")
    by_fold: Mapping[str, Mapping[str, Sequence[float]]] = {
        "accuracy": rule.fold_accuracy,
        "balanced_accuracy": rule.fold_balanced_accuracy,
    }
    return by_fold.get(base, {}).get(model or next(iter(models), ""), ())
