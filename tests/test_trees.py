"""Trees grown on counts against scikit-learn's on one-hot columns, and against small trees found by hand."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from anonduck import models, trees
from anonduck.folds import draw_folds
from anonduck.models import Contingency, cross_validate

LN2 = np.log(2)


def table(seed, *, cells, classes, values=6, attributes=3):
    """Every combination of codes with every class, so that no node is pure and hardly two splits are equally good."""
    random = np.random.default_rng(seed)
    codes = np.unique(random.integers(0, values, (cells, attributes)), axis=0)
    combined = np.repeat(codes, classes, axis=0)
    truth = np.tile(np.arange(classes), len(codes))
    weights = random.integers(1, 10**6, len(combined)).astype(float)
    return combined, truth, weights * (1 + 3 * (combined.sum(axis=1) % classes == truth))


def columns_of(codes, ordered):
    nominal = [j for j in range(codes.shape[1]) if j not in ordered]
    onehot = [codes[:, [j]] == value for j in nominal for value in np.unique(codes[:, j])]
    matrix = np.hstack([codes[:, ordered], *onehot]).astype(np.float32)
    return trees.number_values(codes[:, nominal], codes[:, ordered].astype(np.float32)), matrix


@given(
    st.integers(0, 10**6),
    st.integers(2, 60),
    st.integers(2, 4),
    st.sampled_from([[], [0], [1, 2], [0, 1, 2]]),
    st.sampled_from([0.0, 5e-4, 0.005, 0.05]),
)
@settings(max_examples=150, deadline=None)
def test_the_tree_is_that_of_scikit_learn(seed, cells, classes, ordered, alpha):
    codes, truth, weights = table(seed, cells=cells, classes=classes)
    columns, matrix = columns_of(codes, ordered)
    nodes = trees.grow(columns, truth, weights, alpha)
    other = DecisionTreeClassifier(criterion="entropy", ccp_alpha=alpha).fit(matrix, truth, sample_weight=weights)
    every = np.arange(len(codes))
    assert (trees.predict(nodes, columns, every) == other.predict(matrix)).all()
    assert leaves(nodes) == other.get_n_leaves()


def leaves(nodes, at=0):
    node = nodes[at]
    return 1 if node.split is None else leaves(nodes, node.left) + leaves(nodes, node.right)


def test_the_smaller_half_is_counted_and_the_larger_one_remains():
    """age tells the class but for one value; the tree cuts age at 2.5, then tells 9 from the rest."""
    codes = np.array([[1], [2], [3], [9], [4]])
    columns = trees.number_values(np.empty((5, 0)), codes.astype(np.float32))
    nodes = trees.grow(columns, np.array([0, 0, 1, 0, 1]), np.array([10.0, 10, 10, 5, 10]), 0.0)
    root, left, right = nodes[0], nodes[nodes[0].left], nodes[nodes[0].right]
    assert (root.split.cut, right.split.cut) == (2.5, 6.5)
    assert left.counts.tolist() == [20, 0]
    assert right.counts.tolist() == [5, 20]
    assert trees.predict(nodes, columns, np.arange(5)).tolist() == [0, 0, 1, 0, 1]


def test_a_split_that_gains_nothing_by_itself_is_made_where_the_next_ones_gain():
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    columns, _ = columns_of(codes, [])
    truth, weights = np.array([0, 1, 1, 0]), np.full(4, 7.0)
    nodes = trees.grow(columns, truth, weights, 5e-4)
    assert trees.predict(nodes, columns, np.arange(4)).tolist() == [0, 1, 1, 0]


def test_pruning_cuts_what_gains_less_than_alpha_and_keeps_what_gains_more():
    """Splitting 100 records 50:50 into two of 45:5 gains 1 - H(0.1) = 0.531 bits."""
    columns = trees.number_values(np.array([[1], [1], [2], [2]]), np.empty((4, 0)))
    truth, weights = np.array([0, 1, 0, 1]), np.array([45.0, 5, 5, 45])
    gain = 1 + (0.9 * np.log(0.9) + 0.1 * np.log(0.1)) / LN2
    assert leaves(trees.grow(columns, truth, weights, gain - 1e-6)) == 2
    assert leaves(trees.grow(columns, truth, weights, gain + 1e-6)) == 1


def test_cells_without_weight_teach_nothing_and_are_predicted():
    columns = trees.number_values(np.array([[1], [2], [2], [3]]), np.empty((4, 0)))
    nodes = trees.grow(columns, np.array([0, 1, 0, 0]), np.array([5.0, 5, 0, 0]), 5e-4)
    assert trees.predict(nodes, columns, np.arange(4)).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("values", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_cross_validation_on_counts_scores_as_one_on_a_one_hot_table(seed, values, monkeypatch):
    codes, truth, weights = table(seed, cells=50, classes=3, attributes=4)
    folds = draw_folds(weights.astype(np.int64), truth, folds=10, seed=seed)
    numbers = np.where(codes == 0, np.nan, codes**2.0) if values else None
    counted = Contingency(codes.astype(np.int32), (True, False, True, False), (6,) * 4, truth, folds, numbers)
    expected = cross_validate(counted, "tree")
    monkeypatch.setattr(models, "COUNTED_ENTRIES", 0)
    assert cross_validate(counted, "tree") == expected
    monkeypatch.setattr(trees, "grow", None)
    with pytest.raises(TypeError):
        cross_validate(counted, "tree")


def test_a_column_of_many_values_is_left_to_scikit_learn(monkeypatch):
    codes, truth, weights = table(1, cells=50, classes=2)
    folds = draw_folds(weights.astype(np.int64), truth, folds=10, seed=1)
    counted = Contingency(codes.astype(np.int32), (False,) * 3, (6,) * 3, truth, folds)
    monkeypatch.setattr(models, "COUNTED_ENTRIES", 0)
    monkeypatch.setattr(models, "COUNTED_VALUES", 5)
    monkeypatch.setattr(trees, "grow", None)
    assert cross_validate(dataclasses.replace(counted), "tree").accuracy > 0.5
