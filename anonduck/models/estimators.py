"""The estimators that models are made of; the only module that knows scikit-learn.

A generalized table has few distinct rows, so estimators learn from those, weighted by the records behind each. What
weights do not reach is set here from weighted figures (the gamma of the svm, the bootstrap of the forest), or not used
(min_samples_leaf, which counts rows). An estimator by import path is taken as it is: settings of its own that count
rows count distinct rows.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from threading import Lock
from typing import Any

import numpy as np

from anonduck.errors import ModelError

CACHE_MB = 500  # of kernel rows, for each svm in training
EXACT_ROWS = 4_000  # from more distinct records an svm learns with a kernel of low rank
LANDMARKS, TRIAL_LANDMARKS = 300, 150  # of that, and of one by which its setting is chosen
FOREST_TREES = 100
TRIAL_TREES = 25  # of a forest by which its setting is chosen
LEAF_RECORDS = 20  # of a boosted tree, on average
ROWS = 50_000  # that boosting learns from, about, where there are more records
BOOSTED = ((2_500, 50, 8, 0.1), (5_000, 50, 16, 0.1), (ROWS, 50, 31, 0.2))
"""Up to so many records: trees, leaves of each at most, and learning rate. ``benchmarks/boosting.py`` of commit
51c8afa8 prints what others gain: no cheaper one comes within 0.1 points of accuracy and AUC at all its numbers of
records."""

CATEGORIES = 254  # of a column that boosting distinguishes
BINS = 255  # of numbers that boosting distinguishes in a column


@dataclass(frozen=True)
class Learner:
    """How to make an estimator, and what features it wants.

    ``make`` takes the features of all cells, their weights and, if it likes, one of ``settings``: values of its main
    setting, the simplest model first, among which inner validation chooses. ``try_out`` makes a cheaper one for that.
    """

    make: Callable[..., Any]
    settings: tuple[float, ...] = ()
    try_out: Callable[..., Any] | None = None
    standardize: bool = False
    by_counts: bool = (
        False  # it needs no estimator: anonduck.models.trees grows it on counts, anonduck.models.tree_pruning prunes it
    )
    by_column: bool = False  # it reads one feature after the other, which is faster where features lie in one piece
    sparse: bool = False  # it is faster where most numbers are 0 and not stored
    by_code: bool = False  # its features are the node codes themselves
    by_category: bool = False  # its features are numbers, NaN for NULL, and behind these the codes of nominal columns
    by_probability: bool = False  # it predicts the class of the largest probability, which is then asked only once
    imported: bool = False
    dtype: type = np.float32


class Forest:
    """A random forest (Breiman 2001) whose bootstrap samples are drawn by counts.

    scikit-learn's draws as many rows as the table has, whatever their weights. Here a tree learns from as many records
    as there are, drawn with replacement: multinomial counts over the distinct rows, which is the same distribution.
    """

    def __init__(self, trees: int = FOREST_TREES, random_state: int = 0, leaf_records: float = 1) -> None:
        self.trees = trees
        self.leaf_records = leaf_records
        self.random_state = random_state

    def fit(self, features: Any, classes: np.ndarray, sample_weight: np.ndarray) -> Forest:
        """Learn from rows that stand for ``sample_weight`` records each (whole numbers)."""
        from sklearn.tree import DecisionTreeClassifier

        random = np.random.default_rng(self.random_state)
        records = float(sample_weight.sum())
        share = min(0.5, (self.leaf_records - 0.5) / records) if self.leaf_records > 1 else 0.0
        self.classes_ = np.unique(classes)
        self.estimators_ = []
        for _ in range(self.trees):
            drawn = random.multinomial(round(records), sample_weight / records)
            held = np.flatnonzero(drawn)
            tree = DecisionTreeClassifier(
                max_features="sqrt", min_weight_fraction_leaf=share, random_state=int(random.integers(1 << 31))
            )
            self.estimators_.append(tree.fit(features[held], classes[held], sample_weight=drawn[held]))
        return self

    def predict_proba(self, features: Any) -> np.ndarray:
        """The mean over the trees of the class shares in their leaves, of shape (rows, classes)."""
        shares = np.zeros((features.shape[0], len(self.classes_)))
        for tree in self.estimators_:
            shares[:, np.searchsorted(self.classes_, tree.classes_)] += tree.predict_proba(features)
        return shares / self.trees


class LowRankSvm:
    """A linear svm in the similarities of rows to a few landmarks (Williams and Seeger, Using the Nyström method to
    speed up kernel machines, NIPS 2000).

    The time of an exact one grows with more than the square of the distinct records. scikit-learn draws landmarks among
    rows, whatever their weights; here they are drawn by the records behind each row.
    """

    def __init__(self, c: float, gamma: float, landmarks: int) -> None:
        self.c = c
        self.gamma = gamma
        self.landmarks = landmarks

    def fit(self, features: Any, classes: np.ndarray, sample_weight: np.ndarray) -> LowRankSvm:
        """Learn from rows (dense or sparse) that stand for ``sample_weight`` records each."""
        from sklearn.kernel_approximation import Nystroem
        from sklearn.svm import LinearSVC

        random = np.random.default_rng(0)
        count = min(self.landmarks, int(np.count_nonzero(sample_weight)))
        drawn = np.sort(random.choice(features.shape[0], count, replace=False, p=sample_weight / sample_weight.sum()))
        self._kernel = Nystroem(gamma=self.gamma, n_components=count, random_state=0).fit(features[drawn])
        machine = LinearSVC(C=self.c, dual=False, tol=1e-2, random_state=0)
        self._machine = machine.fit(self._kernel.transform(features), classes, sample_weight=sample_weight)
        self.classes_ = self._machine.classes_
        return self

    def decision_function(self, features: Any) -> np.ndarray:
        """How much speaks for the second class (rows,), or for each of several (rows, classes)."""
        found: np.ndarray = self._machine.decision_function(self._kernel.transform(features))
        return found

    def predict(self, features: Any) -> np.ndarray:
        """The class that most speaks for."""
        found: np.ndarray = self._machine.predict(self._kernel.transform(features))
        return found


class Boosting:
    """Gradient boosting of trees over histograms (Friedman 2001; Ke et al. 2017), with nominal columns as categories.

    scikit-learn counts rows, whatever their weights, in its leaves and in the categories that it splits by. So a row is
    repeated until none stands for more than 1 / ROWS of all records, and a leaf holds as many rows as LEAF_RECORDS
    records have. A nominal column shows its CATEGORIES most frequent codes; all others are one category. Numbers with
    more than BINS values are put in bins of equal weight here, as scikit-learn sorts them once for each bin.

    Few records are learned by fewer and smaller trees: more of them only fit noise, and take most of the time. ``size``
    replaces the trees, their leaves
    and the learning rate.
    """

    def __init__(self, ordered: int, random_state: int = 0, size: tuple[int, int, float] | None = None) -> None:
        self.ordered = ordered
        self.size = size
        self.random_state = random_state

    def fit(self, features: np.ndarray, classes: np.ndarray, sample_weight: np.ndarray) -> Boosting:
        """Learn from rows that stand for ``sample_weight`` records each: ``ordered`` numbers, then nominal codes."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        self._empty = np.flatnonzero(np.isnan(features).all(axis=0))  # scikit-learn bins no column without a number
        nominal = features[:, self.ordered :].astype(np.int64)
        self._cuts = [_quantiles(numbers, sample_weight) for numbers in features[:, : self.ordered].T]
        self._known = [_most_frequent(codes, sample_weight) for codes in nominal.T]
        largest = max(1.0, float(sample_weight.sum()) / ROWS)  # records that a row stands for
        copies = np.ceil(sample_weight / largest).astype(np.int64)
        trees, leaves, rate = self.size or _boosted(float(sample_weight.sum()))
        self._model = HistGradientBoostingClassifier(
            categorical_features=np.arange(features.shape[1]) >= self.ordered,
            max_iter=trees,
            max_leaf_nodes=leaves,
            learning_rate=rate,
            min_samples_leaf=max(1, round(LEAF_RECORDS / largest)),
            early_stopping=False,
            random_state=self.random_state,
        )
        repeated = np.repeat(np.arange(len(features)), copies)
        weights = (sample_weight / copies.clip(min=1))[repeated]
        with one_openmp_thread():
            self._model.fit(self._read(features)[repeated], classes[repeated], sample_weight=weights)
        self.classes_ = self._model.classes_
        return self

    def predict_proba(self, features: np.ndarray) -> np.ndarray:
        """The probability of each class, of shape (rows, classes)."""
        with one_openmp_thread():
            found: np.ndarray = self._model.predict_proba(self._read(features))
        return found

    def _read(self, features: np.ndarray) -> np.ndarray:
        """The same with the bin of a number, and the place of a nominal code among the known ones; others share the
        last place."""
        read = np.array(features, dtype=np.float64)
        for at, cuts in enumerate(self._cuts):
            if cuts is not None:
                numbers = features[:, at]
                read[:, at] = np.where(np.isnan(numbers), np.nan, np.searchsorted(cuts, numbers))
        read[:, self._empty] = 0.0
        for at, known in enumerate(self._known, start=self.ordered):
            codes = features[:, at].astype(np.int64)
            places = np.searchsorted(known, codes).clip(max=len(known) - 1)
            read[:, at] = np.where(known[places] == codes, places, len(known))
        return read


