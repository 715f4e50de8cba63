"""Lines of long work without a terminal: by a clock that the test sets, none under a minute, none on stdout."""

import json
import threading

import pytest
from click.testing import CliRunner
from oracles import people

from anonduck.cli import terminal as module
from anonduck.cli.app import cli
from anonduck.cli.terminal import MINUTE, MinuteLines, minute_lines


class Clock:
    """Seconds that pass when somebody waits; ``steps`` are what is told at the end of each minute, None ends it."""

    def __init__(self, lines=None, steps=()):
        self.now = 1_000.0
        self.lines = lines
        self.steps = iter(steps)
        self.waited = []

    def __call__(self):
        return self.now

    def stopped(self, seconds):
        self.waited.append(seconds)
        step = next(self.steps, None)
        if step is None:
            return True
        self.now += seconds
        if step:
            self.lines.progress(*step)
        return False


def test_a_line_a_minute_says_what_is_done_how_much_and_for_how_long():
    said = []
    clock = Clock(steps=[(), ("mining patterns", 40, 100), ("searching the lattice", 0, 0), ("training models", 5, 5)])
    clock.lines = MinuteLines(said.append, clock)
    clock.lines.tell(clock.stopped)
    assert said == [
        "still working, after 1 min",
        "mining patterns: 40 %, less than a minute left, after 2 min",
        "searching the lattice, after 3 min",
        "searching the lattice, after 4 min",  # a stage that ended is not what is being done
    ]
    assert clock.waited == [MINUTE] * 5


def test_the_stage_that_a_part_of_it_ended_in_is_told_of_with_its_own_estimate():
    said = []
    steps = [("measuring the offer", 0, 4), ("cutting classes", 9, 10), ("cutting classes", 10, 10)]
    clock = Clock(steps=[*steps, ("measuring the offer", 2, 4), ("measuring the offer", 4, 4)])
    clock.lines = MinuteLines(said.append, clock)
    clock.lines.tell(clock.stopped)
    assert said == [
        "measuring the offer: 0 %, after 1 min",
        "cutting classes: 90 %, less than a minute left, after 2 min",
        "measuring the offer: 0 %, after 3 min",
        "measuring the offer: 50 %, about 3 min left, after 4 min",
        "still working, done with measuring the offer, after 5 min",
    ]


def test_work_of_less_than_a_minute_says_nothing():
    said = []
    with minute_lines(said.append) as lines:
        lines.progress("training models", 1, 2)
        assert any(thread.name == "minute lines" for thread in threading.enumerate())
    assert said == []
    assert all(thread.name != "minute lines" for thread in threading.enumerate())


@pytest.mark.slow
def test_lines_go_to_stderr_and_leave_the_json_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MINUTE", 0.01)  # a minute passes in no time
    people(120).to_parquet(tmp_path / "people.parquet")
    config = tmp_path / "anonduck.yml"
    config.write_text("source: people.parquet\nclass: class\nidentifiers: [id]\ninsensitive: [note]\nmodels: []\n")
    done = CliRunner().invoke(cli, ["discover", "--json", "--search", "rfd", "-p", str(config)])
    assert done.exit_code == 0
    assert "rules" in json.loads(done.stdout)
    assert " min" in done.stderr
