"""What a level vector costs in memory, against a sum over the leaves, whatever else the frequency set tells."""

from collections import Counter, defaultdict
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonduck.frequency.frequency_set import FOLDS
from anonduck.frequency.roll_up import FrequencyTable, RolledFrequencySet
from anonduck.measures.numpy_measures import CodedAttribute
from anonduck.search.assessors import FoldedClasses
from anonduck.search.lattice.costs import CellGoal, EntropyGoal

CLASSES = 3
LEAVES = 5
PATHS = (np.arange(LEAVES), np.array([0, 1, 1, 2, 2]))  # under the root; code 0 is NULL
COSTS = (np.array([0.5, 0.0, 0.0, 0.0, 0.0]), np.array([0.5, 0.25, 0.25, 0.375, 0.375]))


def frequency_set(leaves, told):
    """Rows are (a, b, fold * CLASSES + class, records), or without what the third says where it is not told."""
    counted = Counter()
    for a, b, class_, records in leaves:
        counted[a, b, class_ if told else 0] += records
    rows = np.array([(*key, records) for key, records in counted.items()])
    columns = tuple(column.astype(np.int32) for column in rows.T[:2])
    leaves = RolledFrequencySet((0, 0), columns, rows[:, 2] if told else None, rows[:, 3])
    return FrequencyTable((2, 2), (PATHS, PATHS), leaves)


def attribute(table, place, unknown):
    held = np.bincount(table.leaves.columns[place], weights=table.leaves.records, minlength=LEAVES)
    return CodedAttribute(PATHS, held, COSTS, unknown=unknown)


def nodes(leaf, vector):
    return tuple(0 if level == 2 else int(PATHS[level][code]) for code, level in zip(leaf, vector, strict=True))


def by_hand(leaves, vector, gone):
    """The cost of cells, records of the classes ``gone`` charged as at the root, and the bits that the others lost."""
    cells, bits = 0.0, 0.0
    held, above = defaultdict(Counter), defaultdict(Counter)
    for a, b, _, records in leaves:
        out = nodes((a, b), vector) in gone
        for place, (leaf, level) in enumerate(zip((a, b), vector, strict=True)):
            cells += records * (1.0 if out or level == 2 else COSTS[level][leaf])
            held[place][leaf] += 0 if out else records
            above[place][nodes((leaf, 0), (level, 0))[0]] += 0 if out else records
    for place, level in enumerate(vector):
        for leaf, records in held[place].items():
            if records and level:
                bits -= records * log2(records / above[place][nodes((leaf, 0), (level, 0))[0]])
    return cells, bits


rows = st.tuples(
    st.integers(0, LEAVES - 1), st.integers(0, LEAVES - 1), st.integers(0, (FOLDS + 1) * CLASSES - 1), st.integers(1, 4)
)


@given(
    st.lists(rows, min_size=1, max_size=30),
    st.tuples(st.integers(0, 2), st.integers(0, 2)).filter(lambda one: one != (2, 2)),
    st.booleans(),
    st.data(),
)
def test_records_that_are_left_out_are_those_of_their_classes_whatever_the_set_tells(leaves, vector, unknown, data):
    untold, told = frequency_set(leaves, False), frequency_set(leaves, True)
    plain = untold.at(vector)
    failing = np.array(data.draw(st.lists(st.booleans(), min_size=len(plain.sizes), max_size=len(plain.sizes))))
    classes = sorted({nodes(leaf[:2], vector) for leaf in leaves})
    shown = [
        tuple(0 if column is None else int(column[row]) for column in plain.columns) for row in range(len(failing))
    ]
    assert sorted(shown) == classes
    gone = {one for one, out in zip(shown, failing, strict=True) if out}
    cells, bits = by_hand(leaves, vector, gone)
    attributes = [attribute(untold, place, unknown) for place in (0, 1)]
    views = FoldedClasses(told.at(vector), CLASSES)
    for goal, expected in ((CellGoal("loss", attributes, [1.0, 1.0]), cells), (EntropyGoal(attributes), bits)):
        assert goal.of(untold, plain, failing) == pytest.approx(expected)
        assert goal.of(told, told.at(vector), failing) == pytest.approx(expected)
        assert goal.of(told, views.of(goal), failing) == pytest.approx(expected)
