"""The lines of a large CSV file, counted: where they repeat, a reader of columns gets each distinct one once.

DuckDB takes a quarter of the time to group lines that it takes to part them into columns and group these. What is in a
line is read by the reader that would read the file, from a file of the distinct lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anonduck.database.connection import Database
from anonduck.errors import QueryError, SourceError
from anonduck.statements import statement
from anonduck.statements.literals import literal_path

RECORDS = "#records"
"""The last column of the file of distinct lines: how often a line comes."""

LEAST_BYTES = 16 * 1024 * 1024
MOST_LINES = 500_000  # distinct ones, which are held in memory
REPEATED = 4  # how often a line comes on average, at least
PIECES, PIECE_BYTES = 8, 1 << 21
LOOKED_AT = 16  # at most this part of a file is looked at before


@contextmanager
def distinct_lines(database: Database, path: Path, delim: str) -> Iterator[Path | None]:
    """A private file of the distinct lines of a UTF-8 file with a header, with the further column RECORDS.

    Yields None for a file whose records are to be read one by one: it is small or compressed, its lines seldom repeat,
    or one of them is not a record for certain: all fields are quoted by ``"`` whole or hold no quote, and the last one
    ends with the line.
    """
    if not _repeats(path):
        yield None
        return
    record, counts, header = _record(delim), _counts(database, path), _header(path)
    if counts is None or not all(line and record.fullmatch(line) for line in (header, *(line for line, _ in counts))):
        yield None
        return
    with database.private_folder() as folder:
        distinct = folder / "lines.csv"
        try:
            with distinct.open("w", encoding="utf-8", newline="") as file:
                file.write(f"{header}{delim}{RECORDS}\n")
                file.writelines(f"{line}{delim}{times}\n" for line, times in counts)
        except OSError:  # there is no room for it, which the file itself needs not
            yield None
            return
        del counts
        yield distinct


def _header(path: Path) -> str | None:
    """The first line of a file; None where it is no UTF-8."""
    with path.open("rb") as file:
        line = file.readline().rstrip(b"\r\n")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _record(delim: str) -> re.Pattern[str]:
    """What a line is that is one record, whatever stands before it."""
    apart = re.escape(delim)
    field = rf'(?:"[^"\r\n]*(?:""[^"\r\n]*)*"|[^"\r\n{apart}]*)'
    return re.compile(rf"{field}(?:{apart}{field})*")


def _repeats(path: Path) -> bool:
    """Whether a file is large and its lines repeat, as pieces of it from all through say.

    A further line is one that no other of the pieces is like at most as often as their lines are (Good and Turing).
    """
    try:
        size = path.stat().st_size
        if size < LEAST_BYTES or path.suffix.lower() in (".gz", ".zst"):
            return False
        counts = Counter[bytes]()
        with path.open("rb") as file:
            for place in range(PIECES):
                file.seek(size * place // PIECES)
                counts.update(file.read(min(PIECE_BYTES, size // (PIECES * LOOKED_AT))).split(b"\n")[1:-1])
    except OSError:  # the reader of columns says why it cannot be read
        return False
    looked_at, alone = counts.total(), sum(times == 1 for times in counts.values())
    if not looked_at:
        return False
    lines = size * looked_at / sum((len(line) + 1) * times for line, times in counts.items())
    distinct = len(counts) + alone / looked_at * lines
    return distinct <= MOST_LINES and distinct * REPEATED <= lines


def _counts(database: Database, path: Path) -> list[tuple[str, int]] | None:
    """The distinct lines after the header; None where they are too many or no lines to DuckDB."""
    try:
        counts = database.rows(
            statement("database/line_counts.sql"), {"path": literal_path(path), "most": MOST_LINES + 1}
        )
    except (QueryError, SourceError):  # the reader of columns says what is wrong, and in which of its lines
        return None
    return counts if len(counts) <= MOST_LINES else None
