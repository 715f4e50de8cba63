"""What DuckDB says of a damaged file is an error of the file, not a bug."""

from collections import Counter
from contextlib import closing
from functools import partial
from random import Random

import duckdb
import pytest

from anonduck.database.connection import Database
from anonduck.database.errors import translated
from anonduck.errors import AnonduckError, QueryError, SourceError
from anonduck.statements import Statement

READS = Statement("source/sample.sql", "SELECT 1")


@pytest.mark.parametrize(
    "error",
    [
        duckdb.InternalException("Corrupt database file: computed checksum 77 does not match stored checksum 78"),
        duckdb.Error("TProtocolException: Invalid data"),
        duckdb.Error("Parquet file is likely corrupted, dictionary offset out of range"),
        duckdb.Error("don't know what type: \x15"),
        duckdb.Error("invalid TType"),
        duckdb.Error("Out of buffer"),
        duckdb.Error("Footer length error in file 's.parquet'"),
        duckdb.Error("Prefetch registered for bytes outside file: s.parquet, attempted 9"),
    ],
)
def test_a_damaged_file_is_no_bug(error):
    found = translated(READS, error)
    assert isinstance(found, SourceError)
    assert found.exit_code == 2
    assert "77" not in str(found)


def test_a_wrong_query_about_checksums_is_a_bug():
    assert isinstance(translated(READS, duckdb.BinderException('no column "checksum"')), QueryError)


def test_a_message_that_is_no_text_is_of_a_damaged_file(monkeypatch):
    """DuckDB's binding raises RuntimeError where bytes of the file stand in its message."""
    with closing(Database()) as database:
        session = database._session

        def raises(*_):
            raise RuntimeError("nanobind::str(): conversion error!")

        monkeypatch.setattr(session, "raw", raises)
        with pytest.raises(SourceError, match="is damaged"):
            session.fetch(READS)


@pytest.mark.slow
def test_bytes_of_a_parquet_file_are_changed_at_random(tmp_path):
    """Each file is read, or refused as a fault of the source."""
    whole, path = tmp_path / "whole.parquet", tmp_path / "changed.parquet"
    duckdb.sql(f"COPY (SELECT range AS a, 'x' || range AS b FROM range(100)) TO '{whole}'")
    data, random, codes = whole.read_bytes(), Random(1), Counter()  # noqa: S311 - it must come back
    reads = Statement("source/sample.sql", f"SELECT * FROM '{path}'")
    with closing(Database()) as database:
        for _ in range(1_500):
            changed = bytearray(data)
            for _ in range(random.choice([1, 5, 50])):
                changed[random.randrange(len(changed))] = random.randrange(256)
            path.write_bytes(changed)
            codes[exit_code_of(partial(database.rows, reads))] += 1
    assert set(codes) == {0, 2}


def exit_code_of(done):
    """The exit code that a command would have."""
    try:
        done()
    except AnonduckError as error:
        return error.exit_code
    return 0
