"""Flexible generalization on coded records: the classes, uncertainties and levels of an oracle."""

import math
from dataclasses import replace

import numpy as np
import pytest
from examples import examples
from flexible_oracle import Flexible
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Tree
from small_records import coded, judges, tables

from anonduck.errors import ConfigError
from anonduck.methods import similar_classes
from anonduck.methods.coded_records import ClassCells
from anonduck.methods.flexible import first_quartile, flexible, rule_levels, shown_levels, uncertainty
from anonduck.methods.registry import METHODS


def cells_of(secrets):
    """The records of rows by sensitive value, which are numbered by name."""
    numbers = {value: number for number, value in enumerate(sorted({value for one in secrets for value in one}))}
    listed = [(row, numbers[value], count) for row, one in enumerate(secrets) for value, count in sorted(one.items())]
    return ClassCells(*(np.array(one) for one in zip(*listed, strict=True)))


def weighed(data, secrets, grades):
    """Coded records with what the method reads: ``paper`` has the grades, ``predictive`` the same from behind."""
    shares = (1 / len(grades),) * len(grades)
    read = {"paper": tuple(grades), "predictive": tuple(2 - grade for grade in grades)}
    return replace(data, sensitive=(cells_of(secrets),), weights=dict.fromkeys(read, shares), grades=read)


def shown_by(data, found):
    """Each class as a set of rows, with its level and the rows' own leaf codes at hand in each column."""
    levels = [
        shown_levels(column, places, found.classes, least)
        for column, places, least in zip(data.columns, data.places, found.levels, strict=True)
    ]
    return {
        frozenset(np.flatnonzero(found.classes == one).tolist()): tuple(int(level[one]) for level in levels)
        for one in range(int(found.classes.max()) + 1)
    }


def drawn_secrets(random, sizes):
    """Two values, of which half of the rows have one alone."""
    splits = [random.randint(0, size) if random.random() < 0.5 else size for size in sizes]
    return [
        {value: count for value, count in (("x", one), ("y", size - one)) if count}
        for one, size in zip(splits, sizes, strict=True)
    ]


@pytest.mark.slow
@examples(500)
@given(
    tables(),
    st.integers(1, 6),
    st.integers(1, 2),
    st.sampled_from(["rule", "least"]),
    st.sampled_from(["quartile", 0.0, 0.95]),
    st.booleans(),
    st.sampled_from([3, 5, 2048]),
    st.randoms(use_true_random=False),
)
def test_classes_and_levels_are_those_of_the_oracle(drawn, k, diverse, levels, threshold, join, block, random):
    tree, rows, sizes, kinds = drawn
    secrets = drawn_secrets(random, sizes)
    grades = [random.randint(0, 2) for _ in tree]
    diverse_enough, meets = judges(kinds, diverse)
    oracle = Flexible(tree, rows, sizes, secrets, k, diverse_enough, block)
    expected = oracle.released(grades if levels == "rule" else None, threshold, join)
    data = weighed(coded(tree, rows, sizes), secrets, grades)
    told = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similar_classes, "BLOCK", block)
        found = flexible(
            *(data, k, meets),
            progress=lambda *words: told.append(words),
            levels=levels,
            threshold=threshold,
            join=join,
        )
    assert shown_by(data, found) == {one: tuple(level for level, _ in nodes) for one, nodes in expected.items()}
    assert told[-1] == ("forming classes", sum(sizes), sum(sizes))
    lost = sum(
        oracle.size(one) * level / tree[i].height
        for one, nodes in expected.items()
        for i, (level, _) in enumerate(nodes)
    )
    expected_loss = lost / len(tree) / sum(sizes)
    assert found.receipt["distortion"]["paper"] == pytest.approx(expected_loss, abs=1e-6)
    revealed = oracle.revealed(expected, grades) if levels == "rule" else 0
    assert found.revealed == (pytest.approx(revealed / sum(sizes)),)
    assert found.receipt["uncertainty"]["certain"] == [
        oracle.uncertainty(one) for one in oracle.meeting(oracle.formed())
    ].count(0)


@examples(100)
@given(tables(), st.integers(2, 6))
def test_classes_have_k_to_2k_minus_1_records_when_formed(drawn, k):
    """But for combinations with more records, which are one class each, and for what is left over."""
    tree, rows, sizes, _ = drawn
    if sum(sizes) < k:
        return
    found = similar_classes.SimilarClasses(coded(tree, rows, sizes), k)
    found.form(lambda *words: None)
    records = np.bincount(found.classes, weights=sizes)
    assert min(records) >= k
    alone = {int(found.classes[row]) for row, size in enumerate(sizes) if size >= k}
    large = [one for one in range(len(records)) if records[one] > 2 * k - 1 and one not in alone]
    assert sum(records[one] - (2 * k - 1) for one in large) < k


def test_two_classes_of_the_papers_six_records():
    """Figure 5: three records each, one value in two and another in one of them; and one value in all."""
    secrets = ClassCells(np.array([0, 1, 2, 3]), np.array([0, 1, 0, 0]), np.array([2, 1, 1, 2]))
    found = uncertainty([secrets], np.array([0, 0, 1, 1]))
    assert found.tolist() == pytest.approx([-(2 / 3) * math.log2(2 / 3) - (1 / 3) * math.log2(1 / 3), 0])
    assert round(found[0], 3) == 0.918


