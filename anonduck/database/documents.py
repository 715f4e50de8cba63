"""JSON documents that jobs keep in the decision database for later: one table for all, by kind and key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from anonduck.database.connection import Database
from anonduck.statements import statement

COMPARED_ROW, LAST_COMPARISON, EXPECTED = "compared row", "last comparison", "expected"
MADE_RELEASE, LAST_RECODING, LAST_CHOICE = "made release", "last recoding", "last choice"
LOCKED_RECODING = "locked recoding"
LOCKED_OFFERED = "locked candidate"
LOCKED_TAXONOMIES = "locked taxonomies"
ATTACKED = "attacked"


def keep_document(database: Database, kind: str, document: Mapping[str, Any], key: str = "") -> None:
    """Keep a document in place of the one with the same kind and key."""
    _prepare(database)
    with database.transaction():
        database.run(statement("database/document_forget.sql"), {"kind": kind, "key": key})
        kept = {"kind": kind, "key": key, "document": json.dumps(document)}
        database.run(statement("database/document_keep.sql"), kept)


def forget_documents(database: Database, kind: str) -> None:
    """Forget all documents of a kind."""
    _prepare(database)
    database.run(statement("database/document_forget.sql"), {"kind": kind, "key": None})


def kept_document(database: Database, kind: str, key: str = "") -> dict[str, Any] | None:
    """The document of a kind with a key; None where it is not kept."""
    _prepare(database)
    for (text,) in database.rows(statement("database/document_read.sql"), {"kind": kind, "key": key}):
        found: dict[str, Any] = json.loads(text)
        return found
    return None


def kept_documents(database: Database, kind: str) -> dict[str, dict[str, Any]]:
    """The documents of a kind by their keys, in the order of these."""
    _prepare(database)
    rows = database.rows(statement("database/documents_read.sql"), {"kind": kind})
    return {key: json.loads(text) for key, text in rows}


def _prepare(database: Database) -> None:
    """Make the table, where it is not there yet."""
    database.run(statement("database/documents_table.sql"))
