"""Tables of Delta and Iceberg: folders whose log says which of their files hold records, and their records as a stream.

To read the files alone brings back every record that was deleted or replaced, as their files stay for days. So records
are streamed by Arrow, as the log says. No other module knows deltalake and pyiceberg.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.database.errors import why_unopened
from anonduck.errors import AnonduckError, ConfigError, SourceError

LOGS = {"delta": ("_delta_log",), "iceberg": ("metadata/*.metadata.json", "metadata/*.metadata.json.gz")}
"""Where the log of a table is, by its format, as patterns in the table's folder."""

TITLES = {"delta": "a Delta table", "iceberg": "an Iceberg table"}
NAMED = tuple(f"{kind}:" for kind in LOGS)

READ = {
    "delta": "Name the table: delta:{folder} (`pip install 'anonduck[delta]'`), or in Spark, with Delta's connector, "
    "table:delta.`{folder}`. From Python, a relation of DuckDB's extension `delta` serves too where you installed it: "
    "delta_scan('{folder}')",
    "iceberg": "Name the table: iceberg:CATALOG::NAMESPACE.TABLE, or iceberg:{folder}/metadata/FILE.metadata.json of "
    "its newest version (`pip install 'anonduck[iceberg]'`), or in Spark, with Iceberg's connector, "
    "table:CATALOG.NAMESPACE.TABLE. From Python, a relation of DuckDB's extension `iceberg` serves too where you "
    "installed it: iceberg_scan('{folder}')",
}
"""The next step for a user who named files of a table, by its format."""


OWN_FILE = "Write its rows, read by that log, to a file of their own, and name that"
"""The next step where only a file serves."""


@dataclass(frozen=True)
class LakeTable:
    """The table that a file belongs to: its format, a key of ``LOGS``, and its folder."""

    kind: str
    folder: str

    def __str__(self) -> str:
        """As messages call it."""
        return f"{TITLES[self.kind]}, {self.folder}"

    def refusal(self, text: str, way: str = "") -> str:
        """Why ``text``, which names files of the table, is not read; ``way`` is the next step."""
        return (
            f"{text} is part of {self}, whose log says which of its files hold records; the files alone give back "
            f"deleted and replaced ones. {way or READ[self.kind].format(folder=self.folder)}"
        )


def table_above(paths: Iterable[str | Path]) -> LakeTable | None:
    """The table that one of the paths belongs to: its log is at or above it, by its name or by where links lead."""
    start = Path().resolve()
    given = [start / path for path in paths]
    named = {os.path.normpath(path) for path in given} | {os.path.realpath(path) for path in given}
    starts = {Path(path if os.path.isdir(path) else os.path.dirname(path)) for path in named}
    folders = {folder for start in starts for folder in (start, *start.parents)}
    deepest_first = sorted(folders, key=lambda folder: (-len(folder.parts), folder))
    return next((LakeTable(k, str(f)) for f in deepest_first for k in LOGS if _has_log(f, k)), None)


def _has_log(folder: Path, kind: str) -> bool:
    return any(next(folder.glob(pattern), None) is not None for pattern in LOGS[kind])


def refuse_lake_files(paths: Iterable[str | Path], text: str, error: type[AnonduckError], way: str = "") -> None:
    """Raise an error of that kind if one of the paths, which ``text`` names, belongs to a table."""
    found = table_above(paths)
    if found is not None:
        raise error(found.refusal(text, way))


# -- tables by their names ---------------------------------------------------------------------------------------------


def is_lake_table(text: str) -> bool:
    """Whether a source is named as a table of Delta or Iceberg.

    >>> is_lake_table("delta:exports/people@3"), is_lake_table("exports/people"), is_lake_table("./delta:odd.csv")
    (True, False, False)
    """
    return text.startswith(NAMED)


def is_path(name: str) -> bool:
    """Whether a table is named by a path of this machine, not by an address or a catalog.

    >>> is_path("exports/people"), is_path("s3://exports/people"), is_path("catalog::sales.people")
    (True, False, False)
    """
    return "://" not in name and "::" not in name


def with_path(text: str, change: Callable[[str], str]) -> str:
    """The same table, with its path changed if it has one.

    >>> with_path("delta:people@3", "/exports/".__add__), with_path("iceberg:sales::people", "/exports/".__add__)
    ('delta:/exports/people@3', 'iceberg:sales::people')
    """
    kind, colon, name = text.partition(":")
    return kind + colon + (change(name) if is_path(name) else name)


def lake_folder(text: str, folder: Path) -> Path | None:
    """The folder, or the metadata file, of a table that is named by a path, relative to another; None for others.

    >>> lake_folder("delta:people@3", Path("/exports")), lake_folder("iceberg:sales::people", Path("/exports"))
    (PosixPath('/exports/people'), None)
    """
    name, _ = _named_version(text.partition(":")[2], folder)
    return folder / name if is_path(name) else None


HINT = Path("metadata", "version-hint.text")
"""Where the folder of an Iceberg table says which version is its newest, if its catalog is that folder."""


class LakeStream:
    """Records of one version of a table, which DuckDB may scan again and again: each scan is a new stream."""

    def __init__(self, opened: Callable[[], Any]) -> None:
        self._opened = opened
        self._schema = opened().schema

    def __arrow_c_schema__(self) -> object:
        """The columns, by the Arrow C interface."""
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The records, by the Arrow C interface."""
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
    except BaseException as error:
        raise SourceError(
            f"{text} cannot be opened as {TITLES[kind]} ({why_unopened(error)}). Check that its "
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
