"""The best level vector by a cost that sums over levels, against every level vector there is; and where it is cut."""

from itertools import product
from math import inf

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.search.lattice.falling_search import FallingSearch, GoalOutcome
from anonduck.search.lattice.optimum import best_seen, find_optimum

ROOTS = (3, 2, 3)
FINEST = (1, 0, 0)


def drawn(seed, least, charged, finest, with_roots):
    """What each vector comes to, and the costs of levels: reach and costs rise with each level, and where records are
    left out, k of those that stay is any under the reach, and the finer the levels the more is charged."""
    random = np.random.default_rng(seed)

    def rising(most):
        return [random.integers(0, most, root + 1).cumsum().tolist() for root in ROOTS]

    def total(added, vector):
        return float(sum(one[level] for one, level in zip(added, vector, strict=True)))

    reaches, costs, fewer = rising(4), rising(9), rising(5)
    found = {}
    for vector in product(*(range(low, root + 1) for low, root in zip(finest, ROOTS, strict=True))):
        if vector == ROOTS and not with_roots:
            continue
        reach, cost = int(total(reaches, vector)) + 1, total(costs, vector)
        charge = max(0.0, 12 - total(fewer, vector)) if charged else 0.0
        k = int(random.integers(1, reach + 1)) if charged else reach
        if reach < least:
            found[vector] = GoalOutcome(False, True, reach)
        elif random.random() < 0.2 or k < least:
            found[vector] = GoalOutcome(False, False, reach, 0, (0.0, cost))
        else:
            found[vector] = GoalOutcome(True, False, reach, k, (0.0, cost + charge))
    return found, [np.array(one, dtype=float) for one in costs]


@given(
    st.integers(0, 10**6),
    st.integers(1, 9),
    st.booleans(),
    st.sampled_from([(0, 0, 0), FINEST]),
    st.booleans(),
    st.sampled_from([0, 1, 2, 4, 8, 16, None]),
    st.sampled_from([0, 3, 20]),
)
@examples(900)
def test_what_is_found_is_the_best_of_all_where_that_is_said(seed, least, charged, finest, with_roots, turns, before):
    """Also where some was enumerated before, and nothing is asked that was not asked for."""
    found, additive = drawn(seed, least, charged, finest, with_roots)
    asked = []

    def assess(vector):
        asked.append(vector)
        return found[vector]

    search = FallingSearch(ROOTS, assess, with_roots=with_roots, finest=finest)
    if before:
        search.run(lambda: len(asked) >= before)
    begun = len(asked)
    proven = find_optimum(
        search, 1, additive, lambda: turns is not None and len(asked) - begun >= turns, nested=charged
    )
    best = best_seen(search, 1)
    cheapest = min((one.costs[1] for one in found.values() if one.met), default=inf)
    reached = inf if best is None else found[best].costs[1]
    assert cheapest <= reached
    assert reached == cheapest or not proven
    assert proven or turns is not None
    assert len(asked) == len(set(asked))
    near = [(*ROOTS[:at], ROOTS[at] - 1, *ROOTS[at + 1 :]) for at in range(3)]
    assert best is not None or not any(found[vector].met for vector in near if vector in found)


@pytest.mark.parametrize("vector", [(3, 2, 2), (0, 0, 0)])
def test_of_equal_costs_the_larger_k_and_then_the_finer_levels_are_best(vector):
    for cost, k in product([4.0, 5.0, 6.0], [2, 3, 4]):
        known = {vector: GoalOutcome(True, False, 3, 3, (5.0,)), (1, 1, 1): GoalOutcome(True, False, k, k, (cost,))}
        for order in (known, dict(reversed(known.items()))):
            search = FallingSearch(ROOTS, known.__getitem__)
            for one in order:
                search.see(one)
            assert best_seen(search, 0) == min(known, key=lambda one: (known[one].costs, -known[one].k, one))
