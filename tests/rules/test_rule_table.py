"""Rules as a table: one column a level and one a measure, so that it sorts, filters and goes to Parquet."""

from collections.abc import Mapping

import pandas as pd
import pytest
from oracles import people, project

from anonduck.rules.rule_table import rule_table


@pytest.fixture(scope="module")
def decided():
    settings = {"coverage": [0.1, 0.3], "models": ["tree", "bayes"], "measures": ["loss"]}
    with project(people(120), requirement={"k": 3}, search="rfd", **settings) as one:
        one.discover()
        yield one


def test_each_field_has_a_column_of_its_own():
    documents = [
        {
            "id": "R1",
            "levels": {"a.b": 0},
            "accuracy": {"tree": 0.5, "svm": 0.7},
            "utility": {},
            "rfd": {"raised": {"k": {"level": 2}}},
        },
        {"id": "R2", "levels": {"k": 1}, "accuracy": {"tree": 0.6}, "utility": {}, "rfd": None},
    ]
    table = rule_table(documents, {"a.b": 3, "k": 2}, ["tree", "svm"])
    assert table.columns.tolist() == [
        "id",
        "levels.a.b",
        "levels.k",
        "accuracy",
        "accuracy.tree",
        "accuracy.svm",
        "rfd.raised.k.level",
    ]
    assert table[["levels.a.b", "levels.k"]].to_numpy().tolist() == [[0, 2], [3, 1]]
    assert table["accuracy"].tolist() == [0.5, 0.6]
    assert table.attrs["levels"] == {"R1": {"a.b": 0}, "R2": {"k": 1}}
    assert rule_table(documents, {}, [], nested=True)["levels"].tolist() == [{"a.b": 0}, {"k": 1}]


def test_a_discovery_without_rules_is_a_table_without_rows():
    table = rule_table([], {"a": 1}, ["tree"], why="no rule <5: try another")
    assert len(table) == 0
    assert (table["k"] >= 5).sum() == 0
    assert {"id", "levels.a", "accuracy"} <= set(table.columns)
    assert table.attrs == {"why": "no rule <5: try another", "levels": {}}
    assert repr(table).startswith("no rows: no rule <5: try another\n")
    assert table._repr_html_() == "<p>no rows: no rule &lt;5: try another</p>"
    drawn = table.plot(x="k", y="accuracy", kind="scatter")
    assert "no rows: no rule &lt;5: try another</text>" in drawn._repr_svg_()
    assert "no rows" not in repr(pd.concat([table, pd.DataFrame({"id": ["R1"]})]))


@pytest.mark.slow
def test_rules_sort_filter_and_go_to_parquet(decided, tmp_path):
    stored = decided.discovered()
    for table in (decided.rules(), decided.frontier(everything=True)):
        assert not any(isinstance(value, Mapping) for column in table for value in table[column])
        rules = {rule.id: rule for rule in stored.rules}
        for row in table.sort_values(["accuracy.bayes", "utility.loss", "levels.age"]).to_dict("records"):
            rule = rules[row["id"]]
            levels = {name: row[f"levels.{name}"] for name in stored.roots}
            assert levels == {**stored.roots, **rule.levels}
            assert row["accuracy"] == row["accuracy.tree"] == rule.accuracy["tree"]
            assert row["utility.loss"] == rule.utility["loss"]
        coarse = table[table["levels.age"] == stored.roots["age"]]
        assert {rules[one].levels.get("age") for one in coarse["id"]} <= {None}
        table.to_parquet(tmp_path / "rules.parquet")
        again = pd.read_parquet(tmp_path / "rules.parquet")
        assert again["k"].tolist() == table["k"].tolist()
        assert again.attrs["levels"] == table.attrs["levels"]


@pytest.mark.slow
def test_the_levels_of_a_rule_are_ready_for_a_release(decided):
    table = decided.frontier(everything=True)
    levels = table.attrs["levels"][table["id"].iloc[0]]
    assert decided.release(levels, dry_run=True).k == table["k"].iloc[0]


def test_the_fields_of_json_stay_together_where_asked(decided):
    rules = [rule.as_json() for rule in decided.discovered().rules]
    assert decided.rules(nested=True).to_dict("records") == rules
