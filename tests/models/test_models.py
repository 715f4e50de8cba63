"""Cross-validation on counts against plain scikit-learn on the records themselves."""

import dataclasses
import warnings
from threading import Event

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from test_trees import table as without_ties

from anonduck.errors import ModelError
from anonduck.models import cross_validation, features
from anonduck.models.cross_validation import Contingency, Learner, check_takes_weights, cross_validate
from anonduck.models.estimators import weighted_gamma
from anonduck.models.folds import draw_folds

MODELS = pytest.mark.parametrize("model", ["tree", "svm"])


def contingency(codes, classes, records, *, nominal=None, folds=10, seed=0, values=None):
    codes, classes = np.array(codes, dtype=np.int32), np.array(classes)
    nominal = (True,) * codes.shape[1] if nominal is None else nominal
    sizes = tuple(int(size) for size in codes.max(axis=0))
    drawn = draw_folds(np.array(records), classes, folds=folds, seed=seed)
    return Contingency(codes, nominal, sizes, classes, drawn, values)


def random_table(seed, *, cells=40, classes=2, per_cell=12, nominal=(True, False, False)):
    """Cells whose class depends on the codes, NULL (0) among them; most codes occur with several classes."""
    random = np.random.default_rng(seed)
    drawn = np.column_stack([random.integers(0, 5, (cells, len(nominal))), random.integers(0, classes, cells)])
    distinct = np.unique(drawn, axis=0)
    favoured = distinct[:, :-1].sum(axis=1) % classes == distinct[:, -1]
    records = random.integers(1, per_cell, len(distinct)) * (1 + 3 * favoured)
    return contingency(distinct[:, :-1], distinct[:, -1], records, nominal=nominal, seed=seed)


def records_of(table):
    """One row per record: codes, class, fold."""
    cells, folds = np.nonzero(table.folds)
    times = table.folds[cells, folds]
    rows = np.repeat(cells, times)
    return table.codes[rows], table.classes[rows], np.repeat(folds, times)


def columns_of(codes, nominal):
    """Ordered columns with NULL in the smallest place, where it is, and indicators: one-hot nominal columns and NULL.

    The order of columns is that of the models, since a tree settles ties between equally good splits by column.
    """
    ordered = [j for j, one in enumerate(nominal) if not one]
    onehot = OneHotEncoder(sparse_output=False).fit_transform(codes[:, [j for j, one in enumerate(nominal) if one]])
    missing = codes[:, ordered] == 0
    return codes[:, ordered].astype(float), missing, np.hstack([onehot, missing[:, missing.any(axis=0)]])


def svm_rows(codes, nominal, train):
    ordered, missing, indicators = columns_of(codes, nominal)
    scaler = StandardScaler().fit(np.where(missing, np.nan, ordered)[train])
    scaled = np.where(missing, 0.0, scaler.transform(ordered))
    return np.hstack([scaled, indicators])


def row_level(table, model):
    """The class told for every record by plain scikit-learn on repeated rows, tuned inside each training part; and the
    true classes and folds."""
    codes, classes, folds = records_of(table)
    told = np.empty_like(classes)
    for fold in range(10):
        test = folds == fold
        rows = rows_of(model, codes, table.nominal)
        chosen = tuned(model, rows, classes, folds, fold)
        told[test] = fitted(model, rows, classes, folds != fold, chosen).predict(rows(folds != fold)[test])
    return told, classes, folds


def rows_of(model, codes, nominal):
    """A function from the training part to the rows of all records."""
    if model == "svm":
        return lambda train: svm_rows(codes, nominal, train)
    rows = np.hstack([part.astype(np.float32) for part in columns_of(codes, nominal)[::2]])
    return lambda _train: rows


def tree(alpha=0.0):
    return DecisionTreeClassifier(criterion="entropy", ccp_alpha=alpha, random_state=0)


def fitted(model, rows, classes, train, setting):
    estimator = tree(setting) if model == "tree" else SVC(C=setting, gamma="scale")
    return estimator.fit(rows(train)[train], classes[train])


