"""What a whole run costs that no data explains: how many statements it issues."""

import json
import os
from itertools import product

import pytest

from anonduck import Project
from anonduck.database import session

COLUMNS = [f"q{number}" for number in range(8)]
MOST = 398
"""Lower it where a change saves statements."""


@pytest.fixture
def eight(tmp_path):
    """The config of a table with eight quasi-identifiers, each with the file of a hierarchy of two or three levels."""
    values = "abcdefgh"
    for number, name in enumerate(COLUMNS):
        lines = [f"{one};{values.index(one) // 2};{values.index(one) // 4};*" for one in values]
        short = [f"{one};{values.index(one) // 4};*" for one in values]
        (tmp_path / f"{name}.csv").write_text("\n".join(short if number % 2 else lines))
    rows = [
        [
            *(values[(first * (place + 1) + second) % min(8, 2 + place)] for place in range(8)),
            "yn"[first % 3 == second % 2],
        ]
        for first, second in product(range(30), range(10))
    ]
    text = [",".join([*COLUMNS, "c"]), *map(",".join, rows)]
    (tmp_path / "table.csv").write_text("\n".join(text) + "\n")
    os.utime(tmp_path / "table.csv", (0, 0))  # what is held of a file that was just written is read again
    config = {
        "source": "table.csv",
        "class": "c",
        "taxonomies": {name: {"file": f"{name}.csv"} for name in COLUMNS},
        "models": [],
        "select": "loss",
        "requirement": {"k": 5},
    }
    (tmp_path / "anonduck.yml").write_text(json.dumps(config))
    return tmp_path


@pytest.mark.newest  # another DuckDB is asked how it behaves
def test_a_run_issues_no_more_statements_than_it_did(eight, monkeypatch):
    issued, raw = [], session.Session.raw

    def counted(self, statement, *arguments):
        issued.append(statement.name)
        return raw(self, statement, *arguments)

    monkeypatch.setattr(session.Session, "raw", counted)
    with Project(eight / "anonduck.yml") as project:
        done = project.run(eight / "out.csv")
    assert done.release.k >= 5
    assert len(issued) <= MOST, sorted({(issued.count(name), name) for name in issued}, reverse=True)[:10]
