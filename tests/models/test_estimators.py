"""Each model on counts against scikit-learn on the records, and estimators by import path."""

import dataclasses

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.naive_bayes import CategoricalNB
from sklearn.svm import SVC
from test_models import columns_of, contingency, random_table, records_of, svm_rows

from anonduck.config.config import MODEL_NAMES
from anonduck.errors import ModelError
from anonduck.models.cross_validation import cross_validate
from anonduck.models.estimators import MODELS, Boosting, Forest, check_models, trial
from anonduck.models.scores import NO_RANKING, ONE_CLASS, roc_auc


class Majority(ClassifierMixin, BaseEstimator):
    """Predicts the most frequent class, and tells nothing of the others."""

    def fit(self, _rows, classes, sample_weight=None):
        self.classes_ = np.unique(classes)
        self.most_ = np.bincount(classes, sample_weight).argmax()
        return self

    def predict(self, rows):
        return np.full(len(rows), self.most_)


class Picky(Majority):
    def fit(self, _rows, classes, sample_weight=None):
        raise ValueError("a value of the source")


class Demanding(Majority):
    def __init__(self, needed):
        self.needed = needed


def rows_for(model, codes, nominal, train):
    if model == "bayes":
        return codes
    if model in ("svm", "logistic"):
        return svm_rows(codes, nominal, train)
    return np.hstack([part.astype(np.float32) for part in columns_of(codes, nominal)[::2]])


def on_records(model, codes):
    return {
        "svm": lambda: SVC(gamma="scale"),
        "logistic": lambda: LogisticRegression(max_iter=1000),
        "forest": lambda: RandomForestClassifier(random_state=0),
        "bayes": lambda: CategoricalNB(min_categories=codes.max(axis=0) + 1),
    }[model]()


def by_scikit_learn(table, model):
    """Accuracy, balanced accuracy, macro F1 and ROC AUC (the mean over folds) of plain scikit-learn on the records."""
    codes, classes, folds = records_of(table)
    predicted, areas = np.empty_like(classes), []
    for fold in np.unique(folds):
        train, test = folds != fold, folds == fold
        rows = rows_for(model, codes, table.nominal, train)
        estimator = on_records(model, codes).fit(rows[train], classes[train])
        predicted[test] = estimator.predict(rows[test])
        areas.append(area_of(estimator, rows[test], classes[test]))
    return (
        (predicted == classes).mean(),
        balanced_accuracy_score(classes, predicted),
        f1_score(classes, predicted, average="macro"),
        np.mean(areas),
    )


def area_of(estimator, rows, truth):
    if not hasattr(estimator, "predict_proba"):
        return roc_auc_score(truth, estimator.decision_function(rows))
    shares = estimator.predict_proba(rows)
    if shares.shape[1] == 2:
        return roc_auc_score(truth, shares[:, 1])
    return roc_auc_score(truth, shares, multi_class="ovr", average="macro")


EXACT, SOLVED, DRAWN = 1e-12, 0.02, 0.04
CASES = [
    *(("bayes", classes, EXACT) for classes in (2, 3)),
    *(("logistic", classes, SOLVED) for classes in (2, 3)),
    ("svm", 2, SOLVED),
    ("forest", 2, DRAWN),
    ("forest", 3, DRAWN),
]


@pytest.mark.some(1)
@pytest.mark.parametrize(("model", "classes", "within"), CASES)
@pytest.mark.parametrize("seed", range(2))
def test_counts_learn_what_repeated_records_learn(model, classes, within, seed, monkeypatch):
    """With the setting that each has without tuning, which is that of scikit-learn."""
    monkeypatch.setitem(MODELS, model, dataclasses.replace(MODELS[model], settings=()))
    table = random_table(seed, classes=classes, cells=60 if model == "forest" else 40)
    accuracy, balanced, f1, area = by_scikit_learn(table, model)
    found = cross_validate(table, model)
    assert found.accuracy == pytest.approx(accuracy, abs=within)
    assert found.balanced_accuracy == pytest.approx(balanced, abs=within)
    assert found.macro_f1 == pytest.approx(f1, abs=within)
    assert found.roc_auc == pytest.approx(area, abs=within)
    assert found.roc_auc_reason == ""


@pytest.mark.slow
def test_a_forest_draws_as_many_records_as_there_are():
    """Two rows of 900 and 100 records: each tree sees about as many of each, and a leaf knows both classes' shares."""
    forest = Forest(trees=200).fit(np.zeros((2, 1)), np.array([0, 1]), np.array([900.0, 100.0]))
    shares = np.array([tree.tree_.value[0, 0, 1] for tree in forest.estimators_])
    assert shares.mean() == pytest.approx(0.1, abs=0.003)
    assert shares.std() == pytest.approx(np.sqrt(0.1 * 0.9 / 1000), rel=0.2)
    assert forest.predict_proba(np.zeros((1, 1))) == pytest.approx(np.array([[0.9, 0.1]]), abs=0.005)


