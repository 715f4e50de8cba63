"""Where a release goes: a file or a table that is written beside its target, and takes its place only when it may."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from anonduck.database.lake_tables import is_path, table_above
from anonduck.database.private_file import (
    UNFINISHED,
    put_in_place,
    refuse_locked,
    unfinished_beside,
    unfinished_file,
)
from anonduck.errors import AnonduckError, ReleaseError, check_path, kind_for

FileKind = Literal["parquet", "csv"]
TargetKind = Literal["parquet", "csv", "table", "engine", "delta"]
SUFFIXES: dict[str, TargetKind] = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv"}
LONGEST_NAME = 255
EARLIER = "earlier"
TABLE_SUFFIXES = (".duckdb", ".db", ".ddb")


@dataclass(frozen=True)
class ReleaseTarget:
    """A release's target: a Parquet or CSV file, or a table of a DuckDB file."""

    path: Path
    kind: TargetKind
    table: str = ""

    @property
    def text(self) -> str:
        """The target as the audit names it."""
        return f"{self.path}::{self.table}" if self.table else str(self.path)

    @property
    def file_kind(self) -> FileKind:
        """The format of a file."""
        return "csv" if self.kind == "csv" else "parquet"

    @property
    def stands(self) -> bool:
        """Whether a file stands there, or a receipt of a table does."""
        return self.receipt.exists() if self.kind in ("table", "engine") else self.path.exists()

    @property
    def held(self) -> Path | None:
        """The file whose bytes the receipt's SHA-256 is of; None where there is none."""
        return self.path if self.file_kind == self.kind and self.path.is_file() else None

    @property
    def receipt(self) -> Path:
        """Where the receipt goes."""
        return self._beside(".receipt.json")

    @property
    def dictionary(self) -> Path:
        """Where the data dictionary goes."""
        return self._beside(".dictionary.json")

    @property
    def dictionary_text(self) -> Path:
        """Where the data dictionary goes, as Markdown."""
        return self._beside(".dictionary.md")

    @property
    def owner(self) -> Path:
        """Where the owner's file goes: all that is known of the release, which is not handed out."""
        return self._beside(".owner.json")

    @property
    def handed_out(self) -> tuple[Path, ...]:
        """The files beside the release that go wherever it goes."""
        return self.receipt, self.dictionary, self.dictionary_text

    @property
    def documents(self) -> tuple[Path, ...]:
        """The files beside the release that describe it, the receipt first: it is the last to come, the first to go."""
        return *self.handed_out, self.owner

    def draft(self, document: Path) -> Path:
        """What a document is written to; it carries the process, so that no other takes it for its own."""
        return unfinished_beside(document.with_name(f"{document.name}.{os.getpid()}"))

    def earlier(self, document: Path) -> Path:
        """Where an earlier document waits while the release is put in place."""
        return unfinished_beside(document.with_name(f"{document.name}.{EARLIER}"))

    def leftovers(self, document: Path) -> list[Path]:
        """What processes left that were ended while they wrote a document, or put the release in place."""
        name = re.compile(rf"\.{re.escape(document.name)}(\.(\d+|{EARLIER}))?{re.escape(UNFINISHED)}")
        return sorted(path for path in document.parent.iterdir() if name.fullmatch(path.name))

    def _beside(self, ending: str) -> Path:
        name = f"{self.path.name}.{self.table}" if self.table else self.path.name
        return self.path.with_name(name + ending)

    @property
    def temporary(self) -> Path:
        """The file that a release (of a table, its text) is written to; it keeps the ending, which says the format."""
        ending = ".csv" if self.kind == "table" else self.path.suffix
        name = f"{self.path.name}.{self.table}" if self.table else self.path.name
        return self.path.with_name(f".{name}{UNFINISHED}{ending}")

    @property
    def fresh(self) -> Path:
        """The new database file that takes the place of the target's, for a table; the lock is on ``temporary``."""
        return self.temporary.with_suffix(self.path.suffix)

    @property
    def written(self) -> tuple[Path, ...]:
        """Every file that a release to this target writes, for however short a time."""
        drafts = (self.temporary, *map(self.draft, self.documents), *map(self.earlier, self.documents))
        files = (self.path, *self.documents, *drafts)
        return (*files, self.fresh) if self.kind == "table" else files

    def refuse_standing(self, *, overwrite: bool) -> None:
        """Raise ReleaseError if a file stands at the target and may not be replaced."""
        refuse_directories(self)
        if self.kind in ("parquet", "csv") and self.path.exists() and not overwrite:
            raise ReleaseError(f"{self.path} exists; `--overwrite` replaces it, after the new release has been audited")


def target_of(text: str | Path, folder: Path) -> ReleaseTarget:
    """Read ``FILE.parquet``, ``FILE.csv`` or ``FILE.duckdb::table``; raises ReleaseError if nothing can go there."""
    name, _, table = str(text).rpartition("::") if "::" in str(text) else (str(text), "", "")
    path = folder / name
    check_path(name, ReleaseError)
    suffix = path.suffix.lower()
    kind: TargetKind | None = ("table" if suffix in TABLE_SUFFIXES else None) if table else SUFFIXES.get(suffix)
    if kind is None:
        raise ReleaseError(
            f"a release cannot go to {text}; write FILE.parquet, FILE.csv, FILE.duckdb::table or delta:FOLDER"
        )
    if kind == "table" and path.is_symlink():
        path = path.resolve()  # the file is written anew; the link stays
    target = ReleaseTarget(path, kind, table)
    if path.is_dir():
        raise ReleaseError(f"{path} is a directory; name a file in it")
    refuse_unwritable(target)
    return target


