"""Cut trees: they give each combination the class that the method gave it, and every other combination one as well."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from small_records import as_sets, coded, lines, tables, trees

from anonduck.errors import ConfigError
from anonduck.methods.column_labels import ColumnLabels
from anonduck.methods.cut_tree import NULL, CutTree
from anonduck.methods.guided import guided
from anonduck.methods.mondrian import mondrian
from anonduck.methods.noted_cuts import NotedCuts

EITHER = st.one_of(trees(), lines())


def labels_of(tree):
    paths = [None, *tree.paths.values()]
    texts = [[None, *map(str, tree.paths)]]
    texts += [[None if path is None else f"{path[level]}" for path in paths] for level in range(tree.height - 1)]
    return ColumnLabels(texts, np.array([True, *(path is not None for path in tree.paths.values())]))


def middles(_number, gaps):
    """Bounds half way between the values around each gap."""
    middle = gaps.sum(axis=1) / 2
    bounds, number = np.unique(middle, return_inverse=True)
    return tuple(map(str, bounds)), number


def places_of(tree, drawn, codes):
    """Of combinations of leaf codes, the place of each in every column, as the tree's docstring says."""
    found = []
    for one, marks, column in zip(drawn, tree.marks, zip(*codes, strict=True), strict=True):
        if marks.bounds is None:
            of_code = marks.places(labels_of(one))
        else:
            of_code = np.array(
                [NULL, *(sum(float(bound) <= code for bound in marks.bounds) for code in one.paths)], dtype=np.int64
            )
        found.append(of_code[np.array(column)])
    return found


@examples(200)
@given(tables(columns=EITHER), st.integers(1, 5), st.booleans(), st.integers(0, 3))
def test_a_tree_gives_each_combination_its_class_and_covers_all_others(drawn, k, by_guided, seed):
    trees_drawn, rows, sizes, _ = drawn
    data, names = coded(trees_drawn, rows, sizes), [f"c{number}" for number in range(len(trees_drawn))]
    noted = NotedCuts(data)
    if by_guided:
        shares = np.random.default_rng(seed).random((len(rows), 2))
        found = guided(replace(data, expected=shares), k, seed=seed, watcher=noted)
    else:
        found = mondrian(data, k, seed=seed, watcher=noted)
    tree = noted.tree(names, [labels_of(one) for one in trees_drawn], middles)
    classes = tree.classes(places_of(tree, trees_drawn, rows))
    assert as_sets(classes) == as_sets(found)
    every = list(product(*([0, *one.paths] for one in trees_drawn)))
    inner = set(tree.node.tolist())
    assert not inner.intersection(tree.classes(places_of(tree, trees_drawn, every)).tolist())
    assert tree.leaves == len(set(found.tolist()))
    for node in inner:
        of = tree.node == node
        (column,) = set(tree.column[of].tolist())
        ranges = [place for at in np.flatnonzero(of) for place in range(tree.first[at], tree.last[at] + 1)]
        assert ranges == list(range(NULL, tree.marks[column].largest + 1))
        assert len(set(tree.next[of].tolist())) > 1


@examples(50)
@given(tables(least=4, columns=EITHER), st.integers(1, 2))
def test_it_is_the_same_as_json_and_with_its_columns_in_another_order(drawn, k):
    trees_drawn, rows, sizes, _ = drawn
    data, names = coded(trees_drawn, rows, sizes), [f"c{number}" for number in range(len(trees_drawn))]
    noted = NotedCuts(data)
    mondrian(data, k, watcher=noted)
    tree = noted.tree(names, [labels_of(one) for one in trees_drawn], middles)
    expected = tree.classes(places_of(tree, trees_drawn, rows)).tolist()
    read = CutTree.from_json(tree.to_json())
    assert read.classes(places_of(read, trees_drawn, rows)).tolist() == expected
    turned = tree.in_order(names[::-1])
    places = places_of(turned, trees_drawn[::-1], [row[::-1] for row in rows])
    assert turned.classes(places).tolist() == expected
    with pytest.raises(ConfigError, match="the recoding is of the columns 'c0'"):
        tree.in_order(["other"])
