"""Releases into tables of DuckDB files: all else that the file holds stays, nothing of an earlier release does."""

import contextlib
import json
import signal
import stat
import subprocess
import sys
import time

import duckdb
import pandas as pd
import pytest
from killing import big_export, releasing
from oracles import documents

from anonduck import Project
from anonduck.database import connection
from anonduck.errors import AnonduckError, DatabaseError, QueryError, ReleaseError, SourceError
from anonduck.release.table import replace_table
from anonduck.release.target import target_of
from anonduck.statements import Statement

EVERYTHING = """
CREATE SCHEMA sales;
CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE SEQUENCE ids START 5;
SELECT nextval('ids');
CREATE TABLE persons (
    id INTEGER PRIMARY KEY DEFAULT nextval('ids'), m mood,
    twice INTEGER GENERATED ALWAYS AS (id * 2) VIRTUAL, CHECK (id > 0)
);
INSERT INTO persons (m) VALUES ('glad'), ('sad'), (NULL);
CREATE TABLE above (pid INTEGER REFERENCES persons (id), t VARCHAR NOT NULL);
INSERT INTO above VALUES (6, 'x');
CREATE UNIQUE INDEX by_text ON above (t);
CREATE TABLE sales."an ""odd"" name" ("a b" STRUCT(x INTEGER, y VARCHAR[]), "SELECT" DECIMAL(9, 2));
INSERT INTO sales."an ""odd"" name" VALUES ({'x': 1, 'y': ['z', NULL]}, 1.5), (NULL, NULL);
CREATE TABLE t AS SELECT 1 AS old;
CREATE VIEW of_t AS SELECT count(*) AS n FROM t;
CREATE VIEW sales.v AS SELECT * FROM main.persons;
CREATE MACRO added(a, b) AS a + b;
CREATE MACRO numbers(n) AS TABLE SELECT * FROM range(n);
COMMENT ON TABLE persons IS 'who';
COMMENT ON COLUMN persons.m IS 'how';
CREATE TABLE empty (x INTEGER);
"""
LISTED = (
    "SELECT table_name, sql, comment FROM duckdb_tables() WHERE table_name <> 't' ORDER BY ALL",
    "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
    "SELECT index_name, sql FROM duckdb_indexes() ORDER BY ALL",
    "SELECT sequence_name, last_value FROM duckdb_sequences() ORDER BY ALL",
    "SELECT type_name, labels FROM duckdb_types() WHERE NOT internal ORDER BY ALL",
    "SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal ORDER BY ALL",
    "SELECT table_name, column_name, comment, data_type FROM duckdb_columns() WHERE NOT internal AND table_name NOT IN "
    "('t', 'of_t') ORDER BY ALL",
    "FROM persons ORDER BY id",
    "FROM above",
    'FROM sales."an ""odd"" name" ORDER BY ALL',
    "FROM sales.v ORDER BY id",
    "SELECT added(1, 2), (SELECT sum(range) FROM numbers(4))",
    "FROM empty",
)


def source(values, rows=60):
    """A table of one quasi-identifier that takes these values in turn, and NULL."""
    names = [*values, None]
    return pd.DataFrame(
        {"job": [names[i % len(names)] for i in range(rows)], "note": "n", "class": [i % 2 for i in range(rows)]}
    )


def released(frame, target, **changes):
    with Project(source=frame, class_="class", insensitive=["note"], requirement={"k": 1}) as one:
        return one.release({"job": 0}, target, overwrite=True, **changes)


def listed(path):
    with duckdb.connect(str(path)) as connection:
        return [connection.execute(query).fetchall() for query in LISTED]


def made(path, sql=EVERYTHING):
    with duckdb.connect(str(path)) as connection:
        for one in sql.split(";\n"):
            connection.execute(one)


def jobs(path, table="t"):
    with duckdb.connect(str(path)) as connection:
        return {row[0] for row in connection.execute(f"SELECT DISTINCT job FROM {table}").fetchall()}


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("table", ["t", "sales.t", "other"])
def test_no_byte_of_the_old_release_stays(tmp_path, table):
    shop = tmp_path / "shop.duckdb"
    made(shop)
    rare = [f"rare-{letter * 9}" for letter in "abcdefgh"]
    released(source(rare), f"{shop}::{table}")
    assert all(value.encode() in shop.read_bytes() for value in rare)
    released(source(["clerk", "cook"]), f"{shop}::{table}")
    assert jobs(shop, table) == {"clerk", "cook", None}
    assert [value for value in rare if value.encode() in shop.read_bytes()] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["shop.duckdb", *documents(f"shop.duckdb.{table}")]
    )


