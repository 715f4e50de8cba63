"""`anonduck sql`: scripts that a plain DuckDB connection runs, with the rows of the release."""

import duckdb
import pandas as pd
import pytest
import sqlglot
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import people, project

from anonduck import Project
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, DialectError, RuleError
from anonduck.statements.dialects import DIALECTS, dialect_named


def rows_of(text, connection=None):
    """The rows of a script, run as it is in a plain connection."""
    return (connection or duckdb.connect()).execute(text).fetchall()


def released(one, rule, path, **changes):
    one.release(rule, path, overwrite=True, **changes)
    return duckdb.sql(f"SELECT * FROM '{path}'").fetchall()


def loose(source, **changes):
    return project(source, requirement={"k": 1}, **changes)


def exported(frame, folder, ending):
    path = folder / f"it's an export.{ending}"
    if ending == "parquet":
        frame.to_parquet(path)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)
    return path


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize(
    "rule",
    [{"age": 0}, {"age": 1, "job": 1}, {"age": 3, "job": 0, "rate": 0}, {"job": 1}],
    ids=str,
)
def test_a_script_gives_the_rows_of_the_release(tmp_path, ending, rule):
    frame = people(200)
    if ending == "jsonl":
        frame["rate"] = frame["rate"].replace(float("inf"), 9.5)
    with loose(exported(frame, tmp_path, ending)) as one:
        expected = released(one, rule, tmp_path / "out.parquet")
        assert len(expected) == 200
        for form in ("select", "script"):
            connection = duckdb.connect()
            text = one.sql(rule, as_=form)
            assert rows_of(text, connection) == rows_of(text, connection) == expected


@pytest.mark.slow
@pytest.mark.parametrize("form", ["select", "script"])
def test_texts_of_a_collation_are_compared_by_their_bytes(tmp_path, form):
    """Those of a column, and of a session by its default; texts of the source come out so that they still are."""
    frame = pd.DataFrame({"job": ["cook", "Cook", "COOK", "nurse"] * 3, "class": ["y", "n", "y"] * 4})
    jobs = "cook;kitchen;*\nCook;Kitchen;*\nCOOK;works;*\nnurse;care;*\n"
    (tmp_path / "job.csv").write_text(jobs, encoding="utf-8")
    taxonomies = {"job": {"file": str(tmp_path / "job.csv"), "sep": ";", "header": False}}
    with (
        duckdb.connect() as connection,
        Project(source=frame, class_="class", taxonomies=taxonomies, requirement={"k": 3}) as one,
    ):
        connection.execute("CREATE TABLE frame (job VARCHAR COLLATE nocase, class VARCHAR)")
        connection.register("held", frame)
        connection.execute("INSERT INTO frame FROM held; SET default_collation = 'nocase'")
        for level in (0, 1):
            expected = released(one, {"job": level}, tmp_path / "out.parquet")
            text = one.sql({"job": level}, table="frame", as_=form)
            assert sorted(rows_of(text, connection)) == sorted(expected)
            if form == "select" and level == 0:
                grouped = f"SELECT count(*) FROM ({text.rstrip().rstrip(';')}) GROUP BY job"
                assert connection.execute(grouped).fetchall() == [(3,)] * 4


@pytest.mark.slow
def test_where_types_and_csv_options_are_in_the_script(tmp_path):
    lines = [f"{n:03};{n % 7},5;{'NA' if n % 5 == 0 else n % 3};{'yes' if n % 2 else 'no'}" for n in range(90)]
    (tmp_path / "in.csv").write_text("zip;size;kind;class\n" + "\n".join(lines) + "\n")
    told = {
        "csv": {"delim": ";", "decimal_separator": ",", "nullstr": "NA"},
        "types": {"zip": "VARCHAR"},
        "where": "kind IS NULL OR kind <> 1",
        "identifiers": ["zip"],
    }
    with Project(source=tmp_path / "in.csv", class_="class", requirement={"k": 1}, **told) as one:
        for rule in ({"size": 0, "kind": 0}, {"size": 1}):
            assert rows_of(one.sql(rule)) == released(one, rule, tmp_path / "out.parquet")


