"""Exports as the relation `source`: formats, options, filters, objects, the caller's connection, roles."""

import json
from datetime import date, timedelta

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from sheets import stand_in, workbook

from anonduck import Project
from anonduck.config.reading import make_config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, DatabaseError, SourceError
from anonduck.init.init import initialize
from anonduck.source.source import assign_roles, open_source
from anonduck.statements import Statement, builder_database

ROWS = [(31, "rome", "yes", "a"), (45, None, "no", "b"), (None, "bari", "t", "a"), (31, "rome", "yes", "a")]
NAMES = ["age", "town", "flag", "class"]
ALL = Statement("all", "SELECT * FROM source ORDER BY ALL")


def ordered(rows):
    return sorted(rows, key=lambda row: [(value is None, value) for value in row])


def opened(database, folder, data=None, **settings):
    settings = {"class": "class", **settings}
    return open_source(database, make_config(settings), folder, data)


def types(source):
    return {column.name: column.type for column in source.columns}


def csv(folder, text, name="export.csv", encoding="utf-8"):
    (folder / name).write_bytes(text.encode(encoding))
    return name


# -- CSV ---------------------------------------------------------------------------------------------------------------


def test_csv_without_options(database, tmp_path):
    text = "age,town,flag,class\n31,rome,yes,a\n45,,no,b\n,bari,t,a\n31,rome,yes,a\n"
    source = opened(database, tmp_path, source=csv(tmp_path, text))
    assert types(source) == {"age": "BIGINT", "town": "VARCHAR", "flag": "VARCHAR", "class": "VARCHAR"}
    assert database.rows(ALL) == ordered(ROWS)


@pytest.mark.parametrize("words", [("yes", "no"), ("t", "f"), ("true", "false"), ("Y", "N"), ("0", "1")])
def test_no_boolean_is_guessed(database, tmp_path, words):
    source = opened(database, tmp_path, source=csv(tmp_path, "flag,class\n{},a\n{},b\n".format(*words)))
    kept = [int(w) for w in words] if words == ("0", "1") else list(words)
    assert types(source)["flag"] != "BOOLEAN"
    assert database.rows(ALL) == ordered(zip(kept, "ab", strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        ({"delim": "|"}, "age|class\n1,5|a\n", "utf-8", [("1,5", "a")]),
        ({"delim": ";", "decimal_separator": ","}, "age;class\n1,5;a\n2,25;b\n", "utf-8", [(1.5, "a"), (2.25, "b")]),
        ({"nullstr": "NA"}, "age,class\n1,a\nNA,b\n", "utf-8", [(1, "a"), (None, "b")]),
        ({"nullstr": ["NA", "?"]}, "age,class\n?,a\nNA,b\n3,c\n", "utf-8", [(3, "c"), (None, "a"), (None, "b")]),
        ({"encoding": "latin-1"}, "age,class\n1,né\n", "latin-1", [(1, "né")]),
        ({"encoding": "utf-16"}, "age,class\n1,né\n", "utf-16", [(1, "né")]),
        ({"quote": "'"}, "age,class\n1,'a,b'\n", "utf-8", [(1, "a,b")]),
        ({"skip": 2}, "a note\n\nage,class\n1,a\n", "utf-8", [(1, "a")]),
        ({"comment": "#"}, "age,class\n#no,no\n1,a\n", "utf-8", [(1, "a")]),
        ({"dateformat": "%d/%m/%Y"}, "age,class\n31/12/2020,a\n", "utf-8", None),
    ],
)
def test_csv_options(database, tmp_path, case):
    options, text, encoding, rows = case
    source = opened(database, tmp_path, source=csv(tmp_path, text, encoding=encoding), csv=options)
    if rows is None:
        assert types(source)["age"] == "DATE"
    else:
        assert database.rows(ALL) == rows


@pytest.mark.parametrize("values", [("#one", "#two"), ("00123", "10000")])
def test_hashes_and_leading_zeros_are_data_unless_asked(database, tmp_path, values):
    opened(database, tmp_path, source=csv(tmp_path, "tag,class\n{},a\n{},b\n".format(*values)))
    assert database.rows(ALL) == list(zip(values, "ab", strict=True))