def refuse_unwritable(target: ReleaseTarget) -> None:
    """Raise ReleaseError for a name that is too long, or a folder that cannot be written."""
    path = target.path
    if (
        max(len(os.fsencode(p.name)) for p in (*target.documents, target.temporary))
        > LONGEST_NAME - len(UNFINISHED) - 9
    ):
        raise ReleaseError(f"the name of {path.name[:40]}... is too long for the files beside it; name a shorter one")
    if not path.parent.is_dir():
        raise ReleaseError(f"there is no folder {path.parent}; make it, or name another target")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise ReleaseError(f"the folder {path.parent} cannot be written; name another target")


def refuse_in_lake(path: str | Path) -> None:
    """Raise ReleaseError for a path of this machine in the folder of a Delta or Iceberg table."""
    table = table_above([path] if is_path(str(path)) else [])
    if table is not None:
        raise ReleaseError(
            f"{path} is in the folder of {table}, which lists its own files and may remove others; name a target in "
            "another folder"
        )


def refuse_directories(target: ReleaseTarget) -> None:
    """Raise ReleaseError if a folder stands where a document of the target goes."""
    named = ("receipt", "data dictionary", "data dictionary", "owner's file")
    for document, what in zip(target.documents, named, strict=True):
        if document.is_dir():
            raise ReleaseError(f"{document}, where the {what} goes, is a directory; name another target")


@contextlib.contextmanager
def unfinished(target: ReleaseTarget) -> Iterator[Path]:
    """A private temporary file beside the target, locked against another writer; it is gone afterwards, whatever
    comes.

    The lock goes with the file when that is renamed over the target, and lasts until the documents are in place too.
    """
    with unfinished_file(target.temporary, ReleaseError) as path:
        refuse_locked(target.path, ReleaseError)
        for document in target.documents:
            for leftover in target.leftovers(document):
                leftover.unlink(missing_ok=True)
        yield path


def finish_interrupted(target: ReleaseTarget) -> str | None:
    """Put the documents of a file in place that a process wrote, and was ended before it could; says so, or None.

    They belong to the file where the receipt among them names its hash, and theirs. So a release that was interrupted
    is whole again: the new one, if that stood there already, else the earlier one.
    """
    if target.kind in ("table", "engine") or target.receipt.exists() or not target.leftovers(target.receipt):
        return None
    held = target.held
    if held is None:
        return None
    with unfinished_file(target.temporary, ReleaseError):
        refuse_locked(target.path, ReleaseError)
        found = sha256_of(held)
        for receipt in target.leftovers(target.receipt):
            document = _document(receipt)
            if document.get("sha256") == found and isinstance(document.get("files"), dict):
                return _finished(target, receipt, document["files"], found)
    return (
        f"{target.path} stands without a receipt: a run was ended while it put a release in place, and what it left "
        "does not belong to this file. Make the release anew"
    )


def _finished(target: ReleaseTarget, receipt: Path, hashes: Mapping[str, str], found: str) -> str:
    """Rename the documents that a receipt names by their hashes, the owner's file of the same release, the receipt."""
    for document in (target.dictionary, target.dictionary_text, target.owner):
        for left in target.leftovers(document):
            own = document == target.owner
            if _document(left).get("sha256") == found if own else sha256_of(left) == hashes.get(document.name):
                put_in_place(left, document, mode=0o600 if own else None)
                break
    put_in_place(receipt, target.receipt)
    return (
        f"{target.path} stood without its receipt, as a run was ended while it put the release in place; the receipt "
        "and the other documents that belong to it are beside it now"
    )


def _document(path: Path) -> dict[str, Any]:
    """A document of JSON; empty where it is none, as when its writing was cut short."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def put_all_in_place(temporary: Path, target: ReleaseTarget, texts: Sequence[str]) -> None:
    """Rename an audited file over its target, and after it its documents, whose texts are given in their order.

    All are whole before any is renamed. The documents of an earlier release go first, and the receipt comes last: it
    never stands beside another release, or beside other documents.
    """
    put_with_documents(lambda: put_in_place(temporary, target.path), target, texts)


def put_with_documents(put: Callable[[], None], target: ReleaseTarget, texts: Sequence[str]) -> None:
    """The same where ``put`` is what puts the release in place."""
    with contextlib.ExitStack() as drafts:
        written = [
            drafts.enter_context(unfinished_file(target.draft(document), ReleaseError)) for document in target.documents
        ]
        for draft, text in zip(written, texts, strict=True):
            draft.write_text(text, encoding="utf-8")
        try:
            with _without_documents(target):
                put()
            for draft, document in reversed([*zip(written, target.documents, strict=True)]):
                put_in_place(draft, document, mode=0o600 if document == target.owner else None)
        except OSError as error:
            if isinstance(error, AnonduckError):
                raise
            raise kind_for(ReleaseError, error)(
                f"{target.text} cannot be written: {error.strerror}; name another target"
            ) from None


@contextlib.contextmanager
def _without_documents(target: ReleaseTarget) -> Iterator[None]:
    """Set the documents of an earlier release aside, the receipt first; they come back where the block fails."""
    aside = [document for document in target.documents if document.exists()]
    try:
        for document in aside:
            os.replace(document, target.earlier(document))
        yield
    except BaseException:
        for document in reversed(aside):
            if target.earlier(document).exists():
                os.replace(target.earlier(document), document)
        raise
    for document in aside:
        target.earlier(document).unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, as hexadecimal text."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_text(text: str) -> str:
    """The SHA-256 of a text that is written as UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()
