"""Discoveries where nothing is to be found find nothing, and where something is, they do not miss it."""

import json

import numpy as np
import pandas as pd
import pytest
from oracles import people, project

from anonduck.models.contingency import Contingency, SuppressedRecords, everyone
from anonduck.models.cross_validation import cross_validate
from anonduck.models.folds import draw_folds
from anonduck.models.scores import FoldResult, score
from anonduck.report.contents import gather
from anonduck.rules.noise import NOTHING, is_better

CALM = {"coverage": [0.3], "requirement": {"k": 5}, "holdout": 0}


def table_of(groups, labels, seed=0):
    """The contingency table of records with one attribute."""
    cells, counts = np.unique(np.c_[groups, labels], axis=0, return_counts=True)
    folds = draw_folds(counts, cells[:, 1], seed=seed)
    return Contingency(cells[:, :1].astype(np.int32), (True,), (int(cells[:, 0].max()),), cells[:, 1], folds)


def by_chance(seed, records, groups, shares):
    random = np.random.default_rng(seed)
    return table_of(1 + random.integers(0, groups, records), random.choice(len(shares), records, p=shares), seed)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["tree", pytest.param("bayes", marks=pytest.mark.slow)])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.95, 0.05), (0.4, 0.35, 0.25)], ids=["even", "rare", "three"])
def test_a_class_that_depends_on_nothing_is_told_by_nothing(model, shares):
    scores = [cross_validate(by_chance(seed, 600, 2 + 3 * seed, shares), model) for seed in range(12)]
    assert all(score.tells_nothing for score in scores)


@pytest.mark.parametrize("seed", range(3))
def test_a_weak_dependence_is_not_missed(seed):
    random = np.random.default_rng(seed)
    groups = random.integers(1, 5, 4_000)
    labels = (random.random(4_000) < np.where(groups == 1, 0.6, 0.4)).astype(int)
    assert not cross_validate(table_of(groups, labels, seed), "tree").tells_nothing


def test_a_rare_class_is_told_by_balanced_accuracy_alone():
    """As many rare records found as others mistaken for them: the accuracy is that of the majority."""
    confusions = [[[93 - wrong, wrong], [12 - wrong, wrong]] for wrong in (4, 5, 6, 5, 4, 5, 6, 4, 5, 6)]
    folds = [FoldResult(np.array(one), np.zeros(0), None, "") for one in confusions]
    found = score(folds)
    assert found.accuracy == found.majority_share
    assert not is_better(found.fold_accuracies, found.fold_majorities, NOTHING)
    assert not found.tells_nothing
    guessed = np.array([[93, 0], [12, 0]])
    assert score([FoldResult(guessed, np.zeros(0), None, "")] * 10).tells_nothing


def test_the_majority_guess_by_fold_is_what_it_says():
    random = np.random.default_rng(4)
    whole = by_chance(4, 300, 5, (0.5, 0.3, 0.2))
    left = SuppressedRecords(np.array([1, 2]), random.integers(0, 9, (2, 10)))
    table = Contingency(whole.codes, whole.nominal, whole.sizes, whole.classes, whole.folds, left_out=left)
    score, known = cross_validate(table, "tree"), everyone(table)
    for fold in range(10):
        others = np.delete(known.folds, fold, axis=1).sum(axis=1)
        tested = known.folds[:, fold]
        assert score.fold_majorities[fold] == pytest.approx(tested[others.argmax()] / tested.sum())
        assert score.fold_chances[fold] == pytest.approx((tested[others.argmax()] > 0) / (tested > 0).sum())
    assert score.standard_error == pytest.approx(np.std(score.fold_accuracies, ddof=1) / np.sqrt(10))


def strangers(seed, rows=400):
    """People whose class is a coin."""
    frame = people(rows, seed=seed)
    frame["class"] = np.random.default_rng(seed + 100).choice(["no", "yes"], rows, p=[0.6, 0.4])
    return frame


@pytest.mark.some(0, 4)
@pytest.mark.slow
@pytest.mark.parametrize("models", [["tree"], []], ids=["tree", "none"])
@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] if seed else []) for seed in range(8)])
def test_no_rule_tells_of_a_class_that_is_a_coin(seed, models):
    with project(strangers(seed), models=models, **CALM) as one:
        found = one.discover().rules
        assert found
        assert all(rule.tells_nothing for rule in found)
        assert not any(rule.on_frontier for rule in found)
        empty = one.frontier()
        assert len(empty) == 0
        assert "`anonduck frontier --all` lists those" in repr(empty)
        assert "frontier --all" in empty._repr_mimebundle_()["text/html"]
        assert "`anonduck discover --method NAME` makes one" in repr(one.candidates())
        assert set(one.frontier(everything=True)["tells_nothing"]) == {True}
        stored = one.discovered().rules
    assert stored == found, "marks and folds are stored as they were"


@pytest.mark.slow
@pytest.mark.parametrize("models", [["tree"], []], ids=["tree", "none"])
def test_rules_tell_of_a_class_that_depends_on_them(models, tmp_path):
    with project(people(400), models=models, **CALM) as one:
        found = one.discover().rules
        front = [rule for rule in found if rule.on_frontier]
        assert front
        assert not any(rule.tells_nothing for rule in front)
        page = gather(one.workspace)
    assert {rule["id"]: rule["nothing"] for rule in page["rules"]} == {rule.id: rule.tells_nothing for rule in found}
    first = page["measures"][0]
    assert set(first["frontier"]) == {rule.id for rule in front}
    assert first["ties"] == {rule.id: list(rule.tied_with) for rule in front if rule.tied_with}


@pytest.mark.slow
def test_run_says_that_the_rule_it_takes_tells_nothing(tmp_path):
    strangers(0).to_parquet(tmp_path / "people.parquet")
    with project(tmp_path / "people.parquet", **CALM) as one:
        done = one.run(tmp_path / "out.csv")
    assert "it tells nothing of the class, and no other rule that was found and measured does more" in done.reason
    assert json.loads((tmp_path / "out.csv.owner.json").read_text())["reason"] == done.reason


def leaving(rows=1500):
    """People of whom few have the class, more of those over 40: no model names it for anybody."""
    frame = people(rows, seed=1)
    random = np.random.default_rng(2)
    frame["class"] = np.where(random.random(rows) < np.where((frame["age"] > 40).fillna(False), 0.3, 0.02), "yes", "no")
    return frame


@pytest.mark.slow
def test_of_a_rare_class_the_rule_that_goes_together_with_it_is_taken(tmp_path):
    with project(leaving(), **CALM) as one:
        found = one.discover().rules
        done = one.run(tmp_path / "out.csv")
    assert all(rule.tells_nothing for rule in found)
    chosen = next(rule for rule in found if rule.levels == done.levels)
    assert chosen.associated
    assert chosen.measures.information_gain_corrected == max(
        rule.measures.information_gain_corrected
        for rule in found
        if rule.measures.k >= 5 and rule.associated and rule.accuracy == chosen.accuracy
    )
    assert "none of them is better than naming the majority class" in done.reason


@pytest.mark.slow
def test_frames_hold_the_marks():
    with project(people(400), **CALM) as one:
        one.discover()
        assert {"tied_with", "tells_nothing", "fold_accuracy.tree"} <= set(one.frontier().columns)
        assert isinstance(one.rules(), pd.DataFrame)
