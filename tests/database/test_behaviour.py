"""What queries take for granted of an engine: that it is so here, and what happens where it is not."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anonduck
from anonduck.database import behaviour
from anonduck.database.connection import Database
from anonduck.engines.equality import check_behaviour
from anonduck.errors import DatabaseError, SourceError
from anonduck.statements import Statement, statement


@pytest.mark.parametrize("query", behaviour.QUERIES)
def test_this_duckdb_does_what_queries_expect(database, query):
    """On the lowest version that is allowed, and on the newest: both run this test in continuous integration."""
    assert [row for row in database.rows(statement(query)) if row[1] != row[2]] == []


def test_a_setting_of_the_caller_changes_no_order():
    with duckdb.connect() as caller:
        caller.execute("SET default_order = 'descending'")
        caller.execute("SET default_null_order = 'nulls_first'")
        with_caller = Database(connection=caller)
        ordered = Statement("test", "SELECT v FROM (VALUES (2), (NULL), (1)) AS t (v) ORDER BY v")
        assert with_caller.rows(ordered) == [(1,), (2,), (None,)]
        with_caller.close()
        assert caller.execute("SELECT v FROM (VALUES (2), (NULL), (1)) AS t (v) ORDER BY v").fetchall() == [
            (None,),
            (2,),
            (1,),
        ]


# -- a version that was not tested -------------------------------------------------------------------------------------


@pytest.fixture
def asked(monkeypatch):
    """DuckDB as it would call itself in another version; returns the queries of what is expected that it is asked."""
    names = []
    monkeypatch.setattr(behaviour, "TESTED", ("1.0.0",))
    monkeypatch.setattr(behaviour, "statement", lambda name: names.append(name) or statement(name))
    return names


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"age": [1, 1, None, None], "illness": ["hiv", None, "hiv", "flu"]}), path)
    return path


def test_a_version_that_was_not_tested_is_asked_and_used_if_it_differs_in_nothing(asked, table):
    assert anonduck.audit(table, quasi_identifiers=["age"], requirements={"k": 2}).met
    assert tuple(asked) == behaviour.QUERIES


def test_a_tested_version_is_not_asked(asked, monkeypatch, table):
    monkeypatch.setattr(behaviour, "TESTED", (duckdb.__version__,))
    assert anonduck.audit(table, quasi_identifiers=["age"]).k == 2
    assert asked == []


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT 'NULL is 1', NULL, 1", "that NULL is 1 does not hold, for an expression gives None in place of 1"),
        ("SELECT 'two is one', 2, 1", "that two is one does not hold, for an expression gives 2 in place of 1"),
        ("SELECT no_such_function(1)", "it refuses a query of what is expected of it"),
    ],
)
def test_nothing_is_written_with_a_version_that_differs(asked, monkeypatch, table, tmp_path, sql, words):
    target = tmp_path / "released.parquet"
    target.write_bytes(b"what stood there")
    monkeypatch.setattr(behaviour, "statement", lambda name: Statement(name, sql))
    with pytest.raises(DatabaseError) as refused:
        anonduck.Project(source=table, class_="illness", quasi_identifiers=["age"]).release(
            {"age": 0}, target, overwrite=True
        )
    told = str(refused.value)
    assert f"DuckDB {duckdb.__version__} is not among the versions that anonduck was tested with (1.0.0)" in told
    assert words in told
    assert "pip install duckdb==1.0.0" in told
    assert refused.value.exit_code == 2
    assert target.read_bytes() == b"what stood there"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "released.parquet"]


def test_an_engine_that_differs_is_refused_by_name():
    check_behaviour([("NULL is a group", 2, 2)], lambda: "Spark 9")
    with pytest.raises(SourceError, match=r"Spark 9 does not .*: NULL is a group\."):
        check_behaviour([("NULL is a group", 3, 2), ("one is one", 1, 1)], lambda: "Spark 9")
