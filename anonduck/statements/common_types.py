"""The narrowest type that holds the values of several: of one column in files that were written with different types.

Which types come into question follows from the types alone. Whether one of them holds all values does only for some:
where it does not, the values are asked (``builder_parquet.misfits``).
"""

from __future__ import annotations

import re
from collections.abc import Collection

from anonduck.statements.column_types import (
    BIGINT,
    DATE,
    DECIMAL,
    DOUBLE,
    FLOAT,
    FLOATS,
    INTEGERS,
    NANOSECONDS,
    STAMP,
    STAMPS,
    TEXT,
    WHOLE,
    decimals_of,
)

WIDEST_DECIMAL = 38
EXACT_DIGITS = {FLOAT: 7, DOUBLE: 15}
"""So many digits of a decimal number come back from a floating-point number unchanged."""
EXACT_BITS = {FLOAT: 24, DOUBLE: 53}

_BITS = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, BIGINT: 63, "HUGEINT": 127}
_UNSIGNED_BITS = {"UTINYINT": 8, "USMALLINT": 16, "UINTEGER": 32, "UBIGINT": 64, "UHUGEINT": 128}
_WIDTH = re.compile(rf"{DECIMAL}\((\d+),\s*\d+\)")


def common_types(kinds: Collection[str]) -> list[str]:
    """The types that may hold all values of some types, the narrowest first; text always does, and is not listed.

    >>> common_types({"BIGINT", "DOUBLE"}), common_types({"DECIMAL(9,2)", "BIGINT"}), common_types({"TINYINT"})
    (['BIGINT', 'DOUBLE'], ['DECIMAL(21,2)'], ['TINYINT'])
    >>> common_types({"DATE", "TIMESTAMP_NS"}), common_types({"BIGINT", "VARCHAR"}), common_types({"BOOLEAN", "BIGINT"})
    (['DATE', 'TIMESTAMP', 'TIMESTAMP_NS'], [], [])
    """
    exact = [kind for kind in kinds if decimals_of(kind) is not None]
    floats = [kind for kind in FLOATS if kind in kinds]
    if len(exact) + len(floats) == len(kinds):
        return _numbers(exact, [*dict.fromkeys((*floats, DOUBLE))] if floats else [])
    if all(kind == DATE or kind in STAMPS for kind in kinds):
        return [one for one in (DATE, STAMP, NANOSECONDS) if one == STAMP or one in kinds]
    return []


def _numbers(exact: list[str], floats: list[str]) -> list[str]:
    scale = max((decimals_of(kind) or 0 for kind in exact), default=0)
    whole = [kind for kind in exact if kind in WHOLE]
    if len(whole) < len(exact):
        width = min(WIDEST_DECIMAL, max(map(_whole_digits, exact)) + scale)
        return floats[-1:] or [f"{DECIMAL}({width},{scale})"]
    if not whole:
        return floats[-1:]
    covering = next((one for one in (*INTEGERS, *WHOLE) if all(holds(one, kind) for kind in whole)), "HUGEINT")
    return [*dict.fromkeys((covering, BIGINT) if floats else (covering,)), *floats]


def holds(kind: str, other: str) -> bool:
    """Whether a type holds every value of another one, as far as the types say.

    >>> holds("DOUBLE", "INTEGER"), holds("DOUBLE", "BIGINT"), holds("DECIMAL(21,2)", "BIGINT"), holds("TEXT", "DATE")
    (True, False, True, False)
    """
    if kind in (other, TEXT):
        return True
    if kind in FLOATS:
        return other == FLOAT or _digits(other) <= EXACT_DIGITS[kind] or _bits(other) <= EXACT_BITS[kind]
    if kind.startswith(DECIMAL) and decimals_of(other) is not None:
        return (decimals_of(kind) or 0) >= (decimals_of(other) or 0) and _whole_digits(kind) >= _whole_digits(other)
    if kind in WHOLE and other in WHOLE:
        return other in _UNSIGNED_BITS and _bits(kind) >= _bits(other) if kind in _UNSIGNED_BITS else _fits(kind, other)
    return kind == STAMP and other in STAMPS and other != NANOSECONDS


def _fits(kind: str, other: str) -> bool:
    return _BITS[kind] >= _bits(other)


def _bits(kind: str) -> int:
    return {**_BITS, **_UNSIGNED_BITS}.get(kind, 1_000)


def _digits(kind: str) -> int:
    found = _WIDTH.fullmatch(kind)
    return int(found[1]) if found else 1_000


def _whole_digits(kind: str) -> int:
    """The digits before the point of the largest value."""
    if kind in WHOLE:
        return len(str((1 << _bits(kind)) - 1))
    return _digits(kind) - (decimals_of(kind) or 0)
