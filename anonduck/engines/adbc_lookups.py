"""What a query in a warehouse reads beside its tables: lookups, left there for a session, and views of both.

Texts of both are compared by their bytes. All goes with the session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.engines.adbc_columns import columns_of, table_of
from anonduck.engines.adbc_session import ServerSession
from anonduck.engines.protocol import SOURCE
from anonduck.engines.relation import Place, Relation
from anonduck.statements import builder_warehouse as builder


def give(session: ServerSession, relation: Relation | None, lookups: Mapping[str, Any], *, raw: bool) -> None:
    """Leave SOURCE and lookups, to be read by a query of this session; numbers without a size stay exact if ``raw``."""
    if relation is not None:
        _view(session, relation, SOURCE, raw=raw)
    for number, (name, table) in enumerate(lookups.items()):
        _leave(session, f"anonduck_stored_{number}", name, table)


def _leave(session: ServerSession, stored: str, name: str, table: Any) -> None:
    """Leave a lookup as a temporary table, and as the view ``name``, whose texts are compared by their bytes."""
    session.leave(stored, table)
    session.run("lookup", builder.analyze((stored,), session.driver.kind))
    _view(session, Relation(Place((stored,))), name)


def _view(session: ServerSession, relation: Relation, name: str, *, raw: bool = True) -> None:
    """A temporary view of a relation as it is read, but that with ``raw`` numbers without a size stay exact."""
    columns = columns_of(session, relation)
    exact = columns.inexact if raw else ()
    session.run("view", builder.source_view(table_of(session, relation, columns, raw=exact), name))