def _boosted(records: float) -> tuple[int, int, float]:
    """How many trees are boosted for so many records, the leaves of each at most, and the learning rate."""
    return next((known[1:] for known in BOOSTED if records <= known[0]), BOOSTED[-1][1:])


def _quantiles(numbers: np.ndarray, weights: np.ndarray) -> np.ndarray | None:
    """The largest number of each bin but the last, of BINS about equally heavy ones, ascending; None for so few values.

    >>> _quantiles(np.array([np.nan, *range(510)]), np.ones(511))[:3]
    array([1., 3., 5.])
    """
    there = np.isfinite(numbers)
    values, place = np.unique(numbers[there], return_inverse=True)
    if len(values) <= BINS:
        return None
    below = np.cumsum(np.bincount(place, weights=weights[there]))
    ends = np.searchsorted(below, below[-1] * np.arange(1, BINS) / BINS)
    found: np.ndarray = np.unique(values[ends])
    return found


def _most_frequent(codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The most frequent codes by weight, CATEGORIES at most, ascending."""
    held, place = np.unique(codes, return_inverse=True)
    order = np.argsort(-np.bincount(place, weights=weights), kind="stable")
    found: np.ndarray = np.sort(held[order[:CATEGORIES]])
    return found


def grown_tree(features: np.ndarray, classes: np.ndarray, weights: np.ndarray, seed: int) -> Any:
    """A classification tree that looks at all features at each split, grown until its leaves are pure."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=seed).fit(features, classes, sample_weight=weights)


def _tree(_features: Any, _weights: np.ndarray, alpha: float = 0.0) -> Any:
    """What anonduck.models.trees grows in another way, and anonduck.models.tree_pruning prunes at all alphas."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(criterion="entropy", ccp_alpha=alpha, random_state=0)


def _svm(features: Any, weights: np.ndarray, c: float = 1.0, landmarks: int = LANDMARKS) -> Any:
    """An exact one, or where its training would take minutes one of low rank."""
    gamma = weighted_gamma(features, weights)
    if np.count_nonzero(weights) > EXACT_ROWS:
        return LowRankSvm(c, gamma, landmarks)
    from sklearn.svm import SVC

    return SVC(kernel="rbf", C=c, gamma=gamma, cache_size=CACHE_MB)


def _trial_svm(features: Any, weights: np.ndarray, c: float = 1.0) -> Any:
    return _svm(features, weights, c, TRIAL_LANDMARKS)


def _logistic(_features: Any, _weights: np.ndarray, c: float = 1.0) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=c, max_iter=1_000)


def _forest(_features: Any, _weights: np.ndarray, leaf_records: float = 1) -> Any:
    return Forest(leaf_records=leaf_records)


def _trial_forest(_features: Any, _weights: np.ndarray, leaf_records: float = 1) -> Any:
    return Forest(trees=TRIAL_TREES, leaf_records=leaf_records)


def _bayes(features: Any, _weights: np.ndarray, alpha: float = 1.0) -> Any:
    from sklearn.naive_bayes import CategoricalNB

    return CategoricalNB(alpha=alpha, min_categories=features.max(axis=0) + 1)


def _boosting(features: Any, _weights: np.ndarray) -> Any:
    return Boosting(features.ordered.shape[1])


def weighted_gamma(features: Any, weights: np.ndarray) -> float:
    """What gamma="scale" is on repeated rows: 1 / (features * variance of all entries), with weighted entries."""
    entries = float(weights.sum()) * features.shape[1]
    mean = float((weights @ features).sum()) / entries
    variance = float((weights @ (features * features)).sum()) / entries - mean * mean
    return 1.0 / (features.shape[1] * variance) if variance > 1e-12 else 1.0


MODELS: dict[str, Learner] = {
    "tree": Learner(_tree, by_counts=True),
    "svm": Learner(
        _svm, settings=(0.1, 1.0, 10.0), try_out=_trial_svm, standardize=True, sparse=True, dtype=np.float64
    ),
    "logistic": Learner(
        _logistic,
        settings=(0.01, 0.1, 1.0, 10.0),
        standardize=True,
        sparse=True,
        by_probability=True,
        dtype=np.float64,
    ),
    "forest": Learner(_forest, settings=(30, 10, 3, 1), try_out=_trial_forest, by_column=True, by_probability=True),
    "bayes": Learner(_bayes, settings=(100.0, 10.0, 1.0, 0.1), by_code=True, by_probability=True, dtype=np.int64),
    "boosting": Learner(_boosting, by_category=True, by_probability=True, dtype=np.float64),
}


def trial(model: Learner) -> Learner:
    """The model as it is trained where only its setting is to be chosen."""
    return model if model.try_out is None else replace(model, make=model.try_out)


class _OneThread:
    """The limit of the threads of linear algebra, which all of a process shares: the last to leave lifts it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._within = 0
        self._limit: AbstractContextManager[Any] | None = None

    def enter(self) -> None:
        """Set the limit unless it is set."""
        with self._lock:
            if self._limit is None:
                self._limit = _thread_pools().limit(limits=1)
            self._within += 1

    def leave(self) -> None:
        """Lift the limit if nobody else needs it."""
        with self._lock:
            self._within -= 1
            if self._within == 0 and self._limit is not None:
                self._limit.__exit__(None, None, None)
                self._limit = None


_ONE_THREAD = _OneThread()


@contextmanager
def one_thread_each() -> Iterator[None]:
    """While it lasts, each estimator trains in one thread: several train side by side, and more threads than cores
    make linear algebra a hundred times slower."""
    _ONE_THREAD.enter()
    try:
        yield
    finally:
        _ONE_THREAD.leave()


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """While it lasts, OpenMP code that this thread calls runs in it alone: each thread has a limit of its own."""
    with _thread_pools().limit(limits=1, user_api="openmp"):
        yield


@cache
def _thread_pools() -> Any:
    import sklearn.linear_model
    import sklearn.svm  # noqa: F401 - both load the libraries whose threads are to be known
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def model_named(name: str) -> Learner:
    """A model by its name, or by the import path of a scikit-learn estimator; raises ModelError for neither."""
    if name in MODELS:
        return MODELS[name]
    if "." not in name and ":" not in name:
        raise ModelError(
            f"unknown model {name!r}; choose among {', '.join(MODELS)}, or the import path of an estimator, "
            "such as sklearn.linear_model.SGDClassifier or mypackage.models:MyClassifier"
        )
    kind = _imported(name)

    def make(_features: Any, _weights: np.ndarray) -> Any:
        estimator = kind()
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=0)
        return estimator

    return Learner(make, standardize=True, imported=True, dtype=np.float64)


