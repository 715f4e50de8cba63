"""What a command says to do next can be typed as it stands, and is said where there is something to do."""

import shlex
import subprocess
import sys

import pandas as pd
import pytest

from anonduck.cli.app import run

ROWS = {"a": [1, 2, 3, 4] * 5, "class": ["x", "y", "y", "x"] * 5}


@pytest.mark.slow
def test_the_next_command_of_init_is_quoted_for_a_shell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "our o'data"
    folder.mkdir()
    pd.DataFrame(ROWS).to_csv(folder / "t.csv", index=False)
    assert run(["init", str(folder / "t.csv"), "--class", "class", "-p", str(folder)]) == 0
    told = capsys.readouterr().out
    command = shlex.split(told.rpartition("then run: ")[2])
    assert command[0] == "anonduck"
    assert run(command[1:]) == 0
    assert "nothing to discover" not in told


@pytest.mark.parametrize("table", [{**ROWS, "a": [1] * 20}, {"a": [], "class": []}, {**ROWS, "a": [None] * 20}])
def test_init_says_where_nothing_is_left_to_generalize(tmp_path, monkeypatch, capsys, table):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(table).to_csv("t.csv", index=False)
    assert run(["init", "t.csv", "--class", "class"]) == 0
    told, warned = capsys.readouterr()
    assert ("the source has no records" in warned) == (not table["a"])
    assert "only NULL" not in told or table["a"]
    assert "no column is left to generalize" in told
    assert "run: anonduck discover" not in told
    assert run(["init", "t.csv", "--class", "class", "--quasi-identifier", "a", "--overwrite"]) == 0
    assert "no column is left to generalize" not in capsys.readouterr().out


@pytest.mark.slow
def test_one_is_counted_as_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"a": [1], "class": ["x"], "b": [2]}).to_csv("t.csv", index=False)
    assert run(["init", "t.csv", "--class", "class", "--quasi-identifier", "a", "--drop", "b"]) == 0
    assert run(["advise"]) == 0
    assert "1 quasi-identifier, measured on all 1 record:" in capsys.readouterr().out
    assert run(["discover"]) == 2
    assert "a single value in all 1 record; models" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("words", [["schema"], ["--help"], ["taxonomy", "list", "--json"]])
def test_a_full_disk_under_what_is_printed_is_no_bug(words):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "anonduck", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 6
    assert done.stderr == "anonduck: what it prints cannot be written: No space left on device\n"
