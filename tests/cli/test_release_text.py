"""What a release prints: records, requirements, what was left out, where its files are; and its measures when asked."""

import json

import numpy as np
import pandas as pd
import pytest

from anonduck.cli.app import run
from anonduck.cli.figures import requirement

CONFIG = "source: people.csv\nclass: buys\ninsensitive: [day]\nholdout: 0\nmodels: []\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    drawn = np.random.default_rng(4)
    ages = drawn.integers(20, 60, 120)
    frame = pd.DataFrame({"age": ages, "job": drawn.choice(["cook", "clerk"], 120), "day": drawn.integers(0, 3, 120)})
    frame.assign(buys=np.where(ages > 40, "yes", "no")).to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "anonduck.yml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(capsys, *words, code=0):
    capsys.readouterr()
    assert run(list(words)) == code
    return capsys.readouterr()


def heads(text):
    """What each line begins with, without its figures."""
    return [line.partition(":")[0] for line in text.splitlines()]


@pytest.mark.slow
def test_a_release_says_what_is_in_it_what_not_and_where_it_is(folder, capsys):
    out = printed(capsys, "anonymize", "mondrian", "-o", "out.csv").out
    lines = out.splitlines()
    assert lines[0].startswith(f"wrote {folder}/out.csv: 120 records in ")
    assert "same values in all columns" in lines[2]  # what the kept columns reveal
    assert [heads(out)[1], *heads(out)[3:]] == ["k >= 5", "receipt", "data dictionary", "owner's file"]
    rule = printed(capsys, "release", "job=0", "-o", "rule.csv").out
    assert "columns left out: age" in rule.splitlines()
    assert "accuracy" not in out + rule
    owner = json.loads((folder / "out.csv.owner.json").read_text())
    assert set(owner["utility"]) == {"information_gain", "measures"}
    assert "in_sample" not in owner


@pytest.mark.slow
def test_measures_are_printed_when_asked_of_a_method_and_of_a_discovered_rule(folder, capsys):
    plain = printed(capsys, "anonymize", "mondrian", "--dry-run").out
    told = printed(capsys, "anonymize", "mondrian", "--dry-run", "--measures").out
    (line,) = set(told.splitlines()) - set(plain.splitlines())
    assert line.startswith("measures: information gain (bits) 0.")
    assert "discernibility" in line
    unknown = printed(capsys, "release", "job=0", "--dry-run", "--measures").out
    assert "measures: none; those of a rule are measured by a discovery" in unknown
    printed(capsys, "discover", "--select", "loss")
    listed = json.loads(printed(capsys, "rules", "--json").out)["rules"][0]
    known = printed(capsys, "release", listed["id"], "--dry-run", "--measures").out
    assert f"loss {listed['utility']['loss']:.6g}" in known


@pytest.mark.slow
def test_what_is_required_of_the_choice_has_a_line(folder, capsys):
    with (folder / "anonduck.yml").open("a") as config:
        config.write("requirement: {k: 5, min_columns: 1, max_loss: 0.9}\n")
    out = printed(capsys, "release", "job=0", "--dry-run").out
    assert "min_columns >= 1: met (1)" in out
    assert "max_loss <= 0.9: met (0." in out
    document = json.loads(printed(capsys, "release", "job=0", "--dry-run", "--json").out)
    assert [(one["name"], one["required"], one["met"]) for one in document["of_choice"]] == [
        ("min_columns", 1, True),
        ("max_loss", 0.9, True),
    ]


def test_a_line_says_what_was_asked_where_a_candidate_was_found_for_more():
    line = {"name": "k", "configured": 5, "required": 229, "reached": 229, "met": True, "lowered": False}
    assert requirement(line) == "k >= 229"
    assert requirement({**line, "asked": 5}) == "k >= 5"


@pytest.mark.slow
def test_taxonomies_are_counted_and_each_is_told_of_with_v(folder, capsys):
    said = printed(capsys, "taxonomy", "build").err.splitlines()
    assert said == ["2 taxonomies built"]
    for words in (("taxonomy", "build", "--replace", "-v"), ("-v", "taxonomy", "build", "--replace")):
        said = printed(capsys, *words).err.splitlines()
        assert [line.partition(":")[0] for line in said] == ["taxonomy of age", "taxonomy of job", "2 taxonomies built"]


@pytest.mark.slow
def test_a_class_of_many_values_is_said_to_be_slow_before_models_are_trained(folder, capsys):
    people = pd.read_csv("people.csv")
    people["buys"] = [f"c{number % 24:02}" for number in range(len(people))]
    people.to_csv("people.csv", index=False)
    words = "the class 'buys' has 24 values, which makes the rest slow"
    assert words not in printed(capsys, "discover", "--select", "loss").err
    (folder / "anonduck.yml").write_text(CONFIG.replace("models: []", "models: [tree]"))
    said = printed(capsys, "discover", "--coverage", "0.1", "--time-limit", "5").err
    (line,) = [line for line in said.splitlines() if words in line]
    for way in ("group its values in the export", "leave `class` out", "`models: []`"):
        assert way in line
    assert said.index(words) < (said.index("rules") if "rules" in said else len(said))
