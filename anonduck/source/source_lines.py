"""A large CSV file as a source, whose lines are counted before they are read (anonduck.database.csv_lines)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonduck.database.connection import Database
from anonduck.database.csv_lines import RECORDS, distinct_lines
from anonduck.errors import QueryError, SourceError
from anonduck.statements import builder_source
from anonduck.statements.column_readings import AS_IT_IS, ColumnReading
from anonduck.statements.column_types import BIGINT
from anonduck.statements.literals import literal_path
from anonduck.statements.pipeline.builder_frequency import frequency_of_counted

PLAIN = {"header": True, "skip": 0, "quote": '"', "escape": '"', "comment": "", "encoding": "utf-8"}
"""How a file is written whose lines can be read for it."""


@dataclass(frozen=True)
class SourceLines:
    """One file with the ``options`` of its reader, which state the types of all columns, and how they are read then."""

    file: Path
    options: Mapping[str, Any]
    reading: ColumnReading = AS_IT_IS

    def read_as(self, reading: ColumnReading) -> SourceLines:
        """The same with the reading of the view ``source``."""
        return replace(self, reading=reading)

    def frequency_set(self, database: Database, table: str, columns: Sequence[str]) -> bool:
        """Write the frequency set of columns from the distinct lines; whether that was done."""
        types = self.options["columns"]
        if not set(columns) <= set(types):
            return False
        with distinct_lines(database, self.file, self.options["delim"]) as lines:
            if lines is None:
                return False
            options = {**self.options, "columns": {**types, RECORDS: BIGINT}}
            read = builder_source.reader("read_csv", literal_path(lines), options)
            rows = builder_source.source_select(read, None, self.reading)
            try:
                database.run(frequency_of_counted(table, columns, rows))
            except (QueryError, SourceError):  # the file itself is read next, and what is wrong is said of its lines
                return False
        return True


def lines_of(files: Sequence[Path], options: Mapping[str, Any], columns: Sequence[str]) -> SourceLines | None:
    """The lines of the only file, where its options leave nothing to guess and nothing but line ends parts records.

    None where a number stands for NULL, as it would in the column of how often a line comes.
    """
    types = options["columns"]
    plain = all(options.get(name, value) == value for name, value in PLAIN.items())
    if len(files) > 1 or not plain or len(options["delim"]) != 1 or list(types) != list(columns):
        return None
    given = options.get("nullstr", [])
    if any(text.isdigit() for text in ([given] if isinstance(given, str) else given)):
        return None
    return SourceLines(files[0], options) if RECORDS not in map(str.lower, columns) else None
