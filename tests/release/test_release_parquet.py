"""Parquet files of repeated rows against the rows that a loop repeats, and against those that DuckDB writes."""

import datetime

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project
from anonduck.release import packed_rows
from anonduck.statements import statement

VALUES = {
    "VARCHAR": st.sampled_from(["", "a", "NULL", "é" * 20, "[1, 2)"]),
    "INTEGER": st.integers(-3, 3),
    "DOUBLE": st.sampled_from([0.0, float("inf"), 0.5]),
    "BOOLEAN": st.booleans(),
    "DATE": st.sampled_from([datetime.date(1, 1, 1), datetime.date(2024, 2, 29)]),
}
ARROW = {
    "VARCHAR": pa.string(),
    "INTEGER": pa.int32(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
}


@st.composite
def rows_and_counts(draw):
    kinds = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=4))
    cell = st.tuples(*[st.none() | VALUES[kind] for kind in kinds])
    rows = draw(st.lists(st.tuples(cell, st.integers(1, 99)), min_size=1, max_size=12))
    return kinds, rows


def write_repeated(table, names, path):
    """The rows of a table, each as often as its last column says."""
    *columns, counts = table.columns
    rows = np.repeat(np.arange(len(counts)), counts)
    values = [packed_rows.numbered_values(one.combine_chunks()) for one in columns]
    packed_rows.PackedRows(rows, names, [len(counts)], [values]).write(path)


@examples(60)
@given(rows_and_counts(), st.integers(1, 40))
def test_rows_are_repeated_bucket_by_bucket_with_their_types(case, row_group):
    kinds, rows = case
    names = [f'odd "{number}' for number in range(len(kinds))]
    columns = [pa.array([row[i] for row, _ in rows], ARROW[kind]) for i, kind in enumerate(kinds)]
    table = pa.table([*columns, pa.array([count for _, count in rows])], [*names, "#records"])
    path = _folder / "repeated.parquet"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(packed_rows, "ROW_GROUP", row_group)
        write_repeated(table, names, path)
    read = duckdb.sql(f"FROM '{path}'")
    assert read.columns == names
    assert [str(kind) for kind in read.types] == kinds
    each = [row for row, count in rows for _ in range(count)]
    buckets = packed_rows.buckets_of(len(each)).tolist()
    assert read.fetchall() == [each[i] for i in sorted(range(len(each)), key=lambda i: (buckets[i], i))]
    groups = pq.ParquetFile(path).metadata
    assert {groups.row_group(i).num_rows for i in range(groups.num_row_groups - 1)} <= {row_group}


@pytest.fixture(autouse=True, scope="module")
def _in_folder(tmp_path_factory):
    global _folder  # noqa: PLW0603 - hypothesis runs many examples in one folder
    _folder = tmp_path_factory.mktemp("repeated")


def source():
    return duckdb.sql(
        "SELECT CASE WHEN i % 11 > 0 THEN 20 + i % 7 END AS age, ['x', 'yy', NULL][1 + i % 3] AS job, "
        "i % 4 = 0 AS paid, TIME '10:00' + to_minutes(i % 2) AS clock FROM range(600) t(i)"
    ).df()


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("rule", "limit"), [("age=0,job=0", "MOST_VALUES"), ("age=1", "MOST_RECORDS"), ("age=0,job=1", "MOST_VALUES")]
)
def test_both_writers_write_the_same_rows_and_types(rule, limit, tmp_path, monkeypatch):
    with Project(source=source(), class_="paid", identifiers=["clock"], requirement={"k": 1}) as project:
        project.release(rule, tmp_path / "arrow.parquet")
        monkeypatch.setattr(packed_rows, limit, 0)
        project.release(rule, tmp_path / "duckdb.parquet")
    one, other = (duckdb.sql(f"FROM '{tmp_path}/{name}.parquet'") for name in ("arrow", "duckdb"))
    assert (one.columns, one.types, one.fetchall()) == (other.columns, other.types, other.fetchall())
    created = [pq.ParquetFile(tmp_path / f"{name}.parquet").metadata.created_by for name in ("arrow", "duckdb")]
    assert created[0].startswith("parquet-cpp-arrow")
    assert created[1].startswith("DuckDB")


@pytest.mark.slow
def test_types_that_the_libraries_write_differently_are_left_to_duckdb(tmp_path):
    with Project(source=source(), class_="paid", requirement={"k": 1}) as project:
        project.release("clock=0", tmp_path / "out.parquet")
    assert pq.ParquetFile(tmp_path / "out.parquet").metadata.created_by.startswith("DuckDB")


def test_a_dictionary_holds_only_values_of_the_file():
    table = pa.table({"a": ["secret", "x", "y"], "n": [1, 2, 3]}).slice(1)
    path = _folder / "sliced.parquet"
    write_repeated(table, ["a"], path)
    assert b"secret" not in path.read_bytes()


def test_a_row_of_many_records_comes_in_stretches_with_its_places(database):
    """Spark repeats a stretch at once; 2^20 records are one, and one more is another."""
    rows = [("a", 3), ("b", 1 << 20), ("c", (1 << 21) + 1), ("d", 0), (None, 2)]
    with database.registered("given", pa.table({"v": [v for v, _ in rows], "#records": [n for _, n in rows]})):
        found = database.rows(
            statement("release/grouped_places.sql", columns={"shown": ["v"]}, table={"grouped": "given"})
        )
    stretches, first = [], 1
    for value, records in rows:
        stretches += [(value, first + n, min(records - n, 1 << 20)) for n in range(0, records, 1 << 20)]
        first += records
    assert sorted(found, key=lambda one: one[1]) == stretches
