"""Records of Delta and Iceberg tables as their logs say, streamed by Arrow: the door to deltalake and pyiceberg."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.database.errors import redacted
from anonduck.database.lake_tables import TITLES, is_path
from anonduck.errors import ConfigError, SourceError

HINT = Path("metadata", "version-hint.text")
"""Where the folder of an Iceberg table says which version is its newest, if its catalog is that folder."""


class LakeStream:
    """Records of one version of a table, which DuckDB may scan again and again: each scan is a new stream."""

    def __init__(self, opened: Callable[[], Any]) -> None:
        self._opened = opened
        self._schema = opened().schema

    def __arrow_c_schema__(self) -> object:
        """The columns, for whoever reads Arrow."""
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The records, for whoever reads Arrow."""
        return self._opened().__arrow_c_stream__(requested_schema)


@dataclass(frozen=True)
class OpenedLake:
    """One version of a table: its records, and the table's own id with that of the version."""

    stream: LakeStream
    version: str


def open_lake(text: str, folder: Path) -> OpenedLake:
    """The newest version of a table, or the one that is named; no record is read.

    Args:
        text: ``delta:PATH``, ``iceberg:FILE.metadata.json``, ``iceberg:FOLDER`` where that knows its newest version, or
            ``iceberg:CATALOG::NAMESPACE.TABLE``; with ``@VERSION`` or ``@SNAPSHOT`` behind it, an older one.
        folder: what a relative path is relative to.

    Raises:
        ConfigError: the package that reads the format is not installed.
        SourceError: there is no such table or version, or it cannot be read.
    """
    kind, _, rest = text.partition(":")
    name, version = _named_version(rest, folder)
    if is_path(name):
        name = str((folder / name).resolve())
        if not os.path.exists(name):
            raise SourceError(f"there is nothing at {name}, which is named as {TITLES[kind]}", missing=True)
    try:
        return READERS[kind](name, version)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{text} is read by a package that is not installed ({error.name}); `pip install 'anonduck[{kind}]'`"
        ) from None
    except SourceError:
        raise
    except BaseException as error:  # a panic of Rust's is no Exception
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        words = redacted(str(error))
        raise SourceError(
            f"{text} cannot be opened as {TITLES[kind]} ({type(error).__name__}: {words}). Check that its "
            "folder, or its catalog, has a table of that name and version"
        ) from None


def _named_version(rest: str, folder: Path) -> tuple[str, int | None]:
    """The name of a table and the number after its last ``@``; a path that exists with it has no version."""
    name, _, version = rest.rpartition("@")
    if not name or not (version.isascii() and version.isdigit()) or (folder / rest).exists():
        return rest, None
    return name, int(version)


def _delta(path: str, version: int | None) -> OpenedLake:
    from deltalake import DeltaTable

    table = DeltaTable(path, version=version)
    return OpenedLake(LakeStream(table.scan), f"delta {table.metadata().id} {table.version()}")


def _iceberg(name: str, version: int | None) -> OpenedLake:
    import pyarrow as pa

    table = _iceberg_table(name)
    scan = table.scan(snapshot_id=version)
    newest = table.current_snapshot()
    read = version if version is not None else None if newest is None else newest.snapshot_id
    known = f"iceberg {table.metadata.table_uuid} {read} {table.metadata.current_schema_id}"

    def opened() -> pa.RecordBatchReader:
        return scan.to_arrow_batch_reader()

    return OpenedLake(LakeStream(opened), known)


def _iceberg_table(name: str) -> Any:
    """A table of a catalog that pyiceberg's own configuration knows, or of a metadata file."""
    from pyiceberg.catalog import load_catalog
    from pyiceberg.table import StaticTable

    catalog, marks, table = name.partition("::")
    if marks:
        return load_catalog(catalog).load_table(table)
    if is_path(name) and os.path.isdir(name) and not (Path(name) / HINT).exists():
        raise SourceError(
            f"only the catalog of the Iceberg table {name} knows which version is its newest, as it has no {HINT}; "
            f"name the table there, iceberg:CATALOG::NAMESPACE.TABLE, or the file to read, "
            f"iceberg:{name}/metadata/FILE.metadata.json"
        )
    return StaticTable.from_metadata(name)


READERS: dict[str, Callable[[str, int | None], OpenedLake]] = {"delta": _delta, "iceberg": _iceberg}
"""What opens a table of each format, by its path or name, at a version or the newest."""


__all__ = ["LakeStream", "OpenedLake", "open_lake"]
