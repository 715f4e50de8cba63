"""What the engine may reach, and what a decision database may hold: nothing of others decides what is measured."""

import duckdb
import pandas as pd
import pytest
from bad_inputs import CONFIG, GOOD, accepted, laid_out, refused

from anonduck import Project
from anonduck.database.connection import Database
from anonduck.errors import DatabaseError, QueryError
from anonduck.source import expressions
from anonduck.statements import Statement, statement

FOREIGN = [
    ("CREATE MACRO sum(x) AS 1000000", "the macro 'sum'"),
    ("CREATE MACRO count(x) AS 1000000", "the macro 'count'"),
    ('CREATE MACRO "="(x, y) AS true', "the macro '='"),
    ('CREATE MACRO "+"(x, y) AS 7', r"the macro '\+'"),
    ("CREATE MACRO current_setting(x) AS 'all'", "the macro 'current_setting'"),
    pytest.param(
        "CREATE MACRO duckdb_functions() AS TABLE SELECT 1 AS x",
        "the macro 'duckdb_functions'",
        marks=pytest.mark.newest,  # DuckDB 1 fails while it lists columns, since its own views read the macro
    ),
    ("CREATE MACRO read_csv(x, y := 1) AS TABLE SELECT 1 AS x", "the macro 'read_csv'"),
    ("CREATE VIEW rules AS SELECT 1 AS id", "the view 'rules'"),
    ("CREATE SCHEMA taxonomy; CREATE VIEW taxonomy.age AS SELECT 1 AS value", "the view 'age'"),
    ("CREATE SCHEMA lookup; CREATE TABLE lookup.age (value INT, code_1 AS (7))", "the computed column 'code_1'"),
    ("CREATE SCHEMA other", "the schema 'other'"),
    ("CREATE SCHEMA system", "the schema 'system'"),
    ("CREATE SCHEMA other; CREATE MACRO other.sum(x) AS 7", "the macro 'sum' and 1 more"),
    ("CREATE SEQUENCE numbers", "the sequence 'numbers'"),
    ("CREATE TYPE age AS ENUM ('x')", "the type 'age'"),
    ("CREATE TABLE t (a INT); CREATE INDEX i ON t (a)", "the index 'i'"),
    ("CREATE TABLE t (a INT DEFAULT 7)", "the computed column 'a'"),
]


@pytest.mark.newest  # DuckDB 1 has no triggers
def test_a_decision_database_with_a_trigger_is_refused(tmp_path):
    with duckdb.connect(str(tmp_path / "own.duckdb")) as connection:
        connection.execute("CREATE TABLE t (a INT); CREATE TABLE u (a INT)")
        connection.execute("CREATE TRIGGER r AFTER INSERT ON t FOR EACH STATEMENT INSERT INTO u SELECT 7")
    with pytest.raises(DatabaseError, match="what anonduck does not create: the trigger 'r'"):
        Database(tmp_path / "own.duckdb")


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize(("sql", "words"), FOREIGN)
def test_a_decision_database_that_computes_is_refused(capsys, tmp_path, sql, words):
    laid_out(tmp_path, {"s.csv": GOOD}, CONFIG)
    with duckdb.connect(str(tmp_path / "anonduck.duckdb")) as connection:
        connection.execute(sql)
    words = f"anonduck.duckdb holds what anonduck does not create: {words}.* `anonduck purge`"
    refused(capsys, tmp_path, words, "rules")
    accepted(capsys, tmp_path, "purge")
    Database(tmp_path / "anonduck.duckdb").close()


@pytest.mark.parametrize(("sql", "words"), FOREIGN[:3])
def test_so_is_one_that_a_callers_connection_attaches(tmp_path, sql, words):
    with duckdb.connect(str(tmp_path / "own.duckdb")) as connection:
        connection.execute(sql)
    connection = duckdb.connect()
    frame = pd.DataFrame({"age": [1, 1, None, 2], "c": list("abab")})
    with pytest.raises(DatabaseError, match=words):
        Project(source=frame, class_="c", connection=connection, database=tmp_path / "own.duckdb").source  # noqa: B018
    assert connection.execute("SELECT database_name FROM duckdb_databases() WHERE NOT internal").fetchall() == [
        ("memory",)
    ]


@pytest.mark.slow
def test_macros_of_a_callers_connection_change_nothing(tmp_path):
    connection = duckdb.connect()
    for name in ("sum", "count", '"="', '"+"', "min"):
        connection.execute(f"CREATE MACRO {name}(x, y := 1) AS 1000000")
        connection.execute(f"CREATE TEMP MACRO {name}(x, y := 1) AS 1000000")
    frame = pd.DataFrame({"age": [1, 1, None, 2], "c": list("abab")})
    with Project(source=frame, class_="c", connection=connection, requirement={"k": 1}) as one:
        made = one.release({"age": 0}, tmp_path / "o.csv")
    assert (made.rows, made.classes, made.k) == (4, 3, 1)


