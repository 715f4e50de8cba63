"""The version of a table that keeps versions, as Iceberg and Delta do: another one whenever its rows are.

Neither needs to be installed here. A catalog says which of them a table is of, and that is asked in its own words.
"""

from __future__ import annotations

import hashlib
from typing import Any

from anonduck.engines.relation import Place

DETAILS = "# Detailed Table Information"
MAIN = "main"
"""The branch of an Iceberg table that is read where none is named."""


def table_version(session: Any, frame: Any, place: Place) -> str | None:
    """A digest of a table's version and columns; None where it keeps none, or does not tell."""
    if place.path:
        return None
    name = ".".join("`" + part.replace("`", "``") + "`" for part in place.parts)
    provider = _provider(session, name)
    found = {"delta": _delta, "iceberg": _iceberg}.get(provider, _none)(session, name)
    if found is None:
        return None
    return hashlib.sha256(f"{provider}\n{found}\n{frame.schema.json()}".encode()).hexdigest()


def _provider(session: Any, name: str) -> str:
    """What a table is of, in small letters, as its catalog describes it; empty where it does not say."""
    rows = [(row[0], row[1]) for row in session.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()]
    starts = [place for place, (what, _) in enumerate(rows) if what == DETAILS]  # columns come before
    told = dict(rows[starts[-1] :] if starts else [])
    return str(told.get("Provider") or "").lower()


def _none(_session: Any, _name: str) -> None:
    return None


def _delta(session: Any, name: str) -> str | None:
    """The table's own id, which another table of the name has not, and its last version."""
    detail = session.sql(f"DESCRIBE DETAIL {name}").collect()
    history = session.sql(f"DESCRIBE HISTORY {name} LIMIT 1").collect()
    return f"{detail[0]['id']} {history[0]['version']}" if detail and history else None


def _iceberg(session: Any, name: str) -> str | None:
    """The snapshot that the main branch is at; a table without records may have none."""
    refs = {row["name"]: row["snapshot_id"] for row in session.table(f"{name}.refs").collect()}
    return str(refs[MAIN]) if MAIN in refs else None
