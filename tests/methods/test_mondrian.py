"""Mondrian on coded records: the same classes as an oracle finds, and none that misses what is required."""

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Oracle, Tree

from anonduck.errors import ConfigError
from anonduck.methods.coded_records import WHOLE, CodedRecords, placed_column
from anonduck.methods.mondrian import mondrian
from anonduck.methods.registry import METHODS, method_named


@st.composite
def trees(draw):
    """A tree over up to seven leaves, some of which it may not know; nodes need not be in the order of leaves."""
    leaves, height = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    labels = list(range(leaves))
    levels = []
    for _ in range(height - 1):
        parents = draw(st.lists(st.integers(0, 3), min_size=max(leaves, 4), max_size=max(leaves, 4)))
        labels = [parents[label] for label in labels]
        levels.append([label + 1 for label in labels])
    unknown = draw(st.sets(st.integers(1, leaves), max_size=1 if leaves > 1 and height > 1 else 0))
    paths = {
        code: None if code in unknown else tuple(level[code - 1] for level in levels) for code in range(1, leaves + 1)
    }
    return Tree(paths, height, draw(st.booleans()))


@st.composite
def tables(draw):
    """Trees, distinct combinations of their leaf codes in order, their records, and a sensitive value of each."""
    drawn = draw(st.lists(trees(), min_size=1, max_size=3))
    codes = st.tuples(*(st.integers(0, len(tree.paths)) for tree in drawn))
    rows = sorted(draw(st.sets(codes, min_size=1, max_size=25)))
    sizes = draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    secrets = draw(st.lists(st.sampled_from("xyz"), min_size=len(rows), max_size=len(rows)))
    return drawn, rows, sizes, secrets


def placed(tree):
    known = [path for path in tree.paths.values() if path is not None]
    levels = [
        [0, *((path or (0,) * tree.height)[level] for path in tree.paths.values())] for level in range(tree.height - 1)
    ]
    paths = [np.arange(len(tree.paths) + 1), *map(np.array, levels)]
    leaves = [np.ones(len(tree.paths) + 1, dtype=np.int64)]
    leaves += [np.bincount([path[level] for path in known], minlength=5) for level in range(tree.height - 1)]
    return placed_column(paths, leaves, len(known), ordered=tree.ordered)


def coded(drawn, rows, sizes):
    columns = zip(*rows, strict=True)
    return CodedRecords(tuple(map(placed, drawn)), tuple(map(np.array, columns)), np.array(sizes))


def as_sets(classes):
    return {frozenset(np.flatnonzero(classes == one).tolist()) for one in set(classes.tolist())}


@examples(200)
@given(tables(), st.integers(1, 6), st.booleans(), st.integers(1, 3), st.integers(0, 3))
def test_classes_are_those_of_the_oracle(drawn, k, strict, diverse, seed):
    tree, rows, sizes, secrets = drawn

    def diverse_enough(region):
        return len({secrets[row] for row in region}) >= diverse

    def meets(asked, groups, count):
        return np.array([diverse_enough(asked[groups == group].tolist()) for group in range(count)])

    ranks = np.random.default_rng(seed)
    order = np.argsort(ranks.permutation(len(tree))).tolist()
    row_ranks = [] if strict else ranks.permutation(len(rows)).tolist()
    oracle = Oracle(tree, rows, sizes, k, diverse_enough, strict, order, row_ranks)
    told = []
    found = mondrian(
        coded(tree, rows, sizes), k, meets if diverse > 1 else None, seed=seed, tell=told.append, strict=strict
    )
    assert as_sets(found) == oracle.classes()
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    assert told == sorted(told)
    assert told[-1] == sum(sizes)


@examples(50)
@given(trees())
def test_places_put_each_node_in_a_stretch(tree):
    column = placed(tree)
    places = [tree.place(code) for code in (0, *tree.paths)]
    assert column.place.tolist() == [sorted(set(places)).index(place) for place in places]
    for level in column.nodes:
        assert (np.diff(level) >= 0).all()
    for one in tree.paths:
        for other in tree.paths:
            least, most = sorted(column.place[[one, other]])
            (level,) = column.common_levels(np.array([least]), np.array([most]))
            assert level == tree.common_level([one, other])
            assert column.widths[level, least] == tree.width([one, other])


def test_a_rare_value_goes_with_the_smallest_other_one():
    """Twelve, six, one and two records: the last two are too few for k = 4, and the six are joined with them."""
    one = Tree({1: (), 2: (), 3: (), 4: ()}, 1, ordered=False)
    data = coded([one], [(1,), (2,), (3,), (4,)], [12, 6, 1, 2])
    assert as_sets(mondrian(data, 4)) == {frozenset({0}), frozenset({1, 2, 3})}
    assert as_sets(mondrian(data, 3)) == {frozenset({0}), frozenset({1}), frozenset({2, 3})}


def test_relaxed_classes_part_records_that_are_alike_in_a_column():
    """Nine of ten records have one age, which a strict cut cannot part; sexes differ too little for k = 5."""
    age = Tree({1: (), 2: ()}, 1, ordered=True)
    hair = Tree(dict.fromkeys(range(1, 10), ()), 1, ordered=False)
    rows = [(1, code) for code in range(1, 10)] + [(2, 1)]
    data = coded([age, hair], rows, [1] * 10)
    apart = [set(one) for one in as_sets(mondrian(coded([age], [(1,), (2,)], [9, 1]), 5, strict=False))]
    assert apart == [{0, 1}]
    relaxed = as_sets(mondrian(data, 5, strict=False))
    assert sorted(map(len, relaxed)) == [5, 5]


def test_widths_are_whole_numbers():
    column = placed(Tree({1: (1,), 2: (1,), 3: (2,)}, 2, ordered=True))
    assert column.widths.tolist() == [[0] * 4, [0, 2 * WHOLE // 3, 2 * WHOLE // 3, 0], [WHOLE] * 4]


def test_no_record_has_no_class():
    column = placed(Tree({1: ()}, 1, ordered=False))
    data = CodedRecords((column,), (np.zeros(0, dtype=np.int64),), np.zeros(0, dtype=np.int64))
    assert mondrian(data, 2).tolist() == []


# -- the registry ------------------------------------------------------------------------------------------------------


def test_methods_are_found_by_name():
    assert all(method_named(name).name == name for name in METHODS)
    with pytest.raises(ConfigError, match="'mondrain' is not known; known are mondrian"):
        method_named("mondrain")


def test_options_are_settled():
    method = METHODS["mondrian"]
    assert method.settled() == {"strict": True}
    assert method.settled({"strict": False}) == {"strict": False}
    with pytest.raises(ConfigError, match="has no option 'sharp'; it has strict"):
        method.settled({"sharp": True})
    with pytest.raises(ConfigError, match="is true or false, and not 3"):
        method.settled({"strict": 3})