EVIL = [
    "'); DROP TABLE t; --",
    "a;b",
    "''",
    '"',
    "$x",
    "-- no comment",
    "/* */",
    "\\",
    "{{x}}",
    "a\nb",
    "NULL",
    "null",
    " ",
    "ü€",
    "?",
    "%s",
    "E'\\x'",
]


@pytest.mark.slow
def test_values_and_names_that_are_sql(tmp_path):
    name = 'o\'dd "name"); DROP TABLE t; --'
    frame = pd.DataFrame({name: EVIL * 2, "class": ["a", "b"] * len(EVIL)})
    frame.to_parquet(tmp_path / "in.parquet")
    rows = [[v, f"group '{n % 3}'; --", "*"] for n, v in enumerate(EVIL)]
    pd.DataFrame(rows).to_csv(tmp_path / "tree.csv", index=False, header=False, sep="\t")
    told = {"taxonomies": {name: {"file": str(tmp_path / "tree.csv"), "sep": "\t", "header": False}}}
    with Project(source=tmp_path / "in.parquet", class_="class", requirement={"k": 1}, **told) as one:
        for level in (0, 1):
            expected = released(one, {name: level}, tmp_path / "out.parquet")
            assert rows_of(one.sql({name: level})) == expected
            assert len(expected) == len(frame)


