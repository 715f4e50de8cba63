"""`run --source FILE` and ``Project(config, source=...)``: this config, with another source."""

import json
import shutil
from pathlib import Path

import duckdb
import pandas as pd
import pytest
import yaml
from oracles import documents
from persons import persons

from anonduck import Project
from anonduck.cli.app import run
from anonduck.errors import ConfigError, SourceError
from anonduck.workspace import written_source

CONFIG = {
    "source": "first.parquet",
    "class": "bought",
    "identifiers": ["day"],
    "requirement": {"k": 5},
    "taxonomies": {"age": {"intervals": 5}},
    "models": [],
    "select": "loss",
    "budget": 100,
}
RULE = "age=3,job=0"


def configured(folder, **changes):
    (folder / "anonduck.yml").write_text(yaml.safe_dump({**CONFIG, **changes}))


def released(folder, name="out.csv"):
    return {one: (folder / one).read_bytes() for one in (name, *documents(name))}


def chosen(name):
    """The rule that a run released by, and why."""
    document = json.loads(Path(f"{name}.owner.json").read_text())
    return document["reason"], json.loads(Path(f"{name}.receipt.json").read_text())["rule"]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A project that has run once, and two later exports."""
    folder = tmp_path_factory.mktemp("ran")
    (folder / "exports").mkdir()
    persons(300).to_parquet(folder / "first.parquet")
    persons(310, seed=2).to_parquet(folder / "exports" / "night.parquet")
    persons(320, seed=3).to_csv(folder / "exports" / "night.csv", index=False)
    configured(folder)
    with Project(folder / "anonduck.yml") as one:
        one.run(folder / "before.csv", report=False)
    return folder


@pytest.fixture
def folder(ran, tmp_path, monkeypatch):
    """A copy of that project, as the current folder."""
    shutil.copytree(ran, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("source", ["exports/night.parquet", "exports/night.csv", "exports/*.parquet"])
def test_a_run_on_another_source_is_that_of_an_edited_config(folder, tmp_path_factory, monkeypatch, source):
    edited = tmp_path_factory.mktemp("edited")
    shutil.copytree(folder, edited, dirs_exist_ok=True)
    assert run(["run", "--source", source, "-o", "out.csv", "--no-report"]) == 0
    monkeypatch.chdir(edited)
    configured(edited, source=source)
    assert run(["run", "-o", "out.csv", "--no-report"]) == 0
    assert released(folder) == released(edited)
    assert len(pd.read_csv(folder / "out.csv")) == (320 if source.endswith("csv") else 310)
    assert "the last choice, kept" in json.loads((folder / "out.csv.owner.json").read_text())["reason"]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--reselect"], ["--if-exists", "overwrite"], ["--keep-roots"]])
def test_what_a_run_decides_anew_is_that_of_an_edited_config(folder, tmp_path_factory, monkeypatch, arguments):
    edited = tmp_path_factory.mktemp("edited")
    shutil.copytree(folder, edited, dirs_exist_ok=True)
    asked = ["run", "-o", "out.csv", *arguments]
    assert run([*asked, "--source", "exports/night.parquet"]) == 0
    monkeypatch.chdir(edited)
    configured(edited, source="exports/night.parquet")
    assert run(asked) == 0
    assert released(folder) == released(edited)


@pytest.mark.slow
def test_a_path_is_relative_to_the_current_folder(folder, monkeypatch):
    monkeypatch.chdir(folder / "exports")
    assert run(["run", "-p", "../anonduck.yml", "--source", "night.csv", "-o", "../out.csv", "--no-report"]) == 0
    with Project(folder / "anonduck.yml", source="night.csv") as one:
        assert one.config.source == "exports/night.csv"
        assert one.release(RULE, dry_run=True).rows == 320
    assert run(["run", "-p", "..", "--source", "exports/night.csv", "-o", "../other.csv", "--no-report"]) == 2


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("/exports/a/night.csv", "night.csv"),
        ("/exports/a/b/*.csv", "b/*.csv"),
        ("/exports/a/shop.duckdb::main.persons", "shop.duckdb::main.persons"),
        ("/exports/b/night.csv", "/exports/b/night.csv"),
        ("/exports/a/../b/night.csv", "/exports/a/../b/night.csv"),
        ("delta:/exports/a/persons", "delta:/exports/a/persons"),
        ("table:sales.persons", "table:sales.persons"),
    ],
)
def test_a_source_is_named_as_a_config_names_it(source, written):
    assert written_source(source, Path("/exports/a")) == written


@pytest.mark.slow
def test_a_project_takes_a_table_of_a_file_or_of_memory_in_place_of_its_source(folder):
    with duckdb.connect("shop.duckdb") as shop:
        shop.execute("CREATE TABLE people AS FROM 'exports/night.parquet' LIMIT 200")
    found = {}
    for source in ("shop.duckdb::people", persons(150), Path("exports/night.csv"), None):
        with Project("anonduck.yml", source=source) as one:
            found[str(type(source).__name__)] = one.release(RULE, dry_run=True).rows
    assert found == {"str": 200, "DataFrame": 150, "PosixPath": 320, "NoneType": 300}
    with pytest.raises(ConfigError, match="`source` alone takes the place"):
        Project("anonduck.yml", source="exports/night.csv", class_="bought")


@pytest.mark.slow
def test_a_config_needs_no_source_of_its_own(folder):
    written = {name: value for name, value in CONFIG.items() if name != "source"}
    (folder / "anonduck.yml").write_text(yaml.safe_dump(written))
    with Project("anonduck.yml", source="exports/night.parquet") as one:
        assert one.run("out.csv", report=False).release.rows == 310


@pytest.mark.slow
@pytest.mark.parametrize("command", [["run", "-o", "out.csv"], ["run", "--locked", "-o", "out.csv"], ["lock"]])
def test_a_source_that_is_missing_is_refused(folder, capsys, command):
    assert run(["lock", RULE]) == 0
    lock = (folder / "anonduck.lock.yml").read_bytes()
    assert run([*command, "--source", "exports/gone.parquet"]) == 2
    assert "there is no file exports/gone.parquet" in capsys.readouterr().err
    assert not (folder / "out.csv").exists()
    assert (folder / "anonduck.lock.yml").read_bytes() == lock
    with pytest.raises(SourceError, match=r"gone\.parquet"), Project("anonduck.yml", source="gone.parquet") as one:
        one.run("out.csv")


def test_a_table_without_a_config_takes_no_other_source(folder, capsys):
    asked = ["run", "first.parquet", "--class", "bought", "--source", "exports/night.csv", "-o", "out.csv"]
    assert run(asked) == 2
    assert "--source takes the place of a config's source" in capsys.readouterr().err


def test_neither_source_is_overwritten(folder, capsys):
    for target in ("first.parquet", "exports/night.parquet"):
        before = (folder / target).read_bytes()
        assert run(["run", "--source", "exports/night.parquet", "-o", target, "--overwrite"]) == 2
        assert "is the source itself" in capsys.readouterr().err
        assert (folder / target).read_bytes() == before


@pytest.mark.slow
def test_a_locked_run_is_on_that_source(folder, capsys):
    assert run(["lock", RULE]) == 0
    with Project("anonduck.yml", source="exports/night.csv") as one:
        checked = one.lock(check=True)
        done = one.run("out.csv", locked=True, report=False)
    assert checked.release.rows == done.release.rows == 320
    frame = pd.read_csv("out.csv")
    assert done.release.k == frame.groupby(["age", "job"]).size().min()
    assert chosen("out.csv")[1]["levels"] == {"age": 3, "job": 0}
    persons(12, seed=4).to_parquet("few.parquet")
    for command in (["lock", "--check"], ["run", "--locked", "-o", "few.csv"]):
        assert run([*command, "--source", "few.parquet"]) == 1
    assert not Path("few.csv").exists()
    capsys.readouterr()
    assert run(["lock", "--check", "--source", "exports/night.parquet"]) == 0
    assert "it releases 310 records" in capsys.readouterr().out


@pytest.mark.slow
def test_the_next_plain_command_is_on_the_config_s_own_source(folder, capsys):
    """After a choice that was made anew, of another source."""
    first = chosen("before.csv")[1]
    pd.read_parquet("first.parquet").head(120).to_parquet("exports/night.parquet")
    assert run(["run", "--source", "exports/night.parquet", "-o", "night.csv", "--reselect"]) == 0
    assert Path("night.csv.report.html").exists()
    night = chosen("night.csv")[1]
    capsys.readouterr()
    assert run(["rules"]) == 0
    assert (
        "the stored rules are out of date: they were found on exports/night.parquet, and the source is now "
        "first.parquet" in capsys.readouterr().err
    )
    assert run(["run", "-o", "out.csv"]) == 0
    assert "the last choice, kept while it meets the requirement" in chosen("out.csv")[0]
    assert chosen("out.csv")[1]["levels"] == night["levels"]
    assert len(pd.read_csv("out.csv")) == 300
    assert not Path("out.csv.report.html").exists()
    assert run(["run", "-o", "again.csv", "--reselect"]) == 0
    assert chosen("again.csv")[1]["levels"] == first["levels"]
    assert Path("again.csv.report.html").exists()


@pytest.mark.slow
def test_a_discovery_on_another_source_is_of_that_source(folder):
    assert run(["discover", "--source", "exports/night.csv"]) == 0
    with Project("anonduck.yml", source="exports/night.csv") as one:
        assert one.stale() == []
        assert one.discovered().summary["rows"] == 320
    with Project("anonduck.yml") as one:
        assert one.stale() == ["they were found on exports/night.csv, and the source is now first.parquet"]


@pytest.mark.slow
def test_a_candidate_of_another_source_says_so(folder, capsys):
    configured(folder, methods=["rules", "mondrian"])
    assert run(["discover", "--source", "exports/night.csv"]) == 0
    capsys.readouterr()
    assert run(["release", "M1", "-o", "out.csv"]) == 0
    assert "they were found on exports/night.csv, and the source is now first.parquet" in capsys.readouterr().err
    assert len(pd.read_csv("out.csv")) == 300