def test_types_override_what_is_guessed(database, tmp_path):
    name = csv(tmp_path, "zip,age,class\n10123,4,a\n10000,5,b\n")
    assert types(opened(database, tmp_path, source=name))["zip"] == "BIGINT"
    source = opened(database, tmp_path, source=name, types={"zip": "VARCHAR", "age": "DECIMAL(4,1)"})
    assert types(source) == {"zip": "VARCHAR", "age": "DECIMAL(4,1)", "class": "VARCHAR"}
    assert [row[0] for row in database.rows(ALL)] == ["10000", "10123"]


@pytest.mark.parametrize(
    "header", ["age, zip ,class", 'age," zip",class', "age,   zip\u00a0,class", "age,\u2003zip\u3000,class"]
)
def test_blanks_around_a_name_are_no_part_of_it(database, tmp_path, header):
    name = csv(tmp_path, f"{header}\n1,007,a\n2,,b\n")
    source = opened(database, tmp_path, source=name, types={"zip": "VARCHAR"})
    assert types(source) == {"age": "BIGINT", "zip": "VARCHAR", "class": "VARCHAR"}
    assert database.rows(ALL) == [(1, "007", "a"), (2, None, "b")]
    with pytest.raises(ConfigError, match="lacks; existing columns: 'age', 'zip', 'class'"):
        opened(database, tmp_path, source=name, types={" zip": "VARCHAR"})


def test_names_that_differ_by_blanks_alone_are_two_of_one_name(database, tmp_path):
    source = opened(database, tmp_path, source=csv(tmp_path, "a, a,class\n1,2,a\n"))
    assert [column.name for column in source.columns] == ["a", "a_1", "class"]
    assert source.remarks == ("column 2 is called 'a' like an earlier one, and is read as 'a_1'",)


def test_a_value_far_down_decides_the_type(database, tmp_path):
    lines = "".join(f"{n},a\n" for n in range(60_000)) + "x12,b\n"
    assert types(opened(database, tmp_path, source=csv(tmp_path, "code,class\n" + lines)))["code"] == "VARCHAR"


def test_the_reader_is_told_the_types_of_all_columns(database, tmp_path):
    text = "age,half,note,class\n" + "1,2,x,a\n" * 3_000 + "2,2.5,007,b\n,,,a\n"
    found = opened(database, tmp_path, source=csv(tmp_path, text))
    assert types(found) == {"age": "BIGINT", "half": "DOUBLE", "note": "VARCHAR", "class": "VARCHAR"}
    assert (2, 2.5, "007", "b") in database.rows(ALL)
    assert "auto_detect = FALSE" in found.relation_sql


@pytest.mark.slow
@pytest.mark.parametrize("form", ["%d.%m.%Y", "%Y-%m-%d"])
@pytest.mark.parametrize("given", [False, True])
def test_a_day_far_down_decides_the_format_of_dates(database, tmp_path, form, given):
    """Also where the first records show no day above the twelfth."""
    days = [date(2020, 1, 1) + timedelta(days=n % 12) for n in range(25_000)] + [date(2021, 12, 31)]
    name = csv(tmp_path, "day,class\n" + "".join(f"{day.strftime(form)},a\n" for day in days) + ",b\n")
    config = {"source": name, **({"csv": {"dateformat": form}} if given else {})}
    assert types(opened(database, tmp_path, **config)) == {"day": "DATE", "class": "VARCHAR"}
    assert [day for day, _ in database.rows(ALL)] == [*sorted(days), None]


def test_doubled_names_are_numbered_and_said(database, tmp_path):
    text = "age,priors_count,AGE,priors_count,priors_count,class\n1,2,3,4,5,a\n"
    source = opened(database, tmp_path, source=csv(tmp_path, text), csv={"delim": ","}, types={"AGE_1": "VARCHAR"})
    names = ["age", "priors_count", "AGE_1", "priors_count_1", "priors_count_2", "class"]
    assert [column.name for column in source.columns] == names
    assert source.columns[2].type == "VARCHAR"
    assert source.remarks == tuple(
        f"column {place} is called {name!r} like an earlier one, and is read as {read!r}"
        for place, name, read in [
            (3, "AGE", "AGE_1"),
            (4, "priors_count", "priors_count_1"),
            (5, "priors_count", "priors_count_2"),
        ]
    )


