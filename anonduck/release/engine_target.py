"""Where a release goes that an engine writes: a table of its catalogs, or a folder of Parquet files.

The rows stay with the engine; receipt and data dictionary are written here, in the folder of the config.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from anonduck.database.lake_tables import is_lake_table
from anonduck.database.private_file import UNFINISHED
from anonduck.engines.relation import Place
from anonduck.errors import ReleaseError
from anonduck.release.target import LONGEST_NAME, ReleaseTarget, refuse_directories
from anonduck.statements.user_sql import split_table_name

TABLE = re.compile(r"([a-z]+):(?!//|:)(.+)")
FOLDER = re.compile(r".+\.parquet/+|[a-z][a-z0-9+.-]+://.+", re.IGNORECASE)
STAGING = "__anonduck_unfinished"
READ_ALONE = {"bigquery": "BigQuery", "snowflake": "Snowflake"}
"""Engines to which no release is written, by kind: said before one is opened, which takes credentials."""


@dataclass(frozen=True)
class EngineTarget(ReleaseTarget):
    """A release's target in an engine; ``path`` is the name beside which its documents stand, where nothing is.

    ``engine`` is the kind of the engine, empty for a folder: whichever reads the source writes that.
    """

    place: Place = field(default_factory=Place)
    engine: str = ""

    @property
    def text(self) -> str:
        """The target as it was given."""
        return f"{self.engine}:{self.place}" if self.engine else f"{self.place}/"

    @property
    def staging(self) -> Place:
        """Where the rows are written, and audited, before they are put in place."""
        if self.place.path:
            return Place(path=self.place.path + STAGING)
        return Place((*self.place.parts[:-1], self.place.parts[-1] + STAGING))

    @property
    def temporary(self) -> Path:
        """The file whose lock keeps others from the same target; it holds what the receipt's digest is of."""
        return self.path.with_name(f".{self.path.name}{UNFINISHED}.csv")

    @property
    def written(self) -> tuple[Path, ...]:
        """Every file here that a release to this target writes."""
        return tuple(file for file in super().written if file != self.path)


def is_in_engine(text: str | Path) -> bool:
    """Whether a target is one that an engine writes.

    >>> is_in_engine("spark:sales.persons"), is_in_engine("out.parquet/"), is_in_engine("s3a://bucket/out.parquet")
    (True, True, True)
    >>> is_in_engine("out.parquet"), is_in_engine("out.duckdb::persons"), is_in_engine("delta:out")
    (False, False, False)
    """
    return not is_lake_table(str(text)) and bool(FOLDER.fullmatch(str(text)) or _table(str(text)))


def engine_target(text: str | Path, folder: Path, documents: Path) -> EngineTarget:
    """Read ``spark:SCHEMA.TABLE`` or ``FOLDER.parquet/``, relative to a folder; ``documents`` is where receipts go.

    Raises ReleaseError for a name that is none.
    """
    table = _table(str(text))
    if table:
        kind, name = table
        if kind in READ_ALONE:
            raise ReleaseError(f"anonduck reads {READ_ALONE[kind]} and does not write there; release to FILE.parquet")
        target = EngineTarget(documents / _file_name(name), "engine", place=Place(_parts(kind, name)), engine=kind)
    else:
        path = str(text).rstrip("/")
        path = path if "://" in path else str(folder / path)
        if Path(path).is_file():
            raise ReleaseError(f"{path} is a file; an engine writes a folder. Name another target")
        target = EngineTarget(documents / _file_name(path.rsplit("/", 1)[-1]), "engine", place=Place(path=path))
    if (
        max(len(os.fsencode(p.name)) for p in (*target.documents, target.temporary))
        > LONGEST_NAME - len(UNFINISHED) - 9
    ):
        raise ReleaseError(f"the name {target.path.name[:40]}... is too long for its receipt; name a shorter one")
    return target


def refuse_other_documents(target: EngineTarget) -> None:
    """Raise ReleaseError if the receipt of another release stands where that of this one would."""
    refuse_directories(target)
    receipt: object = {"file": target.text}
    with contextlib.suppress(OSError, ValueError):
        receipt = json.loads(target.receipt.read_text(encoding="utf-8"))
    if isinstance(receipt, dict) and receipt.get("file") != target.text:
        raise ReleaseError(
            f"{target.receipt} is the receipt of another release; move it away, or give this target another name"
        )


def _table(text: str) -> tuple[str, str] | None:
    """The kind of engine and the name of a table; a letter before the colon is a drive."""
    found = TABLE.fullmatch(text)
    return (found[1], found[2]) if found and len(found[1]) > 1 and "::" not in text else None


def _parts(kind: str, name: str) -> tuple[str, ...]:
    try:
        return tuple(split_table_name(name, kind))
    except ValueError:
        raise ReleaseError(f"{name!r} is not a table's name; write {kind}:TABLE or {kind}:SCHEMA.TABLE") from None


def _file_name(name: str) -> str:
    return re.sub(r"[/\\\0]", "_", name)
