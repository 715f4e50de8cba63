"""Downcoding: what labels tell if each is the smallest node over its class, by brute force and where it is known."""

from collections import Counter
from itertools import product
from math import factorial, prod

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import anonduck
from anonduck.attacks.downcoding import ColumnNodes, likeliest
from anonduck.attacks.rates import Rate
from anonduck.cli.app import run

pytestmark = pytest.mark.usefixtures("without_splink")

COLUMNS = [f'test "{number}"' for number in range(6)]
CLUSTERS, SIZE, RARE = 120, 5, 0.03


# -- by brute force ----------------------------------------------------------------------------------------------------


def chance(counts, shares):
    ways = factorial(sum(counts)) / prod(factorial(count) for count in counts)
    return ways * prod(share**count for share, count in zip(shares, counts, strict=True))


@examples(100)
@given(st.integers(2, 7), st.lists(st.integers(1, 30), min_size=2, max_size=4), st.booleans())
def test_the_likeliest_numbers_are_those_of_the_largest_chance(records, weights, minimal):
    shares = np.array(weights) / sum(weights)
    found = likeliest(records, shares, minimal=minimal)
    every = [one for one in product(range(records + 1), repeat=len(weights)) if sum(one) == records]
    if minimal:
        every = [one for one in every if max(one) < records]
    assert found.sum() == records
    assert tuple(found) in every
    assert chance([int(n) for n in found], shares) >= max(chance(one, shares) for one in every) * (1 - 1e-9)


def incidence(sets, values):
    table = np.zeros((len(sets), values))
    for row, held in enumerate(sets):
        table[row, sorted(held)] = 1
    return csr_array(table)


@examples(60)
@given(st.lists(st.integers(0, 2), min_size=6, max_size=6), st.sets(st.integers(0, 5), min_size=1))
def test_children_are_the_largest_nodes_within_a_label(groups, label):
    """The taxonomy has a node per group and one per two groups; the label is a node or any other set."""
    nodes = [{i for i in range(6) if groups[i] == group} for group in range(3)] + [
        {i for i in range(6) if groups[i] < 2}, set(range(6))
    ]  # fmt: skip
    for asked in (label, *(node for node in nodes if node)):
        column = ColumnNodes(np.full(6, 1 / 6), incidence([set(), asked], 6), incidence([set(), *nodes], 6))
        children = column.children(1)
        finer = [frozenset({i}) for i in range(6)] + [frozenset(node) for node in nodes if node < asked]
        for value in range(6):
            if value not in asked or len(asked) == 1:
                assert children[value] == -1
                continue
            mine = max((node for node in finer if value in node and node < asked), key=len)
            assert {i for i in range(6) if children[i] == children[value]} == mine


# -- releases that are known to leak, and not --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tested():
    """Two groups of people in clusters of five, with tests that few are positive in."""
    random = np.random.default_rng(8)
    groups = []
    for _ in range(2):
        table = pd.DataFrame({name: np.where(random.random(CLUSTERS * SIZE) < RARE, "+", "-") for name in COLUMNS})
        table.insert(0, "cluster", [f"c{at // SIZE:03}" for at in range(CLUSTERS * SIZE)])
        groups.append(table.astype("string"))
    return groups


def smallest(table):
    """Each test of a cluster at the smallest node over its people: the result of all, or either."""
    shown = table.copy()
    for name in COLUMNS:
        several = table.groupby("cluster")[name].transform("nunique") > 1
        shown[name] = table[name].mask(several, "either")
    return shown


def taxonomies():
    return dict.fromkeys(COLUMNS, pd.DataFrame([("+", "either", "*"), ("-", "either", "*")]))


def downcoded(shared, released, tested, **options):
    own, control = tested
    given = {"taxonomies": taxonomies(), "control": control, "downcoding": True, "database": shared, **options}
    report = anonduck.attack(released, own, **given)
    return report, {one.question: one for one in report.attempts if one.attack == "downcoding"}


