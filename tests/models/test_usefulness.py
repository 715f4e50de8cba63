"""Usefulness: equations 3 to 9 by hand on a tree that reads one column, and both readings."""

import numpy as np
import pytest

from anonduck.models import usefulness as module
from anonduck.models.usefulness import Usefulness, usefulness

FEATURES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


class ReadsTheFirst:
    def predict(self, features):
        return features[:, 0].astype(int)


def untold(*words):
    pass


def measured(seed=0, records=(5, 7, 6, 9)):
    """The class is the first column."""
    cells = np.arange(4)
    return usefulness(("a", "b"), FEATURES, cells, FEATURES[:, 0], np.array(records), seed=seed, progress=untold)


def test_the_change_of_error_is_that_of_the_equations(monkeypatch):
    monkeypatch.setattr(module, "TREES", 4)
    monkeypatch.setattr(module, "grown_tree", lambda *given: ReadsTheFirst())
    found = measured(seed=3)
    random = np.random.default_rng(3)
    of_record = np.repeat(np.arange(4), (5, 7, 6, 9))
    changes = []
    for _ in range(4):
        picked = random.integers(0, 27, 27)
        random.integers(1 << 31)
        left = [of_record[one] for one in range(27) if one not in set(picked.tolist())]
        first = FEATURES[left, 0]
        permuted = first[random.permutation(len(left))]
        random.permutation(len(left))
        changes.append(0 - np.mean(permuted != first))
    assert found.error == 0
    assert found.changes == (pytest.approx(np.mean(changes)), 0)
    assert found.scores == (pytest.approx(np.mean(changes) / np.std(changes, ddof=1), abs=1e-5), 0)
    assert (found.records, found.trees) == (27, 4)


def test_a_column_that_tells_the_class_is_useful_by_one_reading_alone():
    found = measured(records=(50, 70, 60, 90))
    assert found.changes[0] < -0.2
    assert abs(found.changes[1]) < 0.01
    assert found.grades("paper") == (1, 0)
    assert found.grades("predictive") == (0, 2)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_weights():
    assert measured() == measured()
    assert measured() != measured(seed=1)


def test_more_records_are_drawn_from(monkeypatch):
    monkeypatch.setattr(module, "RECORDS", 1000)
    monkeypatch.setattr(module, "TREES", 2)
    assert measured(records=(2_000_000, 1_000_000, 1_000_000, 2_000_000)).records == 1000


def scored(*scores):
    return Usefulness(tuple("abcdef")[: len(scores)], scores, scores, 0.1, 100, 10)


def test_readings_are_shares():
    found = scored(-3.0, 0.0, 0.5)
    assert found.shares("paper") == pytest.approx((0.25 / 2.25, 1 / 2.25, 1 / 2.25))
    assert found.shares("predictive") == (1, 0, 0)
    assert scored(0.0, 0.2).shares("predictive") == (0.5, 0.5)


def test_a_column_that_weighs_nothing_is_of_low_use():
    found = scored(-3.0, 0.0, 0.5, 0.0)
    assert found.grades("predictive") == (0, 2, 2, 2)
    assert found.grades("paper") == (2, 0, 0, 0)


def test_trees_without_a_record_out_of_the_bag_are_left_out(monkeypatch):
    """Three records: a tree has learned from all of them now and then, and says nothing."""
    monkeypatch.setattr(module, "grown_tree", lambda *given: ReadsTheFirst())
    cells = np.arange(3)
    wrong = 1 - FEATURES[:3, 0]
    found = usefulness(("a", "b"), FEATURES[:3], cells, wrong, np.ones(3, dtype=int), seed=0, progress=untold)
    assert 50 < found.trees < 100
    assert found.error == 1


@pytest.mark.parametrize(
    ("scores", "grades"),
    [
        ((-4.0,), (0,)),
        ((-4.0, -1.0), (1, 0)),
        ((-4.0, -1.0, -2.0), (2, 0, 1)),
        ((-5.0, -4.0, -1.0, -2.0), (2, 1, 0, 0)),
        ((-1.0, -1.0, -1.0), (0, 0, 0)),
        ((-6.0, -5.0, -4.0, -3.0, -2.0, -1.0), (2, 2, 1, 1, 0, 0)),
    ],
)
def test_grades_are_thirds_by_rank(scores, grades):
    assert scored(*scores).grades("paper") == grades
    assert scored(*scores).grades("predictive")[0] == 0


def test_no_record_out_of_the_bag_changes_nothing():
    found = usefulness(("a",), np.array([[0]]), np.array([0]), np.array([0]), np.array([1]), seed=0, progress=untold)
    assert (found.changes, found.scores, found.shares("paper")) == ((0.0,), (0.0,), (1.0,))
    assert found.trees == 0
