"""Spark answers as DuckDB does, with the same types, combinations, rules and measures; its errors tell no value."""

import datetime
import decimal
import math
import shutil
import sys
from types import SimpleNamespace

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from oracles import people
from test_engine_source import KEYS, ODD, TABLES, TYPES

from anonduck import Project, audit
from anonduck.engines.arrow import plain_texts
from anonduck.engines.equality import TEXTS, check_texts
from anonduck.engines.protocol import no_progress
from anonduck.engines.relation import Place, Relation
from anonduck.engines.spark_files import _provider, _table_above, table_version
from anonduck.engines.spark_session import condition, opened_session, spark_sql, tasks, translated
from anonduck.errors import AnonduckError, ConfigError, SourceError

# -- without Spark -----------------------------------------------------------------------------------------------------


def test_a_missing_package_is_named_with_what_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(ConfigError, match=r"pip install 'anonduck\[spark\]'") as caught:
        spark_sql()
    assert caught.value.exit_code == 2


class FailedError(Exception):
    """An error as Spark's are: with the name of a condition, and a record's value in its words."""

    def getCondition(self):  # noqa: N802
        return "CAST_INVALID_INPUT.DETAILS"


@pytest.mark.parametrize("error", [FailedError("The value 'Jane'"), ValueError("Jane"), KeyError("Jane")])
def test_errors_of_spark_tell_no_value(error):
    def fail():
        raise error

    with pytest.raises(SourceError) as caught:
        translated("count_by", fail)
    assert "Jane" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert (condition(error) or type(error).__name__) in str(caught.value)


def test_tasks_are_counted_over_the_jobs_of_a_group():
    stages = {1: (3, 4), 2: (0, 8)}
    tracker = SimpleNamespace(
        getJobIdsForGroup=lambda group: [7, 8] if group == "mine" else [],
        getJobInfo=lambda job: SimpleNamespace(stageIds=[1, 2, 3]) if job == 7 else None,
        getStageInfo=lambda stage: (
            SimpleNamespace(numCompletedTasks=stages[stage][0], numTasks=stages[stage][1]) if stage in stages else None
        ),
    )
    assert tasks(tracker, "mine") == (3, 12)
    assert tasks(tracker, "other") == (0, 0)


@pytest.mark.parametrize("merged", [("a", "A"), ("é", "e\u0301"), ("a", "a "), ("", None)])
def test_an_engine_that_takes_texts_for_equal_is_refused(merged):
    found = {**dict.fromkeys(TEXTS, 1), None: 2}
    check_texts(list(found.items()), "Spark")
    found[merged[1]] += found.pop(merged[0])
    with pytest.raises(SourceError, match="takes texts for equal"):
        check_texts(list(found.items()), "Spark")


# -- types -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def engine(spark):
    from anonduck.engines.spark import SparkEngine

    return SparkEngine(spark)


KINDS = {
    "flag": ("true", pa.bool_()),
    "tiny": ("cast(1 as tinyint)", pa.int8()),
    "big": ("9007199254740993", pa.int64()),
    "precise": ("cast('0.1' as decimal(38, 18))", pa.decimal128(38, 18)),
    "size": ("cast(0.1 as float)", pa.float32()),
    "word": ("'é'", pa.string()),
    "padded": ("cast('a' as char(3))", pa.string()),
    "bytes": ("x'00ff'", pa.binary()),
    "day": ("date'1890-01-01'", pa.date32()),
    "at": ("timestamp'2020-07-01 00:00:00 UTC'", pa.timestamp("us", tz="UTC")),
    "wall": ("timestamp_ntz'2020-07-01 00:00:00'", pa.timestamp("us")),
    "took": ("interval '3' day", pa.string()),
    "months": ("interval '1' month", pa.string()),
    "nothing": ("null", pa.null()),
    "loose": ("collate('Ä', 'UTF8_LCASE')", pa.string()),
    "map": ("map('a', 1)", None),
    "variant": ("parse_json('{\"a\": 1}')", None),
    "list": ("array(1)", None),
}


