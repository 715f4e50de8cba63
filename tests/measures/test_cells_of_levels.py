"""Utility measures where each cell shows a node of its own level, against sums over records by hand."""

from math import log2

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.measures.numpy_measures import (
    CodedAttribute,
    bits_lost,
    cells_bits,
    cells_cost,
    cells_height,
    height_cost,
    node_costs,
)

LEAVES = 5  # 0 is NULL, which has nodes of its own
NODES = {1: [0, 1, 1, 2, 2], 2: [0, 1, 1, 1, 1]}
COSTS = node_costs("loss", {"leaves": np.array([1, 2, 2, 4])}, ordered=False)  # of a value, two pairs, all four


@st.composite
def cells(draw):
    """Leaf codes with the level that each shows, and records; the levels go up to the root, 3."""
    found = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=12, unique=True))
    records = draw(st.lists(st.integers(1, 9), min_size=len(found), max_size=len(found)))
    return np.array([code for code, _ in found]), np.array([level for _, level in found]), np.array(records)


def attribute(codes, records):
    held = np.bincount(codes, records, LEAVES)
    paths = (np.arange(LEAVES), np.array(NODES[1]), np.array(NODES[2]))
    none, half, whole = (np.where(np.arange(LEAVES) == 0, 0.0, cost) for cost in (0.0, COSTS[1], COSTS[3]))
    return CodedAttribute(paths, held, (none, half, whole))


@examples(100)
@given(cells())
def test_cells_cost_what_their_own_nodes_do(drawn):
    codes, levels, records = drawn
    one = attribute(codes, records)
    cost = {0: 0.0, 1: 1 / 3, 2: 1.0, 3: 1.0}
    expected = sum(n * (1.0 if level == 3 else cost[level] * (code > 0)) for code, level, n in zip(*drawn, strict=True))
    assert cells_cost(one, codes, levels, records) == pytest.approx(expected)
    assert cells_height(one, codes, levels, records) == pytest.approx(
        sum(n * height_cost(int(level), 3) for level, n in zip(levels, records, strict=True))
    )


@examples(100)
@given(cells())
def test_bits_are_lost_to_all_values_under_a_node(drawn):
    codes, levels, records = drawn
    everyone = [(code, n) for code, n in zip(codes, records, strict=True)]
    expected = 0.0
    for code, level, n in zip(*drawn, strict=True):
        if level == 0:
            continue
        node = None if level == 3 else NODES[level][code]
        under = sum(m for other, m in everyone if node is None or NODES[level][other] == node)
        expected += n * log2(under / sum(m for other, m in everyone if other == code))
    assert cells_bits(attribute(codes, records), codes, levels, records) == pytest.approx(expected, abs=1e-9)


@examples(60)
@given(cells(), st.integers(0, 3))
def test_cells_of_one_level_are_measured_as_a_rule_is(drawn, level):
    codes, _, records = drawn
    one, same = attribute(codes, records), np.full(len(codes), level)
    assert cells_height(one, codes, same, records) == pytest.approx(records.sum() * height_cost(level, 3))
    assert cells_bits(one, codes, same, records) == pytest.approx(bits_lost(one, level, one.records), abs=1e-9)
