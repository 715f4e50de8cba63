from itertools import product

from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import measured, roots_of, tables

from anonduck.rules.levels import one_level_coarser, one_level_finer
from anonduck.search.lattice.local_search import ObjectiveValues, first_frontiers, refine


def dominated(point, others, measure):
    return any(one.k >= point.k and one.measures[measure] >= point.measures[measure] for one in others)


def points_of(names, paths, rows, min_k):
    """k, information gain and (negative) violating pairs of every level vector but the roots' that reaches k."""
    roots = roots_of(names, paths)
    found = {}
    for vector in product(*(range(root + 1) for root in roots)):
        k, _, gain, _, violating = measured(names, paths, rows, vector)
        if vector != roots and k >= min_k:
            found[vector] = ObjectiveValues(k, (round(gain, 9), -violating))
    return found


@given(tables(max_rows=12), st.sampled_from([1, 2]), st.sampled_from([1, 2, 3]), st.data())
@examples(60)
def test_no_move_by_one_level_betters_what_is_found(table, min_k, depth, data):
    names, paths, rows = table
    roots = roots_of(names, paths)
    points = points_of(names, paths, rows, min_k)
    start = data.draw(st.lists(st.sampled_from(sorted(points)), max_size=3, unique=True)) if points else []
    asked = []

    def point(vector):
        asked.append(vector)
        return points.get(vector)

    found = refine(start, roots, point, max_visited=10_000, depth=depth)
    pool = {vector: points[vector] for vector in {*start, *found.parents}}
    assert found.complete
    assert set(found.parents).isdisjoint(start)
    assert len(asked) == len(set(asked)) == found.visited + len(start)
    assert set(found.parents.values()) <= {*pool, None}
    assert set(found.parents) <= set(first_frontiers(pool, depth))
    for measure in range(2):
        front = [v for v in pool if not dominated(pool[v], [pool[u] for u in pool if u != v], measure)]
        for vector in [*front, roots]:
            for near in (*one_level_finer(vector), *one_level_coarser(vector, roots)):
                if near in points:
                    assert dominated(points[near], pool.values(), measure)


def test_first_frontiers_are_those_of_what_the_ones_before_leave():
    points = {
        (0,): ObjectiveValues(1, (3.0,)),
        (1,): ObjectiveValues(2, (2.0,)),
        (2,): ObjectiveValues(1, (2.0,)),
        (3,): ObjectiveValues(1, (1.0,)),
    }
    assert first_frontiers(points, 1) == [(0,), (1,)]
    assert first_frontiers(points, 2) == [(0,), (1,), (2,)]
    assert first_frontiers(points, 3) == [(0,), (1,), (2,), (3,)]
    assert first_frontiers({}, 1) == []


def test_a_parent_is_the_nearest_listed_one():
    points = {(2,): ObjectiveValues(9, (0.1,)), (1,): ObjectiveValues(9, (0.1,)), (0,): ObjectiveValues(9, (0.9,))}
    found = refine([(2,)], (3,), points.get, max_visited=100, depth=1)
    assert dict(found.parents) == {(0,): (2,)}, "it was reached through (1,), which is on no frontier"
    found = refine([], (3,), points.get, max_visited=100, depth=2)
    assert dict(found.parents) == {(0,): (1,), (1,): None}


def test_the_bound_ends_the_search():
    points = {(2,): ObjectiveValues(9, (0.1,)), (1,): ObjectiveValues(8, (0.2,)), (0,): ObjectiveValues(7, (0.9,))}
    found = refine([], (3,), points.get, max_visited=2, depth=1)
    assert (found.visited, found.complete, set(found.parents)) == (2, False, {(2,), (1,)})
    assert refine([], (3,), points.get, max_visited=3, depth=1).complete


def test_the_moves_can_be_chosen():
    points = {(2,): ObjectiveValues(9, (0.4,)), (1,): ObjectiveValues(5, (0.5,)), (0,): ObjectiveValues(4, (0.6,))}
    assert set(refine([(1,)], (4,), points.get, max_visited=100).parents) == {(0,), (2,)}
    found = refine([(1,)], (4,), points.get, max_visited=100, moves=lambda vector, _: one_level_finer(vector))
    assert dict(found.parents) == {(0,): (1,)}
