"""Joining rules against a naive reading of Definition 6 and Algorithm 1."""

from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import joins

from anonduck.search.rfd.joining import MonotoneProperty, join_rules


@st.composite
def spaces(draw):
    roots = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    vectors = st.tuples(*(st.integers(0, root) for root in roots)).filter(lambda v: v != tuple(roots))
    extracted = draw(st.lists(vectors, max_size=8, unique=True))
    return tuple(roots), extracted


@st.composite
def measured_spaces(draw):
    """A space with a k that never grows when a level falls, as that of real rules."""
    roots, extracted = draw(spaces())
    weights = draw(st.tuples(*(st.integers(0, 4) for _ in roots)))
    minimum = draw(st.integers(0, sum(w * r for w, r in zip(weights, roots, strict=True))))

    def k_of(vector):
        return sum(w * v for w, v in zip(weights, vector, strict=True))

    return roots, [v for v in extracted if k_of(v) >= minimum], k_of, minimum


@given(spaces())
@examples(200)
def test_joins_are_those_of_the_algorithm(space):
    roots, extracted = space
    found = join_rules(extracted, roots, lambda _: True, 10_000)
    rounds = joins(extracted, roots, lambda _: True)
    assert found.complete
    assert found.left == 0
    assert set(found.parents) == {vector for fresh in rounds for vector in fresh}
    if extracted:
        assert found.per_round == [len(fresh) for fresh in rounds]


@given(measured_spaces())
@examples(200)
def test_rules_under_k_are_pruned_and_join_no_further(space):
    roots, extracted, k_of, minimum = space
    found = join_rules(extracted, roots, MonotoneProperty(lambda vector: k_of(vector) >= minimum), 10_000)
    rounds = joins(extracted, roots, lambda v: k_of(v) >= minimum)
    assert set(found.parents) == {vector for fresh in rounds for vector in fresh}
    assert all(k_of(vector) >= minimum for vector in found.parents)


@given(spaces())
@examples(200)
def test_parents_are_compatible_rules_that_join_to_the_rule(space):
    roots, extracted = space
    found = join_rules(extracted, roots, lambda _: True, 10_000)
    known = {*extracted, *found.parents}
    order = [*extracted, *found.parents]
    for vector, (one, other) in found.parents.items():
        assert {one, other} <= known
        assert one != other
        assert all(a == b or root in {a, b} for a, b, root in zip(one, other, roots, strict=True))
        assert vector == tuple(map(min, one, other))
        assert max(order.index(one), order.index(other)) < order.index(vector)
    assert not set(found.parents) & set(extracted)


def test_a_rule_found_twice_is_one_rule_with_its_first_parents():
    roots = (1, 1, 1)
    found = join_rules([(0, 0, 1), (1, 0, 0), (0, 1, 0)], roots, lambda _: True, 100)
    assert found.parents == {(0, 0, 0): ((0, 0, 1), (1, 0, 0))}


@given(spaces(), st.integers(1, 40))
@examples(200)
def test_a_bound_that_is_reached_marks_the_result_incomplete(space, bound):
    roots, extracted = space
    everything = join_rules(extracted, roots, lambda _: True, 10_000)
    found = join_rules(extracted, roots, lambda _: True, bound)
    total = len(extracted) + len(everything.parents)
    assert found.complete == (total <= max(bound, len(extracted)) if everything.parents else True)
    assert len(found.parents) == min(len(everything.parents), max(0, bound - len(extracted)))
    assert found.parents.items() <= everything.parents.items()
    assert found.complete == (found.left == 0)


@given(measured_spaces())
@examples(100)
def test_the_threshold_asks_once_and_never_under_a_vector_that_failed(space):
    _roots, extracted, k_of, minimum = space
    asked = []

    def asking(vector):
        asked.append(vector)
        return k_of(vector)

    threshold = MonotoneProperty(lambda vector: asking(vector) >= minimum)
    for vector in [*extracted, *(tuple(max(0, v - 1) for v in e) for e in extracted)]:
        failed = [v for v in asked if k_of(v) < minimum]
        below = any(all(a <= b for a, b in zip(vector, f, strict=True)) for f in failed)
        before = len(asked)
        assert threshold(vector) == (k_of(vector) >= minimum)
        assert (len(asked) == before) == below


def test_joining_that_is_out_of_time_keeps_what_it_found_and_says_so():
    roots = (1,) * 6
    extracted = [tuple(int(i != j) for j in range(6)) for i in range(6)]
    asked = iter([False] * 9 + [True] * 1000)
    found = join_rules(extracted, roots, lambda _: True, 10_000, over=lambda: next(asked))
    assert (found.complete, found.stopped) == (False, True)
    assert 0 < len(found.parents) < 2**6 - 7
    assert found.left > 0
    everything = join_rules(extracted, roots, lambda _: True, 10_000)
    assert found.parents.items() <= everything.parents.items()
    assert (len(everything.parents), everything.stopped) == (2**6 - 7, False)


def test_pairing_is_bounded_by_time_too():
    roots = (1,) * 8
    extracted = [tuple(int(i != j) for j in range(8)) for i in range(8)]
    asked = []

    def over():
        asked.append(1)
        return True

    found = join_rules(extracted, roots, lambda _: True, 10_000, over=over)
    assert (found.parents, found.complete, found.left) == ({}, False, 7)
    assert len(asked) == 2  # once while pairing, once before the first candidate
