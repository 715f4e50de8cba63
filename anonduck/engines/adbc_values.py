"""Values as ADBC gives them, made those of their columns: numbers that come as text, and what has no end."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from anonduck.errors import SourceError

EPOCH_DAYS = 10_957
"""From 1970 to 2000, where PostgreSQL counts from; its driver adds them to infinity too, and so goes over the end."""
EPOCH = EPOCH_DAYS * 86_400 * 1_000_000
BOUNDS = {
    "date32": (pa.int32(), 32, EPOCH_DAYS, -2_440_588 - 366),
    "timestamp": (pa.int64(), 64, EPOCH, -(2_440_588 + 366) * 86_400 * 1_000_000),
}
"""Per family: the integer, its bits, what is added, and the first day of PostgreSQL (4714 BC), with a year to spare."""


def as_held(name: str, values: Any, kind: Any) -> Any:
    """A column (pyarrow.ChunkedArray) as values of its type; raises SourceError for what it cannot hold."""
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
    """The values of an extension type as those that they are stored as."""
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
    """Days or moments, of which the two infinite ones are DuckDB's."""
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
