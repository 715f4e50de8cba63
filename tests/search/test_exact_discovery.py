"""The default discovery: frontiers against every level vector there is, what is claimed of rules, that it repeats."""

from itertools import product

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import people, project, records_of, tables
from test_lattice import everything, opened

from anonduck.config.config import Config
from anonduck.config.reading import with_changes
from anonduck.database.progress import Reporter
from anonduck.measures.measures import contingency
from anonduck.models.contingency import majority_guesses
from anonduck.models.score_bounds import tree_score_bound
from anonduck.rules.measure_names import GENERALIZED, ORIGINAL
from anonduck.search import strategies
from anonduck.search.budgets import FEWEST, budget_of
from anonduck.search.frontier_search import FrontierFinder, goals_of, leading_goal
from anonduck.search.lattice.costs import GOALS
from anonduck.search.lattice.limits import SearchLimits, model_work
from anonduck.search.searched_records import kept_contingency
from anonduck.search.training import model_scores

SELECTED = st.sampled_from([*GOALS, "accuracy", "balanced_accuracy.tree"])


def scored(database, taxonomies, judge):
    """k and both scores of a tree, of each level vector that meets what is required."""
    found = {}
    for vector in product(*(range(root + 1) for root in judge.space.roots)):
        verdict = judge.verdict(vector)
        if vector != judge.space.roots and verdict.met:
            rows = judge.kept(vector, verdict.measures.suppressed)
            table = contingency(database, judge.space.named(vector), taxonomies, rows=rows)
            scores = model_scores(table, ["tree"])["tree"]
            found[vector] = (verdict.measures.k, -scores["accuracy"], -scores["balanced_accuracy"])
    return found


def least(found, place, k):
    return min((values[place] for values in found.values() if values[0] >= k), default=np.inf)


def check(frontier, found, place, records):
    """What a frontier claims, of every vector there is."""
    for point in frontier.points:
        assert found[point.vector][0] == point.k
        assert found[point.vector][place] == pytest.approx(point.cost, abs=1e-9)
    for k in range(1, records + 2):
        reached = min((one.cost for one in frontier.points if one.k >= k), default=np.inf)
        left = min((one.cost for one in frontier.left if one.k >= k), default=np.inf)
        true = least(found, place, k)
        assert min(reached, left) <= true + 1e-9
        assert frontier.proven_at(k) or k < frontier.proven_from
        if frontier.proven_at(k):
            assert reached == pytest.approx(true, abs=1e-9)


@pytest.mark.slow
@given(
    tables(max_rows=14),
    st.sampled_from([{"k": 1}, {"k": 2}, {"k": 3}, {"k": 2, "marketer_risk": 0.4}]),
    SELECTED,
    st.sampled_from([0.0, 0.3]),
)
@examples(12)
def test_all_frontiers_hold_wherever_the_budget_cuts(shared, table, asked, select, suppression):
    given_ = opened(shared, table, asked, suppression, select=select, weights={table[0][0]: 2.5})
    config, taxonomies, judge = given_
    scores = scored(shared, taxonomies, judge)
    told = {
        name: everything(shared, with_changes(config, {"select": name}), taxonomies, judge)
        for name in [goal.name for goal in goals_of(config) if goal.model is None]
    }
    for budget in (None, 1, 3, 8, 45, 120):
        limits = SearchLimits(None, budget)
        finder = FrontierFinder(records_of(shared, taxonomies, judge), config, judge, limits)
        finder.search.solve(limits)
        found = finder.found()
        assert found.proven if budget is None else limits.work.units
        for name, frontier in found.frontiers.items():
            if frontier.goal.model is None:
                check(frontier, told[name], 1, judge.records)
            else:
                check(frontier, scores, 1 if name.startswith("acc") else 2, judge.records)


