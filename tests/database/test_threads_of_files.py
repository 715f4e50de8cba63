"""With how many threads files are written: more than one hold the text of a CSV file in memory until its turn comes."""

import pytest
import sqlglot

from anonduck.database.connection import Database
from anonduck.source.engine import write_file
from anonduck.statements import builder_database, statement

ASKED = "SELECT current_setting('threads') AS threads"


@pytest.mark.parametrize(
    ("kind", "repeated", "set_to", "used"),
    [("csv", True, 3, 1), ("csv", False, 3, 3), ("csv", False, 1, 2), ("parquet", True, 3, 3), ("parquet", True, 1, 2)],
)
def test_few_rows_that_repeat_are_written_to_csv_by_one_thread(tmp_path, kind, repeated, set_to, used):
    database, path = Database(threads=set_to), tmp_path / f"file.{kind}"
    try:
        rows = sqlglot.parse_one(ASKED, read="duckdb")
        write_file(database, rows, path, kind, repeated=repeated)
        assert database.value(builder_database.THREADS) == set_to
        read = statement("taxonomy/files/import_parquet.sql")
        text = path.read_text() if kind == "csv" else f"threads\n{database.value(read, {'path': str(path)})}\n"
        assert text == f"threads\n{used}\n"
    finally:
        database.close()
