"""Somebody who knows all values but one and runs the method again: on releases that leak so, and on others."""

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from mondrian_oracle import Tree
from small_records import coded

from anonduck.methods.mondrian import mondrian

LINE = Tree({code: ((code + 1) // 2,) for code in range(1, 5)}, 2, ordered=True)
TREES = [LINE, LINE]


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")


def table_of(rows):
    from all_but_one import Table

    columns = coded(TREES, rows, [1] * len(rows)).columns
    codes = tuple(np.array([row[at] for row in rows]) for at in range(2))
    return Table(columns, codes, np.zeros(len(rows), dtype=np.int64))


def one_class(data):
    return np.zeros(len(data.records), dtype=np.int64)


def test_a_label_tells_a_value_that_no_other_of_its_class_explains():
    """Three records have the first value and one the second; all show the node over both: it must be the second."""
    from all_but_one import attack

    found = attack(table_of([(1, 1), (1, 2), (1, 3), (2, 4)]), one_class, [3])
    assert found.tried == 2
    assert (found.left["label"], found.left["smallest"], found.left["rerun"]) == (2 + 4, 1 + 4, 1 + 4)
    assert [found.surely[stage] for stage in ("label", "smallest", "rerun")] == [0, 1, 1]


def test_nothing_is_learned_where_labels_and_classes_are_the_same_for_each_value():
    from all_but_one import STAGES, attack

    rows = list(product(range(1, 5), repeat=2)) * 3
    found = attack(table_of(rows), one_class, [0, 7, 20])
    assert {found.left[stage] for stage in STAGES} == {found.tried * 4}
    assert not found.surely.total()
    assert len({found.right[stage] for stage in STAGES}) == 1


def test_a_method_that_marks_a_value_is_found_out_by_running_it_again():
    """The others of a class explain its labels; but of the second column odd sums make one class, even ones two."""
    from all_but_one import attack

    rows = list(product(range(1, 5), repeat=2)) * 4

    def telling(data):
        odd = int((data.codes[1] * data.records).sum()) % 2
        return np.zeros(len(data.records), dtype=np.int64) if odd else (data.codes[0] > 2).astype(np.int64)

    found = attack(table_of(rows), telling, [5])
    assert found.tried == 2
    assert found.left["label"] == found.left["smallest"] == 2 + 4
    assert found.left["rerun"] == 2 + 2


@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_of_mondrian_is_what_trying_each_table_leaves(seed):
    from all_but_one import attack

    random = np.random.default_rng(seed)
    rows = [tuple(row) for row in random.integers(1, 5, (14, 2)).tolist()]

    def recode(data):
        return mondrian(data, 3, None, seed=0)

    def shown(rows):
        """By hand: each class as the least and largest node pair over its records, with its size."""
        kept = sorted(set(rows))
        data = coded(TREES, kept, [rows.count(row) for row in kept])
        of = dict(zip(kept, mondrian(data, 3, None, seed=0).tolist(), strict=True))
        labels = []
        for row in rows:
            members = [other for other in rows if of[other] == of[row]]
            labels.append(tuple(node(values) for values in zip(*members, strict=True)))
        return Counter(labels), labels

    def node(values):
        halves = {(value + 1) // 2 for value in values}
        return ("value", values[0]) if len(set(values)) == 1 else ("half", *halves) if len(halves) == 1 else ("root",)

    def under(label):
        return [1, 2, 3, 4] if label == ("root",) else [2 * label[1] - 1, 2 * label[1]] if label[0] == "half" else []

    released, labels = shown(rows)
    left = tried = 0
    for at in range(3):
        for place in range(2):
            values = under(labels[at][place])
            tried += len(values) > 1
            for value in values:
                other = [*rows]
                other[at] = (value, rows[at][1]) if place == 0 else (rows[at][0], value)
                left += shown(other)[0] == released
    found = attack(table_of(rows), recode, [0, 1, 2])
    assert (found.tried, found.left["rerun"]) == (tried, left)
