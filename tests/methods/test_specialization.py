"""Top-down specialization on coded records: the same cuts as an oracle finds, and none that misses what is required."""

from collections import Counter

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Tree
from small_records import coded, tables
from specialization_oracle import Oracle

from anonduck.methods.coded_records import ClassCells, CodedRecords
from anonduck.methods.specialization import pais, tds


@st.composite
def classed_tables(draw):
    """Small records with the class values of each combination's records."""
    trees, rows, sizes, secrets = draw(tables())
    classes = [draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)) for size in sizes]
    return trees, rows, classes, secrets


def with_classes(trees, rows, classes):
    data = coded(trees, rows, list(map(len, classes)))
    cells = [(row, value, count) for row, one in enumerate(classes) for value, count in sorted(Counter(one).items())]
    return CodedRecords(data.columns, data.codes, data.records, ClassCells(*map(np.array, zip(*cells, strict=True))))


def levels_of(data, found, rows):
    """What the oracle tells: by column, the level of each code that a row has."""
    return [
        {row[number]: int(levels[column.place[row[number]]]) for row in rows}
        for number, (column, levels) in enumerate(zip(data.columns, found, strict=True))
    ]


@examples(200)
@given(classed_tables(), st.integers(1, 6), st.sampled_from([tds, pais]), st.integers(1, 3), st.integers(0, 3))
def test_cuts_are_those_of_the_oracle(drawn, k, method, diverse, seed):
    trees, rows, classes, secrets = drawn

    def all_diverse(groups, cuts=None):
        return all(len({secrets[row] for row in group}) >= diverse for group in groups)

    def meets(groups, nodes, changed):
        assert sorted(set(groups.tolist())) == list(range(groups.max() + 1))
        keys = list(zip(*(node.tolist() for node in nodes), strict=True))
        assert len(set(zip(keys, groups.tolist(), strict=True))) == len(set(keys)) == groups.max() + 1
        return all_diverse([np.flatnonzero(groups == group).tolist() for group in range(groups.max() + 1)])

    order = np.argsort(np.random.default_rng(seed).permutation(len(trees))).tolist()
    expected = Oracle(trees, rows, classes, k, all_diverse, method is tds, order).levels()
    data, told = with_classes(trees, rows, classes), []
    found = method(data, k, meets if diverse > 1 else None, seed=seed, progress=lambda *one: told.append(one))
    assert levels_of(data, found, rows) == expected
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert {total for _, _, total in told} == {sum(map(len, classes))} == {told[-1][1]}


def test_without_classes_nothing_can_be_scored():
    tree = Tree({1: (), 2: ()}, 1, ordered=False)
    with pytest.raises(ValueError, match="the class"):
        tds(coded([tree], [(1,), (2,)], [3, 3]), 2)


def test_no_record_has_no_cut():
    tree = Tree({1: ()}, 1, ordered=False)
    nothing = np.zeros(0, dtype=np.int64)
    data = CodedRecords(coded([tree], [(1,)], [1]).columns, (nothing,), nothing, ClassCells(nothing, nothing, nothing))
    assert [levels.tolist() for levels in tds(data, 2)] == [[1, 1]]
