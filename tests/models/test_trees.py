"""Trees grown on counts and pruned: against scikit-learn's on one-hot columns, and small ones found by hand."""

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from anonduck.models import cross_validation, tree_pruning, trees
from anonduck.models.cross_validation import Contingency, cross_validate
from anonduck.models.estimators import MODELS
from anonduck.models.folds import draw_folds

LN2 = np.log(2)


def table(seed, *, cells, classes, values=6, attributes=3, most=10**6):
    """Every combination of codes with every class, so that no node is pure and hardly two splits are equally good."""
    random = np.random.default_rng(seed)
    codes = np.unique(random.integers(0, values, (cells, attributes)), axis=0)
    combined = np.repeat(codes, classes, axis=0)
    truth = np.tile(np.arange(classes), len(codes))
    weights = random.integers(1, most, len(combined)).astype(float)
    return combined, truth, weights * (1 + 3 * (combined.sum(axis=1) % classes == truth))


def columns_of(codes, ordered):
    nominal = [j for j in range(codes.shape[1]) if j not in ordered]
    onehot = [codes[:, [j]] == value for j in nominal for value in np.unique(codes[:, j])]
    matrix = np.hstack([codes[:, ordered], *onehot]).astype(np.float32)
    return trees.number_values(codes[:, nominal], codes[:, ordered].astype(np.float32)), matrix


def grown(columns, truth, *weights):
    return trees.grow(columns, np.array(truth), np.array(weights, dtype=float), int(max(truth)) + 1)


def told(one, alpha=0.0):
    """The class that each cell is told in each tree, pruned at alpha."""
    leaves = tree_pruning.pruned_leaves(one, tree_pruning.pruned_from(one), np.full(len(one.leaves), alpha))
    return one.counts[leaves].argmax(axis=-1)


def leaves(one, alpha, tree=0):
    alphas = tree_pruning.pruned_from(one)
    return len(np.unique(tree_pruning.pruned_leaves(one, alphas, np.full(len(one.leaves), alpha))[tree]))


@pytest.mark.slow
@given(
    st.integers(0, 10**6),
    st.integers(2, 60),
    st.integers(2, 4),
    st.sampled_from([[], [0], [1, 2], [0, 1, 2]]),
    st.sampled_from([0.0, 5e-4, 0.005, 0.05, 0.3]),
)
@examples(150)
def test_trees_are_those_of_scikit_learn_at_every_alpha(seed, cells, classes, ordered, alpha):
    codes, truth, weights = table(seed, cells=cells, classes=classes)
    columns, matrix = columns_of(codes, ordered)
    fewer = weights * (np.random.default_rng(seed).random(len(weights)) < 0.7)
    fewer[0] = 1.0
    both = grown(columns, truth, weights, fewer)
    for tree, learned in enumerate((weights, fewer)):
        held = learned > 0
        other = MODELS["tree"].make(matrix, learned, alpha)
        assert isinstance(other, DecisionTreeClassifier)
        other.fit(matrix[held], truth[held], sample_weight=learned[held])
        assert (told(both, alpha)[tree][held] == other.predict(matrix[held])).all()
        assert leaves_held(both, alpha, tree, held) == other.get_n_leaves()


def leaves_held(one, alpha, tree, held):
    alphas = tree_pruning.pruned_from(one)
    return len(np.unique(tree_pruning.pruned_leaves(one, alphas, np.full(len(one.leaves), alpha))[tree][held]))


def test_a_cut_lies_between_the_values_that_a_node_holds():
    """age tells the class but for one value: it is cut at 2.5, then at 6.5; a cell without weight shows where."""
    ages = np.array([[1], [2], [3], [9], [4], [2.4], [2.6], [6.4], [6.6]])
    columns = trees.number_values(np.empty((9, 0)), ages.astype(np.float32))
    one = grown(columns, [0, 0, 1, 0, 1, 0, 0, 0, 0], [10, 10, 10, 5, 10, 0, 0, 0, 0])
    assert one.parents.tolist() == [-1, 0, 0, 2, 2]
    assert one.levels == (0, 1, 3, 5)
    assert one.counts.tolist() == [[25, 20], [20, 0], [5, 20], [0, 20], [5, 0]]
    assert one.leaves.tolist() == [[1, 1, 3, 4, 3, 1, 3, 3, 4]]


def test_a_split_that_gains_nothing_by_itself_is_made_where_the_next_ones_gain():
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    columns, _ = columns_of(codes, [])
    one = grown(columns, [0, 1, 1, 0], np.full(4, 7.0))
    assert told(one, 5e-4).tolist() == [[0, 1, 1, 0]]
    assert tree_pruning.pruned_from(one).tolist() == [pytest.approx(1 / 3)] * 3 + [0] * 4


def test_pruning_cuts_what_gains_less_than_alpha_and_keeps_what_gains_more():
    """Splitting 100 records 50:50 into two of 45:5 gains 1 - H(0.1) = 0.531 bits."""
    columns = trees.number_values(np.array([[1], [1], [2], [2]]), np.empty((4, 0)))
    one = grown(columns, [0, 1, 0, 1], [45, 5, 5, 45])
    gain = 1 + (0.9 * np.log(0.9) + 0.1 * np.log(0.1)) / LN2
    assert leaves(one, gain - 1e-6) == 2
    assert leaves(one, gain + 1e-6) == 1


