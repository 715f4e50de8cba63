"""Hierarchies in Parquet files: one column per level, leaf first, read as lines of text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from anonduck.database.connection import Database
from anonduck.database.lake_tables import OWN_FILE, refuse_lake_files
from anonduck.errors import AnonduckError, TaxonomyError
from anonduck.statements import statement
from anonduck.statements.paths import literal_path
from anonduck.taxonomy.files.text_lines import FREE, HierarchyText

ENDINGS = (".parquet", ".pq")


def is_parquet(path: Path) -> bool:
    """Whether a path is that of a Parquet file, by its ending."""
    return path.suffix.lower() in ENDINGS


def read_parquet(database: Database, path: Path) -> tuple[HierarchyText, list[str]]:
    """The rows of a Parquet file as a hierarchy, and the names of its columns; raises TaxonomyError."""
    refuse_lake_files([path], f"the taxonomy file {path}", TaxonomyError, OWN_FILE)
    if not path.is_file():
        raise TaxonomyError(f"there is no taxonomy file {path}; paths in a config are relative to its folder")
    try:
        rows = database.records(statement("taxonomy/files/import_parquet.sql"), {"path": literal_path(path)})
    except AnonduckError:
        raise TaxonomyError(f"{path} cannot be read as Parquet; is it a CSV file with the wrong name?") from None
    if not rows:
        raise TaxonomyError(f"the taxonomy file {path} is empty; it needs one row per leaf: the leaf, then its labels")
    return HierarchyText(f"{path}", *_lines(path, rows), header=False, separated=True), list(rows[0])


def _lines(path: Path, rows: Iterable[dict[str, str | None]]) -> tuple[list[str], int, str]:
    texts = [[text or "" for text in row.values()] for row in rows]
    mark = next((mark for mark in FREE if not any(mark in text for row in texts for text in row)), None)
    if mark is None:
        raise TaxonomyError(f"{path}: the file contains control characters, which text does not need; remove them")
    return [mark.join(row) for row in texts], 1, mark
