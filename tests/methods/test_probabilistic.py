"""Probabilistic k-anonymity on coded records: dissimilarities and MDAV as in plain Python, blocks, permutations."""

import numpy as np
import probabilistic_oracle as oracle
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.errors import ConfigError
from anonduck.methods.coded_records import MixedColumn, MixedRecords
from anonduck.methods.dissimilarity import MOST_LISTED, ONE, Distances, ahmad_dey, gower
from anonduck.methods.permutation import check_blocks, dealt, mutual_information, paired, permuted
from anonduck.methods.probabilistic import mdav, probabilistic

NEAR = 20 / ONE


@st.composite
def tables(draw, most=14):
    """Distinct rows of numbers, letters and NULL, and the records of each; a column of numbers has one."""
    kinds = draw(st.lists(st.sampled_from("nc"), min_size=1, max_size=4))
    value = {"n": st.none() | st.integers(-3, 9), "c": st.none() | st.sampled_from("abc")}
    rows = draw(st.lists(st.tuples(*(value[kind] for kind in kinds)), min_size=1, max_size=most, unique=True))
    rows = [tuple(draw(st.integers(0, 3)) if kind == "n" else "a" for kind in kinds), *rows]
    rows = list(dict.fromkeys(rows))
    return rows, draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))


def mixed(rows, weights):
    columns, codes, bins = oracle.coded(rows)
    return MixedRecords(columns, codes, np.array(weights)), oracle.together(bins, weights)


@examples(150)
@given(tables())
def test_gower_is_equation_1(drawn):
    rows, weights = drawn
    data, _ = mixed(rows, weights)
    distances = Distances(gower(data), data.codes)
    for i in range(len(rows)):
        plain = [float(oracle.gower(rows, i, j)) for j in range(len(rows))]
        assert distances.row(i) / ONE == pytest.approx(scaled(plain, distances, len(data.columns)), abs=NEAR)


def scaled(plain, distances, columns):
    """Without a NULL, distances are sums and not means: the order is the same."""
    return [one * columns for one in plain] if distances.shared.everything else plain


@examples(40)
@given(tables(most=6))
def test_ahmad_and_dey_is_equation_2(drawn):
    rows, weights = drawn
    data, together = mixed(rows, weights)
    distances = Distances(ahmad_dey(data, together), data.codes)
    for i in range(len(rows)):
        plain = [float(oracle.ahmad_dey(rows, weights, i, j)) for j in range(len(rows))]
        assert distances.row(i) / ONE == pytest.approx(plain, abs=NEAR)


@examples(150)
@given(tables(), st.integers(2, 5), st.integers(0, 3), st.booleans())
def test_clusters_are_those_of_plain_mdav(drawn, k, seed, by_values):
    rows, weights = drawn
    data, together = mixed(rows, weights)
    measure = ahmad_dey(data, together) if by_values else gower(data)
    distances = Distances(measure, data.codes)
    matrix = [distances.row(i).tolist() for i in range(len(rows))]
    found = mdav(distances, data.records, k, np.random.default_rng(seed), lambda _: None)
    clusters = [[] for _ in range(len(found.sizes))]
    for cluster, combination, records in zip(found.cluster, found.combination, found.records, strict=True):
        clusters[cluster] += [int(combination)] * int(records)
    assert [sorted(one) for one in clusters] == oracle.mdav(matrix, weights, k, np.random.default_rng(seed))


@examples(80)
@given(tables(), st.integers(2, 5), st.integers(0, 3), st.sampled_from(["gower", "ahmad-dey"]), st.integers(2, 6))
def test_clusters_in_blocks_have_k_records_and_each_record_once(drawn, k, seed, dissimilarity, most):
    rows, weights = drawn
    if sum(weights) < k:
        return
    data, together = mixed(rows, weights)
    said, told = [], []
    found = probabilistic(
        data,
        k,
        together,
        seed=seed,
        dissimilarity=dissimilarity,
        most=most,
        note=said.append,
        progress=lambda *one: told.append(one),
    )
    assert ((k <= found.sizes) & (found.sizes < 2 * k)).all()
    assert np.bincount(found.combination, weights=found.records).tolist() == weights
    assert told[-1] == ("clustering records", sum(weights), sum(weights))
    assert all("within" in words for words in said)


