"""The types of columns: their names in DuckDB, and their families, by which values are read and generalized.

No other module spells the name of a type; SQL itself, in `sql/` and in `anonduck.statements`, casts as it needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable

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
_LISTED = re.compile(r"'((?:[^']|'')*)'")
_PIECES = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|.""", flags=re.DOTALL)
_FIELD = re.compile(r"""((?:"(?:[^"]|"")*"|\w+) )(.*)""", flags=re.DOTALL)
_ITEMS = re.compile(r"(.*)(\[\d*\])", flags=re.DOTALL)
_HOLDER = re.compile(r"(STRUCT|UNION|MAP)\((.*)\)", flags=re.DOTALL)
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


def enum_order(kind: str) -> list[str] | None:
    """The values of an ENUM in its order; None for another type.

    >>> enum_order("ENUM('low', 'mid', 'it''s high')"), enum_order("VARCHAR")
    (['low', 'mid', "it's high"], None)
    """
    if is_nested(kind) or not is_enum(kind):
        return None
    return [value.replace("''", "'") for value in _LISTED.findall(kind)]


def read_type(kind: str) -> str:
    """The type that a column of a source is read as: text for a duration and for an ENUM, at any depth of the latter.

    To DuckDB 30 days equal one month, so that durations would be grouped with others. An ENUM lists the values of all
    records, and values that no record holds: a release of that type would list them too.

    >>> read_type("ENUM('yes', 'no')"), read_type("STRUCT(a ENUM('yes'), b INTEGER)[]"), read_type("DATE")
    ('VARCHAR', 'STRUCT(a VARCHAR, b INTEGER)[]', 'DATE')
    """
    if not is_nested(kind):
        return TEXT if kind == DURATION or is_enum(kind) else kind
    return with_types(kind, lambda held: TEXT if is_enum(held) else held)


def with_types(kind: str, replaced: Callable[[str], str]) -> str:
    """A type, as DuckDB names it, with another in place of each that holds no further ones.

    >>> with_types('STRUCT(a DATE, "b, c" MAP(VARCHAR, TIME WITH TIME ZONE))[3]', str.lower)
    'STRUCT(a date, "b, c" MAP(varchar, time with time zone))[3]'
    """
    if items := _ITEMS.fullmatch(kind):
        return with_types(items[1], replaced) + items[2]
    holder = _HOLDER.fullmatch(kind)
    if holder is None:
        return replaced(kind)
    parts = _parts(holder[2])
    if holder[1] == "MAP":
        return f"MAP({', '.join(with_types(part, replaced) for part in parts)})"
    fields = [found.groups() if (found := _FIELD.fullmatch(part)) else ("", part) for part in parts]
    return f"{holder[1]}({', '.join(name + with_types(held, replaced) for name, held in fields)})"


def _parts(inside: str) -> list[str]:
    """What stands between brackets, cut at the commas that are in no further ones."""
    parts, depth = [""], 0
    for piece in _PIECES.findall(inside):
        depth += {"(": 1, ")": -1}.get(piece, 0)
        if piece == "," and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return [part.strip() for part in parts]
