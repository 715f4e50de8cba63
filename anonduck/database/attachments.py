"""Databases that are attached to a connection beside its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb

from anonduck.database.errors import redacted
from anonduck.database.session import Session
from anonduck.errors import SourceError
from anonduck.statements import Statement, builder_database

SOURCE = "anonduck_source"


def has_database(session: Session, name: str) -> bool:
    """Whether a database of that name is attached."""
    return (name,) in session.fetch(builder_database.ATTACHED)


def free_name(session: Session, name: str) -> str:
    """The name, with as many underscores behind it as make it one that no attached database has."""
    while has_database(session, name):
        name += "_"
    return name


def attached_source(session: Session, path: Path, attach: Callable[[str, str], Statement]) -> str:
    """Attach a DuckDB file as ``attach`` says, read-only, unless it is by now; returns the name that it got."""
    attached = session.fetch(builder_database.ATTACHED_FILE, {"path": str(path), "alias": SOURCE})
    if attached:  # by another cursor of the same connection
        return str(attached[0][0])
    alias = free_name(session, SOURCE)
    try:
        session.raw(attach(str(path), alias))
    except duckdb.Error as error:
        words = str(error)
        if "lock" in words.lower():
            raise SourceError(f"{path} is open in another process for writing; wait for it to end") from None
        if "not a valid DuckDB" in words:
            raise SourceError(f"{path} is not a DuckDB database") from None
        raise SourceError(f"{path} cannot be opened: {redacted(words)}") from None
    return alias
