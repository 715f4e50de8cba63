"""The search for scores of models: what a vector promises, and that little is measured for the right answer."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import best_by_hand, records_of, tables
from test_lattice import opened, wide

from anonduck.config.reading import with_changes
from anonduck.measures.measures import contingency
from anonduck.models.contingency import Contingency, SuppressedRecords
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
        cost[vector] = goal.of(counted, rolled, None)
        told = contingency(shared, judge.space.named(vector), taxonomies)
        assert cost[vector] == pytest.approx(-best_by_hand(told, balanced), abs=1e-9)
        assert int(rolled.sizes.min()) == judge.verdict(vector).measures.k
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
        floors[vector] = goal.of(counted, rolled, None)
        suppressed = judge.verdict(vector).measures.suppressed
        if not judge.verdict(vector).met:
            continue
        rows = judge.kept(vector, suppressed)
        stays = contingency(shared, judge.space.named(vector), taxonomies, rows=rows)
        costs[vector] = -best_by_hand(stays, balanced)
        if judge.requirement.only_k:
            failing = rolled.sizes < asked["k"]
            found = goal.of(counted, rolled, failing if suppressed else None)
            assert found == pytest.approx(costs[vector], abs=1e-9)
    for vector, cost in costs.items():
        for finer, floor in floors.items():
            if all(one <= two for one, two in zip(finer, vector, strict=True)):
                assert floor <= cost + 1e-9


def test_scores_that_are_not_bounded_are_not_searched_for(shared):
    config, _, _ = opened(shared, wide(4, 2), {"k": 1}, 0.0)
    assert (wanted_score(config).score, wanted_score(config).model) == ("accuracy", "tree")
    for changes in ({"models": []}, {"test_on": "original"}, {"select": "macro_f1"}, {"select": "accuracy.svm"}):
        assert wanted_score(with_changes(config, changes)) is None