def test_a_good_split_below_a_poor_one_keeps_both():
    """The root gains 0.1 alone, its left child 0.5 and that one's 0.1: the first two stand up to 0.3 bits."""
    parents, trees_ = np.array([-1, 0, 0, 1, 1, 3, 3]), np.zeros(7, dtype=int)
    counts = np.zeros((7, 2))
    one = trees.GrownTrees(parents, trees_, counts, (0, 1, 3, 5, 7), np.array([[5, 6, 4, 2]]))
    gains = np.array([0.1, 0.5, 0, 0.1, 0, 0, 0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree_pruning, "_gains", lambda _: gains.copy())
        alphas = tree_pruning.pruned_from(one)
    assert alphas == pytest.approx([0.3, 0.3, 0, 0.1, 0, 0, 0])
    assert tree_pruning.candidates(alphas) == pytest.approx([0, np.sqrt(0.03), np.inf])
    assert tree_pruning.pruned_leaves(one, alphas, np.array([0.2])).tolist() == [[3, 3, 4, 2]]
    assert tree_pruning.pruned_leaves(one, alphas, np.array([0.3])).tolist() == [[0, 0, 0, 0]]


@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(2, 4))
@examples(60)
def test_right_records_at_every_alpha_are_found_by_one_sweep(seed, cells, classes):
    codes, truth, weights = table(seed, cells=cells, classes=classes)
    random = np.random.default_rng(seed)
    learned = weights * (random.random(len(weights)) < 0.6)
    learned[-1] = 1.0
    records = random.integers(0, 9, (len(weights), 2))
    one = grown(columns_of(codes, [0])[0], truth, learned)
    alphas, held = tree_pruning.pruned_from(one), tree_pruning.held_records(one, truth, records)
    changes, likelier = tree_pruning.right_when_pruned(one, held), tree_pruning.likelier_when_pruned(one, held)
    full = np.where(told(one)[0] == truth, records.T, 0).sum(axis=1)
    bits_in_full = bits(one, truth, records)
    for alpha in tree_pruning.candidates(alphas):
        right = np.where(told(one, alpha)[0] == truth, records.T, 0).sum(axis=1)
        now_leaves = (alphas <= alpha) & (alphas > 0)
        assert (right - full).tolist() == changes[now_leaves].sum(axis=0).tolist()
        gained = bits(one, truth, records, alpha) - bits_in_full
        assert gained == pytest.approx(likelier[now_leaves].sum(axis=0), abs=1e-9)


def bits(one, truth, records, alpha=0.0):
    """How likely the classes of records are by the leaves of the pruned tree, with one record more of each class."""
    chosen = np.full(len(one.leaves), alpha)
    inside = one.counts[tree_pruning.pruned_leaves(one, tree_pruning.pruned_from(one), chosen)[0]] + 1
    shares = inside[np.arange(len(truth)), truth] / inside.sum(axis=1)
    return records.T @ np.log2(shares)


def test_of_equally_good_alphas_the_largest_is_chosen():
    tried = np.array([0.0, 0.1, 0.3, np.inf])
    alphas = np.array([0.2, 0.05, 0.5])
    assert tree_pruning.best_alpha(tried, alphas, np.array([0.0, 3.0, -1.0])) == 0.3
    assert tree_pruning.best_alpha(tried, alphas, np.array([-1.0, 3.0, -1.0])) == 0.1
    assert tree_pruning.best_alpha(tried, alphas, np.array([0.0, 0.0, 0.0])) == np.inf
    assert tree_pruning.best_alpha(tried, alphas, np.array([-1.0, -1.0, -1.0])) == 0.0
    assert tree_pruning.best_alpha(tried, alphas, np.array([0.0, 0.0, 0.0]), largest=False) == 0.0
    assert tree_pruning.best_alpha(tried, alphas, np.array([0.0, 3.0, -3.0]), largest=False) == 0.1


def test_cells_without_weight_teach_nothing_and_are_predicted():
    columns = trees.number_values(np.array([[1], [2], [2], [3]]), np.empty((4, 0)))
    assert told(grown(columns, [0, 1, 0, 0], [5, 5, 0, 0])).tolist() == [[0, 1, 1, 1]]


@pytest.mark.parametrize("together", [1, 1 << 30])
def test_it_does_not_matter_how_many_trees_grow_together(together, monkeypatch):
    codes, truth, weights = table(1, cells=50, classes=3, attributes=4)
    folds = draw_folds(weights.astype(np.int64), truth, folds=10, seed=1)
    counted = Contingency(codes.astype(np.int32), (True, False, True, False), (6,) * 4, truth, folds)
    expected = cross_validate(counted, "tree")
    monkeypatch.setattr(cross_validation, "TOGETHER", together)
    assert cross_validate(counted, "tree") == expected


