"""Excel files as a source: read by DuckDB's extension where it is installed, whole and from one sheet.

Excel knows one type of numbers: a column of whole ones is read as such, or codes like 1 and 2 would be amounts. Rows
without any value, as between or under formatted cells, are no records.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from anonduck.database.connection import Database
from anonduck.errors import QueryError, SourceError
from anonduck.source.columns import check_all_named, sheet_counts
from anonduck.statements import builder_database, relations
from anonduck.statements.column_readings import as_type
from anonduck.statements.column_types import BIGINT, DOUBLE
from anonduck.statements.expansion import Expression, expression, quoted

EXCEL_SUFFIXES = (".xlsx",)
AS_CSV = "save its sheet as CSV, and name that file"
_TO_THE_END = {"stop_at_empty": False}  # by default the extension reads up to the first empty row


def excel_reader(
    database: Database, path: str, files: tuple[Path, ...], text: str
) -> tuple[Expression, list[str | None], tuple[str, ...]]:
    """The reader of the one sheet of an Excel file, the names in its header, and what to say of its rows.

    Raises SourceError for several files or sheets, and where the extension is not installed or cannot read the file.
    """
    if len(files) > 1:
        raise SourceError(f"the source {text} names {len(files)} Excel files; name one, or save their sheets as CSV")
    sheets = _sheets(files[0], text)
    if sheets != 1:
        raise SourceError(
            f"the source {text} has {sheets} sheets; save the one that you mean as CSV, and name that file"
        )
    try:
        database.run(builder_database.LOAD_EXCEL)
    except (QueryError, SourceError):
        raise SourceError(
            f"the source {text} is an Excel file, and DuckDB's extension that reads it is not installed; {AS_CSV}, or "
            "install the extension: `INSTALL excel` in a DuckDB shell"
        ) from None
    header = relations.reader("read_xlsx", path, {"header": False, "all_varchar": True, **_TO_THE_END})
    sheet = relations.reader("read_xlsx", path, {"header": True, **_TO_THE_END})
    try:
        first = database.rows(relations.relation_of(header, 1))
        known = {row[0]: row[1] for row in database.rows(relations.described(sheet))}
        numbers = [name for name, kind in known.items() if kind == DOUBLE]
        empty, *broken = sheet_counts(database, sheet, list(known), numbers)
    except (QueryError, SourceError) as error:
        raise SourceError(f"the source {text} cannot be read as xlsx; {AS_CSV} ({error.words})") from None
    names = list(first[0]) if first else []
    check_all_named(names, text)
    whole = [name for name, count in zip(numbers, broken, strict=True) if not count]
    return _filled_rows(sheet, list(known), whole), names, _remarks(empty)


def _filled_rows(sheet: Expression, columns: Sequence[str], whole: Sequence[str]) -> Expression:
    """The rows of a sheet that have a value, with the ``whole`` columns as whole numbers."""
    read = [
        {"name": name, "value": as_type(quoted(name), BIGINT) if name in whole else quoted(name)} for name in columns
    ]
    rows = 'SELECT each(read, {value} AS "{name}") FROM {sheet} WHERE any_of(columns, "{name}" IS NOT NULL)'
    return expression(f"({rows}) AS sheet", read=read, sheet=sheet, columns=columns)


def _remarks(empty: int) -> tuple[str, ...]:
    if not empty:
        return ()
    rows, are = ("row", "has no value and is") if empty == 1 else ("rows", "have no value and are")
    return (f"{empty:,} {rows} of the sheet {are} left out",)


def _sheets(file: Path, text: str) -> int:
    """How many sheets an Excel file has; raises SourceError for what is none."""
    try:
        with zipfile.ZipFile(file) as parts:
            book = ElementTree.fromstring(parts.read("xl/workbook.xml"))  # noqa: S314 - the user's own file
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError):
        raise SourceError(
            f"the source {text} cannot be read as xlsx; check that it is one and whole, or {AS_CSV}"
        ) from None
    return sum(element.tag.endswith("}sheet") for element in book.iter())
