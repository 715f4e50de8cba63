"""The search for scores of models: what a vector promises, and that little is measured for the right answer."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import best_by_hand, records_of, tables
from test_lattice import opened, points, skewed, wide

from anonduck.config.reading import with_changes
from anonduck.errors import ModelError
from anonduck.measures.measures import CODED, contingency
from anonduck.models.contingency import Contingency, SuppressedRecords
from anonduck.search.lattice.lazy_search import solve_measured
from anonduck.search.lattice.problem import Assessment, LatticeProblem, TimeLimit
from anonduck.search.lattice_search import search_lattice
from anonduck.search.score_goals import ScoreGoal, wanted_score
from anonduck.search.training import model_scores
from anonduck.statements import Statement

SCORES = ("accuracy", "balanced_accuracy")


def empty(database, folds):
    """Take all records out of some folds."""
    for fold in folds:
        database.run(Statement("empty", f'UPDATE coded_frequency_set SET "#fold_{fold}" = 0'))


def drawn_table(seed, cells=12, classes=3, left_out=False):
    draw = np.random.default_rng(seed)
    codes, kinds = draw.integers(0, 3, (cells, 2)).astype(np.int32), draw.integers(0, classes, cells)
    folds = draw.integers(0, 3, (cells, 10)) * draw.integers(0, 2, (cells, 1))
    folds[:2] += 1
    _, first = np.unique(np.column_stack([codes, kinds]), axis=0, return_index=True)
    gone = SuppressedRecords(
        np.arange(1, classes + 1), draw.integers(0, 3, (classes, 10)) * draw.integers(0, 2, (classes, 1))
    )
    table = Contingency(codes[first], (True, True), (3, 3), kinds[first].astype(np.int64), folds[first])
    return replace(table, left_out=gone) if left_out else table


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("left_out", [False, True])
@pytest.mark.parametrize("balanced", [False, True])
def test_no_model_scores_more_than_is_promised(balanced, left_out):
    for seed in range(20):
        table = drawn_table(seed, left_out=left_out)
        for scores in model_scores(table, ["tree", "bayes"]).values():
            assert scores[SCORES[balanced]] <= best_by_hand(table, balanced) + 1e-9


@pytest.mark.slow
@given(tables(max_rows=14), st.booleans(), st.integers(0, 5))
@examples(8)
def test_promises_in_memory_are_those_of_contingency_tables_and_fall_as_levels_rise(shared, table, balanced, unused):
    """Also where records are in no fold, as in a sample."""
    _, taxonomies, judge = opened(shared, table, {"k": 1}, 0.0)
    empty(shared, range(unused))
    counted, classes = records_of(shared, taxonomies, judge).folded
    goal = ScoreGoal("accuracy", balanced, classes)
    cost = {}
    for vector in product(*(range(root + 1) for root in judge.space.roots)):
        if vector == judge.space.roots:
            continue
        rolled = counted.at(vector)
        cost[vector] = goal.of(counted, rolled, None).cost
        told = contingency(shared, judge.space.named(vector), taxonomies)
        assert cost[vector] == pytest.approx(-best_by_hand(told, balanced), abs=1e-9)
        assert int(rolled.sizes.min()) == judge.verdict(vector).measures.k
        assert goal.least(counted) <= cost[vector] + 1e-9
    for vector, here in cost.items():
        for other, there in cost.items():
            if all(one <= two for one, two in zip(vector, other, strict=True)):
                assert here <= there + 1e-9


@pytest.mark.slow
@given(
    tables(max_rows=14),
    st.booleans(),
    st.sampled_from([{"k": 2}, {"k": 3}, {"k": 2, "marketer_risk": 0.6}]),
    st.sampled_from([0, 3]),
)
@examples(10)
def test_no_coarser_vector_exceeds_a_promise_whatever_it_leaves_out(shared, table, balanced, asked, unused):
    """The cost with records left out is that of the contingency table of those that stay, also of a sample."""
    _, taxonomies, judge = opened(shared, table, asked, 0.7)
    empty(shared, range(unused))
    tested = contingency(shared, dict.fromkeys(taxonomies, 0), taxonomies).folds.sum(axis=0)
    if np.count_nonzero(tested) < 2:
        return  # no model is measured
    counted, classes = records_of(shared, taxonomies, judge).folded
    goal = ScoreGoal("accuracy", balanced, classes)
    floors, costs = {}, {}
    for vector in product(*(range(root + 1) for root in judge.space.roots)):
        if vector == judge.space.roots:
            continue
        rolled = counted.at(vector)
        floors[vector] = goal.of(counted, rolled, None).floor
        suppressed = judge.verdict(vector).measures.suppressed
        if not judge.verdict(vector).met:
            continue
        rows = judge.kept(vector, suppressed)
        stays = contingency(shared, judge.space.named(vector), taxonomies, rows=rows)
        costs[vector] = -best_by_hand(stays, balanced)
        if judge.requirement.only_k:
            failing = rolled.sizes < asked["k"]
            found = goal.of(counted, rolled, failing if suppressed else None)
            assert (found.cost, found.floor) == (pytest.approx(costs[vector], abs=1e-9), floors[vector])
    for vector, cost in costs.items():
        for finer, floor in floors.items():
            if all(one <= two for one, two in zip(finer, vector, strict=True)):
                assert goal.least(counted) - 1e-9 <= floor <= cost + 1e-9


def everything(database, config, taxonomies, judge, score):
    """k and cost of each level vector that meets what is required, by training for each."""
    found = {}
    for vector in product(*(range(root + 1) for root in judge.space.roots)):
        verdict = judge.verdict(vector)
        if vector == judge.space.roots or not verdict.met:
            continue
        rows = judge.kept(vector, verdict.measures.suppressed) if verdict.measures.suppressed else CODED
        table = contingency(database, judge.space.named(vector), taxonomies, rows=rows)
        found[vector] = (verdict.measures.k, -model_scores(table, ["tree"])["tree"][score])
    return found


@pytest.mark.some(1)
@pytest.mark.parametrize("select", [*SCORES, "accuracy.tree"])
@pytest.mark.parametrize(
    ("asked", "suppression"), [({"k": 4}, 0.0), ({"k": 4}, 0.1), ({"k": 2, "marketer_risk": 0.3}, 0.1)]
)
def test_the_search_finds_what_training_for_all_finds(shared, select, asked, suppression):
    config, taxonomies, judge = opened(
        shared, skewed(1, rows=400, attributes=2), asked, suppression, select=select, models=["tree"]
    )
    expected = everything(shared, config, taxonomies, judge, select.partition(".")[0])
    found = search_lattice(records_of(shared, taxonomies, judge), config, judge)
    assert (found.goal, found.frontier, found.optimum.proven, found.left) == (select, "exact", True, ())
    assert found.optimum.cost == min(cost for _, cost in expected.values()) == found.optimum.bound
    assert all(expected[one.vector] == (one.k, one.cost) for one in found.points)
    assert {(one.k, round(one.cost, 6)) for one in found.points} == points(list(expected.values()))
    assert found.vectors[0] == found.points[0].vector
    assert found.trained < len(expected)
    alone = config.model_copy(update={"lattice_frontier": False})
    fewer = search_lattice(records_of(shared, taxonomies, judge), alone, judge)
    assert fewer.optimum.cost == found.optimum.cost
    assert fewer.trained <= found.trained
    branched = search_lattice(records_of(shared, taxonomies, judge), alone, judge, most=0)
    assert branched.optimum.proven
    assert branched.optimum.cost == found.optimum.cost
    given_up = search_lattice(records_of(shared, taxonomies, judge), config, judge, most=1)
    assert (given_up.frontier, given_up.left) == ("best found", None)
    assert given_up.optimum.cost == found.optimum.cost


@pytest.mark.slow
def test_a_search_that_is_cut_says_what_is_left(shared):
    """The clock is over from the start: one vector is measured all the same."""
    config, taxonomies, judge = opened(shared, wide(), {"k": 10}, 0.0, select="accuracy", time_limit=1e-9)
    told = search_lattice(records_of(shared, taxonomies, judge), config, judge).as_json()
    assert (told["optimal"], told["frontier"]) == (False, "best found")
    assert told["bound"] <= 1.0


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=12))
@examples(60)
def test_no_vector_is_measured_that_its_promise_rules_out(drawn):
    """Vectors of one attribute with k, promised cost, and what the measured cost is more."""
    of = {(level,): one for level, one in enumerate(drawn)}
    measured = []

    def measure(vector):
        measured.append(vector)
        return float(of[vector][1] + of[vector][2])

    def solved(frontier):
        measured.clear()
        promised = LatticeProblem(
            (len(drawn),),
            lambda v: Assessment(True, False, of[v][0], float(of[v][1])),
            None,
            charges=False,
            k_falls=False,
        )
        return solve_measured(promised, measure, TimeLimit(None), frontier=frontier)

    costs = [(k, promised + more) for k, promised, more in drawn]
    alone = solved(False)
    least = min(cost for _, cost in costs)
    assert (alone.optimum.cost, alone.optimum.bound, alone.optimum.proven) == (least, least, True)
    assert len(measured) == len(set(measured)) == alone.trained
    needed = {vector for vector, (_, promised, _) in of.items() if promised < least}
    assert needed <= set(measured)
    assert all(of[vector][1] <= least for vector in measured)
    both = solved(True)
    assert {(one.k, one.cost) for one in both.points} == points(costs)
    assert both.frontier == "exact"
    assert both.optimum.vector == both.points[0].vector


@pytest.mark.parametrize("most", [0, 100])
def test_nothing_is_asked_of_the_roots(most):
    """Not even where every vector that tells the last attribute is hopeless."""

    def assess(vector):
        assert vector != (2, 2)
        return Assessment(vector[1] == 2, vector[1] < 2, 3, float(vector[0]))

    promised = LatticeProblem((2, 2), assess, None, charges=False, k_falls=True)
    solved = solve_measured(promised, lambda v: v[0] + 0.5, TimeLimit(None), frontier=False, most=most)
    assert (solved.optimum.vector, solved.optimum.cost, solved.optimum.proven) == ((0, 2), 0.5, True)


def test_what_is_left_is_told_with_its_bounds():
    class Over(TimeLimit):
        def __init__(self):
            super().__init__(None)

        def part(self, share):
            return TimeLimit(None)

        def over(self):
            return True

    promised = LatticeProblem(
        (3,), lambda v: Assessment(True, False, 4 - v[0], float(v[0])), None, charges=False, k_falls=False
    )
    solved = solve_measured(promised, lambda v: 2.5, Over(), frontier=True)
    assert (solved.optimum.vector, solved.optimum.proven, solved.optimum.bound) == ((0,), False, 1.0)
    assert (solved.frontier, solved.trained) == ("best found", 1)
    assert [(one.k, one.cost) for one in solved.left] == [(3, 1.0)]


def test_scores_that_are_not_bounded_are_not_searched_for(shared):
    config, _, _ = opened(shared, wide(4, 2), {"k": 1}, 0.0)
    assert (wanted_score(config).score, wanted_score(config).model) == ("accuracy", "tree")
    for changes in ({"models": []}, {"test_on": "original"}, {"select": "macro_f1"}, {"select": "accuracy.svm"}):
        assert wanted_score(with_changes(config, changes)) is None


def test_a_table_without_folds_is_refused_by_the_model(shared):
    config, taxonomies, judge = opened(shared, skewed(0), {"k": 1}, 0.0)
    empty(shared, range(1, 10))
    with pytest.raises(ModelError, match="two folds"):
        search_lattice(records_of(shared, taxonomies, judge), config, judge)