@pytest.mark.slow
def test_all_else_in_the_file_stays(tmp_path):
    shop = tmp_path / "shop.duckdb"
    made(shop)
    before = listed(shop)
    for _ in range(2):
        made_now = released(source(["clerk", "cook"]), f"{shop}::t")
        assert listed(shop) == before
    with duckdb.connect(str(shop)) as connection:
        assert connection.execute("FROM of_t").fetchall() == [(made_now.rows,)]
        assert connection.execute("INSERT INTO persons (m) VALUES ('sad') RETURNING id").fetchall() == [(9,)]
        with pytest.raises(duckdb.ConstraintException):
            connection.execute("INSERT INTO above VALUES (6, 'x')")


@pytest.mark.slow
def test_the_new_file_is_written_as_the_old_one_was(tmp_path):
    shop = tmp_path / "shop.duckdb"
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{shop}' AS shop (STORAGE_VERSION 'v1.0.0', BLOCK_SIZE 16384)")
        connection.execute("CREATE TABLE shop.u AS SELECT 1 AS x")
    shop.chmod(0o640)
    released(source(["clerk"]), f"{shop}::t")
    assert stat.S_IMODE(shop.stat().st_mode) == 0o640
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{shop}' AS shop (READ_ONLY)")
        rows = connection.execute(
            "SELECT tags['storage_version'], block_size FROM duckdb_databases() JOIN pragma_database_size() "
            "USING (database_name) WHERE database_name = 'shop'"
        ).fetchall()
    assert rows == [("v1.0.0+", 16384)]


@pytest.mark.slow
def test_a_link_to_the_file_stays_one(tmp_path):
    shop, link = tmp_path / "shop.duckdb", tmp_path / "link.duckdb"
    made(shop)
    link.symlink_to(shop)
    released(source(["clerk"]), f"{link}::t")
    assert link.is_symlink()
    assert jobs(shop) == {"clerk", None}


def test_a_log_that_was_left_is_written_into_the_file_first(tmp_path):
    shop = tmp_path / "shop.duckdb"
    with duckdb.connect(str(shop)) as connection:
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        connection.execute("CREATE TABLE kept AS SELECT 7 AS x")
    assert (tmp_path / "shop.duckdb.wal").exists()
    released(source(["clerk"]), f"{shop}::t")
    assert not (tmp_path / "shop.duckdb.wal").exists()
    with duckdb.connect(str(shop)) as connection:
        assert connection.execute("FROM kept").fetchall() == [(7,)]


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("CREATE TABLE p (id INTEGER PRIMARY KEY, up INTEGER REFERENCES p (id));\n"
         "INSERT INTO p VALUES (98765432, NULL);\nINSERT INTO p VALUES (1, 98765432)", "foreign key"),
        ("CREATE TABLE t (id INTEGER PRIMARY KEY);\nCREATE TABLE u (id INTEGER REFERENCES t (id))", "main key table"),
        pytest.param("CREATE SCHEMA a;\nCREATE SCHEMA a.b;\nCREATE TABLE a.b.u AS SELECT 1 AS x",
                     "schemas within schemas", marks=pytest.mark.newest),
        pytest.param("CREATE TABLE u (a INTEGER);\nCREATE TABLE v (a INTEGER);\n"
                     "CREATE TRIGGER r AFTER INSERT ON v FOR EACH STATEMENT INSERT INTO u SELECT 98765432",
                     "a trigger of it does not come out", marks=pytest.mark.newest),
    ],
)  # fmt: skip
def test_what_cannot_be_carried_over_is_refused(tmp_path, sql, words):
    shop = tmp_path / "shop.duckdb"
    made(shop, sql)
    before = shop.read_bytes()
    with pytest.raises(ReleaseError, match=f"cannot be written anew.*{words}.*release to a file of its own") as error:
        released(source(["clerk"]), f"{shop}::t")
    assert "98765432" not in str(error.value)
    assert shop.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["shop.duckdb"]


@pytest.mark.slow
def test_a_refusal_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    from anonduck.release import release, sinks
    from anonduck.release.rule_recoder import RuleRecoder

    shop = tmp_path / "shop.duckdb"
    made(shop)
    before = shop.read_bytes()
    with Project(source=source(["clerk"]), class_="class", insensitive=["note"], requirement={"k": 1}) as one:
        with pytest.raises(ReleaseError, match="`--overwrite` replaces it"):
            one.release({"job": 0}, f"{shop}::t")

        def stopped(*_args, **_kwargs):
            raise KeyboardInterrupt

        for place, step in ((release, "_audited"), (sinks, "put_all_in_place"), (RuleRecoder, "rows")):
            with monkeypatch.context() as changed:
                changed.setattr(place, step, stopped)
                with pytest.raises(KeyboardInterrupt):
                    one.release({"job": 0}, f"{shop}::t", overwrite=True)
        assert shop.read_bytes() == before
        assert [path.name for path in tmp_path.iterdir()] == ["shop.duckdb"]
        one.release({"job": 0}, f"{shop}::t", overwrite=True)


