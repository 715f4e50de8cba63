"""Pruning: the classes are those of a walk by hand, each meets what is required, and the others stay."""

import numpy as np
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tree_oracle import by_hand

from anonduck.methods.cut_tree import NULL, CutTree, Marks
from anonduck.methods.pruning import pruned

PLACES = 6


@st.composite
def cut_trees(draw):
    """Up to ten cuts of two columns into ranges, and up to 30 combinations of places with records and a secret."""
    rows, leaves, count = [], [0], 1
    for _ in range(draw(st.integers(0, 10))):
        node, column = leaves.pop(draw(st.integers(0, len(leaves) - 1))), draw(st.integers(0, 1))
        starts = [NULL, *sorted(draw(st.sets(st.integers(0, PLACES), min_size=1, max_size=3)))]
        sides = [0, *draw(st.lists(st.integers(0, 3), min_size=len(starts) - 2, max_size=len(starts) - 2)), 1]
        number = {side: count + at for at, side in enumerate(dict.fromkeys(sides))}
        for start, after, side in zip(starts, [*starts[1:], PLACES + 1], sides, strict=True):
            rows.append((node, column, start, after - 1, number[side]))
        leaves += number.values()
        count += len(number)
    place = st.integers(NULL, PLACES)
    of_row = st.tuples(st.tuples(place, place), st.integers(1, 4), st.sampled_from("xyz"))
    return sorted(rows), draw(st.lists(of_row, min_size=1, max_size=30))


@examples(300)
@given(cut_trees(), st.integers(1, 8), st.integers(1, 3))
def test_classes_are_those_of_a_walk_by_hand(drawn, k, diverse):
    rows, combinations = drawn
    table = np.array(rows, dtype=np.int64).reshape(-1, 5)
    marks = Marks(bounds=tuple(map(str, range(1, PLACES + 1))))
    tree = CutTree(("a", "b"), (marks, marks), *table.T)
    places = [np.array([record[0][at] for record in combinations]) for at in (0, 1)]
    records = np.array([record[1] for record in combinations])

    def holds(own):
        return len({combinations[at][2] for at in own}) >= diverse

    def meets(asked, groups, count):
        return np.array([holds(asked[groups == group].tolist()) for group in range(count)], dtype=bool)

    found = pruned(tree, places, records, k, meets if diverse > 1 else None).classes(places)
    classes = {frozenset(np.flatnonzero(found == node).tolist()) for node in set(found.tolist())}
    assert classes == by_hand(rows, combinations, k, holds if diverse > 1 else lambda own: True)
    if len(classes) > 1:
        assert all(sum(combinations[at][1] for at in own) >= k and holds(own) for own in classes)
    before = tree.classes(places)
    for node in set(before.tolist()):
        own = np.flatnonzero(before == node)
        if records[own].sum() >= k and diverse == 1:
            assert any(set(own.tolist()) <= held for held in classes)
