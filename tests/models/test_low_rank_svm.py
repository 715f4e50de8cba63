"""The svm of low rank against what holds at its optimum, and against scikit-learn's SVC."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from anonduck.models import estimators, low_rank_svm
from anonduck.models.estimators import MODELS, trial
from anonduck.models.low_rank_svm import ROUNDED, LowRankSvm


def drawn(rows, seed, *, classes=2):
    """Rows whose class follows from where they are, but for noise, and weights of 1 to 5."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(rows, 3))
    truth = np.digitize(features[:, 0] * features[:, 1] + random.normal(0, 0.3, rows), [0.0, 0.8][: classes - 1])
    return features, truth, random.integers(1, 6, rows).astype(float)


def kernel(rows, others, gamma):
    return np.exp(-gamma * ((rows[:, None, :] - others[None, :, :]) ** 2).sum(axis=2))


@pytest.mark.parametrize("c", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(2))
def test_with_all_rows_as_landmarks_it_is_the_kernel_machine_itself(c, seed, monkeypatch):
    """A convex objective is least where it has no slope: each row pulls by its loss, and all pulls cancel out."""
    monkeypatch.setattr(low_rank_svm, "CLOSE", 1e-12)
    features, truth, weights = drawn(40, seed)
    machine = LowRankSvm(c, 0.5).fit(features, truth, weights)
    found, sides, rounded = machine.decision_function(features), np.where(truth == 1, 1.0, -1.0), ROUNDED[-1]
    pull = c * weights * sides * np.clip((1 - sides * found + rounded) / (2 * rounded), 0, 1)
    assert found == pytest.approx(kernel(features, features, 0.5) @ pull + machine.planes_[-1, 0], abs=1e-4)
    assert pull.sum() == pytest.approx(0, abs=1e-4 * np.abs(pull).sum())


def test_it_ends_close_to_the_least():
    features, truth, weights = drawn(200, 3)
    ended = LowRankSvm(1.0, 0.5).fit(features, truth, weights).decision_function(features)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(low_rank_svm, "CLOSE", 1e-12)
        least = LowRankSvm(1.0, 0.5).fit(features, truth, weights).decision_function(features)
    assert ended == pytest.approx(least, abs=0.1)


def test_a_weight_counts_as_so_many_rows():
    features, truth, weights = drawn(40, 7)
    every = np.repeat(np.arange(40), weights.astype(int))
    once = LowRankSvm(1.0, 0.5).fit(features, truth, weights).decision_function(features)
    repeated = LowRankSvm(1.0, 0.5).fit(features[every], truth[every], np.ones(len(every)))
    assert once == pytest.approx(repeated.decision_function(features), abs=0.02)


def test_rows_may_be_sparse():
    features, truth, weights = drawn(60, 1)
    features[features < 0] = 0.0
    dense = LowRankSvm(1.0, 0.5, 20).fit(features, truth, weights)
    thin = LowRankSvm(1.0, 0.5, 20).fit(sparse.csr_array(features), truth, weights)
    assert thin.decision_function(sparse.csr_array(features)) == pytest.approx(dense.decision_function(features))


def test_each_of_several_classes_is_told_from_the_rest():
    features, truth, weights = drawn(80, 2, classes=3)
    machine = LowRankSvm(1.0, 0.5, 30).fit(features, truth, weights)
    told = machine.decision_function(features)
    for one in range(3):
        alone = LowRankSvm(1.0, 0.5, 30).fit(features, (truth == one).astype(int), weights)
        assert told[:, one] == pytest.approx(alone.decision_function(features))
    assert (machine.predict(features) == told.argmax(axis=1)).all()


@pytest.mark.parametrize("c", [0.1, 1.0, 10.0])
def test_a_tenth_of_the_rows_as_landmarks_does_what_an_svc_does(c):
    features, truth = make_moons(2_400, noise=0.3, random_state=0)
    learnt, asked = slice(0, 1_200), slice(1_200, None)
    exact = SVC(C=c, gamma=1.0).fit(features[learnt], truth[learnt])
    found = LowRankSvm(c, 1.0, 120).fit(features[learnt], truth[learnt], np.ones(1_200))
    expected = (exact.predict(features[asked]) == truth[asked]).mean()
    assert (found.predict(features[asked]) == truth[asked]).mean() == pytest.approx(expected, abs=0.01)
    area = roc_auc_score(truth[asked], exact.decision_function(features[asked]))
    assert roc_auc_score(truth[asked], found.decision_function(features[asked])) == pytest.approx(area, abs=0.01)


def test_few_landmarks_hold_equal_rows():
    """Landmarks that are alike leave fewer directions, and nothing infinite."""
    features, truth = np.repeat(np.eye(3), 20, axis=0), np.repeat([0, 1, 1], 20)
    machine = LowRankSvm(1.0, 0.5, 10).fit(features, truth, np.ones(60))
    assert machine.axes_.shape[1] <= 3
    assert (machine.predict(features) == truth).all()


def test_an_svm_has_a_low_rank_where_its_records_are_many(monkeypatch):
    monkeypatch.setattr(estimators, "EXACT_ROWS", 10)
    features, one = np.eye(12), MODELS["svm"]
    few, many = np.r_[np.ones(10), 0, 0], np.ones(12)
    assert isinstance(one.make(features, few, 10.0), SVC)
    low = one.make(features, many, 10.0)
    assert (low.c, low.landmarks) == (10.0, 300)
    assert low.gamma == estimators.weighted_gamma(features, many)
    assert trial(one).make(features, many, 0.1).landmarks == 150
