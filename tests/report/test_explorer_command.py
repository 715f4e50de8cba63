"""`anonduck explore` as a process: it prints the address, answers there, and ends at Ctrl-C."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest
from oracles import people

from anonduck import Project
from anonduck.cli.app import run
from anonduck.report.explorer import server
from anonduck.report.explorer.server import opened_in_browser

CONFIG = (
    "source: people.parquet\nclass: class\nidentifiers: [id]\ninsensitive: [note]\nrequirement: {k: 3}\nmodels: []\n"
)


@pytest.fixture
def folder(tmp_path):
    people(60).to_parquet(tmp_path / "people.parquet")
    (tmp_path / "anonduck.yml").write_text(CONFIG)
    return tmp_path


def heed():
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow
def test_it_prints_its_address_serves_and_ends_at_ctrl_c(folder):
    arguments = [sys.executable, "-m", "anonduck", "explore", "-p", str(folder), "--no-browser"]
    environment = {**os.environ, "PYTHONWARNINGS": "default"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment}
    with subprocess.Popen(arguments, preexec_fn=heed, **pipes) as process:  # noqa: PLW1509 - no threads here
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(url, timeout=60) as page:  # noqa: S310 - the address that was just printed
            assert "Try rules" in page.read().decode()
        said = list(iter(process.stderr.readline, "open it in a browser; Ctrl-C ends it\n"))
        process.send_signal(signal.SIGINT)
        rest, ended = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (rest, ended.strip()) == ("", "stopped")
    assert said[0] == "reading the source\n"
    assert {path.name for path in folder.iterdir()} <= {"people.parquet", "anonduck.yml", "anonduck.duckdb"}


@pytest.mark.slow
def test_json_is_one_document(folder, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr(server.webbrowser, "open", lambda url: opened.append(url) or True)
    monkeypatch.setattr("threading.Event.wait", lambda *_: True)
    assert run(["explore", "-p", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["opened"] is True
    assert told["url"].startswith("http://127.0.0.1:")
    assert opened[0].startswith("file://"), "the address is in no list of processes"
    assert told["url"] not in opened[0]


def test_a_port_that_is_none_is_refused(folder, capsys):
    assert run(["explore", "-p", str(folder), "--port", "70000"]) == 2
    assert run(["explore", "-p", str(folder / "missing.yml"), "--no-browser"]) == 2
    assert "there is no config" in capsys.readouterr().err


def test_the_file_that_opens_the_page_is_private(monkeypatch):
    seen = []

    def look(address):
        path = Path(address.removeprefix("file://"))
        seen.extend((stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode), path.read_text()))
        return False

    monkeypatch.setattr(server.webbrowser, "open", look)
    with opened_in_browser("http://127.0.0.1:1/token/") as opened:
        assert not opened
    assert seen[:2] == [0o600, 0o700]
    assert 'content="0; url=http://127.0.0.1:1/token/"' in seen[2]


@pytest.mark.slow
def test_python_serves_until_it_is_told_to_end(folder):
    with Project(folder / "anonduck.yml") as one:
        seen = []

        def look():
            with urllib.request.urlopen(seen[0], timeout=60) as page:  # noqa: S310 - the address that was just told
                return page.read()

        one.explore(browser=False, ready=lambda url, _: seen.append(url), until=look)
        with pytest.raises(OSError, match=r"refused|reset"):
            look()
        assert one.release({"job": 1}, dry_run=True).k


def test_nobody_is_told_of_work_while_it_waits(folder, monkeypatch):
    telling = []

    def explore(_, *, ready, **__):
        for told in (None, ready):
            if told:
                told("http://127.0.0.1:1", False)
            telling.append("minute lines" in {thread.name for thread in threading.enumerate()})

    monkeypatch.setattr(Project, "explore", explore)
    assert run(["explore", "-p", str(folder), "--no-browser"]) == 0
    assert telling == [True, False]
