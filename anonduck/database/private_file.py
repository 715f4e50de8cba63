"""Files that hold personal data: readable by their owner only, there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from anonduck.database.ending import remove_at_the_end, removed
from anonduck.errors import AnonduckError, ConfigError, check_path, kind_for, later

UNFINISHED = ".anonduck-unfinished"


def unfinished_beside(path: Path) -> Path:
    """The temporary file that becomes ``path``."""
    return path.with_name(f".{path.name}{UNFINISHED}")


def write_private(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a text file with mode 0600; raises ConfigError if it exists and may not be replaced, or cannot be
    written."""
    check_path(path)
    if path.is_dir():
        raise ConfigError(f"{path} is a directory; name a file in it")
    if path.exists() and not overwrite:
        raise ConfigError(f"{path} exists; `--overwrite` replaces it")
    with whole_file(path, ConfigError) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_whole(path: Path, text: str) -> None:
    """Write a text file that is not private, whole or not at all; a link is followed, not replaced."""
    with whole_file(path.resolve(), ConfigError, private=False) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def whole_file(path: Path, kind: type[AnonduckError], *, private: bool = True) -> Iterator[Path]:
    """Yield a private file beside ``path`` that replaces it if the block ends without an error, with mode 0600 if
    private.

    A leftover of a killed process is removed first. Raises an error of that kind if it cannot be written.
    """
    try:
        with unfinished_file(unfinished_beside(path), kind) as temporary:
            yield temporary
            put_in_place(temporary, path, mode=0o600 if private else None)
    except OSError as error:
        if isinstance(error, AnonduckError):
            raise
        raise kind_for(kind, error)(f"{path} cannot be written: {error.strerror}; name another file") from None


@contextlib.contextmanager
def unfinished_file(path: Path, kind: type[AnonduckError]) -> Iterator[Path]:
    """Yield a private temporary file, locked against other writers; it is removed afterwards in any case.

    Raises an error of that kind if it cannot be made, another process holds it, or the disk is full.
    """
    with contextlib.suppress(FileNotFoundError):
        _remove_if_abandoned(path, kind)
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    except OSError as error:
        raise kind_for(kind, error)(f"{path.parent} cannot be written: {error.strerror}; name another target") from None
    try:
        _lock(handle, path, kind)
        remove_at_the_end(path)
        yield path
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise later(kind)(
                f"the disk of {path.parent} is full; nothing was left behind. Free space and run again"
            ) from None
        raise
    finally:
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(path.stat(), os.fstat(handle)):
                path.unlink()
        removed(path)
        os.close(handle)


def put_in_place(temporary: Path, target: Path, *, mode: int | None = None) -> None:
    """Rename a finished file over its target, with ``mode``, or with the mode of the file that it replaces.

    A new target without ``mode`` gets the mode of new files. The owner of a replaced file is kept where allowed.
    """
    if mode is None and target.exists():
        old = target.stat()
        with contextlib.suppress(PermissionError):
            os.chown(temporary, old.st_uid, old.st_gid)
        mode = old.st_mode & 0o777
    os.chmod(temporary, _mode_of_new_file() if mode is None else mode)
    _sync(temporary)
    os.replace(temporary, target)
    _sync(target.parent)


def _mode_of_new_file() -> int:
    """The mode that new files get here, read from a new file: reading the mask would change it for all threads."""
    with tempfile.TemporaryDirectory() as folder:
        handle = os.open(Path(folder, "new"), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        try:
            return os.fstat(handle).st_mode & 0o777
        finally:
            os.close(handle)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_if_abandoned(path: Path, kind: type[AnonduckError]) -> None:
    """Remove the leftover of a killed process; raises an error of that kind if a running process holds it."""
    handle = os.open(path, os.O_RDWR)
    try:
        _lock(handle, path, kind)
        path.unlink()
    finally:
        os.close(handle)


def refuse_locked(path: Path, kind: type[AnonduckError]) -> None:
    """Raise an error of that kind for a file that a running process has locked, as one that it just put in place."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:  # it is not there, or no file: what opens it says so
        return
    try:
        _lock(handle, path, kind)
    finally:
        os.close(handle)


def _lock(handle: int, path: Path, kind: type[AnonduckError]) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise later(kind)(f"another process is writing the same file ({path} is locked); wait for it to end") from None
