"""RFD discovery against a brute-force search over all level vectors."""

from itertools import product

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.search.rfd import rfds
from anonduck.search.rfd.rfds import Thermometer, discover_rfds, minimal_patterns


def admits(levels, pattern):
    return all(d <= level for d, level in zip(pattern, levels, strict=True))


def brute_force(patterns, roots):
    """All maximal level vectors that admit no pattern, the vector of roots left out."""
    safe = {v for v in product(*(range(r + 1) for r in roots)) if not any(admits(v, p) for p in patterns)}
    maximal = set()
    for vector in safe:
        raised = [(*vector[:i], v + 1, *vector[i + 1 :]) for i, v in enumerate(vector) if v < roots[i]]
        if not any(r in safe for r in raised):
            maximal.add(vector)
    return maximal


@st.composite
def spaces(draw):
    roots = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    rows = draw(st.lists(st.tuples(*(st.integers(0, r) for r in roots)), min_size=1, max_size=14))
    return roots, rows


@given(spaces())
@examples(400)
def test_finds_just_the_vectors_that_a_brute_force_search_finds(space):
    roots, patterns = space
    found = discover_rfds(np.array(patterns, dtype=np.uint8), roots, 10_000)
    assert found.complete
    assert len(set(found.vectors)) == len(found.vectors)
    assert set(found.vectors) == brute_force(patterns, roots)


@given(spaces(), st.sampled_from([1, 4, 1 << 17]))
@examples(100)
def test_minimal_patterns_are_those_that_hold_no_other(space, at_once):
    roots, patterns = space
    scale = Thermometer(roots)
    with pytest.MonkeyPatch.context() as changed:  # few pairs at once are divided at bits
        changed.setattr(rfds, "CHECKED_MASKS", at_once)
        masks = minimal_patterns(scale.encode(np.array(patterns, dtype=np.uint8)))
    decoded = {tuple(int(scale.decode(masks, a)[i]) for a in range(len(roots))) for i in range(len(masks))}
    distinct = set(patterns)
    assert decoded == {p for p in distinct if not any(q != p and admits(p, q) for q in distinct)}


@pytest.mark.parametrize("columns", [18, 40])
def test_minimal_patterns_of_many_columns_are_those_of_a_comparison_pair_by_pair(columns):
    levels = np.minimum(np.random.default_rng(columns).integers(0, 6, (2_000, columns)), 3).astype(np.uint8)
    levels[:, 9:] *= np.random.default_rng(0).random((2_000, columns - 9)) < 0.2  # so that some contain others
    scale = Thermometer([3] * columns)
    masks = minimal_patterns(scale.encode(levels))
    distinct = np.unique(levels, axis=0)
    admitted = (distinct[:, None, :] <= distinct[None, :, :]).all(axis=2).sum(axis=0)
    wanted = np.unique(scale.encode(distinct[admitted == 1]), axis=0)
    assert 0 < len(wanted) < len(distinct)
    assert np.array_equal(np.unique(masks, axis=0), wanted)


def test_bound_marks_the_result_incomplete_only_if_there_is_more():
    patterns = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=np.uint8)
    everything = discover_rfds(patterns, [1, 1, 1], 3)
    assert (len(everything.vectors), everything.complete) == (3, True)
    bounded = discover_rfds(patterns, [1, 1, 1], 2)
    assert (len(bounded.vectors), bounded.complete) == (2, False)
    assert set(bounded.vectors) < set(everything.vectors)


@given(spaces(), st.integers(0, 12))
@examples(200)
def test_where_the_bound_cuts_the_admissible_ones_are_searched_apart(space, least):
    roots, patterns = space
    everything = brute_force(patterns, roots)
    wanted = {vector for vector in everything if sum(vector) >= least}
    found = discover_rfds(np.array(patterns, dtype=np.uint8), roots, 2, lambda vector: sum(vector) >= least)
    assert set(found.vectors) <= everything
    assert found.complete == (len(everything) <= 2)
    assert found.admissible_complete == (found.complete or len(wanted) <= 2)
    if found.admissible_complete:
        assert wanted <= set(found.vectors)


def test_many_levels_take_several_limbs():
    roots = [20] * 5
    patterns = np.array([[20, 0, 0, 0, 7], [0, 3, 0, 20, 0]], dtype=np.uint8)
    found = discover_rfds(patterns, roots, 100)
    expected = {
        tuple(
            min(r, *(p[1] - 1 for p in picked if p[0] == i)) if any(p[0] == i for p in picked) else r
            for i, r in enumerate(roots)
        )
        for picked in product([(0, 20), (4, 7)], [(1, 3), (3, 20)])
    }
    assert set(found.vectors) == expected


def test_a_search_whose_time_is_up_says_so():
    patterns = np.array([[1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 1, 1]], dtype=np.uint8)
    roots = (2, 2, 2)
    whole = discover_rfds(patterns, roots, 100)
    assert whole.complete
    none = discover_rfds(patterns, roots, 100, over=lambda: True)
    assert (none.vectors, none.complete, none.admissible_complete, none.stopped) == ((), False, False, True)
    for asked in range(1, 20):
        left = iter([False] * asked)
        found = discover_rfds(patterns, roots, 100, over=lambda left=left: next(left, True))
        assert set(found.vectors) <= set(whole.vectors)
        assert found.stopped == (not found.complete)
    assert found == whole
