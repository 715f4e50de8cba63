"""The types of columns: their names in DuckDB, and their families, by which values are read and generalized.

No other module spells the name of a type; SQL itself, in `sql/` and in `anonduck.statements`, casts as it needs.
"""

from __future__ import annotations

import re

TEXT = "VARCHAR"
BOOLEAN = "BOOLEAN"
DATE = "DATE"
TIME = "TIME"
STAMP = "TIMESTAMP"
ZONED = "TIMESTAMP WITH TIME ZONE"
ZONED_IN_PARQUET = "TIMESTAMP_MICROS"  # what Spark calls moments in Parquet files that keep their zone
ZONED_TIME = "TIME WITH TIME ZONE"
DURATION = "INTERVAL"
UUID = "UUID"
JSON = "JSON"
UNKNOWN = '"NULL"'

BIGINT = "BIGINT"
DOUBLE = "DOUBLE"
FLOAT = "FLOAT"
DECIMAL = "DECIMAL"
BIGNUM = "BIGNUM"
HUGEINT = "HUGEINT"
UHUGEINT = "UHUGEINT"
ENUM = "ENUM"

UP_TO_64_BITS = ("TINYINT", "SMALLINT", "INTEGER", BIGINT, "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
OF_128_BITS = (HUGEINT, UHUGEINT)
"""Integers that Parquet and Arrow do not have."""

INTEGERS = (*UP_TO_64_BITS, HUGEINT)
WHOLE = (*INTEGERS, UHUGEINT)
FLOATS = (FLOAT, DOUBLE)
SECONDS, MILLISECONDS, NANOSECONDS = "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"
STAMPS = (STAMP, SECONDS, MILLISECONDS, NANOSECONDS)
DATED = (DATE, *STAMPS, ZONED)
TEMPORALS = (DATE, TIME, *STAMPS, ZONED)
TEXTS = (TEXT, UUID, "INET")

NOT_IN_ARROW = (UHUGEINT, "HUGEINT", ZONED_TIME, "BIT", UUID)
"""What Arrow lacks: it would change values or types."""

ALIKE_IN_PARQUET = frozenset((TEXT, BOOLEAN, *UP_TO_64_BITS, *FLOATS, DATE))
"""What Arrow and DuckDB write to Parquet as the same types."""

IN_PARQUET = frozenset((TEXT, BOOLEAN, *UP_TO_64_BITS, *FLOATS, DECIMAL, DATE, *STAMPS))
"""What Parquet holds as it is, by name without parameters."""

LARGEST = {FLOAT: "3.4e38", DOUBLE: "1.7e308"}
"""The largest numbers of floating-point types."""

EXAMPLES = (TEXT, BIGINT, DOUBLE, DATE)
"""Names of types for messages that ask for one."""

_NESTED = re.compile(r"(STRUCT|MAP|UNION|LIST|VARIANT)\b|.*\[\d*\]$")
_BINARY = re.compile(r"(BLOB|BIT|GEOMETRY)\b")
_TEXTS_IN = re.compile(rf"({TEXT}|{ENUM})\b")
_DECIMAL = re.compile(rf"{DECIMAL}\(\d+,\s*(\d+)\)")
_NAMES_IN = re.compile(rf"({ENUM}|STRUCT|UNION|MAP)\(.*\)", flags=re.DOTALL)

IN_DELTA = frozenset(
    (TEXT, BOOLEAN, "TINYINT", "SMALLINT", "INTEGER", BIGINT, *FLOATS, DECIMAL, DATE, STAMP, ZONED, "BLOB")
)


def fits_delta(kind: str) -> bool:
    """Whether a Delta table has a type for what DuckDB writes of a column to Parquet.

    >>> fits_delta("DECIMAL(9,2)"), fits_delta("ENUM('a')"), fits_delta("UINTEGER"), fits_delta("INTEGER[]")
    (True, True, False, False)
    """
    return is_enum(kind) or without_parameters(kind) in IN_DELTA


def is_text(kind: str) -> bool:
    """Whether a type holds text."""
    return kind in TEXTS or is_enum(kind)


def is_enum(kind: str) -> bool:
    """Whether a type holds one of listed texts."""
    return kind.startswith(ENUM)


def holds_texts(kind: str) -> bool:
    """Whether the values of a type are texts, or lists of texts."""
    return bool(_TEXTS_IN.match(kind))


def is_nested(kind: str) -> bool:
    """Whether the values of a type hold further values."""
    return bool(_NESTED.match(kind))


def is_binary(kind: str) -> bool:
    """Whether a type holds bytes, bits or shapes."""
    return bool(_BINARY.match(kind))


def is_numeric(kind: str) -> bool:
    """Whether a type holds numbers."""
    return kind in (*WHOLE, *FLOATS) or (kind.startswith(DECIMAL) and not is_nested(kind))


def is_whole(kind: str) -> bool:
    """Whether a type holds whole numbers alone.

    >>> is_whole("UBIGINT"), is_whole("DECIMAL(9,0)"), is_whole("DECIMAL(9,2)")
    (True, True, False)
    """
    return kind == BIGNUM or decimals_of(kind) == 0


def is_temporal(kind: str) -> bool:
    """Whether a type holds dates or times."""
    return kind in TEMPORALS


def has_order(kind: str) -> bool:
    """Whether a type is numeric or temporal, so that intervals are its default taxonomy."""
    return is_numeric(kind) or is_temporal(kind)


def is_listable(kind: str) -> bool:
    """Whether the values of a type can be the leaves of a ready-made taxonomy: names and codes."""
    return is_enum(kind) or kind in (TEXT, *UP_TO_64_BITS, DOUBLE)


def decimals_of(kind: str) -> int | None:
    """The decimal places of a type: 0 for whole numbers, None for floating point, which has no fixed number.

    >>> decimals_of("DECIMAL(9,2)"), decimals_of("INTEGER"), decimals_of("DOUBLE")
    (2, 0, None)
    """
    found = _DECIMAL.fullmatch(kind)
    if found:
        return int(found[1])
    return 0 if kind in WHOLE else None


def family_of(kind: str) -> str:
    """How texts become values of a type: whole, real, boolean, date, time or text.

    >>> [family_of(kind) for kind in ("UHUGEINT", "DOUBLE", "DATE", "TIMESTAMP WITH TIME ZONE", "ENUM('a')")]
    ['whole', 'real', 'date', 'time', 'text']
    """
    name = without_parameters(kind).upper()
    if name in (*WHOLE, DECIMAL, BIGNUM):
        return "whole"
    if name in FLOATS:
        return "real"
    if name.startswith((TIME, DURATION)):
        return "time"
    return {BOOLEAN: "boolean", DATE: "date"}.get(name, "text")


def without_parameters(kind: str) -> str:
    """The name of a type alone.

    >>> without_parameters("DECIMAL(9,2)")
    'DECIMAL'
    """
    return kind.split("(", maxsplit=1)[0]


def without_names(kind: str) -> str:
    """A type without the values or names that it lists.

    >>> without_names("ENUM('yes', 'no')"), without_names("STRUCT(a INTEGER)[]")
    ('ENUM', 'STRUCT[]')
    """
    return _NAMES_IN.sub(r"\1", kind).strip('"')
