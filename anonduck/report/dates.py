"""The days that the pages tell, all of UTC. They are read from files, as receipts hold none: a release by the same rule
of the same source is the same, byte for byte, whenever it is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from anonduck.database.fingerprints import files_fingerprint, fingerprint_key
from anonduck.errors import AnonduckError
from anonduck.search.store import StoredDiscovery, read_discovery
from anonduck.workspace import Workspace

NANOSECONDS = 1_000_000_000


def changed_on(paths: Iterable[Path]) -> str | None:
    """The day on which the last of these files was changed, such as 2026-03-01; None without any that is there."""
    times = [path.stat().st_mtime_ns for path in paths if path.is_file()]
    return day_of(max(times)) if times else None


def day_of(nanoseconds: int) -> str:
    """The day of a time since 1970."""
    return datetime.fromtimestamp(nanoseconds / NANOSECONDS, UTC).date().isoformat()


def source_day(workspace: Workspace, fingerprint: str) -> str | None:
    """The day of the files of the source that has this fingerprint; None where they are neither those of the discovery
    nor those that are there now, or where there are none."""
    stored = read_discovery(workspace.database)
    if stored is not None and stored.settings.get("content") == fingerprint:
        return found_in(stored)
    try:
        files = workspace.source.files
    except AnonduckError:
        return None
    same = bool(files) and files_fingerprint(fingerprint_key(workspace.database), files) == fingerprint
    return changed_on(files) if same else None


def found_in(stored: StoredDiscovery) -> str | None:
    """The day of the source's files as they were when rules were found; None for a source that had no files."""
    files: Sequence[Sequence[Any]] = stored.settings.get("files", ())
    return day_of(max(int(time) for _, _, time in files)) if files else None
