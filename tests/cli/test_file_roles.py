"""`audit -p` and `attack --roles` take roles from a config, measure the files alone, and say so."""

import json

import duckdb
import pytest

from anonduck import audit
from anonduck.cli.app import run

CONFIG = """source: nowhere.csv
class: churned
identifiers: [customer_id]
drop: [copy]
sensitive: [diagnosis, absent]
insensitive: [note]
quasi_identifiers: [age, zip]
"""
ROWS = (
    "SELECT i % 3 AS age, i % 2 AS zip, i % 2 = 0 AS churned, 'd' || i % 4 AS diagnosis, i AS note FROM range(48) t(i)"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({ROWS}) TO '{tmp_path}/out.parquet'")
        connection.execute(f"COPY (SELECT *, age AS copy FROM ({ROWS})) TO '{tmp_path}/more.parquet'")
    (tmp_path / "anonduck.yml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def document(capsys, *words, code=0):
    assert run([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_an_audit_by_a_config_is_the_one_with_its_roles_named(folder, capsys):
    found = document(capsys, "audit", "out.parquet", "-p", "anonduck.yml", "--require", "k=5")
    told = found.pop("roles_from")
    assert told == (
        "roles from anonduck.yml: class churned; sensitive diagnosis; insensitive note; all other columns are "
        "quasi-identifiers"
    )
    named = audit("out.parquet", class_="churned", sensitive=["diagnosis"], insensitive=["note"], requirements={"k": 5})
    assert found == json.loads(json.dumps(named.as_json()))


@pytest.mark.parametrize("words", [("audit", "out.parquet", "-p", "."), ("-p", ".", "audit", "out.parquet")])
def test_the_config_may_be_a_folder_before_or_after_the_command(folder, capsys, words):
    assert document(capsys, *words)["quasi_identifiers"] == ["age", "zip"]


def test_without_a_config_that_is_named_none_is_read(folder, capsys):
    found = document(capsys, "audit", "out.parquet")
    assert "roles_from" not in found
    assert found["quasi_identifiers"] == ["age", "zip", "churned", "diagnosis", "note"]


def test_roles_that_are_named_win(folder, capsys):
    found = document(capsys, "audit", "out.parquet", "-p", ".", "--insensitive", "diagnosis", "--class", "zip")
    assert found["roles_from"].startswith("roles from anonduck.yml: class zip; insensitive diagnosis, note")
    assert found["quasi_identifiers"] == ["age", "churned"]
    found = document(capsys, "audit", "out.parquet", "-p", ".", "-q", "age", "-q", "diagnosis")
    assert found["quasi_identifiers"] == ["age", "diagnosis"]


def test_a_column_that_should_be_in_no_release_counts_and_is_told(folder, capsys):
    found = document(capsys, "audit", "more.parquet", "-p", ".")
    assert found["quasi_identifiers"] == ["age", "zip", "copy"]
    assert "the file has the column 'copy', which anonduck.yml leaves out of every release" in found["warnings"]


def test_the_text_says_where_roles_came_from(folder, capsys):
    assert run(["audit", "out.parquet", "-p", "."]) == 0
    assert "roles from anonduck.yml: class churned" in capsys.readouterr().out


def test_a_config_that_is_not_there_and_one_with_an_original_are_refused(folder, capsys):
    assert run(["audit", "out.parquet", "-p", "other.yml"]) == 2
    assert "there is no config other.yml" in capsys.readouterr().err
    assert run(["audit", "out.parquet", "-p", ".", "--original", "out.parquet"]) == 2
    assert "-p is for audits of the file alone" in capsys.readouterr().err


@pytest.mark.slow
def test_an_attack_takes_roles_only_where_it_is_asked_to(folder, capsys):
    words = ("attack", "out.parquet", "--original", "out.parquet", "--no-splink", "--guesses", "5")
    asked = document(capsys, *words, "--roles")
    assert asked["roles_from"].startswith("roles from anonduck.yml: class churned; sensitive diagnosis")
    assert asked["quasi_identifiers"] == ["age", "zip"]
    assert document(capsys, *words, "--roles", "-p", ".") == asked
    unasked = document(capsys, *words)
    assert "roles_from" not in unasked
    assert set(unasked["quasi_identifiers"]) > {"age", "zip"}
    assert run([*words, "--roles"]) == 0
    assert "roles from anonduck.yml" in capsys.readouterr().out
