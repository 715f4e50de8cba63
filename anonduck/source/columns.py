"""A column of a table: its name, its DuckDB type, and what that type says of its values."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anonduck.errors import ConfigError, QueryError, SourceError
from anonduck.statements import relations, statement
from anonduck.statements.column_types import FLOATS, ZONED_TIME, has_order, is_nested
from anonduck.words import did_you_mean

if TYPE_CHECKING:
    from anonduck.database.connection import Database
    from anonduck.statements import Statement
    from anonduck.statements.expansion import Expression, Lists

NO_RECORDS = "the source has no records (after `where`, if the config has one); there is nothing to release"

NO_CLASS = "#no class"
"""The column that stands for the class in the view ``source`` where a config names none: one value in all records. It
is in no release and in no figure."""

LONGEST_NAME = 1_000
"""Characters of a column's name: a longer one is a value, or a file that is broken, and no message can show it."""

_PARTITION = re.compile(r"([^/=]+)=[^/]*/")
_ROW_LABELS = re.compile(r"__index_level_\d+__")


@dataclass(frozen=True)
class Column:
    """A column of the source: its name and its DuckDB type."""

    name: str
    type: str

    @property
    def ordered(self) -> bool:
        """Whether its values have an order that means something: numbers, dates and times."""
        return has_order(self.type) or self.type == ZONED_TIME

    @property
    def floating(self) -> bool:
        """Whether it holds binary floating-point numbers (which have two zeros)."""
        return self.type in FLOATS

    @property
    def row_labels(self) -> bool:
        """Whether it is the index of a pandas table, which pandas wrote beside the columns without being asked."""
        return bool(_ROW_LABELS.fullmatch(self.name))

    @property
    def nested(self) -> bool:
        """Whether its values hold further values."""
        return is_nested(self.type)


def existing(columns: Sequence[Column], name: str = "") -> str:
    """A sentence that lists the columns there are, and asks whether one like ``name`` was meant."""
    names = [column.name for column in columns]
    return "existing columns: " + ", ".join(map(repr, names)) + did_you_mean(name, names)


def check_all_named(names: Sequence[str | None], description: str) -> None:
    """Raise SourceError for a column without a name, or with one that is too long to be one."""
    for position, name in enumerate(names, start=1):
        if name is None or not name.strip():
            raise SourceError(
                f"the source {description} has no name for its column {position}; give each column a name"
            )
        if len(name) > LONGEST_NAME:
            raise SourceError(
                f"the source {description} has a name of {len(name):,} characters for its column {position}, and the "
                f"most is {LONGEST_NAME:,}; correct the file, or rename the column"
            )


def check_names(names: Sequence[str | None], description: str) -> None:
    """Raise SourceError for a column without a name, or two with the same name for DuckDB."""
    check_all_named(names, description)
    seen: dict[str, int] = {}
    for position, name in enumerate(filter(None, names), start=1):
        key = name.lower()
        if key in seen:
            raise SourceError(
                f"the source {description} has two columns named {name!r} (columns {seen[key]} and {position}; "
                "names are compared without regard to case); rename one"
            )
        seen[key] = position


def check_types_named(known: Sequence[Column], types: Mapping[str, str], text: str) -> None:
    """Raise ConfigError if ``types`` names a column that is not there."""
    for name in types:
        if name not in {column.name for column in known}:
            raise ConfigError(
                f"types names the column {name!r}, which the source {text} lacks; {existing(known, name)}"
            )


def describe(database: Database, described: Statement) -> tuple[Column, ...]:
    """The columns that a DESCRIBE lists."""
    return tuple(Column(row[0], row[1]) for row in database.rows(described))


@contextlib.contextmanager
def as_unreadable(kind: str, text: str) -> Iterator[None]:
    """Turn what DuckDB says inside into a SourceError about a source that is no such file."""
    try:
        yield
    except (QueryError, SourceError) as error:
        raise SourceError(
            f"the source {text} cannot be read as {kind}; check that it is one and whole ({error.words})"
        ) from None


def readable_columns(database: Database, relation: Expression, kind: str, text: str) -> tuple[Column, ...]:
    """The columns of a relation over files of some kind; raises SourceError if they cannot be read as such."""
    with as_unreadable(kind, text):
        return describe(database, relations.described(relation))


def sheet_counts(
    database: Database, sheet: Expression, columns: Sequence[str], numbers: Sequence[str]
) -> tuple[int, ...]:
    """How many rows of a sheet have no value, and of each column of numbers how many are not whole."""
    lists: Lists = {"sheet": [{"reader": sheet}], "columns": columns, "numbers": numbers}
    return database.row(statement("source/sheet_counts.sql", lists=lists))


def doubled(names: Sequence[str | None]) -> bool:
    """Whether two columns are called the same for DuckDB, which then numbers the later one."""
    return len({(name or "").lower() for name in names}) < len(names)


def numbered(names: Sequence[str | None], known: Sequence[Column]) -> tuple[str, ...]:
    """A sentence for each column that DuckDB numbered, as an earlier one is called the same."""
    if not doubled(names):
        return ()
    return tuple(
        f"column {place} is called {name!r} like an earlier one, and is read as {column.name!r}"
        for place, (name, column) in enumerate(zip(names, known, strict=True), start=1)
        if name != column.name
    )


def partition_names(file: Path) -> set[str]:
    """The columns that the names of a file's folders hold, as in ``year=2024/part.parquet``."""
    return set(_PARTITION.findall(str(file)))
