"""Recodings as data: what JSON keeps of them, and what they show of records that they have not seen."""

import json

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.errors import ConfigError
from anonduck.methods.recodings import (
    ClassDistributions,
    ColumnLabels,
    Cuts,
    Levels,
    Partition,
    Swaps,
    recoding_from_json,
)

# -- as data -----------------------------------------------------------------------------------------------------------

PATHS = {"a": ("ab", "all"), "b": ("ab", "all"), "c": ("cd", "all"), "d": ("cd", "all"), "e": ("ef", "ef")}


def labelled(values, unknown=()):
    """The labels of values with two levels under the root; NULL comes first."""
    texts = [[None, *values], *([None, *(PATHS.get(one, (None, None))[level] for one in values)] for level in (0, 1))]
    return ColumnLabels(texts, np.array([True, *(one not in unknown for one in values)]))


def read_back(recoding):
    return recoding_from_json(json.loads(json.dumps(recoding.to_json())))


def covers(column, code, node):
    level, label = node
    return level == column.root or (bool(column.known[code]) and column.texts[level][code] == label)


def test_levels_are_read_back():
    assert read_back(Levels({"age": 2})) == Levels({"age": 2})


CUTS = st.sampled_from([[3, 3, 3, 3, 3], [2, 2, 2, 2, 2], [1, 1, 1, 1, 2], [0, 0, 1, 1, 2], [0, 0, 1, 1, 0]])


@examples(20)
@given(CUTS, st.integers(0, 3))
def test_cuts_show_what_they_showed_and_place_what_is_new(cut, of_null):
    before = labelled("abcde")
    stored = Cuts.of(["x"], [before], [np.array([of_null, *cut])])
    assert read_back(stored) == stored
    assert stored.levels("x", before).tolist() == [of_null, *cut]
    after = labelled("?bdfg", unknown="?")  # f and g: no node of theirs was seen
    assert stored.levels("x", after).tolist()[:4] == [of_null, 3, cut[1], cut[3]]


def test_a_value_of_a_node_that_was_opened_is_shown_as_itself():
    stored = Cuts.of(["x"], [labelled("ac")], [np.array([0, 0, 1])])
    assert stored.levels("x", labelled("abd")).tolist() == [0, 0, 0, 1]


@st.composite
def partitions(draw):
    """Two columns, combinations of their codes, a class for each, and other combinations of other values."""
    code = st.integers(0, 5)
    held = draw(st.lists(st.tuples(code, code), min_size=1, max_size=8, unique=True))
    classes = draw(st.lists(st.integers(0, 2), min_size=len(held), max_size=len(held)))
    return held, classes, draw(st.lists(st.tuples(code, code), min_size=1, max_size=8))


@examples(60)
@given(partitions())
def test_classes_take_what_they_cover_and_keep_what_they_had(drawn):
    held, given_classes, new = drawn
    labels = [labelled("abcde"), labelled("abcde")]
    codes = [np.array(one) for one in zip(*held, strict=True)]
    _, classes = np.unique(given_classes, return_inverse=True)
    levels = [
        np.array(
            [
                min(
                    level
                    for level in range(4)
                    if level == 3 or len({column.texts[level][one] for one in code[classes == number]}) == 1
                )
                for number in range(classes.max() + 1)
            ]
        )
        for column, code in zip(labels, codes, strict=True)
    ]
    stored = Partition.of(["x", "y"], labels, codes, classes, levels)
    assert read_back(stored) == stored
    again, shown = stored.assigned(labels, codes)
    assert again.tolist() == classes.tolist()
    assert [one.tolist() for one in shown] == [one.tolist() for one in levels]

    turned = stored.in_order(["y", "x"])
    again, shown = turned.assigned(labels[::-1], codes[::-1])
    assert again.tolist() == classes.tolist()
    assert [one.tolist() for one in shown] == [one.tolist() for one in levels[::-1]]
    assert turned.in_order(["x", "y"]) == stored

    number, shown = stored.assigned(labels, [np.array(one) for one in zip(*new, strict=True)])
    for place, row in enumerate(new):
        at = [int(one[number[place]]) for one in shown]
        if row in held:
            kept = classes[held.index(row)]
            assert at == [int(one[kept]) for one in levels]
            continue
        fitting = [
            sum(level for level, _ in nodes)
            for nodes in stored.nodes
            if all(covers(column, code, node) for column, code, node in zip(labels, row, nodes, strict=True))
        ]
        assert sum(at) == min(fitting, default=6)


@pytest.mark.parametrize("node", [(3, None), (2, "ab")], ids=["its root", "under its root"])
def test_classes_of_levels_that_a_rebuilt_taxonomy_lacks_cover_nothing(node):
    flat = ColumnLabels([[None, "a", "b"], [None, "ab", "ab"]], np.array([True, True, True]))
    own = Partition(("x",), ((node,), ((1, "ab"),)), {("a",): 0})
    classes, (levels,) = own.assigned([flat], [np.array([1, 2])])
    assert levels[classes].tolist() == [1, 1]
    gone = Partition(("x",), ((node,),), {("a",): 0})
    classes, (levels,) = gone.assigned([flat], [np.array([1, 2])])
    assert levels[classes].tolist() == [2, 2]
    assert not gone.covers_all([flat])


def test_a_class_of_nothing_but_roots_covers_all():
    column = labelled(["a", "b"])
    assert Partition(("x", "y"), (((3, None), (3, None)),), {}).covers_all([column, column])
    assert not Partition(("x", "y"), (((3, None), (0, "a")),), {}).covers_all([column, column])


def test_distributions_and_swaps_are_read_back_and_turned():
    rows = (((1, "ab"), (0, "x")), {"yes": 0.5, "no": 0.5}), (((3, None), (0, None)), {"no": 1.0})
    stored = ClassDistributions(("a", "b"), rows, {("a", "x", "no"): 0, (None, None, "no"): 1}, 0.25)
    assert read_back(stored) == stored
    turned = stored.in_order(["b", "a"])
    assert turned.cells == {("x", "a", "no"): 0, (None, None, "no"): 1}
    assert turned.shown[0][0] == ((0, "x"), (1, "ab"))
    assert turned.rows([("x", "a", "no"), ("x", "a", "yes")]).tolist() == [0, -1]
    assert turned.in_order(["a", "b"]) == stored
    assert read_back(Swaps((("a", "b"), ("c",)))) == Swaps((("a", "b"), ("c",)))


def test_a_recoding_of_other_columns_is_refused():
    with pytest.raises(ConfigError, match="the recoding is of the columns 'a', and the quasi-identifiers are 'b'"):
        Cuts({"a": frozenset()}, {"a": 1}).in_order(["b"])
