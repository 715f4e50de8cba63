"""Small coded records for the algorithms of methods: drawn trees, combinations, and a sensitive value of each."""

from math import prod

import numpy as np
from hypothesis import strategies as st
from mondrian_oracle import Tree

from anonduck.methods.coded_records import CodedRecords, placed_column, with_cells


@st.composite
def trees(draw):
    """A tree over up to seven leaves, some of which it may not know; nodes need not be in the order of leaves."""
    leaves, height = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    labels = list(range(leaves))
    levels = []
    for _ in range(height - 1):
        parents = draw(st.lists(st.integers(0, 3), min_size=max(leaves, 4), max_size=max(leaves, 4)))
        labels = [parents[label] for label in labels]
        levels.append([label + 1 for label in labels])
    unknown = draw(st.sets(st.integers(1, leaves), max_size=1 if leaves > 1 and height > 1 else 0))
    paths = {
        code: None if code in unknown else tuple(level[code - 1] for level in levels) for code in range(1, leaves + 1)
    }
    return Tree(paths, height, draw(st.booleans()))


@st.composite
def lines(draw):
    """Up to seven leaves in cells that follow one another, any of which make an interval."""
    starts = draw(st.lists(st.booleans(), min_size=1, max_size=7))
    cells = [1 + sum(starts[1 : leaf + 1]) for leaf in range(len(starts))]
    return Tree({code: (cell,) for code, cell in enumerate(cells, 1)}, 2, ordered=True, free=True)


TREES = trees()


@st.composite
def tables(draw, least=1, columns=TREES):
    """Trees, distinct combinations of their leaf codes in order, their records, and a sensitive value of each."""
    drawn = draw(st.lists(columns, min_size=1, max_size=3))
    least = min(least, prod(len(tree.paths) + 1 for tree in drawn))
    codes = st.tuples(*(st.integers(0, len(tree.paths)) for tree in drawn))
    rows = sorted(draw(st.sets(codes, min_size=least, max_size=25)))
    sizes = draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    secrets = draw(st.lists(st.sampled_from("xyz"), min_size=len(rows), max_size=len(rows)))
    return drawn, rows, sizes, secrets


def placed(tree):
    known = [path for path in tree.paths.values() if path is not None]
    levels = [
        [0, *((path or (0,) * tree.height)[level] for path in tree.paths.values())] for level in range(tree.height - 1)
    ]
    paths = [np.arange(len(tree.paths) + 1), *map(np.array, levels)]
    leaves = [np.ones(len(tree.paths) + 1, dtype=np.int64)]
    leaves += [np.bincount([path[level] for path in known], minlength=8) for level in range(tree.height - 1)]
    column = placed_column(paths, leaves, len(known), ordered=tree.ordered)
    if not tree.free:
        return column
    through = np.cumsum(leaves[1]) / len(known)
    return with_cells(column, paths[1], np.r_[0.0, through[:-1]], through)


def coded(drawn, rows, sizes):
    columns = zip(*rows, strict=True)
    return CodedRecords(tuple(map(placed, drawn)), tuple(map(np.array, columns)), np.array(sizes))


def as_sets(classes):
    return {frozenset(np.flatnonzero(classes == one).tolist()) for one in set(classes.tolist())}


def judges(secrets, diverse):
    """Whether a region has so many secrets, and the same as the method asks it."""

    def diverse_enough(region):
        return len({secrets[row] for row in region}) >= diverse

    def meets(asked, groups, count):
        return np.array([diverse_enough(asked[groups == group].tolist()) for group in range(count)], dtype=bool)

    return diverse_enough, meets if diverse > 1 else None
