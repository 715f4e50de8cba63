"""The best at each k of a frontier: at least as good as any rule and any method there, and forgotten with its rules."""

import json

import pytest
from persons import persons, settled

from anonduck import Project
from anonduck.cli.app import run
from anonduck.comparison.offers import best_offers, kept_offers
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError

METHODS = ["mondrian", "tds"]


@pytest.mark.slow
def test_the_best_offer_is_at_least_the_best_of_each_kind():
    with Project(**settled(source=persons(110), holdout=0.0)) as one:
        one.discover(offers=METHODS)
        stored = one.discovered()
        rows = kept_offers(one.workspace, stored).rows
        for measure in ("accuracy", "balanced_accuracy", "roc_auc"):
            offers = best_offers(one.workspace, stored, measure)
            ks = {rule.measures.k for rule in stored.rules if rule.on_frontier}
            assert {row["k_required"] for row in rows} == ks | {5, 10, 20, 50, 100}
            largest = max([*ks, *(row["k"] or 0 for row in rows)])
            assert {offer["k"] for offer in offers} == {
                row["k_required"] for row in rows if row["k_required"] <= largest
            }
            for offer in offers:
                rules = [getattr(rule, measure)["tree"] for rule in stored.rules if rule.measures.k >= offer["k"]]
                made = [row["models"]["tree"][measure]["value"] for row in rows if row["k"] and row["k"] >= offer["k"]]
                assert offer["value"] == max(rules + made)
                assert offer["k_reached"] >= offer["k"]
                assert offer["protects"]
                assert offer["attacks"]
        assert one.frontier().attrs["offers"] == best_offers(one.workspace, stored, "accuracy")
        one.discover(seed=3)
        assert kept_offers(one.workspace, one.discovered()) is None
        with pytest.raises(ConfigError):
            one.discover(offers=["nobody"])


@pytest.mark.slow
def test_the_frontier_prints_them(tmp_path, capsys):
    persons(120).to_csv(tmp_path / "persons.csv", index=False)
    config = {"source": "persons.csv", "class": "bought", "identifiers": ["day"], "requirement": {"k": 5}, "holdout": 0}
    (tmp_path / "anonduck.yml").write_text(json.dumps(config))
    at = ["-p", str(tmp_path / "anonduck.yml")]
    assert run(["discover", *at, "--method", "mondrian"]) == 0
    capsys.readouterr()
    assert run(["frontier", *at]) == 0
    assert "of rules and methods" in capsys.readouterr().out
    assert run(["frontier", *at, "--json"]) == 0
    offers = json.loads(capsys.readouterr().out)["offers"]
    assert {offer["measure"] for offer in offers} == {"accuracy"}


def test_where_no_rule_is_on_the_frontier_it_says_what_measures_methods(tmp_path, capsys):
    persons(60).to_csv(tmp_path / "persons.csv", index=False)
    config = {
        "source": "persons.csv",
        "class": "bought",
        "identifiers": ["day"],
        "requirement": {"k": 60},
        "holdout": 0,
    }
    (tmp_path / "anonduck.yml").write_text(json.dumps(config))
    at = ["-p", str(tmp_path / "anonduck.yml")]
    assert run(["discover", *at, "--method", "rules"]) == 2
    assert "no rule" not in capsys.readouterr().out  # it was refused before it searched
    assert run(["discover", *at, "--method", "mondrian", "--method", "mondrian:splits=entropy"]) == 0
    told = capsys.readouterr()
    assert "no rule" in told.out
    assert "nothing is offered by mondrian, mondrian:splits=entropy" in told.err
    assert "`anonduck compare --method mondrian --method mondrian:splits=entropy`" in told.err


@pytest.mark.slow
def test_a_method_whose_k_is_none_of_its_file_is_measured_and_not_offered():
    told = []
    with Project(**settled(source=persons(120), holdout=0.0, identifiers=["day"], insensitive=[])) as one:
        one.reporter = Reporter(announce=told.append)
        one.discover(offers=["probabilistic"])
        stored = one.discovered()
        rows = kept_offers(one.workspace, stored).rows
        offers = best_offers(one.workspace, stored, "accuracy")
    assert {row["status"] for row in rows if row["k_required"] == 10} == {"done"}
    assert offers
    assert all(offer["recoding"] == "levels" for offer in offers)
    assert any(text.startswith("probabilistic is measured, and not offered") for text in told)
