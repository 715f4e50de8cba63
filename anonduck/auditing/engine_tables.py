"""A table or a folder that an engine holds, opened for an audit by the engine's kind, or on a caller's session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anonduck.engines.opened import kind_of, opened_engine
from anonduck.engines.protocol import WritingEngine
from anonduck.engines.relation import Place, Relation
from anonduck.errors import AuditError
from anonduck.privacy.counted_table import EngineTable
from anonduck.statements.builder_source import split_table_name


@contextmanager
def engine_table(target: object, engine: Any) -> Iterator[EngineTable]:
    """``SCHEMA.TABLE``, or a folder of Parquet files, in an engine, for as long as the block lasts.

    ``engine`` is a kind, such as ``"spark"``, or a session, which stays open. Raises AuditError for a name that is
    none, ConfigError and SourceError where there is no such engine.
    """
    if not isinstance(target, (str, Path)):
        raise AuditError("an engine audits a table by its name, or a folder of Parquet files by its path")
    kind = engine if isinstance(engine, str) else kind_of(engine)
    opened = opened_engine(kind, session=None if isinstance(engine, str) else engine)
    try:
        if not isinstance(opened, WritingEngine):
            raise AuditError(f"anonduck does not audit in {opened.title}; audit a file of the release")
        yield EngineTable(str(target), opened, Relation(_place(str(target), kind, opened.dialect)))
    finally:
        opened.close()


def _place(text: str, kind: str, dialect: str) -> Place:
    name = text.removeprefix(f"{kind}:").removeprefix("table:")
    if name == text and ("/" in text or text.lower().endswith(".parquet") or Path(text).exists()):
        return Place(path=text if "://" in text else str(Path(text).resolve()))
    try:
        return Place(tuple(split_table_name(name, dialect)))
    except ValueError:
        raise AuditError(f"{text!r} is neither a table's name nor a path; write SCHEMA.TABLE or FOLDER/") from None
