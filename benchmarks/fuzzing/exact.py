"""Whether a release shows exactly what the files of an export hold, value by value."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from .exports import FOUR_DIGITS, VALUES, Export
from .released import Finding

DOUBLE_DIGITS = 17
SHOWN = 3
"""Differences of a column that a finding names."""


def released_records(path: Path) -> dict[str, dict[str, Any]]:
    """The records of a release, by their number."""
    if path.suffix == ".parquet":
        rows = pq.read_table(path).to_pylist()
    else:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    return {str(row["row"]): row for row in rows}


def differences(export: Export, path: Path) -> Iterator[Finding]:
    """What a release shows otherwise than its source holds it."""
    shown = released_records(path)
    held = {str(row["row"]).strip(): row for row in export.records}
    if shown.keys() != held.keys():
        yield Finding("records", f"{len(held)} records became {len(shown)}")
        return
    for name in (*VALUES, "c"):
        pairs = [(held[row].get(name), shown[row].get(name)) for row in held]
        wrong = _changed(export, name, pairs)
        if wrong:
            listed = "; ".join(f"{old!r} is released as {new!r}" for old, new in wrong[:SHOWN])
            yield Finding("value changed", f"{export.kind}, column {name}, {len(wrong)} records: {listed}")


def _changed(export: Export, name: str, pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    text_alone = name in export.config.get("types", {})
    if not export.written and name not in export.config.get("dates", {}):
        return [pair for pair in pairs if not same(*pair) or (text_alone and not isinstance(pair[1], str | None))]
    reading = reading_of(export, name, [old for old, _ in pairs if old])
    if text_alone:
        return [pair for pair in pairs if (reading.held(pair[0]) or "") != (pair[1] or "")]
    wrong = [pair for pair in pairs if not reading.shows(*pair)]
    return wrong or list(reading.merged(pairs))


# -- values with types -------------------------------------------------------------------------------------------------


def number(value: Any) -> Decimal | None:
    """A number, or the number that a text is, exactly as it is written."""
    try:
        return Decimal(repr(value) if isinstance(value, float) else str(value).strip())
    except InvalidOperation:
        return None


def same(value: Any, shown: Any) -> bool:
    """Whether a value with a type is shown: as itself, or as its text.

    >>> same(1, 1.0), same(1.4, 1), same(True, "true"), same("01069", "1069"), same(None, "")
    (True, False, True, False, True)
    """
    if value is None or shown is None:
        return value is shown or (value or "") == (shown or "") == ""
    if isinstance(value, bool) or isinstance(shown, bool):
        return str(value).lower() == str(shown).lower()
    if isinstance(value, float):
        return _same_float(value, shown)
    if isinstance(value, int | Decimal):
        return number(shown) == value or _same_double(value, shown)
    if isinstance(value, str | date | time):
        return shown == value or (not isinstance(shown, int | float | Decimal) and _moment_of(str(value), shown))
    return _nested(value) == _nested(shown)


def _same_double(value: int | Decimal, shown: Any) -> bool:
    """Whether a number of JSON is shown as the double that up to 17 digits are written for."""
    digits = str(value).lower().partition("e")[0].replace(".", "").strip("-0")
    short = isinstance(value, Decimal) and len(digits) <= DOUBLE_DIGITS
    return short and number(shown) is not None and float(value) == float(shown)


def _same_float(value: float, shown: Any) -> bool:
    if isinstance(shown, int | Decimal):
        return shown in (Decimal(value), Decimal(repr(value)))
    try:
        read = float(shown)
    except ValueError:
        return False
    return repr(read) == repr(value) or read == value or (isinstance(shown, str) and float(np.float32(read)) == value)


def _moment_of(text: str, shown: Any) -> bool:
    """Whether a moment is shown that a text is written as, by the standard; a date may be shown as its midnight."""
    read, other = moment(text), moment(str(shown))
    return read is not None and read == other


def moment(text: str) -> datetime | time | None:
    """The moment or time of day that a text says, as the standard writes it."""
    text = re.sub(r"(\.\d{6})\d+|(?<=\d\d)([+-]\d\d)$", lambda found: found[1] or f"{found[2]}:00", text.strip())
    for read in (datetime.fromisoformat, time.fromisoformat):
        try:
            return read(text.replace("Z", "+00:00"))
        except ValueError:
            continue
    return None


def _nested(value: Any) -> str:
    """What lists and objects say, without how it is written."""
    return re.sub(r"[\s\"'{}\[\]:,]|Decimal|[()]", "", str(value))


# -- texts -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """What the texts of a CSV column may be shown as: the texts that are NULL, separators, and formats of dates."""

    null: frozenset[str]
    thousands: str
    decimal: str
    formats: tuple[str, ...] = field(default=())
    latest: int | None = None
    stated: bool = False

    def held(self, text: str | None) -> str | None:
        """A text, unless it stands for NULL."""
        return None if not text or text in self.null else text

    def number(self, text: str) -> Decimal | None:
        """The number that a text is by the separators; None for codes, which say more."""
        groups = rf"[1-9]\d{{0,2}}({re.escape(self.thousands)}\d{{3}})+" if self.thousands else "[1-9]"
        shape = rf"-?({groups}|0|[1-9]\d*)?({re.escape(self.decimal)}\d*)?([eE][+-]?\d+)?"
        text = text.strip(" ")
        if not re.fullmatch(shape, text, flags=re.ASCII):
            return None
        return number((text.replace(self.thousands, "") if self.thousands else text).replace(self.decimal, "."))

    def moments(self, text: str) -> list[datetime | time]:
        """The moments that a text may be."""
        found: list[datetime | time] = []
        for form in self.formats:
            read = _strptime(text.strip(" "), form)
            if read is not None:
                found.append(read.replace(year=self._year(read.year)))
        standard = None if self.stated else moment(text)
        return [*found, *([] if standard is None else [standard])]

    def _year(self, year: int) -> int:
        return year - 100 if self.latest is not None and year > self.latest else year

    def shows(self, text: str | None, shown: Any) -> bool:
        """Whether a text is shown as it is, or as the number or moment that it is."""
        held = self.held(text)
        if held is None or shown is None or shown == "":
            return held is None and shown in (None, "")
        if self.stated:
            return moment(str(shown)) in self.moments(held)
        if shown == held:
            return True
        read = self.number(held)
        if read is not None and not isinstance(shown, bool):
            return number(shown) == read
        if held.strip(" ").lower() == "nan":
            return str(shown) == "nan"
        found = moment(str(shown))
        return found is not None and found in self.moments(held)

    def merged(self, pairs: list[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        """Texts of numbers that are shown as one value and are written in several ways, but for blanks, the sign of
        zero and separators of thousands."""
        texts: dict[str, set[str]] = {}
        for old, new in pairs:
            held = self.held(old)
            if held is not None and self.number(held) is not None:
                plain = held.strip(" ").replace(self.thousands, "") if self.thousands else held.strip(" ")
                texts.setdefault(str(new), set()).add(plain.lstrip("-") if not self.number(held) else plain)
        yield from ((sorted(written), shown) for shown, written in texts.items() if len(written) > 1)


def _strptime(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


def reading_of(export: Export, name: str, texts: list[str]) -> Reading:
    """How the texts of a column may be read, by the config of an export and, for four-digit years, by all of them."""
    given = export.config.get("csv", {})
    null = given.get("nullstr", [])
    null = frozenset([null] if isinstance(null, str) else null)
    separators = (null, given.get("thousands", ""), given.get("decimal_separator", "."))
    stated = export.config.get("dates", {}).get(name)
    if stated:
        return Reading(*separators, (stated["format"],), stated.get("latest"), stated=True)
    held = [text.strip(" ") for text in texts if text not in null]
    days_first = sorted(FOUR_DIGITS, key=lambda form: form.startswith("%m"))
    fitting = [form for form in days_first if all(_strptime(text, form) for text in held)]
    return Reading(*separators, tuple(fitting[:1]))
