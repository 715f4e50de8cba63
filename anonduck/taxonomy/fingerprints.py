"""Fingerprints of taxonomies that stay the same in other versions of DuckDB and, where possible, elsewhere.

The fingerprint of a taxonomy that follows from the config, from a file or from a table that ships with anonduck is the
SHA-256 of these: the same inputs make the same taxonomy, whatever the records. If it was built from the records, edited
or imported by a command, its fingerprint is an HMAC of its content, whose key stays in the decision database: a plain
hash in a file that many read would confirm a guess of the values.
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
    """The fingerprint of the taxonomy of a column."""
    entry = entries(database)[column]
    if follows(database, entry):
        options = {name: value for name, value in json.loads(entry.options).items() if name != "file"}
        return PLAIN + hashlib.sha256(as_json({**options, "root": entry.taxonomy.root}).encode()).hexdigest()
    content = database.value(statement("taxonomy/content.sql", table={"taxonomy": ("taxonomy", column)}))
    return KEYED + text_fingerprint(fingerprint_key(database), content)


def file_fingerprint(path: Path) -> str:
    """The fingerprint of a taxonomy file; raises OSError."""
    return PLAIN + hashlib.sha256(path.read_bytes()).hexdigest()


def follows(database: Database, entry: CatalogEntry) -> bool:
    """Whether a taxonomy follows from what stands in the config and in files, so that it is the same elsewhere."""
    known = not is_import(entry) and json.loads(entry.options)["kind"] in FOLLOWING
    return known and not was_edited(database, entry)


def key_name(database: Database) -> str:
    """A name for the key of this decision database, from which the key does not follow."""
    return text_fingerprint(fingerprint_key(database), _KEY_OF)[:16]
