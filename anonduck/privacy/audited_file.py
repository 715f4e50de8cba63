"""The audited file, opened as the temporary view `release`; nothing else is opened."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonduck.database.attachments import spellings
from anonduck.database.connection import Database
from anonduck.database.encodings import UTF8, ReadableTexts, beginning, blank_lines, readable_texts
from anonduck.database.first_lines import FirstLine
from anonduck.database.lake_tables import is_lake_table, open_lake, refuse_lake_files
from anonduck.database.parquet_files import listed as some_of
from anonduck.database.parquet_files import parquet_groups, united_parquet
from anonduck.errors import AuditError, DatabaseError, QueryError, SourceBusy, SourceError, check_path, kind_for
from anonduck.statements import builder_database, line, statement
from anonduck.statements.column_readings import AS_IT_IS, ColumnReading
from anonduck.statements.column_types import DURATION, FLOATS, TEXT
from anonduck.statements.expansion import Expression, expression, qualified, quoted
from anonduck.statements.literals import literal, literal_path
from anonduck.statements.relations import reader, rows_of, view_of
from anonduck.words import broken_name

PARQUET = (".parquet", ".pq")
CSV = (".csv", ".csv.gz")
TSV = (".tsv", ".tsv.gz")
ALLOWED = f"{', '.join((*PARQUET, *CSV, *TSV))}, a folder of Parquet files, or FILE.duckdb::TABLE"

DETACH = line("privacy/audited_file.DETACH", "DETACH DATABASE IF EXISTS audited")
SEPARATORS = (",", ";", "\t", "|")
HEADER_BYTES = 1 << 20  # how much of a CSV file is read to find its separator and header
HEADER_RECORDS = 100

AUDITED, REGISTERED = "audited", "released"
TEXTS_OF_CSV = """read_csv(
    {path},
    columns = {each(columns, {column}: 'VARCHAR')},
    delim = {delim}, quote = '"', escape = '"', header = true, skip = {skip}, encoding = {encoding},
    nullstr = '', allow_quoted_nulls = false, auto_detect = false, hive_partitioning = false
)"""
"""A CSV file with a header: all columns are texts, of which an empty one is NULL without quotes."""


@dataclass(frozen=True)
class OpenedRelease:
    """What the view `release` shows: a file by its name (None for a table), as which relation, and how it is read.

    A table of a DuckDB file is named as it is where that file is the database.
    """

    file: str | None
    relation: Expression
    reading: ColumnReading = AS_IT_IS


@contextmanager
def open_release(
    work: Database,
    target: object,
    delim: str | None,
    *,
    noun: str = "audited table",
    hint: str = "set it with `delim`",
    one_zero: bool = False,
) -> Iterator[OpenedRelease]:
    """Open a target as the view `release` for the duration of the block.

    ``noun`` is what errors call a table, ``hint`` what they suggest about the separator of a CSV file. Minus zero is a
    value of its own, as a reader sees it; with ``one_zero`` it is zero, as in a source. Texts are compared by their
    bytes.

    Raises:
        AuditError: the target is missing or cannot be read, even if that only shows inside the block.
    """
    file = str(target) if isinstance(target, (str, Path)) else None
    whose = file or "the table"
    copies = ExitStack()  # in UTF-8, of what DuckDB cannot read
    try:
        if file is None:
            work.register(REGISTERED, target)
            yield _viewed(work, None, quoted(REGISTERED), one_zero)
        else:
            yield _open(work, file, delim, one_zero, copies)
    except (SourceError, QueryError) as error:
        fields = error.fields if isinstance(error, SourceError) else None
        words = error.words if isinstance(error, QueryError) else fields or "its content does not fit its format"
        if file is None and isinstance(error, SourceError):
            raise AuditError(str(error).replace("the source", f"the {noun}", 1)) from None
        raise AuditError(f"{whose} cannot be read as {_format(file, hint)}: {words}") from None
    finally:
        work.drop_view("release")
        work.run(DETACH)
        copies.close()


def _open(work: Database, file: str, delim: str | None, one_zero: bool, copies: ExitStack) -> OpenedRelease:
    if is_lake_table(file):
        return _viewed(work, file, _lake_stream(work, file), one_zero)
    check_path(file, AuditError)
    path, _, table = (file, "", "") if Path(file).exists() else file.partition("::")
    if Path(path).is_dir() or path.lower().endswith(PARQUET):
        refuse_lake_files([path], path, AuditError)
    parts = _parts(path)
    if not parts:
        _check_file(path)
    name = Path(path).name.lower()
    if parts:
        return _viewed(work, file, _parts_united(work, parts, path), one_zero)
    if table:
        return _open_table(work, file, path, table, one_zero)
    if name.endswith(PARQUET):
        return _viewed(work, file, _parquet([path]), one_zero)
    if name.endswith((*CSV, *TSV)):
        relation = _texts(work, Path(path), delim or _suggested(path), copies)
        _view(work, relation, AS_IT_IS)
        return OpenedRelease(file, relation)
    raise AuditError(f"the suffix of {path} does not tell its format; allowed are {ALLOWED}")


def _parquet(paths: Sequence[str]) -> Expression:
    return reader("read_parquet", [literal_path(path) for path in paths], {"hive_partitioning": False})


def _parts_united(work: Database, parts: Sequence[str], folder: str) -> Expression:
    """The parts of one table, whose columns may have other types in some of them."""
    if len(parts) == 1:
        return _parquet(parts)

    def refuse(lacking: Mapping[str, Sequence[str]]) -> None:
        named = "; ".join(f"{name!r} is not in {some_of(files)}" for name, files in lacking.items())
        raise AuditError(
            f"the files of {folder} do not have the same columns: {named}. Name the folder of one table's files alone"
        )

    groups = parquet_groups(work, parts)
    return _parquet(parts) if len(groups) == 1 else united_parquet(work, groups, refuse).relation


def _texts(work: Database, path: Path, separator: str | None, copies: ExitStack) -> Expression:
    """The columns of a CSV file as texts."""
    text = _readable(work, path, copies)
    encoding = text.encoding or UTF8
    head = _header(text.files[0], separator, encoding)
    work.remarks.extend(head.remarks)
    return expression(
        TEXTS_OF_CSV,
        path=literal(literal_path(text.files[0])),
        columns=[{"column": literal(name)} for name in head.columns],
        delim=literal(head.separator),
        encoding=literal(encoding),
        skip=head.blank_lines,
    )


def _readable(work: Database, path: Path, copies: ExitStack) -> ReadableTexts:
    """A text file as DuckDB can read it; what it was taken for is noted among the remarks of ``work``."""
    try:
        text = readable_texts([path], None, lambda: copies.enter_context(work.private_folder()))
    except SourceError as error:
        raise AuditError(f"{path} {error.fields}; save it as UTF-8") from None
    work.remarks.extend(text.remarks)
    return text


def _lake_stream(work: Database, text: str) -> Expression:
    try:
        opened = open_lake(text, Path())
    except SourceError as error:
        raise kind_for(AuditError, error)(str(error)) from None
    work.register(REGISTERED, opened.stream)
    return quoted(REGISTERED)


def _viewed(
    work: Database, file: str | None, relation: Expression, one_zero: bool, *, stored: bool = False
) -> OpenedRelease:
    """Make the view, such that values which look different differ in DuckDB; only ``stored`` tables have collations."""
    _view(work, relation, AS_IT_IS)
    reading = _reading(work, one_zero, stored)
    if reading != AS_IT_IS:
        _view(work, relation, reading)
    return OpenedRelease(file, relation, reading)


def _view(work: Database, relation: Expression, reading: ColumnReading) -> None:
    work.run(view_of(rows_of(relation, reading=reading), "release"))


def _reading(work: Database, one_zero: bool, stored: bool) -> ColumnReading:
    """How the columns of the view are read.

    Durations are read as text, because DuckDB treats 30 days and one month as equal. So are floating-point columns with
    minus zero, which equals zero. Texts are read without their collations.
    """
    kinds = dict(work.rows(statement("privacy/release_columns.sql")))
    floats = [name for name, kind in kinds.items() if kind in FLOATS]
    texts = [name for name, kind in kinds.items() if kind == DURATION]
    if floats and not one_zero:
        text = 'SELECT each(floats, coalesce(bool_or("{name}" = 0 AND signbit("{name}")), FALSE) AS c_{n}) FROM release'
        held = work.row(line("privacy/audited_file._reading", text, floats=floats))
        texts += [name for name, minus_zero in zip(floats, held, strict=True) if minus_zero]
    collated = dict(work.rows(statement("database/collated_columns.sql"), {"view": "release"})) if stored else {}
    return ColumnReading(dict.fromkeys(texts, TEXT), collated, tuple(floats) if one_zero else ())


def _parts(path: str) -> list[str]:
    """The Parquet files of a folder, which are the parts of one table, as Spark writes it; none for a file.

    Raises AuditError for a folder with folders of further files: their names hold a column that the files lack.
    """
    folder = Path(path)
    if not folder.is_dir():
        return []
    found = [str(one) for one in sorted(folder.iterdir()) if one.name.lower().endswith(PARQUET) and one.is_file()]
    deeper = [one for one in folder.iterdir() if one.is_dir() and not one.name.startswith(("_", "."))]
    if found and deeper:
        raise AuditError(
            f"{path} has folders beside its Parquet files; name the folder that holds one table's files alone"
        )
    for part in found:
        _check_file(part)
    return found


def is_text_file(file: str | None) -> bool:
    """Whether all columns of a file are read as texts."""
    return file is not None and "::" not in file and file.lower().endswith((*CSV, *TSV))


def _suggested(file: str) -> str | None:
    """The separator that a file's name says."""
    return "\t" if file.lower().endswith(TSV) else None


