"""NSVDist on coded records: the members of Algorithm 1 as it is printed, and what can be feasible."""

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Tree
from nsvdist_oracle import Printed
from small_records import coded, tables

from anonduck.methods.closures import EntropyLoss, cells_of
from anonduck.methods.coded_records import ClassCells
from anonduck.methods.nsvdist import Distributions, highest_l, most_alike, nsvdist


@st.composite
def classed(draw, ordered=False):
    """Coded records with the class of each: a combination may have several."""
    drawn, rows, sizes, _ = draw(tables())
    if ordered:
        parents = [sorted(draw(st.lists(st.integers(1, 3), min_size=6, max_size=6))) for _ in drawn]
        drawn = [Tree({code: (group,) for code, group in enumerate(one, start=1)}, 2, True) for one in parents]
        rows = sorted({tuple(min(code, 6) for code in row) for row in rows})
        sizes = sizes[: len(rows)]
    cells = []
    for number, size in enumerate(sizes):
        cells += [(number, value) for value in draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))]
    counted = sorted(Counter(cells).items())
    held = ClassCells(*(np.array(one) for one in zip(*((n, v, c) for (n, v), c in counted), strict=True)))
    return drawn, rows, replace(coded(drawn, rows, sizes), cells=held)


def chosen(found: Distributions, cell: int) -> Counter:
    part = slice(found.starts[cell], found.starts[cell + 1])
    return Counter(dict(zip(found.members[part].tolist(), found.taken[part].tolist(), strict=True)))


def feasible_l(data, k, share):
    """An l that is feasible: somewhere between 1 and the highest one."""
    highest = highest_l(np.bincount(data.cells.classes, weights=data.cells.records).astype(int), k)
    return None if highest is None else math.floor((1 + (highest - 1) * share) * 1e6) / 1e6


def agrees(drawn, rows, data, k, share, seed, numbers=None, loss="lm"):
    diversity = feasible_l(data, k, share)
    if diversity is None or diversity < 1:
        return
    found = nsvdist(data, k, diversity=diversity, seed=seed, numbers=numbers, loss=loss)
    ranks = np.random.default_rng(seed).permutation(len(data.cells.records))
    printed = Printed(drawn, rows, data, k, most_alike(k, diversity), ranks.tolist(), numbers, loss)
    for cell in range(len(data.cells.records)):
        members, total = printed.members(cell)
        assert chosen(found, cell) == members
        assert found.losses[cell] == total
        values = Counter()
        for one, count in members.items():
            values[int(data.cells.classes[one])] += count
        assert Counter({v: int(c) for v, c in enumerate(found.values[cell]) if c}) == values
        assert max(values.values()) * diversity <= k
        for number, column in enumerate(data.columns):
            codes = {rows[data.cells.combinations[one]][number] for one in members}
            covered = set(
                np.flatnonzero(
                    (column.place >= found.firsts[cell, number]) & (column.place <= found.lasts[cell, number])
                ).tolist()
            )
            assert covered == printed.covered(number, codes)


@examples(150)
@given(classed(), st.integers(1, 7), st.floats(0, 1), st.integers(0, 3), st.sampled_from(["lm", "entropy"]))
def test_members_are_those_of_the_printed_algorithm(drawn, k, share, seed, loss):
    agrees(*drawn, k, share, seed, loss=loss)


@examples(100)
@given(classed(ordered=True), st.integers(1, 5), st.floats(0, 1), st.integers(0, 3))
def test_runs_of_cells_are_those_of_the_printed_algorithm(drawn, k, share, seed):
    numbers = [np.array([0.0, 1, 2, 4, 8, 16, 32])] * len(drawn[0])
    agrees(*drawn, k, share, seed, numbers=numbers)


@examples(60)
@given(classed(), st.integers(2, 4), st.floats(0, 1), st.integers(0, 3))
def test_no_closure_loses_more_than_k_less_one_times_the_least(drawn, k, share, seed):
    """The theorem of appendix A, against all choices of k - 1 other records that meet l; of two records, the least."""
    trees, rows, data = drawn
    diversity = feasible_l(data, k, share)
    if diversity is None or diversity < 1:
        return
    found = nsvdist(data, k, diversity=diversity, seed=seed)
    most, cells = most_alike(k, diversity), range(len(data.cells.records))
    printed = Printed(trees, rows, data, k, most, list(cells), None, "lm")
    for cell in cells:
        own = next(n for n, record in enumerate(printed.records) if record[1] == cell)
        others = [n for n in range(len(printed.records)) if n != own]
        least = min(
            printed.loss_of([own, *chosen])
            for chosen in combinations(others, k - 1)
            if max(Counter(printed.records[n][3] for n in (own, *chosen)).values()) <= most
        )
        assert found.losses[cell] <= (k - 1) * (least + len(trees))  # losses are rounded down, by column


