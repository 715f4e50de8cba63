"""The frontier against its definition, pair by pair (section 5.3)."""

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.errors import ConfigError
from anonduck.rules.frontier import frontier, frontier_rules
from anonduck.rules.rule import Measures, Rule

LARGER = ["k", "k_with_class", "classes", "information_gain", "accuracy", "balanced_accuracy.svm", "precision"]
SMALLER = ["violating_share", "violating_pairs", "loss"]


def rule(number, values):
    k, classes, gain, violating, tree, svm = values
    measures = Measures(k, classes, gain / 4, gain / 4 - 1, violating, violating / 10, k_with_class=min(k, svm))
    accuracy = {} if tree is None else {"tree": tree / 4}
    utility = {"loss": (tree or 0) / 4, "precision": svm / 4}
    return Rule(f"R{number}", {"a": 0}, {"0.1": "extracted"}, (), measures, accuracy, {}, {"svm": svm / 4}, utility)


small = st.integers(0, 4)
rule_lists = st.lists(st.tuples(small, small, small, small, st.one_of(st.none(), small), small), max_size=14).map(
    lambda rows: [rule(number, row) for number, row in enumerate(rows, start=1)]
)


def value(one, name):
    base, _, model = name.partition(".")
    if base in ("accuracy", "balanced_accuracy"):
        return getattr(one, base).get(model or "tree")
    found = one.utility[name] if name in one.utility else getattr(one.measures, name)
    return -found if name in SMALLER else found


def by_definition(rules, objectives):
    points = {r.id: [value(r, name) for name in objectives] for r in rules}
    points = {identifier: point for identifier, point in points.items() if None not in point}

    def dominates(x, y):
        at_least = all(a >= b for a, b in zip(x, y, strict=True))
        return at_least and any(a > b for a, b in zip(x, y, strict=True))

    kept = {i: p for i, p in points.items() if not any(dominates(other, p) for other in points.values())}
    return {i: {j for j, q in kept.items() if q == p and j != i} for i, p in kept.items()}


@given(rule_lists, st.lists(st.sampled_from([*LARGER, *SMALLER]), min_size=2, max_size=4, unique=True))
@examples(300)
def test_the_frontier_is_what_nothing_dominates(rules, objectives):
    found = frontier(rules, objectives, ["tree", "svm"])
    assert {identifier: set(equal) for identifier, equal in found.items()} == by_definition(rules, objectives)


@given(rule_lists)
@examples(100)
def test_rules_of_the_frontier_come_by_falling_k_and_marked(rules):
    found = frontier_rules(rules, ["k", "accuracy"], ["tree"])
    assert [r.measures.k for r in found] == sorted((r.measures.k for r in found), reverse=True)
    assert all(r.on_frontier for r in found)
    assert {r.id: set(r.equal_to) for r in found} == by_definition(rules, ["k", "accuracy"])


@pytest.mark.parametrize("objectives", [["k", "beauty"], ["k", "accuracy.svm"], ["k", "accuracy.forest"], ["k", ""]])
def test_unknown_objectives_are_refused_with_those_there_are(objectives):
    with pytest.raises(ConfigError, match=r"choose among k, .*accuracy\.tree"):
        frontier([rule(1, (1, 1, 1, 1, 1, 1))], objectives, ["tree"])


@pytest.mark.parametrize("objectives", [[], ["k"], ["k", "k"]])
def test_fewer_than_two_objectives_are_refused(objectives):
    with pytest.raises(ConfigError, match="at least two"):
        frontier([], objectives, ["tree"])


def test_a_utility_that_no_rule_was_measured_by_is_refused():
    rules = [rule(1, (1, 1, 1, 1, 1, 1))]
    with pytest.raises(ConfigError, match=r"kl_divergence was not measured.*--measure kl_divergence"):
        frontier(rules, ["k", "kl_divergence"], ["tree"])
    assert frontier([], ["k", "kl_divergence"], ["tree"]) == {}
