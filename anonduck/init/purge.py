"""Removing what a project leaves behind that is as sensitive as its source."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from anonduck.config.reading import read_config
from anonduck.database.files import is_held, spill_of
from anonduck.errors import DatabaseBusy, DatabaseError, kind_for
from anonduck.source.protected_files import protected, with_log


def purge(config: Path) -> list[Path]:
    """Remove the decision database, its log, and its spill folder; returns what was removed.

    Raises DatabaseError, and removes nothing, while somebody has the database open, and if ``database:`` names what is
    no DuckDB file.
    """
    folder, settings = config.resolve().parent, read_config(config)
    database = folder / settings.database
    protected(settings, folder, config_path=config).refuse([database], DatabaseError)
    return remove_database(database)


def remove_database(database: Path) -> list[Path]:
    """Remove a DuckDB file with its log and spill folder, the file last; raises DatabaseError if it is held."""
    with _alone(database):
        return [path for path in (*reversed(with_log(database, "")), spill_of(database)) if _removed(path)]


@contextlib.contextmanager
def _alone(database: Path) -> Iterator[None]:
    """Hold DuckDB's file lock, so that no other process opens the file meanwhile."""
    if database.is_dir():
        raise DatabaseError(f"the decision database {database} is a directory and was not removed; remove it yourself")
    if not database.exists():
        yield
        return
    if is_held(database):
        raise _held(database)
    handle = os.open(database, os.O_RDWR)
    try:
        if os.pread(handle, 12, 0)[8:] not in (b"DUCK", b""):
            raise DatabaseError(f"{database} is not a DuckDB database and was not removed; remove it yourself")
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise _held(database) from None
    finally:
        os.close(handle)


def _held(database: Path) -> DatabaseBusy:
    return DatabaseBusy(
        f"the decision database {database} is open in another process or session, and nothing was removed. Wait for "
        "that process to end, or close its session, then try again"
    )


def _removed(path: Path) -> bool:
    """Remove a file or folder; returns whether it was there."""
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.exists() or path.is_symlink():
            path.unlink()
        else:
            return False
    except OSError as error:
        raise kind_for(DatabaseError, error)(f"{path} cannot be removed: {error.strerror}") from None
    return True