@pytest.mark.nightly
@pytest.mark.slow
def test_types_are_described_as_they_are_handed_over(spark, engine):
    selected = ", ".join(f"{text} AS `{name}`" for name, (text, _) in KINDS.items())
    spark.sql(f"SELECT {selected}").createOrReplaceTempView("kinds")
    relation = Relation(Place(("kinds",)))
    schema = engine.describe(relation)
    assert {name: kind for name, (_, kind) in KINDS.items() if kind} == {
        field.name: field.type for field in schema if KINDS[field.name][1]
    }
    assert engine.tally.scans == 0
    sampled = engine.sample(relation, 10, 0)
    assert [field.type for field in sampled.schema] == [field.type for field in schema]
    flat = [name for name, (_, kind) in KINDS.items() if kind]
    (row,) = engine.count_by(relation, flat).to_pylist()
    assert row["big"] == 9007199254740993
    assert row["precise"] == decimal.Decimal("0.100000000000000000")
    assert row["at"] == datetime.datetime(2020, 7, 1, tzinfo=datetime.UTC)
    assert row["wall"] == datetime.datetime(2020, 7, 1)
    assert (row["took"], row["loose"], row["#records"]) == ("INTERVAL '3' DAY", "Ä", 1)


@pytest.mark.slow
def test_nested_columns_are_never_generalized(spark):
    spark.sql("SELECT map('a', id) AS m, parse_json('1') AS v, id % 2 AS c FROM range(9)").createOrReplaceTempView("n")
    with Project(source="table:n", class_="c", engine=spark) as project, pytest.raises(SourceError, match="nested"):
        project.discover()


@pytest.mark.slow
def test_columns_that_spark_cannot_order_are_told_before_a_release(spark, engine):
    columns = {
        **{"a.map": "map('a', 1)", "variant": "parse_json('1')", "maps": "array(map('a', 1))"},
        **{"`it": "named_struct('a', 1, 'b', array(1))", "days": "INTERVAL 1 DAY", "bytes": "X'00'", "n": "1"},
    }
    named = [f"{value} AS `{name.replace('`', '``')}`" for name, value in columns.items()]
    spark.sql(f"SELECT {', '.join(named)}").createOrReplaceTempView("kinds")
    scans = engine.tally.scans
    assert engine.unsorted(Relation(Place(("kinds",))), list(columns)) == ("a.map", "variant", "maps")
    assert engine.tally.scans == scans


@pytest.mark.slow
def test_texts_of_a_loose_collation_are_told_apart(spark, engine):
    spark.sql("SELECT collate(t, 'UTF8_LCASE') AS t FROM VALUES ('a'), ('A'), ('a') AS v(t)").createOrReplaceTempView(
        "l"
    )
    counted = engine.count_by(Relation(Place(("l",))), ["t"]).to_pylist()
    assert sorted((row["t"], row["#records"]) for row in counted) == [("A", 1), ("a", 2)]
    assert engine.count_by(Relation(Place(("l",)), where="t = 'A'"), []).to_pylist() == [{"#records": 1}]


@pytest.mark.slow
def test_spark_tells_texts_apart_as_duckdb_does(spark, engine):
    engine.equality()
    engine.behaviour()
    assert engine.tally.rows == 0
    before = spark.conf.get("spark.sql.parser.escapedStringLiterals")
    spark.conf.set("spark.sql.parser.escapedStringLiterals", "true")
    try:
        with pytest.raises(ConfigError, match="escapedStringLiterals"):
            type(engine)(spark).equality()
    finally:
        spark.conf.set("spark.sql.parser.escapedStringLiterals", before)


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_nothing_of_a_record_is_told_when_spark_fails(spark, engine, capfd):
    spark.sql("SELECT 'Jane' AS who").createOrReplaceTempView("people")
    there = Place(("people",))
    for relation in (Relation(there, casts=(("who", "INT"),)), Relation(there, where="CAST(who AS INT) = 1")):
        with pytest.raises(SourceError) as caught:
            engine.count_by(relation, ["who"])
        assert "CAST_INVALID_INPUT" in str(caught.value)
        assert "Jane" not in str(caught.value)
    assert "Jane" not in "".join(capfd.readouterr())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "words"),
    [("table:nowhere.t", "no such table"), ("there/is/none", "no files"), ("table:`a", "table's name")],
)
def test_a_source_that_is_not_there_is_named(spark, source, words):
    with (
        Project(source=source, class_="c", engine=spark) as project,
        pytest.raises(AnonduckError, match=words) as caught,
    ):
        project.discover()
    assert caught.value.exit_code == 2


