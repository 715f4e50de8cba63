"""The first line of a CSV source, which must name the columns: a record would be lost as a header."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.database.first_lines import Fields, FirstLine, doubted
from anonduck.errors import QueryError, SourceError
from anonduck.source.csv_faults import DIALECT, refuse_ragged, unreadable_csv
from anonduck.statements import relations, statement
from anonduck.statements.expansion import Expression, Lists
from anonduck.statements.literals import literal, literal_path
from anonduck.words import MISSING, NUMBER_OR_DATE

if TYPE_CHECKING:
    from anonduck.config.config import Config

LOOKED_AT = 1_000  # records among which the fields of a header are looked for
# what DuckDB cuts off both ends of a name in a header
BLANKS = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"


def header_names(database: Database, config: Config, file: Path, options: Mapping[str, Any]) -> list[str | None]:
    """The fields of the first line of a file; none of an empty file. Raises SourceError if it cannot be read."""
    try:
        first = database.rows(relations.relation_of(_raw(file, options), 1))
    except (SourceError, QueryError) as error:
        refuse_ragged(database, config, file, options["delim"])
        raise unreadable_csv(file, error) from None
    return _cut(first[0]) if first else []


def refuse_records(
    database: Database, config: Config, files: Sequence[Path], options: Mapping[str, Any], headers: Sequence[Fields]
) -> None:
    """Raise SourceError for a file whose first line looks like a record: as a header it would be lost.

    ``headers`` are the first lines of the files; ``csv: {header: true}`` says that the first one is no record. Its
    fields are not printed: they would be values.
    """
    names = headers[0]
    missing = _missing(config)
    if config.csv.header is None:
        _refuse_record(database, config, files[0], options, FirstLine(names, (), missing))
    for file, others in zip(files[1:], headers[1:], strict=True):
        if set(others) != set(names):
            _refuse_headless(database, files[0], file, options, FirstLine(others, (), missing), names)


def _missing(config: Config) -> frozenset[str]:
    given = config.csv.nullstr or []
    return frozenset({*MISSING, *(text.strip().lower() for text in ([given] if isinstance(given, str) else given))})


def _raw(file: Path, options: Mapping[str, Any]) -> Expression:
    """The reader of all lines of a file, as texts."""
    raw = {"header": False, "all_varchar": True, "strict_mode": True, "null_padding": False, "hive_partitioning": False}
    raw |= {name: options[name] for name in DIALECT if name in options}
    return relations.reader("read_csv", literal_path(file), raw)


def _cut(record: Fields) -> list[str | None]:
    return [None if field is None else field.strip(BLANKS) for field in record]


def _with_records(database: Database, file: Path, options: Mapping[str, Any], line: FirstLine) -> FirstLine:
    try:
        read = database.rows(relations.relation_of(_raw(file, options), LOOKED_AT + 1))[1:]
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


def _proven_throughout(database: Database, file: Path, options: Mapping[str, Any], line: FirstLine) -> bool:
    """Whether the columns that prove a header do so in all records, and none of these is the line again.

    Asked only where the first records alone would make a record of it.
    """
    if len(line.records) < LOOKED_AT:
        return True
    texts = "|".join(map(re.escape, sorted(line.missing)))
    pattern = rf"(?i)(?:\s*|{NUMBER_OR_DATE}|\s*(?:{texts})\s*)"
    read: Lists = {
        "file": [{"reader": _raw(file, options)}],
        "fields": [{"text": literal(field)} for field in line.fields],
        "proving": [{"place": place} for place in line.proving],
    }
    again, *unlike = database.row(statement("source/unlike_first_line.sql", lists=read), {"pattern": pattern})
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