@pytest.mark.slow
@given(tables(max_rows=30), st.integers(1, 3), st.sampled_from([0.0, 0.4]))
@examples(12)
def test_no_tree_scores_more_than_its_bound(shared, table, k, suppression):
    config, taxonomies, judge = opened(shared, table, {"k": k}, suppression)
    finder = FrontierFinder(records_of(shared, taxonomies, judge), config, judge, SearchLimits())
    scores = scored(shared, taxonomies, judge)
    for vector, (_, accuracy, balanced) in scores.items():
        bounds = finder._of_trees(vector)
        assert bounds[0] <= accuracy + 1e-9
        assert bounds[1] <= balanced + 1e-9


@pytest.mark.slow
@given(
    tables(max_rows=30),
    st.sampled_from([({"k": 1}, 0.0), ({"k": 3}, 0.6), ({"k": 2, "marketer_risk": 0.4}, 0.8)]),
    st.sampled_from([GENERALIZED, ORIGINAL]),
)
@examples(40)
def test_models_are_trained_on_the_same_cells_from_memory_as_from_sql(shared, table, asked, test_on):
    """Also where records are left out, and of original values."""
    required, suppression = asked
    _, taxonomies, judge = opened(shared, table, required, suppression)
    records = records_of(shared, taxonomies, judge)
    for vector in product(*(range(root + 1) for root in judge.space.roots)):
        if vector == judge.space.roots:
            continue
        suppressed = judge.verdict(vector).measures.suppressed
        found = kept_contingency(records, judge, judge.space.named(vector), suppressed, test_on=test_on)
        rows = judge.kept(vector, suppressed)
        asked = contingency(shared, judge.space.named(vector), taxonomies, test_on=test_on, rows=rows)
        assert found.codes.tolist() == asked.codes.tolist()
        assert found.folds.tolist() == asked.folds.tolist()
        assert found.classes.tolist() == asked.classes.tolist()
        assert (found.nominal, found.sizes) == (asked.nominal, asked.sizes)
        assert (found.left_out is None) == (asked.left_out is None)
        if found.left_out is not None:
            assert found.left_out.classes.tolist() == asked.left_out.classes.tolist()
            assert found.left_out.folds.tolist() == asked.left_out.folds.tolist()
        assert (found.nodes is None) == (asked.nodes is None)
        assert found.nodes is None or found.nodes.tolist() == asked.nodes.tolist()
        assert np.array_equal(found.values, asked.values, equal_nan=True)


def test_a_tree_cannot_tell_a_rare_class_that_is_in_every_cell_rarer():
    tested = np.array([[[9.0, 1.0], [8.0, 2.0]]] * 10)
    assert tree_score_bound(tested, tested.sum(axis=(0, 1)), balanced=True) == pytest.approx(0.5)
    assert tree_score_bound(tested, tested.sum(axis=(0, 1))) == pytest.approx(0.85)
    assert majority_guesses(tested.sum(axis=1).T).tolist() == [0] * 10


def plain(found):
    """What a discovery found, as the command prints it, without how long it took."""
    summary = {name: value for name, value in found.as_json().items() if name not in ("budget", "cut")}
    work = {name: found.budget[name] for name in ("limit", "vectors", "models", "work")}
    return [rule.as_json() for rule in found.rules], summary, work, found.cut


@pytest.mark.slow
def test_a_budget_finds_the_same_on_one_thread_and_on_two():
    found = []
    for budget, threads in ((60, 1), (60, 2), (60, 2), ("auto", 1), ("auto", 2)):
        with project(people(300), requirement={"k": 3}, budget=budget, threads=threads, time_limit=None) as one:
            found.append(plain(one.discover()))
    assert found[0] == found[1] == found[2]
    assert found[3] == found[4]
    assert found[0][3]["by"] == "budget"
    assert found[3][3] is None
    assert found[3][1]["proven"]


@pytest.mark.slow
def test_the_join_of_pairs_is_work_and_has_a_share_of_what_is_left(monkeypatch):
    monkeypatch.setattr(strategies, "PAIRS_A_VECTOR", 100)
    said = []
    given = {"requirement": {"k": 3}, "models": [], "coverage": [0.3], "reporter": Reporter(announce=said.append)}
    with project(people(300), budget=24, **given) as one:
        found = one.discover()
    most = int(found.pair_join.reason.split()[3].replace(",", ""))
    assert 0 < found.pair_join.pairs <= most <= 0.6 * 0.75 * 24 * 100
    assert found.pair_join.joined_records < 300
    assert found.budget["work"] >= found.budget["vectors"] + found.pair_join.pairs // 100
    assert any(f"the budget allows {most:,} pairs" in line for line in said)


