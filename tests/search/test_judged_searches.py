"""Searches under requirements of sensitive values, judged in memory: against every level vector, judged in SQL."""

from itertools import product

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from judging import demands, judged_tables, judges
from test_lattice import check

from anonduck.config.reading import make_config
from anonduck.errors import AuditError
from anonduck.measures.criteria import Criteria
from anonduck.measures.judge import RuleJudge
from anonduck.measures.rule_utility import selected_utility
from anonduck.privacy.requirement import ask
from anonduck.search.frontier_search import FrontierFinder
from anonduck.search.lattice.costs import GOALS
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.lattice_search import MEMORY_ROWS, _Read
from anonduck.search.quick_measures import QuickMeasurer
from anonduck.search.score_goals import SCORES, wanted_score

MEASURES = ("information_gain", "majority_share", "balanced_majority_share")


def opened(database, table, demand, select):
    """Config, taxonomies and the judges without and with a twin in memory, of a table that all vectors measure on."""
    alone, judge, taxonomies = judges(database, table, demand)
    try:
        for vector in releasing(alone.space.roots):
            alone.verdict(vector)
    except AuditError:
        return None  # refused before it is searched
    requirement = {"k": demand.k, "suppression": demand.suppression}
    settings = {"requirement": requirement, "select": select, "models": ["bayes"], "measures": ["all"]}
    config = make_config({"class": "the class", "weights": {table[0][0]: 2.5}, **settings})
    return config, taxonomies, alone, judge


def releasing(roots):
    return [v for v in product(*(range(root + 1) for root in roots)) if v != roots]


@pytest.mark.slow
@given(judged_tables(), demands(), st.sampled_from(GOALS), st.sampled_from([{}, {"whole_nodes": 0, "most": 0}]))
@examples(15)
def test_the_lattice_is_searched_by_what_is_judged_in_memory(shared, table, demand, goal, options):
    found = opened(shared, table, demand, goal)
    if found is not None:
        config, taxonomies, _, judge = found
        assert judge.in_memory is not None
        check(shared, config, taxonomies, judge, **options)


@pytest.mark.some(1)
@pytest.mark.parametrize("goal", [*SCORES, *GOALS])
@given(judged_tables(), demands())
@examples(5)
def test_what_is_assessed_in_memory_is_what_is_assessed_in_sql(shared, goal, table, demand):
    """The same vectors are met at the same k and cost; what is hopeless has no finer one that is met; bounds hold."""
    found = opened(shared, table, demand, goal)
    if found is None:
        return
    config, taxonomies, alone, judge = found

    def problem(one, rows):
        read = _Read(shared, config, taxonomies, one, rows)
        return read.promises(goal, wanted_score(config))[0] if goal in SCORES else read.problem(goal, True)

    vectors = releasing(judge.space.roots)
    in_memory, in_sql = problem(judge, MEMORY_ROWS), problem(alone, -1)
    seen = {vector: in_memory.assess(vector) for vector in vectors}
    for vector, one in seen.items():
        other = in_sql.assess(vector)
        assert one.met == other.met
        assert one.hopeless or not other.hopeless
        if one.met:
            assert one.k == other.k
            assert one.cost == pytest.approx(other.cost, abs=1e-9)
    for finer, one in seen.items():
        for coarser, other in seen.items():
            if all(a <= b for a, b in zip(finer, coarser, strict=True)):
                assert not (other.hopeless and not one.hopeless)
                assert not other.met or one.floor <= other.cost + 1e-9
                assert not one.met or other.charge <= one.charge + 1e-9
                assert not one.met or other.reach is None or one.k <= other.reach


@pytest.mark.slow
@given(judged_tables(), demands(), st.sampled_from(["accuracy", *GOALS]))
@examples(10)
def test_looks_are_the_same_in_memory_and_in_sql(shared, table, demand, select):
    found = opened(shared, table, demand, select)
    if found is None:
        return
    config, taxonomies, alone, judge = found
    utility = selected_utility(shared, taxonomies, config, alone)
    in_memory = QuickMeasurer(shared, taxonomies, judge, config, utility)
    in_sql = QuickMeasurer(shared, taxonomies, alone, config, utility, memory_rows=-1)
    for vector in releasing(judge.space.roots):
        seen, asked = in_memory(vector), in_sql(vector)
        if seen is None or asked is None:
            assert not (seen or asked) or not (seen or asked).met
            continue
        assert seen.met == asked.met
        assert seen.violating_pairs == asked.violating_pairs
        if seen.met:
            assert seen.k == asked.k
            assert seen.selected == pytest.approx(asked.selected, abs=1e-9)
            for name in MEASURES:
                assert getattr(seen.told, name) == pytest.approx(getattr(asked.told, name), abs=1e-9)


@pytest.mark.slow
def test_a_search_asks_no_statement_of_a_vector(database, monkeypatch):
    """Of all vectors that are looked at, only those of the frontier are judged in SQL."""
    rows = [(number % 4, (number // 2) % 4, "xy"[number % 3 == 0]) for number in range(40)]
    paths = {name: {value: (f"g{value // 2}", "*") for value in range(4)} for name in "ab"}
    table = (["a", "b"], paths, rows, {"ill": ["flu", "gout", "cold", None] * 10})
    demand = Criteria(ask({"k": 2, "l": 2}), 0.3, ("ill",))
    config, taxonomies, _, judge = opened(database, table, demand, "loss")
    asked = []
    monkeypatch.setattr(RuleJudge, "verdict", lambda _, vector: asked.append(vector))
    problem = _Read(database, config, taxonomies, judge, MEMORY_ROWS).problem("loss", True)
    outcomes = [problem.assess(vector) for vector in releasing(judge.space.roots)]
    assert any(one.met for one in outcomes)
    assert asked == []


@pytest.mark.slow
@given(judged_tables(), demands(), st.sampled_from([*SCORES, *GOALS]))
@examples(8)
def test_all_measures_of_a_vector_are_assessed_in_memory_as_in_sql(shared, table, demand, goal):
    found = opened(shared, table, demand, goal)
    if found is None:
        return
    config, taxonomies, alone, judge = found

    def finder(one, rows):
        return FrontierFinder(shared, config, taxonomies, one, SearchLimits(), memory_rows=rows)

    in_memory, in_sql = finder(judge, MEMORY_ROWS), finder(alone, -1)
    met, hopeless = [], []
    for vector in releasing(judge.space.roots):
        seen, asked = in_memory.falling.see(vector), in_sql.falling.see(vector)
        assert seen.met == asked.met
        assert seen.hopeless or not asked.hopeless  # more is known in memory of what finer vectors leave out
        if seen.hopeless:
            hopeless.append(vector)
        if seen.met:
            met.append(vector)
            assert seen.k == asked.k
            assert seen.costs == pytest.approx(asked.costs, abs=1e-9)
            assert seen.reach >= seen.k
    for coarser, finer in product(hopeless, met):
        assert not all(a <= b for a, b in zip(finer, coarser, strict=True))
