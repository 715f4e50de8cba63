"""Bounds of what an enumeration left, against every level vector there is, wherever work on them is cut."""

from itertools import count, product
from math import inf

import numpy as np
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.search.lattice.falling_search import FallingSearch, GoalOutcome
from anonduck.search.lattice.region_bounds import bound_left

ROOTS = (3, 2, 3)
EVERY = [vector for vector in product(*(range(root + 1) for root in ROOTS)) if vector != ROOTS]


def rising(random, most):
    """What the levels of each attribute add to, the more the coarser they are."""
    added = [random.integers(0, most, root + 1).cumsum().tolist() for root in ROOTS]
    return lambda vector: sum(one[level] for one, level in zip(added, vector, strict=True))


def within(vector, region):
    return all(low <= at <= high for low, at, high in zip(region.finest, vector, region.coarsest, strict=True))


@given(st.integers(0, 10**6), st.integers(0, 8), st.sampled_from([0, 3, 6, 12, 24]))
@examples(600)
def test_what_could_add_to_a_frontier_lies_in_a_region_that_bounds_it(seed, least, seen):
    """Reach and costs rise with each level; vectors of little reach are hopeless, and some miss for another reason."""
    random = np.random.default_rng(seed)
    reach, *prices = rising(random, 4), rising(random, 3), rising(random, 9)
    missed = random.random(len(EVERY)) < random.choice([0.2, 0.7])
    misses = {vector for vector, one in zip(EVERY, missed, strict=True) if one}

    def costs(vector):
        return tuple(float(price(vector)) for price in prices)

    def assess(vector):
        if reach(vector) < least:
            return GoalOutcome(False, True, reach(vector))
        return GoalOutcome(vector not in misses, False, reach(vector), reach(vector), costs(vector), costs(vector))

    search = FallingSearch(ROOTS, assess)
    search.run(lambda: len(search.known) >= seen)
    met = [(reach(vector), costs(vector)) for vector, found in search.known.items() if found.met]

    def best(goal, k):
        return min((cost[goal] for at, cost in met if at >= k), default=inf)

    work, asked = int(random.choice([1, 2, 4, 8, 16, 1000])), count(1)
    left = bound_left(search, costs, best, 2, lambda: next(asked) > work, lambda vector: -sum(vector))
    for vector in EVERY:
        able = any(costs(vector)[goal] < best(goal, reach(vector)) for goal in range(2))
        if reach(vector) >= least and vector not in search.known and able:
            held = [one for one in left if within(vector, one) and one.k >= reach(vector)]
            assert any(
                all(floor <= cost for floor, cost in zip(one.floors, costs(vector), strict=True)) for one in held
            )
    promising = [one for one in left if any(one.floors[goal] < best(goal, one.k) for goal in range(2))]
    assert not promising if work == 1000 else len(left) == 1 or promising == left
    assert all(search.largest_left == -1 or one.k <= search.largest_left for one in left)
