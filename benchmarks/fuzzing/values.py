"""Values of every type that a source may have, as texts that DuckDB casts; tokens are known by their bytes."""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Callable
from random import Random

from tricky import TEXTS

ODD = (
    *TEXTS,
    *("a,b", "-0.0", "nan", "*", "12***", "[0, 5)", "(-inf, 3)", "nurse +1", "group 1", "\x01\x02", "\u200b", "\r\n"),
    *("A", "a", "\u0130", "i", "caf\u00e9", unicodedata.normalize("NFD", "caf\u00e9"), "cafe", "\u00c4pfel", "Apfel"),
)
"""Texts that some collation calls the same, or that look like numbers, labels or SQL."""

FAMILIES = (
    ("nurse", "Nurse", "NURSE", "nurse ", " nurse", "nu\u0280se"),
    ("caf\u00e9", unicodedata.normalize("NFD", "caf\u00e9"), "cafe", "CAF\u00c9", "Cafe"),
    ("\u00c4pfel", "Apfel", "apfel", "\u00e4pfel", "stra\u00dfe", "strasse", "STRASSE"),
    ("", " ", "  ", "\t", "\n", "\u00a0", "\u200b", "\x00a", "\x01"),
    ("0", "00", "-0.0", "0.0", "-0", "0e0", "1", "1.0", "01", "nan", "NaN", "inf"),
    ("*", "**", "[0, 5)", "(-inf, 3)", "nurse +1", "group 1", "12***", "12", "NULL", "null", "None"),
    ("'", "''", '"', '""', "\\", "\\\\", "a,b", 'a"b', "a'b", "--", ";", "%", "_"),
)
"""Texts that are easily taken for each other."""

NUMBERS = (("-0.0", "0.0"), ("nan", "inf", "-inf", "0.0"), ("-0.0", "0.0", "1e-30", "nan"), ("0.1", "0.10000001"))
"""The same for floating-point numbers."""

NAMES = (
    *("a b", 'sel"ect', "it's", "na\u00efve", "SELECT", "a.b", "a=b", "x,y", "records", "#records", "k", "label"),
    *("rowid", "level_0", "$x", "100%", "{q}", "size", "class id", "leaf", "n", "a;b", "-- c", "node", "weight"),
)
"""Names of columns that a query may stumble over."""

INTEGERS = {
    "TINYINT": (-128, 127),
    "SMALLINT": (-(2**15), 2**15 - 1),
    "INTEGER": (-(2**31), 2**31 - 1),
    "BIGINT": (-(2**63), 2**63 - 1),
    "HUGEINT": (-(2**127), 2**127 - 1),
    "UTINYINT": (0, 255),
    "USMALLINT": (0, 2**16 - 1),
    "UINTEGER": (0, 2**32 - 1),
    "UBIGINT": (0, 2**64 - 1),
    "UHUGEINT": (0, 2**128 - 1),
}
FLOATS = ("nan", "inf", "-inf", "-0.0", "0.0", "0.1", "1.5", "-2.25", "3.0", "1e30", "1e-30", "16777217", "42", "7.125")
DATES = ("2024-02-29", "1970-01-01", "1899-12-31", "0044-03-15 (BC)", "9999-12-31", "infinity", "-infinity")
TIMES = ("00:00:00", "23:59:59.999999", "12:30:00", "12:30:00.000001", "24:00:00")
INTERVALS = ("1 month", "30 days", "1 day", "24 hours", "00:00:01", "1 year 2 days", "12 months")
BLOBS = ("", "\\x00", "\\x00\\xFF", "abc", "ABC", "abc\\x00", "\\xC3\\xA9", "e")
BITS = ("0", "1", "00", "0101", "1111")


def integers(kind: str) -> Callable[[Random], str]:
    """A maker of whole numbers of a type: near zero, at its ends, or anywhere."""
    low, high = INTEGERS[kind]

    def draw(random: Random) -> str:
        near = max(low, min(high, random.randint(-3, 40)))
        return str(random.choice((near, near, near, low, high, random.randint(low, high))))

    return draw


def decimals(width: int, scale: int) -> Callable[[Random], str]:
    """A maker of decimals."""

    def draw(random: Random) -> str:
        unscaled = random.choice((random.randint(-9, 99), 10**width - 1, 1 - 10**width, 0, 10**scale))
        sign, digits = "-" if unscaled < 0 else "", str(abs(unscaled)).rjust(scale + 1, "0")
        return f"{sign}{digits[:-scale]}.{digits[-scale:]}"

    return draw


def choice(values: tuple[str, ...]) -> Callable[[Random], str]:
    """A maker that picks one of some values."""
    return lambda random: random.choice(values)


def date(random: Random) -> str:
    """A date: a usual one, or an odd one."""
    return random.choice((*DATES, *(f"20{random.randint(10, 25)}-{random.randint(1, 12):02}-15" for _ in range(9))))


def moment(random: Random) -> str:
    """A time stamp that every unit and pandas can hold."""
    day = f"20{random.randint(10, 25)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    return f"{day} {random.choice(('00:00:00', '23:59:59', '12:30:00.5', '08:15:00.000001'))}"


MAKERS: dict[str, Callable[[Random], str]] = {
    **{kind: integers(kind) for kind in INTEGERS},
    **{f"DECIMAL({width}, {scale})": decimals(width, scale) for width, scale in ((4, 1), (9, 2), (18, 3), (38, 10))},
    "FLOAT": choice(FLOATS),
    "DOUBLE": choice(FLOATS),
    "BOOLEAN": choice(("true", "false")),
    "VARCHAR": choice(ODD),
    "ENUM": choice(ODD),
    "UUID": lambda random: str(uuid.UUID(int=random.getrandbits(128))),
    "DATE": date,
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ"), moment),
    "TIME": choice(TIMES),
    "INTERVAL": choice(INTERVALS),
    "BLOB": choice(BLOBS),
    "BIT": choice(BITS),
}
"""How a value of each type is drawn."""


def token(kind: str, column: int, random: Random) -> str | None:
    """A value that is found again by its bytes wherever it stands; None of types that have none."""
    if kind in ("VARCHAR", "ENUM"):
        return f"Tk{column}x{random.getrandbits(40):010x}"
    if kind in ("INTEGER", "BIGINT", "HUGEINT", "UINTEGER", "UBIGINT"):
        return str(random.randint(10**8, 2 * 10**9))
    return None


def domain(kind: str, column: int, random: Random, size: int) -> tuple[list[str], set[str]]:
    """Distinct values of a type, those that are tokens among them apart."""
    held: dict[str, None] = {}
    families = {"VARCHAR": FAMILIES, "ENUM": FAMILIES, "FLOAT": NUMBERS, "DOUBLE": NUMBERS}.get(kind)
    family = random.choice(families) if families and random.random() < 0.5 else None
    tokens: set[str] = set()
    for _ in range(size):
        rare = token(kind, column, random) if random.random() < 0.4 else None
        if rare is not None:
            tokens.add(rare)
        usual = random.choice(family) if family else MAKERS[kind](random)
        held[usual if rare is None else rare] = None
    return list(held), tokens