def test_of_several_sensitive_columns_the_most_certain_one_counts():
    one = ClassCells(np.array([0, 1]), np.array([0, 1]), np.array([3, 3]))
    other = ClassCells(np.array([0, 1]), np.array([0, 0]), np.array([3, 3]))
    assert uncertainty([one], np.array([0, 0])).tolist() == [1]
    assert uncertainty([one, other], np.array([0, 0])).tolist() == [0]


@pytest.mark.parametrize(
    ("grade", "root", "above", "below"),
    [(0, 6, 0, 3), (1, 6, 1, 4), (2, 6, 2, 5), (0, 5, 0, 3), (2, 5, 2, 5), (1, 1, 1, 1), (0, 1, 0, 1), (2, 3, 1, 3)],
)
def test_levels_follow_usefulness_and_uncertainty(grade, root, above, below):
    assert rule_levels(np.array([True, False]), grade, root).tolist() == [above, below]


def test_classes_with_one_sensitive_value_join_similar_ones():
    """The first two rows, all alike, would be shown with one value; the third is the most similar with two."""
    letter = Tree({1: (1,), 2: (1,), 3: (2,), 4: (2,)}, 2, ordered=False)
    data = coded([letter, letter], [(1, 1), (1, 2), (1, 3), (4, 4)], [4, 4, 4, 4])
    data = weighed(data, [{"x": 4}, {"x": 4}, {"x": 2, "y": 2}, {"x": 1, "y": 3}], [0, 0])
    left = flexible(data, 4, join=False)
    assert left.classes.tolist() == [0, 1, 2, 3]
    joined = flexible(data, 4)
    assert joined.classes.tolist() == [0, 0, 0, 1]
    assert joined.receipt["uncertainty"]["joined"] == 2
    assert flexible(data, 4, levels="least").classes.tolist() == [0, 1, 2, 3]


LETTER = Tree({1: (1,), 2: (1,), 3: (2,), 4: (2,)}, 2, ordered=False)
MIXED = {"x": 2, "y": 2}


def test_levels_reveal_classes_with_one_value_that_are_shown_alike():
    """Two of the classes are raised, of x and of y alone: together they have two values, so that HA is 0."""
    data = coded([LETTER, LETTER], [(1, 1), (2, 2), (3, 3), (4, 4)], [4, 4, 4, 4])
    data = weighed(data, [{"x": 4}, {"y": 4}, MIXED, MIXED], [0, 0])
    found = flexible(data, 4)
    assert [one.tolist() for one in found.levels] == [[1, 1, 0, 0]] * 2
    assert found.classes.tolist() == [0, 1, 2, 3]
    assert found.revealed == (0.5,)
    assert found.receipt["uncertainty"]["raised"] == 8


@pytest.mark.parametrize("others", [[], [MIXED] * 4])
def test_a_constant_secret_raises_and_joins_nothing(others):
    data = coded([LETTER, LETTER], [(1, 1), (2, 2), (3, 3), (4, 4)], [4, 4, 4, 4])
    data = weighed(data, [{"x": 4}] * 4, [0, 0])
    data = replace(data, sensitive=(*data.sensitive, *([cells_of(others)] if others else [])))
    found = flexible(data, 4)
    assert found.classes.tolist() == [0, 1, 2, 3]
    assert [one.tolist() for one in found.levels] == [[0] * 4] * 2
    assert found.receipt["uncertainty"]["mean"] == (1 if others else None)
    assert found.revealed == (0,) * len(data.sensitive)


@pytest.mark.parametrize(
    ("entropies", "limit"),
    [([1, 1, 1, 1], 0), ([0, 1, 1, 1, 1], 0), ([0.5, 1, 1, 1, 1], 0.5), ([0, 0, 0], 0), ([0.3, 0.5, 1, 1], 0.3)],
)
def test_classes_as_uncertain_as_any_are_above_the_first_quartile(entropies, limit):
    assert first_quartile(np.array(entropies, dtype=float)) == limit


def test_the_reading_of_weights_decides_the_levels():
    letter = Tree({1: (1,), 2: (1,), 3: (2,), 4: (2,)}, 2, ordered=False)
    data = coded([letter, letter], [(1, 1), (4, 4)], [4, 4])
    data = weighed(data, [{"x": 2, "y": 2}, {"x": 1, "y": 3}], [0, 2])
    assert [one.tolist() for one in flexible(data, 4, threshold=0.5).levels] == [[0, 0], [1, 1]]
    assert [one.tolist() for one in flexible(data, 4, threshold=0.5, weights="equation-8").levels] == [[1, 1], [0, 0]]


def test_old_names_of_weights_stand_for_the_places_in_the_paper():
    method = METHODS["flexible"]
    settled = [method.resolve_options({"weights": name})["weights"] for name in ("paper", "predictive", "equation-8")]
    assert settled == ["table-5", "equation-8", "equation-8"]
    with pytest.raises(ConfigError, match="table-5 or equation-8, not 'equation-9'"):
        method.resolve_options({"weights": "equation-9"})
