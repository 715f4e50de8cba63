"""The columns of a warehouse's tables: how each is read, its Arrow type, and values converted to that type.

Those of PostgreSQL come from its catalog, so domains are known by their base type, and views work like tables. In other
warehouses they are the columns of a query without rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from anonduck.engines.adbc_session import ServerSession
from anonduck.engines.protocol import SOURCE
from anonduck.engines.relation import Place, Relation, refuse_alike
from anonduck.engines.warehouse_queries import ReadAs, WarehouseTable, name_of
from anonduck.errors import ConfigError, SourceError
from anonduck.statements import Statement, statement
from anonduck.statements.expansion import Expression, Item, qualified
from anonduck.statements.literals import literal
from anonduck.statements.template import line

STAMP, ZONED = pa.timestamp("us"), pa.timestamp("us", "UTC")
KNOWN: Mapping[str, tuple[Any, ReadAs]] = {
    "bool": (pa.bool_(), "as it is"),
    "int2": (pa.int16(), "as it is"),
    "int4": (pa.int32(), "as it is"),
    "int8": (pa.int64(), "as it is"),
    "float4": (pa.float32(), "as it is"),
    "float8": (pa.float64(), "as it is"),
    "text": (pa.string(), "text"),
    "varchar": (pa.string(), "text"),
    "bytea": (pa.binary(), "as it is"),
    "date": (pa.date32(), "as it is"),
    "time": (pa.time64("us"), "as it is"),
    "timestamp": (STAMP, "as it is"),
    "timestamptz": (ZONED, "as it is"),
}
"""Types with an Arrow type. All others are read as text: char(n) without its padding, enums, citext, JSON."""

CASTS = {
    "smallint": "int2",
    "integer": "int4",
    "int": "int4",
    "bigint": "int8",
    "real": "float4",
    "double precision": "float8",
    "boolean": "bool",
    "decimal": "numeric",
    "varchar": "text",
    "timestamp without time zone": "timestamp",
    "timestamp with time zone": "timestamptz",
}
"""Type names that a cast may use besides those of the catalog."""
MOST_DIGITS = 38
SIZED = re.compile(r"(?:numeric|decimal)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")
EPOCH_DAYS = 10_957
"""From 1970 to 2000, from which PostgreSQL counts. Its driver adds them to infinity too, which then overflows."""
EPOCH = EPOCH_DAYS * 86_400 * 1_000_000
BOUNDS = {
    "date32": (pa.int32(), 32, EPOCH_DAYS, -2_440_588 - 366),
    "timestamp": (pa.int64(), 64, EPOCH, -(2_440_588 + 366) * 86_400 * 1_000_000),
}
"""Per family: the integer, its bits, what is added, and the first day of PostgreSQL (4714 BC), with a year to spare."""


def read_table(session: ServerSession, relation: Relation) -> WarehouseTable:
    """A relation as it is read. Raises SourceError if it does not exist.

    Columns of a domain are cast to the type behind it, because its conditions may list values, which a written table
    would show.
    """
    dialect = session.driver.kind
    if not relation.place.parts:
        raise ConfigError(f"{session.driver.title} has tables, not files; name one, table:schema.table")
    found, bases = _of_catalog(session, relation) if dialect == "postgres" else (_of_rows(session, relation), {})
    casts = dict(relation.casts)
    for name in casts:
        if name not in found:
            raise SourceError(f"{relation} has no column {name!r}")
    found |= {name: _cast(kind) for name, kind in casts.items()}
    refuse_alike(list(found), relation)
    kinds = {name: kind for name, (kind, _) in found.items()}
    readings = {name: reading for name, (_, reading) in found.items()}
    return WarehouseTable(dialect, relation.place.parts, readings, relation.where, bases | casts, kinds)


def _of_catalog(session: ServerSession, relation: Relation) -> tuple[dict[str, tuple[Any, ReadAs]], dict[str, str]]:
    named: list[Item] = [{"relation": literal(qualified(*relation.place.parts))}]
    query = statement("engines/postgres/columns.sql", lists={"named": named})
    rows = session.fetch("describe", query).to_pylist()
    if not rows:
        raise SourceError(
            f"{session.driver.title} has no table {relation}, or none with a column that the user may read; "
            "name it schema.table"
        )
    bases = {row["name"]: row["base"] for row in rows if row["base"] is not None}
    return {row["name"]: _known(row["type"], row["modifier"]) for row in rows}, bases


def _known(kind: str, modifier: int) -> tuple[Any, ReadAs]:
    if kind == "numeric":
        return _numeric((modifier - 4) >> 16 & 0xFFFF, ((modifier - 4) & 0x7FF ^ 0x400) - 0x400, modifier >= 4)
    return KNOWN.get(kind, (pa.string(), "as text"))


def _numeric(precision: int, scale: int, sized: bool) -> tuple[Any, ReadAs]:
    """The reading of a number: exact with a fixed size, else as DOUBLE."""
    if sized and precision <= MOST_DIGITS and 0 <= scale <= precision:
        return pa.decimal128(precision, scale), "as it is"
    return pa.float64(), "double"


def _cast(kind: str) -> tuple[Any, ReadAs]:
    """The Arrow type and the reading of a type that a column is cast to.

    >>> _cast("NUMERIC(10, 2)"), _cast("TEXT")
    ((Decimal128Type(decimal128(10, 2)), 'as it is'), (DataType(string), 'text'))
    """
    name = kind.lower()
    sized = SIZED.fullmatch(name)
    if sized:
        return _numeric(int(sized[1]), int(sized[2] or 0), True)
    name = CASTS.get(name, name)
    return _numeric(0, 0, False) if name == "numeric" else KNOWN.get(name, (pa.string(), "as text"))


def _of_rows(session: ServerSession, relation: Relation) -> dict[str, tuple[Any, ReadAs]]:
    table = name_of(relation.place.parts, session.driver.kind)
    nothing = line("engines/adbc_columns._of_rows", "SELECT * FROM {table} LIMIT 0", table=table)
    schema = session.fetch("describe", nothing).schema
    return {field.name: _of_arrow(field.type) for field in schema}


def _of_arrow(kind: Any) -> tuple[Any, ReadAs]:
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return pa.string(), "text"
    if pa.types.is_primitive(kind) or pa.types.is_decimal(kind) or pa.types.is_binary(kind):
        return kind, "as it is"
    return pa.string(), "as text"


def as_held(name: str, values: Any, kind: Any) -> Any:
    """A column (pyarrow.ChunkedArray) converted to its type. Raises SourceError for values that do not fit."""
    if pa.types.is_decimal(kind):
        return _decimals(name, values, kind)
    if pa.types.is_date32(kind) or pa.types.is_timestamp(kind):
        values = _with_infinity(
            name, _storage(values).cast(kind), "date32" if pa.types.is_date32(kind) else "timestamp"
        )
    try:
        return _storage(values).cast(kind)
    except pa.ArrowInvalid:
        raise _misfit(name, f"its type, {kind}") from None


def _storage(values: Any) -> Any:
    """The storage values of an extension type."""
    if isinstance(values.type, pa.BaseExtensionType):
        stored = [chunk.storage for chunk in values.chunks]
        return pa.chunked_array(stored, values.type.storage_type)
    return values


def _decimals(name: str, values: Any, kind: Any) -> Any:
    try:
        return _storage(values).cast(kind)
    except pa.ArrowInvalid:
        raise _misfit(name, "a decimal number, such as NaN, which double precision holds") from None


def _with_infinity(name: str, values: Any, family: str) -> Any:
    """Days or moments with PostgreSQL's two infinities replaced by DuckDB's."""
    integer, bits, shift, first = BOUNDS[family]
    raw = values.cast(integer)
    largest, smallest = (1 << bits - 1) - 1, -(1 << bits - 1)
    wrapped = {largest + shift - (1 << bits): largest, smallest + shift: -largest}
    for given, held in wrapped.items():
        found = pc.equal(raw, pa.scalar(given, integer))
        raw = pc.if_else(found, pa.scalar(held, integer), raw)
    outside = pc.and_(pc.less(raw, pa.scalar(first, integer)), pc.not_equal(raw, pa.scalar(-largest, integer)))
    if pc.any(outside).as_py():
        raise _misfit(name, "what DuckDB holds, moments until the year 294246")
    return raw.cast(values.type)


def _misfit(name: str, what: str) -> SourceError:
    return SourceError(
        f"column {name!r} holds a value that does not fit {what}; read a view that gives it another type"
    )


def give(session: ServerSession, relation: Relation | None, lookups: Mapping[str, Any], *, raw: bool) -> None:
    """Make SOURCE and the lookups readable for a query of this session; with ``raw``, numbers without a size stay
    exact.
    """
    if relation is not None:
        _view(session, relation, SOURCE, raw=raw)
    for number, (name, table) in enumerate(lookups.items()):
        _leave(session, f"anonduck_stored_{number}", name, table)


def _leave(session: ServerSession, stored: str, name: str, table: Any) -> None:
    """Upload a lookup as a temporary table, and make the view ``name`` on it, whose texts are compared by
    their bytes.
    """
    session.leave(stored, table)
    session.run("lookup", line("engines/adbc_columns._leave", 'ANALYZE "{name}"', name=stored))
    _view(session, Relation(Place((stored,))), name)


def _view(session: ServerSession, relation: Relation, name: str, *, raw: bool = True) -> None:
    """Make a temporary view of a relation as it is read; with ``raw``, numbers without a size stay exact."""
    table = read_table(session, relation)
    session.run("view", made_view(name, (table.exact() if raw else table).as_read()))


def made_view(name: str, rows: Expression) -> Statement:
    """Makes a temporary view of a query of PostgreSQL."""
    return line("engines/adbc_columns.made_view", 'CREATE TEMPORARY VIEW "{name}" AS {rows}', name=name, rows=rows)
