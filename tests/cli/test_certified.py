"""From a table to a certificate that can be signed: what `init` is told or asks, and what the certificate then says."""

import contextlib
import json

import pytest
import yaml
from oracles import people

from anonduck.cli import init as init_command
from anonduck.cli.app import run
from anonduck.database.progress import Reporter


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(400).to_csv("people.csv", index=False)
    return tmp_path


INIT = ["init", "people.csv", "--class", "class", "--insensitive", "note", "--method", "rules"]


def test_init_takes_recipient_purpose_k_and_where(folder, capsys):
    given = ["--recipient", "Inst: of X", "--purpose", "a 'study'", "-k", "7", "--where", "age >= 18"]
    assert run([*INIT, *given]) == 0
    config = yaml.safe_load((folder / "anonduck.yml").read_text())
    assert config["publication"] == {"recipient": "Inst: of X", "purpose": "a 'study'"}
    assert config["requirement"] == {"k": 7}
    assert config["where"] == "age >= 18"
    assert config["methods"] == ["rules"]


def test_init_asks_in_a_terminal_alone(folder, monkeypatch, capsys):
    assert run(INIT) == 0
    assert "publication" not in yaml.safe_load((folder / "anonduck.yml").read_text())
    answers = iter(["Institute", ""])
    monkeypatch.setattr(init_command.sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(init_command.sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(init_command.click, "prompt", lambda *_, **__: next(answers))
    monkeypatch.setattr(init_command, "reporting", lambda: contextlib.nullcontext(Reporter()))
    assert run([*INIT, "--overwrite"]) == 0
    assert yaml.safe_load((folder / "anonduck.yml").read_text())["publication"] == {"recipient": "Institute"}


@pytest.mark.slow
def test_five_commands_lead_to_a_certificate_that_can_be_signed(folder, capsys):
    assert run([*INIT, "--recipient", "Institute", "--purpose", "a study"]) == 0
    assert run(["run", "-o", "first.csv"]) == 0
    assert run(["release", "age=2", "-o", "second.csv"]) == 0
    capsys.readouterr()
    assert run(["report", "--release", "second.csv", "--against", "first.csv", "-o", "public.json"]) == 0
    assert capsys.readouterr().err.startswith("not ready to be signed: nobody is said to have read the config: ")
    signed = ["--reviewed-by", "Jane Doe, 2026-11-28", "--overwrite"]
    assert run(["report", "--release", "second.csv", "--against", "first.csv", "-o", "public.json", *signed]) == 0
    assert capsys.readouterr().err == "ready to be signed\n"
    public = json.loads((folder / "public.json").read_text())
    assert public["ready_to_sign"] is True
    assert public["for_owner_alone"] is False
    assert public["attacks"] is None
    assert "pairs" in public["checked_against"]["first.csv"]
    assert run(["report", "--release", "second.csv", "--owner", "-o", "owner.json"]) == 0
    owner = json.loads((folder / "owner.json").read_text())
    assert {one["question"] for one in owner["attacks"]} == {"singling out", "linkability", "inference"}
    assert all(one["control_rate"] is not None for one in owner["attacks"] if one["question"] != "linkability")
    assert "200 records drawn from the source" in owner["attack_notes"][0]
    assert run(["report", "--against", "first.csv", "-o", "r.html"]) == 2
