"""Levels of free intervals against every interval looked at one by one, and in memory that follows their number."""

from itertools import combinations

import numpy as np
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.measures.free_levels import leveled
from anonduck.measures.numpy_measures import CodedAttribute, FreeIntervals

ROOT = 3
PAIRS = st.lists(st.tuples(st.integers(1, 12), st.integers(0, 6)), min_size=1, max_size=30, unique=True)


def intervals_of(pairs):
    """Levels of intervals by their first cell and the number of cells after it, the whole column aside."""
    return leveled([(low, low + more) for low, more in pairs], (0, 99), ROOT)


def free_of(found):
    free = sorted((level, low, high) for low, high, level in found if level > ROOT)
    levels, first, last = (np.array([one[at] for one in free], dtype=np.int64) for at in range(3))
    return FreeIntervals(levels, first, last, np.arange(len(free)) / 100, levels * 0)


@examples(60)
@given(pairs=PAIRS)
def test_intervals_of_a_level_do_not_overlap_and_no_level_is_left_out(pairs):
    found = intervals_of(pairs)
    free = [one for one in found if one[2] > ROOT]
    for (low, high, level), (other_low, other_high, other) in combinations(free, 2):
        assert level != other or high < other_low or other_high < low
    held = {level for *_, level in free}
    most = max((sum(low <= cell <= high for low, high, _ in free) for cell in range(20)), default=0)
    assert held == set(range(ROOT + 1, ROOT + 1 + most)), "as many levels as intervals lie over one cell"


@examples(60)
@given(pairs=PAIRS, seed=st.integers(0, 99))
def test_a_cell_finds_its_interval(pairs, seed):
    found = intervals_of(pairs)
    free, random = free_of(found), np.random.default_rng(seed)
    finest = np.r_[0, np.sort(random.integers(1, 20, 40))]
    attribute = CodedAttribute((np.arange(41), finest, finest // 4), np.ones(41), free=free)
    asked = [
        (code, at)
        for code in range(41)
        for at in range(len(free.levels))
        if free.first[at] <= finest[code] <= free.last[at]
    ]
    codes = np.array([code for code, _ in asked] + list(range(41)), dtype=np.int64)
    levels = np.array([free.levels[at] for _, at in asked] + [1] * 41, dtype=np.int64)
    by_node = [np.full(41, -1.0), finest + 0.5, finest * 0.0, finest * 0.0]
    told = attribute.of_cells(codes, levels, by_node, free.costs)
    assert told.tolist() == [at / 100 for _, at in asked] + (finest + 0.5).tolist()
    order, begins, ends = attribute.leaves_within()
    for at, (first, last) in enumerate(zip(free.first, free.last, strict=True)):
        assert sorted(order[begins[at] : ends[at]]) == [code for code in range(41) if first <= finest[code] <= last]
