"""Documents are kept by kind and key, and those that an earlier version kept in tables of their own survive."""

import contextlib

import pytest
from asking import ask

from anonduck.database.connection import Database
from anonduck.database.documents import (
    COMPARED_ROW,
    EARLIER,
    EXPECTED,
    LAST_COMPARISON,
    LAST_RECODING,
    MADE_RELEASE,
    forget_documents,
    keep_document,
    kept_document,
    kept_documents,
)
from anonduck.search.store import last_choice, write_last_choice

EARLIER_TABLES = {
    "comparison_rows": "CREATE TABLE comparison_rows (fingerprint VARCHAR NOT NULL, document VARCHAR NOT NULL)",
    "last_comparison": "CREATE TABLE last_comparison (document VARCHAR NOT NULL)",
    "expected": "CREATE TABLE expected (document JSON)",
    "made_releases": "CREATE TABLE made_releases (file VARCHAR NOT NULL, document VARCHAR NOT NULL)",
}
"""As anonduck made them before they became one."""


@pytest.fixture
def database():
    with contextlib.closing(Database(None)) as one:
        yield one


def test_a_document_replaces_the_one_of_its_kind_and_key(database):
    assert kept_document(database, COMPARED_ROW, "a") is None
    keep_document(database, COMPARED_ROW, {"n": 1}, "a")
    keep_document(database, COMPARED_ROW, {"n": 2}, "b")
    keep_document(database, MADE_RELEASE, {"n": 3}, "a")
    keep_document(database, COMPARED_ROW, {"n": 4, 'odd "key"': None}, "a")
    assert kept_document(database, COMPARED_ROW, "a") == {"n": 4, 'odd "key"': None}
    assert kept_documents(database, COMPARED_ROW) == {"a": {"n": 4, 'odd "key"': None}, "b": {"n": 2}}
    forget_documents(database, COMPARED_ROW)
    assert kept_documents(database, COMPARED_ROW) == {}
    assert kept_documents(database, MADE_RELEASE) == {"a": {"n": 3}}


def test_what_an_earlier_version_kept_is_moved(tmp_path):
    assert EARLIER_TABLES.keys() == EARLIER.keys()
    with contextlib.closing(Database(tmp_path / "decision.duckdb")) as one:
        for sql in EARLIER_TABLES.values():
            ask(one, sql)
        ask(one, """INSERT INTO comparison_rows VALUES ('f1', '{"row": 1}'), ('f2', '{"row": 2}')""")
        ask(one, """INSERT INTO last_comparison VALUES ('{"comparison": {}}')""")
        ask(one, """INSERT INTO expected VALUES ('{"rules": {}, "asked": {"of": 1}}')""")
        ask(one, """INSERT INTO made_releases VALUES ('m.parquet', '{"file": "m.parquet"}')""")
    for kept in (1, 1, 2):
        with contextlib.closing(Database(tmp_path / "decision.duckdb")) as one:
            if kept > 1:
                for table in ("expected", "comparison_rows"):  # by an earlier version that was taken once more
                    ask(one, EARLIER_TABLES[table])
                ask(one, """INSERT INTO comparison_rows VALUES ('f2', '{"row": 0}')""")
                ask(one, """INSERT INTO expected VALUES ('{"rules": {}, "asked": {"of": 2}}')""")
            assert kept_documents(one, COMPARED_ROW) == {"f1": {"row": 1}, "f2": {"row": 2}}
            assert kept_document(one, LAST_COMPARISON) == {"comparison": {}}
            assert kept_document(one, EXPECTED) == {"rules": {}, "asked": {"of": kept}}
            assert kept_document(one, MADE_RELEASE, "m.parquet") == {"file": "m.parquet"}
            assert kept_document(one, LAST_RECODING) is None
            tables = ask(one, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main'")
            assert {name for (name,) in tables} & EARLIER.keys() == set()


@pytest.mark.parametrize("columns", [("levels",), ("levels", "expected"), ("levels", "expected", "method", "trees")])
def test_the_last_choice_of_an_earlier_version_survives(database, columns):
    """A lost last choice makes nightly releases intersect."""
    values = {
        "levels": '{"age": 2, "odd \\"name\\"": 0}',
        "expected": '{"k": 5}',
        "method": '{"name": "tds"}',
        "trees": "null",
    }
    ask(database, f"CREATE TABLE last_choice ({', '.join(f'{name} VARCHAR' for name in columns)})")
    written = ", ".join(f"'{values[name]}'" for name in columns)
    ask(database, f"INSERT INTO last_choice VALUES ({written})")
    for _ in range(2):
        found = last_choice(database)
        assert found.levels == {"age": 2, 'odd "name"': 0}
        assert found.expected == ({"k": 5} if "expected" in columns else {})
        assert found.method["name"] == ("tds" if "method" in columns else "rule")
        assert found.trees == {}
    write_last_choice(database, {"age": 1}, {})
    assert last_choice(database).levels == {"age": 1}


def test_an_earlier_last_choice_does_not_come_back(database):
    ask(database, "CREATE TABLE last_choice (levels VARCHAR)")
    ask(database, """INSERT INTO last_choice VALUES ('{"age": 2}')""")
    write_last_choice(database, {"age": 1}, {})
    assert last_choice(database).levels == {"age": 1}
    assert last_choice(database).by_rule
