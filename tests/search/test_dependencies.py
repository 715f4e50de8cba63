"""Rules explained: violating pairs with and without a level raised, and information kept, against brute force."""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from oracles import (
    CLASS,
    coded,
    entropy,
    generalized,
    judge_over,
    measurer,
    people,
    project,
    records_of,
    roots_of,
    tables,
)
from test_discovery import discovered

from anonduck.frequency.frequency_set import held_nodes
from anonduck.measures.measures import measure_totals
from anonduck.measures.numpy_measures import CodedAttribute
from anonduck.measures.rule_utility import RuleUtility
from anonduck.rules.dependency import RaisedLevel, RuleDependency
from anonduck.rules.rule import Rule, RuleSpace, literal
from anonduck.search.dependencies import _with_information, with_dependencies
from anonduck.search.discovery import Discovery
from anonduck.statements import Statement


def explained(database, table, vectors=None, *, frontier=True, **bounds):
    """The rules of level vectors, all by default, with their dependencies, by vector; and the taxonomies."""
    names, paths, rows = table
    taxonomies = coded(database, names, paths, rows)
    space = RuleSpace(tuple(names), roots_of(names, paths))
    totals = measure_totals(database)
    measure = measurer(database, names, paths)
    vectors = vectors or list(product(*(range(root + 1) for root in space.roots)))
    rules = tuple(
        Rule(f"R{number}", space.named(vector), {}, (), measure(vector), on_frontier=frontier)
        for number, vector in enumerate(vectors, start=1)
    )
    found = Discovery(rules, (), None, totals, {}, (), 1)
    groups = held_nodes(database, taxonomies)
    told = with_dependencies(database, found, taxonomies, CLASS, groups=groups, **bounds)
    return dict(zip(vectors, told.rules, strict=True)), taxonomies


def alike(names, paths, rows, vector):
    """Pairs of rows that are alike in a rule, by looking at every pair."""
    return sum(one[:-1] == other[:-1] for one, other in combinations(generalized(names, paths, rows, vector), 2))


def violating(names, paths, rows, vector):
    """Pairs of rows that are alike in a rule and differ in class, by looking at every pair."""
    shown = generalized(names, paths, rows, vector)
    return sum(one[:-1] == other[:-1] and one[-1] != other[-1] for one, other in combinations(shown, 2))


@pytest.mark.slow
@given(tables(max_rows=12))
@examples(20)
def test_dependencies_equal_brute_force_over_pairs(shared, table):
    names, paths, rows = table
    roots = roots_of(names, paths)
    for vector, rule in explained(shared, table)[0].items():
        pairs = violating(names, paths, rows, vector)
        found = rule.dependency
        assert (found.violating_pairs, found.g1) == (pairs, pytest.approx(pairs / comb(len(rows), 2), abs=1e-9))
        assert found.alike_pairs == rule.measures.alike_pairs == alike(names, paths, rows, vector)
        assert list(found.raised) == list(rule.levels)
        added = []
        for name, one in found.raised.items():
            at = names.index(name)
            above = (*vector[:at], vector[at] + 1, *vector[at + 1 :])
            pairs_above = violating(names, paths, rows, above)
            assert (one.level, one.violating_pairs) == (vector[at] + 1, pairs_above)
            assert one.g1 == pytest.approx(pairs_above / comb(len(rows), 2), abs=1e-9)
            added.append(pairs_above > pairs)
        assert found.minimal == all(added)
        if vector == roots:
            assert found.minimal
            assert found.notation == f"{{}} -> {CLASS}<=0"


@dataclass(frozen=True)
class Shown:
    """A rule by its levels, and what is told of it."""

    levels: dict
    information_kept: dict = None
    information_kept_overall: float = None


def test_information_kept_is_told_of_each_column_and_of_all():
    """Of two bits of a, level 1 keeps one; b has a single value, which says nothing at any level."""
    one = np.array([0, 4, 4, 4, 4])
    a = CodedAttribute((np.arange(5), np.array([0, 1, 1, 2, 2])), one, (one * 0.0,) * 2, unknown=False)
    b = CodedAttribute((np.arange(2),), np.array([0, 16]), (np.zeros(2),), unknown=False)
    rules = [Shown({"a": 0}), Shown({"a": 1, "b": 0}), Shown({"b": 0})]
    told = _with_information(rules, {"a": a, "b": b})
    assert [rule.information_kept for rule in told] == [{"a": share, "b": None} for share in (1.0, 0.5, 0.0)]
    assert [rule.information_kept_overall for rule in told] == [1.0, 0.5, 0.0]
    assert [rule.information_kept_overall for rule in _with_information(rules[2:], {"b": b})] == [None]


@pytest.mark.slow
@given(tables(max_rows=14))
@examples(20)
def test_information_kept_is_the_entropy_of_the_level_over_that_of_the_values(shared, table):
    names, paths, rows = table
    roots = roots_of(names, paths)
    found, taxonomies = explained(shared, table)
    space = RuleSpace(tuple(names), roots_of(names, paths))
    judge = judge_over(shared, space)
    utility = RuleUtility(records_of(shared, taxonomies, judge).columns, judge.table, k=1)
    shown = {vector: generalized(names, paths, rows, vector) for vector in found}

    def bits(vector, at):
        return entropy(Counter(row[at] for row in shown[vector]).values())

    whole = [bits((0,) * len(names), at) for at in range(len(names))]
    for vector, rule in found.items():
        assert list(rule.information_kept) == names
        held = [bits(vector, at) for at in range(len(names))]
        for at, name in enumerate(names):
            share = rule.information_kept[name]
            assert share == (None if not whole[at] else pytest.approx(held[at] / whole[at], abs=1e-9))
            if whole[at] and vector[at] in (0, roots[at]):
                assert share == (1.0 if not vector[at] else 0.0)
        if not sum(whole):
            assert rule.information_kept_overall is None
            continue
        assert rule.information_kept_overall == pytest.approx(sum(held) / sum(whole), abs=1e-9)
        lost = utility(vector, ["nonuniform_entropy"])["nonuniform_entropy"]
        assert rule.information_kept_overall == pytest.approx(1 - lost / len(rows) / sum(whole), abs=1e-9)


