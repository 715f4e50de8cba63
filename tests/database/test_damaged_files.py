"""What DuckDB says of a damaged file is an error of the file, not a bug."""

import duckdb
import pytest

from anonduck.database.errors import translated
from anonduck.errors import QueryError, SourceError
from anonduck.statements import Statement

READS = Statement("source/sample.sql", "SELECT 1")


@pytest.mark.parametrize(
    "error",
    [
        duckdb.InternalException("Corrupt database file: computed checksum 77 does not match stored checksum 78"),
        duckdb.Error("TProtocolException: Invalid data"),
        duckdb.Error("Parquet file is likely corrupted, dictionary offset out of range"),
    ],
)
def test_a_damaged_file_is_no_bug(error):
    found = translated(READS, error)
    assert isinstance(found, SourceError)
    assert found.exit_code == 2
    assert "77" not in str(found)


def test_a_wrong_query_about_checksums_is_a_bug():
    assert isinstance(translated(READS, duckdb.BinderException('no column "checksum"')), QueryError)
