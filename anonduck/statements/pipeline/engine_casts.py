"""Casts that give the same value in an engine as in DuckDB, or stop there: the config's `types` for an engine."""

from __future__ import annotations

from anonduck.statements import column_types
from anonduck.statements.column_types import BOOLEAN, DATE, DOUBLE, FLOAT, STAMP, without_parameters
from anonduck.statements.pipeline.engines import Engine, family_of

ALIKE = frozenset(
    {
        *(("text", to) for to in ("text", "whole", "decimal", "double", "date")),
        *(("whole", to) for to in ("text", "whole", "decimal", "double")),
        *(("date", to) for to in ("text", "date", "stamp")),
        *(("decimal", "double"), ("float", "double"), ("stamp", "date"), ("boolean", "text")),
        *((one, one) for one in ("double", "float", "boolean", "stamp", "decimal")),
    }
)
"""Families of types: from, to. Others round, pad or read by the zone of a session in one engine and not in another."""

NAMED = frozenset({"SMALLINT", "INTEGER", "BIGINT", column_types.DECIMAL, BOOLEAN, DATE, DOUBLE})
"""Types that engines call as DuckDB does."""


def cast_type(engine: Engine, name: str, kind: str, to: str) -> str:
    """What an engine calls the type that a column is cast to; raises DialectError for a cast that is not on the list.

    >>> from anonduck.statements.pipeline.engines import engine_named
    >>> cast_type(engine_named("spark"), "age", "VARCHAR", "INTEGER"), cast_type(engine_named("spark"), "n", "BIGINT",
    ... "VARCHAR")
    ('INTEGER', 'STRING')
    """
    families = (family_of(kind), family_of(to))
    if families not in ALIKE or (families[1] == "decimal" and "(" not in to):
        raise engine.refusal(
            f"types.{name}: a cast from {column_types.without_names(kind)} to {column_types.without_names(to)}",
            "it is not on the list of casts that give the same there; cast it in a view",
        )
    if to in (column_types.TEXT, STAMP):
        return engine.types[families[1]]
    if to == DOUBLE:
        return engine.types["double"]
    if without_parameters(to) not in NAMED or to == FLOAT:
        raise engine.refusal(f"types.{name}: the type {to}", "it has none of the same values; name another")
    return to
