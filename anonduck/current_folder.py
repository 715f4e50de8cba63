"""Paths that a caller of ``Project`` or of the command line gives: relative ones are of the current folder.

This is the one place of the library that asks for the current folder, as it is at each call. What jobs get is absolute,
or a file that they open under the name that it was given by, which their messages then show.
"""

from __future__ import annotations

from pathlib import Path

from anonduck.release.target import ReleaseTarget, target_of
from anonduck.source.places import is_of_engine


def here() -> Path:
    """The current folder."""
    return Path.cwd()


def target_here(path: str | Path) -> ReleaseTarget:
    """Where a release goes; raises ReleaseError if nothing can go there."""
    return target_of(path, here())


def export_here(source: str | Path | None) -> str | None:
    """Another export by its absolute path, with the name of its table if it has one; what an engine names, as it is."""
    if source is None or is_of_engine(str(source)):
        return None if source is None else str(source)
    return str(here() / source)
