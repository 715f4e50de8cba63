"""Typical values of classes: against brute force, with NULL, ties, values that few hold and values that are unknown."""

from collections import Counter

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.evaluation.typical import NONE, TypicalColumn, typical_values


@st.composite
def columns_of_classes(draw):
    values = draw(st.integers(1, 7))
    numbers = sorted(draw(st.lists(st.integers(0, 30), min_size=values, max_size=values, unique=True)))
    column = TypicalColumn(
        ordered=draw(st.booleans()),
        common=np.array(draw(st.lists(st.booleans(), min_size=values + 1, max_size=values + 1))),
        known=np.array([True, *draw(st.lists(st.sampled_from([1, 1, 1, 0]), min_size=values, max_size=values))], bool),
        numbers=np.array([np.nan, *numbers], dtype=float),
    )
    count = draw(st.integers(1, 4))
    row = st.tuples(st.integers(0, count - 1), st.integers(0, values), st.integers(1, 4))
    rows = draw(st.lists(row, max_size=14)) + [(one, draw(st.integers(0, values)), 1) for one in range(count)]
    return column, draw(st.permutations(rows))


def by_hand(column, leaves):
    """The typical leaf code of a class, and its median, from a code for each of its records."""
    known = sorted(one for one in leaves if one and column.known[one])
    median = known[(len(known) - 1) // 2] if known and column.ordered else NONE
    if len(set(leaves)) == 1 and column.known[leaves[0]]:
        return leaves[0], median
    if not column.ordered:
        held = Counter(one for one in leaves if column.common[one] and column.known[one])
        best = min(held, key=lambda one: (-held[one], one == 0, one), default=NONE)
        return best, NONE
    if leaves.count(0) > len(known) and column.common[0]:
        return 0, median
    if not known:
        return NONE, NONE
    near = [one for one in range(known[0], known[-1] + 1) if column.common[one] and column.known[one]]
    distance = {one: abs(column.numbers[one] - column.numbers[median]) for one in near}
    return min(near, key=lambda one: (distance[one], one), default=NONE), median


@pytest.mark.quick
@examples(300)
@given(columns_of_classes())
def test_typical_values_are_those_by_hand(drawn):
    column, rows = drawn
    classes, leaves, records = (np.array(one) for one in zip(*rows, strict=True))
    found = typical_values(column, classes, leaves, records)
    for number in range(classes.max() + 1):
        held = [leaf for group, leaf, count in rows if group == number for _ in range(count)]
        assert (found.codes[number], found.medians[number]) == by_hand(column, held)


def test_an_even_class_shows_the_lower_of_both_middle_values():
    column = TypicalColumn(True, np.ones(5, bool), np.ones(5, bool), np.array([np.nan, 1, 2, 3, 4]))
    found = typical_values(column, np.zeros(4, int), np.array([4, 1, 3, 2]), np.ones(4, int))
    assert found.codes.tolist() == [2]


def test_an_infinite_median_is_near_to_no_other_value():
    """The common value below it stands for it, however far that is."""
    column = TypicalColumn(True, np.array([0, 1, 0, 0], bool), np.ones(4, bool), np.array([np.nan, 5, np.inf, np.nan]))
    found = typical_values(column, np.zeros(5, int), np.array([1, 2, 2, 2, 3]), np.ones(5, int))
    assert (found.codes.tolist(), found.medians.tolist()) == ([1], [2])