@pytest.mark.slow
def test_nobody_writes_to_the_file_meanwhile(tmp_path, monkeypatch):
    from anonduck.release import release

    shop = tmp_path / "shop.duckdb"
    made(shop)
    code = f"import duckdb; duckdb.connect({str(shop)!r})"
    audited = release._audited
    told = []

    def also_opened(*arguments):
        told.append(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False))
        return audited(*arguments)

    monkeypatch.setattr(release, "_audited", also_opened)
    released(source(["clerk"]), f"{shop}::t")
    assert "lock" in told[0].stderr
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    return big_export(tmp_path_factory.mktemp("big"), 400_000)


@pytest.mark.slow
def test_what_a_killed_release_left_of_its_new_file_goes(tmp_path):
    shop = tmp_path / "shop.duckdb"
    fresh = target_of(f"{shop}::t", tmp_path).fresh
    folder = tmp_path / f".{fresh.name}.0kdhc1vp"
    folder.mkdir(mode=0o700)
    (folder / fresh.name).write_text("half of it")
    other = tmp_path / f".{fresh.name}.notes"
    other.write_text("a file of somebody")
    released(source(["clerk"]), f"{shop}::t")
    assert not folder.exists()
    assert other.read_text() == "a file of somebody"
    assert jobs(shop) == {"clerk", None}


@pytest.mark.some(0, 3)
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("delay", [0, 0.05, 0.3, 0.8])
def test_an_end_at_any_point_leaves_the_old_file(tmp_path, big, number, delay):
    shop = tmp_path / "shop.duckdb"
    made(shop)
    released(source(["clerk"]), f"{shop}::t")
    before, receipt = shop.read_bytes(), (tmp_path / "shop.duckdb.t.receipt.json").read_bytes()
    target = target_of(f"{shop}::t", tmp_path)
    with releasing(big, f"{shop}::t") as victim:
        limit = time.monotonic() + 60
        while not target.fresh.exists() and victim.poll() is None and time.monotonic() < limit:
            time.sleep(0.002)
        time.sleep(delay)
        victim.send_signal(number)
    if victim.returncode == 0:
        assert shop.read_bytes() != before  # it was done already
        return
    assert victim.returncode == -number
    if shop.read_bytes() == before:
        standing = tmp_path / "shop.duckdb.t.receipt.json"
        assert (standing if standing.exists() else target.earlier(standing)).read_bytes() == receipt
    own = {"shop.duckdb", *documents("shop.duckdb.t"), target.temporary.name, target.fresh.name}
    named = (victim.pid, "earlier")
    drafts = {f".{name}.{whose}.anonduck-unfinished" for name in documents("shop.duckdb.t") for whose in named}
    making = set(tmp_path.glob(f".{target.fresh.name}.*"))  # the folder in which the new file was being made
    left = set(tmp_path.iterdir()) - making
    assert {path.name for path in left} <= own | drafts | {target.fresh.name + ".wal"}
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in left if path.name.startswith("."))
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o700 for path in making)
    released(source(["cook"]), f"{shop}::t")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["shop.duckdb", *documents("shop.duckdb.t")])
    assert jobs(shop) == {"cook", None}
    assert json.loads((tmp_path / "shop.duckdb.t.receipt.json").read_text())["rows"] == 60


def fail_in(database, target, *statements):
    """Run statements on a new file, the last of which fails, and a further one once that file is closed."""
    try:
        with replace_table(database, target, overwrite=False):
            for sql in statements:
                database.run(Statement("failing", sql))
    finally:
        with contextlib.suppress(AnonduckError):
            database.run(Statement("next", "ROLLBACK"))


def test_no_log_is_left_where_a_failed_transaction_keeps_the_new_file_open(database, tmp_path):
    target = target_of(f"{tmp_path / 'shop.duckdb'}::t", tmp_path)
    made = "CREATE TABLE anonduck_target.t AS SELECT 1 AS a"
    with pytest.raises(SourceError):
        fail_in(database, target, "BEGIN", made, "SELECT 'a'::INTEGER")
    assert list(tmp_path.iterdir()) == []
    database.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [DatabaseError("held open"), KeyboardInterrupt()])
def test_no_file_is_left_where_the_new_one_is_not_detached(database, tmp_path, monkeypatch, error):
    target = target_of(f"{tmp_path / 'shop.duckdb'}::t", tmp_path)
    detach = connection.detach

    def failing(session, name):
        detach(session, name)
        if not list(tmp_path.glob(f".{target.fresh.name}.*")):  # the new file is made, and in its place
            raise error

    monkeypatch.setattr(connection, "detach", failing)
    with pytest.raises((QueryError, KeyboardInterrupt)):
        fail_in(database, target, "SELECT nothing")
    assert list(tmp_path.iterdir()) == []
