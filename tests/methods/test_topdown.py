"""Top-down anonymization on coded records: the classes of an oracle, and none that misses what is required."""

import numpy as np
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Oracle, Tree
from small_records import as_sets, coded, judges, lines, tables, trees
from topdown_oracle import TopDown

from anonduck.methods.topdown import topdown


@examples(100)
@given(tables(least=4, columns=st.one_of(trees(), lines())), st.integers(1, 6), st.integers(1, 3), st.integers(0, 3))
def test_classes_are_those_of_the_oracle(drawn, k, diverse, seed):
    tree, rows, sizes, secrets = drawn
    diverse_enough, meets = judges(secrets, diverse)
    order = np.argsort(np.random.default_rng(seed).permutation(len(tree))).tolist()
    oracle = Oracle(tree, rows, sizes, k, diverse_enough, True, order, [])
    ranks = np.random.default_rng(seed).permutation(len(rows)).tolist()
    told = []
    found = topdown(coded(tree, rows, sizes), k, meets, seed=seed, progress=lambda *words: told.append(words))
    assert as_sets(found) == TopDown(oracle, ranks).classes()
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    assert told[-1] == ("cutting classes", sum(sizes), sum(sizes))


def test_no_record_has_no_class():
    tree = Tree({1: ()}, 1, ordered=False)
    data = coded([tree], [(1,)], [1])
    assert topdown(data, 2).tolist() == [0]
    assert topdown(type(data)(data.columns, (data.codes[0][:0],), data.records[:0]), 2).tolist() == []
