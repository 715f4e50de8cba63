"""The files of what Spark reads: whether a table's log should have been asked for them, and in which state they are.

The state is another one where a file is added, removed or written anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from anonduck.database.lake_tables import LOGS, TITLES, LakeTable, table_above
from anonduck.engines.relation import Place
from anonduck.engines.spark_session import asked, condition
from anonduck.errors import SourceError

MOST_FILES = 10_000
"""Files that are looked at, one question each; of more, nothing is told."""

OWN_FILES = ("MANAGED", "EXTERNAL")
"""Tables of a catalog that are their files; a view may be of more than the files that it reads."""

LOCAL = "file://"
PLAIN = "parquet"
"""The format by whose name and a path Spark reads files as a table: parquet.`/exports/people`."""

GLOB = "\\*?[]{}"


def state_of(session: Any, frame: Any, place: Place) -> str | None:
    """The version of a table that keeps versions, else the state of its files."""
    return table_version(session, frame, place) or files_state(session, frame, place)


def files_state(session: Any, frame: Any, place: Place) -> str | None:
    """A digest of name, bytes and time of change of each file that a place is made of; None where Spark knows none.

    A session of Spark Connect cannot ask for them. Raises SourceError for files of a Delta or Iceberg table.
    """
    if not (_path(place) or _is_own(session, place)):
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
        if status.isDirectory():  # what is in it may change, and the folder not
            return None
        digest.update(f"{file}\n{status.getLen()}\n{status.getModificationTime()}\n".encode())
    return digest.hexdigest()


def _is_own(session: Any, place: Place) -> bool:
    name = ".".join("`" + part.replace("`", "``") + "`" for part in place.parts)
    return session.catalog.getTable(name).tableType in OWN_FILES


def _path(place: Place) -> str:
    """The path of plain files, also as SQL of Spark's names them, by their format; empty for a table."""
    return place.path or (place.parts[1] if _format(place) == PLAIN else "")


def _format(place: Place) -> str:
    """The format whose name stands before a path; empty for what is named by no path."""
    return place.parts[0].lower() if len(place.parts) == 2 and "/" in place.parts[1] else ""


# -- tables of Delta and Iceberg ---------------------------------------------------------------------------------------


def refuse_lake_place(session: Any, place: Place) -> None:
    """Raise SourceError for a path that belongs to a Delta or Iceberg table, or a table that lacks its connector."""
    if _format(place) in LOGS:
        _refuse_without_connector(session, place, _format(place))
    elif _path(place):
        refuse_lake_files(session, [_path(place)], place)


def refuse_lake_files(session: Any, paths: Iterable[str], place: Place) -> None:
    """Raise SourceError if one of the paths, which are a place's, belongs to a Delta or Iceberg table."""
    held = list(paths)
    found = table_above(path.removeprefix(LOCAL) for path in held if path.startswith(LOCAL))  # by links, too
    found = found or asked("log", lambda: _table_above(session, held))
    if found is not None:
        raise SourceError(found.refusal(f"the source {place}"))


def refuse_lake_target(session: Any, target: Place) -> None:
    """Raise SourceError for a folder to write that is, or is in, a Delta or Iceberg table's."""
    found = asked("log", lambda: _table_above(session, [target.path] if target.path else []))
    if found is not None:
        raise SourceError(f"{target} is in the folder of {found}, which lists its own files; name another target")


def _table_above(session: Any, paths: Iterable[str]) -> LakeTable | None:
    folders = {folder for path in paths for folder in _folders(path)}
    deepest_first = sorted(folders, key=lambda folder: (-folder.count("/"), folder))
    return next((LakeTable(k, f) for f in deepest_first for k in LOGS if _has_log(session, f, k)), None)


def _folders(path: str) -> Iterator[str]:
    """A path or an address, and what it is in."""
    scheme, mark, rest = path.rpartition("://")
    while rest := rest.rstrip("/"):
        yield scheme + mark + rest
        rest = rest.rpartition("/")[0]


def _has_log(session: Any, folder: str, kind: str) -> bool:
    plain = "".join(f"\\{letter}" if letter in GLOB else letter for letter in folder)
    return any(_matches(session, f"{plain}/{pattern}") for pattern in LOGS[kind])


def _matches(session: Any, pattern: str) -> bool:
    """Whether there is something of a pattern; a session of Spark Connect is asked for its columns."""
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
    """Raise SourceError where Spark takes the name of a format for that of a schema, as it has no connector for it."""
    name = f"{place.parts[0]}.`{place.parts[1].replace('`', '``')}`"
    try:
        session.table(name)
    except Exception as error:
        if condition(error).startswith("TABLE_OR_VIEW_NOT_FOUND"):
            raise SourceError(
                f"Spark has no connector that reads {name} as {TITLES[kind]}; {CONNECTORS[kind]}, or leave out "
                f"`engine` and name the table {kind}:PATH, which is read here"
            ) from None


CONNECTORS = {
    "delta": "start it with the package io.delta:delta-spark_2.13 (spark.jars.packages), "
    "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension and "
    "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "iceberg": "start it with the package of Iceberg's that fits its version (spark.jars.packages), set up a catalog "
    "(spark.sql.catalog.NAME=org.apache.iceberg.spark.SparkCatalog) and name the table as that does, "
    "table:NAME.SCHEMA.TABLE",
}
"""What gives Spark the tables of a format; without it, they cannot be named there."""


DETAILS = "# Detailed Table Information"
MAIN = "main"
"""The branch of an Iceberg table that is read where none is named."""


def table_version(session: Any, frame: Any, place: Place) -> str | None:
    """A digest of a table's version and columns; None where it keeps none, or does not tell."""
    if place.path:
        return None
    name = ".".join("`" + part.replace("`", "``") + "`" for part in place.parts)
    provider = _provider(session, name)
    found = {"delta": _delta, "iceberg": _iceberg}.get(provider, _none)(session, name)
    if found is None:
        return None
    return hashlib.sha256(f"{provider}\n{found}\n{frame.schema.json()}".encode()).hexdigest()


def _provider(session: Any, name: str) -> str:
    """What a table is of, in small letters, as its catalog describes it; empty where it does not say."""
    rows = [(row[0], row[1]) for row in session.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()]
    starts = [place for place, (what, _) in enumerate(rows) if what == DETAILS]  # columns come before
    told = dict(rows[starts[-1] :] if starts else [])
    return str(told.get("Provider") or "").lower()


def _none(_session: Any, _name: str) -> None:
    return None


def _delta(session: Any, name: str) -> str | None:
    """The table's own id, which another table of the name has not, and its last version."""
    detail = session.sql(f"DESCRIBE DETAIL {name}").collect()
    history = session.sql(f"DESCRIBE HISTORY {name} LIMIT 1").collect()
    return f"{detail[0]['id']} {history[0]['version']}" if detail and history else None


def _iceberg(session: Any, name: str) -> str | None:
    """The snapshot that the main branch is at; a table without records may have none."""
    refs = {row["name"]: row["snapshot_id"] for row in session.table(f"{name}.refs").collect()}
    return str(refs[MAIN]) if MAIN in refs else None
