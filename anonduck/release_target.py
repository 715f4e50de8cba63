"""Where a release goes: a file or a table that is written beside its target, and takes its place only when it may."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from anonduck.errors import ReleaseError

Kind = Literal["parquet", "csv", "table"]
SUFFIXES: dict[str, Kind] = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv"}
UNFINISHED = ".anonduck-unfinished"
LONGEST_NAME = 255
TABLE_SUFFIXES = (".duckdb", ".db", ".ddb")


@dataclass(frozen=True)
class Target:
    """A release's target: a Parquet or CSV file, or a table of a DuckDB file."""

    path: Path
    kind: Kind
    table: str = ""

    @property
    def text(self) -> str:
        """The target as the audit names it."""
        return f"{self.path}::{self.table}" if self.table else str(self.path)

    @property
    def receipt(self) -> Path:
        """Where the receipt goes."""
        name = f"{self.path.name}.{self.table}" if self.table else self.path.name
        return self.path.with_name(name + ".receipt.json")

    @property
    def temporary(self) -> Path:
        """The only file that a killed release leaves behind; it keeps the ending, which says the format."""
        ending = ".csv" if self.kind == "table" else self.path.suffix
        name = f"{self.path.name}.{self.table}" if self.table else self.path.name
        return self.path.with_name(f".{name}{UNFINISHED}{ending}")


def target_of(text: str | Path, folder: Path, never: Sequence[Path]) -> Target:
    """Understand ``FILE.parquet``, ``FILE.csv`` or ``FILE.duckdb::table``; raises ReleaseError if nothing can go there.

    ``never`` are files that a release must not replace: the source's and the decision database.
    """
    name, _, table = str(text).rpartition("::") if "::" in str(text) else (str(text), "", "")
    path = folder / name
    suffix = path.suffix.lower()
    kind: Kind | None = ("table" if suffix in TABLE_SUFFIXES else None) if table else SUFFIXES.get(suffix)
    if kind is None:
        raise ReleaseError(f"a release cannot go to {text}; write FILE.parquet, FILE.csv or FILE.duckdb::table")
    target = Target(path, kind, table)
    if max(len(os.fsencode(p.name)) for p in (target.receipt, target.temporary)) > LONGEST_NAME - len(UNFINISHED):
        raise ReleaseError(f"the name of {path.name[:40]}... is too long for the files beside it; name a shorter one")
    if path.is_dir():
        raise ReleaseError(f"{path} is a directory; name a file in it")
    if not path.parent.is_dir():
        raise ReleaseError(f"there is no folder {path.parent}; make it, or name another target")
    if any(path.resolve() == other.resolve() for other in never):
        raise ReleaseError(f"{path} is the source or the decision database itself; a release never replaces them")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise ReleaseError(f"the folder {path.parent} cannot be written; name another target")
    return target


def refuse_existing(target: Target, *, overwrite: bool) -> None:
    """Raise ReleaseError if a file stands at the target and may not be replaced."""
    if target.kind != "table" and target.path.exists() and not overwrite:
        raise ReleaseError(f"{target.path} exists; `--overwrite` replaces it, after the new release has been audited")


@contextlib.contextmanager
def unfinished(target: Target) -> Iterator[Path]:
    """A private temporary file beside the target, locked against another writer; it is gone afterwards, whatever
    comes."""
    path = target.temporary
    with contextlib.suppress(FileNotFoundError):
        _remove_if_abandoned(path)
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    except OSError as error:
        raise ReleaseError(f"{path.parent} cannot be written: {error.strerror}; name another target") from None
    try:
        _lock(handle, path)
        yield path
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise ReleaseError(
                f"the disk of {path.parent} is full; nothing was left behind. Free space and run again"
            ) from None
        raise
    finally:
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(path.stat(), os.fstat(handle)):
                path.unlink()
        os.close(handle)


def _remove_if_abandoned(path: Path) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        _lock(handle, path)
    finally:
        os.close(handle)
    path.unlink()


def _lock(handle: int, path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ReleaseError(
            f"another process is writing the same release ({path} is locked); wait for it to end"
        ) from None


def put_in_place(temporary: Path, target: Path) -> None:
    """Rename an audited file over its target, with the mode that a new file would get (or that the old one has)."""
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    os.chmod(temporary, mode)
    _sync(temporary)
    os.replace(temporary, target)
    _sync(target.parent)


def write_text_beside(target: Path, text: str) -> None:
    """Write a small text file so that it is there whole or not at all."""
    temporary = target.with_name(f".{target.name}{UNFINISHED}")
    with contextlib.suppress(FileNotFoundError):
        temporary.unlink()
    try:
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        put_in_place(temporary, target)
    except OSError as error:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        raise ReleaseError(f"{target} cannot be written: {error.strerror}") from None


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, as hexadecimal text."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