@pytest.mark.slow
@pytest.mark.parametrize("suppression", [0.0, 0.05])
def test_no_search_does_much_more_work_than_its_budget(suppression):
    with project(people(300), requirement={"k": 3, "suppression": suppression}, budget=40) as one:
        found = one.discover()
    assert found.cut["by"] == "budget"
    assert found.budget["work"] <= 40 + model_work("tree", 600)


def test_the_default_budget_falls_with_rows_and_columns():
    config = Config.model_validate({"class": "c", "source": "s", "requirement": {"k": 5}})
    assert [budget_of(config, rows, 16) for rows in (0, 1_000, 45_000, 10**7)] == [60_000, 57_000, 16_000, FEWEST]
    assert budget_of(config, 45_000, 60) < budget_of(config, 45_000, 16) < budget_of(config, 45_000, 8)
    assert budget_of(with_changes(config, {"budget": 7}), 10**7, 60) == 7


@pytest.mark.slow
def test_rules_say_what_is_proven():
    with project(people(300), requirement={"k": 3}) as one:
        whole = one.discover()
        cut = one.discover(budget=40)
        stored = one.discovered()
    assert whole.proven
    assert whole.proven_from_k == 3
    assert whole.pair_join is None
    assert all(rule.proven and rule.origin == "lattice" for rule in whole.rules)
    for read in (lambda r: r.accuracy["tree"], lambda r: r.measures.information_gain):
        for rule in cut.rules:
            true, reached = (
                max(read(other) for other in of.rules if other.measures.k >= rule.measures.k) for of in (whole, cut)
            )
            assert not rule.proven or reached == pytest.approx(true)
    assert not cut.proven
    assert stored.rules == cut.rules
    assert stored.summary["cut"]["by"] == "budget"
    assert cut.as_json()["incomplete"]


@pytest.mark.slow
def test_a_time_limit_is_said_and_gives_rules_all_the_same():
    with project(people(200), requirement={"k": 3}, time_limit=1e-9) as one:
        found = one.discover()
    assert found.cut["by"] == "time"
    assert not found.proven
    assert found.rules


def test_what_leads_is_what_rules_are_selected_by():
    config = project(people(20), select="accuracy.bayes", models=["tree", "bayes"]).config
    assert leading_goal(config) == "accuracy.bayes"
    assert [goal.name for goal in goals_of(config)][:4] == [
        "accuracy",
        "balanced_accuracy",
        "accuracy.bayes",
        "balanced_accuracy.bayes",
    ]
    assert leading_goal(with_changes(config, {"select": "macro_f1"})) == "accuracy"
    assert leading_goal(with_changes(config, {"select": "loss"})) == "loss"


@pytest.mark.parametrize(
    ("select", "picked_by", "left"),
    [
        ("accuracy", {"accuracy"}, ["accuracy", "information_gain"]),
        ("accuracy.bayes", {"accuracy", "accuracy.bayes"}, ["accuracy", "accuracy.bayes", "information_gain"]),
        ("accuracy", {"accuracy.tree"}, ["accuracy", "information_gain"]),
        ("balanced_accuracy", {"balanced_accuracy"}, ["balanced_accuracy", "information_gain"]),
        ("loss", {"accuracy", "loss"}, ["accuracy", "information_gain", "loss"]),
    ],
)
def test_scores_that_no_rule_is_picked_by_are_not_searched_for(select, picked_by, left):
    config = project(people(20), select=select, models=["tree", "bayes"]).config
    assert [goal.name for goal in goals_of(config, picked_by)] == left


def test_all_goals_are_searched_for_where_rules_are_picked_by_none_of_them():
    """The best rule by a score that no search is for may be on any frontier."""
    config = project(people(20), select="macro_f1").config
    assert goals_of(config, {"accuracy", "macro_f1"}) == goals_of(config)
