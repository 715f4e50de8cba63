"""Messages go on in the next line at spaces, where a terminal or COLUMNS says how wide a line is; else they do not."""

import pytest

from anonduck.cli.app import run
from anonduck.cli.terminal import MinuteLines, say, wrapped

LONG = "wrote /a/very/long/path/to/released.csv: 40,000 records in 6,121 equivalence classes"


@pytest.mark.parametrize("width", [10, 40, 80])
def test_no_line_is_wider_than_columns_but_for_one_word(monkeypatch, capsys, width):
    monkeypatch.setenv("COLUMNS", str(width))
    say(f"  {LONG}")
    shown = capsys.readouterr().out
    assert shown.split() == LONG.split()
    assert all(len(line) <= width or " " not in line.strip() for line in shown.splitlines())
    assert all(line.startswith("  ") for line in shown.splitlines())


def test_a_pipe_gets_a_message_on_one_line(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    say(LONG)
    assert capsys.readouterr().out == f"{LONG}\n"


def test_wide_signs_count_as_two_cells():
    assert wrapped("日本 日本 日本", 9) == "日本 日本\n日本"


@pytest.mark.parametrize(
    "command",
    [["run", "nothing.csv", "--class", "c"], ["run", "--nothing-like-it"], ["audit", "nothing-of-that-name-here.csv"]],
)
def test_errors_are_wrapped_too(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "40")
    assert run(command) == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") > 1
    assert all(len(line) <= 40 or " " not in line.strip() for line in shown.splitlines())


def test_a_line_a_minute_says_how_much_is_left():
    now = [0.0]
    lines = MinuteLines(print, lambda: now[0])
    lines.progress("joining pairs", 0, 100)
    now[0] = 120.0
    lines.progress("joining pairs", 40, 100)
    assert lines.line() == "joining pairs: 40 %, about 3 min left, after 2 min"
    lines.progress("joining pairs", 100, 100)
    assert lines.line() == "still working, done with joining pairs, after 2 min"
    lines.progress("counting", 0, 0)
    assert lines.line() == "counting, after 2 min"
