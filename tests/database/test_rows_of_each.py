"""Several queries in one statement."""

import pytest

from anonduck.database.connection import Database
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
