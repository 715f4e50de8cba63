"""`frontier --gap`: how far rules are from the best that any rule with at least their k reaches."""

import json
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import pytest
from oracles import judge_over, people, project, records_of
from test_lattice import everything, opened, skewed

from anonduck import Project
from anonduck.cli.app import run
from anonduck.config.reading import with_changes
from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.errors import ConfigError, RuleError
from anonduck.measures.measures import contingency
from anonduck.measures.requirement import Requirement
from anonduck.measures.rule_utility import RuleUtility
from anonduck.privacy.requirement import ask
from anonduck.rules.frontier import better_first
from anonduck.rules.rule import RuleSpace
from anonduck.search import lattice_search
from anonduck.search.gaps import _bound, measure_gaps
from anonduck.search.lattice.costs import GOALS
from anonduck.search.lattice.problem import TimeLimit
from anonduck.search.training import model_scores

OBJECTIVES = {"information_gain": ["k", "information_gain"], "accuracy": ["k", "accuracy"]}


def best_of_all(one, k, measure):
    """The best of every level vector with at least such a k, each measured alone."""
    names = one.roles.quasi_identifiers
    space = RuleSpace(names, tuple(one.taxonomies[name].root for name in names))
    measurer = judge_over(one.database, space).whole
    found = []
    for vector in product(*(range(root + 1) for root in space.roots)):
        if vector == space.roots or measurer(vector).k < k:
            continue
        if measure == "information_gain":
            found.append(measurer(vector).information_gain)
        else:
            table = contingency(one.database, space.named(vector), one.taxonomies)
            found.append(model_scores(table, ["tree"])["tree"][measure])
    return max(found)


def test_the_gap_is_to_the_best_that_met_what_was_required(prepared, tmp_path):
    with Project(prepared("people calm", tmp_path) / "anonduck.yml") as one:
        shown = one.frontier(["k", "information_gain"], gap=True, nested=True)
        every = met_by_all(one, {"k": 4}, 4, {})
        assert shown.attrs["lattice"]["information_gain"]["frontier"] == "exact"
        gaps = []
        for _, rule in shown.iterrows():
            best = max(values["information_gain"] for k, values in every if k >= rule["k"])
            gaps.append(best - rule["information_gain"])
            gap = rule["gap"]["information_gain"]
            assert gap["best"] == gap["bound"] == pytest.approx(best, abs=1e-9)
            assert gap["gap"] == pytest.approx(gaps[-1], abs=1e-9)
        assert any(gap > 0.01 for gap in gaps)
        with pytest.raises(
            ConfigError, match="the best possible classes cannot be found for these rules; it can for loss"
        ):
            one.frontier(["k", "classes"], gap=True, nested=True)


@pytest.mark.slow
@pytest.mark.parametrize("measure", OBJECTIVES)
def test_the_gap_is_to_the_best_of_all_rules(measure):
    with project(people(600), requirement={"k": 4}, search="rfd", coverage=[0.3]) as one:
        one.discover()
        shown = one.frontier(OBJECTIVES[measure], gap=True, nested=True)
        assert shown.attrs["lattice"][measure]["frontier"] == "exact"
        assert len(shown) > 1
        for _, rule in shown.iterrows():
            value = rule["accuracy"]["tree"] if measure == "accuracy" else rule["information_gain"]
            gap = rule["gap"][measure]
            assert gap["best"] == pytest.approx(best_of_all(one, rule["k"], measure), abs=1e-9)
            assert gap["gap"] == pytest.approx(gap["best"] - value, abs=1e-9)
            assert gap["bound"] == gap["best"]


WEIGHED = ["k", "information_gain", "loss", "distortion", "average_class_size"]
SMALLER = WEIGHED[2:]


