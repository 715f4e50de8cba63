"""PostgreSQL over ADBC: the values, the counts and the rules are those of DuckDB, and nothing is left of what fails."""

import contextlib
import decimal
import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from dealing import dealt
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from sql_engines import Table, counted, fetched, running
from tricky import QUERY

from anonduck import Project, audit
from anonduck.cli.app import cli
from anonduck.engines.adbc import AdbcEngine
from anonduck.engines.group_sizes import sizes_of
from anonduck.engines.relation import Place, Relation
from anonduck.errors import ConfigError, SourceError
from anonduck.frequency.floors import read_floor

NAME = "Jane Doe"


@pytest.fixture(scope="module")
def server():
    """A server that the environment leads to."""
    with running("postgres") as started, pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("PG")]:
            patch.delenv(name)
        for name, value in (("PGHOST", started.folder), ("PGUSER", "tester"), ("PGDATABASE", "postgres")):
            patch.setenv(name, value)
        patch.setenv("PGOPTIONS", "-c datestyle=German -c timezone=Asia/Tokyo -c bytea_output=escape")
        started.execute("CREATE EXTENSION citext")
        started.execute("CREATE TYPE mood AS ENUM ('sad', 'ok')")
        started.execute("CREATE DOMAIN price AS NUMERIC(10, 2)")
        started.execute("CREATE DOMAIN high_price AS price CHECK (VALUE > 1)")
        yield started


@pytest.fixture
def engine(server):
    opened = AdbcEngine()
    yield opened
    opened.close()


def relation(name, where="", **casts):
    return Relation(Place(("public", name)), where, tuple(sorted(casts.items())))


def fill(server, name, columns, rows=()):
    server.execute(f'DROP TABLE IF EXISTS "{name}" CASCADE')
    server.execute(f'CREATE TABLE "{name}" ({columns})')
    with server.connection.cursor() as cursor:
        marks = ", ".join("%s" for _ in rows[0]) if rows else ""
        cursor.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)


