"""Models measured by cross-validation on contingency tables.

A generalized table has few distinct rows, so models train on those, weighted by the records behind each. A weighted row
counts as so many equal rows: a model learns from them what it learns from the records themselves
(anonduck.models.estimators). The main setting of each model is chosen inside each training part
(``TuningPlan``), for rules and baseline alike.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from time import process_time
from typing import Any, TypeVar

import numpy as np

from anonduck.errors import ModelError
from anonduck.models import tree_pruning, trees
from anonduck.models.contingency import Contingency, everyone
from anonduck.models.estimators import (
    MODELS,
    Learner,
    check_models,
    check_takes_weights,
    model_named,
    one_thread_each,
    trial,
)
from anonduck.models.features import Features, columns_of, features_of, matrix_of
from anonduck.models.folds import TuningPlan, plan_folds, plan_sample
from anonduck.models.sampling import specific_records
from anonduck.models.scores import FoldResult, Predictions, Score, Scores, score, tested_fold

LARGE_CELLS = 1_000  # from here on models are trained in threads
TOGETHER = 1 << 17  # values of the cells in trees that are grown at a time

Over = Callable[[], bool]

Item = TypeVar("Item")
Result = TypeVar("Result")


class TrainingStoppedError(Exception):
    """The time limit was reached before a model was trained for each fold."""


def never() -> bool:
    """No time limit."""
    return False


def cross_validate(
    table: Contingency, model: str, *, only: Sequence[int] | None = None, seed: int = 0, over: Over = never
) -> Score:
    """Train ``model`` on all folds but one, test on that one, for each fold; every record counts once as a test.

    With ``only``, the model is tested on these folds only; records of the others are used for training alone.
    Raises as ``predict_folds`` does.
    """
    return score(list(predict_folds(table, model, only=only, seed=seed, over=over).values()))


def cross_validated(
    table: Contingency,
    models: Sequence[str],
    seed: int,
    over: Over = never,
    only: Sequence[int] | None = None,
) -> Scores:
    """The scores of models on a contingency table, tested on all folds or some; models that were not trained once it is
    ``over`` have none.

    Raises ModelError as ``predict_folds`` does.
    """
    began = process_time()
    found: dict[str, Score] = {}
    for number, model in enumerate(models):
        try:
            found[model] = cross_validate(table, model, only=only, seed=seed, over=over)
        except TrainingStoppedError:
            return Scores(found, tuple(models[number:]), cpu_seconds=process_time() - began)
    return Scores(found, cpu_seconds=process_time() - began)


def predict_folds(
    table: Contingency, model: str, *, only: Sequence[int] | None = None, seed: int = 0, over: Over = never
) -> dict[int, FoldResult]:
    """The predictions of ``model`` for each fold with records (or those of ``only``), trained on all other folds.

    The folds are drawn once, on the frequency set, and rolled up, so that all rules and the baseline are compared on
    the same split; the paper takes ten (section 6.1). The model's main setting is chosen inside each training part. A
    table with ``nodes`` is tested on its codes, by models that learn from records drawn from its nodes with ``seed``.

    Suppressed records are not trained on: each is predicted as the most frequent class of all records of the training
    folds, and so is every record of a fold whose training part is empty.

    Raises ModelError for an unknown model, for a table with records in fewer than two folds, and for an estimator
    without weights; TrainingStoppedError once it is ``over``, which is asked before each model that is trained.
    """
    chosen = model_named(model)
    known = everyone(table)
    filled = np.flatnonzero(known.folds.sum(axis=0)).tolist()
    if len(filled) < 2:
        raise ModelError(f"cross-validation needs records in at least two folds; this table has them in {len(filled)}")
    cells = np.flatnonzero(table.folds.sum(axis=1))
    truth = np.searchsorted(known.classes, table.classes[cells])
    wanted = filled if only is None else list(only)
    predicted = _predicted_folds(chosen, table, cells, truth, wanted, seed, over)
    found = {}
    for fold in wanted:
        records = table.folds[cells, fold]
        tested = np.flatnonzero(records)
        guess = np.full(len(tested), known.guesses[fold])
        predictions = predicted.get(fold, Predictions(guess, np.zeros((len(tested), len(known.classes)))))
        found[fold] = tested_fold(predictions, truth[tested], records[tested], known, fold)
    return found


def _predicted_folds(
    model: Learner,
    table: Contingency,
    cells: np.ndarray,
    truth: np.ndarray,
    wanted: Sequence[int],
    seed: int,
    over: Over,
) -> dict[int, Predictions]:
    """The predictions of each wanted fold that has cells to test, where other folds have some to learn from."""
    counts = table.folds[cells]
    stayed = np.flatnonzero(counts.sum(axis=0)).tolist()
    parts = [part for part, fold in enumerate(stayed) if fold in wanted]
    if len(stayed) < 2 or not parts:
        return {}
    plan = plan_folds(counts, stayed, every_pair=model.by_counts).only(parts)
    folds = [stayed[part] for part in parts]
    if table.nodes is None:
        return dict(zip(folds, _predictions(model, table, cells, truth, plan, over), strict=True))

    def of_part(part: int) -> Predictions:
        return _predict_originals(model, table, cells, truth, plan, part, [seed, folds[part]], over)

    return dict(zip(folds, _each(of_part, range(len(folds)), len(cells), over), strict=True))


def _each(
    step: Callable[[Item], Result], items: Iterable[Item], cells: int, over: Over, stopped: Event | None = None
) -> list[Result]:
    """The result of the step for each item, in threads if there are at least LARGE_CELLS cells.

    Training releases the interpreter lock, so that threads help once it takes long enough. ``stopped`` is set if an
    error or an interrupt ends the wait for the threads, so that they end too.
    """
    ended = stopped or Event()

    def in_time(item: Item) -> Result:
        if ended.is_set() or over():
            raise TrainingStoppedError
        return step(item)

    if cells < LARGE_CELLS:
        return [in_time(item) for item in items]
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        try:
            return list(threads.map(in_time, items))
        except BaseException:
            ended.set()  # the end of this block waits for what is running
            raise


def _predictions(
    model: Learner, table: Contingency, cells: np.ndarray, truth: np.ndarray, plan: TuningPlan, over: Over
) -> list[Predictions]:
    """The classes of the tested cells of each part, by a model tuned and trained on the part."""
    if model.by_counts:
        return _by_trees(columns_of(table, cells), truth, plan, over)
    return _by_estimators(model, features_of(table, cells, model), truth, plan, over)


def _predict_originals(
    model: Learner,
    table: Contingency,
    cells: np.ndarray,
    truth: np.ndarray,
    plan: TuningPlan,
    part: int,
    seed: list[int],
    over: Over,
) -> Predictions:
    """The classes of the tested original cells, by a model that learned from specific records drawn for this part."""
    assert table.nodes is not None
    codes, tested = table.codes[cells], plan.tested[part]
    sampled, classes, weights = _lent(table, cells, truth, plan.trained[part].astype(np.int64), seed)
    every = np.vstack([sampled, codes[tested]]).astype(np.int32)
    known = np.r_[classes, truth[tested]]
    folds = np.ones((len(every), 1), dtype=np.int64)
    specific = Contingency(every, table.nominal, table.sizes, known, folds, _values_of(table, every))
    trained = np.r_[weights, np.zeros(len(tested), dtype=np.int64)]
    drawn = plan_sample(trained, known, np.arange(len(sampled), len(every)), seed=[*seed, 1])
    return _predictions(model, specific, np.arange(len(every)), known, drawn, over)[0]


def _lent(
    table: Contingency, cells: np.ndarray, truth: np.ndarray, records: np.ndarray, seed: list[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The specific records of a training part; the last ones that were drawn of a table are kept, as they only depend
    on the part and its seed."""
    assert table.nodes is not None
    key = tuple(seed)
    known = table.lent.get(key)
    if known is None:
        drawn = specific_records(table.codes[cells], table.nodes[cells], truth, records, seed=seed, over=table.over)
        known = drawn[0].astype(np.int32), *drawn[1:]
        table.lent.clear()
        table.lent[key] = known
    return known


