"""Which rules of RFDs are listed where the budget cannot measure all of them."""

from itertools import count

from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.database.progress import Reporter
from anonduck.rules.rule import Measures, Rule
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.lattice.local_search import ObjectiveValues
from anonduck.search.listed_rules import LEAST_LISTED, RULE_WORK, affordable, nearest_first


def rules_of(vectors):
    measures = Measures(1, 0, 0.0, 0.0, 0, 0.0)
    return [Rule(f"R{number}", {"a": level}, {}, (), measures) for number, (level,) in enumerate(vectors)]


def listed(count_of_rules, limits, trained=frozenset()):
    points = {(level,): ObjectiveValues(level + 1, (-float(level),)) for level in range(count_of_rules)}
    told = []
    rules = affordable(
        rules_of(points),
        points,
        lambda rule: (rule.levels["a"],),
        ["tree"],
        lambda vector: vector in trained,
        limits,
        Reporter(announce=told.append),
    )
    return [rule.levels["a"] for rule in rules], told


def test_all_are_listed_where_the_budget_is_enough():
    assert listed(50, SearchLimits(None, 50 * (RULE_WORK + 30))) == (list(range(50)), [])
    assert listed(50, SearchLimits()) == (list(range(50)), [])


def test_the_others_are_announced():
    rules, told = listed(100, SearchLimits(None, 30 * (RULE_WORK + 30)))
    assert len(rules) == 30
    assert told[0].startswith("30 of 100 rules of RFDs are listed")


def test_some_are_listed_whatever_is_left():
    assert len(listed(100, SearchLimits(None, 0))[0]) == LEAST_LISTED


def test_rules_whose_models_are_trained_cost_less():
    assert len(listed(100, SearchLimits(None, 30 * RULE_WORK), {(level,) for level in range(100)})[0]) == 30


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6)), min_size=1, max_size=12))
@examples(60)
def test_none_comes_before_one_that_is_better_in_both(drawn):
    numbers = count()
    points = {(next(numbers),): ObjectiveValues(k, (float(value),)) for k, value in drawn}
    ordered = nearest_first(list(points), points)
    assert sorted(ordered) == sorted(points)
    for place, vector in enumerate(ordered):
        one = points[vector]
        for later in ordered[place + 1 :]:
            other = points[later]
            assert not (other.k > one.k and other.measures[0] > one.measures[0])
