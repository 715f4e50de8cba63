"""CSV files as texts that DuckDB can read: their encoding, which is found or named, and the blank lines above."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anonduck.database.connection import Database
from anonduck.database.encodings import (
    FOUND,
    NO_TEXT,
    UTF8,
    ReadableTexts,
    beginning,
    blank_lines,
    known_encoding,
    readable_texts,
)
from anonduck.errors import ConfigError, SourceError
from anonduck.source.csv_faults import BEGINNING_BYTES
from anonduck.statements.literals import literal_path

if TYPE_CHECKING:
    from anonduck.config.config import Config


@dataclass(frozen=True)
class CsvTexts:
    """What DuckDB reads in place of CSV files, and the ``config`` that says how: the files, or copies in UTF-8.

    ``path`` names them all. ``found`` is the encoding to write down, where all of them have one other than UTF-8.
    """

    config: Config
    path: str | Sequence[str]
    files: tuple[Path, ...]
    found: str | None
    copied: bool
    remarks: tuple[str, ...]


def csv_texts(database: Database, config: Config, path: str, files: tuple[Path, ...]) -> CsvTexts:
    """The files of ``path`` as DuckDB can read them; raises SourceError for what is no text, or not what it is named.

    Raises ConfigError for an encoding that there is not.
    """
    texts = _readable(database, config, files)
    options: dict[str, str | int | None] = {"encoding": texts.encoding}
    if config.csv.skip is None:
        options |= {"skip": _blank_lines(texts) or None}
    read = config.model_copy(update={"csv": config.csv.model_copy(update=options)})
    paths = [literal_path(file) for file in texts.files] if texts.copied else path
    return CsvTexts(read, paths, texts.files, texts.name, texts.copied, texts.remarks)


def _readable(database: Database, config: Config, files: tuple[Path, ...]) -> ReadableTexts:
    named = config.csv.encoding
    try:
        return readable_texts(files, None if named is None else _known(named), database.lasting_folder)
    except SourceError as error:
        raise _unreadable(error, named) from None


def _known(named: str) -> str:
    try:
        return known_encoding(named)
    except LookupError:
        raise ConfigError(
            f"csv.encoding: there is no encoding {named!r}; leave it out, and {FOUND} is found, or write one that "
            "Python knows, such as windows-1252, utf-16 or cp850"
        ) from None


def _unreadable(error: SourceError, named: str | None) -> SourceError:
    whose = str(error).replace("the file", "the source file", 1)
    if error.fields == NO_TEXT:
        return SourceError(
            f"{whose}, so not CSV. Name it by the ending of its format, or, where it is UTF-16, say so: "
            "`csv: {encoding: utf-16}`"
        )
    if named is not None:
        return SourceError(
            f"{whose}; leave `encoding` out of the options of CSV, and {FOUND} is found, or name the one that it has"
        )
    if "partly" in error.fields:
        return SourceError(
            f"{whose}. Correct what wrote it; where all of it is Windows-1252, say so: `csv: {{encoding: "
            "windows-1252}` in the config, or `--csv encoding=windows-1252` at init"
        )
    return SourceError(
        f"{whose}; name its encoding, such as `csv: {{encoding: cp850}}` in the config, or "
        "`--csv encoding=cp850` at init"
    )


def _blank_lines(texts: ReadableTexts) -> int:
    """How many blank lines there are above the first that is not; raises SourceError if files differ in it."""
    counts = [_blank_lines_of(file, texts.encoding or UTF8) for file in texts.files]
    for file, count in zip(texts.files, counts, strict=True):
        if count != counts[0]:
            raise SourceError(
                f"{texts.files[0].name} begins with {counts[0]:,} blank lines and {file.name} with {count:,}; files of "
                "one table begin alike. Take them out"
            )
    return counts[0]


def _blank_lines_of(file: Path, encoding: str) -> int:
    try:
        text, _ = beginning(file, encoding, BEGINNING_BYTES)
    except (OSError, EOFError, zlib.error):  # the reader says why it cannot be opened
        return 0
    return blank_lines(text)
