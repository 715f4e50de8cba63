"""Documents are kept by kind and key."""

import contextlib

import pytest

from anonduck.database.connection import Database
from anonduck.database.documents import (
    COMPARED_ROW,
    MADE_RELEASE,
    forget_documents,
    keep_document,
    kept_document,
    kept_documents,
)


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
