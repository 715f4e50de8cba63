from itertools import product
from math import comb

from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import measured, roots_of, tables

from anonduck.rules.levels import one_level_coarser
from anonduck.search.rfd.tolerant_rfds import VectorCounts, tolerant_rfds


def everything(names, paths, rows):
    """k and violating pairs of every level vector, the vector of roots included."""
    vectors = product(*(range(root + 1) for root in roots_of(names, paths)))
    found = {vector: measured(names, paths, rows, vector) for vector in vectors}
    return {vector: VectorCounts(k=line[0], violating_pairs=line[4]) for vector, line in found.items()}


def differing(rows):
    classes = [row[-1] for row in rows]
    return comb(len(rows), 2) - sum(comb(classes.count(value), 2) for value in set(classes))


def brute_force(counted, roots, min_k, pairs):
    """The tolerance of each minimal tolerant RFD that reaches k, at the thresholds that the data give."""
    reaching = {v: one for v, one in counted.items() if one.k >= min_k and v != roots}
    thresholds, k = set(), min_k
    while any(one.k >= k for one in reaching.values()):
        thresholds.add(min(one.violating_pairs for one in reaching.values() if one.k >= k))
        k *= 2
    found = {}
    for threshold in sorted(thresholds, reverse=True):
        holds = {v for v, one in counted.items() if one.violating_pairs <= threshold}
        for vector in holds:
            coarser = {v for v in holds if v != vector and all(a >= b for a, b in zip(v, vector, strict=True))}
            if not coarser and vector in reaching:
                found[vector] = threshold / pairs
    return found, {threshold / pairs for threshold in thresholds}


@given(tables(max_rows=12), st.sampled_from([1, 2, 3]))
@examples(60)
def test_tolerant_rfds_equal_brute_force(table, min_k):
    names, paths, rows = table
    pairs = differing(rows)
    counted, roots = everything(names, paths, rows), roots_of(names, paths)
    if not pairs:
        return
    asked = []

    def count(vector):
        asked.append(vector)
        return counted[vector] if counted[vector].k >= min_k else None

    found = tolerant_rfds(roots, count, pairs, min_k, 10_000)
    expected, thresholds = brute_force(counted, roots, min_k, pairs)
    assert dict(found.tolerances) == expected
    assert set(found.thresholds) == thresholds
    assert found.complete
    assert found.evaluated == len(asked) == len(set(asked)) < len(counted)
    for vector in asked:
        for above in one_level_coarser(vector, roots):
            assert above == roots or (counted[above].k >= min_k and counted[above].violating_pairs), "pruning"


def test_a_vector_that_misses_the_requirement_but_may_be_regained_is_no_rule_and_is_gone_through():
    counted = {(1,): VectorCounts(4, 3, met=False), (0,): VectorCounts(2, 1)}
    found = tolerant_rfds((2,), counted.get, 6, 2, 100)
    assert dict(found.tolerances) == {(0,): 1 / 6}
    assert found.thresholds == (1 / 6,)


def test_the_bound_marks_the_result_incomplete():
    counted = {(1,): VectorCounts(4, 3), (0,): VectorCounts(2, 1)}
    found = tolerant_rfds((2,), counted.get, 6, 2, 1)
    assert not found.complete
    assert (found.evaluated, dict(found.tolerances)) == (1, {(1,): 0.5})
    assert tolerant_rfds((2,), counted.get, 6, 2, 2).complete
