"""How often each command asks an engine for the source, and for what it wrote: the table of docs/engines.md."""

import json
import re
from pathlib import Path

from duck_writer import DuckWriter

from anonduck import Project, audit
from anonduck.engines import opened
from anonduck.release.lock import check_lock

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"
QUESTIONS = ("sample", "profile", "count_by", "histograms", "fetch", "largest", "group_sizes", "common", "write")
"""What an engine answers by a scan of a relation."""


class CountingWriter(DuckWriter):
    """Counts scans of the source and of other tables."""

    def __init__(self):
        super().__init__()
        self.source = self.others = 0
        for name in QUESTIONS:
            setattr(self, name, self._counted(getattr(self, name)))

    def _counted(self, question):
        def asked(relation, *args, **named):
            if relation is not None:
                self.source += relation.place.parts == ("t",)
                self.others += relation.place.parts != ("t",)
            return question(relation, *args, **named)

        return asked

    def taken(self, job):
        """The scans of the source and of other tables that a job takes."""
        self.source = self.others = 0
        job()
        return self.source, self.others


def listed():
    """The scans of each command, as the page lists them."""
    rows = re.findall(r"^\| `([^|]+)` \| (\d) \| (\d) \|", PAGE.read_text(encoding="utf-8"), re.M)
    return {name: (int(source), int(release)) for name, source, release in rows}


def test_each_command_scans_as_often_as_the_page_says(tmp_path, monkeypatch):
    engine = CountingWriter()
    monkeypatch.setitem(opened.KINDS, "spark", lambda session, master: engine)
    monkeypatch.setattr(engine, "snapshot", lambda relation: "one")
    monkeypatch.chdir(tmp_path)
    engine.connection.execute(
        "CREATE TABLE t AS SELECT i % 5 AS age, 'ab'[1 + i % 2] AS job, i % 20 AS note, (i % 5 > 1)::VARCHAR AS class "
        "FROM range(400) AS r(i)"
    )
    keys = {
        "source": "table:t",
        "engine": {"kind": "spark"},
        "class": "class",
        "identifiers": ["note"],
        "models": [],
        "select": "information_gain",
        "requirement": {"k": 2},
    }
    found = {}

    def config(**changes):
        Path("anonduck.yml").write_text(json.dumps(keys | changes), encoding="utf-8")

    def counted(name, job):
        def opened_and_closed():
            with Project("anonduck.yml") as project:
                job(project)

        found[name] = engine.taken(opened_and_closed)

    config()
    counted("discover", lambda one: one.discover())
    counted("frontier", lambda one: one.frontier(["k", "information_gain"]))
    counted("run, the first", lambda one: one.run("spark:released", report=False))
    counted("run, again", lambda one: one.run("spark:released", overwrite=True, report=False))
    counted("run --if-exists skip", lambda one: one.run("spark:released", if_exists="skip", report=False))
    counted("lock", lambda one: one.lock({"age": 0}))
    counted("lock --check", lambda one: check_lock(one.workspace))
    counted("run --locked", lambda one: one.run("spark:released", overwrite=True, locked=True, report=False))
    config(identifiers=[], insensitive=["note"])
    counted("release, with kept columns", lambda one: one.release({"age": 0}, "spark:released", overwrite=True))
    found["audit"] = engine.taken(lambda: audit("spark:released", class_="class"))
    assert found == listed()
    assert max(source for name, (source, _) in found.items() if name.startswith(("release", "run"))) <= 2