def test_a_spreadsheet_is_told_what_to_do(database, tmp_path):
    (tmp_path / "s.ods").write_bytes(b"PK")
    with pytest.raises(SourceError, match="save its sheet as CSV"):
        opened(database, tmp_path, source="s.ods")


def test_an_excel_file_that_cannot_be_read_is_told_what_to_do(database, tmp_path, monkeypatch):
    monkeypatch.setattr(builder_database, "LOAD_EXCEL", Statement("absent", "LOAD no_such_extension"))
    (tmp_path / "s.xlsx").write_bytes(b"PK")
    with pytest.raises(SourceError, match="cannot be read as xlsx; check that it is one"):
        opened(database, tmp_path, source="s.xlsx")
    with pytest.raises(SourceError, match="has 2 sheets; save the one that you mean as CSV"):
        opened(database, tmp_path, source=workbook(tmp_path / "s.xlsx", 2))
    with pytest.raises(SourceError, match=r"is not installed; save its sheet as CSV.*`INSTALL excel`"):
        opened(database, tmp_path, source=workbook(tmp_path / "s.xlsx"))


def test_an_excel_file_is_read_to_its_end_with_doubled_names_numbered(database, tmp_path, monkeypatch):
    rows = ["39,1,0.5,1,1e16,a", ",,,,,", "41,2,2,,1,b", ",,,,,", ",,,,2,"]
    text = "\n".join(["age,age,rate,sex,large,class", *rows]) + "\n"
    asked = stand_in(monkeypatch, tmp_path / "s.xlsx", text, ["age", "rate", "sex", "large"])
    source = opened(database, tmp_path, source="s.xlsx")
    assert asked == [(str(tmp_path / "s.xlsx"), False)] * 2
    doubled = "column 2 is called 'age' like an earlier one, and is read as 'age_1'"
    assert source.remarks == ("2 rows of the sheet have no value and are left out", doubled)
    whole, others = dict.fromkeys(["age", "age_1", "sex"], "BIGINT"), {"rate": "DOUBLE", "large": "DOUBLE"}
    assert types(source) == whole | others | {"class": "VARCHAR"}
    found = [(39, 1, 0.5, 1, 1e16, "a"), (41, 2, 2.0, None, 1.0, "b"), (None, None, None, None, 2.0, None)]
    assert database.rows(ALL) == found


# -- other files -------------------------------------------------------------------------------------------------------


def test_json_lines(database, tmp_path):
    lines = [json.dumps(dict(zip(NAMES, row, strict=True))) for row in ROWS]
    (tmp_path / "export.jsonl").write_text("\n".join(lines) + "\n")
    source = opened(database, tmp_path, source="export.jsonl")
    assert types(source)["age"] == "BIGINT"
    assert database.rows(ALL) == ordered(ROWS)


def test_parquet_keeps_its_types(database, tmp_path):
    path = tmp_path / "export.parquet"
    duckdb.sql("SELECT 1::UTINYINT AS age, true AS flag, DATE '2020-01-01' AS day, 'a' AS class").write_parquet(
        str(path)
    )
    source = opened(database, tmp_path, source="export.parquet")
    assert types(source) == {"age": "UTINYINT", "flag": "BOOLEAN", "day": "DATE", "class": "VARCHAR"}
    cast = opened(database, tmp_path, source="export.parquet", types={"age": "VARCHAR"})
    assert types(cast)["age"] == "VARCHAR"
    assert [c.name for c in cast.columns] == ["age", "flag", "day", "class"]


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_globs(database, tmp_path, ending):
    (tmp_path / "in").mkdir()
    kind = {"jsonl": "json"}.get(ending, ending)
    for number, row in enumerate(ROWS):
        values = ", ".join("NULL" if v is None else repr(v) for v in row)
        query = f"SELECT * FROM (VALUES ({values})) AS v(age, town, flag, class)"
        duckdb.sql(f"COPY ({query}) TO '{tmp_path}/in/{number}.{ending}' (FORMAT {kind})")
    source = opened(database, tmp_path, source=f"in/*.{ending}")
    assert ordered(database.rows(ALL)) == ordered(ROWS)
    assert [path.name for path in source.files] == [f"{n}.{ending}" for n in range(4)]


