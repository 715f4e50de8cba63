"""Models trained only for rules that can be on the frontier: the same frontier as with all, by a bound that holds."""

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, people, project, tables
from test_discovery import discovered, many_rules

from anonduck.config.reading import make_config
from anonduck.database.progress import Reporter
from anonduck.frequency import frequency_set
from anonduck.measures.measures import baseline_contingency
from anonduck.models.contingency import Contingency
from anonduck.models.cross_validation import cross_validate
from anonduck.models.folds import FEWEST, draw_folds
from anonduck.models.score_bounds import score_bound
from anonduck.rules.frontier import frontier
from anonduck.search import training


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 3), st.sampled_from(["tree", "bayes"]))
@examples(40)
def test_no_model_is_right_for_more_than_the_bound(seed, cells, classes, model):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 4, (cells, 2))
    distinct, inverse = np.unique(np.c_[codes, random.integers(0, classes, cells)], axis=0, return_inverse=True)
    records = np.bincount(inverse.ravel(), random.integers(2, 30, cells)).astype(np.int64)
    shuffled = random.permutation(len(distinct))
    distinct, records = distinct[shuffled], records[shuffled]
    folds = draw_folds(records, distinct[:, 2], folds=3, seed=seed)
    table = Contingency(distinct[:, :2].astype(np.int32), (True, False), (4, 4), distinct[:, 2], folds)
    right = 0
    for fold in range(3):
        held = {}
        for (a, b, label), count in zip(distinct.tolist(), folds[:, fold].tolist(), strict=True):
            held.setdefault((a, b), {})[label] = count
        right += sum(max(of_class.values()) for of_class in held.values())
    assert score_bound(table) == pytest.approx(right / records.sum(), abs=1e-12)
    if np.count_nonzero(folds.sum(axis=0)) > 1:
        assert cross_validate(table, model).accuracy <= score_bound(table) + 1e-12


@pytest.mark.slow
@given(
    tables(max_rows=40),
    st.sampled_from([["tree"], ["tree", "bayes"]]),
    st.sampled_from(["generalized", "original"]),
)
@examples(10)
def test_the_frontier_is_the_same_as_with_all_rules_trained(shared, table, models, test_on):
    found = {
        train: discovered(shared, *table, coverage=[0.1, 0.5, 1.0], models=models, test_on=test_on, train=train)
        for train in ("all", "frontier")
    }
    rules = {rule.id: rule for rule in found["all"].rules}
    for objectives in (["k", f"accuracy.{model}"] for model in models):
        assert frontier(found["frontier"].rules, objectives, models) == frontier(found["all"].rules, objectives, models)
    for rule in found["frontier"].rules:
        whole = rules[rule.id]
        assert whole.accuracy_bound is None
        assert (rule.accuracy_bound is None) == (set(rule.accuracy) == set(models))
        assert rule.accuracy == {model: whole.accuracy[model] for model in rule.accuracy}
        if rule.accuracy_bound is not None:
            assert all(whole.accuracy[model] <= rule.accuracy_bound for model in models)
    assert [rule.on_frontier for rule in found["all"].rules] == [rule.on_frontier for rule in found["frontier"].rules]


@pytest.mark.slow
def test_many_large_rules_are_not_all_trained_and_the_count_is_told(monkeypatch):
    said = []
    with project(people(400, seed=2), search="combined") as one:
        one.reporter = Reporter(said.append)
        whole = one.discover().rules
        assert all(rule.accuracy for rule in whole)
        assert not any("train=" in line for line in said)
        monkeypatch.setattr(training, "ALL_CLASSES", sum(rule.measures.classes for rule in whole) - 1)
        bounded = one.discover().rules
        assert one.discovered().rules == bounded
        assert [rule.on_frontier for rule in whole] == [rule.on_frontier for rule in bounded]
    left_out = [rule for rule in bounded if not rule.accuracy]
    assert 0 < len(left_out) < len(bounded)
    assert all(0 < rule.as_json()["accuracy_bound"] <= 1 for rule in left_out)
    line = next(line for line in said if "`--train all`" in line)
    assert f"for {len(bounded) - len(left_out)} of {len(bounded)} rules" in line


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("select", "train", "all_of_them"),
    [
        ("accuracy", "auto", False),
        ("accuracy.bayes", "auto", False),
        ("k", "auto", False),
        ("balanced_accuracy", "auto", True),
        ("roc_auc.tree", "auto", True),
        ("accuracy", "all", True),
        ("balanced_accuracy", "frontier", False),
    ],
)
def test_what_selects_a_rule_is_trained_for_all(monkeypatch, database, select, train, all_of_them):
    monkeypatch.setattr(training, "ALL_CLASSES", 0)
    rules = discovered(database, *many_rules(), coverage=[0.3]).rules
    config = make_config({"class": CLASS, "models": ["tree", "bayes"], "select": select, "train": train})
    assert training.trains_all(config, rules) is all_of_them


@pytest.mark.slow
def test_on_a_sample_the_baseline_is_tested_on_some_folds(monkeypatch):
    """Each model learns from all other folds of the sample, as it does for rules."""
    monkeypatch.setattr(frequency_set, "MODEL_CELLS", 120)
    said = []
    with project(people(200), requirement={"k": 5}, holdout=0, reporter=Reporter(announce=said.append)) as one:
        found = one.discover(search="lattice")
        roots = {name: one.taxonomies[name].root for name in one.workspace.roles.quasi_identifiers}
        table = baseline_contingency(one.database, roots, one.workspace.taxonomies)
        every = cross_validate(table, "tree")
    assert any(line.startswith("the baseline is tested on 3 of 10 folds") for line in said)
    records = table.folds.sum(axis=0)
    tested = [fold for fold, held in enumerate(records) if held][:FEWEST]
    right = sum(every.fold_accuracies[fold] * records[fold] for fold in tested)
    assert found.baseline["accuracy"]["tree"] == pytest.approx(right / records[tested].sum(), abs=1e-9)


@examples(100)
@given(st.lists(st.tuples(st.integers(2, 5), st.integers(0, 4)), max_size=8), st.integers(0, 4))
def test_a_rule_is_dominated_where_a_rule_before_it_has_both_and_more_of_one(rules, bound):
    """Rules come by falling k; one that cannot pass a rule of a larger k, or reach one of its own k, is not trained."""
    rules.sort(key=lambda rule: -rule[0])
    reached = training._Reached()
    for place, (k, accuracy) in enumerate(rules):
        before = rules[:place]
        dominated = any((other > k and best >= bound) or (other == k and best > bound) for other, best in before)
        assert reached.beats(k, bound) is dominated
        reached.add(k, accuracy)