def in_duckdb(table):
    """The rows of an Arrow table as DuckDB reads them, as texts, and its types."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("t", table)
        rows = connection.execute("SELECT COLUMNS(*)::VARCHAR FROM t ORDER BY ALL").fetchall()
        return rows, [row[1] for row in connection.execute("DESCRIBE t").fetchall()]


def running_statements(server):
    query = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
    return server.execute(f"{query} AND backend_type = 'client backend'")[0][0]


def left(server):
    return [row[0] for row in server.execute("SELECT relname FROM pg_class WHERE relname LIKE '%staging%'")]


# -- values ------------------------------------------------------------------------------------------------------------

TYPES = [
    ("'a b'::text", "VARCHAR", "a b"),
    ("'x'::char(5)", "VARCHAR", "x"),
    ("'x '::varchar(9)", "VARCHAR", "x "),
    ("'Ct'::citext", "VARCHAR", "Ct"),
    ("'sad'::mood", "VARCHAR", "sad"),
    ("1.5::numeric(10, 2)", "DECIMAL(10,2)", "1.50"),
    ("'-123456789012345678.0123456789'::numeric(38, 10)", "DECIMAL(38,10)", "-123456789012345678.0123456789"),
    ("3.25::high_price", "DECIMAL(10,2)", "3.25"),
    ("2.5::numeric", "DOUBLE", "2.5"),
    ("'NaN'::numeric", "DOUBLE", "nan"),
    ("'-Infinity'::numeric", "DOUBLE", "-inf"),
    ("0.1::float8 + 0.2::float8", "DOUBLE", "0.30000000000000004"),
    ("'NaN'::float8", "DOUBLE", "nan"),
    ("0.5::real", "FLOAT", "0.5"),
    ("true", "BOOLEAN", "true"),
    ("1::smallint", "SMALLINT", "1"),
    ("'-9223372036854775808'::bigint", "BIGINT", "-9223372036854775808"),
    ("'x'::bytea", "BLOB", "x"),
    ("'1500-01-01'::date", "DATE", "1500-01-01"),
    ("'0044-03-15 BC'::date", "DATE", "0044-03-15 (BC)"),
    ("'infinity'::date", "DATE", "infinity"),
    ("'-infinity'::date", "DATE", "-infinity"),
    ("'2020-01-01 01:02:03.456789'::timestamp", "TIMESTAMP", "2020-01-01 01:02:03.456789"),
    ("'infinity'::timestamp", "TIMESTAMP", "infinity"),
    ("'-infinity'::timestamptz", "TIMESTAMP WITH TIME ZONE", "-infinity"),
    ("'4713-01-01 BC'::timestamp", "TIMESTAMP", "4713-01-01 (BC) 00:00:00"),
    ("'2020-01-01 00:00+05'::timestamptz", "TIMESTAMP WITH TIME ZONE", "2019-12-31 19:00:00+00"),
    ("'24:00'::time", "TIME", "24:00:00"),
    ("'1 month'::interval", "VARCHAR", "1 mon"),
    ("'{\"a\": 1}'::jsonb", "VARCHAR", '{"a": 1}'),
    ("array[DATE '2020-02-01']", "VARCHAR", "{2020-02-01}"),
    ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "VARCHAR", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("'10.0.0.1'::inet", "VARCHAR", "10.0.0.1/32"),
]


@pytest.mark.slow
def test_values_are_those_of_duckdb(server, engine):
    values = ", ".join(f"{value} AS c{place}" for place, (value, *_) in enumerate(TYPES))
    server.execute("DROP TABLE IF EXISTS kinds")
    server.execute(f"CREATE TABLE kinds AS SELECT {values}")
    server.execute("INSERT INTO kinds DEFAULT VALUES")
    names = [f"c{place}" for place in range(len(TYPES))]
    assert engine.describe(relation("kinds")).names == names
    found = engine.count_by(relation("kinds"), names)
    rows, kinds = in_duckdb(found)
    assert kinds == [*(kind for _, kind, _ in TYPES), "BIGINT"]
    assert rows[0] == (*(shown for _, _, shown in TYPES), "1")
    assert rows[1] == (*[None] * len(TYPES), "1")
    assert engine.describe(relation("kinds")) == found.schema.remove(len(TYPES))
    sampled, sampled_kinds = in_duckdb(engine.sample(relation("kinds"), 9, 1))
    assert (sampled, sampled_kinds) == ([row[:-1] for row in rows], kinds[:-1])


@pytest.mark.slow
def test_texts_are_compared_by_their_bytes_whatever_their_collation(server, engine):
    texts = ["a", "A", "a ", "á", "a\u0301", None, ""]
    fill(server, "texts", "loose TEXT COLLATE loose, free citext", [(text, text) for text in texts])
    engine.equality()
    for column in ("loose", "free"):
        found = engine.count_by(relation("texts"), [column]).to_pylist()
        assert sorted((row[column] is None, row[column] or "", row["#records"]) for row in found) == sorted(
            (text is None, text or "", 1) for text in texts
        )


def test_the_two_zeros_are_one_value_and_nan_is_one(server, engine):
    zeros = [0.0, -0.0, math.nan, math.nan, None, None, 1.5]
    fill(server, "zeros", "f DOUBLE PRECISION", [(value,) for value in zeros])
    counts = engine.count_by(relation("zeros"), ["f"]).column(1).to_pylist()
    assert sorted(counts) == [1, 2, 2, 2]
    assert engine.largest(relation("zeros"), "f") == 2
    sizes = engine.group_sizes(relation("zeros"), ["f"], [], None).to_pydict()
    assert sorted(zip(*sizes.values(), strict=True)) == [(0, 1, 1, 1), (0, 2, 3, 6)]
    assert engine.count_by(relation("zeros"), []).to_pylist() == [{"#records": 7}]


@pytest.mark.slow
@pytest.mark.parametrize(("lone", "k"), [(-0.0, 1), (0.0, 21)])
@pytest.mark.parametrize("kind", ["real", "double precision", "signed"])
def test_an_audit_tells_a_lone_minus_zero_from_the_zeros(server, tmp_path, kind, lone, k):
    server.execute("DROP DOMAIN IF EXISTS signed CASCADE")
    server.execute("CREATE DOMAIN signed AS double precision CHECK (VALUE > -2)")
    rows = [(value, 1, 1) for value in [0.0] * 20 + [lone]] + [
        (value, 1, 1) for value in (1.5, math.nan) for _ in "x" * 21
    ]
    fill(server, "zeros", f"a {kind}, b numeric, c double precision", rows)
    assert audit("zeros", engine="postgres").k == k
    kept = audit("zeros", ["b"], insensitive=["a", "c"], rare_under=2, engine="postgres").kept
    assert kept.rare == {"a": int(k == 1), "c": 0}


def test_common_values_are_told_and_the_others_counted(server, engine):
    fill(server, "jobs", "job TEXT", [("a",), ("a",), (None,), (None,), ("b",), ("c",)])
    values, others = engine.common(relation("jobs"), "job", 2)
    assert (sorted(map(str, values.column(0).to_pylist())), others) == (["None", "a"], 2)
    assert engine.common(relation("jobs"), "job", 1)[1] == 0


ODD = ['a "b"', "c`d.e f", "Größe", "#records"]
TABLES = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(-3, 3)),
        st.one_of(st.none(), st.sampled_from(["", "a", "A", "a ", "é", "e\u0301", "it's \\"])),
        st.one_of(st.none(), st.sampled_from([0.0, -0.0, math.nan, 1.5, math.inf])),
        st.one_of(st.none(), st.sampled_from([decimal.Decimal("1.10"), decimal.Decimal("-3.00")])),
    ),
    min_size=1,
    max_size=30,
)


@pytest.mark.nightly
@pytest.mark.slow
@given(rows=TABLES)
@examples(25)
def test_counts_are_those_of_duckdb(server, rows):
    kinds = ("BIGINT", "TEXT COLLATE loose", "DOUBLE PRECISION", "NUMERIC(5, 2)")
    columns = [f'"{name.replace(chr(34), chr(34) * 2)}" {kind}' for name, kind in zip(ODD, kinds, strict=True)]
    fill(server, "odd", ", ".join(columns), rows)
    engine = AdbcEngine()
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (a BIGINT, b VARCHAR, c DOUBLE, d DECIMAL(5, 2))")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        counted = "SELECT a, b, c, d, count(*)::BIGINT AS n FROM t GROUP BY ALL"
        expected = connection.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({counted}) ORDER BY ALL").fetchall()
        profile = connection.execute(
            "SELECT count(*), count(a), count(b), count(c), count(d), count(DISTINCT a), count(DISTINCT b), "
            "count(DISTINCT c), count(DISTINCT d) FROM t"
        ).fetchone()
        sizes = [connection.execute(sizes_of("t", ["a", "b"], ["c"], who).sql).fetchall() for who in (None, "d")]
    found, _ = in_duckdb(engine.count_by(relation("odd"), ODD))

    def plain(rows):
        return sorted(str(row).replace("'-0.0'", "'0.0'") for row in rows)

    assert plain(found) == plain(expected)
    told = engine.profile(relation("odd"), ODD)
    assert (told.records, *told.filled, *told.distinct) == profile
    assert told.exact
    for who, wanted in zip((None, ODD[3]), sizes, strict=True):
        held = engine.group_sizes(relation("odd"), ODD[:2], ODD[2:3], who).to_pydict()
        assert sorted(zip(*held.values(), strict=True)) == sorted(wanted)


def test_a_relation_is_filtered_and_cast(server, engine):
    fill(server, "people", "age INT, job TEXT", [(20, "1"), (30, "2"), (30, "x")])
    asked = relation("people", where="age >= 30", age="DOUBLE PRECISION")
    assert engine.describe(asked).field("age").type == pa.float64()
    assert engine.count_by(asked, ["age"]).to_pylist() == [{"age": 30.0, "#records": 2}]


def test_a_sample_of_a_large_table_is_as_large_as_asked_for(server, engine):
    fill(server, "many", "n INT")
    server.execute("INSERT INTO many SELECT generate_series(1, 20000)")
    server.execute("ANALYZE many")
    drawn = engine.sample(relation("many"), 1_000, 7).column(0).to_pylist()
    assert len(drawn) == len(set(drawn)) == 1_000
    assert max(drawn) > 15_000
    assert min(drawn) < 5_000
    assert engine.tally.rows == 1_000


# -- what is refused ---------------------------------------------------------------------------------------------------


def refused(question, words, code=2):
    with pytest.raises((SourceError, ConfigError), match=words) as caught:
        question()
    told = f"{caught.value} {caught.value.__cause__}"
    assert NAME not in told
    assert "secret" not in told
    assert caught.value.exit_code == code


@pytest.mark.slow
def test_errors_hold_no_value(server, engine):
    fill(server, "errors", "job TEXT, wide NUMERIC, n NUMERIC(5, 2), late TIMESTAMP", [(NAME, 1, 1, None)])
    refused(lambda: engine.count_by(relation("errors", job="INTEGER"), ["job"]), "does not fit the type.*22P02")
    refused(lambda: engine.count_by(relation("errors", where="1 / (wide - 1) > 0"), []), "does not fit.*22012")
    refused(lambda: engine.describe(relation("nowhere")), "has no table public.nowhere")
    refused(lambda: engine.describe(Relation(Place(path="people.parquet"))), "tables, not files")
    refused(lambda: engine.count_by(relation("errors"), ["nope"]), "no column.*42703")
    server.execute("UPDATE errors SET wide = 0.12345678901234567890, n = 'NaN', late = '294276-12-31'")
    refused(lambda: engine.count_by(relation("errors"), ["wide"]), "'wide': numeric without a size")
    refused(lambda: engine.count_by(relation("errors"), ["n"]), "'n' holds a value.*NaN")
    refused(lambda: engine.count_by(relation("errors"), ["late"]), "'late' holds a value.*294246")


def test_a_column_that_the_user_may_not_read_is_not_there(server, monkeypatch):
    fill(server, "guarded", "name TEXT, age INT", [(NAME, 20)])
    server.execute("DROP ROLE IF EXISTS reader")
    server.execute("CREATE ROLE reader LOGIN")
    server.execute("GRANT SELECT (age) ON guarded TO reader")
    monkeypatch.setenv("PGUSER", "reader")
    assert AdbcEngine().describe(relation("guarded")).names == ["age"]
    server.execute("REVOKE ALL ON guarded FROM reader")
    refused(lambda: AdbcEngine().describe(relation("guarded")), "that the user may read")


def test_a_database_without_an_encoding_is_refused(server, monkeypatch):
    server.execute("DROP DATABASE IF EXISTS bytes")
    server.execute("CREATE DATABASE bytes ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
    monkeypatch.setenv("PGDATABASE", "bytes")
    refused(AdbcEngine().equality, "SQL_ASCII")


def test_a_server_that_is_not_there_is_told_by_the_environment(monkeypatch, tmp_path):
    pytest.importorskip("adbc_driver_postgresql")
    monkeypatch.setenv("PGHOST", str(tmp_path))
    monkeypatch.setenv("PGPASSWORD", "secret")
    refused(AdbcEngine().version, "PostgreSQL cannot be reached.*PGHOST", code=6)


@pytest.mark.parametrize("kind", ["postgres", "bigquery", "snowflake"])
def test_a_driver_that_is_missing_is_named(monkeypatch, kind):
    module = {"postgres": "adbc_driver_postgresql"}.get(kind, f"adbc_driver_{kind}")
    monkeypatch.setitem(sys.modules, f"{module}.dbapi", None)
    refused(AdbcEngine(kind).equality, rf"{module.replace('_', '-')}.*pip install 'anonduck\[{kind}\]'")


def test_a_warehouse_that_is_not_tested_is_not_written_to():
    refused(lambda: AdbcEngine("snowflake").write(None, "SELECT 1", {}, Place(("t",))), "is read, not written to")


def test_an_address_with_a_password_is_refused(server):
    keys = {"class_": "a", "engine": {"kind": "postgres"}}
    with Project(source="postgresql://me:secret@host/people", **keys) as project:
        refused(project.discover, "password")
    with pytest.raises(ConfigError) as caught:
        Project(source="table:t", class_="a", engine={"kind": "postgres", "password": "secret"})
    assert "secret" not in str(caught.value)


def test_an_interrupt_cancels_the_statement_in_the_server(server, engine):
    server.execute("CREATE OR REPLACE VIEW slow AS SELECT pg_sleep(60)::text AS a")
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        engine.count_by(relation("slow"), ["a"])
    assert time.monotonic() - began < 20
    assert running_statements(server) == 0


def test_a_notice_of_the_server_is_not_passed_on(server, engine, capfd):
    body = f"BEGIN RAISE WARNING 'it is {NAME}'; RETURN 'x'; END"
    server.execute(f"CREATE OR REPLACE FUNCTION loud() RETURNS text LANGUAGE plpgsql AS $${body}$$")
    server.execute("CREATE OR REPLACE VIEW loud AS SELECT loud() AS a")
    assert engine.count_by(relation("loud"), ["a"]).num_rows == 1
    assert NAME not in capfd.readouterr().err


# -- what is written ---------------------------------------------------------------------------------------------------

STAGING, TARGET = Place(("public", "out_staging")), Place(("public", "out"))
ROWS = (
    "SELECT s.job, l.label, s.wide FROM anonduck_source AS s LEFT JOIN shown AS l ON s.job = l.value ORDER BY 1, 2, 3"
)
SHOWN = pa.table({"value": ["a", "A", "a "], "label": ["one", "two", "three"]})


def persons(server):
    wide = decimal.Decimal("0.12345678901234567890")
    fill(server, "staff", "job TEXT COLLATE loose, wide NUMERIC", [(one, wide) for one in ("a ", "A", None, "a", "A")])
    server.execute("DROP TABLE IF EXISTS out CASCADE")
    return wide


@pytest.mark.slow
def test_rows_are_written_in_the_order_of_a_release_and_seen_when_they_are_in_place(server, engine):
    wide = persons(server)
    engine.write(relation("staff"), ROWS, {"shown": SHOWN}, STAGING)
    assert engine.count_by(Relation(STAGING), []).to_pylist() == [{"#records": 5}]
    assert engine.exists(STAGING)
    assert not AdbcEngine().exists(STAGING)
    engine.rename(STAGING, TARGET)
    assert (engine.exists(STAGING), engine.exists(TARGET)) == (False, True)
    expected = [("A", "two"), ("A", "two"), ("a", "one"), ("a ", "three"), (None, None)]
    assert server.execute("SELECT * FROM out ORDER BY ctid") == [(*row, wide) for row in dealt(expected)]
    collations = server.execute(
        "SELECT DISTINCT collation_name FROM information_schema.columns WHERE table_name = 'out'"
    )
    assert collations == [(None,)]
    engine.write(relation("staff"), "SELECT 1 AS a", {}, STAGING)
    engine.rename(STAGING, TARGET)
    assert server.execute("SELECT * FROM out") == [(1,)]
    engine.drop(TARGET)
    assert not engine.exists(TARGET)


def test_what_was_there_stays_until_the_new_rows_are_in_place(server, engine):
    persons(server)
    server.execute("CREATE TABLE out AS SELECT 'before' AS a")
    server.execute("CREATE VIEW upon AS SELECT * FROM out")
    engine.write(relation("staff"), ROWS, {"shown": SHOWN}, STAGING)
    refused(lambda: engine.rename(STAGING, TARGET), "other objects.*2BP01")
    engine.drop(STAGING)
    assert server.execute("SELECT * FROM out") == [("before",)]
    assert left(server) == []


@pytest.mark.parametrize("rows", ["SELECT job::int FROM anonduck_source", "SELECT nope FROM anonduck_source"])
def test_nothing_is_left_of_what_fails(server, engine, rows):
    persons(server)
    refused(lambda: engine.write(relation("staff"), rows, {}, STAGING), "cannot answer")
    assert not engine.exists(STAGING)
    assert left(server) == []


def test_nothing_is_left_of_what_is_stopped(server):
    persons(server)
    stopped = AdbcEngine()
    stopped.write(relation("staff"), ROWS, {"shown": SHOWN}, STAGING)
    stopped.close()
    with contextlib.closing(AdbcEngine()) as killed:
        threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            killed.write(relation("staff"), "SELECT pg_sleep(60)::text AS a", {}, STAGING)
    assert left(server) == []
    assert running_statements(server) == 0


@pytest.mark.nightly
@pytest.mark.slow
def test_nothing_is_left_of_what_is_killed(server):
    """The server notices by itself that nobody waits any more."""
    persons(server)
    script = (
        "from anonduck.engines.adbc import AdbcEngine; from anonduck.engines.relation import Place; "
        "AdbcEngine().write(None, 'SELECT pg_sleep(60)::text AS a', {}, Place(('public', 'out_staging')))"
    )
    killed = subprocess.Popen([sys.executable, "-c", script])
    wait_for(lambda: running_statements(server) == 1)
    killed.kill()
    killed.wait()
    wait_for(lambda: running_statements(server) == 0)
    assert left(server) == []


def wait_for(condition):
    """Wait until something holds, for half of the time that the statement would take."""
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_statement_that_stops_itself_says_why(server, engine):
    persons(server)
    words = "column job: a value that the release was not made of"
    stopped = f"CAST('{words}' || substr(wide::text, 1, 0) AS INTEGER)"
    rows = f"SELECT CASE WHEN job IS NULL THEN {stopped} END FROM anonduck_source"
    refused(lambda: engine.write(relation("staff"), rows, {}, STAGING), words)


def test_a_name_that_the_server_would_cut_off_is_refused(server, engine):
    refused(lambda: engine.write(None, "SELECT 1 AS a", {}, Place(("x" * 64,))), "63 bytes")


# -- discoveries -------------------------------------------------------------------------------------------------------


def table_of_people(server, number=400):
    jobs = ["nurse", "Nurse", "nurse ", "cook", None]
    rows = [
        (
            None if i % 41 == 0 else 20 + i * 7 % 40,
            ["00501", "501", "22"][i % 3],
            jobs[i * i % 5],
            decimal.Decimal(i * 13 % 500) / 100,
            f"20{10 + i % 9}-01-0{1 + i % 7}",
            "xyz"[i * 3 % 7 % 3],
            i % 2,
        )
        for i in range(number)
    ]
    columns = "age INT, zip CHAR(7), job TEXT COLLATE loose, pay NUMERIC(5, 2), born DATE, ill TEXT, class INT"
    fill(server, "folk", columns, rows)
    frame = pd.DataFrame(rows, columns=["age", "zip", "job", "pay", "born", "ill", "class"])
    types = {"age": "INTEGER", "pay": "DECIMAL(5,2)", "born": "DATE", "class": "INTEGER", "zip": "VARCHAR"}
    return frame, types


KEYS = {"class_": "class", "sensitive": ["ill"], "models": [], "requirement": {"k": 3, "suppression": 0.2}}


def found_by(project):
    """What a discovery finds; sums of fractions depend on the order of their terms, in the last digits."""
    found = project.discover()
    told = repr((found.rules, found.totals, found.min_k))
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.10g}", told)


def parquet(frame, types, path):
    with duckdb.connect() as connection:
        cast = ", ".join(f'"{name}"::{types.get(name, "VARCHAR")} AS "{name}"' for name in frame.columns)
        connection.register("frame", frame)
        connection.execute(f"COPY (SELECT {cast} FROM frame) TO '{path}'")
    return str(path)


@pytest.mark.slow
def test_a_discovery_and_a_release_are_those_of_duckdb(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, types = table_of_people(server)
    path = parquet(frame, types, tmp_path / "folk.parquet")
    engines = watched(monkeypatch)
    with (
        Project(**KEYS, source=path) as one,
        Project(**KEYS, source="table:folk", engine={"kind": "postgres"}) as other,
    ):
        assert found_by(other) == found_by(one)
        (engine,) = engines
        assert engine.tally.scans == 1
        assert engine.tally.rows <= len(frame.drop_duplicates()) + 1
        one.release("R1", tmp_path / "here.csv")
        made = other.release("R1", "postgres:public.folk_out")
        with duckdb.connect() as connection:
            expected = connection.execute(
                f"SELECT * FROM read_csv('{tmp_path}/here.csv', all_varchar = true)"
            ).fetchall()
        released = server.execute("SELECT * FROM folk_out")
        assert made.k >= 3
        assert texts(released) == texts(expected)


@pytest.mark.nightly
@pytest.mark.slow
def test_a_discovery_from_a_floor_is_that_of_duckdb(server, tmp_path, monkeypatch):
    """With texts of a loose collation and numbers without a size; lookups are gone afterwards."""
    monkeypatch.chdir(tmp_path)
    frame, types = table_of_people(server, 900)
    size = "CASE age % 4 WHEN 0 THEN CAST('NaN' AS {0}) WHEN 1 THEN -CAST(0 AS {0}) WHEN 2 THEN CAST(0 AS {0}) END"
    server.execute("ALTER TABLE folk ALTER COLUMN pay TYPE NUMERIC, ADD COLUMN size DOUBLE PRECISION")
    server.execute(f"UPDATE folk SET size = {size.format('DOUBLE PRECISION')}")
    source = parquet(frame, types | {"pay": "DOUBLE"}, tmp_path / "folk.parquet")
    path = str(tmp_path / "sized.parquet")
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT *, {size.format('DOUBLE')} AS size FROM '{source}') TO '{path}'")
    engines = watched(monkeypatch)
    with (
        Project(**KEYS, source=path, engine={"max_cells": 60}) as one,
        Project(**KEYS, source="table:folk", engine={"kind": "postgres", "max_cells": 60}) as other,
    ):
        expected = found_by(one)
        assert read_floor(one.database)
        assert found_by(other) == expected
        assert read_floor(other.database) == read_floor(one.database)
        (engine,) = engines
        assert engine.tally.scans == 6
        values = sum(frame[name].nunique(dropna=False) for name in frame.columns)
        assert engine.tally.rows <= 60 + values + len(frame) + 5
        made = other.release("R1", "postgres:public.folk_floor")
        assert made.k >= 3
        page = other.certificate("postgres:public.folk_floor", "certificate.html")
        assert "equal; PostgreSQL counted them again" in page.read_text(encoding="utf-8")
    assert server.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'anonduck%'") == [(0,)]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_floor_needs_the_right_to_make_temporary_tables(server, tmp_path):
    table_of_people(server, 900)
    server.execute("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
    server.execute("DROP ROLE IF EXISTS looking")
    server.execute("CREATE ROLE looking LOGIN")
    server.execute("GRANT SELECT ON folk TO looking")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PGUSER", "looking")
        with Project(**KEYS, source="table:folk", engine={"kind": "postgres", "max_cells": 60}) as project:
            refused(project.discover, "lacks a privilege")
        with Project(**KEYS, source="table:folk", engine={"kind": "postgres"}) as project:
            assert project.discover().rules
    server.execute("DROP OWNED BY looking")
    server.execute("DROP ROLE looking")
    server.execute("GRANT TEMPORARY ON DATABASE postgres TO PUBLIC")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [["wide"], ["job", "wide"]])
def test_histograms_are_of_numbers_that_double_precision_holds(server, engine, columns):
    fill(server, "sizes", "job TEXT COLLATE loose, wide NUMERIC", [("a", 1), ("A", 1), (None, None), ("a", 2)])
    found = engine.histograms(relation("sizes"), ["wide", "job"]).to_pydict()
    rows = sorted(zip(*found.values(), strict=True), key=str)
    expected = [(1.0, None, 0, 2), (2.0, None, 0, 1), (None, None, 0, 1)]
    assert rows == sorted([*expected, (None, "a", 1, 2), (None, "A", 1, 1), (None, None, 1, 1)], key=str)
    assert engine.count_by(relation("sizes"), columns, 1) is None
    assert engine.count_by(relation("sizes"), columns, 9).num_rows >= 3
    server.execute("UPDATE sizes SET wide = 0.12345678901234567890 WHERE job = 'A'")
    refused(lambda: engine.histograms(relation("sizes"), columns), "'wide': numeric without a size")


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "datafly", "sequential"])
def test_releases_by_methods_are_those_of_duckdb(server, tmp_path, monkeypatch, method):
    """A combination of values shows what it shows, NULL among them, and columns are kept as they are."""
    monkeypatch.chdir(tmp_path)
    frame, types = table_of_people(server)
    sources = {parquet(frame, types, tmp_path / "folk.parquet"): {}, "table:folk": {"engine": {"kind": "postgres"}}}
    for source, engine in sources.items():
        with Project(**KEYS, source=source, **engine) as project:
            project.anonymize(method, "postgres:folk_cells" if engine else "cells.parquet", overwrite=True)
    with duckdb.connect() as connection:
        expected = connection.execute("SELECT COLUMNS(*)::VARCHAR FROM 'cells.parquet'").fetchall()
    assert texts(server.execute("SELECT * FROM folk_cells")) == texts(expected)


def texts(rows):
    return sorted([tuple("" if value is None else str(value) for value in row) for row in rows])


def watched(monkeypatch):
    """The engines that are opened from now on."""
    engines = []
    real = AdbcEngine.__init__

    def made(self, *args, **named):
        real(self, *args, **named)
        engines.append(self)

    monkeypatch.setattr(AdbcEngine, "__init__", made)
    return engines


KEPT_RULES = (
    {"job": 0, "member": 0},
    {"age": 1, "born": 3},
    {"zip": 0, "size": 1},
    {"size": 0, "seen": 3},
    {"at": 3, "price": 3},
    {"clock": 3, "wide": 3},
    {"big": 3, "ratio": 2},
    {"ancient": 3},
)


@pytest.mark.nightly
@pytest.mark.slow
def test_releases_of_all_types_are_those_of_duckdb(server, tmp_path, monkeypatch):
    """With columns kept as they are, classes left out, and a filter."""
    monkeypatch.chdir(tmp_path)
    columns = {name for rule in KEPT_RULES for name in rule}
    keys = {
        "class_": "class",
        "insensitive": ["note", "tick", "precise"],
        "quasi_identifiers": sorted(columns),
        "models": [],
        "requirement": {"k": 2, "suppression": 0.99},
        "where": "number >= 10 AND (note IS NULL OR note <> 'Note 3')",
    }
    with duckdb.connect(tmp_path / "tricky.duckdb") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE TABLE tricky AS {QUERY}")
        connection.execute("ALTER TABLE tricky DROP COLUMN huge")
        server.load("tricky", Table(connection, "tricky"))
    found = {}
    sources = {"tricky.duckdb::tricky": {}, "table:tricky": {"engine": {"kind": "postgres"}}}
    for source, engine in sources.items():
        with Project(source=source, **keys, **engine) as project:
            project.build_taxonomies()
            for number, rule in enumerate(KEPT_RULES):
                target = f"postgres:public.out_{number}" if engine else str(tmp_path / f"out_{number}.parquet")
                made = project.release(rule, target)
                found.setdefault(number, []).append((made.k, made.rows, made.classes, made.suppressed))
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for number, (here, there) in found.items():
            assert here == there
            kinds, rows = fetched(connection, f"SELECT * FROM '{tmp_path}/out_{number}.parquet'")
            assert len(rows) > 100
            written = server.execute(f"SELECT * FROM out_{number}")
            assert counted(written, kinds.values()) == counted(rows, kinds.values())


@pytest.mark.slow
def test_no_table_has_a_type_that_lists_what_was_left_out(server, tmp_path, monkeypatch):
    """Not the one that is released, nor one that is made of its SQL, where the server can tell what a value may be."""
    monkeypatch.chdir(tmp_path)
    hidden = "('flu', 'HIV-MrSmith', 'held by nobody')"
    server.execute(f"CREATE TYPE illness AS ENUM {hidden}")
    server.execute(f"CREATE DOMAIN ailment AS VARCHAR(20) CHECK (VALUE IN {hidden})")
    server.execute("CREATE DOMAIN ward AS INT CHECK (VALUE IN (7, 4711))")
    columns = "job illness, class INT, note ailment, ills illness[], ward ward"
    rows = [("flu", i % 2, "flu", ["flu"], 7) for i in range(6)] + [("HIV-MrSmith", 0, "HIV-MrSmith", None, 4711)]
    fill(server, "listed", columns, rows)
    keys = {"class_": "class", "insensitive": ["note", "ills", "ward"], "models": []}
    keys |= {"quasi_identifiers": ["job"], "requirement": {"k": 2, "suppression": 0.2}}
    with Project(source="table:listed", engine={"kind": "postgres"}, **keys) as project:
        project.release({"job": 0}, "postgres:public.listed_out")
        text = project.sql({"job": 0}, dialect="postgres", table="listed")
    server.execute(f"CREATE TABLE listed_sql AS {text.rstrip().rstrip(';')}")
    kinds = "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '{}'::regclass AND attnum > 0"
    found = {name: [kind for (kind,) in server.execute(kinds.format(name))] for name in ("listed_out", "listed_sql")}
    assert found["listed_out"] == ["text", "integer", "character varying(20)", "text", "integer"]
    assert found["listed_sql"][:4] == ["text", "integer", "text", "text"]
    assert server.execute("SELECT count(*), max(ward) FROM listed_out") == [(6, 7)]


@pytest.mark.nightly
@pytest.mark.slow
def test_the_commands_run_and_audit_in_the_server(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table_of_people(server)

    def invoke(arguments):
        return CliRunner().invoke(cli, arguments)

    assert invoke(["init", "table:folk", "--class", "class", "--engine", "postgres"]).exit_code == 0
    keys = {"source": "table:folk", "engine": {"kind": "postgres"}, "class": "class", "models": []}
    config = tmp_path / "anonduck.yml"
    config.write_text(json.dumps(keys | {"sensitive": ["ill"], "select": "information_gain"}))
    ran = invoke(["run", "-o", "postgres:folk_run", "--no-report"])
    assert ran.exit_code == 0, ran.output
    audited = invoke(["audit", "--engine", "postgres", "folk_run", "-p", "anonduck.yml", "--require", "k=5"])
    assert audited.exit_code == 0, audited.output
    assert left(server) == []
    monkeypatch.setenv("PGHOST", str(tmp_path))
    monkeypatch.setenv("PGPASSWORD", "secret")
    failed = invoke(["run", "-o", "postgres:folk_run"])
    assert "secret" not in f"{failed.output} {failed.exception}"
    assert isinstance(failed.exception, SourceError)
    assert "PostgreSQL cannot be reached" in str(failed.exception)
