"""How many groups of how many values a rule shows: of those that the source has, not of all that a taxonomy knows."""

import itertools
import json

import pandas as pd

from anonduck import Project
from anonduck.cli.app import run
from anonduck.report.explorer.explorer import explorer_of

STATES = ("CA", "NY", "TX", "WA")


def test_the_numbers_beside_a_rule_are_of_values_that_occur(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [
        (state, "y" if state in ("CA", "NY") else "n") for state, _ in itertools.product((*STATES, None), range(30))
    ]
    pd.DataFrame(rows, columns=["state", "paid"]).assign(town="a").to_csv("s.csv", index=False)
    config = {
        "source": "s.csv",
        "class": "paid",
        "quasi_identifiers": ["state", "town"],
        "taxonomies": {"state": {"shipped": "us_state"}},
        "models": [],
        "requirement": {"k": 5},
    }
    (tmp_path / "anonduck.yml").write_text(json.dumps(config))
    assert run(["discover"]) == 0
    capsys.readouterr()
    assert run(["rules"]) == 0
    shown = capsys.readouterr().out
    assert "state: all 4" in shown
    assert "of 56" not in shown  # leaves of the taxonomy
    with Project(".") as one:
        stored = one.discovered()
        assert stored.settings["nodes"]["state"][0] > 4
        assert stored.held["state"] == [4, 3, 3, 1]
        assert stored.held["town"] == [1, 1]
        with explorer_of(one.workspace) as opened:
            assert [column["groups"] for column in opened.state()["columns"]] == [[4, 3, 3, 1], [1, 1]]
