"""What a decision database may hold: tables of plain values in schemas of anonduck, and nothing that computes.

A macro called `sum`, a view called `rules` or a computed column would decide what later queries find, so that k could
be anything. A file that somebody else made is looked at before anything else is asked of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from anonduck.errors import DatabaseError

MAIN = "main"
LABELS = "release_lookup"
SCHEMAS = frozenset({MAIN, "bounds", "lookup", LABELS, "taxonomy", "taxonomy_lines"})
TAKEN = (SCHEMAS - {MAIN}) | {"pg_catalog", "information_schema"}


def refuse_foreign(whose: str, catalog: str, objects: Iterable[tuple[Any, ...]]) -> None:
    """Raise DatabaseError if a catalog holds what anonduck does not make, by the rows of database/objects.sql."""
    foreign = sorted(
        (kind, name)
        for kind, database, schema, name, internal, computed in objects
        if database == catalog and computed and not internal and not _own(kind, schema, name)
    )
    if foreign:
        kind, name = foreign[0]
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise DatabaseError(
            f"the decision database {whose} holds what anonduck does not create: the {kind} {name!r}{more}. That could "
            "change what is measured; use another file (`database:`), or remove this one with `purge(PATH)`"
        )


def refuse_taken(path: Path) -> None:
    """Raise DatabaseError for a file that DuckDB would call by the name of a schema of anonduck, or of its own."""
    if path.name.split(".")[0].lower() in TAKEN:
        raise DatabaseError(f"the decision database cannot be called {path.name}; rename it, or use another")


def _own(kind: str, schema: str, name: str) -> bool:
    return (kind == "schema" and name in SCHEMAS) or (kind == "type" and schema == LABELS)