@pytest.mark.parametrize("database_name", ["", pytest.param("shop.", marks=pytest.mark.newest)])  # not in DuckDB 1
def test_tables_and_views_of_a_duckdb_file(database, tmp_path, database_name):
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as shop:
        shop.execute("CREATE SCHEMA sales; CREATE TABLE main.\"my customers\" AS SELECT 1 AS age, 'a' AS class")
        table = f'{database_name}main."my customers"'
        shop.execute(f"CREATE VIEW sales.recent AS SELECT age + 1 AS age, class FROM {table}")
    for name, age in {'"my customers"': 1, "sales.recent": 2}.items():
        opened(database, tmp_path, source=f"shop.duckdb::{name}")
        assert database.rows(ALL) == [(age, "a")]


LOOSE = ["cook", "Cook", "COOK", None, "r\u00e9sum\u00e9", "resume", "e\u0301", "\u00e9"]
"""Texts that nocase, noaccent and nfc take for fewer than they are."""


def classes_of(database, column):
    """How many records of the source each group of a column has, as DuckDB groups it."""
    grouped = f'SELECT count(*) FROM source GROUP BY "{column}"'
    return sorted(count for (count,) in database.rows(Statement("grouped", grouped)))


@pytest.mark.parametrize("collation", ["nocase", "noaccent", "nocase.noaccent", "nfc"])
@pytest.mark.parametrize("of", ["t", "seen"])
def test_texts_of_a_collation_are_told_apart_by_their_bytes(database, tmp_path, collation, of):
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as shop:
        shop.execute(f"CREATE TABLE t (job VARCHAR COLLATE {collation}, class INT)")
        shop.executemany("INSERT INTO t VALUES (?, 1)", [[text] for text in LOOSE])
        shop.execute("ALTER TABLE t ADD COLUMN kind ENUM ('a', 'A')")
        shop.execute("CREATE TABLE nested AS SELECT *, [job] AS jobs, [{'job': job}] AS deep FROM t")
        shop.execute("CREATE VIEW seen AS SELECT * FROM nested; DROP TABLE t; CREATE TABLE t AS FROM nested")
    source = opened(database, tmp_path, source=f"shop.duckdb::{of}")
    kinds = {"job": "VARCHAR", "class": "INTEGER", "kind": "VARCHAR"}
    assert types(source) == {**kinds, "jobs": "VARCHAR[]", "deep": "STRUCT(job VARCHAR)[]"}
    read = database.rows(Statement("read", "SELECT job, jobs, deep FROM source"))
    expected = [(text, [text], [{"job": text}]) for text in LOOSE]
    assert sorted(map(repr, read)) == sorted(map(repr, expected))
    for column in ("job", "jobs", "deep"):
        assert classes_of(database, column) == [1] * len(LOOSE)


def test_a_table_without_collations_is_read_as_it_is(database, tmp_path):
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as shop:
        shop.execute("CREATE TABLE t AS SELECT 'cook' AS job, 'a' AS class")
    assert "VARIANT" not in opened(database, tmp_path, source="shop.duckdb::t").relation_sql


def test_the_collation_of_a_callers_connection_concerns_no_source(tmp_path):
    caller = duckdb.connect()
    caller.execute("SET default_collation = 'nocase'")
    caller.execute("CREATE TABLE people (job VARCHAR, class VARCHAR COLLATE noaccent)")
    caller.executemany("INSERT INTO people VALUES (?, ?)", [["cook", "e"], ["Cook", "\u00e9"]])
    for session in ("SET default_collation = 'nocase'", "SET SESSION default_collation = 'nocase'"):
        caller.execute(session)
        for given in ("people", caller.table("people")):
            with Project(source=given, class_="class", connection=caller) as project:
                project.source  # noqa: B018 - opens it
                assert [classes_of(project.database, name) for name in ("job", "class")] == [[1, 1], [1, 1]]
        assert caller.execute("SELECT 'a' = 'A'").fetchall() == [(True,)]


@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE"])
def test_minus_zero_is_zero_in_a_source(database, kind):
    values = [0.0, -0.0, None, float("nan"), float("-inf"), 1.5]
    table = pa.table(
        {"x": pa.array(values, pa.float32() if kind == "FLOAT" else pa.float64()), "class": list("abcdef")}
    )
    source = opened(database, None, table)
    assert types(source)["x"] == kind
    read = [repr(value) for (value,) in database.rows(Statement("read", "SELECT x FROM source ORDER BY class"))]
    assert read == ["0.0", "0.0", "None", "nan", "-inf", "1.5"]


