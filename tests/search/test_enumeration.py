"""The enumeration of all vectors that are not hopeless, against every level vector there is."""

from itertools import product

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import records_of, tables
from test_lattice import check, opened, skewed

from anonduck import Project
from anonduck.search.lattice import solver
from anonduck.search.lattice.costs import GOALS
from anonduck.search.lattice.problem import Assessment, LatticeProblem, TimeLimit
from anonduck.search.lattice.solver import enumerate_all
from anonduck.search.lattice_search import search_lattice


def antichains(roots):
    """Some vectors of a lattice; those finer than one of them, or equal, are hopeless."""
    return st.lists(st.tuples(*(st.integers(0, root) for root in roots)), max_size=6)


@given(st.data())
@examples(60)
def test_every_vector_that_is_not_hopeless_is_assessed_once_and_no_other_without_need(data):
    roots = data.draw(st.tuples(*[st.integers(1, 3)] * 4))
    failures = data.draw(antichains(roots))
    asked = []

    def hopeless(vector):
        return any(all(one <= other for one, other in zip(vector, top, strict=True)) for top in failures)

    def assess(vector):
        asked.append(vector)
        return Assessment(not hopeless(vector), hopeless(vector), 1, 0.0)

    problem = LatticeProblem(roots, assess, None, charges=False, k_falls=True)
    assert enumerate_all(problem, TimeLimit(None))
    every = [vector for vector in product(*(range(root + 1) for root in roots)) if vector != roots]
    assert sorted(problem.met()) == sorted(vector for vector in every if not hopeless(vector))
    assert len(asked) == len(set(asked))
    for vector in asked:
        coarser = [(*vector[:a], level + 1, *vector[a + 1 :]) for a, level in enumerate(vector) if level < roots[a]]
        assert all(one == roots or not hopeless(one) for one in coarser)


def test_it_stops_at_its_bounds():
    problem = LatticeProblem((3, 3, 3), lambda _: Assessment(True, False, 1, 0.0), None, charges=False, k_falls=True)
    assert not enumerate_all(problem, TimeLimit(None), most=10)
    assert len(problem.known) == 11
    assert not enumerate_all(problem, TimeLimit(1e-9))
    assert enumerate_all(problem, TimeLimit(None), most=63)


@pytest.mark.slow
@given(tables(max_rows=14), st.integers(1, 4), st.sampled_from(GOALS), st.sampled_from([0.0, 0.3]))
@examples(20)
def test_large_lattices_have_an_exact_frontier_whatever_the_goal(shared, table, k, goal, suppression):
    given_ = opened(shared, table, {"k": k}, suppression, select=goal)
    searched = check(shared, *given_, whole_nodes=0)
    assert searched.frontier == "exact"


@pytest.mark.slow
@given(tables(max_rows=14), st.sampled_from([{"k": 2, "marketer_risk": 0.4}, {"k": 1, "sample_uniqueness": 0.2}]))
@examples(5)
def test_requirements_beside_k_on_large_lattices(shared, table, asked):
    for suppression in (0.0, 0.25):
        given_ = opened(shared, table, asked, suppression, select="loss")
        assert check(shared, *given_, whole_nodes=0).frontier == "exact"


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("goal", ["loss", "information_gain", "discernibility"])
@pytest.mark.parametrize("suppression", [0.0, 0.1])
def test_all_ways_of_a_search_agree(shared, monkeypatch, goal, suppression):
    """Bounds of every vector, all that are not hopeless, the former after the latter was given up, and branches."""
    monkeypatch.setattr(solver, "SMALL_NODES", 0)
    for seed in range(2):
        config, taxonomies, judge = opened(shared, skewed(seed), {"k": 4}, suppression, select=goal)
        found = [
            search_lattice(records_of(shared, taxonomies, judge), config, judge, **options)
            for options in ({"most": 0}, {}, {"whole_nodes": 0}, {"whole_nodes": 0, "most": 0})
        ]
        assert all(one.optimum.proven for one in found)
        assert len({round(one.optimum.cost, 9) for one in found}) == 1
        assert [one.frontier for one in found] == ["exact", "exact", "exact", "best found"]
        points = [[(one.k, round(one.cost, 9)) for one in each.points] for each in found]
        assert points[0] == points[1] == points[2]
        assert all(each.left == () for each in found[:3])


@pytest.mark.slow
def test_the_optimum_alone_is_that_of_the_frontier(shared):
    for suppression in (0.0, 0.1):
        config, taxonomies, judge = opened(shared, skewed(1), {"k": 4}, suppression, select="loss")
        whole = search_lattice(records_of(shared, taxonomies, judge), config, judge, whole_nodes=0)
        alone = search_lattice(
            records_of(shared, taxonomies, judge),
            config.model_copy(update={"lattice_frontier": False}),
            judge,
            whole_nodes=0,
        )
        assert alone.optimum.cost == pytest.approx(whole.optimum.cost)
        assert (alone.frontier, alone.points, alone.vectors) == ("none", (), (alone.optimum.vector,))


@pytest.mark.slow
def test_what_was_found_is_kept_where_the_enumeration_is_given_up(shared):
    config, taxonomies, judge = opened(shared, skewed(2), {"k": 2}, 0.0, select="loss")
    exact = search_lattice(records_of(shared, taxonomies, judge), config, judge, whole_nodes=0)
    left = search_lattice(records_of(shared, taxonomies, judge), config, judge, whole_nodes=0, most=5)
    assert exact.frontier == "exact"
    assert left.frontier == "best found"
    assert left.optimum.cost == pytest.approx(exact.optimum.cost)
    assert left.left is None
    assert len(left.points) > 1


def test_what_was_enumerated_is_where_a_search_by_bounds_begins(monkeypatch):
    """The time is up right after the enumeration was given up: the best of it and its frontier are given."""

    class Over(TimeLimit):
        def part(self, share):
            return TimeLimit(None)

        def over(self):
            return True

    monkeypatch.setattr(solver, "SMALL_NODES", 0)
    problem = LatticeProblem(
        (19, 19), lambda v: Assessment(True, False, sum(v), float(sum(v))), None, charges=False, k_falls=True
    )
    solved = solver.solve(problem, Over(None), frontier=True)
    assert (solved.optimum.cost, solved.optimum.proven) == (problem.best_cost, False)
    assert problem.best_cost < 36
    assert {one.cost for one in solved.points} == {found.cost for found in problem.known.values()}


@pytest.mark.slow
def test_twenty_quasi_identifiers_have_an_exact_frontier(data_dir):
    """31,850,495,999 level vectors, of which few have k >= 10."""
    with Project(source=str(data_dir / "german_credit.csv"), class_="class", requirement={"k": 10}) as project:
        found = project.discover(search="lattice", select="loss", models=[], measures=["loss"])
    lattice = found.lattice
    assert lattice["nodes"] > 10**10
    assert (lattice["optimal"], lattice["frontier"]) == (True, "exact")
    assert lattice["evaluated"] < 10_000
    assert all(rule.measures.k >= 10 for rule in found.rules)
