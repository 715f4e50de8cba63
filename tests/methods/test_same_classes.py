"""What each method makes of a table larger than its oracle's: a lock names a method and a seed, and gets the same.

Where a change means to make other classes, the figures here change with it, and CHANGELOG.md says so.
"""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from mondrian_oracle import Tree
from small_records import coded

from anonduck.methods.algorithms import ALGORITHMS
from anonduck.methods.coded_records import WHOLE, ClassCells

AGE = Tree({code: (code // 3 + 1, code // 9 + 1) for code in range(1, 41)}, 3, ordered=True)
JOB = Tree({code: (code % 4 + 1,) for code in range(1, 13)}, 2, ordered=False)
PAY = Tree({code: ((code + 2) // 2,) for code in range(1, 31)}, 2, ordered=True, free=True)


def records():
    """300 combinations of three columns with one to three records each, whose class depends on two of them."""
    random = np.random.default_rng(5)
    drawn = zip(random.integers(0, 41, 400), random.integers(0, 13, 400), random.integers(0, 31, 400), strict=True)
    rows = sorted({tuple(map(int, row)) for row in drawn})[:300]
    counts = random.integers(0, 2, (len(rows), 3))
    counts[np.arange(len(rows)), [(age // 8 + job) % 3 for age, job, _ in rows]] += 1
    at, value = np.nonzero(counts)
    data = coded([AGE, JOB, PAY], rows, counts.sum(axis=1))
    cells = ClassCells(at, value, counts[at, value])
    weights, grades = {"paper": (1 / 3,) * 3, "predictive": (1 / 3,) * 3}, {"paper": (0, 1, 2), "predictive": (2, 1, 0)}
    return replace(
        data,
        cells=cells,
        expected=counts / counts.sum(axis=1)[:, None],
        sensitive=(cells,),
        weights=weights,
        grades=grades,
    )


def by_nodes(data):
    """The records with nodes in the place of free intervals."""
    return replace(data, columns=tuple(replace(one, cells=None) for one in data.columns))


def two_values(combinations, groups, count):
    """Whether combinations of both parities are in a group."""
    both = [np.bincount(groups[combinations % 2 == parity], minlength=count) > 0 for parity in (0, 1)]
    return both[0] & both[1]


def told(*arrays):
    """The start of a SHA-256 of numbers."""
    text = " ".join(",".join(map(str, np.asarray(one).ravel().tolist())) for one in arrays)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def numbered(classes):
    """Classes numbered by their first combination."""
    _, first, place = np.unique(classes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


def loss(data, classes):
    """The mean width of what records show, from 0 to 1."""
    total = 0
    for column, places in zip(data.columns, data.places, strict=True):
        for one in np.unique(classes):
            within = classes == one
            width = column.width(np.array(places[within].min()), np.array(places[within].max()))
            total += int(width) * int(data.records[within].sum())
    return round(total / WHOLE / int(data.records.sum()) / len(data.columns), 4)


CLASSES = {
    "mondrian": (88, 0.2217, "f9e0b139"),
    "mondrian splits=entropy": (88, 0.2795, "b4c79385"),
    "mondrian strict=False": (90, 0.2198, "54f07bb4"),
    "guided": (85, 0.3552, "9d73c51c"),
    "guided detail=0": (92, 0.4028, "d42a3e63"),
    "topdown": (92, 0.3054, "d6390a4f"),
    "sequential": (93, 0.204, "a698d2ca"),
    "flexible": (70, 0.505, "6f4c5209"),
    "flexible levels=least": (70, 0.505, "e3dbcaab"),
}
"""By method and options: how many classes, their loss, and what tells these from others."""


@pytest.mark.parametrize("name", CLASSES)
def test_classes_of_five_records_and_two_values_are_the_same(name):
    method, *options = name.split()
    settings = {key: {"0": 0, "False": False}.get(value, value) for key, value in (one.split("=") for one in options)}
    data = records()
    found = ALGORITHMS[method](data, 5, two_values, seed=3, **settings)
    classes, *levels = (found.classes, *found.levels) if method == "flexible" else (found,)
    same = numbered(classes)
    assert (int(same.max()) + 1, loss(data, classes), told(same, *levels)) == CLASSES[name]


CUTS = {("tds", 12): "c8e1c1c4", ("tds", 20): "edcd2297", ("pais", 16): "1c451c2a", ("pais", 60): "b005829a"}


@pytest.mark.parametrize(("method", "k"), CUTS)
def test_cuts_are_the_same(method, k):
    assert told(*ALGORITHMS[method](by_nodes(records()), k, seed=3)) == CUTS[method, k]


CLOSURES = {
    "lm": (0.1646, "d2a0d4a8"),
    "entropy": (0.2244, "d6600851"),
    "clusters": (0.1751, "bc3113aa"),
    "repair": (0.2454, "5429b391"),
}
"""By what is other than the default: the mean loss of a record, and what tells these closures from others."""


@pytest.mark.parametrize("name", CLOSURES)
def test_closures_are_the_same(name):
    others = {"entropy": {"loss": "entropy"}, "clusters": {"clusters": 60}, "repair": {"repair": True}}.get(name, {})
    data = by_nodes(records())
    found = ALGORITHMS["nsvdist"](data, 4, diversity=1.8, seed=3, **others)
    made = told(found.firsts, found.lasts, found.values, found.members, found.taken)
    assert (round(found.loss(data.cells.records, len(data.columns)), 4), made) == CLOSURES[name]