@pytest.mark.slow
@given(st.lists(st.text(max_size=8), min_size=2, max_size=6, unique=True))
@examples(4)
def test_any_text_value(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("script")
    values = [v.replace("\x00", "") for v in values]
    frame = pd.DataFrame(
        {"a": [*values, None] * 4, "b": range(4 * len(values) + 4), "class": ["x", "y"] * (2 * len(values) + 2)}
    )
    frame.to_parquet(folder / "in.parquet")
    told = {"taxonomies": {"a": {"clusters": True}, "b": {"intervals": 3}}, "requirement": {"k": 1}}
    with Project(source=folder / "in.parquet", class_="class", **told) as one:
        expected = released(one, {"a": 0, "b": 1}, folder / "out.parquet")
        assert rows_of(one.sql({"a": 0, "b": 1})) == expected


@pytest.mark.some(0, 2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "values",
    [
        "(i - 40) / 7.0",
        "((i * 37) % 101)::DECIMAL(38, 10) / 8",
        "DATE '2020-02-27' + (i % 70)::INT",
        "TIMESTAMP '2020-02-27 23:59:59' + to_minutes(i * 7)",
        "CASE i % 11 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN '-inf'::DOUBLE WHEN 2 THEN 'inf'::DOUBLE ELSE i END",
        "i::HUGEINT * 1000000000000000000000",
        "-(i % 60)",
        "i % 2 = 0",
    ],
)
def test_types_of_values(tmp_path, values):
    query = f"SELECT CASE WHEN i % 13 > 0 THEN {values} END AS a, i % 2 AS class FROM range(80) AS r(i)"
    duckdb.sql(f"COPY ({query}) TO '{tmp_path}/in.parquet'")
    with Project(source=tmp_path / "in.parquet", class_="class", requirement={"k": 1}) as one:
        one.build_taxonomies()
        for level in range(one.taxonomies["a"].root):
            expected = released(one, {"a": level}, tmp_path / "out.parquet")
            assert repr(rows_of(one.sql({"a": level}))) == repr(expected)
            assert repr(rows_of(one.sql({"a": level}, as_="script"))) == repr(expected)


@pytest.mark.slow
def test_another_table_can_be_named(tmp_path):
    frame = people(100)
    with loose(exported(frame, tmp_path, "parquet")) as one:
        expected = released(one, {"age": 1, "job": 1}, tmp_path / "out.parquet")
        text = one.sql({"age": 1, "job": 1}, table='shop."my table"')
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA shop")
    connection.register("frame", frame)
    connection.execute('CREATE TABLE shop."my table" AS FROM frame')
    assert rows_of(text, connection) == expected


@pytest.mark.slow
def test_values_that_a_taxonomy_does_not_know_stop_the_script(tmp_path):
    frame = people(100)
    path = exported(frame, tmp_path, "parquet")
    with loose(path, taxonomies={"job": {"clusters": True}}) as one:
        refusing, lenient = one.sql({"job": 1}), one.sql({"job": 1}, unmapped="root")
        scripted = one.sql({"job": 1}, as_="script")
        frame.loc[3:5, "job"] = "astronaut"
        frame.to_parquet(path)
        with pytest.raises(duckdb.Error, match="column job: a value that its taxonomy does not know"):
            rows_of(refusing)
        with pytest.raises(duckdb.Error, match="column job: a value that its taxonomy does not know"):
            rows_of(scripted)
        assert [row[0] for row in rows_of(lenient)].count("*") == 3


@pytest.mark.slow
def test_unseen_numbers_find_their_interval(tmp_path):
    frame = people(100)
    path = exported(frame, tmp_path, "parquet")
    later = frame.copy()
    later["age"] = pd.array([-100, 0, 18, 33, 69, 70, 10_000, None, 25, 44] * 10, dtype="Int64")
    with loose(path) as one:
        text = one.sql({"age": 1})
        later.to_parquet(tmp_path / "later.parquet")
        expected = released(one, {"age": 1}, tmp_path / "out.parquet", source=tmp_path / "later.parquet")
        later.to_parquet(path)
    assert rows_of(text) == expected


BY_QUERY = {
    "email": ({"email": True}, ["a@b.org", "c@b.org", "x@y.net"], ["New@Shop.example", "none", None, "q@b.org"]),
    "ip": ({"ip": True}, ["10.0.0.1", "10.0.1.1", "fe80::1"], ["10.0.0.9", "192.168.7.1", "no", None, "2001:db8::"]),
    "geohash": ({"geohash": [3, 1]}, ["45.07,7.69", "45.5,9.2", "1,1"], ["48.1,11.6", "far away", None, "1,2"]),
    "shipped": ({"shipped": "us_zip"}, ["10001", "10002", "94110"], ["94111", "60601", None, "00501"]),
}


@pytest.mark.some(1)
@pytest.mark.parametrize("name", BY_QUERY)
def test_unseen_values_of_other_computed_taxonomies_show_what_a_release_shows(tmp_path, name):
    """DuckDB computes them all; another dialect says which it lists, as it cannot."""
    options, first, second = BY_QUERY[name]
    nights = [pd.DataFrame({"a": values * 6, "class": [0, 1] * (3 * len(values))}) for values in (first, second)]
    nights[0].to_parquet(tmp_path / "in.parquet")
    said = []
    with Project(
        source=tmp_path / "in.parquet",
        class_="class",
        requirement={"k": 1},
        taxonomies={"a": options},
        models=[],
        reporter=Reporter(said.append),
    ) as one:
        texts = [one.sql({"a": level}) for level in (0, 1)]
        other = one.sql({"a": 1}, dialect="postgres", table="people")
        nights[1].to_parquet(tmp_path / "in.parquet")
        for level, text in enumerate(texts):
            assert not [value for value in first if value in text]
            assert rows_of(text) == released(one, {"a": level}, tmp_path / "out.parquet")
    words = "PostgreSQL cannot compute the labels of 'a' at level 1: the values that were there are listed"
    assert words in other
    assert [line for line in said if words in line] != []
    assert first[0] in other


@pytest.mark.slow
def test_edited_labels_of_a_computed_taxonomy_are_listed_and_no_others(tmp_path):
    frame = pd.DataFrame({"zip": ["12345", "12399", "99999"] * 4, "class": [0, 1] * 6})
    frame.to_parquet(tmp_path / "in.parquet")
    told = {"taxonomies": {"zip": {"mask": "right"}}, "requirement": {"k": 1}, "class_": "class", "models": []}
    with Project(source=tmp_path / "in.parquet", database=tmp_path / "a.duckdb", **told) as one:
        one.build_taxonomies()
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute("UPDATE taxonomy.zip SET level_2 = 'the north' WHERE value = '99999'")
    with Project(source=tmp_path / "in.parquet", database=tmp_path / "a.duckdb", **told) as one:
        expected = released(one, {"zip": 2}, tmp_path / "out.parquet")
        text = one.sql({"zip": 2})
    assert rows_of(text) == expected
    assert "the north" in str(expected)
    assert ("'99999'" in text, "'12345'" in text) == (True, False)


@pytest.mark.slow
def test_a_text_stops_where_the_next_export_misses_k(tmp_path):
    """What unseen values stopped before is stopped by their classes: each text counts them in the same statement."""
    frame = pd.DataFrame({"zip": ["12345", "12399"] * 6, "class": [0, 1] * 6})
    path = tmp_path / "in.parquet"
    frame.to_parquet(path)
    told = {"taxonomies": {"zip": {"mask": "right"}}, "class_": "class", "models": []}
    with Project(source=path, requirement={"k": 3}, **told) as one:
        texts = [one.sql({"zip": 2}, as_=form) for form in ("select", "script")]
    with Project(source=path, requirement={"k": 3, "suppression": 0.1}, **told) as one:
        leaving = one.sql({"zip": 2})
    assert [len(rows_of(text)) for text in (*texts, leaving)] == [12, 12, 12]
    pd.concat([frame, frame.head(1).assign(zip="77777")]).to_parquet(path)
    for text in texts:
        with pytest.raises(duckdb.Error, match="misses what is required of it"):
            rows_of(text)
    assert len(rows_of(leaving)) == 12
    pd.concat([frame, frame.head(2).assign(zip="77777")]).to_parquet(path)
    with pytest.raises(duckdb.Error, match="misses what is required of it"):
        rows_of(leaving)


@pytest.mark.slow
@pytest.mark.some(3)
@pytest.mark.parametrize("dialect", [one for one in DIALECTS if one != "duckdb"])
def test_other_dialects_parse_again_and_leave_nothing_to_the_session(tmp_path, dialect):
    with loose(exported(people(100), tmp_path, "parquet")) as one:
        text = one.sql({"age": 1, "job": 1, "rate": 0}, dialect=dialect, table="shop.people")
    (select,) = [tree for tree in sqlglot.parse(text, read=dialect_named(dialect).name) if tree is not None]
    assert [column.alias_or_name for column in select.selects] == ["age", "job", "rate", "note", "class"]
    of_lookups = {"key", "label", "lower", "upper", "value", "bounds", "place", "row_place"}
    assert {c.name for c in select.find_all(sqlglot.exp.Column)} - of_lookups == {"age", "job", "rate", "note", "class"}
    assert {t.name for t in select.find_all(sqlglot.exp.Table)} == {"people", "shown_age", "shown_job"}
    assert ("No text like this one has ever run" in text) == (not dialect_named(dialect).ran_on)
    assert not list(select.find_all(sqlglot.exp.Placeholder, sqlglot.exp.Parameter))


@pytest.mark.slow
def test_a_long_list_is_joined_and_its_values_are_distinct(tmp_path):
    frame = pd.DataFrame({"job": [f"job {n % 700}" for n in range(1_400)], "class": [0, 1] * 700})
    groups = {f"group {g}": [f"job {n}" for n in range(g, 700, 7)] for g in range(7)}
    rest = {"class_": "class", "requirement": {"k": 1}, "taxonomies": {"job": {"groups": groups}}}
    with Project(source=frame, **rest) as one:
        one.release({"job": 1}, tmp_path / "out.parquet")
        text = one.sql({"job": 1}, table="frame")
    assert "LEFT JOIN" in text
    assert text.startswith("-- anonduck")
    connection = duckdb.connect()
    connection.register("frame", frame)
    expected = connection.execute(f"SELECT * FROM '{tmp_path}/out.parquet'").fetchall()
    assert rows_of(text, connection) == expected


@pytest.mark.slow
def test_tables_are_named_in_the_dialect(tmp_path):
    with loose(exported(people(50), tmp_path, "csv")) as one:
        assert "FROM `my-project.shop.people` AS s" in one.sql(
            "age=1", dialect="bigquery", table="`my-project.shop.people`"
        )
        assert "FROM (" in one.sql("age=1", dialect="postgres", table="SELECT * FROM people WHERE age > 3")
        with pytest.raises(ConfigError, match="names no table in PostgreSQL"):
            one.sql("age=1", dialect="postgres", table="a b c")
        with pytest.raises(DialectError, match=r"Select"):
            one.sql("age=1", dialect="snowflake", table="SELECT * FROM t QUALIFY row_number() OVER (ORDER BY a) = 1")


@pytest.mark.slow
def test_names_in_upper_case(tmp_path):
    with loose(exported(people(50), tmp_path, "csv")) as one:
        text = one.sql("age=1,job=0", dialect="snowflake", table="SHOP.PEOPLE", identifiers="upper")
        assert 's."AGE"' in text
        assert 'AS "JOB"' in text
        assert '"age"' not in text
    both = pd.DataFrame({"straße": [1, 2] * 4, "STRASSE": [1, 2] * 4, "class": [0, 1] * 4})
    with (
        Project(source=both, class_="class", requirement={"k": 1}) as one,
        pytest.raises(DialectError, match="not distinct in upper case"),
    ):
        one.sql({"straße": 0, "STRASSE": 0}, dialect="snowflake", identifiers="upper")


@pytest.mark.slow
def test_where_is_written_anew_for_a_table(tmp_path):
    frame = people(100)
    path = exported(frame, tmp_path, "parquet")
    with loose(path, where="job <> 'cook' AND NOT (age BETWEEN 30 AND 40 OR 60 < age)") as one:
        expected = released(one, {"age": 1, "job": 0}, tmp_path / "out.parquet")
        duck = one.sql({"age": 1, "job": 0}, table="frame")
    connection = duckdb.connect()
    connection.register("frame", frame)
    assert 0 < len(expected) < 100
    assert rows_of(duck, connection) == expected
    with (
        loose(path, where="age % 2 = 0") as one,
        pytest.raises(DialectError, match=r"`where` of the config cannot be written for PostgreSQL: .*and no Mod"),
    ):
        one.sql({"age": 1}, dialect="postgres", table="frame")


@pytest.mark.parametrize("comment", ["-- it's adults\n", '/* 5" */'])
def test_a_comment_of_where_is_left_out(tmp_path, comment):
    with loose(exported(people(100), tmp_path, "parquet"), where=f"job <> 'co\n   ok' {comment}") as one:
        expected = released(one, {"age": 1, "job": 0}, tmp_path / "out.parquet")
        for form in ("select", "script"):
            assert rows_of(one.sql({"age": 1, "job": 0}, as_=form)) == expected


def test_what_cannot_be_a_script(tmp_path):
    with loose(exported(people(50), tmp_path, "csv")) as one:
        with pytest.raises(ConfigError, match=r"dialect 'cobol' is not known; choose among .*duckdb"):
            one.sql("age=1", dialect="cobol")
        for dialect in ("tsql", "oracle", "prql", "dax", "solr", "tableau"):
            with pytest.raises(DialectError, match=f"dialect '{dialect}' is not known; choose among bigquery"):
                one.sql("age=1", dialect=dialect)
        with pytest.raises(ConfigError, match="choose among select, script"):
            one.sql("age=1", as_="view")
        for dialect in ("spark", "databricks"):
            with pytest.raises(DialectError, match=r"a script cannot be written for .*temporary tables"):
                one.sql("age=1", as_="script", dialect=dialect)
        with pytest.raises(RuleError, match="not a quasi-identifier"):
            one.sql("id=0")
