"""Class assignments made elsewhere: a table that gives the key of each record its class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import AuditError, ReleaseError, SourceError
from anonduck.privacy.audited_file import listed, open_release
from anonduck.source.columns import Column
from anonduck.source.protected_files import with_log
from anonduck.source.source import Roles, Source
from anonduck.statements import statement


@dataclass(frozen=True)
class ClassTable:
    """A table of two columns, a record's key and its class, as text.

    ``lines`` by column that could be the key: an Arrow table with the columns key and class.
    """

    file: str | None
    lines: Mapping[str, Any]
    files: Mapping[Path, str]

    @property
    def text(self) -> str:
        """Which table it is."""
        return _text(self.file)

    @property
    def classes(self) -> str:
        """Whose classes they are."""
        return "the given classes" if self.file is None else f"the classes of {self.file}"

    def key(self, source: Source, roles: Roles, named: str | None) -> Column:
        """The source's column of keys: the one that is named, or the identifier that the table has too.

        Raises ReleaseError or SourceError, listing what there is, if there is none.
        """
        if named is not None and named not in self.lines:
            raise ReleaseError(f"{self.text} has no column {named!r}; it has {listed(list(self.lines))}")
        found = [named] if named is not None else [name for name in roles.identifiers if name in self.lines]
        if len(found) != 1:
            which = "more than one of them is" if found else "none of them is"
            raise ReleaseError(
                f"{self.text} has the columns {listed(list(self.lines))}, and {which} an identifier "
                f"of the source ({listed(roles.identifiers) or 'it has none'}); name the column of keys, which both "
                "have, with `key=COLUMN`"
            )
        column = source.column(found[0])
        if column.nested:
            raise ReleaseError(f"column {column.name!r} is {column.type}; a key is a single value. Name another column")
        return column


def read_class_table(classes: object, **settings: Any) -> ClassTable:
    """Read a class table: CSV, Parquet, ``FILE.duckdb::table``, or a pandas, Arrow or Polars table.

    ``settings`` are those of the database that reads it. Raises ReleaseError for what cannot be read, or has not two
    columns.
    """
    file = str(classes) if isinstance(classes, (str, Path)) else None
    work = Database(**settings)
    try:
        with open_release(work, classes, None, noun="table", hint="found in its first lines", one_zero=True):
            columns = [name for name, _ in work.rows(statement("privacy/release_columns.sql"))]
            if len(columns) != 2:
                number = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
                raise ReleaseError(f"{_text(file)} has {number}; it needs two, the key of a record and its class")
            one, other = columns
            lines = {key: _lines(work, key, class_) for key, class_ in ((one, other), (other, one))}
    except (AuditError, SourceError) as error:
        raise ReleaseError(f"the class table cannot be used: {error}") from None
    finally:
        work.close()
    return ClassTable(file, lines, _files(classes))


def _text(file: str | None) -> str:
    return "the given class table" if file is None else f"the class table {file}"


def _lines(work: Database, key: str, class_: str) -> Any:
    return work.arrow(statement("release/class_table.sql", column={"record_key": key, "assigned_class": class_}))


def _files(classes: object) -> dict[Path, str]:
    """The files of the table, by what they are: a release does not replace them."""
    if not isinstance(classes, (str, Path)):
        return {}
    path = Path(str(classes))
    if path.exists() or "::" not in str(classes):
        return {path: "the class table"}
    return with_log(Path(str(classes).partition("::")[0]), "the class table")
