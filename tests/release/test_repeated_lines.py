"""CSV files whose lines are repeated, beside those of which DuckDB writes each line."""

import pandas as pd
import pytest

from anonduck import Project
from anonduck.release import repeated_rows, sinks

ODD = ["", " ", "a,b", 'say "x"', "#", "-", "NULL", "é", None, "a\rb"]


def released(target, values, **roles):
    count = len(values)
    rows = pd.DataFrame({"kind, odd": values * 9, "age": [30 + at % 4 for at in range(9 * count)]})
    rows["class"] = ["yes" if at % 3 else None for at in range(9 * count)]
    with Project(source=rows, class_="class", requirement={"k": 1}, models=[], **roles) as one:
        one.release({"kind, odd": 0, "age": 1} if "identifiers" not in roles else {"kind, odd": 0}, target)
    return target.read_bytes()


@pytest.fixture
def repeated(monkeypatch):
    """Whether files were written by repeated lines."""
    seen, repeat = [], sinks.repeat_lines
    monkeypatch.setattr(repeated_rows, "FEW_RECORDS", 0)
    monkeypatch.setattr(sinks, "repeat_lines", lambda path, rows: seen.append(repeat(path, rows)) or seen[-1])
    return seen


def test_lines_are_those_that_duckdb_writes(tmp_path, monkeypatch, repeated):
    ours = released(tmp_path / "ours.csv", ODD)
    assert repeated == [True]
    monkeypatch.setattr(repeated_rows, "MOST_LINES", 0)
    assert released(tmp_path / "theirs.csv", ODD) == ours
    assert repeated == [True]
    assert ours.count(b"\n") == 91


def test_a_line_break_in_a_text_is_left_to_duckdb(tmp_path, monkeypatch, repeated):
    """A piece of such a text may look like a row of its own."""
    values = [*ODD, "x\ny,3,5", "\n7"]
    ours = released(tmp_path / "ours.csv", values)
    assert repeated == [False]
    monkeypatch.setattr(repeated_rows, "MOST_LINES", 0)
    assert released(tmp_path / "theirs.csv", values) == ours


@pytest.mark.parametrize(("limit", "value"), [("MOST_LINES", 10), ("MOST_DEALT", 10), ("FEW_RECORDS", 90)])
def test_many_lines_and_few_records_are_left_to_duckdb(limit, value, tmp_path, monkeypatch, repeated):
    monkeypatch.setattr(repeated_rows, limit, value)
    released(tmp_path / "out.csv", ODD)
    assert not repeated
