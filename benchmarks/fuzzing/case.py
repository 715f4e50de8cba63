"""A case: one table, and what is done with it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from . import checks, hidden
from .commands import Job, perform
from .covers import check_covers
from .released import Finding, Released, released
from .tables import Table

TARGETS = ("out/{}.parquet", "out/{}.csv", "out/{}.duckdb::released")


@dataclass
class Case:
    """One table, what was done with it, and what was found."""

    random: Random
    table: Table
    done: list[tuple[str, str, str]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    number: int = 0

    def target(self) -> str:
        """A new name for a release."""
        self.number += 1
        return self.random.choice(TARGETS).format(f"r{self.number}")

    def find(self, found: Iterator[Finding], job: Job | None) -> None:
        """Keep findings, each with the command that it is of."""
        words = " ".join(map(repr, job.arguments())) if job else ""
        for one in found:
            self.findings.append(Finding(one.kind, f"{one.words}\n    by {words}" if words else one.words))

    def attempt(self, name: str, job: Job, of: Table | None = None) -> Released | None:
        """Do a job, check how it ended, and the release where there is one; it may be of another export."""
        before = standing(self.table.folder / "out")
        outcome = perform(self.table, job)
        self.commands.append(f"{' '.join(map(repr, job.arguments()))} -> {outcome.code}")
        self.find(checks.check_ending(before, standing(self.table.folder / "out"), outcome), job)
        if outcome.code != 0:
            self.done.append((name, "refused", f"{outcome.code}: {outcome.reason}"))
            told = {"printed": (outcome.out + outcome.err).encode()}
            self.find(hidden.found_in(hidden.hidden_texts(self.table, None), told), job)
            return None
        self.done.append((name, "released", ""))
        made = released(of or self.table, self.table.folder, job, outcome)
        self.find(checks.check_release(made), job)
        self.find(hidden.check_hidden(made), job)
        if made.rows and of is None and self.random.random() < 0.5:
            self.find(check_covers(made), job)
        return made


def standing(folder: Path) -> dict[str, int]:
    """The files of a folder, with a sum of their bytes."""
    return {
        str(path.relative_to(folder)): zlib.crc32(path.read_bytes()) for path in folder.rglob("*") if path.is_file()
    }
