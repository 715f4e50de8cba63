"""The privacy models on counts against their definitions on rows, from numpy alone."""

from collections import Counter

import numpy as np
import privacy_oracle as oracle
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.measures.numpy_requirements import (
    BY_CLASS,
    OF_CELLS,
    OF_SIZES,
    SensitiveCells,
    SensitiveValues,
    TaxonomyNodes,
    lkc,
)
from anonduck.privacy.models import MODELS

VALUES = [0, 1, 2, 3, None]  # a value is its own code, and NULL has the last one
PATHS = {value: (value, "low" if value < 2 else "high", "all") for value in VALUES[:-1]} | {None: (None, None, "all")}
TREE = TaxonomyNodes(
    nodes=[np.arange(5), np.array([5, 5, 6, 6, 7])], parents=[np.array([5, 5, 6, 6, 7]), np.full(5, 8)], height=2
)
ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from(VALUES)), min_size=1, max_size=24
)


def code_of(value):
    return VALUES.index(value)


def cells_of(rows, concerns=lambda value: True):
    """The cells of the classes of the first two columns, and the codes of these columns by class."""
    classes = {
        name: Counter(code_of(row[2]) for row in found) for name, found in sorted(oracle.classes(rows, 2).items())
    }
    cells = [(code, held[code]) for held in classes.values() for code in sorted(held)]
    lengths = np.array([len(held) for held in classes.values()])
    values = SensitiveValues(
        missing=np.array([value is None for value in VALUES]),
        numbers=np.array([value is not None for value in VALUES]),
        moments=np.zeros(5, dtype=bool),
        concerning=np.array([concerns(value) for value in VALUES]),
        taxonomy=TREE,
    )
    codes, holders = (np.array(one) for one in zip(*cells, strict=True))
    columns = [np.array(["abxyz".index(name[at]) for name in classes]) for at in (0, 1)]
    return SensitiveCells(values, np.cumsum(lengths) - lengths, codes, holders), columns


def worst(name, cells, **parameters):
    reached = BY_CLASS[name](cells, parameters)
    assert len(reached) == len(cells.starts)
    return reached.max() if MODELS[name].at_most else reached.min()


@examples(200)
@given(ROWS)
def test_models_of_classes_equal_their_definitions(rows):
    cells, columns = cells_of(rows)
    expected = oracle.sensitive_models(rows, 2, 2, paths=PATHS, order=int)
    found = {name: worst(name, cells, l=2) for name in BY_CLASS} | {name: one(cells) for name, one in OF_CELLS.items()}
    assert lkc(cells, columns, {"l": 2}) == pytest.approx(expected.pop("lkc"))
    assert lkc(cells, columns, {"l": 1}) == pytest.approx(oracle.lkc(rows, 2, 2, 1))
    assert found == pytest.approx(expected)
    of_sizes = oracle.record_models(rows, 2)
    for name, one in OF_SIZES.items():
        assert one(cells.sizes) == pytest.approx(of_sizes[name])


@examples(120)
@given(ROWS, st.sets(st.sampled_from(VALUES)), st.integers(2, 4))
def test_bounds_of_single_values_count_those_that_concern(rows, named, log):
    cells, columns = cells_of(rows, named.__contains__)
    expected = oracle.value_models(rows, 2, 2, concerns=named.__contains__, least=1, log=log)
    assert lkc(cells, columns, {"l": 1}) == pytest.approx(expected.pop("lkc"))
    assert {name: worst(name, cells, log=log) for name in expected} == pytest.approx(expected)


@examples(60)
@given(ROWS, st.data())
def test_classes_that_fail_are_left_out_as_if_they_had_not_been_there(rows, data):
    cells, _ = cells_of(rows)
    names = sorted(oracle.classes(rows, 2))
    failing = data.draw(st.sets(st.sampled_from(names)).filter(lambda one: len(one) < len(names)))
    left = cells.without(np.array([name in failing for name in names]))
    alone, _ = cells_of([row for row in rows if row[:2] not in failing])
    for name in ("starts", "codes", "holders", "held"):
        assert getattr(left, name).tolist() == getattr(alone, name).tolist()


@pytest.mark.parametrize(
    ("held", "ordered"), [([0, 3], True), ([0, None], True), ([None], False), ([0, 4], False), ([4], True)]
)
def test_values_that_occur_have_an_order_or_have_none(held, ordered):
    """Here value 3 reads as a number and as a moment, 4 as a moment alone; what does not occur is not asked."""
    codes = np.array([[0, 3, 4, None].index(one) for one in held])
    values = SensitiveValues(
        missing=np.array([False, False, False, True]),
        numbers=np.array([True, True, False, False]),
        moments=np.array([False, True, True, False]),
        concerning=np.ones(4, dtype=bool),
    )
    assert SensitiveCells(values, np.array([0]), codes, np.ones(len(codes))).ordered is ordered
