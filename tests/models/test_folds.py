"""The folds of the cross-validation: counts, stratification, distribution."""

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from anonduck.errors import ModelError
from anonduck.models import folds as module
from anonduck.models.folds import DEALT, draw_folds

CELLS = st.lists(st.tuples(st.integers(0, 3 * DEALT), st.integers(0, 3)), max_size=30)


def spread(sizes):
    return int(sizes.max() - sizes.min())


def check_split(records, classes, drawn, folds):
    assert drawn.dtype == np.int64
    assert drawn.shape == (len(records), folds)
    assert (drawn >= 0).all()
    assert (drawn.sum(axis=1) == records).all()
    for one in np.unique(classes):
        assert spread(drawn[classes == one].sum(axis=0)) <= 1
    assert spread(drawn.sum(axis=0)) <= 1


@given(CELLS, st.integers(2, 12), st.integers(0, 2**32))
def test_rows_sum_to_the_records_and_every_class_is_split_equally(cells, folds, seed):
    records, classes = np.array(cells, dtype=np.int64).reshape(-1, 2).T
    drawn = draw_folds(records, classes, folds=folds, seed=seed)
    check_split(records, classes, drawn, folds)
    assert (drawn == draw_folds(records, classes, folds=folds, seed=seed)).all()


@given(CELLS, st.integers(2, 12), st.integers(1, 200))
@examples(50)
def test_a_class_that_is_cut_into_strata_is_split_equally_too(cells, folds, stratum):
    records, classes = np.array(cells, dtype=np.int64).reshape(-1, 2).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "STRATUM", stratum)
        check_split(records, classes, draw_folds(records, classes, folds=folds, seed=1), folds)


def test_another_seed_is_another_split():
    records, classes = np.full(50, 7), np.zeros(50, dtype=int)
    assert (draw_folds(records, classes, seed=1) != draw_folds(records, classes, seed=2)).any()


def test_the_split_does_not_depend_on_the_size_of_a_pack(monkeypatch):
    records, classes = np.arange(200) % 40, np.arange(200) % 3
    whole = draw_folds(records, classes, seed=3)
    monkeypatch.setattr(module, "_PACK", 7)
    assert (draw_folds(records, classes, seed=3) == whole).all()


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("stratum", [module.STRATUM, 60])
def test_counts_have_the_mean_and_variance_of_a_random_split(monkeypatch, stratum):
    """The mean of a cell's count in a fold is n/10; a z test over 2,000 seeds, one false alarm in a million."""
    monkeypatch.setattr(module, "STRATUM", stratum)
    records, classes = np.array([3, DEALT + 20, 1, 0, 47]), np.array([0, 0, 0, 1, 1])
    seeds = 2000
    counts = np.array([draw_folds(records, classes, seed=seed) for seed in range(seeds)])
    deviation = np.sqrt(records / 10 * 0.9)  # binomial, which no such split exceeds by more than the surplus folds
    error = np.abs(counts.mean(axis=0) - records[:, None] / 10)
    assert (error <= 5 * (deviation[:, None] + 0.5) / np.sqrt(seeds)).all()


@pytest.mark.slow
def test_counts_follow_the_hypergeometric_distribution():
    """Fold 0 takes 10 of 100 records, of a cell of 40 that is drawn and one of 20 that is dealt: chi-squared."""
    records, classes = np.array([40, 20, 40]), np.zeros(3, dtype=int)
    counts = np.array([draw_folds(records, classes, seed=seed)[:, 0] for seed in range(4000)])
    for cell in (0, 1):
        law = stats.hypergeom(100, records[cell], 10)
        low, high = int(law.ppf(0.005)), int(law.ppf(0.995))
        observed = np.bincount(np.clip(counts[:, cell], low, high), minlength=high + 1)[low:]
        expected = law.pmf(np.arange(low, high + 1))
        expected[0], expected[-1] = law.cdf(low), law.sf(high - 1)
        assert stats.chisquare(observed, expected * len(counts)).pvalue > 1e-6


@pytest.mark.slow
def test_the_fold_of_a_single_record_is_uniform():
    taken = [int(draw_folds(np.array([1]), np.array([0]), seed=seed).argmax()) for seed in range(2000)]
    assert stats.chisquare(np.bincount(taken, minlength=10)).pvalue > 1e-6


def test_counts_beyond_the_limit_of_numpy_are_exact():
    records = np.array([3_000_000_007, 5, 999_999_999, 1_234_567_891, 1], dtype=np.int64)
    classes = np.array([0, 0, 0, 1, 1])
    drawn = draw_folds(records, classes, seed=5)
    check_split(records, classes, drawn, 10)
    assert (np.abs(drawn[[0, 2, 3]] / (records[[0, 2, 3], None] / 10) - 1) < 1e-3).all()


def test_a_class_with_fewer_records_than_folds_misses_in_some():
    drawn = draw_folds(np.array([2, 1, 100]), np.array([0, 0, 1]), seed=0)
    assert sorted(drawn[:2].sum(axis=0).tolist()) == [0] * 7 + [1] * 3


def test_no_cells_give_no_rows():
    none = np.array([], dtype=np.int64)
    assert draw_folds(none, none, seed=0).shape == (0, 10)


@pytest.mark.parametrize(
    ("records", "classes", "folds", "words"),
    [
        ([1, 2], [0], 10, "2 counts and 1 classes"),
        ([1, -2], [0, 0], 10, "1 cells have a negative"),
        ([1, 2], [0, 0], 1, "at least two folds; got 1"),
    ],
)
def test_what_is_no_table_of_counts_is_refused(records, classes, folds, words):
    with pytest.raises(ModelError, match=words):
        draw_folds(np.array(records), np.array(classes), folds=folds, seed=0)
