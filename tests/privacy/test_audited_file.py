"""What the audit takes for equal in its file: what a reader of it cannot tell apart, and nothing else."""

import duckdb
import pytest

from anonduck.engines.relation import Place
from anonduck.privacy.audited_engine import _place
from anonduck.privacy.audited_file import _format, _records, open_release
from anonduck.statements import Statement

FLOATS = "['0', '0', '-0', NULL, 'nan', 'inf', '-inf', '1.5']"


def classes(work, target, column, **options):
    """How many records each group of a column of the audited table has, as DuckDB groups it."""
    with open_release(work, target, None, **options):
        grouped = f'SELECT count(*) FROM release GROUP BY "{column}" ORDER BY 1'
        return [count for (count,) in work.rows(Statement("grouped", grouped))]


@pytest.mark.parametrize("collation", ["nocase", "noaccent"])
def test_texts_of_a_collation_are_told_apart_by_their_bytes(database, tmp_path, collation):
    with duckdb.connect(str(tmp_path / "r.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t (job VARCHAR COLLATE {collation})")
        texts = ["cook", "cook", "Cook", "co\u00f6k", "co\u00f6K", None]
        connection.executemany("INSERT INTO t VALUES (?)", [[text] for text in texts])
        connection.execute("CREATE VIEW v AS SELECT job, [job] AS jobs FROM t")
    for table, column in (("t", "job"), ("v", "job"), ("v", "jobs")):
        assert classes(database, f"{tmp_path}/r.duckdb::{table}", column) == [1, 1, 1, 1, 2]


@pytest.mark.newest  # DuckDB 1 may store minus zero as zero
@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE"])
def test_minus_zero_is_a_value_beside_zero_but_not_in_an_original(database, tmp_path, kind):
    held = f"SELECT unnest({FLOATS}::{kind}[]) AS x, 0::{kind} AS zero"
    with duckdb.connect(f"{tmp_path}/r.duckdb") as connection:
        connection.execute(f"CREATE TABLE t AS {held}; COPY t TO '{tmp_path}/r.parquet'; COPY t TO '{tmp_path}/r.csv'")
        table = connection.table("t").to_arrow_table()
    for target in (f"{tmp_path}/r.parquet", f"{tmp_path}/r.duckdb::t", table, f"{tmp_path}/r.csv"):
        assert classes(database, target, "x") == [1, 1, 1, 1, 1, 1, 2]
        assert classes(database, target, "zero") == [8]
    for target in (f"{tmp_path}/r.parquet", f"{tmp_path}/r.duckdb::t", table):
        assert classes(database, target, "x", one_zero=True) == [1, 1, 1, 1, 1, 3]


def test_numbers_without_minus_zero_keep_their_type(database, tmp_path):
    table = duckdb.sql(f"SELECT 0.0::DOUBLE AS x, 1.5::FLOAT AS y, unnest({FLOATS}::DOUBLE[]) AS z").to_arrow_table()
    with open_release(database, table, None):
        kinds = database.rows(Statement("kinds", "SELECT column_type FROM (DESCRIBE release)"))
    assert kinds == [("DOUBLE",), ("FLOAT",), ("VARCHAR",)]


@pytest.mark.parametrize(
    ("text", "whole", "records"),
    [
        ("a,b\n1,2\n3", False, [["a", "b"], ["1", "2"]]),  # what was read may end within a record
        ("a,b\n1", False, [["a", "b"]]),
        ("a,b", False, [["a", "b"]]),
        ("a,b\n1,2\n3", True, [["a", "b"], ["1", "2"], ["3"]]),
        ("", True, []),
    ],
)
def test_a_record_that_may_be_cut_is_left_out(text, whole, records):
    assert _records(text, whole, ",") == records


def test_a_file_that_cannot_be_read_is_called_by_its_format(tmp_path):
    formats = {"a.PARQUET": "Parquet", str(tmp_path): "Parquet", "a.duckdb::t": "a DuckDB file", None: "a table"}
    assert {file: _format(file, "hint") for file in formats} == formats
    assert _format("a.csv", "hint") == "CSV with that header and separator (hint)"


def test_a_table_of_an_engine_is_a_name_or_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for text in ("folder", "not/there", "not_there.PARQUET"):
        assert _place(text, "spark", "spark") == Place(path=str(tmp_path / text))
    assert _place("s3://bucket/folder", "spark", "spark") == Place(path="s3://bucket/folder")
    for text in ("shop.people", "spark:shop.people", "spark:table:shop.people"):
        assert _place(text, "spark", "spark") == Place(("shop", "people"))