def test_the_bound_is_needed_as_the_greedy_choice_is_not_the_least():
    """The nearest record is no part of the best three: the closure loses more than the least, and at most twice."""
    trees = [Tree({code: ((code + 1) // 2,) for code in range(1, 7)}, 2, False)] * 2
    rows = [(1, 1), (2, 1), (1, 3), (1, 4)]
    cells = ClassCells(np.arange(4), np.zeros(4, dtype=int), np.ones(4, dtype=int))
    data = replace(coded(trees, rows, [1] * 4), cells=cells)
    printed = Printed(trees, rows, data, 3, 3, list(range(4)), None, "lm")
    least = min(printed.loss_of([0, *chosen]) for chosen in combinations([1, 2, 3], 2))
    loss = nsvdist(data, 3).losses[0]
    assert least < loss <= 2 * least


@examples(60)
@given(classed(), st.integers(1, 4), st.floats(0, 1), st.integers(2, 8))
def test_members_of_clusters_are_of_one_cluster_and_meet_l(drawn, k, share, size):
    _, _, data = drawn
    diversity = feasible_l(data, k, share)
    if diversity is None or diversity < 1:
        return
    found = nsvdist(data, k, diversity=diversity, clusters=size)
    assert (found.values.sum(axis=1) == k).all()
    assert (found.values.max(axis=1) * diversity <= k).all()
    for cell in range(len(data.cells.records)):
        members = chosen(found, cell)
        assert members[cell] >= 1
        assert all(count <= data.cells.records[one] for one, count in members.items())


def test_coarse_columns_have_the_same_members(monkeypatch):
    """Columns of many places tell losses by slot: with a limit of one, all do."""
    drawn = np.random.default_rng(5)
    tree = Tree({code: ((code + 3) // 4, (code + 7) // 8) for code in range(1, 41)}, 3, ordered=True)
    rows = sorted({tuple(row) for row in drawn.integers(0, 41, (120, 2)).tolist()})
    data = coded([tree, tree], rows, [1] * len(rows))
    classes = drawn.integers(0, 2, len(rows))
    data = replace(data, cells=ClassCells(np.arange(len(rows)), classes, data.records))
    for numbers in (None, [np.arange(41.0)] * 2):
        fine = nsvdist(data, 5, diversity=1.5, numbers=numbers)
        monkeypatch.setattr("anonduck.methods.closures.KEPT_ROWS", 1)
        coarse = nsvdist(data, 5, diversity=1.5, numbers=numbers)
        monkeypatch.undo()
        for one, other in zip(vars(fine).values(), vars(coarse).values(), strict=True):
            assert (one == other).all()


@pytest.mark.parametrize(
    ("k", "diversity", "most"), [(50, 1.0, 50), (50, 1.11, 45), (6, 1.2, 5), (3, 1.5, 2), (7, 7, 1)]
)
def test_how_many_may_be_alike_is_exact(k, diversity, most):
    assert most_alike(k, diversity) == most


@examples(200)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(1, 12))
def test_the_highest_l_is_feasible_and_none_above_it(values, k):
    highest = highest_l(np.array(values), k)

    def feasible(most):
        return sum(min(value, most) for value in values) >= k

    assert (highest is None) == (sum(values) < k)
    if highest is not None:
        most = round(k / highest)
        assert feasible(most)
        assert not feasible(most - 1)


def test_entropy_of_a_stretch_is_that_of_its_records():
    records = np.array([0, 3, 1, 0, 4])
    loss = EntropyLoss(records, 1e6)
    found = loss.of_run(np.array([1, 1, 0, 3]), np.array([1, 4, 4, 3]))
    shares = np.array([3, 1, 4]) / 8
    entropy = -(shares * np.log2(shares)).sum()
    assert found.tolist() == [0, round(entropy * 1e6), round(entropy * 1e6), 0]


def test_cells_have_k_records_each():
    tree = Tree({code: ((code + 1) // 2,) for code in range(1, 9)}, 2, ordered=True)
    data = coded([tree], [(code,) for code in range(1, 9)], [1] * 8)
    records = np.r_[0, np.ones(8, dtype=int)]
    assert cells_of(data.columns[0], records, 3).tolist() == [-1, 0, 0, 0, 0, 1, 1, 1, 1]
    assert cells_of(data.columns[0], records, 5) is None
    assert cells_of(data.columns[0], records, 1).tolist() == [-1, 0, 0, 1, 1, 2, 2, 3, 3]
    assert cells_of(replace(data.columns[0], ordered=False), records, 1) is None
    assert cells_of(replace(data.columns[0], nodes=data.columns[0].nodes[:2]), records, 1) is None
