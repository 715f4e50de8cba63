"""Files as a source: which a path or glob matches, and how each format is read with nothing left to guess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from anonduck.database.connection import Database
from anonduck.database.lake_tables import refuse_lake_files
from anonduck.database.parquet_files import parquet_groups, united_parquet
from anonduck.errors import SourceError
from anonduck.source.columns import as_unreadable, check_names, numbered, readable_columns
from anonduck.source.csv_files import csv_reader, refuse_one_column
from anonduck.source.csv_texts import csv_texts
from anonduck.source.excel import EXCEL_SUFFIXES, excel_reader
from anonduck.source.expressions import known_types
from anonduck.source.json_files import json_reader
from anonduck.source.missing_columns import refuse_missing
from anonduck.statements import line, relations
from anonduck.statements.column_types import TEXT
from anonduck.statements.expansion import Expression
from anonduck.statements.literals import literal_path, pattern_of

if TYPE_CHECKING:
    from anonduck.config.config import Config

CSV_SUFFIXES = (".csv", ".tsv", ".txt")
PARQUET_SUFFIXES = (".parquet", ".pq")
JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
SHEETS = (".xls", ".ods")
DATABASE_SUFFIXES = (".duckdb", ".db", ".ddb")
KNOWN_SUFFIXES = (*CSV_SUFFIXES, *PARQUET_SUFFIXES, *JSON_SUFFIXES, *EXCEL_SUFFIXES, *DATABASE_SUFFIXES)


@dataclass(frozen=True)
class OpenedFiles:
    """The reader of a file or glob, the ``files`` that it reads, and what to say of it.

    ``encoding`` is that of CSV where one other than UTF-8 was found; ``copied`` says that copies in UTF-8 are read.
    """

    relation: Expression
    files: tuple[Path, ...]
    remarks: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    copied: bool = False


def open_files(database: Database, config: Config, folder: Path) -> OpenedFiles:
    """Open the files of a config; raises SourceError if they cannot be read."""
    text = config.source or ""
    path = pattern_of(folder, text)
    files = _matching(database, folder / text, path, text)
    suffix = _one_suffix(files, text)
    remarks: tuple[str, ...] = ()
    names: list[str | None] = []
    if suffix in CSV_SUFFIXES:
        return _open_csv(database, config, path, files)
    if suffix in PARQUET_SUFFIXES:
        refuse_lake_files(files, f"the source {text}", SourceError)
        relation, remarks = _parquet(database, config, path, files)
    elif suffix in JSON_SUFFIXES:
        relation, remarks = json_reader(database, config, path, files)
    elif suffix in EXCEL_SUFFIXES:
        relation, names, remarks = excel_reader(database, path, files, text)
    elif suffix in SHEETS:
        raise SourceError(f"the source {text} is a spreadsheet; save its sheet as CSV, and name that file")
    elif suffix in DATABASE_SUFFIXES:
        raise SourceError(f"{text} is a database; name its table, such as {text}::main.customers")
    else:
        allowed = ", ".join((*CSV_SUFFIXES, *PARQUET_SUFFIXES, *JSON_SUFFIXES, *EXCEL_SUFFIXES))
        raise SourceError(f"the source {text} has no known ending; allowed are {allowed}, or FILE.duckdb::table")
    columns = readable_columns(database, relation, suffix[1:], text)
    if suffix in EXCEL_SUFFIXES:
        remarks += numbered(names, columns)
    refuse_one_column(database, config, columns, files[0], text, is_csv=False)
    return OpenedFiles(relation, files, remarks)


def _open_csv(database: Database, config: Config, path: str, files: tuple[Path, ...]) -> OpenedFiles:
    read = csv_texts(database, config, path, files)
    opened = csv_reader(database, read.config, read.path, read.files)
    text = config.source or ""
    columns = readable_columns(database, opened.relation, "csv", text)
    refuse_one_column(database, read.config, columns, read.files[0], text, is_csv=True)
    remarks = (*read.remarks, *opened.remarks)
    return OpenedFiles(opened.relation, files, remarks, opened.reasons, read.found, read.copied)


def suffix_of(text: str) -> str:
    """The ending of a file's name that says its format; of a compressed file without ``.gz`` or ``.zst``."""
    name = Path(text).name.lower()
    for ending in (".gz", ".zst"):
        name = name.removesuffix(ending)
    return Path(name).suffix


def is_csv(files: Sequence[Path]) -> bool:
    """Whether files are CSV."""
    return bool(files) and suffix_of(files[0].name) in CSV_SUFFIXES


def _matching(database: Database, plain: Path, pattern: str, text: str) -> tuple[Path, ...]:
    if plain.is_dir() or suffix_of(text) in PARQUET_SUFFIXES:
        refuse_lake_files([plain], f"the source {text}", SourceError)
    if plain.is_dir():
        raise SourceError(f"the source {text} is a directory; name the files in it, such as {Path(text)}/*.parquet")
    read = line("source/files._matching", "SELECT file FROM glob($pattern)", "pattern")
    found = database.rows(read, {"pattern": pattern})
    files = tuple(sorted(Path(name) for (name,) in found))
    if plain.is_file() and [file.resolve() for file in files] != [plain.resolve()]:
        raise SourceError(f"DuckDB cannot read a file of the name {plain.name!r}; rename it, without \\ * ? and [")
    if not files:
        raise SourceError(
            f"there is no file {text}; a source is a path or a glob, relative to {plain.parent}", missing=True
        )
    for file in files:
        if file.stat().st_size == 0:
            raise SourceError(f"the source file {file.name} is empty; an export has a header and records")
    return files


def _one_suffix(files: Sequence[Path], text: str) -> str:
    suffixes = sorted({suffix_of(file.name) for file in files})
    if len(suffixes) > 1:
        listed = ", ".join(suffix or "none" for suffix in suffixes)
        raise SourceError(
            f"the source {text} names {len(files)} files of several endings ({listed}); name files of one"
        )
    return suffixes[0]


def _parquet(
    database: Database, config: Config, path: str, files: Sequence[Path]
) -> tuple[Expression, tuple[str, ...]]:
    """The reader of Parquet files: by DuckDB where they have the same columns and types, else by all of these."""
    text = config.source or ""
    reader = relations.reader("read_parquet", path, {})
    there = readable_columns(database, reader, "parquet", text)
    with as_unreadable("parquet", text):
        groups = parquet_groups(database, files)
    for group in groups:
        check_names(_parquet_names(database, Path(group.files[0])), text)
    if len(groups) == 1:
        return reader, ()
    texts = [name for name, kind in known_types(database, config.types).items() if kind == TEXT]
    partitions = {column.name: column.type for column in there if groups[0].name_of(column.name) is None}
    united = united_parquet(
        database, groups, lambda lacking: refuse_missing(lacking, config), texts=texts, partitions=partitions
    )
    return united.relation, united.remarks


def _parquet_names(database: Database, file: Path) -> list[str]:
    """The names of the top columns as the file has them, where DuckDB renames names that differ in case only."""
    text = "SELECT name, num_children FROM parquet_schema($file)"  # depth first, the root at the top
    elements = iter(database.rows(line("source/files._parquet_names", text, "file"), {"file": literal_path(file)}))

    def skip(children: int | None) -> None:
        for _ in range(children or 0):
            skip(next(elements)[1])

    names = []
    for _ in range(next(elements)[1] or 0):
        name, children = next(elements)
        names.append(name)
        skip(children)
    return names
