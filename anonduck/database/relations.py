"""Relations of DuckDB's that become tables of a decision database."""

from __future__ import annotations

import re
from collections.abc import Mapping

import duckdb

from anonduck.database.session import Session
from anonduck.errors import SourceError
from anonduck.statements import builder_source
from anonduck.statements.column_types import NOT_IN_ARROW, TEXT, UUID

STREAM = "relation_stream"


def copied(session: Session, name: str, relation: duckdb.DuckDBPyRelation) -> None:
    """Stream a relation into the table ``name`` by Arrow; types that Arrow lacks travel as text.

    Raises SourceError for a column that would not arrive as it is.
    """
    types = {column: str(kind) for column, kind in zip(relation.columns, relation.types, strict=True)}
    _refuse_lossy(types)
    texts = {column: kind for column, kind in types.items() if kind in NOT_IN_ARROW}
    sent = [duckdb.ColumnExpression(column) for column in types]
    as_text = [one.cast(TEXT).alias(c) if c in texts else one for c, one in zip(types, sent, strict=True)]
    session.register(STREAM, (relation.select(*as_text) if texts else relation).to_arrow_reader())
    try:
        session.raw(builder_source.adopted_table(name, STREAM, texts))
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
