"""Paths that a caller of ``Project`` or of the command line gives: relative ones are of the current folder.

This is the one place of the library that asks for the current folder, as it is at each call. What jobs get is absolute,
or a file that they open under the name that it was given by, which their messages then show.
"""

from __future__ import annotations

from pathlib import Path

from anonduck.database.lake_tables import is_lake_table, with_path
from anonduck.release.engine_target import engine_target, is_in_engine
from anonduck.release.target import ReleaseTarget, refuse_in_lake, target_of
from anonduck.source.elsewhere import is_of_engine


def here() -> Path:
    """The current folder."""
    return Path.cwd()


def target_here(path: str | Path, documents: Path | None = None) -> ReleaseTarget:
    """Where a release goes; raises ReleaseError if nothing can go there.

    With a folder for its documents, it may be a table or a folder that an engine writes.
    """
    if documents is not None and is_in_engine(path):
        in_engine = engine_target(path, here(), documents)
        refuse_in_lake(in_engine.place.path)
        return in_engine
    target = target_of(path, here())
    refuse_in_lake(target.path)
    return target


def export_here(source: str | Path | None) -> str | None:
    """Another export by its absolute path, with the name of its table if it has one; what an engine names, as it is."""
    if source is None or is_of_engine(str(source)):
        return None if source is None else str(source)
    if is_lake_table(str(source)):
        return with_path(str(source), lambda path: str(here() / path))
    return str(here() / source)
