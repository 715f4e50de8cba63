"""The files behind a table in Spark: their state, and whether they belong to a Delta or Iceberg table.

The state changes if a file is added, removed or rewritten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from anonduck.database.lake_tables import LOGS, TITLES, LakeTable, table_above
from anonduck.engines.relation import Place
from anonduck.engines.spark_session import condition, quoted, table_name, translated
from anonduck.errors import SourceError

MOST_FILES = 10_000
"""At most so many files are examined, with one call each; the state of more files is not known."""

OWN_FILES = ("MANAGED", "EXTERNAL")
"""Table types whose rows are their files. The rows of a view may depend on more than the files that it reads."""

LOCAL = "file://"
PLAIN = "parquet"
"""Spark reads plain files as a table under this name and a path: parquet.`/exports/people`."""

GLOB = "\\*?[]{}"
CONNECTORS = {
    "delta": "start it with the package io.delta:delta-spark_2.13 (spark.jars.packages), "
    "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension and "
    "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "iceberg": "start it with the package of Iceberg's that fits its version (spark.jars.packages), set up a catalog "
    "(spark.sql.catalog.NAME=org.apache.iceberg.spark.SparkCatalog) and name the table as that does, "
    "table:NAME.SCHEMA.TABLE",
}
"""How to start Spark with the connector of a format."""
DETAILS = "# Detailed Table Information"
MAIN = "main"
"""The branch of an Iceberg table that is read by default."""


def state_of(session: Any, frame: Any, place: Place) -> str | None:
    """The version of a table that keeps versions, else the state of its files."""
    return table_version(session, frame, place) or files_state(session, frame, place)


def files_state(session: Any, frame: Any, place: Place) -> str | None:
    """A digest of name, size and change time of each file of a place; None if Spark does not know them.

    A session of Spark Connect cannot list files. Raises SourceError for files of a Delta or Iceberg table.
    """
    if not (_path(place) or session.catalog.getTable(table_name(place)).tableType in OWN_FILES):
        return None
    files = sorted(frame.inputFiles())
    refuse_lake_files(session, map(unquote, files), place)
    context = getattr(session, "_sc", None)
    if context is None or not files or len(files) > MOST_FILES:
        return None
    settings = session._jsc.hadoopConfiguration()
    digest = hashlib.sha256()
    for file in files:
        path = context._jvm.org.apache.hadoop.fs.Path(context._jvm.java.net.URI(file))
        status = path.getFileSystem(settings).getFileStatus(path)
        if status.isDirectory():  # its content may change without the folder
            return None
        digest.update(f"{file}\n{status.getLen()}\n{status.getModificationTime()}\n".encode())
    return digest.hexdigest()


def _path(place: Place) -> str:
    """The path of plain files, also if named as Spark SQL does, by format; empty for a table."""
    return place.path or (place.parts[1] if _format(place) == PLAIN else "")


def _format(place: Place) -> str:
    """The format named before a path; empty for a name without a path."""
    return place.parts[0].lower() if len(place.parts) == 2 and "/" in place.parts[1] else ""


# -- tables of Delta and Iceberg ---------------------------------------------------------------------------------------


def refuse_lake_place(session: Any, place: Place) -> None:
    """Raise SourceError for a path in a Delta or Iceberg table, or a table whose connector is missing."""
    if _format(place) in LOGS:
        _refuse_without_connector(session, place, _format(place))
    elif _path(place):
        refuse_lake_files(session, [_path(place)], place)


def refuse_lake_files(session: Any, paths: Iterable[str], place: Place) -> None:
    """Raise SourceError if one of a place's paths belongs to a Delta or Iceberg table."""
    held = list(paths)
    found = table_above(path.removeprefix(LOCAL) for path in held if path.startswith(LOCAL))  # also through links
    found = found or translated("log", lambda: _table_above(session, held))
    if found is not None:
        raise SourceError(found.refusal(f"the source {place}"))


