"""Removing what a project leaves behind that is as sensitive as its source."""

from __future__ import annotations

import shutil
from pathlib import Path

from anonduck.config_reading import read_config
from anonduck.errors import DatabaseError


def purge(config: Path) -> list[Path]:
    """Remove the decision database, its log, and its spill folder; returns what was removed."""
    database = config.resolve().parent / read_config(config).database
    removed = []
    for path in (database, database.with_name(database.name + ".wal"), database.with_name(database.name + ".tmp")):
        try:
            if path.is_dir():
                shutil.rmtree(path)
            elif path.exists():
                path.unlink()
            else:
                continue
        except OSError as error:
            raise DatabaseError(f"{path} cannot be removed: {error.strerror}") from None
        removed.append(path)
    return removed
