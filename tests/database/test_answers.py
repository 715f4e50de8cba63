"""What is known of stored tables is asked again once it may have changed, whatever changed it."""

from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

import anonduck
from anonduck.database.answers import MOST_VALUES, written_by
from anonduck.database.connection import Database
from anonduck.source.shared_database import SharedDatabase
from anonduck.statements import Statement, builder_database

COUNT = Statement("count", 'SELECT count(*) FROM "Kept"')
OTHER = Statement("other", "SELECT count(*) FROM duckdb_tables() WHERE table_name = $name", frozenset({"name"}))


@pytest.fixture
def asked(monkeypatch):
    """A database with a table of one row, and the names of the statements that it ran."""
    with_table = Database()
    with_table.run(Statement("make", "CREATE TABLE kept AS SELECT 1 AS one"))
    names = []
    raw = with_table._session.raw
    monkeypatch.setattr(with_table._session, "raw", lambda *given: (names.append(given[0].name), raw(*given))[1])
    yield with_table, names
    with_table.close()


def test_what_is_known_is_asked_once_and_not_changed_by_who_asked(asked):
    database, names = asked
    database.known(COUNT).append("mine")
    assert database.known(COUNT) == [(1,)]
    assert database.known(OTHER, {"name": "kept"}) == database.known(OTHER, {"name": "kept"}) == [(1,)]
    assert database.known(OTHER, {"name": "gone"}) == [(0,)]
    database.run(Statement("elsewhere", "CREATE TABLE elsewhere AS SELECT 2 AS two"))
    assert database.known(COUNT) == [(1,)]
    assert names == ["count", "other", "other", "elsewhere"]


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        ("INSERT INTO kept VALUES (2)", 2),
        ('DELETE FROM "kept"', 0),
        ("UPDATE kept SET one = 3", 1),
        ("CREATE OR REPLACE TABLE main.kept AS SELECT * FROM range(5) AS r(one)", 5),
        ("CREATE OR REPLACE TEMPORARY TABLE KEPT AS SELECT * FROM range(4) AS r(one)", 4),
        ("ALTER TABLE kept ADD COLUMN two INTEGER", 1),
        ("SET TimeZone = 'Asia/Tokyo'", 1),
        ("ATTACH ':memory:' AS another", 1),
        ('SET "threads" = 1', None),
        ("WITH a AS (SELECT 1) SELECT * FROM a", None),
    ],
)
def test_what_may_have_changed_is_asked_again(asked, change, rows):
    database, names = asked
    database.known(COUNT)
    database.run(Statement("change", change))
    assert database.known(COUNT) == [(1 if rows is None else rows,)]
    assert names == ["count", "change", *(["count"] if rows is not None else [])]


def test_what_a_transaction_took_back_or_python_handed_over_is_asked_again(asked):
    database, _ = asked
    database.run(builder_database.BEGIN)
    database.run(Statement("change", "DELETE FROM kept"))
    assert database.known(COUNT) == [(0,)]
    database.run(builder_database.ROLLBACK)
    assert database.known(COUNT) == [(1,)]
    held = Statement("held", "SELECT count(*) FROM handed_over")
    for rows in (1, 2):
        database.register("handed_over", database.arrow(Statement("rows", f"SELECT * FROM range({rows})")))
        assert database.known(held) == [(rows,)]


def test_a_table_that_gets_its_name_is_asked_for_again(asked):
    database, _ = asked
    assert database.known(OTHER, {"name": "another"}) == [(0,)]
    database.run(Statement("rename", 'ALTER TABLE kept RENAME TO "another"'))
    assert database.known(OTHER, {"name": "another"}) == [(1,)]


def test_a_large_answer_is_asked_again(asked):
    database, names = asked
    large = Statement("large", f"SELECT * FROM kept, range({MOST_VALUES // 2 + 1})")
    assert database.known(large) == database.known(large)
    assert names == ["large", "large"]


def test_a_job_asks_anew(asked):
    database, _ = asked
    shared = SharedDatabase(database=database)
    for rows in (1, 0):
        with shared.exclusive(), shared.exclusive():
            assert database.known(COUNT) == [(rows,)]
        database._session.connection.execute("DELETE FROM kept")  # as somebody else does, between two jobs


def test_it_is_told_what_the_queries_of_the_package_write_to():
    kinds = (exp.Create, exp.Insert, exp.Update, exp.Delete, exp.Drop, exp.Alter)
    writing = {}
    for path in (Path(anonduck.__file__).parent.parent / "sql").rglob("*.sql"):
        tree = sqlglot.parse_one(path.read_text(), read="duckdb")
        target = tree.find(exp.Table) if isinstance(tree, kinds) else None
        text = tree.sql("duckdb", pretty=True, comments=False)
        written = [] if target is None else [target, *(one.this for one in tree.find_all(exp.AlterRename))]
        assert written_by(text) == ({part.name.lower() for one in written for part in one.parts} or None), path
        writing[path.stem] = target is not None
    assert (writing["register"], writing["stored"]) == (True, False)