def met_by_all(one, required, divisor, weights):
    """k and measures of every level vector that meets what is required, each measured alone."""
    required = dict(required)
    suppression = required.pop("suppression", 0.0)
    names = one.roles.quasi_identifiers
    taxonomies = {name: one.taxonomies[name] for name in names}
    space = RuleSpace(names, tuple(taxonomies[name].root for name in names))
    requirement = Requirement(ask(required), suppression, ("note",) if "l" in required else ())
    judge = judge_over(one.database, space, requirement)
    columns = records_of(one.database, taxonomies, judge).columns
    utility = RuleUtility(columns, judge.table, k=divisor, weights=weights)
    found = []
    for vector in product(*(range(root + 1) for root in space.roots)):
        verdict = judge.verdict(vector)
        if vector == space.roots or not verdict.met:
            continue
        left_out = judge.classes.verdict(vector).left_out
        values = utility(vector, SMALLER, left_out)
        found.append((verdict.measures.k, {"information_gain": verdict.measures.information_gain, **values}))
    judge.forget()
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("required", "changes"),
    [
        ({"k": 4, "suppression": 0.15}, {"requirement": {"k": 4}}),
        ({"k": 3, "l": 2}, {"requirement": {"k": 3, "l": 3, "suppression": 0.2}}),
        ({"k": 5}, {"requirement": {"k": 10, "suppression": 0.1}, "weights": {"age": 7.0}, "seed": 3}),
        ({"k": 4}, {"requirement": {"k": 4, "l": 2}, "sensitive": ["note"], "insensitive": [], "select": "loss"}),
    ],
)
def test_a_gap_is_among_the_rules_that_met_what_was_required_then(required, changes):
    """Whatever the config requires and weighs by now."""
    weights = {"job": 3.0}
    held = {"sensitive": ["note"], "insensitive": []} if "l" in required else {}
    settings = {"search": "rfd", "models": [], "measures": ["all"], "weights": weights, "coverage": [0.3], **held}
    with project(people(150), requirement=required, **settings) as one:
        one.discover()
        one.config = with_changes(one.config, changes)
        shown = one.frontier(WEIGHED, gap=True, nested=True)
        every = met_by_all(one, required, required["k"], weights)
        assert len(shown) > 1
        for _, rule in shown.iterrows():
            for name in WEIGHED[1:]:
                pick = min if name in SMALLER else max
                best = pick(values[name] for k, values in every if k >= rule["k"])
                gap, value = rule["gap"][name], rule["utility"].get(name, rule["information_gain"])
                assert (gap["best"], gap["bound"]) == (pytest.approx(best, abs=1e-9),) * 2
                assert gap["gap"] == pytest.approx(abs(best - value), abs=1e-9)


@pytest.mark.slow
def test_weights_for_once_are_those_of_the_search():
    weights = {"age": 2.0, "job": 5.0, "rate": 3.0}
    with project(people(150), models=[], search="rfd", coverage=[0.3], requirement={"k": 4}) as one:
        one.discover(measures=["distortion"], weights=weights)
        shown = one.frontier(["k", "distortion"], gap=True, nested=True)
        every = met_by_all(one, {"k": 4}, 4, weights)
        for _, rule in shown.iterrows():
            best = min(values["distortion"] for k, values in every if k >= rule["k"])
            assert rule["gap"]["distortion"]["best"] == pytest.approx(best, abs=1e-9)


def test_rules_that_are_measured_otherwise_now_are_refused():
    with project(people(150), models=[], search="rfd", coverage=[0.3]) as one:
        one.discover(measures=["distortion"])
        stored = one.discovered()
        rules = [replace(rule, utility={"distortion": rule.utility["distortion"] + 1}) for rule in stored.rules]
        with pytest.raises(RuleError, match="no longer agrees with the config or the data"):
            measure_gaps(one.workspace, stored, rules, ["distortion"], None)


@pytest.mark.slow
def test_scores_on_original_records_are_refused_with_the_reason():
    with project(people(120), test_on="original", search="rfd", coverage=[0.3]) as one:
        one.discover()
        with pytest.raises(
            ConfigError, match=r"tested on original records \(`test_on: original`\); it can for loss"
        ) as refused:
            one.frontier(["k", "accuracy"], gap=True, nested=True)
        assert "balanced_accuracy" not in str(refused.value)


