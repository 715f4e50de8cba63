from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from anonduck.rules.levels import level_by_level, one_level_coarser, one_level_finer


def test_neighbours_differ_in_one_level_of_one_attribute():
    assert list(one_level_finer((0, 2))) == [(0, 1)]
    assert list(one_level_coarser((0, 2), (1, 2))) == [(1, 2)]


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.data())
def test_each_vector_under_open_ones_comes_once_and_after_them(roots, data):
    roots = tuple(roots)
    every = list(product(*(range(root + 1) for root in roots)))
    closed = data.draw(st.sets(st.sampled_from(every), max_size=6)) - {roots}
    seen = []
    asked = []

    def is_open(vector):
        asked.append(vector)
        assert vector == seen[-1], "asked after it was yielded"
        return vector not in closed

    for vector in level_by_level(roots, is_open):
        seen.append(vector)  # noqa: PERF402 - is_open looks at it while the loop runs
    expected = {v for v in every if v != roots and _reached(v, roots, closed)}
    assert len(seen) == len(set(seen))
    assert set(seen) == expected
    assert asked == seen
    place = {vector: number for number, vector in enumerate(seen)}
    for vector in seen:
        assert all(place[above] < place[vector] for above in one_level_coarser(vector, roots) if above != roots)


def _reached(vector, roots, closed):
    """Whether no vector above, as coarse or coarser in all attributes, is closed."""
    above = product(*(range(level, root + 1) for level, root in zip(vector, roots, strict=True)))
    return not any(one in closed for one in above if one != vector)
