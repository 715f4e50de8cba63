"""What is wrong with a CSV file that cannot be read, in words that say how to go on."""

from __future__ import annotations

import csv
import io
import itertools
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.database.encodings import UTF8, beginning, encoded
from anonduck.errors import ConfigError, QueryError, SourceError
from anonduck.statements import relations
from anonduck.statements.column_types import TEXT
from anonduck.statements.literals import literal_path

if TYPE_CHECKING:
    from anonduck.config.config import Config

BEGINNING_BYTES = 1 << 20
DIALECT = ("skip", "quote", "escape", "comment", "delim", "encoding")


def dialect(config: Config) -> dict[str, Any]:
    """How a config says that its CSV files are written, as far as no line can be parted into fields without it."""
    given = config.csv.model_dump(exclude_none=True)
    return {"skip": 0, "quote": '"', "escape": '"', "comment": "", **{n: v for n, v in given.items() if n in DIALECT}}


def refuse_ragged(database: Database, config: Config, file: Path, delim: str) -> None:
    """Raise SourceError if ``delim`` makes columns of the file but for lines that have too many or too few fields."""
    fields = _header_fields(config, file, delim)
    if fields < 2:
        return
    names = {f"column {number}": TEXT for number in range(1, fields + 1)}
    options = {**dialect(config), "delim": delim, "header": True, "auto_detect": False, "columns": names}
    options |= {"strict_mode": True, "null_padding": False}
    try:
        database.rows(relations.count_of(relations.reader("read_csv", literal_path(file), options)))
    except SourceError as error:
        if error.fields:
            raise SourceError(
                f"the source file {file.name} is broken: with the separator {delim!r}, {error.fields}. "
                "Correct what wrote it: each record has as many fields as the header, in quotes where a value "
                "holds the separator"
            ) from None
    except QueryError:
        return


def _header_fields(config: Config, file: Path, delim: str) -> int:
    quote = config.csv.quote or '"'
    if len(delim) != 1 or len(quote) != 1:
        return 0
    try:
        text, _ = beginning(file, config.csv.encoding or UTF8, BEGINNING_BYTES)
        lines = itertools.islice(io.StringIO(text, newline=""), config.csv.skip or 0, None)
        return len(next(csv.reader(lines, delimiter=delim, quotechar=quote), []))
    except (OSError, EOFError, zlib.error, UnicodeError, csv.Error):
        return 0


def refuse_skipped(config: Config, file: Path) -> None:
    """Raise ConfigError if ``csv: {skip: N}`` leaves no line of a file."""
    skip = config.csv.skip or 0
    if not skip or file.suffix in (".gz", ".zst"):
        return
    with file.open("rb") as lines:
        read = sum(1 for _ in itertools.islice(lines, skip + 1))
    if read <= skip:
        raise ConfigError(
            f"csv.skip: {skip:,} lines are to be skipped, and {file.name} has {read:,}; skip those above the header"
        )


def _is_binary(file: Path) -> bool:
    try:
        with file.open("rb") as start:
            holds_zeros = file.suffix not in (".gz", ".zst") and b"\0" in start.read(1 << 16)
        return holds_zeros and encoded(file).name == UTF8
    except SourceError:
        return True


def unreadable_csv(file: Path, error: SourceError | QueryError) -> SourceError:
    """Why a file cannot be read as CSV, of what DuckDB says."""
    if isinstance(error, SourceError) and "longer" in error.fields:
        return SourceError(
            f"the source file {file.name} is broken: {error.fields}. Is a quote opened that is not closed? Else "
            "shorten the value, or write the export as Parquet"
        )
    if _is_binary(file):
        return SourceError(
            f"the source file {file.name} is not text, so not CSV: it holds bytes that are 0. Name the file by the "
            "ending of its format"
        )
    return SourceError(
        f"the source file {file.name} cannot be read as CSV; set what it is written with under `csv:` "
        f"(delim, quote, escape, header, encoding, nullstr) or `types:` ({error.words})"
    )
