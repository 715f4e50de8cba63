"""Whether files are as they were: what changes with their contents."""

from __future__ import annotations

import stat
import time
from collections.abc import Sequence
from pathlib import Path

SETTLED = 2.0
"""Seconds since a file was changed, from which on another change shows in its times on any file system."""

FileState = tuple[int, ...]


def settled_state(files: Sequence[Path]) -> tuple[FileState, ...] | None:
    """What changes with the contents of files; None without files, and where a change might not show in it."""
    states, latest = list[FileState](), time.time() - SETTLED
    for path in files:
        try:
            found = path.stat()
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode) or max(found.st_mtime, found.st_ctime) > latest:
            return None
        states.append((found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns))
    return tuple(states) or None
