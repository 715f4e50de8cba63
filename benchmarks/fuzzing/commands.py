"""Jobs of anonduck run in this process: by the command line, or by the library for a DataFrame."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .tables import Table, quoted


@dataclass(frozen=True)
class Job:
    """What is asked: a command with its rule, method or classes, and where the release goes."""

    command: str
    target: str = ""
    levels: Mapping[str, int] | None = None
    method: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    require: Mapping[str, Any] = field(default_factory=dict)
    classes: str = ""
    flags: Sequence[str] = ()
    as_json: bool = True

    def arguments(self) -> list[str]:
        """The job as arguments of the command line."""
        told = [self.command, *([self.method] if self.method else [])]
        if self.levels is not None:
            told.append(literal_of(self.levels))
        if self.classes:
            told += ["--classes", self.classes]
        for name, value in self.settings.items():
            told += ["--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
        for name, value in self.require.items():
            told += ["--require", f"{name}={value}"]
        told += ["-o", self.target] if self.target else []
        return [*told, *self.flags, *(["--json"] if self.as_json else [])]


@dataclass
class Outcome:
    """How a job ended: its exit code, what it printed, and its document."""

    code: int
    out: str = ""
    err: str = ""
    document: dict[str, Any] = field(default_factory=dict)

    @property
    def release(self) -> dict[str, Any]:
        """What was printed of the release."""
        return self.document.get("release") or self.document

    @property
    def reason(self) -> str:
        """Why a job was refused, without its names and numbers."""
        lines = [line for line in self.err.splitlines() if line.startswith(("anonduck:", "Error:"))] or [self.err]
        told = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "..", lines[-1].removeprefix("anonduck: "))
        return re.sub(r"\d[\d,.]*", "N", told)[:110]


def literal_of(levels: Mapping[str, int]) -> str:
    """A rule as its literal."""
    return ",".join(f"{quoted(name)}={level}" for name, level in levels.items())


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder, and come back."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def perform(table: Table, job: Job) -> Outcome:
    """Run a job, as its source wants it."""
    if table.form == "pandas" and job.command in ("release", "anonymize", "run"):
        return by_library(table, job)
    return by_command(table.folder, job.arguments())


def by_command(folder: Path, arguments: Sequence[str]) -> Outcome:
    """Run a command in a folder."""
    from anonduck.cli.app import run

    out, err = io.StringIO(), io.StringIO()
    with inside(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(list(arguments))
    document: dict[str, Any] = {}
    if "--json" in arguments:
        with contextlib.suppress(ValueError):
            document = json.loads(out.getvalue())
    return Outcome(code, out.getvalue(), err.getvalue(), document)


def by_library(table: Table, job: Job) -> Outcome:
    """Run a job on the table's DataFrame."""
    from anonduck import Project
    from anonduck.errors import AnonduckError

    keys = {name: value for name, value in table.keys.items() if name != "class"}
    target = str(table.folder / job.target)
    try:
        with (
            inside(table.folder),
            Project(
                source=table.frame, class_=table.keys["class"], database=table.folder / "decisions.duckdb", **keys
            ) as project,
        ):
            if job.command == "run":
                made = project.run(target, report=False)
            elif job.command == "anonymize":
                made = project.anonymize(job.method, target, settings=job.settings, requirement=dict(job.require))
            else:
                options = {"keep_roots": "--keep-roots" in job.flags, "requirement": dict(job.require)}
                classes = str(table.folder / job.classes) if job.classes else None
                made = project.release(job.levels, target, classes=classes, **options)
    except AnonduckError as error:
        return Outcome(error.exit_code, err=f"anonduck: {error}")
    except Exception:
        return Outcome(4, err=f"anonduck: a bug\n{traceback.format_exc()}")
    document = json.loads(json.dumps(made.as_json(), default=str))
    return Outcome(0 if document["met"] else 1, document=document)
