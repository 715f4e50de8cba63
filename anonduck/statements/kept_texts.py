"""Texts of bound queries that earlier processes made: with them a process need not load sqlglot.

They hold names of query files and their own text, no name of a user's column or table.
"""

from __future__ import annotations

import atexit
import contextlib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from anonduck.statements.cache_files import cache_file, digest, digest_of_code, read_cache, write_cache

FILE = "queries"
VERSIONS = 4
"""So many versions of this room may be in use on one machine."""

Kept = dict[str, dict[str, Any]]
"""By the digest of a query: its bound texts, by shape."""
_NEW: Kept = {}
"""What this process made, which is written at its end."""


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
        found = read_cache(place)
        for query, texts in _NEW.items():
            found[query] = {**found.get(query, {}), **texts}
        write_cache(place, found)
        _NEW.clear()
        _remove_old(place)


def _remove_old(place: Path) -> None:
    """Remove what was kept for versions that are not in use any more."""
    ages = {one: one.stat().st_mtime_ns for one in place.parent.glob(f"{FILE}-*.json")}
    for one in sorted(ages, key=lambda one: -ages[one])[VERSIONS:]:
        one.unlink(missing_ok=True)


@cache
def _read_all() -> Kept:
    place = _place()
    return {} if place is None else read_cache(place)


def _place() -> Path | None:
    """Where texts of this version stand; None if the version cannot be found out, or there is no home."""
    version = _version()
    return None if version is None else cache_file(f"{FILE}-{version}.json")


@cache
def _version() -> str | None:
    """What texts follow from beside the query: the code of this room as it is installed, and the version of sqlglot."""
    found = find_spec("sqlglot")
    if found is None or found.origin is None:
        return None
    try:
        sqlglot = Path(found.origin).with_name("_version.py").read_bytes()
        return digest(sqlglot, digest_of_code(_code()))
    except OSError:
        return None


def _code() -> Iterator[Path]:
    room = Path(__file__).parent
    for folder in (room, room / "pipeline"):
        yield from folder.glob("*.py")
