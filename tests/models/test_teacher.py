"""The teacher: each record is predicted by models that learned from others."""

import numpy as np
import pytest

from anonduck.models import teacher
from anonduck.models.teacher import cross_fitted


def cells(count, values=2, seed=0):
    random = np.random.default_rng(seed)
    features = np.column_stack([random.integers(0, 40, count), random.integers(1, 5, count)]).astype(float)
    features[features == 0] = np.nan
    records = random.integers(1, 4, count)
    return features, np.arange(count), random.integers(0, values, count), records


def expected_by_hand(features, combinations, classes, records, seed):
    """One model a fold, on records in rows of their own."""
    folds = teacher.draw_folds(records, classes, folds=teacher.FOLDS, seed=seed)
    found = np.zeros((len(features), classes.max() + 1))
    for fold in range(teacher.FOLDS):
        others = records - folds[:, fold]
        held = np.flatnonzero(others)
        model = teacher.Boosting(1).fit(features[combinations[held]], classes[held], others[held].astype(float))
        for cell in np.flatnonzero(folds[:, fold]):
            row = combinations[cell]
            found[row, model.classes_] += folds[cell, fold] * model.predict_proba(features[[row]])[0]
    return found / np.bincount(combinations, weights=records)[:, None]


def test_each_record_is_predicted_by_a_model_that_has_not_seen_it(monkeypatch):
    features, _, classes, records = cells(60, 3)
    features = features[:30]
    combinations, classes = np.repeat(np.arange(30), 2), np.tile([0, 1], 30) + (classes == 2)
    order = np.lexsort((classes, combinations))
    known = (combinations[order], classes[order], records[order])
    monkeypatch.setattr(teacher, "AT_ONCE", 7)
    found = cross_fitted(features, 1, *known, seed=3)
    assert found == pytest.approx(expected_by_hand(features, *known, 3))
    assert found.sum(axis=1) == pytest.approx(1)


def test_a_class_that_depends_on_nothing_is_not_learned_by_heart():
    features, combinations, classes, records = cells(400)
    found = cross_fitted(features, 1, combinations, classes, records, seed=0)
    right = np.average(found.argmax(axis=1) == classes, weights=records)
    assert right < 0.75  # 1.0 by models that have seen the records


def test_many_records_are_sampled_and_few_are_enough(monkeypatch):
    monkeypatch.setattr(teacher, "LEARNT", 50)
    assert cross_fitted(*cells(90)[:1], 1, *cells(90)[1:], seed=0).sum(axis=1) == pytest.approx(1)
    one = cross_fitted(np.array([[1.0]]), 1, np.array([0]), np.array([0]), np.array([3]), seed=0)
    assert one.tolist() == [[1.0]]
    alone = cross_fitted(np.array([[1.0], [2.0]]), 1, np.array([0, 1]), np.array([0, 1]), np.array([1, 1]), seed=0)
    assert alone.sum(axis=1).tolist() == [1.0, 1.0]