def test_many_combinations_are_compared_within_blocks():
    rows = [(number, "ab"[number % 2]) for number in range(40)]
    data, together = mixed(rows, [1] * 40)
    said = []
    found = probabilistic(data, 3, together, seed=0, most=10, note=said.append)
    assert len(said) == 1
    assert "within 8 blocks of at most 5 combinations" in said[0]
    spread = [np.ptp(found.combination[found.cluster == one]) for one in range(len(found.sizes))]
    assert max(spread) < 40 / 2


def test_long_categories_are_compared_as_equal_or_not_and_that_is_said():
    size = MOST_LISTED + 2
    codes = np.arange(1, size)
    data = MixedRecords((MixedColumn(size),), (codes,), np.ones(len(codes), dtype=int))
    said = []
    found = probabilistic(data, 400, {}, seed=0, dissimilarity="ahmad-dey", note=said.append)
    assert found.sizes.tolist() == [400, 601]
    assert "1,000 values" in said[0]


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 1)), min_size=1), st.integers(0, 3))
def test_blocks_are_permuted_within_clusters_and_always_change_where_they_can(drawn, seed):
    named, one, other = (np.array(part) for part in zip(*drawn, strict=True))
    _, cluster = np.unique(named, return_inverse=True)
    found = permuted(cluster, [one, other], np.random.default_rng(seed))
    for values, sources, unchanged in zip((one, other), found.sources, found.unchanged, strict=True):
        assert sorted(sources.tolist()) == list(range(len(drawn)))
        assert (cluster[sources] == cluster).all()
        for number, still in enumerate(unchanged):
            here = cluster == number
            assert still == (len(set(values[here].tolist())) == 1)
            assert still == (values[sources[here]] == values[here]).all()
    assert found.homogeneous.tolist() == [bool(a and b) for a, b in zip(*found.unchanged, strict=True)]


def test_every_order_that_changes_something_is_drawn():
    cluster, values = np.zeros(3, dtype=int), np.arange(3)
    drawn = {tuple(permuted(cluster, [values], np.random.default_rng(seed)).sources[0].tolist()) for seed in range(60)}
    assert drawn == {(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)}


def test_records_are_dealt_to_the_clusters_of_their_combination():
    of_record = np.array([1, 0, 1, 1, 0])
    found = dealt(np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([1, 2, 2]), of_record, np.random.default_rng(1))
    assert found[[1, 4]].tolist() == [1, 1]
    assert sorted(found[[0, 2, 3]].tolist()) == [0, 1, 1]


def test_columns_are_paired_by_falling_information():
    assert paired({"a": 0.1, "b": 0.5, "c": 0.3, "d": 0.1, "e": 0.0}) == [["b", "c"], ["a", "d", "e"]]
    assert paired({"a": 0.1}) == [["a"]]
    assert paired({"a": 0.1, "b": 0.2, "c": 0.3}) == [["c", "b", "a"]]


def test_mutual_information_is_equation_3():
    assert mutual_information(np.array([[5, 0], [0, 5]])) == pytest.approx(1.0)
    assert mutual_information(np.array([[2, 2], [3, 3]])) == pytest.approx(0.0)
    assert mutual_information(np.zeros((2, 2))) == 0.0


@pytest.mark.parametrize(
    ("blocks", "words"),
    [([["a"]], "no block holds 'b'"), ([["a", "b"], ["a"]], "'a' twice"), ([["a", "b", "x"]], "'x', which is no")],
)
def test_blocks_that_do_not_hold_each_column_once_are_refused(blocks, words):
    with pytest.raises(ConfigError, match=words):
        check_blocks(blocks, ["a", "b"])
