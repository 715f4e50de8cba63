"""Mondrian on coded records: the same classes as an oracle finds, and none that misses what is required."""

from collections import Counter
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Oracle, Tree
from small_records import as_sets, coded, lines, placed, tables, trees

from anonduck.errors import ConfigError
from anonduck.methods import mondrian as mondrian_module
from anonduck.methods.coded_records import WHOLE, ClassCells, CodedRecords
from anonduck.methods.mondrian import mondrian
from anonduck.methods.registry import METHODS, method_named

EITHER = st.one_of(trees(), lines())


@examples(200)
@given(tables(columns=EITHER), st.integers(1, 6), st.booleans(), st.integers(1, 3), st.integers(0, 3))
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
        coded(tree, rows, sizes), k, asked, seed=seed, progress=lambda *words: told.append(words), strict=strict
    )
    assert as_sets(found) == oracle.classes()
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    assert told == sorted(told)
    assert told[-1] == ("cutting classes", sum(sizes), sum(sizes))


@examples(50)
@given(
    tables(least=4), st.integers(1, 4), st.lists(st.integers(0, 40), min_size=25, max_size=25), st.sampled_from((1, 8))
)
def test_cuts_by_entropy_are_those_of_the_oracle(drawn, k, firsts, few):
    """Of the records of each combination, some have one value of the class, and the others another."""
    tree, rows, sizes, _ = drawn
    of_first = [first % (size + 1) for first, size in zip(firsts, sizes, strict=False)]
    outcomes = [Counter({0: first, 1: size - first}) for first, size in zip(of_first, sizes, strict=True)]
    cells = [(row, value, held) for row, counts in enumerate(outcomes) for value, held in counts.items() if held]
    order = np.argsort(np.random.default_rng(0).permutation(len(tree))).tolist()
    oracle = Oracle(tree, rows, sizes, k, lambda region: True, True, order, [], [+counts for counts in outcomes])
    data = replace(coded(tree, rows, sizes), cells=ClassCells(*map(np.array, zip(*cells, strict=True))))
    with patch.object(mondrian_module, "FEW_CLASSES", few):  # classes of many values are counted in another way
        assert as_sets(mondrian(data, k, splits="entropy")) == oracle.classes()


def test_a_cut_by_entropy_parts_the_class_and_not_the_widest_column():
    wide, narrow = Tree(dict.fromkeys(range(1, 9), ()), 1, ordered=False), Tree({1: (1,), 2: (1,), 3: (2,)}, 2, False)
    rows, sizes = [(1, 1), (1, 2), (2, 1), (2, 2)], [3, 3, 3, 3]
    cells = ClassCells(np.arange(4), np.array([0, 1, 0, 1]), np.array(sizes))
    data = replace(coded([wide, narrow], rows, sizes), cells=cells)
    assert as_sets(mondrian(data, 6)) == {frozenset({0, 1}), frozenset({2, 3})}
    assert as_sets(mondrian(data, 6, splits="entropy")) == {frozenset({0, 2}), frozenset({1, 3})}


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
    with pytest.raises(ConfigError, match=r"'mondrain' is not known .did you mean 'mondrian'\?.; known are mondrian"):
        method_named("mondrain")


def test_options_override_defaults_and_wrong_ones_are_refused():
    method = METHODS["mondrian"]
    assert method.resolve_options() == {"strict": True, "splits": "width", "numbers": "nodes"}
    options = method.resolve_options({"strict": False}, {"splits": "entropy"})
    assert options == {"strict": False, "splits": "entropy", "numbers": "nodes"}
    assert method.algorithm_options(options) == {"strict": False, "splits": "entropy"}
    with pytest.raises(ConfigError, match="has no option 'sharp'; it has strict, splits, numbers"):
        method.resolve_options({"sharp": True})
    with pytest.raises(ConfigError, match="is true or false, not 3"):
        method.resolve_options({"strict": 3})
    with pytest.raises(ConfigError, match="is width or entropy, not True"):
        method.resolve_options({"splits": True})
