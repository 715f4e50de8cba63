"""Whatever is required is judged on every way to a release, or the command stops: none writes under an impossible one.

The keys come from the model of the config, so that a new one is walked too. The whole product is walked at night.
"""

import json

import numpy as np
import pandas as pd
import pytest

import anonduck
from anonduck import Project
from anonduck.cli.app import run
from anonduck.config.requirement import RequirementOptions
from anonduck.errors import AnonduckError
from anonduck.methods.registry import METHODS

IMPOSSIBLE = {
    "k": 100_000,
    "linked_k": 100_000,
    "l": 100_000,
    "entropy_l": 1e9,
    "recursive_l": {"l": 2, "c": 1e-9},
    "frequency_l": 1e9,
    "alpha": 0.0,
    "t": 0.0,
    "t_ordered": 0.0,
    "t_hierarchical": 0.0,
    "beta": 0.0,
    "enhanced_beta": 0.0,
    "delta_disclosure": 0.0,
    "lkc": {"l": 2, "k": 100_000, "c": 0.0},
    "prosecutor_risk": 0.0,
    "marketer_risk": 0.0,
    "sample_uniqueness": 0.0,
    "homogeneous_classes": 0.0,
    "ha": 0.0,
    "pd": 0.0,
    "kept_rare": 0,
    "inference_gain": 0.0,
    "min_columns": 99,
    "max_loss": 0.0,
    "min_gain": 99.0,
}
"""Of each key a value that no release of the table below has."""

NO_REQUIREMENTS = ("preset", "suppression")
POSSIBLE_AT_BEST = ("sample_uniqueness", "homogeneous_classes", "ha", "inference_gain", "max_loss", "kept_rare")
"""Keys whose strictest value a release may have; where it does, an exit of 0 is right."""


def test_every_key_of_a_requirement_is_walked():
    assert set(IMPOSSIBLE) | set(NO_REQUIREMENTS) == set(RequirementOptions.model_fields)


