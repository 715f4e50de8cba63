"""Taxonomies as data: what is kept is written back as it was, whatever the types of its values."""

import json

import duckdb
import pytest

from anonduck import Project
from anonduck.database.connection import Database
from anonduck.statements import Statement
from anonduck.taxonomy.catalog import contents, digests, entries, prepare
from anonduck.taxonomy.kept import kept_from_json, put_taxonomies, taxonomies_to_keep

RECORDS = """
SELECT DATE '1890-02-03' + i * 301 AS born, TIMESTAMPTZ '2024-03-31 00:30:00.123456+00' + to_minutes(i * 17) AS seen,
    (i * 1.0 / 3)::DECIMAL(18, 5) AS price, (i / 3)::DOUBLE AS pay, (i / 7)::FLOAT AS short, i % 5 = 0 AS flag,
    nullif(['it''s', '', ' a', 'A', 'b' || chr(10), 'größe', 'b"c', 'null'][i % 8 + 1], 'A') AS word,
    ['x', 'y', 'o''z'][i % 3 + 1]::ENUM ('x', 'y', 'o''z') AS kind, i % 2 AS class
FROM (SELECT i::INTEGER AS i FROM range(60) AS r (i))
"""


def rows(database, sql):
    return sorted(map(repr, database.rows(Statement("test", sql))))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    path = tmp_path_factory.mktemp("kept") / "t.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TABLE t AS {RECORDS}")
    taxonomies = {"born": {"dates": ["month", "year"]}, "pay": {"intervals": 4}, "word": {"clusters": True}}
    with Project(source=f"{path}::t", class_="class", taxonomies=taxonomies, requirement={"k": 2}) as one:
        one.build_taxonomies()
        yield one


def test_what_is_kept_is_written_back_as_it_was(project):
    kept, made = Database(), project.workspace.database
    prepare(kept)
    names = list(entries(made))
    assert names == ["born", "flag", "kind", "pay", "price", "seen", "short", "word"]
    document = json.loads(json.dumps(taxonomies_to_keep(made, kept, names, 20).to_json()))
    for _ in range(2):  # the second time in the place of what is there
        put_taxonomies(kept, kept_from_json(document))
    assert entries(kept) == entries(made)
    assert (digests(kept, names), contents(kept, names)) == (digests(made, names), contents(made, names))
    assert kept.types_in("taxonomy") == made.types_in("taxonomy")
    assert kept.types_in("bounds") == made.types_in("bounds")
    assert kept.types_in("bounds")
    tables = ["taxonomy_nodes", *(f"bounds.{name}" for name in made.types_in("bounds"))]
    for table in tables:
        assert rows(kept, f"SELECT * FROM {table}") == rows(made, f"SELECT * FROM {table}")


def test_taxonomies_that_are_stored_too_are_not_kept(project):
    made = project.workspace.database
    assert not taxonomies_to_keep(made, made, ["born", "pay"], 20).columns


def test_the_fingerprint_is_of_all_that_is_kept(project):
    made, empty = project.workspace.database, Database()
    prepare(empty)
    kept = taxonomies_to_keep(made, empty, ["pay"], 20)
    own = kept.fingerprint(made, "pay")
    assert kept_from_json(json.loads(json.dumps(kept.to_json()))).fingerprint(made, "pay") == own
    assert kept.fingerprint(empty, "pay") != own
    for schema in ("taxonomy", "bounds", "main"):
        other = json.loads(json.dumps(kept.to_json()))
        other["columns"]["pay"]["tables"][schema]["rows"][0][1] = "other"
        assert kept_from_json(other).fingerprint(made, "pay") != own
