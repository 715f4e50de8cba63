"""Searches under requirements of sensitive values, against every level vector, judged and measured by queries."""

from itertools import product

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from judging import judged_tables, judges, requirements
from oracles import as_measure, records_of
from test_lattice import assessor_of, check
from test_measure_twins import Queries

from anonduck.config.reading import make_config
from anonduck.errors import AuditError
from anonduck.measures.judge import RuleJudge
from anonduck.measures.requirement import Requirement
from anonduck.privacy.requirement import ask
from anonduck.search.frontier_search import FrontierFinder
from anonduck.search.lattice.costs import GOALS
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.score_goals import SCORES


def opened(database, table, requirement, select):
    """Config, taxonomies and judge of a table that all vectors measure on; None where one cannot be judged."""
    _, judge, taxonomies = judges(database, table, requirement)
    try:
        for vector in releasing(judge.space.roots):
            judge.verdict(vector)
    except AuditError:
        return None  # refused before it is searched
    asked = {"k": requirement.k, "suppression": requirement.suppression}
    settings = {"requirement": asked, "select": select, "models": ["bayes"], "measures": ["all"]}
    config = make_config({"class": "the class", "weights": {table[0][0]: 2.5}, **settings})
    return config, taxonomies, judge


def releasing(roots):
    return [v for v in product(*(range(root + 1) for root in roots)) if v != roots]


@pytest.mark.slow
@given(judged_tables(), requirements(), st.sampled_from(GOALS))
@examples(15)
def test_the_lattice_is_searched_by_what_is_required_of_sensitive_values(shared, table, requirement, goal):
    found = opened(shared, table, requirement, goal)
    if found is not None:
        check(shared, *found)


@pytest.mark.some(1)
@pytest.mark.parametrize("goal", [*SCORES, *GOALS])
@given(judged_tables(), requirements())
@examples(5)
def test_what_is_assessed_is_what_is_judged_and_measured_by_queries(shared, goal, table, requirement):
    """The same vectors are met at the same k and cost; what is hopeless has no finer one that is met; bounds hold."""
    found = opened(shared, table, requirement, goal)
    if found is None:
        return
    config, taxonomies, judge = found
    assess, queries = assessor_of(shared, config, taxonomies, judge, goal), Queries(shared, *found)
    seen = {vector: assess(vector) for vector in releasing(judge.space.roots)}
    additive = assess.additive(0) if assess.nested else None

    def charge(vector):
        return seen[vector].costs[0] - sum(costs[level] for costs, level in zip(additive, vector, strict=True))

    for vector, one in seen.items():
        other = judge.verdict(vector)
        assert one.met == other.met
        if one.met:
            assert one.k == other.measures.k
            assert one.costs[0] == pytest.approx(cost_of(queries, goal, vector, other), abs=1e-9)
    for finer, one in seen.items():
        for coarser, other in seen.items():
            if all(a <= b for a, b in zip(finer, coarser, strict=True)):
                assert not (other.hopeless and not one.hopeless)
                assert not one.met or one.k <= other.reach
                if additive is not None and one.met and other.met:
                    assert charge(coarser) <= charge(finer) + 1e-9


def cost_of(queries, goal, vector, verdict):
    """What a vector costs by the queries of sql/, of the records that stay."""
    measure = queries(goal, vector, verdict.measures.suppressed)
    return -measure if goal in SCORES else as_measure(goal, measure)


@pytest.mark.slow
def test_a_search_asks_no_statement_of_a_vector(database, monkeypatch):
    """Of all vectors that are looked at, only those of the frontier are measured."""
    rows = [(number % 4, (number // 2) % 4, "xy"[number % 3 == 0]) for number in range(40)]
    paths = {name: {value: (f"g{value // 2}", "*") for value in range(4)} for name in "ab"}
    table = (["a", "b"], paths, rows, {"ill": ["flu", "gout", "cold", None] * 10})
    requirement = Requirement(ask({"k": 2, "l": 2}), 0.3, ("ill",))
    config, taxonomies, judge = opened(database, table, requirement, "loss")
    asked = []
    monkeypatch.setattr(RuleJudge, "verdict", lambda _, vector: asked.append(vector))
    assess = assessor_of(database, config, taxonomies, judge, "loss")
    outcomes = [assess(vector) for vector in releasing(judge.space.roots)]
    assert any(one.met for one in outcomes)
    assert asked == []


@pytest.mark.slow
@given(judged_tables(), requirements(), st.sampled_from([*SCORES, *GOALS]))
@examples(8)
def test_all_measures_of_a_vector_are_those_of_queries(shared, table, requirement, goal):
    found = opened(shared, table, requirement, goal)
    if found is None:
        return
    config, taxonomies, judge = found
    finder, queries = (
        FrontierFinder(records_of(shared, taxonomies, judge), config, judge, SearchLimits()),
        Queries(shared, *found),
    )
    met, hopeless = [], []
    for vector in releasing(judge.space.roots):
        seen, asked = finder.falling.see(vector), judge.verdict(vector)
        assert seen.met == asked.met
        if seen.hopeless:
            hopeless.append(vector)
        if seen.met:
            met.append(vector)
            assert seen.k == asked.measures.k
            expected = [cost_of(queries, one.name.partition(".")[0], vector, asked) for one in finder.goals]
            assert seen.costs == pytest.approx(expected, abs=1e-9)
            assert seen.reach >= seen.k
    for coarser, finer in product(hopeless, met):
        assert not all(a <= b for a, b in zip(finer, coarser, strict=True))
