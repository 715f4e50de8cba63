"""What queries take for granted of an engine: that it is so, which queries rest on it, and what happens otherwise."""

from functools import cache
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anonduck
from anonduck.database import behaviour as installed
from anonduck.database.connection import Database
from anonduck.engines.equality import EVERYWHERE, check_behaviour
from anonduck.errors import DatabaseError, SourceError
from anonduck.statements import Statement, builder_behaviour, load
from anonduck.statements.builder_behaviour import BY_NAME, EXPECTED, QUERY, question, rests_on

QUERIES = Path(__file__).parents[2] / "sql"
NAMES = sorted(path.relative_to(QUERIES).as_posix() for path in QUERIES.rglob("*.sql"))

LISTED = Path(__file__).with_name("engine_behaviour.txt")
MOST = 45
"""A behaviour that more queries rest on is one of all SQL, such as that NULL is a group."""


@pytest.mark.parametrize("name", BY_NAME)
def test_this_duckdb_does_what_queries_expect(database, name):
    """On the lowest version that is allowed, and on the newest: both run this test in continuous integration."""
    assert database.value(question([BY_NAME[name]])) is True


@pytest.mark.slow
def test_each_behaviour_is_a_column_of_the_query_and_some_query_rests_on_it():
    assert [column.alias for column in load(QUERY).tree.expressions] == list(BY_NAME)
    assert [name for name, queries in resting().items() if not queries] == []


@pytest.mark.slow
def test_queries_that_rest_on_a_rare_corner_are_listed_by_file():
    """Who writes a new one reads what it rests on, and lists it."""
    assert (
        LISTED.read_text(encoding="utf-8")
        == "\n".join(
            line
            for name, queries in resting().items()
            if len(queries) <= MOST
            for line in (
                f"{name}: {BY_NAME[name].words}; else wrong: {BY_NAME[name].figures}",
                *(f"  {q}" for q in queries),
            )
        )
        + "\n"
    )


@cache
def resting():
    """The queries that rest on each behaviour."""
    trees = {name: load(name).tree for name in NAMES if name != QUERY}
    return {one.name: [name for name, tree in trees.items() if one.holds_in(tree)] for one in EXPECTED}


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
def another_version(monkeypatch):
    """DuckDB as it would call itself in another version; returns what it then was asked."""
    asked = []
    holds = installed._holds
    monkeypatch.setattr(installed, "TESTED", ("1.0.0",))
    monkeypatch.setattr(installed, "_DIFFERING", {})
    monkeypatch.setattr(installed, "_holds", lambda ask, one: asked.append(one.name) or holds(ask, one))
    return asked


@pytest.mark.slow
def test_a_version_that_was_not_tested_is_asked_once_and_used_if_it_differs_in_nothing(another_version, table):
    assert anonduck.audit(table, quasi_identifiers=["age"], requirements={"k": 2}).met
    assert another_version == list(BY_NAME)
    assert anonduck.audit(table, quasi_identifiers=["age"], requirements={"k": 2}).met
    assert another_version == list(BY_NAME)


def test_a_tested_version_is_not_asked(monkeypatch, table):
    monkeypatch.setattr(installed, "TESTED", (duckdb.__version__,))
    monkeypatch.setattr(installed, "_holds", None)
    assert anonduck.audit(table, quasi_identifiers=["age"]).k == 2


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"age": [1, 1, None, None], "illness": ["hiv", None, "hiv", "flu"]}), path)
    return path


def differ(monkeypatch, name):
    """Let this DuckDB differ in one behaviour."""
    holds = installed._holds
    monkeypatch.setattr(installed, "_holds", lambda ask, one: one.name != name and holds(ask, one))


@pytest.mark.slow
def test_a_figure_is_refused_that_rests_on_what_differs_and_no_other(another_version, monkeypatch, table):
    differ(monkeypatch, "a_list_contains_what_is_in_it")
    assert anonduck.audit(table, quasi_identifiers=["age"]).k == 2
    with pytest.raises(DatabaseError) as refused:
        anonduck.audit(table, quasi_identifiers=["age"], sensitive=["illness"], requirements={"alpha": 0.5})
    words = str(refused.value)
    assert f"DuckDB {duckdb.__version__}" in words
    assert "list_contains is FALSE of an empty list" in words
    assert "sql/privacy/cells.sql" in words
    assert refused.value.exit_code == 2


def test_no_release_is_written_where_groups_differ(another_version, monkeypatch, table, tmp_path):
    target = tmp_path / "released.parquet"
    target.write_bytes(b"what stood there")
    differ(monkeypatch, "null_is_a_group")
    with pytest.raises(DatabaseError, match="GROUP BY puts NULLs together does not hold"):
        anonduck.Project(source=table, class_="illness", quasi_identifiers=["age"]).release(
            {"age": 0}, target, overwrite=True
        )
    assert target.read_bytes() == b"what stood there"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "released.parquet"]


def test_a_behaviour_that_is_an_error_or_no_truth_does_not_hold(database, monkeypatch):
    asked = [Statement("test", "SELECT no_such_function(1)"), Statement("test", "SELECT NULL")]
    for statement in asked:
        monkeypatch.setattr(builder_behaviour, "question", lambda _, statement=statement: statement)
        assert not installed._holds(database._session.raw, EXPECTED[0])


def test_a_statement_that_cannot_be_parsed_rests_on_everything():
    assert rests_on("SELECT ((", EXPECTED) == list(EXPECTED)
    assert rests_on("SELECT 1 AS one", EXPECTED) == []


def test_an_engine_that_differs_is_refused_by_name():
    check_behaviour([True] * len(EVERYWHERE), lambda: "Spark 9")
    answers = [one.name != "null_is_a_group" for one in EVERYWHERE]
    with pytest.raises(SourceError, match=r"Spark 9 does not .*: GROUP BY puts NULLs together\."):
        check_behaviour(answers, lambda: "Spark 9")
