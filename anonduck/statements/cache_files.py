"""Files in the user's folder of caches: what a process made, kept for processes to come.

In the package's own folder pip would leave them behind, and Python would take that folder for the package. What cannot
be read or written there is made anew by each process.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def digest(*texts: bytes) -> str:
    """A short name for texts that differs if one of them does."""
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:32]


def digest_of_code(files: Iterable[os.DirEntry[str] | Path]) -> bytes:
    """What differs if one of the files of code does, by their sizes and times of change. Raises OSError."""
    states = ((one.name, one.stat()) for one in files)
    return json.dumps(sorted([name, state.st_size, state.st_mtime_ns] for name, state in states)).encode()


def cache_file(name: str) -> Path | None:
    """Where a file of that name stands; None if there is no home."""
    with contextlib.suppress(RuntimeError):
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        return home / "anonduck" / name
    return None


def read_cache(place: Path) -> dict[str, Any]:
    """What a file of the cache holds; nothing where it cannot be read."""
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_cache(place: Path, found: dict[str, Any]) -> None:
    """Write a file that its user alone reads, in one step: who reads it meanwhile sees the old one or the new one.

    Raises OSError.
    """
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=place.parent, prefix=place.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps(found, ensure_ascii=False))
        Path(unfinished).replace(place)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