def _imported(path: str) -> Callable[[], Any]:
    """The estimator's class; raises ModelError where the path names none."""
    module, _, attribute = path.partition(":") if ":" in path else path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError):
        raise ModelError(
            f"the model {path!r} cannot be imported; write package.module.Class or package.module:Class, "
            "and install its package where anonduck is installed, or add its folder to PYTHONPATH"
        ) from None
    if not all(callable(getattr(found, method, None)) for method in ("__call__", "fit", "predict", "get_params")):
        raise ModelError(f"the model {path!r} is not a scikit-learn estimator: it needs fit, predict and get_params")
    estimator: Callable[[], Any] = found
    return estimator


def check_models(names: list[str]) -> None:
    """Raise ModelError for names that no cross-validation could use, before any work is done."""
    for name in names:
        model = model_named(name)
        if model.imported:
            try:
                estimator = model.make(None, np.empty(0))
            except TypeError:
                raise ModelError(
                    f"the model {name!r} cannot be created without arguments; give its parameters defaults"
                ) from None
            check_takes_weights(estimator)


def check_takes_weights(estimator: Any) -> None:
    """Raise ModelError for an estimator whose ``fit`` takes no ``sample_weight``: counts would be lost on it."""
    from sklearn.utils.validation import has_fit_parameter

    if not has_fit_parameter(estimator, "sample_weight"):
        raise ModelError(
            f"{type(estimator).__name__} takes no sample_weight, so it cannot train on counts; "
            f"use an estimator whose fit has that parameter, such as those of {', '.join(MODELS)}"
        )
