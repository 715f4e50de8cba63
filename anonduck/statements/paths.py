"""Paths as DuckDB reads them: `*`, `?` and `[` in a name are a pattern to it, also where such a file exists."""

from __future__ import annotations

from pathlib import Path

WILD = "*?["


def literal_path(path: str | Path) -> str:
    """The path as a pattern that matches nothing but itself."""
    return "".join(f"[{letter}]" if letter in WILD else letter for letter in str(path))


def pattern_of(folder: Path, text: str) -> str:
    """The pattern of a path or glob relative to a folder: what exists of it, file or folder, is meant literally."""
    given = folder / text
    if given.is_file():
        return literal_path(given)
    known = Path(given.anchor)
    parts = given.parts[1:] if given.anchor else given.parts
    while parts and (known / parts[0]).is_dir():
        known, parts = known / parts[0], parts[1:]
    return str(Path(literal_path(known), *parts))
