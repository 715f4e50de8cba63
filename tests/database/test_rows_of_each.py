"""Several queries in one statement, and what is asked of a database once."""

import pytest

from anonduck.database.connection import Database
from anonduck.errors import QueryError
from anonduck.statements import Statement


@pytest.fixture
def database():
    with_memory = Database()
    yield with_memory
    with_memory.close()


def listing(*numbers):
    return Statement("listing", f"SELECT unnest({list(numbers)}) AS n, $words AS words", frozenset({"words"}))


def test_the_rows_of_each_query_are_its_own(database):
    asked = {
        "a": listing(3, 1),
        ("b", 2): listing(7),
        "c": Statement("listing", "SELECT 1, $words WHERE false", frozenset({"words"})),
    }
    found = database.rows_of_each(asked, {"words": "x"})
    assert {key: sorted(rows) for key, rows in found.items()} == {
        "a": [(1, "x"), (3, "x")],
        ("b", 2): [(7, "x")],
        "c": [],
    }
    assert database.rows_of_each({}, {"words": "x"}) == {}


def test_what_is_read_once_is_read_again_in_another_database_and_after_a_rollback(database):
    seen = []

    def read():
        seen.append(len(seen))
        return seen[-1]

    assert [database.read_once("one", read) for _ in range(2)] == [0, 0]
    with database.apart():
        assert [database.read_once("one", read) for _ in range(2)] == [1, 1]
    with database.apart():
        assert database.read_once("one", read) == 2
    assert database.read_once("one", read) == 0
    with pytest.raises(QueryError), database.transaction():
        database.run(Statement("broken", "SELECT no_such_column", frozenset()))
    assert database.read_once("one", read) == 3


def test_tables_are_asked_for_until_they_are_there(database):
    answers = [False, True, False]
    assert [database.is_there("made", lambda: answers.pop(0)) for _ in range(4)] == [False, True, True, True]
    assert answers == [False]