@pytest.mark.slow
def test_tens_of_thousands_of_trees_at_once_are_what_they_are_in_two_parts():
    """70,000 trees of some of five cells are as many nodes in the first level."""
    numbers = np.arange(5)
    columns = trees.number_values(np.empty((5, 0)), numbers[:, None].astype(np.float32))
    weights = np.random.default_rng(0).integers(0, 5, (100_000, 5))
    weights = weights[[len(set(numbers[row > 0] % 2)) == 2 for row in weights]][:70_000]
    assert len(weights) == 70_000
    whole = grown(columns, numbers % 2, *weights)
    parts = [grown(columns, numbers % 2, *part) for part in np.array_split(weights, 2)]
    assert len(whole.counts) == sum(len(part.counts) for part in parts)
    for alpha in (0.0, 1.0):
        assert (told(whole, alpha) == np.concatenate([told(part, alpha) for part in parts])).all()


def test_trees_are_the_same_however_many_attributes_are_looked_at_together(monkeypatch):
    """... and whether n log n is looked up or computed."""
    codes, truth, weights = table(3, cells=200, classes=3, values=9, attributes=4, most=50)
    columns, _ = columns_of(codes, [1, 2])
    expected = grown(columns, truth, weights, weights % 7)
    for cached, looked_up in ((1, trees.LOOKED_UP), (trees.CACHED, 1), (1, 4)):
        monkeypatch.setattr(trees, "CACHED", cached)
        monkeypatch.setattr(trees, "LOOKED_UP", looked_up)
        trees._products.cache_clear()
        found = grown(columns, truth, weights, weights % 7)
        assert (found.parents == expected.parents).all()
        assert (found.leaves == expected.leaves).all()
    trees._products.cache_clear()


@given(st.integers(1, 9), st.integers(1, 40), st.integers(0, 10**6))
def test_counts_are_packed_without_loss_whatever_the_classes_and_records(classes, bits, seed):
    """One number holds one class or all of them, up to its last bit."""
    weights = np.random.default_rng(seed).integers(0, 1 << bits, 12)
    columns = trees.number_values(np.zeros((12, 1)), np.empty((12, 0)))
    learned = trees._Learned(columns, np.arange(12) % classes, weights, classes)
    every = np.cumsum(np.where(learned.labels[:, None] == np.arange(classes), weights[:, None], 0), axis=0)
    running = [np.cumsum(word) for word in learned.packed]
    assert np.array(list(learned.unpack(running))).T.tolist() == every.tolist()
    assert np.array(list(learned.unpack(list(learned.pack(every))))).T.tolist() == every.tolist()


@pytest.mark.parametrize(("records", "alpha"), [(30_162, 4.93e-4), (1_325, 7.83e-3), (2, 0.5), (1, 0.0)])
def test_where_there_is_nothing_to_tune_by_a_split_has_to_tell_more_of_fewer_records(records, alpha):
    assert tree_pruning.untuned_alpha(records) == pytest.approx(alpha, rel=2e-3)


def test_two_folds_are_pruned_by_the_number_of_records():
    """A split that tells 0.02 bits stays on many records and goes on few; both folds hold the same."""
    for records, kept in ((20, False), (2_000, True)):
        half = records // 2
        ones = round(0.58 * half)
        counts = np.array([ones, half - ones, half - ones, ones])
        codes, classes = np.array([[1], [1], [2], [2]], dtype=np.int32), np.array([0, 1, 0, 1])
        table = Contingency(codes, (True,), (2,), classes, np.column_stack([counts, counts]))
        assert (cross_validate(table, "tree").accuracy == pytest.approx(ones / half)) == kept


def test_trees_that_nobody_waits_for_end_at_their_next_level():
    levels = []
    columns = trees.number_values(np.empty((64, 0)), np.arange(64, dtype=np.float32)[:, None])
    truth, weights = np.random.default_rng(0).integers(0, 2, 64), np.ones((1, 64), dtype=np.int64)
    whole = trees.grow(columns, truth, weights, 2, lambda: levels.append(1))
    ended = trees.grow(columns, truth, weights, 2, lambda: True)
    assert len(levels) > 3
    assert len(ended.parents) == 1 < len(whole.parents)


def test_a_tree_that_names_one_class_alone_ranks_by_what_tells_them_apart():
    """No value makes the rare class likely, so that the root is right most often; its share rises from 2 to 30 %."""
    shares = np.array([0.02, 0.08, 0.15, 0.30])
    codes = np.repeat([[1], [2], [3], [4]], 2, axis=0).astype(np.int32)
    records = np.column_stack([500 * (1 - shares), 500 * shares]).ravel().round().astype(np.int64)
    truth = np.tile([0, 1], 4)
    table = Contingency(codes, (True,), (4,), truth, draw_folds(records, truth, seed=1))
    found = cross_validate(table, "tree")
    common, rare = records[::2], records[1::2]
    below = np.cumsum(common) - common
    assert found.accuracy == common.sum() / records.sum()
    assert found.roc_auc == pytest.approx(rare @ (below + common / 2) / (rare.sum() * common.sum()), abs=0.02)