@pytest.mark.slow
def test_casts_need_a_session_in_which_they_fail(spark, engine):
    spark.sql("SELECT '1' AS a").createOrReplaceTempView("texts")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        with pytest.raises(ConfigError, match=r"spark\.sql\.ansi\.enabled"):
            engine.count_by(Relation(Place(("texts",)), casts=(("a", "INT"),)), ["a"])
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")


# -- progress and stopping ---------------------------------------------------------------------------------------------


class StoppedError(Exception):
    """Whoever is told how far a scan is wants no more of it."""


@pytest.mark.nightly
@pytest.mark.slow
def test_progress_is_told_while_a_scan_runs_and_may_stop_it(spark, engine):
    sleep = "coalesce(length(java_method('java.lang.Thread', 'sleep', 100L)), 0)"
    slow = spark.range(0, 80, numPartitions=8).selectExpr(f"id + 0 * {sleep} AS a")
    slow.createOrReplaceTempView("slow")
    relation, told = Relation(Place(("slow",))), []
    engine.progress = lambda done, total: told.append((done, total))
    assert engine.count_by(relation, ["a"]).num_rows == 80
    done = [done for done, _ in told]
    assert done == sorted(done)
    assert 0 < done[-1] <= told[-1][1]
    assert len(set(done)) > 2

    def stop(done, total):
        if done:
            raise StoppedError

    engine.progress = stop
    with pytest.raises((StoppedError, SourceError)):
        engine.count_by(relation, ["a"])
    tracker = spark.sparkContext.statusTracker()
    assert tracker.getActiveJobsIds() == []
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") is None


def interrupted_at(number):
    """A progress that is interrupted when it is told for that time."""
    told = []

    def progress(done, total):
        told.append(done)
        if len(told) == number:
            raise KeyboardInterrupt

    return progress


@pytest.mark.slow
@pytest.mark.parametrize("folder", [False, True])
def test_what_stood_there_is_back_when_a_replacement_is_stopped(spark, engine, tmp_path, folder):
    def place(name):
        return Place(path=str(tmp_path / name)) if folder else Place((name,))

    target, staging, replaced = map(place, ("kept", "kept__anonduck_unfinished", "kept__anonduck_replaced"))
    engine.write(None, "SELECT 1 AS a", {}, target)
    for number in (1, 2):
        engine.progress = interrupted_at(1)
        with pytest.raises(KeyboardInterrupt):
            engine.write(None, "SELECT 2 AS a", {}, staging)
        engine.drop(staging)
        assert not engine.exists(staging)
        engine.progress = no_progress
        engine.write(None, "SELECT 2 AS a", {}, staging)
        engine.progress = interrupted_at(number)
        with pytest.raises(KeyboardInterrupt):
            engine.rename(staging, target)
        engine.progress = no_progress
        assert engine.count_by(Relation(target), ["a"]).to_pylist() == [{"a": 1, "#records": 1}]
        assert engine.exists(staging)
        assert not engine.exists(replaced)
        engine.drop(staging)
    engine.drop(target)


# -- the same as through DuckDB ----------------------------------------------------------------------------------------


def read_records(spark):
    """The records that stages have read by now."""
    store = spark.sparkContext._jsc.sc().statusStore()
    none = spark.sparkContext._gateway.new_array(spark._jvm.double, 0)
    stages = store.stageList(None, False, False, none, spark._jvm.java.util.ArrayList())
    return sum(stages.apply(place).inputRecords() for place in range(stages.size()))


