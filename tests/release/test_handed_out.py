"""What is handed out with a release: it stays the same when a hidden value changes that the release does not show."""

import json
import os
from functools import cache

import pandas as pd
import pytest
from oracles import project

from anonduck import Project
from anonduck.cli.app import run
from anonduck.errors import ReleaseError
from anonduck.release.handed_out import handed_out

JOBS = {"care": ["nurse", "cook"], "craft": ["smith", "clerk"], "air": ["pilot", "priest"]}
SETTINGS = {
    "identifiers": ["id"],
    "insensitive": [],
    "models": [],
    "seed": 1,
    "coverage": [0.2, 0.5],
    "taxonomies": {
        "age": {"width": [5, 10, 20]},
        "job": {"groups": JOBS},
        "hobby": {"groups": {"games": ["chess", "golf", "tennis"]}},
    },
}
LEAVING_OUT = {"k": 5, "suppression": 0.05}
LONE = 48
"""The only pilot."""


def persons():
    """Persons of four jobs, with NULLs, and one who is like no other."""
    jobs, hobbies = ["nurse", "cook", "smith", "clerk"], ["chess", "golf", "tennis", None]
    rows = [
        (f"p{n}", 20 + n * 7 % 30, jobs[n % 4], hobbies[n % 3 if n % 12 else 3], "yes" if n * 7 % 30 > 14 else "no")
        for n in range(LONE)
    ]
    return pd.DataFrame([*rows, ("p48", 33, "pilot", "golf", "yes")], columns=["id", "age", "job", "hobby", "class"])


CHANGES = {
    "class of a record left out": (LONE, "class", "no"),
    "age of a record left out": (LONE, "age", 38),
    "age in its interval": (0, "age", 21),
    "job in its group": (0, "job", "cook"),
    "age far over all others, of a record left out": (LONE, "age", 95),
    "column left out": (1, "hobby", "tennis"),
    "identifier": (0, "id", "somebody else"),
}


def changed(frame, change):
    row, column, value = CHANGES[change]
    assert frame.loc[row, column] != value
    other = frame.copy()
    other.loc[row, column] = value
    return other


def made(one, method, path):
    if method == "rule":
        return one.release({"age": 2, "job": 1}, path)
    return one.run(path, report=False).release if method == "run" else one.anonymize(method, path)


def fingerprints(receipt):
    """The HMACs of a receipt: they change with any value, and tell nothing to whoever lacks the key."""
    of = receipt["fingerprints"]
    return [one for one in (of["source"], of["asked"], *of["taxonomies"].values()) if one]


def comments(text):
    return "\n".join(line for line in text.splitlines() if line.startswith("--"))


def world(folder, method, change=None):
    """The bytes of a release, and all that is handed out with it, without fingerprints."""
    frame = persons() if change is None else changed(persons(), change)
    path, requirement = folder / "out.csv", LEAVING_OUT if method in SUPPRESSING else {"k": 4}
    models = ["tree"] if method in ("ola", "run") else []
    keep = {"job": 1, "age": 2} if method == "run" else {}
    with project(frame, **SETTINGS | {"models": models, "requirement": requirement, "keep": keep}) as one:
        release = made(one, method, path)
        told = {"certificate": one.certificate(path, folder / "certificate.html").read_text()}
        if method == "rule":
            texts = {form: one.sql("age=2,job=1", as_=form, table="t") for form in ("select", "script", "dbt")}
            told |= {form: comments(text) for form, text in texts.items()}
            told["model's config"] = texts["dbt"].partition("{{ config(")[2].partition(") }}")[0]
    told |= {name: (folder / f"out.csv.{name}").read_text() for name in ("receipt.json", "dictionary.json")}
    told["dictionary.md"] = (folder / "out.csv.dictionary.md").read_text()
    for keyed in fingerprints(release.receipt):
        told = {name: text.replace(keyed, "keyed") for name, text in told.items()}
    return path.read_bytes(), told


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """What each method hands out before anything changes."""
    return cache(lambda method: world(tmp_path_factory.mktemp(method), method))


SUPPRESSING = ("rule", "ola", "datafly", "run")
HIDDEN = [
    ("rule", "class of a record left out"),
    ("rule", "age of a record left out"),
    ("rule", "age far over all others, of a record left out"),
    ("rule", "age in its interval"),
    ("rule", "job in its group"),
    ("rule", "column left out"),
    ("ola", "class of a record left out"),
    ("ola", "age of a record left out"),
    ("datafly", "age in its interval"),
    ("datafly", "job in its group"),
    ("mondrian", "age in its interval"),
    ("mondrian", "job in its group"),
    ("sequential", "job in its group"),
    ("tds", "age in its interval"),
    ("tds", "column left out"),
    ("flexible", "age in its interval"),
    ("nsvdist", "age in its interval"),
    ("run", "class of a record left out"),
    ("run", "age in its interval"),
]


@pytest.mark.some(0, 6)
@pytest.mark.slow
@pytest.mark.parametrize(("method", "change"), HIDDEN)
def test_a_hidden_value_changes_nothing_that_is_handed_out(first, tmp_path, method, change):
    release, told = first(method)
    same, other = world(tmp_path, method, change)
    assert same == release, "the change is to be one that the release does not show"
    assert other == told


