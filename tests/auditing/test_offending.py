"""The query of offending classes: what it returns when it is run elsewhere, against the audit of the same file."""

import duckdb
import pandas as pd
import pytest
from examples import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from anonduck.auditing.audit import audit
from anonduck.auditing.offenders import offending_query
from anonduck.errors import AuditError

values = st.sampled_from(["a", "b", 'odd "value', None])


@pytest.fixture
def release(tmp_path):
    # classes: x 3 records of 2 values (one NULL); y 2 of 1 value; NULL 2 of 1 value, that of NULL
    path = tmp_path / "released.csv"
    path.write_text('"odd ""name",s,records\nx,1,p\nx,,q\nx,1,q\ny,1,r\ny,1,r\n,,r\n,,r\n', encoding="utf-8")
    return path


def rows(query):
    with duckdb.connect() as connection:
        return sorted(connection.execute(query).fetchall(), key=str)


QUASI, SENSITIVE = ['odd "name'], ["s"]


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("required", "expected"),
    [
        ({"k": 3}, [("y", 2), (None, 2)]),
        ({"k": 2}, []),
        ({"l": 2}, [("y", 2, 1), (None, 2, 1)]),
        ({"k": 4, "l": 1}, [("x", 3, 2), ("y", 2, 1), (None, 2, 1)]),
    ],
)
def test_rows_are_the_offending_classes(release, required, expected):
    found = rows(offending_query(release, QUASI, requirements=required, sensitive=SENSITIVE))
    assert found == sorted(expected, key=str)
    assert audit(release, QUASI, sensitive=SENSITIVE, requirements=required).met is (not expected)


def test_persons_are_counted(release):
    query = offending_query(release, QUASI, requirements={"k": 2}, entity="records", sensitive=SENSITIVE)
    assert rows(query) == [("y", 1), (None, 1)]


def test_l_of_persons_is_no_count_of_values(release):
    with pytest.raises(AuditError, match=r"counts distinct values for l.*with `--entity COLUMN` it takes k alone"):
        offending_query(release, QUASI, requirements={"l": 2}, entity="records", sensitive=SENSITIVE)


def test_texts_are_compared_by_their_bytes(tmp_path):
    held = [["cook", 0.0]] * 2 + [["Cook", 0.0]]
    assert offending_in_a_table(tmp_path, held) == [("Cook", 0.0, 1)]


@pytest.mark.newest  # DuckDB 1 may store minus zero as zero
def test_minus_zero_is_a_value(tmp_path):
    held = [["cook", 0.0]] * 2 + [["cook", -0.0]] + [["Cook", 0.0]]
    assert offending_in_a_table(tmp_path, held) == [("Cook", "0.0", 1), ("cook", "-0.0", 1)]


def offending_in_a_table(folder, held):
    """The offending classes of a table in a DuckDB file for k = 2, which are the same under its name in a warehouse."""
    with duckdb.connect(f"{folder}/r.duckdb") as connection:
        connection.execute("CREATE TABLE t (job VARCHAR COLLATE nocase, x DOUBLE)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", held)
    found = []
    for table in (None, "r.main.t"):
        query = offending_query(f"{folder}/r.duckdb::t", ["job", "x"], requirements={"k": 2}, table=table)
        with duckdb.connect(f"{folder}/r.duckdb") as connection:
            found.append(sorted(connection.execute(query).fetchall()))
    assert found[0] == found[1]
    return found[0]


def test_a_quasi_identifier_named_as_the_count(release):
    query = offending_query(release, ["records"], requirements={"k": 2})
    assert rows(query) == [("p", 1)]
    with duckdb.connect() as connection:
        names = [column[0] for column in connection.execute(query).description]
    assert names == ["records", "records_"]


@pytest.mark.slow
@examples(15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=st.lists(st.tuples(values, values, values), min_size=1, max_size=20),
    k=st.integers(1, 4),
    least=st.integers(1, 3),
)
def test_no_rows_if_and_only_if_the_audit_is_met(tmp_path, table, k, least):
    with duckdb.connect() as connection:
        connection.register("t", pd.DataFrame(table, columns=["q", "r", "s"], dtype="string"))
        connection.execute(f"COPY t TO '{tmp_path}/released.parquet'")
    required = {"k": k, "l": least}
    path = tmp_path / "released.parquet"
    found = rows(offending_query(path, requirements=required, sensitive=["s"]))
    assert (not found) is audit(path, sensitive=["s"], requirements=required).met


def test_without_quasi_identifiers(release):
    query = offending_query(release, [], requirements={"k": 8})
    assert rows(query) == [(7,)]


def test_a_table_of_a_duckdb_file_and_a_name_in_its_place(tmp_path):
    path = tmp_path / "w.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE released AS SELECT 1 AS a")
    query = offending_query(f"{path}::released", requirements={"k": 2})
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute(query).fetchall() == [(1, 1)]
    assert "FROM @this_model" in offending_query(f"{path}::released", requirements={"k": 2}, table="@this_model")
    assert "FROM {{ ref('r') }}" in offending_query(f"{path}::released", requirements={"k": 2}, table="{{ ref('r') }}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"requirements": {}}, "takes the requirements k and l; got none"),
        ({"requirements": {"t": 0.2}}, r"takes the requirements k and l; got \['t'\]"),
        ({"requirements": {"l": 2}}, "l needs a sensitive attribute"),
        ({"requirements": {"k": 0}}, "whole number of 1 or more"),
        ({"requirements": {"k": 2}, "sensitive": ["none"]}, "no column 'none'"),
    ],
)
def test_what_cannot_be_asked(release, options, message):
    with pytest.raises(AuditError, match=message):
        offending_query(release, **options)