def refuse_lake_target(session: Any, target: Place) -> None:
    """Raise SourceError for a target folder that is, or is inside, a Delta or Iceberg table."""
    found = translated("log", lambda: _table_above(session, [target.path] if target.path else []))
    if found is not None:
        raise SourceError(f"{target} is in the folder of {found}, which lists its own files; name another target")


def _table_above(session: Any, paths: Iterable[str]) -> LakeTable | None:
    folders = {folder for path in paths for folder in _folders(path)}
    deepest_first = sorted(folders, key=lambda folder: (-folder.count("/"), folder))
    return next((LakeTable(k, f) for f in deepest_first for k in LOGS if _has_log(session, f, k)), None)


def _folders(path: str) -> Iterator[str]:
    """A path or address, and all folders above it."""
    scheme, mark, rest = path.rpartition("://")
    while rest := rest.rstrip("/"):
        yield scheme + mark + rest
        rest = rest.rpartition("/")[0]


def _has_log(session: Any, folder: str, kind: str) -> bool:
    plain = "".join(f"\\{letter}" if letter in GLOB else letter for letter in folder)
    return any(_matches(session, f"{plain}/{pattern}") for pattern in LOGS[kind])


def _matches(session: Any, pattern: str) -> bool:
    """Whether something matches a pattern; a session of Spark Connect is translated for the columns there."""
    machine, context = getattr(session, "_jvm", None), getattr(session, "_jsc", None)
    if machine is not None and context is not None:
        path = machine.org.apache.hadoop.fs.Path(pattern)
        return bool(path.getFileSystem(context.hadoopConfiguration()).globStatus(path))
    try:
        return bool(session.read.text(pattern).schema)
    except Exception as error:
        if condition(error).startswith("PATH_NOT_FOUND"):
            return False
        raise


def _refuse_without_connector(session: Any, place: Place, kind: str) -> None:
    """Raise SourceError if Spark has no connector for a format, and so takes its name for a schema."""
    name = f"{place.parts[0]}.{quoted(place.parts[1])}"
    try:
        session.table(name)
    except Exception as error:
        if condition(error).startswith("TABLE_OR_VIEW_NOT_FOUND"):
            raise SourceError(
                f"Spark has no connector that reads {name} as {TITLES[kind]}; {CONNECTORS[kind]}, or leave out "
                f"`engine` and name the table {kind}:PATH, which is read here"
            ) from None


def table_version(session: Any, frame: Any, place: Place) -> str | None:
    """A digest of a table's version and columns; None if it keeps or reports none."""
    if place.path:
        return None
    name = table_name(place)
    provider = _provider(session, name)
    found = {"delta": _delta, "iceberg": _iceberg}.get(provider, _none)(session, name)
    if found is None:
        return None
    return hashlib.sha256(f"{provider}\n{found}\n{frame.schema.json()}".encode()).hexdigest()


def _provider(session: Any, name: str) -> str:
    """The format of a table, in lower case, from its catalog; empty if the catalog does not say."""
    rows = [(row[0], row[1]) for row in session.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()]
    starts = [place for place, (what, _) in enumerate(rows) if what == DETAILS]  # columns come before
    details = dict(rows[starts[-1] :] if starts else [])
    return str(details.get("Provider") or "").lower()


def _none(_session: Any, _name: str) -> None:
    return None


def _delta(session: Any, name: str) -> str | None:
    """The table's id, which distinguishes it from another table of the same name, and its last version."""
    detail = session.sql(f"DESCRIBE DETAIL {name}").collect()
    history = session.sql(f"DESCRIBE HISTORY {name} LIMIT 1").collect()
    return f"{detail[0]['id']} {history[0]['version']}" if detail and history else None


def _iceberg(session: Any, name: str) -> str | None:
    """The snapshot of the main branch; a table without records may have none."""
    refs = {row["name"]: row["snapshot_id"] for row in session.table(f"{name}.refs").collect()}
    return str(refs[MAIN]) if MAIN in refs else None
