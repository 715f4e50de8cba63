"""Statements are parsed once in a process, and asked anew with other values and in other databases."""

import contextlib

import duckdb
import pytest

from anonduck.database import session
from anonduck.database.connection import Database
from anonduck.statements import builder_database


@pytest.fixture
def parsed(monkeypatch):
    """What was parsed, which is nothing yet."""
    held = {}
    monkeypatch.setattr(session, "PARSED", held)
    return held


def threads_of(database, threads):
    database.run(builder_database.setting("threads"), {"value": threads})
    return database.value(builder_database.THREADS)


def test_a_statement_is_parsed_once_for_all_databases_and_values(parsed, tmp_path):
    with contextlib.closing(Database()) as one, contextlib.closing(Database(tmp_path / "other.duckdb")) as other:
        assert [threads_of(one, 1), threads_of(other, 2)] == [1, 2]
        before = dict(parsed)
        assert builder_database.THREADS.sql in before
        assert [threads_of(one, 3), threads_of(other, 1)] == [3, 1]
        assert all(parsed[text] is statement for text, statement in before.items())
        assert one.value(builder_database.CURRENT) == "memory"
        assert other.value(builder_database.CURRENT) == "other"


def test_no_more_are_kept_than_are_allowed(parsed, monkeypatch):
    monkeypatch.setattr(session, "MOST_PARSED", 2)
    with contextlib.closing(Database()) as one:
        assert [threads_of(one, threads) for threads in (1, 2, 3)] == [1, 2, 3]
    assert 1 <= len(parsed) <= 2


def test_the_connection_of_a_caller_parses_for_itself(parsed):
    """Its settings say how names are parsed, and hold for nobody else."""
    with duckdb.connect() as connection, contextlib.closing(Database(connection=connection)) as one:
        assert one.value(builder_database.CURRENT) != "memory"
    assert parsed == {}