def _check_file(path: str) -> None:
    if Path(path).is_dir():
        raise AuditError(f"{path} is a directory; name the file in it, or a folder of Parquet files")
    if not Path(path).is_file():
        raise AuditError(f"there is no file {path}")
    if not os.access(path, os.R_OK):
        raise AuditError(f"{path} may not be read by this user")
    if Path(path).stat().st_size == 0:
        raise AuditError(f"{path} is empty, without even a header. Check the program that wrote it")


def _format(file: str | None, hint: str) -> str:
    if file is None:
        return "a table"
    if file.lower().endswith(PARQUET) or Path(file).is_dir():
        return "Parquet"
    return "a DuckDB file" if "::" in file else f"CSV with that header and separator ({hint})"


def _open_table(work: Database, file: str, path: str, table: str, one_zero: bool) -> OpenedRelease:
    try:
        work.run(builder_database.attach(path, AUDITED, read_only=True))
    except (DatabaseError, SourceBusy) as error:
        raise kind_for(AuditError, error)(f"{path} cannot be opened: {error}") from None
    existing = work.rows(statement("privacy/release_tables.sql"))
    found = [(schema, name) for schema, name in existing if table in spellings(schema, name)]
    if not found:
        raise AuditError(
            f"{path} has no table {table!r}; it has {listed(['.'.join(pair) for pair in existing]) or 'none'}"
        )
    if len(found) > 1:
        raise AuditError(f"{path} has the table {table!r} in {len(found)} schemas; write SCHEMA.TABLE")
    opened = _viewed(work, file, qualified(AUDITED, *found[0]), one_zero, stored=True)
    return replace(opened, relation=qualified(*found[0]))