def tuned(model, rows, classes, folds, fold):
    """The setting that is right most often on other groups of two folds, by models that know neither that group nor
    the group of the tested fold; of equally good ones the simplest."""
    groups = [0, 1, 2, 3, 4]
    own = fold // 2
    others = [g for g in groups if g != own] if model == "tree" else [(own - 1) % 5, (own + 1) % 5]
    settings = [0.1, 1.0, 10.0] if model == "svm" else alphas_of(rows(None)[folds != fold], classes[folds != fold])
    right = []
    for setting in settings:
        hits = 0
        for group in others:
            train, validated = ~np.isin(folds // 2, [own, group]), folds // 2 == group
            told = fitted(model, rows, classes, train, setting).predict(rows(train)[validated])
            hits += (told == classes[validated]).sum()
        right.append(hits)
    return settings[int(np.argmax(right))]


def alphas_of(rows, classes):
    """Infinity, and the geometric means along scikit-learn's path of prunings, falling to 0."""
    path = np.unique(np.r_[0.0, tree().cost_complexity_pruning_path(rows, classes).ccp_alphas.clip(0)])
    return [1e9, *np.sqrt(path[1:] * path[:-1])[::-1]]


def tieless_table(seed, classes, most):
    """Combinations of codes with all classes and many different counts, so that no two splits are equally good."""
    codes, truth, weights = without_ties(seed, cells=9, classes=classes, values=4, most=most)
    return contingency(codes, truth, weights.astype(int) + 5, nominal=(True, False, False), seed=seed)


@pytest.mark.slow
@pytest.mark.some(1)
@MODELS
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_weighted_cells_learn_what_repeated_rows_learn(model, classes, seed):
    table = tieless_table(seed, classes, most=150 if model == "tree" else 20)
    told, truth, folds = row_level(table, model)
    score = cross_validate(table, model)
    right = told == truth
    assert score.accuracy == pytest.approx(right.mean(), abs=1e-12)
    by_fold = [right[folds == fold].mean() for fold in range(10)]
    assert score.fold_accuracies == pytest.approx(by_fold, abs=1e-12)
    assert score.standard_error == pytest.approx(np.std(by_fold, ddof=1) / np.sqrt(10))
    assert score.balanced_accuracy == pytest.approx(balanced_accuracy_score(truth, told))
    assert score.majority_share == np.bincount(truth).max() / len(truth)


def test_a_tree_is_not_pruned_less_for_noise_on_a_small_table():
    """The class is drawn by two values alone; a hundred others are noise that a tree would learn by heart."""
    random = np.random.default_rng(0)
    codes = np.column_stack([random.integers(1, 3, 1000), random.integers(1, 101, (1000, 3))])
    truth = (random.random(1000) < np.where(codes[:, 0] == 1, 0.3, 0.7)).astype(int)
    distinct, records = np.unique(np.column_stack([codes, truth]), axis=0, return_counts=True)
    table = contingency(distinct[:, :-1], distinct[:, -1], records, nominal=(True, False, False, False))
    assert cross_validate(table, "tree").accuracy == pytest.approx(0.7, abs=0.03)


def test_a_tree_is_pruned_less_where_there_is_much_to_learn():
    """Sixteen nested cuts of 0.001 bits and less each, on a million records: pruning at a fixed alpha loses them."""
    codes = np.repeat(np.arange(1, 33), 2)[:, None]
    truth = np.tile([0, 1], 32)
    records = np.where((codes[:, 0] % 2 == truth), 16_000, 15_000)
    table = contingency(codes, truth, records, nominal=(False,))
    assert cross_validate(table, "tree").accuracy == pytest.approx(16 / 31, abs=1e-3)


@MODELS
def test_the_order_of_cells_and_a_cell_cut_in_two_change_nothing(model):
    table = random_table(1)
    first = table.folds.copy()
    first[:, 5:] = 0
    twice = Contingency(
        np.vstack([table.codes, table.codes])[::-1],
        table.nominal,
        table.sizes,
        np.r_[table.classes, table.classes][::-1],
        np.vstack([first, table.folds - first])[::-1],
    )
    cut, whole = cross_validate(twice, model), cross_validate(table, model)
    assert dataclasses.replace(cut, roc_auc=whole.roc_auc, fold_aucs=whole.fold_aucs) == whole
    assert cut.roc_auc == pytest.approx(whole.roc_auc, abs=0 if model == "tree" else 0.02)  # an svm ends at a tolerance


@MODELS
def test_one_class_is_always_right(model):
    score = cross_validate(contingency([[1], [2]], [4, 4], [30, 20]), model)
    assert (score.accuracy, score.balanced_accuracy, score.majority_share) == (1.0, 1.0, 1.0)
    assert score.standard_error == 0.0


@MODELS
def test_a_rule_without_attributes_scores_its_majority(model):
    table = contingency(np.empty((2, 0)), [0, 1], [60, 40], nominal=())
    assert cross_validate(table, model).accuracy == 0.6


@MODELS
@pytest.mark.parametrize("classes", [(0, 1), (1, 0)])
def test_a_training_part_of_one_class_predicts_that_class(model, classes):
    """The only records of the second class lie in fold 1: while that is tested, training knows the first alone."""
    folds = np.array([[5, 5, 5], [0, 4, 0]])
    table = Contingency(np.array([[1], [2]], dtype=np.int32), (True,), (2,), np.array(classes), folds)
    score = cross_validate(table, model)
    assert score.fold_accuracies == (1.0, 5 / 9, 1.0)
    assert score.accuracy == 15 / 19
    assert score.balanced_accuracy == 0.5


def test_a_constant_column_is_not_blown_up_by_rounding():
    """The weighted mean of 0.1 is not just 0.1, and that error must not be scaled to a variance of 1."""
    table = contingency([[1]] * 1000, np.arange(1000) % 2, [3] * 1000, nominal=(False,), values=np.full((1000, 1), 0.1))
    seen = features.features_of(table, np.arange(1000), cross_validation.MODELS["svm"])
    weights = np.random.default_rng(0).integers(1, 10, 1000).astype(float)
    assert np.abs(features._standardized(seen, weights)).max() < 1e-9


def test_the_standard_error_belongs_to_the_mean_over_folds():
    folds = np.array([[5, 5, 5], [0, 4, 0]])
    table = Contingency(np.array([[1], [2]], dtype=np.int32), (True,), (2,), np.array([0, 1]), folds)
    assert cross_validate(table, "tree").standard_error == pytest.approx((4 / 9) / 3)  # deviation 4/9/sqrt(3), 3 folds


@MODELS
@pytest.mark.parametrize("nominal", [True, False])
def test_null_is_a_value_of_its_own(model, nominal):
    """NULL means class 1 and everything else class 0: a model that does not know NULL gets records wrong."""
    table = contingency([[0], [1], [2], [3]], [1, 0, 0, 0], [40, 40, 40, 40], nominal=(nominal,))
    assert cross_validate(table, model).accuracy == 1.0


@MODELS
def test_null_in_values_is_told_from_the_number_that_stands_for_it(model):
    values = np.array([[np.nan], [10.0], [20.0], [30.0]])
    table = contingency([[0], [1], [2], [3]], [1, 0, 0, 0], [40, 40, 40, 40], nominal=(False,), values=values)
    assert cross_validate(table, model).accuracy == 1.0


@MODELS
def test_infinities_and_nan_take_the_ends_of_their_column(model):
    values = np.array([[-np.inf], [1.0], [2.0], [np.inf], [np.nan], [np.nan]])
    clipped = np.array([[1.0], [1.0], [2.0], [2.0], [2.0], [np.nan]])
    codes, classes, records = [[1], [2], [3], [4], [5], [0]], [0, 0, 1, 1, 1, 0], [20, 30, 25, 35, 15, 5]
    raw = contingency(codes, classes, records, nominal=(False,), values=values)
    score = cross_validate(raw, model)
    assert score == cross_validate(contingency(codes, classes, records, nominal=(False,), values=clipped), model)
    assert score.accuracy == 1.0


@MODELS
def test_numbers_beyond_float32_are_clipped(model):
    values = np.array([[-1e300], [0.0], [1e300], [1e308]])
    table = contingency([[1], [2], [3], [4]], [0, 0, 1, 1], [30, 30, 30, 30], nominal=(False,), values=values)
    assert cross_validate(table, model).accuracy == 1.0


def test_values_stand_for_ordered_codes_only():
    table = contingency([[1, 1], [2, 2], [0, 3]], [0, 1, 1], [5, 5, 5], nominal=(False, True))
    given_values = np.array([[7.5, np.nan], [9.0, np.nan], [np.nan, np.nan]])
    seen = features.features_of(
        dataclasses.replace(table, values=given_values), np.arange(3), cross_validation.MODELS["forest"]
    )
    assert seen.ordered.tolist() == [[7.5], [9.0], [7.5]]
    assert seen.missing.tolist() == [[False], [False], [True]]
    assert seen.indicators.tolist() == [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1]]