@pytest.mark.parametrize("name", ["taxonomy", "lookup", "bounds"])
def test_a_decision_database_that_is_called_like_a_schema(capsys, tmp_path, name):
    laid_out(tmp_path, {"s.csv": GOOD}, CONFIG + f"database: {name}.duckdb\n")
    refused(capsys, tmp_path, f"cannot be called {name}.duckdb; rename it")


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize("name", ["system", "temp", "main", "memory", "it's"])
def test_other_names_of_decision_databases(capsys, tmp_path, name):
    accepted(capsys, laid_out(tmp_path, {"s.csv": GOOD}, CONFIG + f'database: "{name}.duckdb"\n'))


def test_no_extension_is_fetched_or_loaded(database):
    asked = "SELECT current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions')"
    assert database.rows(Statement("settings", asked)) == [(False, False)]
    with pytest.raises(QueryError, match="requires the extension httpfs to be loaded"):
        database.rows(Statement("network", "SELECT * FROM read_csv('https://127.0.0.1:1/x.csv')"))


def test_every_function_that_a_filter_may_call_is_one_of_duckdb(database):
    rows = database.rows(Statement("functions", "SELECT lower(function_name), stability FROM duckdb_functions()"))
    stability = dict(rows)
    parsed = {"current_timestamp", "if"}  # names that only the parser knows, in DuckDB 1
    newer = {"binom", "overlay"}  # which DuckDB 1 lacks
    assert sorted(expressions.FUNCTIONS - set(stability) - parsed - newer) == []
    assert sorted(name for name in expressions.FUNCTIONS if stability.get(name) == "VOLATILE") == []


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize(
    "where",
    [
        "age BETWEEN 20 AND 24 AND job IN ('baker', 'cook')",
        "upper(job) LIKE 'B%' OR job ILIKE 'c_ok' OR job ~ '^n' OR job SIMILAR TO 'n.*'",
        "length(job) > 3 AND substring(job FROM 1 FOR 1) = 'b' OR trim(BOTH ' ' FROM job) <> ''",
        "CASE WHEN age > 22 THEN true ELSE job IS NOT NULL END",
        "CAST(age AS VARCHAR) || 'x' <> '2x' AND age::DOUBLE / 2 > 1 AND TRY_CAST(job AS INT) IS NULL",
        "coalesce(nullif(age, 3), 0) % 2 = 0 AND ifnull(age, 1) > 0 AND if(age > 1, true, false)",
        "DATE '2024-01-01' + INTERVAL 3 MONTHS > current_date - 36500 AND extract(year FROM now()) > 2000",
        "date_trunc('month', TIMESTAMP '2024-01-05 00:00:00') = make_date(2024, 1, 1)",
        "c IS NOT DISTINCT FROM 'yes' OR NOT (c = 'yes') OR list_contains([1, 2], age)",
        "current_timestamp > TIMESTAMPTZ '2000-01-01' AND (TIMESTAMP '2024-01-01' AT TIME ZONE 'Asia/Tokyo') < now()",
        "len(list_filter([age, 3], lambda x: x > 2)) > 0 AND {'a': age}.a > 1 AND [age][1] > 0",
    ],
)
def test_filters_that_work(capsys, tmp_path, where):
    laid_out(tmp_path, {"s.csv": GOOD}, CONFIG + f'where: "{where}"\n')
    assert "wrote " in accepted(capsys, tmp_path)


def test_the_objects_of_a_database_are_found_by_no_function_at_all():
    """A macro may bear any name, so that the query which looks for macros may call none."""
    query = statement("database/objects.sql").sql + statement("database/triggers.sql").sql
    calls = [word for word in query.replace("\n", " ").split() if "(" in word]
    assert all(word.strip(";").lower().startswith("system.main.duckdb_") for word in calls)


@pytest.mark.newest  # see FOREIGN
def test_schemas_and_macros_that_bear_the_names_of_duckdb_are_found(tmp_path):
    names = {"system", "main", "memory"}
    with duckdb.connect(str(tmp_path / "own.duckdb")) as connection:
        for name in names:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")
        connection.execute("CREATE MACRO duckdb_functions() AS TABLE SELECT 1 AS x")
    with pytest.raises(DatabaseError, match="and 2 more"):
        Database(tmp_path / "own.duckdb")
