"""Whether equivalence classes tell of the class: chi-square by definition, its moments by every permutation."""

import statistics
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import coded, generalized, judge_over, roots_of, tables
from scipy.special import gammaincc

from anonduck.measures.independence import Association, association, tells_nothing, upper_gamma
from anonduck.rules.rule import RuleSpace


def chi_square(groups, labels):
    """Sum over cells of (found - expected)^2 / expected, with all cells of the table."""
    records, cells = len(groups), Counter(zip(groups, labels, strict=True))
    by_group, by_label = Counter(groups), Counter(labels)
    expected = {(g, c): by_group[g] * by_label[c] / records for g in by_group for c in by_label}
    return sum((cells[cell] - mean) ** 2 / mean for cell, mean in expected.items())


def associated(groups, labels):
    by_group, by_label = Counter(groups), Counter(labels)
    sums = (sum(1 / n for n in of.values()) for of in (by_group, by_label))
    return Association(len(groups), len(by_group), len(by_label), chi_square(groups, labels), *sums)


@pytest.mark.slow
@given(tables(), st.data())
@examples(30)
def test_it_is_the_definition_of_the_records_that_stay(shared, table, data):
    names, paths, rows = table
    coded(shared, names, paths, rows)
    roots = roots_of(names, paths)
    vector = tuple(data.draw(st.integers(0, root)) for root in roots)
    shown = generalized(names, paths, rows, vector)
    rolled = judge_over(shared, RuleSpace(tuple(names), roots)).table.at(vector)
    least, held = data.draw(st.integers(1, 3)), Counter(row[:-1] for row in shown)
    shown = [row for row in shown if held[row[:-1]] >= least]
    if not shown:
        return
    found = association(rolled, rolled.sizes < least)
    expected = associated([row[:-1] for row in shown], [row[-1] for row in shown])
    assert (found.records, found.classes, found.labels) == (expected.records, expected.classes, expected.labels)
    assert found.chi_square == pytest.approx(expected.chi_square, abs=1e-9)
    assert found.reciprocal_classes == pytest.approx(expected.reciprocal_classes)
    assert found.reciprocal_labels == pytest.approx(expected.reciprocal_labels)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=4, max_size=6))
@examples(20)
def test_the_moments_are_those_of_all_ways_to_deal_the_class(rows):
    groups, labels = [row[0] for row in rows], [row[1] for row in rows]
    dealt = [chi_square(groups, order) for order in permutations(labels)]
    mean, variance = associated(groups, labels).moments
    assert mean == pytest.approx(statistics.fmean(dealt), abs=1e-9)
    assert variance == pytest.approx(statistics.pvariance(dealt), abs=1e-9)


@pytest.mark.parametrize(("groups", "shares"), [(3, (0.5, 0.5)), (60, (0.9, 0.1)), (200, (0.5, 0.3, 0.2))])
def test_a_class_that_is_dealt_by_chance_is_told_by_chance(groups, shares):
    random = np.random.default_rng(1)
    chances = []
    for _ in range(300):
        of = random.integers(0, groups, 600).tolist()
        chances.append(associated(of, random.choice(len(shares), 600, p=shares).tolist()).chance)
    assert statistics.fmean(one < 0.1 for one in chances) == pytest.approx(0.1, abs=0.05)
    assert sum(one < 0.001 for one in chances) <= 2, "where groups have three records each, too"


def test_a_class_that_the_groups_tell_is_not():
    groups = [number % 4 for number in range(200)]
    labels = ["yes" if group == 0 and number % 3 else "no" for number, group in enumerate(groups)]
    assert associated(groups, labels).chance < 1e-9


def test_too_few_records_and_a_single_group_or_class_tell_nothing():
    assert associated([0, 1, 1], [0, 1, 1]).chance == 1
    assert associated([0] * 9, [0, 1, 1] * 3).chance == 1
    assert associated([0, 1, 1] * 3, [0] * 9).chance == 1


def test_rules_are_judged_by_what_the_database_holds(database):
    names, paths = ["told", "chance"], {name: {0: ("*",), 1: ("*",)} for name in ("told", "chance")}
    rows = [(n % 2, (n // 2) % 2, "ab"[n % 2]) for n in range(40)]
    coded(database, names, paths, rows)
    table = judge_over(database, RuleSpace(tuple(names), (1, 1))).table
    assert not tells_nothing(table.at((0, 1)))
    assert tells_nothing(table.at((1, 0)))


@pytest.mark.parametrize("shape", [1e-3, 0.5, 1, 2.5, 10, 99.3, 1e3, 1e6])
def test_the_upper_part_of_a_gamma_distribution_is_that_of_scipy(shape):
    for share in (0, 1e-6, 0.3, 0.95, 1, 1.01, 1.3, 2, 20):
        assert upper_gamma(shape, share * shape) == pytest.approx(gammaincc(shape, share * shape), rel=1e-8, abs=1e-290)
