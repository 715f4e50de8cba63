"""Each way to search a lattice against every level vector there is, with drawn costs and k; and where it is cut."""

from itertools import product
from math import inf

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.search.lattice.bounded_search import ranked
from anonduck.search.lattice.problem import Assessment, LatticeProblem, TimeLimit
from anonduck.search.lattice.solver import solve

ROOTS = (3, 2, 3)
EVERY = [vector for vector in product(*(range(root + 1) for root in ROOTS)) if vector != ROOTS]
WAYS = [{}, {"whole_nodes": 0}, {"whole_nodes": 0, "most": 0}]


class Turns(TimeLimit):
    """A clock that is over when it was asked so often."""

    def __init__(self, turns):
        super().__init__(None)
        self.turns = turns

    def part(self, share):
        return self

    def over(self):
        self.turns -= 1
        return self.turns < 0


def drawn(seed, least, kind, prune):
    """A problem whose reach and costs rise with each level, and what each vector comes to.

    ``summed``: the levels alone cost; ``left out``: so, and k of what stays is any under the reach, and the finer the
    levels the more is charged; ``classes``: costs are known of vectors alone.
    """
    random = np.random.default_rng(seed)

    def rising(most):
        return [random.integers(0, most, root + 1).cumsum().tolist() for root in ROOTS]

    def total(added, vector):
        return float(sum(one[level] for one, level in zip(added, vector, strict=True)))

    reaches, costs, fewer = rising(4), rising(9), rising(5)
    misses = random.random(len(EVERY)) < 0.2
    found = {}
    for vector, missed in zip(EVERY, misses, strict=True):
        reach, cost = int(total(reaches, vector)) + 1, total(costs, vector)
        charge = max(0.0, 12 - total(fewer, vector)) if kind == "left out" else 0.0
        k = int(random.integers(1, reach + 1)) if kind == "left out" else reach
        if reach < least:
            found[vector] = Assessment(False, True, reach=reach, floor=cost)
        elif missed or k < least:
            found[vector] = Assessment(False, False, floor=cost, charge=charge, reach=reach)
        else:
            found[vector] = Assessment(True, False, k, cost + charge, cost, charge, reach)
    additive = None if kind == "classes" else [np.array(one, dtype=float) for one in costs]
    problem = LatticeProblem(
        ROOTS, found.__getitem__, additive, charges=kind == "left out", k_falls=kind != "left out", prune=prune
    )
    return problem, found


def best_at(points, k):
    return min((cost for reached, cost in points if reached >= k), default=inf)


@given(
    st.integers(0, 10**6),
    st.integers(1, 9),
    st.sampled_from(["summed", "left out", "classes"]),
    st.sampled_from(WAYS),
    st.sampled_from([True, True, False]),
)
@examples(900)
def test_each_way_finds_what_is_best_of_all(seed, least, kind, way, prune):
    problem, found = drawn(seed, least, kind, prune)
    met = [(one.k, one.cost) for one in found.values() if one.met]
    solved = solve(problem, TimeLimit(None), frontier=True, **way)
    cheapest = min((cost for _, cost in met), default=inf)
    assert (solved.optimum.cost, solved.optimum.bound, solved.optimum.proven) == (cheapest, cheapest, True)
    assert (solved.optimum.vector is None) == (not met)
    assert solved.optimum.vector is None or found[solved.optimum.vector].cost == cheapest
    assert solved.frontier == "exact" or "most" in way  # where most vectors are hopeless, branches are not needed
    shown = [(one.k, one.cost) for one in solved.points]
    assert all((found[one.vector].k, found[one.vector].cost) == (one.k, one.cost) for one in solved.points)
    assert shown == sorted(shown, key=lambda point: (point[1], point[0]))
    if solved.frontier == "exact":
        assert all(best_at(shown, k) == best_at(met, k) for k in range(1, 15))
        assert len({k for k, _ in shown}) == len(shown)
    alone = solve(drawn(seed, least, kind, prune)[0], TimeLimit(None), frontier=False, **way)
    assert (alone.optimum.cost, alone.frontier, alone.points) == (cheapest, "none", ())


@given(
    st.integers(0, 10**6),
    st.integers(1, 6),
    st.sampled_from(["summed", "left out", "classes"]),
    st.sampled_from(WAYS),
    st.sampled_from([0, 1, 2, 4, 8, 16]),
)
@examples(900)
def test_what_is_claimed_when_it_is_cut_holds(seed, least, kind, way, turns):
    problem, found = drawn(seed, least, kind, True)
    met = [(one.k, one.cost) for one in found.values() if one.met]
    solved = solve(problem, Turns(turns), frontier=True, **way)
    cheapest = min((cost for _, cost in met), default=inf)
    assert solved.optimum.bound <= cheapest <= solved.optimum.cost
    assert not solved.optimum.proven or solved.optimum.cost == cheapest
    near = [(*ROOTS[:at], ROOTS[at] - 1, *ROOTS[at + 1 :]) for at in range(3)]
    assert solved.optimum.vector is not None or not any(found[vector].met for vector in near)
    shown = [(one.k, one.cost) for one in solved.points]
    if solved.left is not None:
        left = [(one.k, one.cost) for one in solved.left]
        assert all(best_at(shown + left, k) <= best_at(met, k) for k in range(1, 15))
        assert (solved.frontier == "exact") == (not left)
    assert all(best_at(shown, k) >= best_at(met, k) for k in range(1, 15))


@pytest.mark.parametrize("vector", [(3, 2, 2), (0, 0, 0)])
def test_of_equal_costs_the_larger_k_and_then_the_finer_levels_are_best(vector):
    for cost, k in product([4.0, 5.0, 6.0], [2, 3, 4]):
        known = {vector: Assessment(True, False, 3, 5.0), (1, 1, 1): Assessment(True, False, k, cost)}
        for order in (known, dict(reversed(known.items()))):
            problem = LatticeProblem(ROOTS, known.__getitem__, None, charges=False, k_falls=True)
            for one in order:
                problem.outcome(one)
            assert problem.best == min(known, key=lambda one: (known[one].cost, -known[one].k, one))


@examples(60)
@given(values=st.lists(st.sampled_from([-np.inf, 0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=40))
def test_nodes_are_picked_by_their_places_in_a_stable_order(values):
    found = ranked(np.array(values), np.arange(len(values)))
    assert found.tolist() == sorted(range(len(values)), key=values.__getitem__)