# -- the header of a CSV file ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Head:
    """The names in the first line of a file that is not blank, the separator, and what to say of the line."""

    columns: list[str]
    separator: str
    blank_lines: int
    remarks: tuple[str, ...]


def _header(path: Path, separator: str | None, encoding: str) -> _Head:
    if separator is not None and len(separator) != 1:
        raise AuditError(f"the separator must be one character; got {separator!r}")
    text, whole = _beginning(path, encoding)
    above = blank_lines(text)
    text = text.split("\n", above)[-1]
    found = separator or max(SEPARATORS, key=lambda one: fitness(_records(text, whole, one)))
    records = _records(text, whole, found)
    names = records[0] if records else []
    if (broken := broken_name(names, found)) is not None:
        raise AuditError(
            f"the header of {path} has a line break, and a quote or a separator, in the name of its column {broken}: a "
            "quote may be left open; correct the header"
        )
    _check_names(path, names)
    line = FirstLine(names, [record for record in records[1:] if len(record) == len(names)])
    remark = f"the first line of {path.name} looks like a record, and is read as the names of the columns"
    return _Head(names, found, above, (remark,) if line.like_values or line.markers else ())


def _beginning(path: Path, encoding: str) -> tuple[str, bool]:
    """The first characters of a file, and whether they are all of it."""
    try:
        return beginning(path, encoding, HEADER_BYTES)
    except (EOFError, gzip.BadGzipFile):
        raise AuditError(f"{path} is not a complete gzip file") from None
    except OSError as error:
        raise AuditError(f"{path} cannot be read: {error.strerror}") from None


