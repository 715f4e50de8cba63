"""Scores that are known are those that training would give, whatever the order of the cells."""

import dataclasses

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.models import known_scores
from anonduck.models.contingency import Contingency, SuppressedRecords
from anonduck.models.cross_validation import cross_validated
from anonduck.models.folds import draw_folds
from anonduck.models.known_scores import KnownScores


def random_table(seed, *, values=True, left_out=False):
    random = np.random.default_rng(seed)
    codes = np.unique(random.integers(0, 5, (40, 3)), axis=0)
    classes = random.integers(0, 2, len(codes))
    folds = draw_folds(random.integers(0, 30, len(codes)), classes, folds=5, seed=seed)
    numbers = np.where(codes == 0, np.nan, codes * 1.5)
    away = SuppressedRecords(np.array([0, 1]), random.integers(0, 9, (2, 5))) if left_out else None
    known = numbers if values else None
    return Contingency(codes.astype(np.int32), (True, False, False), (4, 4, 4), classes, folds, known, left_out=away)


def same_in_other_order(table, random):
    order = random.permutation(len(table.codes))
    values = None if table.values is None else table.values[order].copy()
    if values is not None:
        values[:, 0] = -1.0  # nobody reads the numbers of a nominal column
    return dataclasses.replace(
        table,
        codes=table.codes[order],
        classes=table.classes[order] * 3 + 1,
        folds=table.folds[order],
        values=values,
        left_out=table.left_out and dataclasses.replace(table.left_out, classes=table.left_out.classes * 3 + 1),
    )


@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.sampled_from([None, [0, 2]]))
@examples(25)
def test_a_table_in_another_order_has_the_scores_that_training_gives(seed, values, left_out, only):
    table = random_table(seed, values=values, left_out=left_out)
    other = same_in_other_order(table, np.random.default_rng(seed))
    known = KnownScores()
    first = known.scores(table, ["tree"], only=only)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known_scores, "cross_validated", None)
        found = known.scores(other, ["tree"], only=only).by_model["tree"]
    trained = cross_validated(other, ["tree"], 0, only=only).by_model["tree"]
    assert found == first.by_model["tree"] == trained


CHANGES = {
    "a code": lambda one: {"codes": np.where(np.arange(len(one.codes))[:, None] == 0, 0, one.codes)},
    "a class": lambda one: {"classes": np.r_[1 - one.classes[0], one.classes[1:]]},
    "a record": lambda one: {"folds": one.folds + (np.arange(len(one.folds)) == 0)[:, None]},
    "a number": lambda one: {"values": one.values * 2},
    "an order": lambda one: {"nominal": (True, True, False)},
    "a size": lambda one: {"sizes": (4, 4, 5)},
    "a record that is left out": lambda one: {"left_out": SuppressedRecords(np.array([0]), np.ones((1, 5), dtype=int))},
}


@pytest.mark.parametrize("changed", CHANGES)
def test_what_differs_is_trained_anew(changed):
    table = random_table(3)
    table = dataclasses.replace(table, codes=np.where(np.arange(len(table.codes))[:, None] == 0, 1, table.codes))
    known = KnownScores()
    known.scores(table, ["tree"])
    other = dataclasses.replace(table, **CHANGES[changed](table))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known_scores, "cross_validated", None)
        known.scores(table, ["tree"])
        with pytest.raises(TypeError):
            known.scores(other, ["tree"])
        with pytest.raises(TypeError):
            known.scores(table, ["tree"], only=[0])
        with pytest.raises(TypeError):
            known.scores(table, ["bayes"])


def test_the_latest_are_kept_and_what_was_stopped_is_not(monkeypatch):
    known, tables = KnownScores(), [random_table(seed) for seed in range(3)]
    monkeypatch.setattr(known_scores, "KEPT", 2)
    assert known.scores(tables[0], ["tree", "bayes"], over=lambda: True).untrained == ("tree", "bayes")
    assert not known._kept
    for table in tables:
        known.scores(table, ["tree"])
    trained = []
    monkeypatch.setattr(
        known_scores, "cross_validated", lambda table, *rest: trained.append(1) or cross_validated(table, *rest)
    )
    known.scores(tables[2], ["tree"])
    assert not trained
    known.scores(tables[0], ["tree"])
    assert trained
