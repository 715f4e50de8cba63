"""What DuckDB refuses, in words of anonduck's: which query, whose fault, the next step, and no value of the source."""

from __future__ import annotations

import re

import duckdb

from anonduck.errors import AnonduckError, DatabaseBusy, DatabaseError, QueryError, SourceBusy, SourceError, later
from anonduck.statements import Statement
from anonduck.statements.column_types import TEXT
from anonduck.statements.literals import redacted_sql

LONGEST_LINE = 2_000_000
"""The longest line of a CSV file that DuckDB reads, in bytes."""

_DAMAGED = (
    r"corrupt|checksum|TProtocolException|thrift|snappy|decompress|\bgzip|\bzstd|don't know what type|invalid TType"
    r"|out of buffer|footer length|bytes outside"
)
_BAD_INPUT = (
    duckdb.ConversionException,
    duckdb.OutOfRangeException,
    duckdb.InvalidInputException,
)


def redacted(words: str) -> str:
    """DuckDB's words without what may be a value: quoted parts, numbers and the original line of a file go.

    >>> redacted("Conversion Error: Could not convert string 'Jane' to INT64 when casting from source column job")
    "Conversion Error: Could not convert string '…' to INT64 when casting from source column job"
    """
    words = re.split(r"Original Line|\nPossible |\nThe search space|\nLINE \d+:|\n\s*\^", words)[0]
    words = re.sub(r"""(['"]).*\1""", "'…'", words, flags=re.DOTALL)
    words = re.sub(r"(?<![\w.])[-+]?\d[\d.eE+-]*", "…", words)
    kept = [line.strip() for line in words.splitlines() if line.strip()]
    return " ".join(kept[:3]) or "no further words"


def why_unopened(error: BaseException) -> str:
    """What a package that reads tables failed with; a panic of Rust's is no Exception. An interrupt is raised again."""
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        raise error
    return f"{type(error).__name__}: {redacted(str(error))}"


def is_locked(error: duckdb.Error) -> bool:
    """Whether a file is open in another process."""
    return re.search(r"could not set lock|conflicting lock", str(error), flags=re.IGNORECASE) is not None


def is_full(error: duckdb.Error) -> bool:
    """Whether a disk has no space left."""
    return re.search(r"no space left|disk quota exceeded", str(error), flags=re.IGNORECASE) is not None


def kind_of(kind: type[AnonduckError], error: duckdb.Error) -> type[AnonduckError]:
    """An error of that kind, for what may work when it is tried again where DuckDB's may be over then."""
    return later(kind) if is_locked(error) or is_full(error) else kind


def cannot_open(target: str, error: duckdb.Error) -> AnonduckError:
    """Why a decision database cannot be opened."""
    words = str(error)
    if is_locked(error):
        return DatabaseBusy(
            f"the decision database {target} is open in another process; only one may hold it. "
            "Wait for that process to end, or close its session, then try again"
        )
    if "not a valid DuckDB" in words:
        return DatabaseError(f"{target} is not a DuckDB database; move it away, or name another with `database:`")
    if is_full(error):
        return DatabaseBusy(f"the disk of the decision database {target} is full. Free space and run again")
    return DatabaseError(f"the decision database {target} cannot be opened: {redacted(words)}")


def translated(statement: Statement, error: duckdb.Error) -> AnonduckError:  # noqa: PLR0911 - one return for each fault
    """The error of a statement that DuckDB refused."""
    words = str(error)
    if is_full(error):
        return DatabaseBusy(f"the disk is full; the query {statement.origin} could not write. Free space and run again")
    if is_locked(error):
        return SourceBusy(f"a file is open in another process ({statement.origin}): {io_words(words)}. Run again later")
    if isinstance(error, duckdb.IOException):
        return SourceError(f"a file could not be read or written in the query {statement.origin}: {io_words(words)}")
    if isinstance(error, duckdb.OutOfMemoryException):
        return DatabaseError(
            f"the query {statement.origin} needs more memory or disk than it may use; "
            "raise `memory_limit` in the config or free disk space beside the decision database"
        )
    if re.search(_DAMAGED, words, flags=re.IGNORECASE) and not isinstance(error, duckdb.ProgrammingError):
        return SourceError(
            f"a file that the query {statement.origin} reads is damaged ({redacted(words)}); write it anew, or name "
            "another"
        )
    if isinstance(error, _BAD_INPUT):
        return _bad_input(statement, words)
    return QueryError(statement.origin, redacted_sql(statement.sql), redacted(words))


def _bad_input(statement: Statement, text: str) -> SourceError:  # noqa: PLR0911 - one return for each fault
    """An error of a source that does not fit its format, or its types: DuckDB's message says which."""
    words = redacted(text)
    fields = re.search(r"Line: (\d+)[\s\S]*Expected Number of Columns: (\d+) Found: (\d+)", text)
    if fields:
        counted = f"line {fields[1]} has {fields[3]} fields where {fields[2]} are expected"
        return SourceError(f"a file of the source is ragged: {counted}", fields=counted)
    if re.search(r"maximum line size of \d+ bytes exceeded", text, flags=re.IGNORECASE):
        longer = f"a line is longer than {LONGEST_LINE:,} bytes, the most that is read"
        return SourceError(f"a file of the source is broken: {longer}", fields=longer)
    unclosed = re.search(r"Line: (\d+)[\s\S]*unterminated quote", text)
    if unclosed:
        opened = f"line {unclosed[1]} opens a quote that is not closed"
        return SourceError(f"a file of the source is broken: {opened}", fields=opened)
    if "unicode" in text.lower():
        return SourceError(f"a text file is not UTF-8 (query {statement.origin}); name its encoding, such as latin-1")
    if "Schema mismatch" in text:
        return SourceError("the files of the source do not have the same columns; name files of one export")
    if not re.search(r"conver|cast|CSV Error|out of range", text, flags=re.IGNORECASE):
        return SourceError(f"the source cannot be read (query {statement.origin}: {words})", words)
    column = re.search(r'column "([^"]*)"', text) or re.search(r"casting from source column (.+)", text)
    line = re.search(r"Error on Line: (\d+)", text)
    whose = f"column {column[1]!r} of the source" if column else "the source"
    where = f" in line {line[1]}" if line else ""
    compared = "" if column else ", or that `where` compares with another type"
    return SourceError(
        f"{whose} holds a value{where} that does not fit its type{compared} (query {statement.origin}: {words}). "
        f"Set the column's type in the config, for example `types: {{column: {TEXT}}}`",
        words,
    )


def io_words(words: str) -> str:
    """The first line of an input/output error; it names files, not values."""
    return words.splitlines()[0].removeprefix("IO Error: ")
