"""A release and all that was said of it, as checks read it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import reading
from .commands import Job, Outcome
from .tables import Table


@dataclass(frozen=True)
class Finding:
    """Something that is not as promised."""

    kind: str
    words: str


@dataclass
class Released:
    """A release and all that was said of it."""

    table: Table
    job: Job
    outcome: Outcome
    target: str
    columns: dict[str, list[str | None]]
    receipt: dict[str, Any] = field(default_factory=dict)

    @property
    def documents(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """What was printed and what the receipt says, each with its name."""
        return ("printed", self.outcome.release), ("receipt", self.receipt)

    @property
    def quasi(self) -> list[str]:
        """The quasi-identifiers that were released."""
        return [name for name in self.table.named("quasi") if name in self.columns]

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return len(next(iter(self.columns.values()), []))

    @property
    def method(self) -> str:
        """What it was made by."""
        return str((self.receipt.get("method") or {}).get("name", ""))

    @property
    def records(self) -> list[int] | None:
        """The record behind each row, by its tag."""
        if self.table.tag is None or self.table.tag not in self.columns:
            return None
        place = {tag: index for index, tag in enumerate(self.table.column(self.table.tag).texts)}
        return [place[str(tag)] for tag in self.columns[self.table.tag]]


def released(table: Table, folder: Path, job: Job, outcome: Outcome) -> Released:
    """Read a release that was written into a folder."""
    target = str(folder / job.target)
    receipt = json.loads(Path(beside(target) + ".receipt.json").read_text(encoding="utf-8"))
    return Released(table, job, outcome, target, reading.released_columns(target), receipt)


def beside(target: str) -> str:
    """How names of the files beside a release begin."""
    file, _, name = target.partition("::")
    return f"{file}.{name}" if name else file
