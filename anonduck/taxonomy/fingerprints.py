"""Fingerprints of taxonomies that mean the same tomorrow, in another version of DuckDB and, if they can, elsewhere.

A taxonomy that follows from the config, from a file or from a table that ships with anonduck is told by the SHA-256 of
what it follows from: whoever has these makes the same one, of any records. One that was built from the records, edited
or imported by a command is told by its content, as an HMAC whose key stays in the decision database: a plain hash in
a file that many read would confirm a guess of the values.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from anonduck.database.connection import Database
from anonduck.database.fingerprints import fingerprint_key, text_fingerprint
from anonduck.statements import statement
from anonduck.taxonomy.catalog import CatalogEntry, as_json, entries, was_edited
from anonduck.taxonomy.plans import is_import

FOLLOWING = ("file", "shipped", "listed", "computed")
KEYED = "hmac-sha256:"
PLAIN = "sha256:"
_KEY_OF = "anonduck.lock.yml"


def taxonomy_fingerprint(database: Database, column: str) -> str:
    """What tells the taxonomy of a column from any other."""
    entry = entries(database)[column]
    if follows(database, entry):
        options = {name: value for name, value in json.loads(entry.options).items() if name != "file"}
        return PLAIN + hashlib.sha256(as_json({**options, "root": entry.taxonomy.root}).encode()).hexdigest()
    content = database.value(statement("taxonomy/content.sql", table={"taxonomy": ("taxonomy", column)}))
    return KEYED + text_fingerprint(fingerprint_key(database), content)


def file_fingerprint(path: Path) -> str:
    """What tells a taxonomy file from any other; raises OSError."""
    return PLAIN + hashlib.sha256(path.read_bytes()).hexdigest()


def follows(database: Database, entry: CatalogEntry) -> bool:
    """Whether a taxonomy follows from what stands in the config and in files, so that it is the same elsewhere."""
    known = not is_import(entry) and json.loads(entry.options)["kind"] in FOLLOWING
    return known and not was_edited(database, entry)


def key_name(database: Database) -> str:
    """What tells the key of this decision database from that of another, and nothing more of it."""
    return text_fingerprint(fingerprint_key(database), _KEY_OF)[:16]
