"""The combined search: the rules of RFDs, and what tolerant RFDs and moves by one level add to them."""

from itertools import product

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, coded, generalized, judge_over, measured, people, project, records_of, roots_of, tables
from test_discovery import discovered, many_rules

from anonduck.config.reading import make_config
from anonduck.database.progress import Reporter
from anonduck.measures.requirement import Requirement
from anonduck.measures.rule_utility import selected_utility
from anonduck.privacy.requirement import ask
from anonduck.rules.measure_names import UTILITY
from anonduck.rules.rule import RuleSpace
from anonduck.search.quick_measures import QuickMeasurer

MEASURES = ("information_gain", "majority_share", "balanced_majority_share")


def told(names, paths, rows, vector, min_k):
    """Both shares that are told right: of the records that stay by the majority of their class, of the others by that
    of all, where NULL comes first of equals."""
    shown = generalized(names, paths, rows, vector)
    groups = {}
    for *key, value in shown:
        groups.setdefault(tuple(key), []).append(value)
    every = [row[-1] for row in rows]
    held = {value: every.count(value) for value in set(every)}
    guess = min(held, key=lambda value: (-held[value], value or ""))
    most = balanced = 0
    for values in groups.values():
        told_of = values if len(values) >= min_k else [guess]
        most += max(map(values.count, told_of))
        balanced += max(values.count(value) / held[value] for value in told_of)
    return most / len(rows), balanced / len(held)


def prober_of(database, table, requirement, select="accuracy"):
    names, paths, rows = table
    taxonomies = coded(database, names, paths, rows)
    space = RuleSpace(tuple(names), roots_of(names, paths))
    judge = judge_over(database, space, requirement)
    settings = {"select": select, "measures": ["all"], "requirement": {"k": requirement.k}}
    config = make_config({"class": CLASS, **settings})
    utility = selected_utility(records_of(database, taxonomies, judge).columns, config, judge)
    return QuickMeasurer(records_of(database, taxonomies, judge).columns, judge, config, utility)


@pytest.mark.slow
@given(
    tables(max_rows=14),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([0.0, 0.2, 0.5]),
    st.sampled_from(["accuracy", *UTILITY]),
)
@examples(25)
def test_probes_equal_brute_force(shared, table, min_k, suppression, select):
    names, paths, rows = table
    roots = roots_of(names, paths)
    requirement = Requirement(ask({"k": min_k}), suppression)
    vectors = [v for v in product(*(range(root + 1) for root in roots)) if v != roots]
    prober = prober_of(shared, table, requirement, select)
    for vector in vectors:
        probe, asked = prober(vector), prober.judge.verdict(vector)
        k, _, gain, _, violating = measured(names, paths, rows, vector)
        if probe is None:
            assert not asked.met
            assert k < min_k
            continue
        assert (probe.met, probe.k) == (asked.met, asked.measures.k)
        assert probe.violating_pairs == violating
        assert (probe.selected is None) == (select == "accuracy")
        if probe.met and select != "accuracy":
            assert probe.selected == pytest.approx(prober.utility(vector, asked.measures.suppressed), abs=1e-9)
        shares = (probe.information.majority_share, probe.information.balanced_majority_share)
        assert shares == pytest.approx(told(names, paths, rows, vector, min_k), abs=1e-9)
        if k >= min_k:
            assert probe.k == k
            assert probe.information.information_gain == pytest.approx(gain, abs=1e-9)


@pytest.mark.slow
@given(
    tables(max_rows=14),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([["refined"], ["tolerant"], ["tolerant", "refined"]]),
)
@examples(6)
def test_a_combined_search_only_adds_rules(shared, table, min_k, combine):
    names, paths, rows = table
    alone = discovered(shared, names, paths, rows, min_k=min_k, coverage=[0.3], models=["bayes"])
    found = discovered(
        shared, names, paths, rows, min_k=min_k, coverage=[0.3], models=["bayes"], search="combined", combine=combine
    )
    space = RuleSpace(tuple(names), roots_of(names, paths))

    def plain(rule):
        return {**rule.as_json(), "on_frontier": None, "equal_to": None}

    assert [plain(rule) for rule in found.rules[: len(alone.rules)]] == [plain(rule) for rule in alone.rules]
    ids = [rule.id for rule in found.rules]
    assert ids == [f"R{n}" for n in range(1, len(ids) + 1)]
    for rule in found.rules[len(alone.rules) :]:
        k, classes, gain, _, violating = measured(names, paths, rows, space.vector(rule.levels))
        assert (rule.measures.k, rule.measures.classes, rule.measures.violating_pairs) == (k, classes, violating)
        assert k >= min_k
        assert rule.measures.information_gain == pytest.approx(gain, abs=1e-9)
        assert rule.measures.information_gain > 0
        assert rule.origin in {"tolerant", "refined"}
        assert rule.coverages == ()
        assert set(rule.parents) <= set(ids)
        assert (rule.tolerance is not None) == (rule.origin == "tolerant")
    assert bool(found.explanation) == (not found.rules)
    assert set(found.combined) <= {"tolerant", "refined"}


