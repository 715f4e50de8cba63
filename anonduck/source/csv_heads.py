"""The first line of a CSV file: whether it names the columns or is a record, which would be lost as a header.

A column whose first field is a word while all others are numbers or dates proves a header. A first field that is
itself a number, a date or a marker of a missing value proves a record. Where neither is so, half of the fields must
not be among the values of their columns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.errors import QueryError, SourceError
from anonduck.source.csv_faults import DIALECT, refuse_ragged, unreadable_csv
from anonduck.statements import builder_source
from anonduck.statements.literals import literal_path
from anonduck.words import MISSING, NUMBER_OR_DATE, looks_like_value

if TYPE_CHECKING:
    from anonduck.config.config import Config

LOOKED_AT = 1_000  # records among which the fields of a header are looked for
# what DuckDB cuts off both ends of a name in a header
BLANKS = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"

Fields = Sequence[str | None]


@dataclass(frozen=True)
class FirstLine:
    """The fields of a first line, beside the first records under it; ``missing`` are texts that stand for NULL."""

    fields: Fields
    records: Sequence[Fields]
    missing: Collection[str] = MISSING

    @property
    def like_values(self) -> list[int]:
        """The places of fields that no header has: missing values, and numbers or dates over such."""
        return [place for place, field in enumerate(self.fields) if field and self._is_value(place, field)]

    @property
    def repeated(self) -> list[int]:
        """The places of fields that occur again in their columns."""
        found = ((place, field) for place, field in enumerate(self.fields) if field)
        return [place for place, field in found if any(record[place] == field for record in self.records)]

    @property
    def proving(self) -> list[int]:
        """The places of words over nothing but numbers and dates, where the line can be a header at all."""
        names = {(field or "").lower() for field in self.fields}
        again = any(tuple(record) == tuple(self.fields) for record in self.records)
        if len(names) < len(self.fields) or "" in names or again:
            return []
        return [place for place, field in enumerate(self.fields) if field and self._is_named(place, field)]

    def _values(self, place: int) -> list[str]:
        texts = (record[place] for record in self.records)
        return [text for text in texts if text and text.strip() and text.strip().lower() not in self.missing]

    def _is_value(self, place: int, field: str) -> bool:
        values = self._values(place)
        typed = looks_like_value(field) and (not values or any(map(looks_like_value, values)))
        return typed or field.lower() in self.missing

    def _is_named(self, place: int, field: str) -> bool:
        values = self._values(place)
        return (field[0].isalpha() or field[0] == "_") and bool(values) and all(map(looks_like_value, values))


def header_names(database: Database, config: Config, file: Path, options: Mapping[str, Any]) -> list[str | None]:
    """The fields of the first line of a file; none of an empty file. Raises SourceError if it cannot be read."""
    try:
        first = database.rows(builder_source.relation_of(_raw(file, options), 1))
    except (SourceError, QueryError) as error:
        refuse_ragged(database, config, file, options["delim"])
        raise unreadable_csv(file, error) from None
    return _cut(first[0]) if first else []


def refuse_records(
    database: Database, config: Config, files: Sequence[Path], options: Mapping[str, Any], names: Fields
) -> None:
    """Raise SourceError for a file whose first line looks like a record: as a header it would be lost.

    ``csv: {header: true}`` says that the ``names`` of the first file are none. Its fields are not printed: they would
    be values.
    """
    missing = _missing(config)
    if config.csv.header is None:
        _refuse_record(database, config, files[0], options, FirstLine(names, (), missing))
    for file in files[1:]:
        others = header_names(database, config, file, options)
        if set(others) != set(names):
            _refuse_headless(database, files[0], file, options, FirstLine(others, (), missing), names)


def _missing(config: Config) -> frozenset[str]:
    given = config.csv.nullstr or []
    return frozenset({*MISSING, *(text.strip().lower() for text in ([given] if isinstance(given, str) else given))})


def _raw(file: Path, options: Mapping[str, Any]) -> Any:
    """The reader of all lines of a file, as texts."""
    raw = {"header": False, "all_varchar": True, "strict_mode": True, "null_padding": False}
    raw |= {name: options[name] for name in DIALECT if name in options}
    return builder_source.reader("read_csv", literal_path(file), raw)


def _cut(record: Fields) -> list[str | None]:
    return [None if field is None else field.strip(BLANKS) for field in record]


def _with_records(database: Database, file: Path, options: Mapping[str, Any], line: FirstLine) -> FirstLine:
    try:
        read = database.rows(builder_source.relation_of(_raw(file, options), LOOKED_AT + 1))[1:]
    except (SourceError, QueryError):  # which line is broken is said where the columns are read
        read = []
    return FirstLine(line.fields, [_cut(record) for record in read], line.missing)


def _refuse_record(
    database: Database, config: Config, file: Path, options: Mapping[str, Any], first: FirstLine
) -> None:
    """Raise SourceError for a header that looks like a record."""
    line = _with_records(database, file, options, first)
    alike = doubted(line)
    if not alike and (not line.proving or 2 * len(line.repeated) < len(line.fields)):
        return
    if not alike and _proven_throughout(database, file, options, line):
        return
    skipped = f", after {config.csv.skip:,} that are skipped," if config.csv.skip else ""
    raise SourceError(
        f"the first line of {file.name}{skipped} looks like a record, not like a header: "
        f"{len(alike or line.repeated)} of its {len(line.fields)} fields are like values of their columns. Where it is "
        "the header, say so, `csv: {header: true}`; where the file has none, `csv: {header: false}`; where too many "
        "lines are skipped, correct `csv: {skip: N}`"
    )


def doubted(line: FirstLine) -> list[int]:
    """The places of the fields by which a first line is a record; none where it is the header.

    >>> doubted(FirstLine(["a", "b", "y"], [["1", "b", "y"], ["2", "a", "y"]]))
    []
    >>> doubted(FirstLine(["N/A", "34", "Rome"], [["1", "35", "Rome"], ["2", "36", "Oslo"]]))
    [0, 1, 2]
    """
    values, repeated = line.like_values, line.repeated
    if not values and (line.proving or 2 * len(repeated) < len(line.fields)):
        return []
    return sorted({*values, *repeated})


def _proven_throughout(database: Database, file: Path, options: Mapping[str, Any], line: FirstLine) -> bool:
    """Whether the columns that prove a header do so in all records, and none of these is the line again.

    Asked only where the first records alone would make a record of it.
    """
    if len(line.records) < LOOKED_AT:
        return True
    texts = "|".join(map(re.escape, sorted(line.missing)))
    pattern = rf"(?i)(?:\s*|{NUMBER_OR_DATE}|\s*(?:{texts})\s*)"
    asked = builder_source.unlike_first_line(_raw(file, options), line.fields, line.proving, pattern)
    again, *unlike = database.row(asked)
    return again <= 1 and any(count == 1 for count in unlike)


def _refuse_headless(
    database: Database, first: Path, file: Path, options: Mapping[str, Any], line: FirstLine, names: Fields
) -> None:
    """Raise SourceError for a further file whose first line is a record: it would be lost as a header."""
    if set(line.fields) & set(names) and not doubted(_with_records(database, file, options, line)):
        return
    raise SourceError(
        f"the first line of {file.name} is not the header that {first.name} has. Where the file has none, write the "
        "header above it, or join the files to one; where it names other columns, name files of one export"
    )
