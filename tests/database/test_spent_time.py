"""Where time and memory went: the tree and the lines of a flame graph, of samples that are given."""

import re
from pathlib import Path

from anonduck.cli.app import run
from anonduck.database.profile import MEGABYTE, Step, profiled


def sampled(*samples):
    step = Step("run")
    for names, seconds, held in samples:
        step.add(names, seconds, seconds / 2, held * MEGABYTE)
    return step


FOUND = sampled(
    (["a", "scan"], 6.0, 10),
    (["a"], 1.0, 30),
    (["a", "code"], 2.0, 20),
    (["a", "code", "tiny"], 0.01, 40),
    ([], 1.0, 5),
)


def test_the_tree_has_a_line_for_each_step_that_takes_its_share_the_dearest_first():
    assert FOUND.tree() == [
        "  seconds      CPU  share  peak MB  step",
        "    10.01     5.00   100%       40  run",
        "     9.01     4.50    90%       40    a",
        "     6.00     3.00    60%       10      scan",
        "     2.01     1.00    20%       40      code",
    ]


def test_a_step_that_only_calls_another_is_left_out():
    lines = sampled((["a", "b", "c"], 5.0, 1), (["a", "b", "d"], 5.0, 1)).tree()
    assert [line.split()[-1] for line in lines[1:]] == ["run", "b", "c", "d"]


def test_lines_of_a_flame_graph_have_the_microseconds_of_each_step_itself():
    assert list(FOUND.folded()) == [
        "run 1000000",
        "run;a 1000000",
        "run;a;scan 6000000",
        "run;a;code 2000000",
        "run;a;code;tiny 10000",
    ]


def test_nothing_that_ran_is_nothing_to_show():
    assert Step("run").tree()[1:] == ["     0.00     0.00   100%        0  run"]
    assert list(Step("run").folded()) == []


def test_what_runs_in_the_package_is_sampled():
    with profiled("help") as step:
        assert run(["--help"]) == 0
    assert step.seconds > 0
    assert step.peak > 0


def test_a_flame_graph_is_not_written_over_the_source(prepared, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(prepared("people suppressed", tmp_path))
    before = Path("people.parquet").read_bytes()
    assert run(["run", "-o", "out.csv", "--flame-graph", "people.parquet"]) == 2
    assert Path("people.parquet").read_bytes() == before
    assert run(["run", "-o", "out.csv", "--flame-graph", "nowhere/people.txt"]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_a_run_shows_and_writes_where_its_time_went(prepared, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(prepared("people suppressed", tmp_path))
    assert run(["run", "-o", "out.csv", "--no-report", "--profile", "--flame-graph", "flame.txt"]) == 0
    printed = capsys.readouterr()
    assert "seconds      CPU  share  peak MB  step" in printed.err
    assert "peak MB" not in printed.out
    lines = Path("flame.txt").read_text()
    assert all(re.fullmatch(r"run(;[^; ]+)* \d+", line) for line in lines.splitlines())