@pytest.mark.slow
@given(tables(max_rows=14), st.sampled_from([1, 2]))
@examples(15)
def test_no_rule_one_level_from_the_frontier_is_better(shared, table, min_k):
    """On the frontier of k and information gain of a combined search, as brute force tells."""
    names, paths, rows = table
    found = discovered(shared, names, paths, rows, min_k=min_k, coverage=[0.3], models=[], search="combined")
    if not found.combined:
        assert len({row[-1] for row in rows}) == 1
        return
    space = RuleSpace(tuple(names), roots_of(names, paths))
    points = {space.vector(r.levels): (r.measures.k, round(r.measures.information_gain, 9)) for r in found.rules}
    for rule in found.rules:
        if not rule.on_frontier:
            continue
        vector = space.vector(rule.levels)
        for attribute, step in product(range(len(vector)), (-1, 1)):
            near = (*vector[:attribute], vector[attribute] + step, *vector[attribute + 1 :])
            if not 0 <= near[attribute] <= space.roots[attribute] or near == space.roots:
                continue
            k, _, gain, *_ = measured(names, paths, rows, near)
            if k >= min_k and gain > 1e-9:
                assert any(one >= k and other >= round(gain, 9) for one, other in points.values())


@pytest.mark.slow
def test_where_rfds_give_no_rule_tolerant_ones_take_their_place(shared):
    names, paths = ["a", "b"], {"a": {v: (f"g{v // 2}", "*") for v in range(4)}, "b": {0: ("*",), 1: ("*",)}}
    equal = [(0, 0, "x"), (0, 0, "y")] * 8
    rows = equal + [(v, v % 2, "xy"[v // 2]) for v in range(4)] * 6
    told = {"coverage": [0.9], "min_k": 2}
    assert not discovered(shared, names, paths, rows, **told).rules
    found = discovered(shared, names, paths, rows, search="combined", **told)
    assert found.combined["tolerant"]["added"] == sum(rule.origin == "tolerant" for rule in found.rules) > 0
    tolerances = {rule.tolerance for rule in found.rules if rule.origin == "tolerant"}
    assert tolerances <= set(found.combined["tolerant"]["thresholds"])
    assert all(rule.measures.violating_pairs <= rule.tolerance * found.totals.differing_pairs + 1e-9
               for rule in found.rules if rule.origin == "tolerant")  # fmt: skip


def test_a_class_of_one_value_gives_no_rule(shared):
    names, paths = ["a"], {"a": {0: ("*",), 1: ("*",)}}
    found = discovered(shared, names, paths, [(0, "x"), (1, "x")] * 9, search="combined")
    assert not found.rules
    assert "differs in class" in found.explanation
    assert found.combined == {}


@pytest.mark.slow
def test_the_bound_is_said(shared):
    said = []
    names, paths, rows = many_rules()
    found = discovered(
        shared, names, paths, rows, search="combined", max_tried=1, coverage=[0.01], reporter=Reporter(said.append)
    )
    assert found.as_json()["incomplete"]
    assert not found.combined["refined"]["complete"]
    assert any("`--max-tried N`" in one for one in said)


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("asked", [{"k": 3, "l": 2}, {"k": 3, "t": 0.4}])
@pytest.mark.parametrize("suppression", [0.0, 0.1])
def test_what_else_is_required_holds_for_rules_that_are_added(asked, suppression):
    frame = people(120)
    frame["illness"] = [["flu", "cold", "none", None][i * i % 7 % 4] for i in range(len(frame))]
    requirement = {**asked, **({"suppression": suppression} if suppression else {})}
    with project(frame, sensitive=["illness"], requirement=requirement, models=[], search="combined") as one:
        found = one.discover()
    assert any(rule.origin == "refined" for rule in found.rules)
    for rule in found.rules:
        assert rule.measures.k >= 3
        reached = rule.measures.privacy
        assert reached.get("l", 2) >= 2
        assert reached.get("t", 0) <= 0.4
        assert rule.measures.suppressed <= suppression * len(frame)


@pytest.mark.slow
def test_rules_are_refined_by_the_utility_that_is_selected_by():
    with project(people(300), requirement={"k": 4}, select="loss", models=[], search="combined") as one:
        plain = one.discover(select="information_gain")
        found = one.discover()
        optimum = one.discover(search="lattice")
    least = min(rule.utility["loss"] for rule in found.rules)
    assert least == pytest.approx(min(rule.utility["loss"] for rule in optimum.rules))
    assert least < min(rule.utility["loss"] for rule in plain.rules)