def test_a_leaf_of_a_forest_holds_the_records_asked_for():
    """Ten rows of ten records: with 35 in a leaf at least, and about as many drawn, no leaf holds three rows alone."""
    rows, truth, weights = np.arange(10.0)[:, None], np.arange(10) % 2, np.full(10, 10.0)
    forest = Forest(trees=30, leaf_records=35).fit(rows, truth, weights)
    leaves = [tree.tree_.weighted_n_node_samples[tree.tree_.children_left < 0] for tree in forest.estimators_]
    assert min(held.min() for held in leaves) >= 35
    assert max(len(held) for held in leaves) == 2
    alone = Forest(trees=30, leaf_records=200).fit(rows, truth, weights)
    assert max(tree.get_n_leaves() for tree in alone.estimators_) <= 2


def test_boosting_tells_the_most_frequent_codes_apart_and_null_from_numbers():
    """300 codes of a nominal column, of which 254 are kept: the rarest share a place; NULL is no number."""
    codes = np.arange(1, 301)
    classes = (codes % 2).astype(np.int64)
    weights = np.where(codes <= 254, 100.0, 1.0)
    rows = np.column_stack([np.full(300, np.nan), codes])
    learned = Boosting(ordered=1).fit(rows, classes, weights)
    guessed = learned.predict_proba(rows).argmax(axis=1)
    assert (guessed[:254] == classes[:254]).mean() > 0.95
    assert len(set(map(tuple, learned.predict_proba(rows)[254:].tolist()))) == 1
    numbers = np.column_stack([np.repeat([np.nan, 1.0, 2.0], 2), np.ones(6)])
    truth, counts = np.array([0, 1] * 3), np.array([90.0, 1, 1, 90, 90, 1])
    shares = Boosting(ordered=1).fit(numbers, truth, counts).predict_proba(numbers)[::2, 1]
    assert (shares > 0.5).tolist() == [False, True, False]
    assert shares.max() - shares.min() > 0.6


@pytest.mark.parametrize(
    ("records", "rate", "leaves"),
    [(1, 0.1, 8), (2_500, 0.1, 8), (2_501, 0.1, 16), (5_000, 0.1, 16), (5_001, 0.2, 31), (10**6, 0.2, 31)],
)
def test_boosting_grows_smaller_trees_that_count_less_on_few_records(records, rate, leaves):
    """Whatever the number of rows: records count, as behind equal rows."""
    random = np.random.default_rng(0)
    rows, truth = random.random((400, 2)), random.integers(0, 2, 400)
    learned = Boosting(ordered=2).fit(rows, truth, np.full(400, records / 400))._model
    assert learned.n_iter_ == 50
    assert (learned.learning_rate, learned.max_leaf_nodes) == (rate, leaves)


def test_boosting_puts_many_numbers_in_bins_of_equal_weight():
    """scikit-learn sees no more values than it has bins; a bin is as heavy as its share, but for its last value."""
    random = np.random.default_rng(0)
    numbers, weights = np.round(random.normal(size=3_000), 3), random.integers(1, 9, 3_000).astype(float)
    rows = np.column_stack([numbers, np.where(np.arange(3_000) % 7, np.floor(numbers), np.nan)])
    truth = (numbers > 0.25).astype(np.int64)
    learned = Boosting(ordered=2).fit(rows, truth, weights)
    bins = learned._read(rows)[:, 0]
    held, heaviest = np.bincount(bins.astype(int), weights), max(weights[numbers == one].sum() for one in numbers)
    assert 200 < len(held) <= 255
    assert held.max() <= weights.sum() / 255 + heaviest
    order = np.argsort(numbers, kind="stable")
    assert (np.diff(bins[order]) >= 0).all()
    assert (np.diff(bins[order])[np.diff(numbers[order]) == 0] == 0).all()
    np.testing.assert_array_equal(learned._read(rows)[:, 1], rows[:, 1])
    assert (learned.predict_proba(rows).argmax(axis=1) == truth).mean() > 0.99
    beyond = learned.predict_proba(np.array([[-99.0, 0.0], [99.0, 0.0]])).argmax(axis=1)
    assert beyond.tolist() == [0, 1]


@pytest.mark.parametrize(("model", "name"), [("svm", "C"), ("logistic", "C"), ("bayes", "alpha")])
def test_the_settings_are_the_simplest_first_and_reach_the_estimator(model, name):
    one = MODELS[model]
    rows, weights = np.array([[0, 1], [1, 0]]), np.ones(2)
    assert [one.make(rows, weights, setting).get_params()[name] for setting in one.settings] == list(one.settings)
    assert list(one.settings) == sorted(one.settings, reverse=model == "bayes")