def people(count=60):
    """Each column tells a little of the class; every value of `note` is alone, and `ill` depends on the town."""
    drawn = np.random.default_rng(1)
    age, town = drawn.integers(20, 60, count), drawn.choice(list("abcd"), count)
    ill = np.where(town == "a", "flu", drawn.choice(["hiv", "flu", "none"], count))
    buys = np.where((age > 40) ^ (drawn.random(count) < 0.2), "y", "n")
    note = [f"note {number}" for number in range(count)]
    return pd.DataFrame({"age": age, "town": town, "ill": ill, "note": note, "buys": buys}).assign(
        who=[str(number // 2) for number in range(count)]
    )


def laid_out(folder, required, **more):
    """The table, a second export, a taxonomy of the sensitive column, and a config that requires something."""
    for name in ("people", "other"):
        people().to_parquet(folder / f"{name}.parquet")
    (folder / "ill.csv").write_text("flu,any\nhiv,any\nnone,any\n", encoding="utf-8")
    config = {
        "source": "people.parquet",
        "class": "buys",
        "entity": "who",
        "sensitive": ["ill"],
        "insensitive": ["note"],
        "order": {"ill": ["none", "flu", "hiv"]},
        "taxonomies": {
            "ill": {"file": "ill.csv"},
            "age": {"intervals": 5},
            "town": {"groups": {"x": ["a", "b"], "y": ["c", "d"]}},
        },
        "requirement": {"k": 2, **required},
        "coverage": [0.2],
        "holdout": 0,
    }
    (folder / "anonduck.yml").write_text(json.dumps(config | more), encoding="utf-8")


RULE = "age=1,town=1"
OUT = ("-o", "out.parquet")
WAYS = {
    "run": ({}, [("run", *OUT)]),
    "run rfd": ({}, [("run", *OUT, "--search", "rfd")]),
    "run auto": ({}, [("run", *OUT, "--search", "auto")]),
    "run pinned": ({"rule": RULE}, [("run", *OUT)]),
    "run method": ({"method": "mondrian"}, [("run", *OUT)]),
    "run methods": ({"methods": ["rules", "mondrian"], "select": "loss"}, [("run", *OUT)]),
    "release": ({}, [("release", RULE, *OUT)]),
    "release dry": ({}, [("release", RULE, "--dry-run")]),
    "release source": ({}, [("taxonomy", "build"), ("release", RULE, *OUT, "--source", "other.parquet")]),
}
WAYS |= {f"anonymize {name}": ({}, [("anonymize", name, *OUT)]) for name in METHODS}
QUICK = [
    ("run pinned", name)
    for name in ("min_columns", "max_loss", "min_gain", "inference_gain", "linked_k", "alpha", "kept_rare")
]
QUICK += [("release dry", "min_columns"), ("run method", "max_loss"), ("anonymize mondrian", "min_columns")]


def check_refused(folder, capsys, way, name):
    """No command of a way exits 0, and nothing is written."""
    more, commands = WAYS[way]
    laid_out(folder, {name: IMPOSSIBLE[name]}, **more)
    codes = [run(list(command)) for command in commands]
    told = capsys.readouterr()
    if name in POSSIBLE_AT_BEST and codes[-1] == 0:
        check_reached(folder, name, told.out)
        return
    assert codes[-1] in (1, 2, 3), (codes, told)
    assert not (folder / "out.parquet").exists()


def check_reached(folder, name, printed):
    """What exits with 0 under the strictest value has it, as its documents say, or what a dry run prints."""
    path = folder / "out.parquet.owner.json"
    if "would write" in printed:
        assert [": met (" in line for line in printed.splitlines() if line.startswith(f"{name} <= ")] == [True], name
        return
    lines = json.loads(path.read_text(encoding="utf-8"))["requirements"] if path.exists() else []
    assert [line["met"] for line in lines if line["name"] == name] == [True], name


@pytest.mark.parametrize(("way", "name"), QUICK)
def test_no_way_is_around_a_requirement(tmp_path, monkeypatch, capsys, way, name):
    monkeypatch.chdir(tmp_path)
    check_refused(tmp_path, capsys, way, name)


@pytest.mark.some(0, 12)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_no_way_is_around_any_requirement(tmp_path, monkeypatch, capsys, way, name):
    monkeypatch.chdir(tmp_path)
    check_refused(tmp_path, capsys, way, name)


@pytest.mark.some(0, 3)
@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_neither_is_a_choice_that_is_kept_or_a_lock(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    laid_out(tmp_path, {})
    assert run(["run", "-o", "first.parquet"]) == run(["lock"]) == 0
    laid_out(tmp_path, {name: IMPOSSIBLE[name]})
    assert run(["run", *OUT, "--locked"]) in (1, 2, 3), name
    assert not (tmp_path / "out.parquet").exists()
    code = run(["run", *OUT])
    told = capsys.readouterr()
    if name in POSSIBLE_AT_BEST and code == 0:
        check_reached(tmp_path, name, told.out)
    else:
        assert code in (1, 2, 3), told


@pytest.mark.some(0, 3)
@pytest.mark.parametrize("name", sorted(set(IMPOSSIBLE) - set(POSSIBLE_AT_BEST)))
def test_neither_is_python(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    laid_out(tmp_path, {})
    asked, out = {name: IMPOSSIBLE[name]}, tmp_path / "out.parquet"
    with Project(tmp_path / "anonduck.yml") as one:
        with pytest.raises(AnonduckError):
            one.release({"age": 1, "town": 1}, out, requirement=asked)
        with pytest.raises(AnonduckError):
            one.anonymize("mondrian", out, requirement=asked)
    with pytest.raises(AnonduckError):
        anonduck.anonymize(people(), "buys", sensitive=["ill"], drop=["note"], entity="who", requirement=asked)
    assert not out.exists()