def _values_of(table: Contingency, codes: np.ndarray) -> np.ndarray | None:
    """The numbers that stand for codes in a table, for other rows of codes."""
    if table.values is None:
        return None
    values = np.full(codes.shape, np.nan)
    for j, size in enumerate(table.sizes):
        numbers = np.full(size + 1, np.nan)
        numbers[table.codes[:, j]] = table.values[:, j]
        values[:, j] = numbers[codes[:, j]]
    return values


# -- trees -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Links:
    """The prunings of an inner tree: the ``alphas`` from which on each node is pruned (nodes,), and how much more each
    group scores then, ``changes`` (nodes, groups). Of equally good alphas the ``largest`` is taken, or the smallest."""

    alphas: np.ndarray
    changes: np.ndarray
    largest: bool = True


_BothLinks = tuple[_Links, _Links]
"""The links of an inner tree by how many more records are right, and by how many bits their classes are likelier."""


def _by_trees(columns: trees.TreeColumns, truth: np.ndarray, plan: TuningPlan, over: Over) -> list[Predictions]:
    """The predictions of trees grown on counts. Classes are those of the subtree with the most right records in
    validation, rankings the smoothed class shares of the subtree with the best log loss."""
    classes, stopped, inner = int(truth.max()) + 1, Event(), len(plan.inner)

    def grown(weights: np.ndarray) -> tuple[trees.GrownTrees, np.ndarray]:
        found = trees.grow(columns, truth, weights, classes, stopped.is_set)
        return found, tree_pruning.pruned_from(found)

    def links_of(found: trees.GrownTrees, alphas: np.ndarray, number: int) -> list[_BothLinks]:
        """The links of the first trees, so many."""
        held = tree_pruning.held_records(found, truth, plan.validated.T)
        right, likelier = tree_pruning.right_when_pruned(found, held), tree_pruning.likelier_when_pruned(found, held)
        of_tree = [np.flatnonzero(found.inner & (found.trees == at)) for at in range(number)]
        return [
            (_Links(alphas[nodes], right[nodes]), _Links(alphas[nodes], likelier[nodes], largest=False))
            for nodes in of_tree
        ]

    def predictions(
        found: trees.GrownTrees, alphas: np.ndarray, parts: Sequence[int], links: Sequence[_BothLinks]
    ) -> list[Predictions]:
        """What the last trees predict, those of these parts."""
        first = len(found.leaves) - len(parts)

        def counts(links: Sequence[_Links]) -> list[np.ndarray]:
            """The records by class in the leaves of the tested cells, by part."""
            chosen = np.zeros(len(found.leaves))
            for at, part in enumerate(parts, start=first):
                own, records = alphas[found.trees == at], float(plan.trained[part].sum())
                chosen[at] = _alpha(own, plan.uses[part], links, records)
            leaves = tree_pruning.pruned_leaves(found, alphas, chosen)
            return [found.counts[leaves[at, plan.tested[part]]] for at, part in enumerate(parts, start=first)]

        each = zip(counts([named for named, _ in links]), counts([ranked for _, ranked in links]), strict=True)
        return [Predictions(named.argmax(axis=1), tree_pruning.smoothed(ranked)) for named, ranked in each]

    def of_all(parts: range) -> list[Predictions]:
        found, alphas = grown(np.vstack([plan.inner, plan.trained]) if inner else plan.trained)
        return predictions(found, alphas, parts, links_of(found, alphas, inner) if inner else [])

    every = range(len(plan.trained))
    if columns.values.size * (inner + len(every)) <= TOGETHER:
        return _each(of_all, [every], 0, over, stopped)[0]
    links = _together(
        lambda some: links_of(*grown(plan.inner[some]), len(some)), inner, columns.values.size, over, stopped
    )
    return _together(
        lambda parts: predictions(*grown(plan.trained[parts]), parts.tolist(), links),
        len(every),
        columns.values.size,
        over,
        stopped,
    )


