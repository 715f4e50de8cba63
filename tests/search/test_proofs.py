"""What is told of a proof: by measure, by rule, in words and in the command's table."""

import json
from types import SimpleNamespace

import pytest
from oracles import people, project

from anonduck.cli.app import run
from anonduck.rules.frontier import objective
from anonduck.search.proofs import best_at, bounded_as, is_proven, open_bounds, proof_lines

MEASURES = ("accuracy", "balanced_accuracy", "information_gain")


@pytest.fixture(scope="module")
def found():
    """A discovery that is proven, and one of the same that work cut."""
    with project(people(120), requirement={"k": 3}) as one:
        whole = one.discover()
        cut = one.discover(budget=40)
    return whole, cut


def best(rules, name, k):
    read = objective(name, ["tree"])
    return max(read(rule) for rule in rules if rule.measures.k >= k)


def rule(identifier, k, gain, bound):
    """A rule as proofs read it."""
    bounds = {} if bound is None else {"information_gain": bound}
    return SimpleNamespace(
        id=identifier, measures=SimpleNamespace(k=k, information_gain=gain), bounds=bounds, has_class=True
    )


def test_bounds_are_open_where_they_are_better_than_the_best_found():
    """R3 is no better than R4, of a larger k; nothing bounds R5."""
    found = [rule("R1", 2, 0.5, 0.7), rule("R2", 5, 0.3, 0.3), rule("R3", 7, 0.1, 0.2), rule("R4", 8, 0.2, 0.2)]
    found.append(rule("R5", 9, 0.0, None))
    summary = {"models": [], "exact": {"measures": ["information_gain"], "bounds": {"information_gain": 0.7}}}
    assert open_bounds(found, found, "information_gain", summary) == {"R1": 0.7, "R5": None}
    assert open_bounds(found, found[:2], "information_gain", summary) == {"R1": 0.7, "R3": 0.2, "R4": 0.2, "R5": None}
    assert [best_at(found, "information_gain", [], k) for k in (0, 2, 3, 8, 9, 10)] == [0.5, 0.5, 0.3, 0.2, 0.0, None]
    proven = {**summary, "exact": {**summary["exact"], "bounds": {}}}
    assert open_bounds(found, found, "information_gain", proven) == {}


@pytest.mark.slow
def test_a_rule_says_what_no_other_exceeds_where_that_is_open(found):
    whole, cut = found
    opened = 0
    for name in MEASURES:
        assert open_bounds(whole.rules, whole.rules, name, whole.as_json()) == {}
        bounds = open_bounds(cut.rules, cut.rules, name, cut.as_json())
        opened += len(bounds)
        for rule in cut.rules:
            true, reached = (best(of.rules, name, rule.measures.k) for of in (whole, cut))
            if rule.id in bounds:
                assert bounds[rule.id] is None or bounds[rule.id] >= max(true, reached)
            else:
                assert reached == pytest.approx(true)
    assert opened


@pytest.mark.slow
def test_measures_go_by_their_names(found):
    summary = found[0].as_json()
    assert [bounded_as(name, summary) for name in ("accuracy", "accuracy.tree", "accuracy.svm", "loss")] == [
        "accuracy",
        "accuracy",
        None,
        None,
    ]
    assert is_proven("balanced_accuracy.tree", summary)
    assert not is_proven("loss", summary)
    assert not is_proven("accuracy", found[1].as_json())
    assert bounded_as("accuracy", {"models": ["tree"]}) is None


EXACT = {"measures": ["accuracy", "loss"], "bounds": {"accuracy": 0.91, "loss": 0.2}, "nodes": 2000, "evaluated": 1000}
TOLD = {"explanation": "", "min_k": 5, "budget": {"limit": 1000, "time_limit": 60.0}, "cut": {"by": "budget"}}


def told(exact=None, **changes):
    return proof_lines(
        {
            "exact": EXACT | {"trained": 3, "complete": False, "optimal": None} | (exact or {}),
            "proven": False,
            "proven_from_k": None,
            **TOLD,
            **changes,
        }
    )


def test_what_is_proven_is_told_in_plain_words():
    assert told({"bounds": {}}, proven=True, proven_from_k=5) == [
        "the frontier is proven: of all rules with k >= 5, none beats it in accuracy or loss",
        "1,000 of 2,000 level vectors evaluated, models trained for 3; none of the others can do better",
    ]
    assert told(proven_from_k=40) == [
        "the frontier is proven for k >= 40: of all rules with such a k, none beats it in accuracy or loss",
        "at a smaller k there may be better rules, but none exceeds accuracy 0.9100; none is under loss 0.2000",
        "1,000 of 2,000 level vectors evaluated, models trained for 3; the budget of 1,000 ended the search: "
        "`--budget N` sets it",
    ]
    assert told({"bounds": {"accuracy": 0.91, "loss": None}}, cut={"by": "time"}) == [
        "the frontier is not proven at any k",
        "there may be better rules, but none exceeds accuracy 0.9100; nothing bounds loss",
        "1,000 of 2,000 level vectors evaluated, models trained for 3; the time limit of 60 s ended the search: "
        "`--time-limit SECONDS` sets it",
    ]
    best = told({"bounds": {"accuracy": 0.91}, "optimal": "loss"})[0]
    assert best == "the frontier is not proven at any k; the best loss is proven"
    assert told({"trained": 0}, explanation="no rule") == [
        "1,000 of 2,000 level vectors evaluated; the budget of 1,000 ended the search: `--budget N` sets it"
    ]
    assert told({"complete": True}, explanation="no rule") == []


@pytest.mark.slow
def test_the_command_shows_how_far_rules_can_be_from_the_best(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people(100).to_csv("people.csv", index=False)
    assert run(["init", "people.csv", "--class", "class", "--identifier", "id", "--method", "rules"]) == 0
    assert run(["discover", "--budget", "40"]) == 0
    assert "`--budget N` sets it" in capsys.readouterr().out
    assert run(["frontier", "--all"]) == 0
    assert "accuracy at most" in capsys.readouterr().out.splitlines()[1]
    assert run(["frontier", "--json"]) == 0
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert all(rule["bounds"]["accuracy"] >= rule["accuracy"]["tree"] for rule in rules)
    assert run(["discover"]) == 0
    capsys.readouterr()
    assert run(["frontier", "--all"]) == 0
    printed = capsys.readouterr().out
    assert "at most" not in printed
    assert "the frontier is proven: of all rules with k >=" in printed
