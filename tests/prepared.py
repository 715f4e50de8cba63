"""Small projects whose decision database is made once a process, for tests that want one and not to test that.

A project is a folder: its source, its config with paths relative to it, and what its commands left there. A test takes
a copy, by the fixture `prepared` of conftest.py, and does with it what it likes.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from oracles import people

from anonduck import Project
from anonduck.cli.app import run
from anonduck.database.progress import Reporter
from anonduck.demo.export import write_demo_export

SOURCE, CONFIG = "people.parquet", "anonduck.yml"
PEOPLE = {"class": "class", "identifiers": ["id"], "insensitive": ["note"], "sample": "all", "requirement": {"k": 5}}


@dataclass(frozen=True)
class Recipe:
    """What a project is made of: its records, its config but for the source, what is done with it, files."""

    records: Callable[[], pd.DataFrame]
    config: dict[str, Any]
    done: Callable[[Project], Any]
    files: Mapping[str, str] = field(default_factory=dict)

    def make(self, folder: Path) -> None:
        """Write source and config, and do what is to be done."""
        self.records().to_parquet(folder / SOURCE)
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        with opened(folder, **self.config) as one:
            self.done(one)


class DemoByCommands:
    """A part of the demo's export, as `init` and `discover` leave it."""

    def make(self, folder: Path) -> None:
        """Write the source, and run both commands."""
        write_demo_export(folder / "all.parquet", rows=600)
        columns = ["age", "sex", "income", "job", "contact_channel", "buys_insurance"]
        pd.read_parquet(folder / "all.parquet")[columns].to_parquet(folder / "persons.parquet")
        (folder / "all.parquet").unlink()
        roles = ["--class", "buys_insurance", "-q", "income", "--insensitive", "contact_channel", "--method", "rules"]
        for words in (["init", "persons.parquet", *roles], ["discover", "--coverage", "0.1", "--coverage", "0.3"]):
            assert run(words) == 0
            with Path(CONFIG).open("a", encoding="utf-8") as config:
                config.write("" if "discover" in words else "holdout: 0\n")


def discovered(one: Project) -> Any:
    """Discover as the config says."""
    return one.discover()


def released(one: Project) -> Any:
    """Run, to ``out.csv``."""
    return one.run(one.folder / "out.csv", report=False)


CALM = {"models": [], "select": "information_gain", "search": "rfd", "coverage": [0.3], "requirement": {"k": 4}}
NO_INTERVALS = {"taxonomies": {name: {"clusters": True} for name in ("age", "rate", "job")}}
"""Groups that do not depend on the required k."""

JOBS = "clerk,office,*\ncook,kitchen,*\nnurse,care,*\nsmith,works,*\n"
RERUN = {
    **PEOPLE,
    "taxonomies": {"age": {"intervals": 10}, "job": {"file": "jobs.csv"}, "rate": {"clusters": True}},
    "models": [],
    "holdout": 0,
    "select": "k",
}
RECIPES = {
    "people": Recipe(lambda: people(200), {**PEOPLE, "coverage": [0.3], "holdout": 0}, discovered),
    "people suppressed": Recipe(
        lambda: people(200), {**PEOPLE, "coverage": [0.3], "requirement": {"k": 12, "suppression": 0.1}}, discovered
    ),
    "people offered": Recipe(
        lambda: people(150),
        {**PEOPLE, **CALM, "methods": ["rules", "mondrian"], "select": "loss", "holdout": 0},
        discovered,
    ),
    "people calm": Recipe(lambda: people(150), {**PEOPLE, **CALM}, discovered),
    "people in clusters": Recipe(lambda: people(150), {**PEOPLE, **CALM, **NO_INTERVALS}, discovered),
    "people released": Recipe(lambda: people(100), RERUN, released, {"jobs.csv": JOBS}),
    "demo": DemoByCommands(),
}


class Prepared:
    """Hands out copies of the projects by name, each made when it is first asked for."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, name: str, folder: Path) -> Path:
        """Copy a project into a folder; returns the folder."""
        made = self.home / name
        if not made.exists():
            making = self.home / f"{name}, unfinished"
            making.mkdir()
            with chdir(making):
                RECIPES[name].make(making)
            making.rename(made)
        return Path(shutil.copytree(made, folder, dirs_exist_ok=True))


def opened(folder: Path, reporter: Reporter | None = None, **config: Any) -> Project:
    """The project of a folder, by its source and this config, which is written there."""
    (folder / CONFIG).write_text(json.dumps({"source": SOURCE, **config}, default=str), encoding="utf-8")
    return Project(folder / CONFIG, **({"reporter": reporter} if reporter else {}))
