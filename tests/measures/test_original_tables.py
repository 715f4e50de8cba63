"""The tables by which models learn from the values that a release shows, and are tested on those that records have."""

import gc
import weakref
from collections import Counter
from dataclasses import replace

import numpy as np
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.measures.numpy_measures import CodedAttribute
from anonduck.measures.released_cells import CellColumn, ReleasedCells, original_tables


@st.composite
def shown_cells(draw):
    """Cells of two columns, an ordered one and one in no order, what stands for their values, and folds."""
    count = draw(st.integers(1, 12))
    column = st.lists(st.integers(0, 4), min_size=count, max_size=count)
    own, shown = ([np.array(draw(column)) for _ in range(2)] for _ in range(2))
    classes = np.array(draw(st.lists(st.integers(1, 2), min_size=count, max_size=count)))
    stays = np.array(draw(st.lists(st.sampled_from([True, True, False]), min_size=count, max_size=count)))
    folds = np.array(draw(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=count, max_size=count)))
    zeros = [np.zeros(count, dtype=np.int64)] * 2
    cells = ReleasedCells(tuple(own), tuple(zeros), classes, np.arange(count), folds.sum(axis=1), stays)
    return cells, replace(cells, leaves=tuple(shown)), folds


def test_cells_that_all_stay_are_freed_with_what_holds_them():
    """An offer looks at a dozen recodings of all records; garbage would be collected too late for their memory."""
    some = np.arange(4)
    cells = ReleasedCells((some,), (some,), some, some, some + 1, np.ones(4, dtype=bool))
    assert cells.released is cells
    some_stay = replace(cells, stays=some > 1)
    assert some_stay.released.records.tolist() == [3, 4]
    assert some_stay.released is some_stay.released
    there = weakref.ref(cells)
    gc.disable()
    try:
        del cells
        assert there() is None
    finally:
        gc.enable()


@examples(60)
@given(shown_cells())
def test_each_fold_is_tested_as_it_came_on_what_the_others_show(drawn):
    cells, shown, folds = drawn
    attribute = CodedAttribute((np.arange(5), np.arange(5)), np.ones(5, dtype=np.int64))
    numbers = np.array([np.nan, 10.0, 20.0, 30.0, 40.0])
    columns = [CellColumn(name, attribute, attribute, name == "size", 4, numbers) for name in ("size", "job")]
    filled = [fold for fold in range(3) if folds[:, fold].any()]
    for fold, table in zip(filled, original_tables(cells, shown, columns, folds), strict=True):
        for held, place in ((shown, 0), (cells, 1)):
            expected = Counter()
            for at in np.flatnonzero(cells.stays).tolist():
                other = int(folds[at].sum() - folds[at, fold])
                key = (int(held.leaves[0][at]), int(held.leaves[1][at]), int(cells.classes[at]))
                expected[key] += other if place == 0 else int(folds[at, fold])
            found = Counter()
            for codes, class_, records in zip(table.codes, table.classes, table.folds[:, place], strict=True):
                found[(*codes.tolist(), int(class_))] += int(records)
            assert +found == +expected
        assert table.nominal == (False, True)
        size = table.codes[:, 0]
        assert np.array_equal(table.values[:, 0], numbers[size], equal_nan=True)
        gone = np.zeros(2, dtype=np.int64) if table.left_out is None else table.left_out.folds.sum(axis=0)
        left = folds[~cells.stays].sum(axis=0)
        assert gone.tolist() == [left.sum() - left[fold], left[fold]]