def _records(text: str, whole: bool, separator: str) -> list[list[str]]:
    records: list[list[str]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for record in reader:
            records.append(record)
            if len(records) > HEADER_RECORDS:
                break
    except csv.Error:  # a quote that does not close under this separator
        pass
    return records if whole or len(records) < 2 else records[:-1]


def fitness(records: list[list[str]]) -> tuple[bool, int]:
    """A key for comparing separators: a better one splits every record into as many fields as the header, then into
    more.
    """
    width = len(records[0]) if records else 0
    return width > 1 and all(len(record) in (0, width) for record in records), width


def _check_names(path: Path, names: Sequence[str]) -> None:
    if not names:
        raise AuditError(f"the first line of {path} is blank; it must name the columns")
    unnamed = [position for position, name in enumerate(names, start=1) if not name]
    if unnamed:
        raise AuditError(
            f"the header of {path} leaves column {', '.join(map(str, unnamed))} of {len(names)} without a name"
        )
    folded = [name.lower() for name in names]
    twice = [name for name in dict.fromkeys(names) if folded.count(name.lower()) > 1]
    if twice:
        raise AuditError(
            f"the header of {path} names the column {listed(twice)} more than once (names are compared without regard "
            "to case)"
        )


def read_receipt(release: object) -> Mapping[str, Any]:
    """The receipt beside a release, a Delta table's of its newest version; empty if there is none.

    Raises AuditError for a file that is no receipt.
    """
    path = receipt_of(str(release)) if isinstance(release, (str, Path)) else None
    if path is None or not path.is_file():
        return {}
    return receipt_at(path)


def receipt_of(release: str) -> Path:
    """Where the receipt of a release is, if there is one.

    >>> receipt_of("out.parquet/").name, receipt_of("delta:exports/people").name
    ('out.parquet.receipt.json', 'people.receipt.json')
    """
    name = release.partition(":")[2] if is_lake_table(release) else release
    return Path(f"{name.rstrip('/')}.receipt.json")


def receipt_at(path: Path) -> Mapping[str, Any]:
    """A receipt. Raises AuditError for a file that cannot be read, or is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AuditError(f"the receipt {path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise AuditError(f"{path} is no receipt: it is not JSON") from error
    if not isinstance(found, dict) or not found:
        raise AuditError(f"{path} is no receipt: it is not a JSON object with keys")
    return found


def listed(names: Sequence[str]) -> str:
    """Names for a message, each in quotes."""
    return ", ".join(repr(name) for name in names)