def found(**given_keys):
    try:
        with Project(**KEYS, **given_keys) as project:
            outcome = project.discover()
            return outcome.rules, outcome.totals
    except AnonduckError as error:
        return type(error), str(error).replace("(pandas DataFrame)", "").replace("table:random", "")


@pytest.mark.nightly
@pytest.mark.slow
@given(rows=TABLES)
@examples(12)
def test_random_tables_come_to_the_same_rules(spark, rows):
    table = pa.table({name: [row[place] for row in rows] for place, name in enumerate(ODD)}, schema=arrow_schema())
    spark.createDataFrame(table).createOrReplaceTempView("random")
    assert found(source="table:random", engine=spark) == found_of(table)


FLOORED = {
    "class_": "class",
    "requirement": {"k": 3},
    "taxonomies": {"zip": {"mask": "right"}},
    "models": ["bayes"],
}


@pytest.fixture
def residents(spark):
    """The view residents, and the same as an Arrow table: numbers with both zeros, NULL, days, codes and odd names."""
    frame = people(900)
    table = pa.Table.from_pandas(frame.drop(columns=["id", "note"]), preserve_index=False)
    days = [datetime.date(2020, 1 + place % 12, 1 + place % 28) for place in range(900)]
    codes = [f"00{place * 7 % 60 + 100}" for place in range(900)]
    table = table.append_column("born `on`", pa.array(days)).append_column("zip", pa.array(codes))
    sizes = pa.array([[math.nan, 0.0, -0.0, 2.5, None][place % 5] for place in range(900)], from_pandas=False)
    table = plain_texts(table.append_column("size", sizes))
    spark.createDataFrame(table).createOrReplaceTempView("residents")
    return table


@pytest.mark.nightly
@pytest.mark.slow
def test_a_discovery_from_a_floor_is_that_of_duckdb(spark, residents, tmp_path):
    pq.write_table(residents, tmp_path / "residents.parquet")
    with Project(source=residents, engine={"max_cells": 100}, **FLOORED) as here:
        expected = here.discover()
    folder = str(tmp_path / "residents.parquet")
    with Project(source=folder, engine={"kind": "spark", "max_cells": 100}, **FLOORED) as there:
        engine = there.source.engine.engine
        before = read_records(spark)
        found = there.discover()
        assert read_records(spark) - before == 900 * engine.tally.scans
        assert engine.tally.scans == 5
        values = sum(len(column.unique()) for column in residents.columns)
        assert engine.tally.rows <= 100 + values + 900 + 10
    assert found.floor
    assert found.floor == expected.floor
    assert (found.rules, found.totals, found.min_k) == (expected.rules, expected.totals, expected.min_k)
    assert found.baseline == expected.baseline


