"""Fingerprints that only the holder of the decision database can confirm: HMACs whose key never leaves it."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anonduck.database.connection import Database
from anonduck.database.file_states import FileState, settled_state
from anonduck.statements import line, statement

KEY_TABLE = line("database/fingerprints.KEY_TABLE", "CREATE TABLE IF NOT EXISTS fingerprint_key (key VARCHAR NOT NULL)")
MOST_KNOWN = 64
_KNOWN: dict[tuple[bytes, tuple[FileState, ...]], str] = {}
"""Fingerprints by their key and the state of the files."""
_LOCK = threading.Lock()


def fingerprint_key(database: Database) -> bytes:
    """The key of this decision database's fingerprints, made once; it never leaves the database."""
    database.run(KEY_TABLE)
    rows = database.rows(line("database/fingerprints.fingerprint_key", "SELECT key FROM fingerprint_key"))
    if rows:
        return bytes.fromhex(rows[0][0])
    key = secrets.token_hex(32)
    new = line("database/fingerprints.fingerprint_key", "INSERT INTO fingerprint_key VALUES ($key)", "key")
    database.run(new, {"key": key})
    return bytes.fromhex(key)


def text_fingerprint(key: bytes, text: str) -> str:
    """HMAC-SHA256 of a text."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def json_fingerprint(key: bytes, value: Any) -> str:
    """HMAC-SHA256 of a value as JSON, whatever the order of its keys."""
    return text_fingerprint(key, json.dumps(value, sort_keys=True, default=str))


def files_fingerprint(key: bytes, files: Sequence[Path]) -> str:
    """HMAC-SHA256 of the bytes of files, one after the other, which are read once while they stay as they are."""
    state = settled_state(files)
    if state is None:
        return _read_fingerprint(key, files)
    with _LOCK:
        known = _KNOWN.get((key, state))
    if known is not None:
        return known
    found = _read_fingerprint(key, files)
    if settled_state(files) == state:
        with _LOCK:
            if len(_KNOWN) >= MOST_KNOWN:
                _KNOWN.clear()
            _KNOWN[key, state] = found
    return found


def _read_fingerprint(key: bytes, files: Sequence[Path]) -> str:
    digest = hmac.new(key, digestmod=hashlib.sha256)
    for path in files:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def relation_fingerprint(database: Database, key: bytes) -> str:
    """HMAC-SHA256 of what a source without files holds in the released columns, whatever the order of its rows."""
    return text_fingerprint(key, str(database.row(statement("database/set_digest.sql"))))
