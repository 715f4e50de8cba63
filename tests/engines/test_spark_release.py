"""Releases that Spark writes have the rows of DuckDB's releases, types and zones among them; so do its audits."""

import math
import uuid
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dealing import dealt
from sql_engines import counted
from tricky import QUERY

from anonduck import Project, audit
from anonduck.engines import spark_frames, spark_writing

DROPPED = ["zip", "big", "precise", "ancient", "seen", "many", "number"]
FEWER = [*DROPPED, "job", "wide", "ratio", "tick", "at", "note"]
CASES = (
    ({"age": 1, "ratio": 0, "size": 0}, [], DROPPED, {"k": 1}),
    ({"age": 2, "size": 0, "job": 2}, ["note", "wide", "at", "price", "tick"], DROPPED, {"k": 3, "suppression": 0.9}),
    ("mondrian", ["at"], [name for name in FEWER if name != "at"], {"k": 5, "suppression": 0.3}),
)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_rows_and_findings_are_those_of_duckdb(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"COPY (SELECT * EXCLUDE (huge, clock) FROM ({QUERY})) TO 't.parquet'")
        for number, (how, insensitive, drop, requirement) in enumerate(CASES):
            keys = {"class_": "class", "models": [], "insensitive": insensitive, "requirement": requirement}
            keys["drop"] = [name for name in drop if name not in insensitive]
            here, there = f"here{number}.parquet", f"there{number}.parquet/"
            expected, found = (made(how, None, here, keys), made(how, spark, there, keys))
            assert (found.rows, found.k, found.suppressed) == (expected.rows, expected.k, expected.suppressed)
            assert found.dictionary["columns"] == expected.dictionary["columns"]
            assert held(connection, f"{there}*.parquet") == held(connection, here)
            asked = {"class_": "class", "insensitive": insensitive}
            audits = audit(here, **asked).as_json(), audit(there, engine=spark, **asked).as_json()
            local = {name: audits[0][name] for name in audits[0].keys() - {"direct_identifiers", "receipt_beside"}}
            assert local | {"file": ""} == audits[1] | {"file": ""}  # those two are looked for in local files alone
    assert not [file for file in tmp_path.iterdir() if "anonduck" in file.name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lone", "k", "kind", "ansi"),
    [
        (-0.0, 1, pa.float32(), "true"),
        (-0.0, 1, pa.float64(), "false"),
        (0.0, 21, pa.float32(), "false"),
        (0.0, 21, pa.float64(), "true"),
    ],
    ids=str,
)
def test_an_audit_tells_a_lone_minus_zero_from_the_zeros(spark, tmp_path, kind, lone, k, ansi):
    """Each two of zero, type and setting come together once."""
    sizes = pa.array([0.0] * 20 + [lone] + [1.5, math.nan] * 21, kind)
    table = pa.table({"a`.b": sizes, "b": pa.array([1] * 63), "c": pa.array([1.0] * 63)})
    pq.write_table(table, tmp_path / "zeros.parquet")
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        assert audit(str(tmp_path / "zeros.parquet"), engine=spark).k == k
        kept = audit(str(tmp_path / "zeros.parquet"), ["b"], insensitive=["a`.b", "c"], rare_under=2, engine=spark).kept
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")
    assert kept.rare == {"a`.b": int(k == 1), "c": 0}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_what_columns_carry_beside_their_values_is_not_written(spark, tmp_path, monkeypatch):
    """An indexer of MLlib lists all values there; a field of a structure may carry something too."""
    from pyspark.sql import functions

    monkeypatch.chdir(tmp_path)
    hidden = {"ml_attr": {"type": "nominal", "vals": ["flu", "HIV-MrSmith"]}}
    inner = functions.struct(functions.lit(1).alias("a", metadata=hidden))
    note = functions.when(functions.col("id") == 0, "HIV-MrSmith").otherwise("flu").alias("note", metadata=hidden)
    columns = [(functions.col("id") % 7).alias("job"), (functions.col("id") % 2).alias("class"), inner.alias("inner")]
    spark.range(50).where("id <> 42").select(note, *columns).write.parquet(str(tmp_path / "source.parquet"))
    keys = {"class_": "class", "insensitive": ["inner"], "models": [], "requirement": {"k": 3, "suppression": 0.1}}
    with Project(source=str(tmp_path / "source.parquet"), engine=spark, **keys) as project:
        project.release({"note": 0, "job": 0}, f"{tmp_path}/out.parquet/")
    written = [file.read_bytes() for file in (tmp_path / "out.parquet").glob("*.parquet")]
    assert written
    assert not any(b"HIV-MrSmith" in one for one in written)


def made(how, engine, target, keys):
    """A release by a rule or by the method of a name."""
    with Project(source="t.parquet", engine=engine, **keys) as project:
        return project.anonymize(how, target) if isinstance(how, str) else project.release(how, target)


def held(connection, files):
    """The columns of Parquet files with their types, and their rows, each as often as it is there."""
    kinds = connection.execute(f"SELECT column_name, column_type FROM (DESCRIBE FROM '{files}')").fetchall()
    rows = connection.execute(f"SELECT COLUMNS(*)::VARCHAR FROM '{files}'").fetchall()
    return kinds, counted(rows, ["VARCHAR"] * len(kinds))