@pytest.mark.slow
def test_a_rule_from_a_floor_is_released_and_audited_in_spark(spark, residents, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Project(source="table:residents", engine={"kind": "spark", "max_cells": 100}, **FLOORED) as project:
        rule = project.discover().rules[0]
        made = project.release(rule.id, f"{tmp_path}/shown.parquet/")
        page = project.certificate(f"{tmp_path}/shown.parquet/", "certificate.html")
        assert "equal; Spark counted them again" in page.read_text(encoding="utf-8")
    audited = audit(f"{tmp_path}/shown.parquet", quasi_identifiers=list(rule.levels), engine=spark)
    assert audited.k == made.k == rule.measures.k >= 3


@pytest.mark.slow
def test_more_combinations_than_allowed_are_not_fetched(spark, engine, residents):
    asked = Relation(Place(("residents",)))
    assert engine.count_by(asked, ["age", "zip"], 50) is None
    assert engine.tally.rows == 0
    number = engine.count_by(asked, ["age", "job"]).num_rows
    assert engine.count_by(asked, ["age", "job"], number - 1) is None
    assert engine.count_by(asked, ["age", "job"], number).num_rows == number


def arrow_schema():
    kinds = {"BIGINT": pa.int64(), "VARCHAR": pa.string(), "DOUBLE": pa.float64()}
    return pa.schema([(name, kinds[kind]) for name, kind in TYPES.items()])


def found_of(table):
    outcome = found(source=table)
    return outcome if not isinstance(outcome[1], str) else (outcome[0], outcome[1].replace("(pyarrow Table)", ""))


@pytest.fixture(scope="module")
def adult(data_dir, tmp_path_factory):
    """Adult as a folder of four Parquet files."""
    folder = tmp_path_factory.mktemp("adult") / "adult it's `here`"
    folder.mkdir()
    read = f"SELECT *, row_number() OVER () AS n FROM read_csv('{data_dir / 'adult.csv'}')"
    for part in range(4):
        name = str(folder / f"part {part}.parquet").replace("'", "''")
        duckdb.sql(f"COPY (SELECT * EXCLUDE n FROM ({read}) WHERE n % 4 = {part}) TO '{name}'")
    return folder


ADULT = {
    "class_": "class",
    "quasi_identifiers": ["age", "education", "marital-status", "sex", "race", "native-country"],
    "sensitive": ["occupation"],
    "requirement": {"k": 5, "l": 2},
    "models": [],
}


@pytest.mark.slow
def test_a_filter_and_casts_come_to_the_same_counts(spark, adult):
    asked = {
        "where": "age BETWEEN 20 AND 60 AND NOT (race IN ('White', 'a''b\\c') OR \"native-country\" IS NULL)",
        "types": {"age": "VARCHAR"},
    }
    counts = []
    for source, engine in ((f"{adult}/*.parquet", None), (adult, spark)):
        with Project(source=source, engine=engine, **ADULT, **asked) as project:
            assert project.source.column("age").type == "VARCHAR"
            project.source.engine.frequency_set(["age", "race", "class"])
            counts.append(sorted(project.database.rows(frequency_set())))
    assert counts[0] == counts[1]
    assert counts[0]


def frequency_set():
    from anonduck.statements import Statement

    return Statement("test", "SELECT * FROM frequency_set")


CONDITIONS = [
    "whole >= 9007199254740993",
    "whole NOT BETWEEN -1 AND 3 OR whole IS NULL",
    "size > 1.5",
    "NOT (size <= 1.5)",
    "size = 0",
    "size <> 0.1",
    "word = 'a'",
    "word IN ('é', '', 'it''s', 'back\\slash', '%_')",
    "word < 'a' OR flag",
    "NOT flag",
    "day >= '1890-01-01' AND day <> '2020-02-29'",
    "at = '2020-07-01 00:00:00.000001'",
    "price = 0.10 OR price < -1",
    '"odd `n.a""me" IS NOT NULL',
]


HELD = {
    "whole": pa.array([None, 0, -1, 3, 2**53, 2**53 + 1, -(2**62)], pa.int64()),
    "size": pa.array([0.0, -0.0, float("nan"), float("inf"), float("-inf"), 1.5, 1.6, 0.1, None], pa.float64()),
    "word": pa.array(["a", "A", "a ", "é", "e\u0301", "", "it's", "back\\slash", "%_", None], pa.string()),
    "flag": pa.array([True, False, None], pa.bool_()),
    "day": pa.array([datetime.date(1890, 1, 1), datetime.date(2020, 2, 29), None], pa.date32()),
    "at": pa.array([datetime.datetime(2020, 7, 1, microsecond=n) for n in range(2)], pa.timestamp("us")),
    "price": pa.array(
        [decimal.Decimal("0.10"), decimal.Decimal("-1.01"), None, decimal.Decimal(5)], pa.decimal128(9, 2)
    ),
    'odd `n.a"me': pa.array([None, "x"], pa.string()),
    "c": pa.array(["yes", "no"], pa.string()),
}


@pytest.mark.nightly
@pytest.mark.slow
def test_conditions_let_the_same_records_through(spark, tmp_path):
    from pyarrow import parquet

    path = str(tmp_path / "held.parquet")
    parquet.write_table(
        pa.table({name: one.take([n % len(one) for n in range(1260)]) for name, one in HELD.items()}), path
    )
    keys = {"class_": "c", "quasi_identifiers": ["whole"]}
    for where in CONDITIONS:
        counts = []
        for engine in (None, spark):
            with Project(source=path, where=where, engine=engine, **keys) as project:
                project.source.engine.frequency_set(list(HELD))
                rows = project.database.rows(frequency_set())
                counts.append(sorted(repr(row).replace("-0.0", "0.0") for row in rows))
        assert counts[0] == counts[1], where
        assert counts[0], where


@pytest.mark.slow
def test_what_was_found_is_of_the_files_as_they_were(spark, adult, tmp_path):
    frame = pd.DataFrame({"a": [1, 2] * 20, "c": ["x", "y"] * 20})
    (tmp_path / "t").mkdir()
    frame.to_parquet(tmp_path / "t" / "1.parquet")
    keys = {"source": tmp_path / "t", "class_": "c", "engine": spark, "models": []}
    with Project(**keys) as project:
        first = project.source.snapshot
    with Project(**keys) as project:
        assert project.source.snapshot == first
    frame.to_parquet(tmp_path / "t" / "2.parquet")
    with Project(**keys) as project:
        assert project.source.snapshot != first


@pytest.mark.slow
def test_a_session_of_the_caller_s_stays_open(spark):
    spark.sql("SELECT 1 AS a, 2 AS c").createOrReplaceTempView("one")
    with Project(source="table:one", class_="c", engine=spark) as project:
        assert project.source.engine.count() == 1
    with Project(source="table:one", class_="c", engine={"kind": "spark"}) as project:
        assert project.source.engine.count() == 1
    assert spark.sql("SELECT 1").collect()[0][0] == 1
    assert opened_session(None) is not None


@pytest.mark.slow
def test_a_table_of_plain_files_is_told_by_its_files(spark):
    """Its catalog says that it is of parquet; neither Iceberg nor Delta is asked."""
    spark.sql("DROP TABLE IF EXISTS plain")
    spark.sql("CREATE TABLE plain (`Provider` STRING, c STRING) USING parquet")
    spark.sql("INSERT INTO plain VALUES ('delta', 'x'), ('iceberg', 'y')")
    with Project(source="table:plain", class_="c", engine=spark, models=[]) as project:
        frame = spark.table("plain")
        assert _provider(spark, "`plain`") == "parquet"
        assert table_version(spark, frame, Place(("plain",))) is None
        first = project.source.snapshot
        assert first is not None
    spark.sql("INSERT INTO plain VALUES ('delta', 'x')")
    with Project(source="table:plain", class_="c", engine=spark, models=[]) as project:
        assert project.source.snapshot != first
    spark.sql("DROP TABLE plain")


@pytest.mark.slow
def test_moments_in_spark_s_older_form_are_the_same_moments(spark, engine, tmp_path):
    """Spark writes INT96 by default, which tells no zone, and reads it as the moment that it was written from."""
    assert spark.conf.get("spark.sql.parquet.outputTimestampType") == "INT96"
    moments = ["2020-07-01 00:00:00.000001", "1969-12-31 23:59:59.999999", "2020-03-08 07:30:00", "1890-01-01 00:00:00"]
    shown = " UNION ALL ".join(f"SELECT timestamp'{one} UTC' AS at, 'x' AS c" for one in moments)
    spark.sql(shown).write.parquet(f"{tmp_path}/old")
    old = pq.ParquetFile(next((tmp_path / "old").glob("*.parquet"))).schema.column(0).physical_type
    assert old == "INT96"
    found = engine.count_by(Relation(Place(path=f"{tmp_path}/old")), ["at"])
    assert found.schema.field("at").type == pa.timestamp("us", tz="UTC")
    assert sorted(str(one)[:26].rstrip("+") for one in found.column(0).to_pylist()) == sorted(
        one if "." in one else f"{one}+00:00"[:26].rstrip("+") for one in moments
    )


@pytest.mark.slow
def test_moments_of_a_release_to_a_table_are_moments_to_others_too(spark, engine):
    target = Place(("moments",))
    engine.drop(target)
    engine.write(None, "SELECT timestamp'2020-07-01 00:00:00 UTC' AS at", {}, target)
    (file,) = [one.removeprefix("file:") for one in spark.table("moments").inputFiles()]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        found = connection.sql(f'SELECT typeof("at"), "at"::VARCHAR FROM \'{file}\'').fetchall()
    assert found == [("TIMESTAMP WITH TIME ZONE", "2020-07-01 00:00:00+00")]
    engine.drop(target)


# -- tables of Delta and Iceberg ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """A folder of Parquet files, partitioned, with the log of a table: what is read of it here is where it is."""
    folder = tmp_path_factory.mktemp("lake") / "a {b} [c] %20"
    for part in ("p=1", "p=x y"):
        (folder / "t" / part).mkdir(parents=True)
        pq.write_table(pa.table({"a": [1, None], "c": ["x", "y"]}), folder / "t" / part / "f.parquet")
    (folder / "t" / "_delta_log").mkdir()
    (folder.parent / "link").symlink_to(folder / "t" / "p=1")
    return folder


class Connected:
    """A session without a machine of Java's, as that of Spark Connect is."""

    def __init__(self, session):
        self.read = session.read


@pytest.mark.slow
def test_files_under_a_log_are_refused(spark, lake):
    literal = str(lake).translate(str.maketrans({one: f"\\{one}" for one in "[]{}"}))
    spark.sql("DROP TABLE IF EXISTS lies")
    shutil.copytree(lake / "t", lake.parent / "t")
    spark.sql(f"CREATE TABLE lies USING parquet LOCATION '{lake.parent}/t/p=1'")
    for source in (
        *(f"{lake}/t", f"{literal}/t/*", literal, f"{lake.parent}/link", f"file://{lake.parent}/t/p=1/f.parquet"),
        *(f"table:parquet.`{lake.parent}/t`", "table:lies"),
    ):
        with (
            pytest.raises(SourceError, match=r"is part of a Delta table, .*/t, whose log says"),
            Project(source=source, class_="c", engine=spark) as project,
        ):
            project.source.engine.count()
    spark.sql("DROP TABLE lies")
    with pytest.raises(SourceError, match="is part of a Delta table"):
        audit(str(lake / "t"), ["a"], engine=spark)
    for session in (spark, Connected(spark)):
        assert _table_above(session, [f"{lake}/t/p=1/f.parquet"]).folder == f"{lake}/t"
        assert _table_above(session, [f"{lake}/u/p=1"]) is None


@pytest.mark.slow
def test_a_folder_with_a_log_is_never_replaced(spark, engine, tmp_path):
    for name in ("t.parquet", "staged"):
        spark.sql("SELECT 1 AS a").write.parquet(f"{tmp_path}/{name}")
    (tmp_path / "t.parquet" / "metadata").mkdir()
    (tmp_path / "t.parquet" / "metadata" / "v1.metadata.json").write_text("{}")
    before = sorted((tmp_path / "t.parquet").rglob("*"))
    with pytest.raises(SourceError, match="in the folder of an Iceberg table"):
        engine.rename(Place(path=f"{tmp_path}/staged"), Place(path=f"{tmp_path}/t.parquet"))
    assert sorted((tmp_path / "t.parquet").rglob("*")) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["delta.`/exports/t`", "Iceberg.`/exports/t`"])
def test_a_connector_that_is_missing_is_named(spark, name):
    with (
        pytest.raises(SourceError, match=r"no connector that reads .*spark\.jars\.packages.*, which is read here"),
        Project(source=f"table:{name}", class_="c", engine=spark) as project,
    ):
        project.source.engine.count()
    with pytest.raises(SourceError, match="is read here"), Project(source="delta:t", class_="c", engine=spark) as one:
        one.source.engine.count()
