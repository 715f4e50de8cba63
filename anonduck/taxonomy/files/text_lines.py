"""Hierarchy files as lines of text: decoding, the separator, quoted fields; rows of Parquet files as such lines."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from anonduck.database.connection import Database
from anonduck.database.encodings import UTF8, known_encoding, read_text
from anonduck.database.lake_tables import OWN_FILE, refuse_lake_files
from anonduck.errors import AnonduckError, SourceError, TaxonomyError
from anonduck.statements import statement
from anonduck.statements.literals import literal_path

BASES = ("\t", ";", "|", "#", ",", "->", "=>", "~", "^", ":")
FREE = ("\x1f", "\x1e", "\ue000", "\ue001", "\uf8ff")
SAMPLE = 1000


@dataclass(frozen=True)
class HierarchyText:
    """One hierarchy as it is written: whose it is, its lines, the number of the first, and how they are split.

    ``separated`` says that no field holds ``sep``, one character, and that nothing is quoted.
    """

    whose: str
    lines: Sequence[str]
    first_line: int = 1
    sep: str | None = None
    header: bool | None = None
    separated: bool = False


def read_lines(path: Path, encoding: str) -> list[str]:
    """The lines of a text file without their ends; raises TaxonomyError for what is no such file.

    What is said to be UTF-8, as by default, may be another encoding that is found.
    """
    text = _decoded(path, encoding)
    if "\x00" in text:
        line = text[: text.index("\x00")].count("\n") + 1
        raise TaxonomyError(f"{path}, line {line}: not {encoding} text; name its encoding, such as `encoding: utf-16`")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    lines = text.split("\n")
    if '"' not in text:
        lines = [line.removesuffix("\r") for line in lines] if "\r" in text else lines
    if not text.strip():
        raise TaxonomyError(f"the taxonomy file {path} is empty; it needs one line per leaf: the leaf, then its labels")
    return lines


def _decoded(path: Path, encoding: str) -> str:
    try:
        return read_text(path, None if known_encoding(encoding) == UTF8 else encoding)
    except LookupError:
        raise TaxonomyError(
            f"{path}: there is no encoding {encoding!r}; known are utf-8, windows-1252, utf-16 ..."
        ) from None
    except SourceError as error:
        raise TaxonomyError(f"{path} {error.fields}; name its encoding, such as `encoding: cp850`") from None
    except FileNotFoundError:
        raise TaxonomyError(f"there is no taxonomy file {path}; paths in a config are relative to its folder") from None
    except IsADirectoryError:
        raise TaxonomyError(f"{path} is a directory; name the taxonomy file in it") from None
    except OSError as error:
        raise TaxonomyError(f"the taxonomy file {path} cannot be read: {error.strerror}") from None


def separated(whose: str, lines: Sequence[str], sep: str, first_line: int = 1) -> tuple[list[str], str]:
    """The same lines split by one character that no field holds: quotes are resolved, several characters become one.

    A record that spans lines stands at its first line, the others are blank, so that line numbers stay.
    """
    text = "\n".join(lines)
    if '"' not in text and len(sep) == 1:
        return list(lines), sep
    free = next((mark for mark in FREE if mark not in text), None)
    if free is None:
        raise TaxonomyError(
            f"{whose}: the file contains control characters, which a text file does not need; remove them"
        )
    if '"' not in text:
        return [line.replace(sep, free) for line in lines], free
    written = [""] * len(lines)
    start = 0
    try:
        for fields, end in _records(lines, sep, free, strict=True):
            written[start] = free.join(fields)
            start = end
    except csv.Error:
        raise TaxonomyError(
            f"{whose}, line {first_line + start}: a quoted field does not end as it should; "
            'write "..." around the whole field and "" for a quote in it'
        ) from None
    return written, free


def _records(lines: Sequence[str], sep: str, free: str, *, strict: bool) -> Iterator[tuple[list[str], int]]:
    rows = csv.reader((line.replace(sep, free) + "\n" for line in lines), delimiter=free, strict=strict)
    for row in rows:
        yield [field.replace(free, sep) for field in row], rows.line_num


def find_separator(lines: Sequence[str]) -> str | None:
    """The separator that fits best: lines of equal length that end in one root score highest; None if none splits."""
    sample = [line for line in lines[: 2 * SAMPLE] if line][:SAMPLE]
    scores = {sep: _score(sample, sep) for sep in _candidates(sample)}
    best = max(scores, key=lambda sep: scores[sep], default=None)
    return best if best is not None and scores[best][0] else None


def _candidates(sample: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for base in BASES:
        runs = {run for line in sample for run in re.findall(rf" *(?:{re.escape(base)})+ *", line)}
        if len(runs) == 1:
            found.update(dict.fromkeys(runs))
        if runs:
            found[base] = None
    return list(found)


def _score(sample: Sequence[str], sep: str) -> tuple[bool, bool, bool, float]:
    """Whether it splits; whether all lines but a header are as long and end alike; are as long; how many are."""
    records = [
        row for row in map(_stripped, (fields for fields, _ in _records(sample, sep, FREE[0], strict=False))) if row
    ]
    lengths = Counter(map(len, records))
    if not lengths:
        return (False, False, False, 0.0)
    usual, count = lengths.most_common(1)[0]
    below = records[1:] or records
    even = all(len(row) == usual for row in below)
    rooted = len({row[-1] for row in below}) == 1
    return (usual > 1, even and rooted, even, count / len(records))


def _stripped(row: list[str]) -> list[str]:
    while row and row[-1] == "":
        row = row[:-1]
    return row


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