@pytest.fixture
def parts(spark, tmp_path, monkeypatch):
    """A session that keeps small partitions apart and writes small parts; releases go to an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(spark_writing, "PART_ROWS", 75)
    settings = {"spark.sql.adaptive.coalescePartitions.enabled": "false", "spark.sql.shuffle.partitions": "4"}
    before = {name: spark.conf.get(name) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("notes", "small"),
    [([], spark_frames.SMALL), ([], 0), ([None, "b", "a"], spark_frames.SMALL)],
    ids=["nothing kept", "nothing kept and too many groups to send", "a kept column"],
)
def test_files_read_by_their_names_are_in_the_order_of_a_release(parts, monkeypatch, notes, small):
    monkeypatch.setattr(spark_frames, "SMALL", small)
    ages = [age % 60 for age in range(300)]
    held = {"note": [notes[number % 3] for number in range(300)]} if notes else {}
    pq.write_table(pa.table(held | {"age": ages, "class": ["n", "y"] * 150}), "t.parquet")
    keys = {"class_": "class", "insensitive": list(held), "models": [], "requirement": {"k": 1}}
    made({"age": 0}, parts, "out.parquet/", keys)
    rows = list(zip(*pq.read_table("t.parquet").to_pydict().values(), strict=True))
    files = [pq.read_table(file).to_pydict().values() for file in sorted(Path("out.parquet").glob("*.parquet"))]
    assert len(files) == 4
    assert [row for columns in files for row in zip(*columns, strict=True)] == dealt(rows)
    assert audit("out.parquet", ["age"], row_order=True).row_order.dealt


@pytest.mark.some(0, 1)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("notes", [1, 2000], ids=["equal rows", "rows that differ"])
def test_no_task_gets_all_rows_of_a_release_with_kept_columns(parts, notes):
    """A task gets a quarter of a shuffle, of 2,000 rows, or of 4,000 where two things are counted of each."""
    rows = parts.range(0, 2000, 1, 8).selectExpr("1 AS age", f"id % {notes} AS note", "id = 0 AS class")
    rows.createOrReplaceTempView("alike")
    read = moved("alike", parts, ["note"])
    assert sum(map(sum, read)) >= 2 * 2000
    assert max(map(max, read)) < 1500


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_equal_rows_are_moved_once_a_bucket(parts):
    """Two groups in 64 buckets, and what both counts of them move; 2,000 rows are not."""
    parts.range(0, 2000, 1, 8).selectExpr("1 AS age", "id % 9 = 0 AS class").createOrReplaceTempView("repeated")
    assert 2 * 64 <= sum(map(sum, moved("repeated", parts, []))) < 300


def moved(view, session, kept):
    """How many rows each task of each stage got of a shuffle, for a release of 2,000 rows."""
    keys = {"class_": "class", "insensitive": kept, "models": [], "requirement": {"k": 1}}
    with Project(source=f"table:{view}", engine=session, **keys) as one:
        one.build_taxonomies()
        before = next_stage(session)
        assert one.release({"age": 0}, "out.parquet/").rows == 2000
    return [rows_read(session, stage) for stage in range(before + 1, next_stage(session))]


def next_stage(session):
    """A number that the stages of later jobs exceed, and those of earlier ones do not."""
    context, group = session.sparkContext, uuid.uuid4().hex
    context.setJobGroup(group, "a mark")
    session.range(1).collect()
    context.setLocalProperty("spark.jobGroup.id", None)
    tracker = context.statusTracker()
    return max(stage for job in tracker.getJobIdsForGroup(group) for stage in tracker.getJobInfo(job).stageIds)


def rows_read(session, stage):
    """How many rows each task of a stage got of a shuffle; 0 for a stage that was skipped."""
    tasks = session.sparkContext._jsc.sc().statusStore().taskList(stage, 0, 1000)
    metrics = [tasks.apply(place).taskMetrics() for place in range(tasks.size())]
    return [one.get().shuffleReadMetrics().recordsRead() for one in metrics if one.isDefined()] or [0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_release_reads_the_source_at_most_twice(spark, tmp_path, monkeypatch):
    """Once to count, once to write, though Spark sorts; each record that is read adds one."""
    from pyspark.sql import functions
    from pyspark.sql.types import BooleanType

    monkeypatch.chdir(tmp_path)
    records, read = 2_000, spark.sparkContext.accumulator(0)

    def passed(_):
        read.add(1)
        return True

    rows = spark.range(0, records, 1, 8).selectExpr("id % 7 AS age", "id % 50 AS note", "id % 2 = 0 AS class")
    rows.where(functions.udf(passed, BooleanType(), useArrow=False)("age")).createOrReplaceTempView("counted")
    keys = {"class_": "class", "insensitive": ["note"], "models": [], "requirement": {"k": 2}}
    with Project(source="table:counted", engine=spark, **keys) as one:
        one.build_taxonomies()
        before = read.value
        made = one.release({"age": 0}, "out.parquet/")
    assert made.rows == records
    assert read.value - before == 2 * records