def test_the_forest_is_tried_out_with_fewer_trees():
    one = MODELS["forest"]
    rows, weights = np.array([[0, 1], [1, 0]]), np.ones(2)
    assert (one.make(rows, weights, 3).leaf_records, one.make(rows, weights, 3).trees) == (3, 100)
    assert (trial(one).make(rows, weights, 3).leaf_records, trial(one).make(rows, weights, 3).trees) == (3, 25)
    assert trial(MODELS["bayes"]) == MODELS["bayes"]


@pytest.mark.some(1)
@pytest.mark.parametrize("model", MODEL_NAMES)
def test_every_model_knows_null_and_is_repeatable(model):
    table = contingency([[0], [1], [2], [3]], [1, 0, 0, 0], [40, 40, 40, 40])
    found = cross_validate(table, model)
    assert (found.accuracy, found.macro_f1, found.roc_auc) == (1.0, 1.0, 1.0)
    assert cross_validate(random_table(2), model) == cross_validate(random_table(2), model)


@pytest.mark.some(1)
@pytest.mark.parametrize("model", MODEL_NAMES)
def test_a_table_without_information_scores_its_majority(model):
    found = cross_validate(contingency([[1], [1]], [0, 1], [703, 300]), model)
    assert found.accuracy == found.majority_share == 703 / 1003
    assert found.balanced_accuracy == found.roc_auc == 0.5
    assert found.macro_f1 == pytest.approx(703 / (703 + 1003))


def test_the_names_of_the_config_are_those_of_the_models():
    assert tuple(MODELS) == MODEL_NAMES


# -- scores ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(1, 5)), min_size=2, max_size=20))
@examples(100)
def test_the_area_of_two_classes_is_that_of_the_records(cells):
    score, truth, records = (np.array(part) for part in zip(*cells, strict=True))
    found = roc_auc(np.column_stack([-score, score]), truth, records)
    if len(set(truth)) < 2:
        assert found is None
    else:
        assert found == pytest.approx(roc_auc_score(np.repeat(truth, records), np.repeat(score, records)))


@given(st.integers(0, 10_000), st.integers(3, 5))
@examples(50)
def test_the_area_of_more_classes_is_the_mean_against_the_rest(seed, classes):
    random = np.random.default_rng(seed)
    truth = np.r_[np.arange(classes), random.integers(0, classes, 20)]
    shares = random.integers(1, 4, (len(truth), classes)).astype(float)
    shares /= shares.sum(axis=1, keepdims=True)
    records = random.integers(1, 6, len(truth))
    expected = roc_auc_score(np.repeat(truth, records), np.repeat(shares, records, axis=0), multi_class="ovr")
    assert roc_auc(shares, truth, records) == pytest.approx(expected)


def test_folds_of_one_class_have_no_area():
    found = cross_validate(contingency([[1], [2]], [4, 4], [30, 20]), "tree")
    assert (found.roc_auc, found.roc_auc_reason, found.macro_f1) == (None, ONE_CLASS, 1.0)


# -- by import path ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["sklearn.linear_model.SGDClassifier", "sklearn.tree:ExtraTreeClassifier"])
def test_an_estimator_by_import_path(path):
    table = random_table(1)
    check_models([path])
    found = cross_validate(table, path)
    assert found.accuracy > found.majority_share
    assert found.roc_auc is not None
    assert cross_validate(table, path) == found


def test_settings_that_count_rows_count_distinct_rows():
    """Gradient boosting wants 20 rows in a leaf: of 40 cells it learns nothing, however many records they stand for."""
    found = cross_validate(random_table(1), "sklearn.ensemble.HistGradientBoostingClassifier")
    assert found.accuracy == found.majority_share


def test_an_estimator_that_ranks_nothing_has_no_area():
    found = cross_validate(random_table(1), f"{__name__}:Majority")
    assert found.accuracy == found.majority_share
    assert (found.roc_auc, found.roc_auc_reason) == (None, NO_RANKING)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nosuchpackage.Model", "cannot be imported"),
        ("sklearn.tree.NoSuchTree", "cannot be imported"),
        ("json:loads", "is not a scikit-learn estimator"),
        ("sklearn.neighbors.KNeighborsClassifier", "KNeighborsClassifier takes no sample_weight"),
        (f"{__name__}:Demanding", "cannot be created without arguments"),
        ("ID3", r"unknown model 'ID3'; choose among tree, svm, logistic, forest, bayes, boosting, or the import path"),
    ],
)
def test_a_model_that_cannot_be_used_is_refused_before_any_work(path, words):
    with pytest.raises(ModelError, match=words):
        check_models([path])


def test_what_an_estimator_says_is_not_passed_on():
    with pytest.raises(ModelError, match=r"Picky cannot be trained .*ValueError") as error:
        cross_validate(random_table(1), f"{__name__}:Picky")
    assert "source" not in str(error.value)
