"""The inner cross-validation: what chooses a setting never knew what is tested, and validates what it did not learn."""

from typing import ClassVar

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.models.cross_validation import Contingency, cross_validate
from anonduck.models.estimators import MODELS, Learner
from anonduck.models.folds import FEWEST, TESTED, VALIDATED, enough_folds, plan_folds, plan_sample


@given(st.integers(2, 12), st.booleans())
@examples(100)
def test_no_tested_fold_has_a_part_in_what_is_chosen_for_it(folds, every_pair):
    """A cell for each fold, so that counts tell which folds were used."""
    counts = np.eye(folds, dtype=int)
    plan = plan_folds(counts, range(folds), every_pair=every_pair)
    for fold, uses in enumerate(plan.uses):
        assert plan.trained[fold].tolist() == (np.arange(folds) != fold).tolist()
        assert plan.tested[fold].tolist() == [fold]
        validated = np.zeros(folds)
        for inner, group in uses:
            assert plan.inner[inner, fold] == plan.validated[group, fold] == 0
            assert plan.inner[inner].any()
            assert not (plan.inner[inner] * plan.validated[group]).any()
            validated += plan.validated[group]
        assert validated.max(initial=0) <= 1
        partners = 1 if folds > 5 else 0
        if every_pair and folds > 2:
            assert validated.sum() >= folds - 1 - partners * (folds // 5)
        assert bool(uses) == (folds > 2)


def test_ten_folds_make_ten_inner_trainings_or_five():
    """Five groups of two folds; a tested fold in the first group is validated on the others, or on its neighbours."""
    counts = np.eye(10, dtype=int)
    whole = plan_folds(counts, range(10), every_pair=True)
    ring = plan_folds(counts, range(10), every_pair=False)
    assert (len(whole.inner), len(ring.inner)) == (10, 5)
    assert [group for _, group in whole.uses[1]] == [1, 2, 3, 4]
    assert [group for _, group in ring.uses[1]] == [1, 4]
    assert ring.inner[0].tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]


@given(st.integers(3, 12), st.booleans())
@examples(40)
def test_of_many_records_one_group_is_enough_to_choose_by(folds, every_pair):
    """Each part is validated on a group that it learned nothing from and that is not its own; three trainings serve
    five groups."""
    counts = np.eye(folds, dtype=int) * VALIDATED
    plan = plan_folds(counts, range(folds), every_pair=every_pair)
    assert len(plan.inner) == (min(folds, 5) + 1) // 2
    for fold, uses in enumerate(plan.uses):
        assert 1 <= len(uses) <= 2
        for inner, group in uses:
            assert plan.inner[inner, fold] == plan.validated[group, fold] == 0
            assert plan.validated[group].sum() >= VALIDATED
            assert not (plan.inner[inner] * plan.validated[group]).any()
    fewer = counts - np.diag([1] + [0] * (folds - 1))
    assert len(plan_folds(fewer, range(folds), every_pair=every_pair).inner) > len(plan.inner) or folds > 5


def test_of_many_drawn_records_a_third_is_validated():
    classes = np.arange(30) % 2
    for times, turns in ((1, 1), (0.9, 3)):
        records = np.full(30, int(times * 3 * VALIDATED / 30))
        plan = plan_sample(records, classes, np.array([0]), seed=[0])
        assert len(plan.inner) == len(plan.uses[0]) == turns
        assert (plan.inner[0] + plan.validated[0]).tolist() == records.tolist()


@pytest.mark.parametrize(
    ("records", "folds"),
    [
        ([1_000] * 10, list(range(10))),
        ([2_000] * 10, [0, 1, 2, 3, 4]),
        ([0, *[7_500] * 9], [1, 2, 3]),
        ([TESTED] * 10, [0, 1, 2]),
        ([TESTED, 0, 1], [0, 2]),
    ],
)
def test_folds_are_enough_that_test_enough_records(records, folds):
    assert enough_folds(np.array(records)) == folds
    assert len(folds) >= min(FEWEST, np.count_nonzero(records))


def test_two_folds_leave_nothing_to_choose_by():
    plan = plan_folds(np.eye(2, dtype=int), range(2), every_pair=True)
    assert plan.uses == ((), ())
    table = Contingency(np.array([[1], [2]]), (True,), (2,), np.array([0, 1]), np.array([[5, 5], [5, 5]]))
    for model in MODELS.keys() - {"boosting"}:  # whose leaves hold more records than there are
        assert cross_validate(table, model).accuracy == 1.0


@given(st.lists(st.integers(0, 9), min_size=2, max_size=8), st.integers(0, 99))
@examples(100)
def test_drawn_records_are_validated_once_each(records, seed):
    records = np.array([*records, 1])
    plan = plan_sample(records, np.arange(len(records)) % 2, np.array([0]), seed=[seed])
    assert plan.trained.tolist() == [records.tolist()]
    assert plan.validated.sum(axis=0).tolist() == records.tolist()
    for inner, group in plan.uses[0]:
        assert (plan.inner[inner] + plan.validated[group]).tolist() == records.tolist()
        assert plan.inner[inner].any()
    assert bool(plan.uses[0]) == (len(plan.validated) > 1)


class Always:
    """Tells the class of its setting, and notes with how many records it was trained."""

    asked: ClassVar[list] = []

    def __init__(self, label):
        self.label = label

    def fit(self, rows, _classes, sample_weight):
        self.asked.append((self.label, int(sample_weight.sum())))
        self.classes_ = np.array([0, 1])

    def predict(self, rows):
        return np.full(len(rows), self.label)


@pytest.mark.parametrize(("order", "chosen"), [((0, 1), 1), ((1, 0), 1), ((0, 0), 0)])
def test_the_setting_that_is_right_most_often_is_trained_on_the_whole_part(order, chosen, monkeypatch):
    Always.asked = []
    monkeypatch.setitem(MODELS, "always", Learner(lambda _rows, _weights, label: Always(label), settings=order))
    folds = np.array([[2] * 10, [3] * 10])
    table = Contingency(np.array([[1], [2]]), (True,), (2,), np.array([0, 1]), folds)
    assert cross_validate(table, "always").accuracy == (0.6 if chosen else 0.4)
    assert Always.asked[:10] == [(label, 30) for _ in range(5) for label in order]
    assert Always.asked[10:] == [(chosen, 45)] * 10
