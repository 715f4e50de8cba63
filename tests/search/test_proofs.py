"""What is told of a proof: by measure and in words."""

import pytest
from oracles import people, project

from anonduck.cli.app import run
from anonduck.search.proofs import is_proven, proof_lines, searched_as


@pytest.fixture(scope="module")
def found():
    """A discovery that is proven, and one of the same that work cut."""
    with project(people(120), requirement={"k": 3}) as one:
        whole = one.discover()
        cut = one.discover(budget=40)
    return whole, cut


@pytest.mark.slow
def test_measures_go_by_their_names(found):
    summary = found[0].as_json()
    assert [searched_as(name, summary) for name in ("accuracy", "accuracy.tree", "accuracy.svm", "loss")] == [
        "accuracy",
        "accuracy",
        None,
        None,
    ]
    assert is_proven("balanced_accuracy.tree", summary)
    assert not is_proven("loss", summary)
    assert not is_proven("accuracy", found[1].as_json())
    assert searched_as("accuracy", {"exact": None, "models": ["tree"]}) is None


EXACT = {"measures": ["accuracy", "loss"], "nodes": 2000, "evaluated": 1000}
TOLD = {
    "explanation": "",
    "floor": {},
    "min_k": 5,
    "budget": {"limit": 1000, "time_limit": 60.0},
    "cut": {"by": "budget"},
}


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
    assert told(proven=True, proven_from_k=5) == [
        "the frontier is proven: of all rules with k >= 5, none beats it in accuracy or loss",
        "1,000 of 2,000 level vectors evaluated, models trained for 3; none of the others can do better",
    ]
    assert told(proven_from_k=40) == [
        "the frontier is proven for k >= 40: of all rules with such a k, none beats it in accuracy or loss; at a "
        "smaller k there may be better rules",
        "1,000 of 2,000 level vectors evaluated, models trained for 3; the budget of 1,000 ended the search: "
        "`anonduck discover --budget N` sets it",
    ]
    assert told(cut={"by": "time"}) == [
        "the frontier is not proven at any k: there may be better rules",
        "1,000 of 2,000 level vectors evaluated, models trained for 3; the time limit of 60 s ended the search: "
        "`anonduck discover --time-limit SECONDS` sets it",
    ]
    best = told({"optimal": "loss"})[0]
    assert best == "the frontier is not proven at any k: there may be better rules; the best loss is proven"
    assert told({"trained": 0}, explanation="no rule") == [
        "1,000 of 2,000 level vectors evaluated; the budget of 1,000 ended the search: "
        "`anonduck discover --budget N` sets it"
    ]
    assert told({"complete": True}, explanation="no rule") == []


@pytest.mark.slow
def test_the_command_says_what_is_proven(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people(100).to_csv("people.csv", index=False)
    assert run(["init", "people.csv", "--class", "class", "--identifier", "id", "--method", "rules"]) == 0
    assert run(["discover", "--budget", "40"]) == 0
    assert "`anonduck discover --budget N` sets it" in capsys.readouterr().out
    assert run(["frontier", "--all"]) == 0
    assert "there may be better rules" in capsys.readouterr().out
    assert run(["discover"]) == 0
    capsys.readouterr()
    assert run(["frontier", "--all"]) == 0
    printed = capsys.readouterr().out
    assert "may be better" not in printed
    assert "the frontier is proven: of all rules with k >=" in printed
