"""Which rules of RFDs are listed where the budget cannot measure all of them."""

from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.database.progress import Reporter
from anonduck.rules.rule import Measures
from anonduck.search.budgets import LEAST_LISTED, RULE_WORK, affordable, nearest_first


def rules_of(points):
    return {(number,): Measures(k, 0, gain, gain, 0, 0.0) for number, (k, gain) in enumerate(points)}


def listed(many, left, models=("tree",)):
    """The numbers of the rules listed of some of which each tells more than all of a larger k, and what was said."""
    told = []
    rules = rules_of([(number + 1, 1.0 / (number + 1)) for number in range(many)])
    found = affordable(rules, list(models), left, Reporter(announce=told.append))
    return [number for (number,) in found], told


def test_all_are_listed_where_the_budget_is_enough():
    everything = list(range(50))
    assert listed(50, 50 * (RULE_WORK + 30)) == (everything, [])
    assert listed(50, None) == (everything, [])


def test_the_others_are_announced():
    rules, told = listed(100, 30 * (RULE_WORK + 30))
    assert len(rules) == 30
    assert told[0].startswith("30 of 100 rules of RFDs are listed")


def test_some_are_listed_whatever_is_left():
    assert len(listed(100, 0)[0]) == LEAST_LISTED


def test_without_models_the_same_budget_lists_more():
    assert len(listed(100, 30 * (RULE_WORK + 30), models=())[0]) == 60


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6).map(float)), min_size=1, max_size=12))
@examples(60)
def test_none_comes_before_one_that_is_better_in_both(points):
    rules = rules_of(points)
    ordered = [points[place] for (place,) in nearest_first(rules)]
    assert sorted(ordered) == sorted(points)
    for place, (k, gain) in enumerate(ordered):
        assert not any(other > k and more > gain for other, more in ordered[place + 1 :])