def test_a_new_figure_stays_with_the_owner_until_it_is_listed():
    line = {"name": "k", "required": 5, "reached": 7}
    told = {
        "rule": {"id": "R3", "levels": {"age": 1}, "literal": "age=1"},
        "reason": "best accuracy, 0.8123",
        "chosen_by": "best accuracy",
        "method": {"name": "m", "found": {"loss": 0.5}, "words": "m: words", "remarks": ["it ended early"]},
        "requirements": [line, {**line, "by_original": True}],
        "columns": [
            {"name": "age", "level": 1, "levels": 4, "taxonomy": "intervals", "new": 1},
            {"name": "job", "level": 2, "levels": 2, "taxonomy": "file", "labels": ["*"]},
            {"name": "zip", "level": None, "levels": 3, "at_levels": {"1": 5, "3": 1, "intervals": 2}},
        ],
        "entity": {"k": 5, "records": 9, "at_most": 2, "left_out": 3, "by_records": []},
        "utility": {"measures": {}},
        "new": 0.653333,
    }
    assert handed_out(told) == {
        "rule": {"id": None, "levels": {"age": 1}, "literal": "age=1"},
        "reason": "best accuracy",
        "method": {"name": "m", "words": "m: words"},
        "requirements": [line, {**line, "reached": 5, "at_least": True}],
        "columns": [
            {"name": "age", "level": 1, "taxonomy": "intervals"},
            {"name": "job", "level": None, "taxonomy": "file", "labels": ["*"], "words": "the label of its root alone"},
            {"name": "zip", "level": None, "at_levels": {"1": 5, "root": 1, "intervals": 2}},
        ],
        "entity": {"k": 5, "records": 9, "at_most": 2, "by_records": []},
    }


@pytest.mark.slow
def test_classes_that_look_alike_are_counted_as_one(tmp_path):
    """How many classes were assigned, and to whom, is not in the release."""
    frame = persons().drop(index=LONE, columns=["age", "hobby"])
    settings = SETTINGS | {"requirement": {"k": 5}, "taxonomies": {"job": {"groups": JOBS}}}
    sizes = {}
    for parts in (1, 2):
        classes = frame[["id"]].assign(of=frame["job"].isin(JOBS["care"]) * 2 + frame.index // 24 % parts)
        path = tmp_path / f"{parts}.csv"
        with project(frame, **settings) as one:
            sizes[parts] = one.release(classes=classes, path=path).owner["method"]["classes"]
    one, two = (json.loads((tmp_path / f"{parts}.csv.receipt.json").read_text()) for parts in (1, 2))
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()
    assert sizes == {1: 2, 2: 4}
    assert "classes" not in one["method"]
    assert one["columns"] == two["columns"]
    assert one["columns"][0]["at_levels"] == {"1": 2}


# -- the owner's file --------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    persons().to_parquet(tmp_path / "persons.parquet")
    config = {
        "source": "persons.parquet",
        "class": "class",
        "rule": "age=2,job=1",
        "select": "loss",
        "requirement": LEAVING_OUT,
    }
    (tmp_path / "anonduck.yml").write_text(json.dumps({**SETTINGS, **config}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_its_owner_alone_reads_the_owners_file(folder, capsys):
    assert run(["anonymize", "ola", "-o", "out.csv", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    path = folder / "out.csv.owner.json"
    told, receipt = json.loads(path.read_text()), json.loads((folder / "out.csv.receipt.json").read_text())
    assert path.stat().st_mode & 0o777 == 0o600
    assert printed["owner_file"] == str(path)
    assert told["utility"] == printed["utility"]
    assert "nonuniform_entropy" in told["utility"]["measures"]
    assert told["sha256"] == receipt["sha256"]
    assert handed_out(told) == receipt
    assert run(["report", "--release", "out.csv", "-o", "public.html"]) == 0
    assert run(["report", "--release", "out.csv", "-o", "owner.html", "--owner"]) == 0
    public, owner = ((folder / name).read_text() for name in ("public.html", "owner.html"))
    assert "information gain" in owner
    assert "information gain" not in public
    assert ("owner alone" in owner, "owner alone" in public) == (True, False)
    assert run(["report", "-o", "decision.html", "--owner"]) == 2


@pytest.mark.slow
def test_a_skipped_run_reads_it_and_does_without_it(folder, capsys):
    assert run(["run", "-o", "out.csv", "--no-report"]) == 0
    path = folder / "out.csv.owner.json"
    score = dict.fromkeys(("accuracy", "balanced_accuracy", "macro_f1", "roc_auc", "error"), 0.5)
    path.write_text(json.dumps({**json.loads(path.read_text()), "expected": {"tree": score}}))
    capsys.readouterr()
    again = ["run", "-o", "out.csv", "--no-report", "--if-exists", "skip", "--json"]
    assert run(again) == 0
    assert json.loads(capsys.readouterr().out)["release"]["expected"] == {"tree": score}
    path.write_text(json.dumps({**json.loads(path.read_text()), "sha256": "of another release"}))
    assert run(again) == 0
    assert json.loads(capsys.readouterr().out)["release"]["expected"] is None
    path.unlink()
    assert run(again) == 0
    assert json.loads(capsys.readouterr().out)["release"]["utility"] is None


@pytest.mark.slow
def test_it_never_stands_beside_another_release(folder, monkeypatch):
    with Project("anonduck.yml") as one:
        one.release("age=2", "out.csv")
        before = {path.name: path.read_bytes() for path in folder.glob("out.csv*")}
        replace, seen = os.replace, []

        def full(source, target):
            if target != folder / "out.csv":
                return replace(source, target)
            seen.append(sorted(path.name for path in folder.glob("out.csv.*")))
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", full)
        with pytest.raises(ReleaseError, match="No space left"):
            one.release("age=2,job=1", "out.csv", overwrite=True)
    assert seen == [[]]  # nor does any other document
    assert {path.name: path.read_bytes() for path in folder.glob("out.csv*")} == before
    assert (folder / "out.csv.owner.json").stat().st_mode & 0o777 == 0o600
