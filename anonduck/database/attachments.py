"""What is attached to a connection beside its own database, and relations of DuckDB that are copied into it."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path

import duckdb

from anonduck.database.errors import is_locked, redacted
from anonduck.database.session import Session
from anonduck.errors import DatabaseBusy, SourceBusy, SourceError
from anonduck.statements import builder_database, line, relations
from anonduck.statements.column_readings import ColumnReading
from anonduck.statements.column_types import NOT_IN_ARROW, TEXT, UUID
from anonduck.statements.expansion import quoted

SOURCE = "anonduck_source"
PATIENCE = 60  # seconds that a detached file may stay open because of running statements of other cursors
PAUSE = 0.01


def has_database(session: Session, name: str) -> bool:
    """Whether a database of that name is attached."""
    return (name,) in session.fetch(builder_database.ATTACHED)


def free_name(session: Session, name: str) -> str:
    """The name, or the name with underscores appended until no attached database has it."""
    while has_database(session, name):
        name += "_"
    return name


def attached_source(session: Session, path: Path) -> str:
    """Attach a DuckDB file read-only, unless it is attached; returns its name."""
    attached = session.fetch(builder_database.ATTACHED_FILE, {"path": str(path), "alias": SOURCE})
    if attached:  # by another cursor of the same connection
        return str(attached[0][0])
    alias = free_name(session, SOURCE)
    try:
        session.raw(builder_database.attach(str(path), alias, read_only=True))
    except duckdb.Error as error:
        words = str(error)
        if is_locked(error):
            raise SourceBusy(f"{path} is open in another process for writing; wait for it to end") from None
        if "not a valid DuckDB" in words:
            raise SourceError(f"{path} is not a DuckDB database") from None
        raise SourceError(f"{path} cannot be opened: {redacted(words)}") from None
    return alias


def spellings(schema: str, name: str) -> set[str]:
    """How a table may be named: with or without its schema, each quoted or not.

    >>> sorted(spellings("my schema", "t"))[1:4]
    ['"my schema".t', '"t"', 'my schema."t"']
    """
    schemas, names = ({part, '"' + part.replace('"', '""') + '"'} for part in (schema, name))
    return names | {f"{one}.{other}" for one in schemas for other in names}


def detach(session: Session, name: str) -> None:
    """Detach a database and wait until its file is closed.

    DuckDB keeps the file open until the last statement ends, of any cursor of the connection, that listed all databases
    while this one was attached. Until then the file is not complete, and nothing else in the process can attach it.
    Raises DatabaseError where it stays open for longer than PATIENCE.
    """
    ((path,),) = session.fetch(builder_database.FILE_OF, {"name": name})
    session.fetch(builder_database.detach(name))
    started = time.monotonic()
    while path is not None and Path(path).exists() and _is_open(path):
        if time.monotonic() - started > PATIENCE:
            raise DatabaseBusy(
                f"{path} is held open by another query or transaction of this connection; end it, then try again"
            )
        time.sleep(PAUSE)


def _is_open(path: str) -> bool:
    """Whether a connection of this process has a file attached."""
    with duckdb.connect() as beside:
        try:
            beside.execute(builder_database.attach(path, "closed", read_only=True).sql)
        except duckdb.Error as error:
            return "already attached" in str(error)
    return False


STREAM = "relation_stream"


def copied(session: Session, name: str, relation: duckdb.DuckDBPyRelation) -> None:
    """Stream a relation into the table ``name`` by Arrow; types that Arrow lacks travel as text.

    Raises SourceError for a column whose values Arrow would change.
    """
    types = {column: str(kind) for column, kind in zip(relation.columns, relation.types, strict=True)}
    _refuse_lossy(types)
    texts = {column: kind for column, kind in types.items() if kind in NOT_IN_ARROW}
    sent = [duckdb.ColumnExpression(column) for column in types]
    as_text = [one.cast(TEXT).alias(c) if c in texts else one for c, one in zip(types, sent, strict=True)]
    session.register(STREAM, (relation.select(*as_text) if texts else relation).to_arrow_reader())
    try:
        rows = relations.rows_of(quoted(STREAM), reading=ColumnReading(texts))
        text = 'CREATE OR REPLACE TABLE "{name}" AS {rows}'
        session.raw(line("database/attachments.copied", text, name=name, rows=rows))
    finally:
        session.unregister(STREAM)


def _refuse_lossy(types: Mapping[str, str]) -> None:
    """Raise SourceError for a nested column with values that Arrow lacks."""
    for column, kind in types.items():
        lacking = next((one for one in NOT_IN_ARROW if one != UUID and re.search(rf"\b{one}\b", kind)), None)
        if lacking is not None and kind not in NOT_IN_ARROW:
            raise SourceError(
                f"column {column!r} is {kind}; a nested {lacking} cannot be read from a connection. Leave the column "
                f"out, or cast it to {TEXT}"
            )
