"""The days that the pages tell, all of UTC. They are read from files, as receipts hold none: a release by the same rule
of the same source is the same, byte for byte, whenever it is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from anonduck.search.store import StoredDiscovery
from anonduck.workspace import Workspace

NANOSECONDS = 1_000_000_000


def changed_on(paths: Iterable[Path]) -> str | None:
    """The day on which the last of these files was changed, such as 2026-03-01; None without any that is there."""
    times = [path.stat().st_mtime_ns for path in paths if path.is_file()]
    return day_of(max(times)) if times else None


def day_of(nanoseconds: int) -> str:
    """The day of a time since 1970."""
    return datetime.fromtimestamp(nanoseconds / NANOSECONDS, UTC).date().isoformat()


def source_day(workspace: Workspace) -> str | None:
    """The day on which the source's files were changed last; None for a source that has no files."""
    return changed_on(workspace.source.files)


def found_in(stored: StoredDiscovery) -> str | None:
    """The day of the source's files as they were when rules were found; None for a source that had no files."""
    files: Sequence[Sequence[Any]] = stored.settings.get("files", ())
    return day_of(max(int(time) for _, _, time in files)) if files else None
