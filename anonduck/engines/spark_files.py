"""The state of what Spark reads, by its files: another one where a file is added, removed or written anew."""

from __future__ import annotations

import hashlib
from typing import Any

from anonduck.engines.relation import Place
from anonduck.engines.spark_snapshots import table_version

MOST_FILES = 10_000
"""Files that are looked at, one question each; of more, nothing is told."""

OWN_FILES = ("MANAGED", "EXTERNAL")
"""Tables of a catalog that are their files; a view may be of more than the files that it reads."""


def state_of(session: Any, frame: Any, place: Place) -> str | None:
    """The version of a table that keeps versions, else the state of its files."""
    return table_version(session, frame, place) or files_state(session, frame, place)


def files_state(session: Any, frame: Any, place: Place) -> str | None:
    """A digest of name, bytes and time of change of each file that a place is made of; None where Spark knows none.

    A session of Spark Connect cannot ask for them.
    """
    context = getattr(session, "_sc", None)
    if context is None or not (place.path or _is_own(session, place)):
        return None
    files = sorted(frame.inputFiles())
    if not files or len(files) > MOST_FILES:
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
