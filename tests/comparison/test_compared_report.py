"""The section of the decision report: the last comparison of the same records, and nothing where there is none."""

import json
import re

import pytest
from persons import persons, settled

from anonduck import Project
from anonduck.report.contents import gather


@pytest.mark.slow
def test_the_report_shows_the_last_comparison(tmp_path):
    with Project(**settled(source=persons(100), holdout=0.0)) as one:
        one.discover()
        assert gather(one.workspace)["comparison"] is None
        found = one.compare(["rules", "tds"], [5, 500], models=["tree"])
        path = one.report(tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
    rows = data["comparison"]["rows"]
    assert [(row["method"], row["k_required"], row["k"]) for row in rows] == [
        (row["method"], row["k_required"], row["k"]) for row in found.rows
    ]
    assert rows[0]["scores"]["tree"]["accuracy"] == found.rows[0]["models"]["tree"]["accuracy"]["value"]
    assert "released-roc_auc" in data["comparison"]["charts"]
    assert 'id="compared"' in text


@pytest.mark.slow
def test_the_report_lists_what_methods_offer_and_leaves_the_last_comparison(tmp_path):
    with Project(**settled(source=persons(100), holdout=0.0)) as one:
        one.discover(offers=["tds"])
        told = gather(one.workspace)
        assert told["comparison"] is None
        assert {one["method"] for one in told["candidates"]} == {"rules", "tds"}
        assert all(one["protects"] and one["attacks"] for one in told["candidates"])


def test_the_report_without_a_discovery_shows_the_last_comparison(tmp_path):
    with Project(**settled(source=persons(100), database=tmp_path / "d.duckdb")) as one:
        one.anonymize("tds", tmp_path / "t.csv", k=5)
        one.compare(["tds"], [5, 500], models=[])
        text = one.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Methods compared" in text
    assert "failed: " in text


@pytest.mark.slow
def test_a_comparison_of_other_records_is_not_shown(tmp_path):
    settings = settled(source=str(tmp_path / "p.csv"), database=tmp_path / "d.duckdb", holdout=0.0)
    persons(100).to_csv(tmp_path / "p.csv", index=False)
    with Project(**settings) as one:
        one.compare(["tds"], [5], models=[])
    persons(100, seed=2).to_csv(tmp_path / "p.csv", index=False)
    with Project(**settings) as one:
        one.discover()
        assert gather(one.workspace)["comparison"] is None