@pytest.mark.slow
def test_a_duckdb_file_can_be_opened_twice(tmp_path):
    for name in ("shop", "later"):
        with duckdb.connect(str(tmp_path / f"{name}.duckdb")) as shop:
            shop.execute("CREATE TABLE t AS SELECT i % 3 AS age, i % 2 AS class FROM range(60) AS r(i)")
    with Project(source=f"{tmp_path}/shop.duckdb::t", class_="class", taxonomies={"age": {"intervals": 2}}) as project:
        for number, source in enumerate([None, f"{tmp_path}/later.duckdb::t", f"{tmp_path}/later.duckdb::t", None]):
            assert project.release("age=0", tmp_path / f"{number}.csv", source=source).k == 20


# -- where -------------------------------------------------------------------------------------------------------------


def test_where_keeps_the_records_that_meet_it(database, tmp_path):
    name = csv(tmp_path, "age,town,class\n1,rome,a\n2,bari,b\n3,,c\n")
    opened(database, tmp_path, source=name, where="town <> 'rome' OR town IS NULL")
    assert database.rows(ALL) == [(2, "bari", "b"), (3, None, "c")]


@pytest.mark.parametrize("kind", ["pandas", "relation"])
def test_where_filters_objects_too(database, tmp_path, kind):
    frame = pd.DataFrame({"age": [1, 2, 3], "class": list("abc")})
    data = frame if kind == "pandas" else duckdb.connect().from_df(frame)
    opened(database, tmp_path, data, where="age > 1", types={"age": "DOUBLE"})
    assert database.rows(ALL) == [(2.0, "b"), (3.0, "c")]


# -- objects -----------------------------------------------------------------------------------------------------------


def as_pandas():
    return pd.DataFrame(ROWS, columns=NAMES).astype({"age": "Int64"})


def as_arrow():
    return pa.table({name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)})


def as_polars():
    polars = pytest.importorskip("polars")
    return polars.DataFrame(ROWS, schema=NAMES, orient="row")


def as_relation():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (age BIGINT, town VARCHAR, flag VARCHAR, class VARCHAR)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)
    return connection.table("t")


@pytest.mark.parametrize("make", [as_pandas, as_arrow, as_polars, as_relation])
def test_objects_hold_the_same_records(database, tmp_path, make):
    source = opened(database, tmp_path, make())
    assert [column.name for column in source.columns] == NAMES
    assert database.rows(ALL) == ordered(ROWS)


def test_an_object_that_is_no_table_is_refused(database, tmp_path):
    with pytest.raises(SourceError, match="allowed are"):
        opened(database, tmp_path, object())


# -- the caller's connection -------------------------------------------------------------------------------------------


def state(connection):
    """Everything of a connection that a caller would notice."""
    tables = "SELECT database_name, schema_name, table_name FROM duckdb_tables() ORDER BY ALL"
    views = "SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL"
    asked = [
        "SELECT current_setting('search_path'), current_database(), current_schema()",
        "SELECT database_name FROM duckdb_databases() ORDER BY ALL",
        tables,
        views,
        "SELECT current_setting('threads'), current_setting('memory_limit'), current_setting('temp_directory')",
    ]
    return [connection.execute(query).fetchall() for query in asked]


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize("where", [":memory:", "shop.duckdb"])
@pytest.mark.parametrize("source", ["people", "main.people", "temporary_people", "peek", "other.folk"])
def test_a_callers_connection_is_left_as_it_was(tmp_path, where, source):
    caller = duckdb.connect(where if where == ":memory:" else str(tmp_path / where))
    caller.execute(
        "CREATE SCHEMA other; CREATE TABLE people AS SELECT i % 4 AS age, i % 2 AS class FROM range(80) AS r(i)"
    )
    caller.execute("CREATE TEMP TABLE temporary_people AS FROM people; CREATE VIEW peek AS FROM people")
    caller.execute("CREATE TABLE other.folk AS FROM people; SET search_path = 'main,other'")
    before = state(caller)
    with Project(source=source, class_="class", connection=caller, taxonomies={"age": {"intervals": 2}}) as project:
        assert project.release("age=0", tmp_path / "out.csv").k == 20
    assert state(caller) == before
    assert caller.execute("SELECT count(*) FROM people").fetchall() == [(80,)]


