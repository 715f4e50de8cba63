"""JSON documents that jobs keep in the decision database for later: one table for all, by kind and key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from anonduck.database.connection import Database
from anonduck.statements import line

COMPARED_ROW, LAST_COMPARISON, EXPECTED = "compared row", "last comparison", "expected"
MADE_RELEASE, LAST_RECODING, LAST_CHOICE = "made release", "last recoding", "last choice"
LOCKED_RECODING = "locked recoding"
LOCKED_OFFERED = "locked candidate"
LOCKED_TAXONOMIES = "locked taxonomies"
ATTACKED = "attacked"
OFFER = "offer"
FORGET = line(
    "database/documents.FORGET",
    "DELETE FROM documents WHERE kind = $kind AND ($key::VARCHAR IS NULL OR key = $key::VARCHAR)",
    "kind",
    "key",
)
"""Forgets the document with a key, or all of its kind where the key is NULL."""


def keep_document(database: Database, kind: str, document: Mapping[str, Any], key: str = "") -> None:
    """Keep a document in place of the one with the same kind and key."""
    _prepare(database)
    with database.transaction():
        database.run(FORGET, {"kind": kind, "key": key})
        kept = {"kind": kind, "key": key, "document": json.dumps(document)}
        text = "INSERT INTO documents (kind, key, document) VALUES ($kind, $key, $document)"
        database.run(line("database/documents.keep_document", text, *kept), kept)


def forget_documents(database: Database, kind: str) -> None:
    """Forget all documents of a kind."""
    _prepare(database)
    database.run(FORGET, {"kind": kind, "key": None})


def kept_document(database: Database, kind: str, key: str = "") -> dict[str, Any] | None:
    """The document of a kind with a key; None where it is not kept."""
    _prepare(database)
    text = "SELECT document FROM documents WHERE kind = $kind AND key = $key"
    read = line("database/documents.kept_document", text, "kind", "key")
    for (document,) in database.rows(read, {"kind": kind, "key": key}):
        found: dict[str, Any] = json.loads(document)
        return found
    return None


def kept_documents(database: Database, kind: str) -> dict[str, dict[str, Any]]:
    """The documents of a kind by their keys, in the order of these."""
    _prepare(database)
    text = "SELECT key, document FROM documents WHERE kind = $kind ORDER BY key"
    rows = database.rows(line("database/documents.kept_documents", text, "kind"), {"kind": kind})
    return {key: json.loads(document) for key, document in rows}


def _prepare(database: Database) -> None:
    """Make the table, where it is not there yet."""
    text = """CREATE TABLE IF NOT EXISTS documents (
        kind VARCHAR NOT NULL, key VARCHAR NOT NULL, document VARCHAR NOT NULL
    )"""
    database.run(line("database/documents._prepare", text))
