"""`frontier --gap`: how far rules are from the best that any rule with at least their k reaches."""

import json
from itertools import product

import pytest
from oracles import people, project

from anonduck.cli.app import run
from anonduck.errors import ConfigError, RuleError
from anonduck.measures import RuleMeasurer, contingency, measure_totals
from anonduck.rules import Space
from anonduck.taxonomy_options import TaxonomyOptions
from anonduck.training import model_scores

OBJECTIVES = {"information_gain": ["k", "information_gain"], "accuracy": ["k", "accuracy"]}


def best_of_all(one, k, measure):
    """The best of every level vector with at least such a k, each measured alone."""
    names = one.roles.quasi_identifiers
    space = Space(names, tuple(one.taxonomies[name].root for name in names))
    measurer = RuleMeasurer(one.database, space, measure_totals(one.database))
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


@pytest.mark.parametrize("measure", OBJECTIVES)
def test_the_gap_is_to_the_best_of_all_rules(measure):
    with project(people(150), requirement={"k": 4}, search="rfd", coverage=[0.3]) as one:
        one.discover()
        shown = one.frontier(OBJECTIVES[measure], gap=True)
        assert shown.attrs["lattice"][measure]["frontier"] == "exact"
        assert len(shown) > 1
        for _, rule in shown.iterrows():
            value = rule["accuracy"]["tree"] if measure == "accuracy" else rule["information_gain"]
            gap = rule["gap"][measure]
            assert gap["best"] == pytest.approx(best_of_all(one, rule["k"], measure), abs=1e-9)
            assert gap["gap"] == pytest.approx(gap["best"] - value, abs=1e-9)
            assert gap["bound"] == gap["best"]


def test_a_search_that_is_cut_says_so():
    with project(people(400), requirement={"k": 2}, search="rfd", models=[]) as one:
        one.discover()
        shown = one.frontier(["k", "information_gain"], gap=True, time_limit=1e-9)
        assert shown.attrs["lattice"]["information_gain"]["frontier"] == "best found"
        for _, rule in shown.iterrows():
            gap = rule["gap"]["information_gain"]
            assert gap["gap"] >= 0
            assert gap["best"] == pytest.approx(rule["information_gain"] + gap["gap"])
            assert gap["bound"] is None or gap["bound"] >= gap["best"]


def test_a_measure_that_is_not_searched_for_and_taxonomies_that_changed_are_refused():
    with project(people(120), models=[]) as one:
        one.discover()
        with pytest.raises(ConfigError, match="the best possible classes is not known"):
            one.frontier(["k", "classes"], gap=True)
        one.config = one.config.model_copy(update={"taxonomies": {"age": TaxonomyOptions(intervals=9)}})
        one.build_taxonomies(["age"], replace=True)
        with pytest.raises(RuleError, match="taxonomy of 'age' changed"):
            one.frontier(["k", "information_gain"], gap=True)


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
