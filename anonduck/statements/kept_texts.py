"""Texts of bound queries that earlier processes made: with them a process need not load sqlglot.

They hold names of query files and their own text, no name of a user's column or table. They stand in the user's folder
of caches: in the package's own folder pip would leave them behind, and Python would take that folder for the package.
What cannot be read or written there is made anew by each process.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FILE = "queries"
VERSIONS = 4
"""So many versions of this room may be in use on one machine."""

Kept = dict[str, dict[str, Any]]
"""By the digest of a query: its bound texts, by shape."""
_NEW: Kept = {}
"""What this process made, which is written at its end."""


def digest(*texts: bytes) -> str:
    """A short name for texts that differs if one of them does."""
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:32]


def kept(query: str) -> dict[str, Any]:
    """The texts that are kept of the query of a digest, by shape."""
    return {**_read_all().get(query, {}), **_NEW.get(query, {})}


def keep(query: str, shape: str, text: Any) -> None:
    """Keep a text of a query for processes to come."""
    if not _NEW:
        atexit.register(write)
    _NEW.setdefault(query, {})[shape] = text


def write() -> None:
    """Write what is new beside what stands there now."""
    place = _place()
    if place is None:
        return
    with contextlib.suppress(OSError):
        found = _read(place)
        for query, texts in _NEW.items():
            found[query] = {**found.get(query, {}), **texts}
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _replace(place, json.dumps(found, ensure_ascii=False))
        _NEW.clear()
        _remove_old(place)


def _remove_old(place: Path) -> None:
    """Remove what was kept for versions that are not in use any more."""
    ages = {one: one.stat().st_mtime_ns for one in place.parent.glob(f"{FILE}-*.json")}
    for one in sorted(ages, key=lambda one: -ages[one])[VERSIONS:]:
        one.unlink(missing_ok=True)


def _replace(place: Path, text: str) -> None:
    """Write a file in one step, so that a process that reads it meanwhile sees the old one or the new one."""
    handle, unfinished = tempfile.mkstemp(dir=place.parent, prefix=place.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(unfinished).replace(place)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise


@cache
def _read_all() -> Kept:
    place = _place()
    return {} if place is None else _read(place)


def _read(place: Path) -> Kept:
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _place() -> Path | None:
    """Where texts of this version stand; None if the version cannot be found out, or there is no home."""
    version = _version()
    with contextlib.suppress(RuntimeError):
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        return None if version is None else home / "anonduck" / f"{FILE}-{version}.json"
    return None


@cache
def _version() -> str | None:
    """What texts follow from beside the query: the code of this room as it is installed, and the version of sqlglot."""
    found = find_spec("sqlglot")
    if found is None or found.origin is None:
        return None
    try:
        sqlglot = Path(found.origin).with_name("_version.py").read_bytes()
        code = [[one.name, one.stat().st_size, one.stat().st_mtime_ns] for one in sorted(_code())]
    except OSError:
        return None
    return digest(sqlglot, json.dumps(code).encode())


def _code() -> Iterator[Path]:
    room = Path(__file__).parent
    for folder in (room, room / "pipeline"):
        yield from folder.glob("*.py")
