"""Columns that some files of a source have and others lack: refused, or NULL, as the key ``missing_columns`` says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anonduck.database.parquet_files import listed
from anonduck.errors import SourceError

if TYPE_CHECKING:
    from anonduck.config.config import Config


def check_columns(columns: Mapping[str | Path, Iterable[str]], config: Config) -> None:
    """Raise SourceError where a file lacks a column of another one, unless the config lets that be NULL.

    Args:
        columns: the names of the columns that each file has; they are compared without regard to case.
        config: names the source, and what is done about missing columns.
    """
    has = {file: {name.lower() for name in names} for file, names in columns.items()}
    names = {name.lower(): name for there in columns.values() for name in there}
    without = {name: [file for file in has if key not in has[file]] for key, name in names.items()}
    refuse_missing({name: files for name, files in without.items() if files}, config)


def refuse_missing(lacking: Mapping[str, Sequence[str | Path]], config: Config) -> None:
    """Raise SourceError for columns that some files lack, unless the config lets them be NULL there."""
    if not lacking or config.missing_columns == "null":
        return
    named = "; ".join(f"{name!r} is not in {listed(files)}" for name, files in lacking.items())
    raise SourceError(
        f"the files of the source {config.source} do not have the same columns: {named}. Name files with the same "
        "columns, or let a column be NULL in the records of the files that lack it: `missing_columns: null` in the "
        "config, or `--missing-columns null` at init"
    )