@pytest.mark.slow
def test_a_callers_transaction_stays_open_and_can_be_undone(tmp_path):
    caller = duckdb.connect()
    caller.execute("CREATE TABLE people AS SELECT i % 4 AS age, i % 2 AS class FROM range(80) AS r(i)")
    caller.execute("BEGIN; INSERT INTO people SELECT 9, 1 FROM range(5)")
    with Project(source="people", class_="class", connection=caller, taxonomies={"age": {"intervals": 2}}) as project:
        assert project.release("age=0", tmp_path / "out.csv").rows == 85
    caller.execute("ROLLBACK")
    assert caller.execute("SELECT count(*) FROM people").fetchall() == [(80,)]


def test_a_callers_table_that_is_not_there(tmp_path):
    caller = duckdb.connect()
    project = Project(source="nobody", class_="class", connection=caller)
    with project, pytest.raises(SourceError, match="nobody"):
        project.source  # noqa: B018 - opens it


def test_a_file_can_be_read_through_a_callers_connection(tmp_path):
    csv(tmp_path, "age,class\n" + "1,a\n2,b\n" * 20)
    caller = duckdb.connect()
    with Project(source=tmp_path / "export.csv", class_="class", connection=caller) as project:
        assert project.release({"age": 0}, None, dry_run=True).k == 20


# -- roles -------------------------------------------------------------------------------------------------------------


def roles(tmp_path, announce=lambda _: None, **settings):
    database = Database()
    config = make_config({"class": "class", "source": csv(tmp_path, "id,age,town,note,class\n1,2,x,y,a\n"), **settings})
    return assign_roles(config, open_source(database, config, tmp_path), announce)


def test_every_column_without_a_role_is_a_quasi_identifier(tmp_path):
    found = roles(tmp_path, identifiers=["id"], insensitive=["note"])
    assert found.quasi_identifiers == ("age", "town")
    assert (found.identifiers, found.kept, found.class_) == (("id",), ("note",), "class")


def test_columns_left_out_of_the_named_quasi_identifiers_are_dropped_and_said(tmp_path):
    said = []
    found = roles(tmp_path, said.append, quasi_identifiers=["age"], sensitive=["town"])
    assert found.quasi_identifiers == ("age",)
    assert set(found.identifiers) == {"id", "note"}
    assert found.kept == ("town",)
    assert len(said) == 1
    assert "'id', 'note'" in said[0]


def indexed(tmp_path, kind):
    """A pandas table whose index pandas writes beside its columns, as it comes out of a filter."""
    frame = pd.DataFrame({"age": [1, 1, None, 2], "class": list("abab")}, index=[5, 7, 9, 11])
    if kind == "arrow":
        return pa.Table.from_pandas(frame)
    if kind == "frame":
        return frame
    frame.to_parquet(tmp_path / "s.parquet")
    return tmp_path / "s.parquet"


@pytest.mark.parametrize("kind", ["file", "arrow", "frame"])
def test_the_row_numbers_of_pandas_are_no_quasi_identifier(tmp_path, kind):
    said = []
    told = {"class_": "class", "requirement": {"k": 1}, "reporter": Reporter(said.append)}
    with Project(source=indexed(tmp_path, kind), **told) as one:
        assert one.roles.quasi_identifiers == ("age",)
        assert one.roles.identifiers == (() if kind == "frame" else ("__index_level_0__",))
    assert said == [] if kind == "frame" else "row numbers: '__index_level_0__'" in said[0]


def test_row_numbers_keep_a_role_that_they_are_given(tmp_path):
    labels = "__index_level_0__"
    for role in ("quasi_identifiers", "insensitive"):
        with Project(source=indexed(tmp_path, "file"), class_="class", **{role: [labels]}) as one:
            assert getattr(one.roles, role) == (labels,)


def test_init_proposes_to_drop_the_row_numbers_of_pandas(tmp_path):
    found = initialize(tmp_path / "anonduck.yml", str(indexed(tmp_path, "file")), "class", here=tmp_path)
    assert {c["name"]: c["role"] for c in found.columns}["__index_level_0__"] == "identifiers"