@pytest.mark.slow
def test_a_search_that_is_cut_says_so():
    weights = {"job": 3.0}
    settings = {"requirement": {"k": 2}, "search": "rfd", "models": [], "measures": ["all"], "weights": weights}
    with project(people(150), **settings) as one:
        one.discover()
        shown = one.frontier(["k", "loss", "distortion"], gap=True, time_limit=1e-9, nested=True)
        every = met_by_all(one, {"k": 2}, 2, weights)
        for name in ("loss", "distortion"):
            assert shown.attrs["lattice"][name]["frontier"] == "best found"
            for _, rule in shown.iterrows():
                gap = rule["gap"][name]
                assert gap["gap"] >= 0
                assert gap["best"] == pytest.approx(rule["utility"][name] - gap["gap"])
                least = min(values[name] for k, values in every if k >= rule["k"])
                assert gap["bound"] <= least + 1e-9
                assert gap["bound"] <= gap["best"]
        unbounded = one.frontier(["k", "information_gain"], gap=True, time_limit=1e-9, nested=True)
        assert [gap["information_gain"]["bound"] for gap in unbounded["gap"]] == [None] * len(unbounded)


class Turns(TimeLimit):
    """A clock that is over when it was asked so often."""

    def __init__(self, turns):
        super().__init__(None)
        self.turns = turns

    def over(self):
        self.turns -= 1
        return self.turns < 0


@pytest.mark.slow
@pytest.mark.parametrize("suppression", [0.0, 0.1])
def test_no_rule_is_better_than_the_bound_whenever_the_search_ends(shared, monkeypatch, suppression):
    """On a lattice of 64 vectors; on the way to the answer the bounds are those of what is left."""
    ways = set()
    for goal in GOALS:
        config, taxonomies, judge = opened(shared, skewed(0, attributes=3), {"k": 4}, suppression, select=goal)
        every = everything(shared, config, taxonomies, judge)
        for turns in (0, 2, 5, 15, 1000):
            monkeypatch.setattr(lattice_search, "TimeLimit", lambda _, turns=turns: Turns(turns))
            found = lattice_search.search_lattice(records_of(shared, taxonomies, judge), config, judge)
            assert (found.left == ()) == (found.frontier == "exact")
            for k in sorted({k for k, _ in every.values()}):
                truth = better_first(goal, found.measure(min(cost for other, cost in every.values() if other >= k)))
                reached = max(
                    (better_first(goal, found.measure(p.cost)) for p in found.points if p.k >= k), default=-1e9
                )
                at = SimpleNamespace(measures=SimpleNamespace(k=k))
                bound = _bound(goal, at, abs(reached), found)
                assert reached <= truth + 1e-9
                if bound is None:
                    assert found.left is None
                    continue
                assert better_first(goal, bound) >= truth - 1e-9
                ways.add("left" if better_first(goal, bound) > reached + 1e-9 else found.frontier)
    assert ways >= {"left", "exact"}


@pytest.mark.slow
def test_taxonomies_that_changed_are_refused():
    with project(people(120), models=[]) as one:
        one.discover()
        one.config = one.config.model_copy(update={"taxonomies": {"age": TaxonomyOptions(intervals=9)}})
        one.build_taxonomies(["age"], replace=True)
        with pytest.raises(RuleError, match="taxonomy of 'age' changed"):
            one.frontier(["k", "information_gain"], gap=True, nested=True)


@pytest.mark.slow
def test_the_command_prints_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people(200).to_csv("people.csv", index=False)
    assert run(["init", "people.csv", "--class", "class", "--identifier", "id"]) == 0
    assert run(["discover", "--search", "rfd"]) == 0
    capsys.readouterr()
    assert run(["frontier", "--gap", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed["lattice"]) == {"accuracy"}
    assert all(set(rule["gap"]["accuracy"]) == {"best", "gap", "bound"} for rule in printed["rules"])
    assert run(["frontier", "--gap", "--objective", "k", "--objective", "loss"]) == 0
    printed = capsys.readouterr().out
    assert "gap in loss" in printed
    assert "best loss at each k: proven" in printed
    assert run(["frontier", "--time-limit", "3"]) == 2
    assert "--gap" in capsys.readouterr().err