def _together(
    step: Callable[[np.ndarray], list[Result]], trees_: int, values: int, over: Over, stopped: Event
) -> list[Result]:
    """The step for all trees, in parts of about ``TOGETHER`` values; each tree has ``values`` of them."""
    parts = np.array_split(np.arange(trees_), max(1, min(trees_, -(-trees_ * values // TOGETHER)))) if trees_ else []
    found = _each(step, parts, LARGE_CELLS if len(parts) > 1 else 0, over, stopped)
    return [result for some in found for result in some]


def _alpha(alphas: np.ndarray, uses: Sequence[tuple[int, int]], links: Sequence[_Links], records: float) -> float:
    """The alpha, of the candidates of a tree, at which the validated records score best."""
    if not uses:
        return tree_pruning.untuned_alpha(records)
    known = np.concatenate([links[inner].alphas for inner, _ in uses])
    changes = np.concatenate([links[inner].changes[:, group] for inner, group in uses])
    tried = tree_pruning.candidates(alphas)
    return tree_pruning.best_alpha(tried, known, changes, largest=links[uses[0][0]].largest)


# -- estimators ------------------------------------------------------------------------------------------------------


def _by_estimators(
    model: Learner, features: Features, truth: np.ndarray, plan: TuningPlan, over: Over
) -> list[Predictions]:
    """The predictions of estimators, each with the setting with the most right records in its inner validation."""

    def validate(inner: int) -> np.ndarray:
        return _right_by_setting(model, features, truth, plan, inner)

    def predict(part: int) -> Predictions:
        chosen = _setting(model, plan.uses[part], rights)
        return train_and_predict(model, features, truth, plan.trained[part], plan.tested[part], [chosen])[0]

    inner = range(len(plan.inner) if model.settings else 0)
    with one_thread_each():
        rights = _each(validate, inner, len(truth), over)
        return _each(predict, range(len(plan.trained)), len(truth), over)


def _setting(model: Learner, uses: Sequence[tuple[int, int]], rights: Sequence[np.ndarray]) -> float | None:
    """The setting with the most right validated records, the first of equals; None leaves the model its default."""
    if not uses or not model.settings:
        return None
    right = np.sum([rights[inner][group] for inner, group in uses], axis=0)
    return model.settings[int(right.argmax())]


def _right_by_setting(
    model: Learner, features: Features, truth: np.ndarray, plan: TuningPlan, inner: int
) -> np.ndarray:
    """The records of each group that are predicted right by models of an inner training part, (groups, settings)."""
    groups = sorted({group for uses in plan.uses for at, group in uses if at == inner})
    tested = np.flatnonzero(plan.validated[groups].any(axis=0))
    found = train_and_predict(trial(model), features, truth, plan.inner[inner], tested, model.settings)
    hits = np.array([predicted.classes == truth[tested] for predicted in found])
    right: np.ndarray = plan.validated[:, tested] @ hits.T
    return right


def train_and_predict(
    model: Learner,
    features: Features,
    truth: np.ndarray,
    weights: np.ndarray,
    tested: np.ndarray,
    settings: Sequence[float | None],
) -> list[Predictions]:
    """Predict the tested cells by a model trained on the weighted ones, once for each setting (None: the default)."""
    trained = np.flatnonzero(weights)
    known = np.bincount(truth, weights=weights, minlength=int(truth.max()) + 1)
    if np.count_nonzero(known) <= 1 or features.width == 0:
        always = Predictions(np.full(len(tested), known.argmax()), np.zeros((len(tested), len(known))))
        return [always] * len(settings)
    matrix = matrix_of(model, features, weights)
    rows, row_weights = matrix[trained], weights[trained]
    if model.by_column and isinstance(rows, np.ndarray):
        rows = np.asfortranarray(rows)
    predicted = []
    for setting in settings:
        seen = features if model.by_category else matrix
        estimator = model.make(seen, weights) if setting is None else model.make(seen, weights, setting)
        check_takes_weights(estimator)
        _fit(model, estimator, rows, truth[trained], row_weights)
        predicted.append(_predicted(model, estimator, matrix[tested], len(known)))
    return predicted


def _predicted(model: Learner, estimator: Any, rows: Any, classes: int) -> Predictions:
    rankings = _rankings(estimator, rows, classes)
    if model.by_probability and rankings is not None:
        return Predictions(rankings.argmax(axis=1), rankings)
    return Predictions(np.asarray(estimator.predict(rows)), rankings)


def _fit(model: Learner, estimator: Any, rows: Any, classes: np.ndarray, weights: np.ndarray) -> None:
    try:
        estimator.fit(rows, classes, sample_weight=weights)
    except (TypeError, ValueError) as error:
        if not model.imported:
            raise
        raise ModelError(
            f"{type(estimator).__name__} cannot be trained on these contingency tables ({type(error).__name__}); "
            "it must take numbers, classes as whole numbers, and weights"
        ) from None


def _rankings(estimator: Any, rows: Any, classes: int) -> np.ndarray | None:
    """The scores by predict_proba or else decision_function, (rows, classes); 0 for a class not trained on."""
    asked = getattr(estimator, "predict_proba", None) or getattr(estimator, "decision_function", None)
    known = getattr(estimator, "classes_", None)
    if asked is None or known is None:
        return None
    found = np.asarray(asked(rows))
    if found.ndim == 1:
        found = np.column_stack([-found, found])
    if found.shape[1] != len(known):
        return None
    rankings = np.zeros((len(found), classes))
    rankings[:, known] = found
    return rankings


__all__ = ["MODELS", "Contingency", "Learner", "Score", "check_models", "check_takes_weights", "cross_validate"]
