"""Mondrian on coded records: the same classes as an oracle finds, and none that misses what is required."""

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Oracle, Tree
from small_records import as_sets, coded, placed, tables, trees

from anonduck.errors import ConfigError
from anonduck.methods.coded_records import WHOLE, CodedRecords
from anonduck.methods.mondrian import mondrian
from anonduck.methods.registry import METHODS, method_named


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
    asked = meets if diverse > 1 else None
    found = mondrian(
        coded(tree, rows, sizes), k, asked, seed=seed, tell=lambda *words: told.append(words), strict=strict
    )
    assert as_sets(found) == oracle.classes()
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    assert told == sorted(told)
    assert told[-1] == ("cutting classes", sum(sizes), sum(sizes))


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