@pytest.mark.slow
@given(tables(max_rows=12))
@examples(20)
def test_rules_of_all_patterns_hold_and_are_minimal(shared, table):
    names, _, _ = table
    rules = discovered(shared, *table, coverage=[1.0], models=[]).rules
    extracted = [rule for rule in rules if rule.origin == "extracted"]
    vectors = [tuple(rule.levels.get(n, root) for n, root in zip(names, roots_of(*table[:2]), strict=True))
               for rule in extracted]  # fmt: skip
    if not vectors:
        return
    for rule in explained(shared, table, vectors)[0].values():
        assert rule.dependency.violating_pairs == 0
        assert rule.dependency.minimal


def test_off_the_frontier_only_so_many_rules_are_counted(database):
    table = (["age"], {"age": {0: ("a", "*"), 1: ("a", "*")}}, [(0, "a"), (1, "b"), (1, "b")])
    some = explained(database, table, frontier=False, most_rows=4)[0]  # the frequency set has two rows
    assert [rule.dependency.raised is not None for rule in some.values()] == [True, True, False]
    assert some[(2,)].dependency.minimal is None
    assert some[(2,)].as_json()["rfd"] == {
        "notation": f"{{}} -> {CLASS}<=0", "violating_pairs": 2, "g1": 0.666666666667, "minimal": None, "raised": None,
        "alike_pairs": 3, "words": f"nothing else is shown: of the pairs of records, 66.7 % differ in {CLASS}",
    }  # fmt: skip
    assert all(rule.dependency.raised is not None for rule in explained(database, table, most_rows=0)[0].values()), (
        "those on the frontier are counted whatever that reads"
    )


def test_words_say_what_agrees_differs_and_breaks():
    roots = {"age": 4, "sex": 1, "job": 3}
    raised = {"age": RaisedLevel(4, 30, 0.03), "sex": RaisedLevel(1, 12, 0.012), "job": RaisedLevel(2, 20, 0.02)}
    rule = RuleDependency("", 12, 0.012, raised, 400, "two records differ")
    assert rule.free == ("sex",)
    assert rule.minimal is False
    assert rule.in_words(roots) == [
        "Two records differ.",
        "Not minimal: leaving out sex adds no such pair; leaving out age adds 1.8 % and raising job to level 2 adds "
        "0.8 %.",
    ]
    exact = RuleDependency("", 0, 0.0, {"job": RaisedLevel(2, 1, 0.000001)})
    assert exact.in_words(roots)[1] == (
        "Minimal: no level can be raised without adding such pairs: raising job to level 2 adds under 0.001 %."
    )
    uncounted = replace(exact, raised=None).in_words(roots)
    assert uncounted[1] == "How many such pairs a higher level would add was not counted for this rule."


def test_the_sentence_of_a_rule_names_what_each_column_shows(database):
    """Of three groups at level 1 and four values of the other column; pairs are counted, not joined."""
    ages = {code: ("abc"[code // 2], "*") for code in range(6)}
    jobs = dict.fromkeys(range(4), ("*",))
    rows = [(0, 0, "y"), (1, 0, "n"), (2, 1, "y"), (3, 1, "y"), (4, 2, "n"), (5, 3, "n")]
    rules = explained(database, (["age", "job"], {"age": ages, "job": jobs}, rows))[0]
    assert rules[(1, 0)].dependency.words == (
        f"of the pairs of records that look alike in age (3 groups) and job (4 values), 50.0 % differ in {CLASS}"
    )
    assert rules[(0, 0)].dependency.words == "no two records look alike, so that nothing is said of their class"


@pytest.mark.slow
def test_a_discovery_keeps_what_explains_its_rules():
    with project(people(80).assign(constant="x"), coverage=[0.3], search="rfd", models=[]) as one:
        found = one.discover()
        stored = one.discovered()
        assert found.rules
        assert all(rule.dependency.raised for rule in found.rules)
        assert {rule.information_kept["constant"] for rule in stored.rules} == {None}
        for rule, again in zip(found.rules, stored.rules, strict=True):
            assert again.dependency == rule.dependency
            assert dict(again.information_kept) == dict(rule.information_kept)
            assert again.information_kept_overall == rule.information_kept_overall
        listed = one.rules()
        assert listed["rfd.notation"][0] == f"{listed['literal'][0].replace('=', '<=')} -> class<=0"
        told = one.database.rows(
            Statement("rfds of rules", "SELECT rfd->>'notation', (rfd->>'violating_pairs')::BIGINT FROM rules")
        )
        assert told == [(rule.dependency.notation, rule.measures.violating_pairs) for rule in found.rules]
        assert stored.named(literal(found.rules[-1].levels)).id == found.rules[-1].id