# -- types that other formats or comparisons would change --------------------------------------------------------------

HUGE = "170141183460469231731687303715884105727"
ODD_TYPES = [
    ("HUGEINT", [HUGE, "-" + HUGE, "5", None]),
    ("UHUGEINT", ["340282366920938463463374607431768211455", "0", "7", None]),
    ("TIMETZ", ["12:00:00+01", "12:00:00+02", "11:00:00+01", None]),
    ("BIT", ["0101", "1", "0001", None]),
    ("UUID", ["8f14e45f-ceea-467f-a0e6-5b7b6c9a1f11", None]),
    ("DECIMAL(38,10)", ["1234567890123456789012345678.0000000001", None]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "values"), ODD_TYPES, ids=[kind for kind, _ in ODD_TYPES])
@pytest.mark.parametrize("way", ["relation", "table"])
def test_a_connection_hands_over_values_and_types_as_they_are(kind, values, way):
    connection = duckdb.connect()
    connection.execute(f'CREATE TABLE mine ("odd ""name" {kind}, class VARCHAR)')
    connection.executemany("INSERT INTO mine VALUES (?, 'a')", [[value] for value in values])
    source = connection.table("mine") if way == "relation" else "mine"
    asked = 'SELECT typeof("odd ""name"), CAST("odd ""name" AS VARCHAR) FROM {} ORDER BY 2'
    with Project(source=source, class_="class", connection=connection) as one:
        assert [column.name for column in one.source.columns] == ['odd "name', "class"]
        found = one.database.rows(Statement("values", asked.format("source")))
    assert found == connection.execute(asked.format("mine")).fetchall()
    assert [value for _, value in found].count(None) == 1


def test_a_nested_value_that_a_connection_cannot_hand_over_is_refused():
    relation = duckdb.sql(f"SELECT [{HUGE}::HUGEINT] AS many, 'a' AS class")
    with pytest.raises(SourceError, match=r"'many' is HUGEINT\[\]; a nested HUGEINT cannot be read from a connection"):
        Project(source=relation, class_="class").source  # noqa: B018 - opens the source


@pytest.mark.some(1)
@pytest.mark.parametrize("way", ["table", "relation", "types"])
def test_durations_that_duckdb_takes_for_equal_stay_apart(tmp_path, way):
    months, days, hours = ["1 month"] * 3, ["30 days"] * 2, ["720:00:00"] * 4
    rows = [(text, "ab"[i % 2]) for i, text in enumerate([*months, *days, *hours, None])]
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE stays (stay INTERVAL, class VARCHAR)")
        connection.executemany("INSERT INTO stays VALUES (?, ?)", rows)
        connection.execute(f"COPY (SELECT CAST(stay AS VARCHAR) AS stay, class FROM stays) TO '{tmp_path}/s.csv'")
    told = {"class_": "class", "requirement": {"k": 1}}
    source = tmp_path / "s.csv" if way == "types" else f"{tmp_path}/shop.duckdb::stays"
    if way == "types":
        told["types"] = {"stay": "INTERVAL"}
    if way == "relation":
        connection = duckdb.connect(str(tmp_path / "shop.duckdb"), read_only=True)
        source = connection.table("stays")
    with Project(source=source, **told) as one:
        assert types(one.source)["stay"] == "VARCHAR"
        made = one.release({"stay": 0}, tmp_path / "o.csv")
        script = one.sql({"stay": 0}) if way != "relation" else None
    assert (made.rows, made.classes, made.k) == (10, 4, 1)
    released = (tmp_path / "o.csv").read_text().splitlines()[1:]
    assert sorted(line.rpartition(",")[0] for line in released) == sorted(["", *months, *days, *hours])
    if script is not None:
        assert len(duckdb.connect().execute(script).fetchall()) == 10


def test_too_little_memory_is_refused(tmp_path):
    with pytest.raises(DatabaseError, match=r"memory_limit: 50MB is too little.* the least is 64MB"):
        Database(memory_limit="50MB")
    for none in ("0MB", "0"):
        with pytest.raises(DatabaseError, match=r"memory_limit.* 0.*: write a size such as 8GB; the least is 64MB"):
            Database(memory_limit=none)
    Database(memory_limit="64MB").close()