@pytest.mark.slow
def test_smallest_nodes_give_away_single_people(shared, tested):
    released = smallest(tested[0])
    report, found = downcoded(shared, released, tested)
    columns = [
        sorted(group[name])
        for _, group in tested[0].groupby("cluster")
        for name in COLUMNS
        if group[name].nunique() > 1
    ]
    ones = sum(Counter(column)["+"] == 1 for column in columns)
    assert found["singling out"].success == found["refinement"].success == Rate(ones, len(columns))
    assert found["singling out"].success.share > 0.9
    assert found["singling out"].control.share < 0.3
    assert found["singling out"].baseline == pytest.approx(5 * RARE * (1 - RARE) ** 4, abs=0.02)
    assert found["refinement"].baseline == 0
    assert all(one.excess.found for one in found.values())
    assert "give away more than they show" in found["refinement"].words
    assert not any("cannot be checked" in note for note in report.notes)


@pytest.mark.slow
def test_labels_that_depend_on_no_class_give_nobody_away(shared, tested):
    released = tested[0].assign(**dict.fromkeys(COLUMNS, "either"))
    _, found = downcoded(shared, released, tested, guesses=400)
    assert found["singling out"].success.share < 0.25
    assert not any(one.excess.found for one in found.values())
    assert found["refinement"].success.share < found["refinement"].baseline
    assert "no better than" in found["refinement"].words


@pytest.mark.slow
def test_people_of_other_classes_make_a_claim_unlikely(shared, tested):
    """Twice the clusters under one label: classes fit other people too, so that nobody can tell whose a label is."""
    released = smallest(tested[0]).assign(cluster="*")
    report, found = downcoded(shared, released, tested)
    assert "singling out" not in found or found["singling out"].success.share < 0.3
    assert any("cannot be checked" in note for note in report.notes)


@pytest.mark.slow
def test_without_finer_nodes_nothing_is_tried(shared, tested):
    report, found = downcoded(shared, tested[0], tested)
    assert found == {}
    assert any("downcoding was not tried" in note for note in report.notes)


def test_claims_are_counted_as_by_hand(shared):
    """Ages in two classes: of three people under 40 one is 30 and two are 20; the other class has one age."""
    rows = [("20", "a"), ("20", "a"), ("30", "a"), ("60", "b"), ("60", "b")]
    own = pd.DataFrame(rows, columns=["age", "town"], dtype="string")
    released = own.assign(age=["under 40"] * 3 + ["60"] * 2)
    table = pd.DataFrame([("20", "under 40", "*"), ("30", "under 40", "*"), ("60", "over 40", "*")])
    report = anonduck.attack(
        released, own, ["age", "town"], taxonomies={"age": table}, downcoding=True, database=shared
    )
    found = {one.question: one for one in report.attempts if one.attack == "downcoding"}
    assert found["singling out"].success == Rate(1, 1)
    assert found["singling out"].baseline == pytest.approx(3 * (1 / 3) * (2 / 3) ** 2)
    assert found["refinement"].success == Rate(1, 1)
    assert found["refinement"].guessed == Rate(1, 1)
    assert not found["refinement"].excess.found


@pytest.mark.slow
def test_the_command_tries_it_when_asked(tmp_path, monkeypatch, tested, capsys):
    monkeypatch.chdir(tmp_path)
    tested[0].to_csv("own.csv", index=False)
    smallest(tested[0]).to_csv("released.csv", index=False)
    taxonomies()[COLUMNS[0]].to_csv("tests.csv", index=False, header=False)
    given = [part for name in COLUMNS for part in ("--taxonomy", f"{name}=tests.csv")]
    assert run(["attack", "released.csv", "--original", "own.csv", "--guesses", "20", *given]) == 0
    assert "downcoding" not in capsys.readouterr().out
    assert run(["attack", "released.csv", "--original", "own.csv", "--downcoding", *given]) == 0
    printed = capsys.readouterr().out
    assert "refinement, downcoding: claims of how many records of a class lie in each finer node" in printed
