"""The svm of low rank against scikit-learn's SVC."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from anonduck.models import estimators
from anonduck.models.estimators import MODELS, LowRankSvm, trial


@pytest.mark.parametrize("c", [1.0, 10.0])
def test_a_tenth_of_the_rows_as_landmarks_does_what_an_svc_does(c):
    features, truth = make_moons(2_400, noise=0.3, random_state=0)
    learnt, asked = slice(0, 1_200), slice(1_200, None)
    exact = SVC(C=c, gamma=1.0).fit(features[learnt], truth[learnt])
    found = LowRankSvm(c, 1.0, 120).fit(features[learnt], truth[learnt], np.ones(1_200))
    expected = (exact.predict(features[asked]) == truth[asked]).mean()
    assert (found.predict(features[asked]) == truth[asked]).mean() == pytest.approx(expected, abs=0.01)
    area = roc_auc_score(truth[asked], exact.decision_function(features[asked]))
    assert roc_auc_score(truth[asked], found.decision_function(features[asked])) == pytest.approx(area, abs=0.01)


def drawn(rows, seed):
    """Rows of two or three classes that follow from where they are, but for noise, and weights of 1 to 5."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(rows, 3))
    truth = np.digitize(features[:, 0] * features[:, 1] + random.normal(0, 0.3, rows), [0.0, 0.8])
    return features, truth, random.integers(1, 6, rows).astype(float)


def test_a_weight_counts_as_so_many_rows():
    features, truth, weights = drawn(40, 7)
    every = np.repeat(np.arange(40), weights.astype(int))
    once = LowRankSvm(1.0, 0.5, 300).fit(features, truth, weights).decision_function(features)
    repeated = LowRankSvm(1.0, 0.5, 300).fit(features[every], truth[every], np.ones(len(every)))
    assert once.shape == (40, 3)
    assert once == pytest.approx(repeated.decision_function(features), abs=0.02)


def test_landmarks_are_drawn_by_records():
    """Rows that stand for no record are no landmarks, and two draws are one."""
    features, truth, weights = drawn(60, 1)
    weights[20:] = 0
    machine = LowRankSvm(1.0, 0.5, 30).fit(features, truth, weights)
    alone = LowRankSvm(1.0, 0.5, 30).fit(features[:20], truth[:20], weights[:20])
    assert machine.decision_function(features) == pytest.approx(alone.decision_function(features))


def test_rows_may_be_sparse():
    features, truth, weights = drawn(60, 1)
    features[features < 0] = 0.0
    dense = LowRankSvm(1.0, 0.5, 20).fit(features, truth, weights)
    thin = LowRankSvm(1.0, 0.5, 20).fit(sparse.csr_array(features), truth, weights)
    assert thin.decision_function(sparse.csr_array(features)) == pytest.approx(dense.decision_function(features))


def test_an_svm_has_a_low_rank_where_its_records_are_many(monkeypatch):
    monkeypatch.setattr(estimators, "EXACT_ROWS", 10)
    features, one = np.eye(12), MODELS["svm"]
    few, many = np.r_[np.ones(10), 0, 0], np.ones(12)
    assert isinstance(one.make(features, few, 10.0), SVC)
    low = one.make(features, many, 10.0)
    assert (low.c, low.landmarks) == (10.0, 300)
    assert low.gamma == estimators.weighted_gamma(features, many)
    assert trial(one).make(features, many, 0.1).landmarks == 150
