"""The files of a decision database: opened only if they are DuckDB's own, and private before anything is in them.

DuckDB makes files by the mask of the process, which belongs to all of its threads and is left alone here. So a database
is made in a folder that nobody else may enter, its log is there, empty and private, before DuckDB writes to it, and
what a query spills goes into a private folder.

A decision database holds tables of plain values in schemas of anonduck, and nothing that computes: a macro called
`sum`, a view called `rules` or a computed column would decide what later queries find, so that k could be anything. A
file that somebody else made is checked before anything else is asked of it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import duckdb

from anonduck.errors import DatabaseError, check_path
from anonduck.statements import Statement

PRIVATE = 0o600
PRIVATE_FOLDER = 0o700


def log_of(path: Path) -> Path:
    """The log beside a DuckDB file, which DuckDB writes to between two checkpoints and removes with each."""
    return path.with_name(path.name + ".wal")


def make_private_log(log: Path) -> None:
    """Make an empty log for an open database, before DuckDB writes to it; an existing log stays.

    Where none can be made, DuckDB fails as well, and says so when it has something to write.
    """
    with contextlib.suppress(OSError):
        os.close(os.open(log, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE))


def remove_empty_log(log: Path) -> None:
    """Remove a log that nothing was written to."""
    with contextlib.suppress(FileNotFoundError):
        if log.stat().st_size == 0:
            log.unlink()


def make_private_database(path: Path, make: Callable[[Path], None]) -> bool:
    """Write a new DuckDB file with ``make`` and put it at ``path`` with mode 0600, unless one has appeared there;
    returns whether it is there now.

    Raises OSError where the folder takes no file.
    """
    folder = Path(tempfile.mkdtemp(prefix=_made_in(path), dir=path.parent))
    try:
        made = folder / path.name
        make(made)
        made.chmod(PRIVATE)
        return _put(made, path)
    finally:
        shutil.rmtree(folder)


def remove_half_made(path: Path) -> None:
    """Remove what a killed process left when it made a DuckDB file; only call this while no other process makes it."""
    for folder in path.parent.iterdir():
        if folder.name.startswith(_made_in(path)) and folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder)


def _made_in(path: Path) -> str:
    """The first part of the names of folders in which a DuckDB file is made."""
    return f".{path.name}."


def _put(made: Path, path: Path) -> bool:
    """Move a file to a new path, and return whether it was: one that another process put there meanwhile stays."""
    try:
        os.link(made, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        made.rename(path)
    return True


def open_file(path: Path) -> tuple[duckdb.DuckDBPyConnection, bool]:
    """Open a decision database, and make it if it is not there; returns whether it was made."""
    made = not path.exists() and make_private_database(path, lambda new: duckdb.connect(str(new)).close())
    return duckdb.connect(str(path)), made


def spill_of(path: Path) -> Path:
    """The folder beside a decision database that its queries spill to."""
    return path.with_name(path.name + ".tmp")


def spill_beside(path: Path) -> Path:
    """Make a private folder beside a decision database for what its queries spill; the caller removes it.

    Returns the folder of a database in memory where none can be made, as in a folder without write permission.
    """
    folder = spill_of(path)
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        folder.chmod(PRIVATE_FOLDER)
    except OSError:
        return spill_of_memory()
    except BaseException:  # an interrupt: the caller gets it instead of the folder, and cannot remove that
        remove_empty(folder)
        raise
    return folder


def spill_of_memory() -> Path:
    """A folder for what a database in memory spills: DuckDB makes and removes it, inside a folder private to the user.

    Raises PermissionError if another user made it.
    """
    users = Path(tempfile.gettempdir()) / f"anonduck-{os.getuid()}"
    users.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    found = users.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(errno.EPERM, f"{users} belongs to somebody else", str(users))
    users.chmod(PRIVATE_FOLDER)
    return users / f"{os.getpid()}-{secrets.token_hex(4)}"


def remove_empty(folder: Path) -> None:
    """Remove a folder unless something is in it."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def is_held(path: Path) -> bool:
    """Whether this process or another has a DuckDB file open for writing."""
    try:
        duckdb.connect(str(path), read_only=True).close()
    except duckdb.Error as error:
        words = str(error).lower()
        return any(part in words for part in ("lock", "different configuration", "already attached"))
    return False


def refuse_other_file(path: Path | None) -> None:
    """Raise DatabaseError for a path that is no DuckDB database: DuckDB would open some other files too."""
    if path is None:
        return
    check_path(path, DatabaseError)
    if path.is_dir():
        raise DatabaseError(
            f"the decision database {path} is a directory; move it away, or name a file with `database:`"
        )
    if not path.parent.is_dir():
        raise DatabaseError(f"there is no folder {path.parent} for the decision database {path.name}; make it first")
    try:
        with path.open("rb") as file:
            start = file.read(12)
    except FileNotFoundError:
        return
    except OSError as error:
        raise DatabaseError(f"the decision database {path} cannot be read: {error.strerror}") from None
    if start[8:] != b"DUCK":
        raise DatabaseError(f"{path} is not a DuckDB database; move it away, or name another with `database:`")


MAIN = "main"
LABELS = "release_lookup"
FORMAT = "anonduck_format_1"
"""A schema without tables that says what a decision database is written as; another number is another format. It is no
name of a database in memory, or `USE` would take the one for the other."""
SCHEMAS = frozenset({MAIN, FORMAT, "bounds", "lookup", LABELS, "taxonomy", "taxonomy_lines"})
TAKEN = (SCHEMAS - {MAIN}) | {"pg_catalog", "information_schema"}


def is_of_this_format(whose: str, catalog: str, objects: Iterable[tuple[Any, ...]]) -> bool:
    """Whether a catalog is a decision database of this format, by ``Database.objects``; not where it is empty.

    Raises DatabaseError if it is of another format, or holds what anonduck does not make.
    """
    own = [row for row in objects if row[1] == catalog and not row[4]]
    foreign = sorted(
        (kind, name) for kind, _, schema, name, _, computed, *_ in own if computed and not _own(kind, schema, name)
    )
    if foreign:
        kind, name = foreign[0]
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise DatabaseError(
            f"the decision database {whose} holds what anonduck does not create: the {kind} {name!r}{more}. That could "
            "change what is measured; use another file (`database:`), or remove this one with `anonduck purge`"
        )
    if any(kind == "schema" and name == FORMAT for kind, _, _, name, *_ in own):
        return True
    if any(schema != MAIN or kind != "schema" for kind, _, schema, *_ in own):
        raise DatabaseError(
            f"{whose} holds tables, and is no decision database of this version of anonduck; name another file "
            "(`database:`), or remove it with `anonduck purge` where an earlier version made it, and discover again"
        )
    return False


def refuse_taken(path: Path) -> None:
    """Raise DatabaseError for a file whose name is that of a schema: DuckDB names a database after its file."""
    if path.name.split(".")[0].lower() in TAKEN:
        raise DatabaseError(f"the decision database cannot be called {path.name}; rename it, or use another")


def _own(kind: str, schema: str, name: str) -> bool:
    return (kind == "schema" and name in SCHEMAS) or (kind == "type" and schema == LABELS)


def rows_if_readable(path: Path, query: Statement) -> list[tuple[Any, ...]]:
    """Read the rows of a query from a decision database that is opened read-only and closed at once.

    Returns no rows where there is no such file, another process writes it, or it lacks the table. For conveniences such
    as completions of a shell.
    """
    if not path.is_file():
        return []
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            return connection.execute(query.sql).fetchall()
    except duckdb.Error:
        return []
