"""Groups of rare values: against trying each way to group on small columns, and by hand."""

import numpy as np
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.evaluation.rare_groups import NULL, RareGroup, groups_by_taxonomy, groups_in_order, rare_codes

PATHS = [np.array([0, 1, 2, 3, 4, 5, 6]), np.array([0, 1, 1, 2, 2, 3, 3]), np.array([0, 1, 1, 1, 1, 2, 2])]


def runs_of(codes):
    """All ways to cut a row into runs."""
    if not codes:
        yield []
        return
    for end in range(1, len(codes) + 1):
        for rest in runs_of(codes[end:]):
            yield [codes[:end], *rest]


@examples(150)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=9), st.integers(1, 6))
def test_runs_of_the_order_are_as_many_as_can_be(counts, k):
    held = np.array(counts)
    rare = [code for code in range(1, len(held)) if 0 < held[code] < k]
    ways = [way for way in runs_of(rare) if all(held[run].sum() >= k for run in way)]
    found = groups_in_order(held, k)
    shown = [tuple(code for code in run if code != NULL) for run in found]
    most = max((len(way) for way in ways), default=0)
    assert len([run for run in shown if run]) == (most or bool(rare))
    assert [code for run in shown for code in run] == rare
    assert sum(run.count(NULL) for run in found) == (0 < held[NULL] < k)
    if held[rare].sum() >= k:
        assert all(held[list(run)].sum() >= k for run in found)


def below(path, node):
    return {code for code in range(1, len(path)) if path[code] == node}


@examples(300)
@given(st.lists(st.integers(0, 7), min_size=7, max_size=7), st.integers(1, 7))
def test_a_group_has_the_lowest_node_with_enough_rare_records(counts, k):
    held = np.array(counts)
    found = groups_by_taxonomy(PATHS, held, k)
    rare, grouped = set(rare_codes(held, k)), [set(group.codes) for group in found]
    members = set().union(*grouped)
    assert sum(map(len, grouped)) == len(members)
    assert rare <= members
    if held.sum() >= k:
        assert all(held[list(group)].sum() >= k for group in grouped)
    taken: set = set()
    expected = []
    for level in (1, 2):  # by hand: each node from below, with what is left of its rare values
        for node in sorted({int(one) for one in PATHS[level][1:]}):
            codes = (below(PATHS[level], node) & rare) - taken
            if codes and held[sorted(codes)].sum() >= k:
                expected.append(RareGroup(tuple(sorted(codes)), level))
                taken |= codes
    at_root = [group for group in found if group.level == 3]
    if rare == taken:
        assert (found, at_root) == (expected, [])
    else:
        (root,) = at_root
        assert rare - taken <= set(root.codes)
        more = set(root.codes) - (rare - taken)
        assert not more or held[sorted(rare - taken)].sum() < k
        assert {one for one in expected if not set(one.codes) & more} == set(found) - {root}


def test_null_and_what_is_left_take_the_fewest_records_with_them():
    held = np.array([1, 9, 5, 0, 4, 2, 3])
    found = groups_by_taxonomy(PATHS, held, 5)
    assert found == [RareGroup((5, 6), 1), RareGroup((0, 4), 3)]
    held[0], held[4] = 1, 2
    assert groups_by_taxonomy(PATHS, held, 5) == [RareGroup((5, 6), 1), RareGroup((0, 2, 4), 3)]