@pytest.mark.parametrize("model", ["boosting", "bayes"])
def test_models_that_read_codes_make_no_indicators(model):
    """Of 400 areas and 60,000 records they would take 100 MB."""
    seen = features.features_of(random_table(1), np.arange(20), cross_validation.MODELS[model])
    assert (seen.indicators, seen.width) == (None, 3)


def test_all_models_learn_from_the_same_records_that_are_drawn_once(monkeypatch):
    """What a release shows is drawn from anew for each part, but not for each model."""
    drawn, draw = [], cross_validation.specific_records
    monkeypatch.setattr(
        cross_validation, "specific_records", lambda *given, **options: drawn.append(1) or draw(*given, **options)
    )
    one, table = random_table(2, nominal=(True, True)), random_table(2, nominal=(True, True))
    table, alone = (dataclasses.replace(some, nodes=(some.codes + 2) // 3) for some in (table, one))
    scores = [cross_validation.predict_folds(table, model, only=[4]) for model in ("tree", "boosting", "tree")]
    assert len(drawn) == 1
    (expected,) = cross_validation.predict_folds(alone, "boosting", only=[4]).values()
    np.testing.assert_array_equal(scores[1][4].confusion, expected.confusion)
    np.testing.assert_array_equal(scores[0][4].confusion, scores[2][4].confusion)
    cross_validation.predict_folds(table, "tree", only=[3])
    assert len(drawn) == 3


def test_a_column_without_numbers_keeps_its_codes():
    table = contingency([[1], [2], [0]], [0, 1, 1], [5, 5, 5], nominal=(False,), values=np.full((3, 1), np.nan))
    seen = features.features_of(table, np.arange(3), cross_validation.MODELS["forest"])
    assert seen.ordered.tolist() == [[1.0], [2.0], [0.0]]


@MODELS
def test_a_wide_table_is_sparse_and_scores_the_same(model, monkeypatch):
    table = random_table(3)
    dense = cross_validate(table, model)
    monkeypatch.setattr(features, "DENSE_BYTES", 0)
    assert cross_validate(table, model) == dense


@MODELS
def test_threads_score_the_same(model, monkeypatch):
    table = random_table(4)
    alone = cross_validate(table, model)
    monkeypatch.setattr(cross_validation, "LARGE_CELLS", 0)
    assert cross_validate(table, model) == alone


def test_gamma_is_that_of_repeated_rows():
    """Two features, the rows (0, 2) once and (1, 4) three times: eight entries, variance 1.9375."""
    rows, weights = np.array([[0.0, 2.0], [1.0, 4.0]]), np.array([1.0, 3.0])
    expected = 1 / (2 * np.repeat(rows, [1, 3], axis=0).var())
    assert weighted_gamma(rows, weights) == pytest.approx(expected)
    assert weighted_gamma(np.ones((3, 2)), np.ones(3)) == 1.0


def test_cells_and_folds_without_records_do_not_count():
    table = contingency([[1], [2]], [0, 1], [4, 3])
    padded = Contingency(
        np.vstack([table.codes, [[2]]]),
        (True,),
        (2,),
        np.r_[table.classes, 7],
        np.vstack([table.folds, np.zeros(10, int)]),
    )
    score = cross_validate(padded, "tree")
    assert score == cross_validate(table, "tree")
    assert len(score.fold_accuracies) == 7


def test_an_estimator_that_takes_no_weights_is_refused(monkeypatch):
    with pytest.raises(ModelError, match=r"KNeighborsClassifier takes no sample_weight.*tree, svm"):
        check_takes_weights(KNeighborsClassifier())
    check_takes_weights(SVC())
    monkeypatch.setitem(
        cross_validation.MODELS, "neighbours", Learner(lambda _features, _weights: KNeighborsClassifier())
    )
    with pytest.raises(ModelError, match="takes no sample_weight"):
        cross_validate(random_table(0), "neighbours")


def test_an_unknown_model_is_refused_with_the_known_ones():
    with pytest.raises(ModelError, match=r"unknown model 'ID3'; choose among tree, svm, logistic"):
        cross_validate(random_table(0), "ID3")


@pytest.mark.parametrize("records", [[0, 0], [1, 0]])
def test_a_table_without_records_to_test_is_refused(records):
    with pytest.raises(ModelError, match=f"this table has them in {sum(records)}"):
        cross_validate(contingency([[1], [2]], [0, 1], records), "tree")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"nominal": (True,)}, "3 attributes needs as many kinds and sizes; got 1 and 3"),
        ({"classes": np.array([0])}, "needs a class and fold counts"),
        ({"values": np.zeros((1, 1))}, "values have the shape"),
        ({"sizes": (4, 4, 1)}, "outside 0"),
    ],
)
def test_a_table_whose_parts_do_not_fit_is_refused(change, words):
    table = random_table(0)
    with pytest.raises(ModelError, match=words):
        dataclasses.replace(table, **change)


def test_a_model_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_validate(random_table(5), "svm")


def test_whatever_ends_the_wait_for_threads_ends_them_too():
    """Ctrl-C in the main thread is such an end: without it, a command waits until all trees are grown."""
    stopped = Event()

    def step(item):
        if item == 0:
            raise KeyboardInterrupt
        assert stopped.wait(60)
        return item

    with pytest.raises(KeyboardInterrupt):
        cross_validation._each(step, range(2), cross_validation.LARGE_CELLS, lambda: False, stopped)
    assert stopped.is_set()
