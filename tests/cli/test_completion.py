"""What a shell offers after TAB, asked for as bash does; nothing is written, and nothing is said where nothing is."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from click.shell_completion import BashComplete

from anonduck import Project
from anonduck.cli.app import cli


def offered(line):
    """What is offered at the end of a line; a line that ends in a blank asks for a new word."""
    words = line.split()
    *before, incomplete = words if not line.endswith(" ") else [*words, ""]
    found = BashComplete(cli, {}, "anonduck", "_ANONDUCK_COMPLETE").get_completions(before[1:], incomplete)
    return [one.value for one in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT i % 7 AS age, i % 3 AS zip, (i % 7 > 3) AS c, i AS id FROM range(210) t(i)) "
            f"TO '{folder}/s.parquet'"
        )
    (folder / "anonduck.yml").write_text(
        "source: s.parquet\nclass: c\nidentifiers: [id]\nquasi_identifiers: [age, zip]\nmodels: []\n"
    )
    with Project(folder / "anonduck.yml") as project:
        project.discover()
    return folder


def state(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["rules", "release", "sql", "taxonomy mapping"])
def test_rules_are_offered_by_their_ids(folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    with Project("anonduck.yml") as project:
        ids = list(project.rules()["id"])
    before = state(folder)
    assert ids
    assert offered(f"anonduck {command} ") == ids
    assert offered(f"anonduck {command} r1") == [one for one in ids if one.startswith("R1")]
    assert state(folder) == before


@pytest.mark.slow
def test_the_config_may_be_named_anywhere_before(folder, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    expected = offered(f"anonduck rules -p {folder}/anonduck.yml ")
    assert expected
    assert offered(f"anonduck rules -p {folder} ") == expected
    assert offered(f"anonduck -p {folder} rules ") == expected
    assert offered(f"anonduck audit -p {folder} --class ") == ["c", "id", "age", "zip"]
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("anonduck taxonomy show a", ["age"]),
        ("anonduck taxonomy build age Z", ["zip"]),
        ("anonduck discover --keep ", ["c", "id", "age", "zip"]),
        ("anonduck attack r.parquet --sensitive i", ["id"]),
        ("anonduck frontier --objective lo", ["loss"]),
        ("anonduck discover --measure nc", ["ncp"]),
        ("anonduck run --select roc", ["roc_auc"]),
        ("anonduck fron", ["frontier"]),
        ("anonduck taxonomy ma", ["mapping"]),
        ("anonduck frontier --obj", ["--objective"]),
    ],
)
def test_columns_measures_commands_and_options(folder, monkeypatch, line, expected):
    monkeypatch.chdir(folder)
    assert offered(line) == expected


@pytest.mark.parametrize("line", ["anonduck rules ", "anonduck taxonomy show ", "anonduck rules -p nowhere/x.yml "])
def test_where_no_project_is_nothing_is_offered_written_or_said(tmp_path, monkeypatch, capfd, line):
    monkeypatch.chdir(tmp_path)
    assert offered(line) == []
    (tmp_path / "anonduck.yml").write_text("class: [")
    assert offered(line) == []
    (tmp_path / "anonduck.yml").write_text("class: c\nsource: s.csv\n")
    (tmp_path / "anonduck.duckdb").write_text("no database")
    assert offered(line) in ([], ["c"])
    assert sorted(os.listdir(tmp_path)) == ["anonduck.duckdb", "anonduck.yml"]
    assert capfd.readouterr() == ("", "")


def test_a_decision_database_that_is_in_use_offers_nothing(folder, monkeypatch):
    monkeypatch.chdir(folder)
    code = "import duckdb, sys; c = duckdb.connect('anonduck.duckdb'); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"open\n"
        assert offered("anonduck rules ") == []
        other.stdin.close()
    assert offered("anonduck rules ") != []


@pytest.mark.slow
def test_bash_gets_it_from_the_installed_command(folder):
    script = Path(sys.executable).parent / "anonduck"
    environment = {
        **os.environ,
        "_ANONDUCK_COMPLETE": "bash_complete",
        "COMP_WORDS": "anonduck rules R",
        "COMP_CWORD": "2",
    }
    done = subprocess.run([script], env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert "plain,R1" in done.stdout.splitlines()
    assert done.stderr == ""
    source = subprocess.run(
        [script], env={**os.environ, "_ANONDUCK_COMPLETE": "bash_source"}, capture_output=True, text=True, check=False
    )
    assert "_ANONDUCK_COMPLETE=bash_complete" in source.stdout
