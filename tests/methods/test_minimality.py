"""Minimality (Wong et al. 2007), measured by brute force: what follows from a class that was not cut.

Somebody knows the quasi-identifiers of all, the method with its options and seed, and what was required. Of all ways to
deal the sensitive values of each released class to its people, only those remain from which the method makes the same
classes. The chance that a person has a value is the share of these in which that is so.
"""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Tree
from small_records import coded

from anonduck import Project
from anonduck.methods.mondrian import mondrian
from anonduck.methods.topdown import topdown

SIDE = Tree({1: (), 2: ()}, 1, ordered=False)
METHODS = {"mondrian": mondrian, "topdown": topdown}


def classes_of(method, people, secrets, k, diverse):
    """The class of each person; people are leaf codes, in the order of these."""
    rows, sizes = zip(*sorted(Counter(people).items()), strict=True)
    held = [[secret for one, secret in zip(people, secrets, strict=True) if one == row] for row in rows]

    def meets(asked, groups, count):
        each = [set().union(*(held[row] for row in asked[groups == group])) for group in range(count)]
        return np.array([len(values) >= diverse for values in each])

    data = coded([SIDE] * len(people[0]), list(rows), list(sizes))
    found = METHODS[method](data, k, meets if diverse > 1 else None)
    return tuple(found[rows.index(one)] for one in people)


def worlds(released, secrets):
    """The ways to deal the values of each class to its people."""
    members = {one: [number for number, other in enumerate(released) if other == one] for one in set(released)}
    dealt = [set(permutations([secrets[number] for number in of])) for of in members.values()]
    for chosen in product(*map(sorted, dealt)):
        world = list(secrets)
        for of, values in zip(members.values(), chosen, strict=True):
            for number, value in zip(of, values, strict=True):
                world[number] = value
        yield tuple(world)


def chances(method, people, secrets, k, diverse):
    """By person and value the chance that the classes alone tell, and the one that minimality tells too."""
    released = classes_of(method, people, secrets, k, diverse)
    every = list(worlds(released, secrets))
    left = [world for world in every if classes_of(method, people, world, k, diverse) == released]
    assert tuple(secrets) in left
    return [
        {
            (person, value): sum(world[person] == value for world in among) / len(among)
            for person in range(len(people))
            for value in set(secrets)
        }
        for among in (every, left)
    ]


LEAKING = ([(1, 1), (1, 1), (1, 2), (1, 2), (1, 2), (2, 1), (2, 1), (2, 1)], "hhabcabc")
"""Five on one side could be cut two and three, by the second column, were the two not alike."""


@pytest.mark.slow
def test_a_class_that_two_values_alike_kept_together_gives_them_away():
    people, secrets = LEAKING
    plain, minimal = chances("mondrian", people, secrets, 2, 2)
    assert plain[0, "h"] == plain[2, "h"] == 2 / 5
    assert minimal[0, "h"] == minimal[1, "h"] == 1
    assert minimal[2, "h"] == 0
    assert max(plain.values()) <= 1 / 2 < max(minimal.values())


@pytest.mark.parametrize("method", ["mondrian", "topdown"])
def test_a_class_that_k_keeps_together_gives_nothing_away(method):
    """The same records where each class must have four: no cut is tried that values could bar."""
    people, secrets = LEAKING
    plain, minimal = chances(method, people[:5], secrets[:5], 4, 2)
    assert plain == minimal


@examples(40)
@given(
    st.lists(st.tuples(st.integers(1, 2), st.integers(1, 2)), min_size=2, max_size=6).map(sorted),
    st.lists(st.sampled_from("abc"), min_size=6, max_size=6),
    st.integers(1, 3),
    st.sampled_from(["mondrian", "topdown"]),
)
def test_where_k_alone_is_required_nothing_follows(people, secrets, k, method):
    plain, minimal = chances(method, people, secrets[: len(people)], k, 1)
    assert plain == minimal


@pytest.mark.slow
def test_a_release_is_made_of_the_class_that_leaks(tmp_path):
    """The bound that l promises holds in the file; it is the knowledge of the method that breaks it."""
    people, secrets = LEAKING
    frame = pd.DataFrame(people, columns=["side", "part"]).astype(str).assign(illness=list(secrets), y="n")
    flat = {name: {"groups": {"1": ["1"], "2": ["2"]}} for name in ("side", "part")}
    roles = {"class_": "y", "sensitive": ["illness"], "taxonomies": flat, "models": []}
    with Project(source=frame, **roles, requirement={"k": 2, "l": 2}) as one:
        one.anonymize("mondrian", tmp_path / "out.parquet")
    shown = pd.read_parquet(tmp_path / "out.parquet")
    assert set(shown.loc[shown["side"] == "1", "part"]) == {"*"}
    assert Counter(shown.loc[shown["side"] == "1", "illness"]) == {"h": 2, "a": 1, "b": 1, "c": 1}
