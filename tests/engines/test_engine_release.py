"""A release that an engine writes has the rows of DuckDB's release, and nothing of one that fails is left."""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlglot
from dealing import dealt
from duck_writer import DuckWriter
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project, audit
from anonduck.database.connection import Database
from anonduck.engines import opened
from anonduck.engines.group_sizes import sizes_apart, sizes_of
from anonduck.engines.protocol import RECORDS
from anonduck.engines.relation import Place, Relation
from anonduck.errors import AnonduckError, AuditError, ConfigError, ReleaseError, RequirementNotMet
from anonduck.privacy.audited_engine import CountedTable, Counts
from anonduck.release.engine_target import engine_target, is_in_engine
from anonduck.statements import Statement

ODD = 'a "b"'
COLUMNS = {
    ODD: ("BIGINT", st.one_of(st.none(), st.integers(0, 5))),
    "c`d.e f": ("VARCHAR", st.one_of(st.none(), st.sampled_from(["", "a", "A", "a ", "it's"]))),
    "size": ("DOUBLE", st.one_of(st.none(), st.sampled_from([0.0, -0.0, float("nan"), 1.5, float("inf")]))),
    "class": ("VARCHAR", st.sampled_from(["yes", "no", None])),
    "#records": ("DOUBLE", st.one_of(st.none(), st.sampled_from([0.0, -0.0, 2.5]))),
    "zip": ("VARCHAR", st.sampled_from(["1", "2"])),
}
ROWS = st.lists(st.tuples(*(values for _, values in COLUMNS.values())), min_size=4, max_size=40)
RULES = st.sampled_from([{ODD: 0}, {ODD: 1, "size": 0}, {"c`d.e f": 0, "size": 1}, {ODD: 1, "c`d.e f": 1}])


def hold(engine, rows):
    """Give the engine the table t."""
    columns = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}" {kind}' for name, (kind, _) in COLUMNS.items())
    engine.connection.execute(f"CREATE OR REPLACE TABLE t ({columns})")
    engine.connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)


def settings(kept):
    return {"class_": "class", "models": [], "insensitive": ["#records"] if kept else [], "drop": ["zip"]} | (
        {} if kept else {"identifiers": ["#records"]}
    )


def counted(rows):
    """Rows as texts, minus zero apart from zero."""
    return Counter(tuple(map(repr, row.values())) for row in rows)


def written(make, project, target, read):
    """The rows of a release, its receipt and dictionary, or why there is none."""
    try:
        made = make(project, target)
    except AnonduckError as error:
        return type(error), str(error).replace(str(target), "")
    told = {name: made.receipt[name] for name in ("rows", "classes", "k", "suppressed", "requirements", "columns")}
    return counted(read()), told, made.dictionary["columns"]


def both(make, engine, folder, **keys):
    """What a release comes to as DuckDB writes it, and as the engine does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(opened.KINDS, "spark", lambda session, master: engine)
        patch.chdir(folder)
        for file in folder.iterdir():
            file.unlink()
        with Project(source=engine.connection.table("t"), **keys) as project:
            here = folder / "here.parquet"
            expected = written(make, project, here, lambda: pq.read_table(here).to_pylist())
        with Project(source="table:t", engine={"kind": "spark"}, **keys) as project:
            found = written(
                make, project, "spark:there", lambda: engine.connection.table("there").to_arrow_table().to_pylist()
            )
    return expected, found


@pytest.mark.slow
@given(rows=ROWS, rule=RULES, kept=st.booleans(), k=st.integers(1, 3), suppression=st.sampled_from([0.0, 0.5, 0.9]))
@examples(60)
def test_the_release_of_a_rule_is_that_of_duckdb(tmp_path_factory, rows, rule, kept, k, suppression):
    engine = DuckWriter(apart="random() < 0.5")
    hold(engine, rows)
    keys = settings(kept) | {"requirement": {"k": k, "suppression": suppression}}
    expected, found = both(
        lambda project, target: project.release(rule, target), engine, tmp_path_factory.mktemp("r"), **keys
    )
    assert found == expected
    assert engine.tables() <= {"t", "there"}


@pytest.mark.nightly
@pytest.mark.slow
@given(
    rows=ROWS,
    method=st.sampled_from(["mondrian", "tds", "datafly"]),
    kept=st.booleans(),
    suppression=st.sampled_from([0.0, 0.5]),
)
@examples(30)
def test_the_release_of_a_method_is_that_of_duckdb(tmp_path_factory, rows, method, kept, suppression):
    engine = DuckWriter()
    hold(engine, rows)
    keys = settings(kept) | {"requirement": {"k": 2, "suppression": suppression}}
    expected, found = both(
        lambda project, target: project.anonymize(method, target), engine, tmp_path_factory.mktemp("m"), **keys
    )
    assert found == expected


# -- one table ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def duck(monkeypatch, tmp_path):
    """An engine with a table of 240 records."""
    engine = DuckWriter()
    hold(engine, [(i % 6, ["a", "b", None][i % 3], 1.5, ["yes", "no"][i % 2], i % 4, "1") for i in range(240)])
    monkeypatch.setitem(opened.KINDS, "spark", lambda session, master: engine)
    monkeypatch.chdir(tmp_path)
    return engine


def opened_project(**changes):
    keys = {"requirement": {"k": 3}} | settings(kept=True) | changes
    return Project(source="table:t", engine={"kind": "spark"}, **keys)


RULE = {ODD: 0, "c`d.e f": 0}


@pytest.mark.nightly
@pytest.mark.slow
def test_a_candidate_of_the_offer_is_released_and_locked_as_in_duckdb(duck, tmp_path):
    def release(project, target):
        project.discover()
        made = project.release("M1", target)
        project.lock("M1")
        assert project.run(target, if_exists="overwrite", locked=True).release.k == made.k
        return made

    keys = {"methods": ["rules", "mondrian"], "holdout": 0, "requirement": {"k": 3}}
    expected, found = both(release, duck, tmp_path, **(settings(kept=False) | keys))
    assert found == expected
    assert sum(found[0].values()) == 240


@pytest.mark.slow
def test_documents_stand_here_and_tell_what_the_digest_is_of(duck, tmp_path):
    with opened_project() as project:
        made = project.release(RULE, "spark:main.there")
    told = json.loads((tmp_path / "main.there.receipt.json").read_text(encoding="utf-8"))
    assert (made.target, told["file"], made.rows) == ("spark:main.there", "spark:main.there", 240)
    assert "with their numbers of records" in told["sha256_of"]
    assert "#records not among them" in told["sha256_of"]
    assert told["versions"]["engine"] == "a duck"
    assert (tmp_path / "main.there.dictionary.md").is_file()
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


@pytest.mark.slow
def test_the_digest_is_of_the_rows_and_not_of_their_order(duck, tmp_path):
    with opened_project() as project:
        first = project.release(RULE, "spark:one").receipt["sha256"]
        duck.connection.execute("CREATE OR REPLACE TABLE t AS FROM t ORDER BY random()")
        assert project.release(RULE, "spark:two").receipt["sha256"] == first
        duck.connection.execute('INSERT INTO t FROM t WHERE size = 1.5 AND "#records" = 3')
    with opened_project() as project:
        assert project.release(RULE, "spark:three").receipt["sha256"] != first


@examples(15)
@given(st.lists(st.tuples(*[st.sampled_from((None, 1, 2))] * 4), min_size=2, max_size=20))
def test_sizes_of_counted_rows_are_those_of_the_rows(rows):
    """As DuckDB counts the rows themselves, and by Spark's text too; a combination may be counted in two parts."""
    names = ["a", "b", "#records", "who"]
    table = pa.table({name: pa.array([row[place] for row in rows], pa.int64()) for place, name in enumerate(names)})
    parts = [(*row, count) for half in (rows[::2], rows[1::2]) for row, count in Counter(half).items()]
    held = pa.Table.from_arrays(
        [pa.array(column, pa.int64()) for column in zip(*parts, strict=True)], [*names, RECORDS]
    )
    database = Database()
    with database.registered("every", table):
        counts = Counts(names, held)
        for kept, others, entity in ((["a"], [], None), (["#records", "a"], ["b"], None), (["b"], ["a"], "who")):
            expected = database.rows(sizes_of("every", kept, others, entity))
            (apart,) = sqlglot.transpile(sizes_apart("every", kept, others, entity, "spark"), "spark", "duckdb")
            for found in (counts.sizes(database, kept, others, entity), database.rows(Statement("spark", apart))):
                assert sorted(found, key=str) == sorted(expected, key=str)


def test_what_was_not_counted_is_asked_of_the_written_rows():
    duck, there, database = DuckWriter(), Relation(Place(("t",))), Database()
    duck.connection.execute("CREATE TABLE t AS FROM (VALUES (1, 'x', 7), (1, 'y', 7), (2, 'y', 8)) AS t(a, note, who)")
    audited = CountedTable(database, duck, there, Counts(["a"], duck.count_by(there, ["a"])))
    scans = duck.tally.scans
    assert audited.kept(["a"], [], None).columns["a"].held_by_fewer(2) == 1
    assert duck.tally.scans == scans
    assert audited.kept(["note"], ["a"], None).columns["note"].held_by_fewer(2) == 1
    assert audited.kept(["a"], [], "who").columns["a"].held_by_fewer(2) == 3
    assert duck.tally.scans == scans + 2


@pytest.mark.slow
def test_rows_are_written_in_the_order_of_a_release(duck):
    with opened_project() as project:
        project.release(RULE, "spark:there")
        project.release({ODD: 1}, "spark:ranges")
    for table in ("there", "ranges"):
        rows = duck.connection.execute(f"FROM {table}").fetchall()
        assert rows == dealt(rows)


@pytest.mark.slow
def test_what_is_fetched_are_combinations(duck):
    with opened_project() as project:
        project.release(RULE, "spark:there")
    assert duck.tally.rows < 100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failing", "error", "target"),
    [
        ("write", KeyboardInterrupt, "spark:there"),
        ("write", MemoryError, "there.parquet/"),
        ("audit", KeyboardInterrupt, "there.parquet/"),
        ("audit", MemoryError, "spark:there"),
        ("rename", KeyboardInterrupt, "spark:there"),
        ("rename", MemoryError, "there.parquet/"),
    ],
)
def test_nothing_of_a_release_that_fails_is_left(duck, tmp_path, failing, error, target):
    """Each step fails by either error and at either target."""
    with opened_project() as project:
        project.release(RULE, target)
    before = state(duck, tmp_path)
    duck.failing, duck.error = failing, error
    with opened_project(requirement={"k": 2}) as project, pytest.raises(error):
        project.release({ODD: 1}, target, overwrite=True)
    assert state(duck, tmp_path) == before


def state(duck, folder):
    files = {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    return files, {name: duck.connection.table(name).fetchall() for name in duck.tables()}


@pytest.mark.slow
def test_what_a_killed_release_left_is_replaced(duck):
    duck.connection.execute("CREATE TABLE there__anonduck_unfinished AS SELECT 1 AS a")
    with opened_project() as project:
        project.release(RULE, "spark:there")
    assert duck.tables() == {"t", "there"}


@pytest.mark.slow
def test_an_audit_that_finds_less_than_is_required_leaves_nothing(duck, monkeypatch):
    count_by = duck.count_by

    def lost(relation, columns):
        table = count_by(relation, columns)
        return table.slice(1) if "unfinished" in str(relation) else table

    monkeypatch.setattr(duck, "count_by", lost)
    with opened_project() as project, pytest.raises(ReleaseError, match="records were read and"):
        project.release(RULE, "spark:there")
    assert duck.tables() == {"t"}


@pytest.mark.slow
def test_a_source_that_changed_since_it_was_counted_stops_the_release(duck, monkeypatch):
    write = duck.write

    def changed(*given_arguments):
        duck.connection.execute(f'UPDATE t SET "{ODD.replace(chr(34), chr(34) * 2)}" = 99')
        write(*given_arguments)

    monkeypatch.setattr(duck, "write", changed)
    with opened_project() as project, pytest.raises(Exception, match="that the release was not made of"):
        project.release({ODD: 1}, "spark:there")
    assert duck.tables() == {"t"}


@pytest.mark.slow
def test_a_requirement_that_is_missed_writes_nothing(duck):
    with opened_project() as project, pytest.raises(RequirementNotMet):
        project.release(RULE, "spark:there", requirement={"k": 41})
    assert duck.tables() == {"t"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("spark:t", "is the source itself"),
        ("spark:memory.main.T", "is the source itself"),
        ("postgres:there", "is not of the engine that reads the source"),
        ("spark:a.b.c.d", "is not a table's name"),
        ("spark:old", "exists"),
        ("out.parquet", "keeps '#records' as they are"),
    ],
)
def test_targets_that_cannot_be_written_are_refused(duck, target, words):
    duck.connection.execute("CREATE TABLE old AS SELECT 1 AS a")
    with opened_project() as project, pytest.raises(ReleaseError, match=words) as caught:
        project.release(RULE, target)
    assert caught.value.exit_code == 2
    assert duck.tables() == {"t", "old"}


@pytest.mark.slow
@pytest.mark.parametrize("make", [lambda p, t: p.run(t), lambda p, t: p.release(RULE, t)])
def test_kept_columns_that_the_engine_cannot_order_are_refused_before_it_is_asked_for_more(duck, make):
    duck.unsortable = ("#records", "size")
    with (
        opened_project() as project,
        pytest.raises(ReleaseError, match="keep '#records', whose values a duck") as caught,
    ):
        make(project, "spark:there")
    assert caught.value.exit_code == 2
    assert duck.tally.scans == 0
    with opened_project(**settings(kept=False)) as project:
        assert project.release(RULE, "spark:there").rows == 240


@pytest.mark.slow
def test_recodings_that_need_their_file_are_refused_by_name(duck):
    with opened_project() as project, pytest.raises(ReleaseError, match="probabilistic is proven from its file"):
        project.anonymize("probabilistic", "spark:there")
    with opened_project(**settings(kept=False)) as project, pytest.raises(ReleaseError, match="nsvdist is proven from"):
        project.anonymize("nsvdist", "there.parquet/")
    assert duck.tally.scans == 0
    with opened_project() as project, pytest.raises(ReleaseError, match="need the key of each record"):
        project.release(None, "spark:there", classes="classes.csv")


def test_a_source_of_duckdb_has_no_engine_to_write_with(duck):
    keys = settings(kept=True)
    with (
        Project(source=duck.connection.table("t"), **keys) as project,
        pytest.raises(ReleaseError, match="this source is read by DuckDB"),
    ):
        project.release(RULE, "spark:there")


@pytest.mark.slow
def test_the_receipt_of_another_release_is_not_replaced(duck, tmp_path):
    with opened_project() as project:
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()
        project.release(RULE, "a/there.parquet/")
        with pytest.raises(ReleaseError, match="is the receipt of another release"):
            project.release(RULE, "b/there.parquet/", overwrite=True)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["here.parquet", "here.csv", "here.duckdb::there"])
def test_grouped_rows_of_an_engine_are_written_here(duck, target):
    keys = settings(kept=False) | {"requirement": {"k": 3}}
    with Project(source="table:t", engine={"kind": "spark"}, **keys) as project:
        made = project.release(RULE, target)
        again = project.release(RULE, "spark:there")
    assert (made.rows, made.k) == (again.rows, again.k) == (240, made.k)
    assert audit(target, class_="class").k == made.k


@pytest.mark.slow
def test_run_releases_into_the_engine(duck, tmp_path):
    with opened_project(select="k") as project:
        done = project.run("spark:there")
    assert len(duck.connection.table("there").fetchall()) == 240
    assert done.release.target == "spark:there"
    assert Path(done.report).parent == tmp_path


# -- targets and audits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("spark:a.b.c", Place(("a", "b", "c"))),
        ("spark:`odd.name`", Place(("odd.name",))),
        ("s3a://bucket/out.parquet/", Place(path="s3a://bucket/out.parquet")),
        ("file:///x/out.parquet", Place(path="file:///x/out.parquet")),
        ("out.parquet/", Place(path="/home/out.parquet")),
    ],
)
def test_targets_of_engines_are_read(text, place):
    target = engine_target(text, Path("/home"), Path("/config"))
    assert target.place == place
    assert target.receipt.parent == Path("/config")
    assert target.staging != place


@pytest.mark.parametrize("text", ["out.parquet", "a/out.csv", "x.duckdb::t", "C:/out.parquet", "x.duckdb::spark:t"])
def test_files_of_this_machine_are_no_targets_of_engines(text):
    assert not is_in_engine(text)


AUDITS = (
    {},
    {"class_": "class", "requirements": {"k": 3}},
    {"sensitive": ["class"], "requirements": {"l": 2, "t": 0.5}},
    {"sensitive": ["class"], "entity": "#records"},
    {"entity": "#records", "insensitive": ["size"]},
    {"quasi_identifiers": [ODD], "sensitive": ["class", "size"], "insensitive": ["c`d.e f", "zip", "#records"]},
)


@pytest.mark.slow
@given(rows=ROWS, options=st.sampled_from(AUDITS))
@examples(40)
def test_findings_are_those_of_the_same_rows_in_duckdb(rows, options):
    engine = DuckWriter(apart="random() < 0.5")
    hold(engine, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(opened.KINDS, "spark", lambda session, master: engine)
        found = audit("t", engine="spark", **options).as_json()
    assert found.pop("file") == "t"
    expected = audit(engine.connection.table("t").to_arrow_table(), **options).as_json()
    expected.pop("file")
    assert found == _countable(expected)


def _countable(found):
    """The audit of a file without the direct identifiers in its texts, which no engine counts."""
    return {name: value for name, value in found.items() if name != "direct_identifiers"}


LONE = (("no", [0.0] * 20 + [-0.0], 1), ("no", [0.0] * 21, 21), ("yes", [-0.0] * 21, 21))


@pytest.mark.slow
@pytest.mark.parametrize(("kept", "sizes", "k"), LONE)
def test_a_lone_minus_zero_is_told_from_the_zeros(duck, kept, sizes, k):
    hold(duck, [(1, "a", size, kept, size, None) for size in sizes])
    before = duck.tally.scans
    found = audit("t", engine="spark", class_="class", insensitive=["#records"], rare_under=2)
    assert (found.k, found.kept.rare) == (k, {"class": 0, "#records": int(k == 1)})
    assert duck.tally.scans - before == 3


@pytest.mark.slow
def test_a_column_with_both_zeros_is_compared_by_the_numbers_of_a_file(duck, tmp_path):
    rows = [(i % 2, "a", [0.0, -0.0, 1e22, 1e10, float("-inf"), None][i % 6], "yes", None, "1") for i in range(48)]
    hold(duck, rows)
    duck.connection.execute(f"COPY t TO '{tmp_path}/t.parquet'")
    options = {"class_": "class", "against": tmp_path / "t.parquet", "population": tmp_path / "t.parquet"}
    found = audit("t", engine="spark", **options).as_json()
    assert found | {"file": ""} == _countable(audit(tmp_path / "t.parquet", **options).as_json() | {"file": ""})


@pytest.mark.slow
def test_earlier_releases_and_populations_are_compared(duck, tmp_path):
    duck.connection.execute(f"COPY t TO '{tmp_path}/t.parquet'")
    for options in ({"against": tmp_path / "t.parquet"}, {"population": tmp_path / "t.parquet"}):
        found = audit("t", engine="spark", class_="class", **options).as_json()
        expected = audit(tmp_path / "t.parquet", class_="class", **options).as_json() | {"file": ""}
        assert found | {"file": ""} == _countable(expected)


@pytest.mark.parametrize(("target", "words"), [("a.b.c.d", "neither a table's name nor a path"), (7, "by its name")])
def test_what_an_engine_cannot_audit_is_refused(duck, target, words):
    with pytest.raises(AuditError, match=words):
        audit(target, engine="spark")


def test_a_run_is_skipped_where_the_engine_says_that_nothing_changed(tmp_path, monkeypatch):
    """By the version of the source, and by what stands at the target, which the engine counts once more."""
    engine, version = DuckWriter(), ["one"]
    hold(engine, [(number % 3, "a", 1.5, ("yes", "no")[number // 3 % 2], 1.0, "1") for number in range(60)])
    monkeypatch.setattr(engine, "snapshot", lambda relation: version[0])
    monkeypatch.setitem(opened.KINDS, "spark", lambda session, master: engine)
    monkeypatch.chdir(tmp_path)
    keys = settings(kept=False) | {"source": "table:t", "engine": {"kind": "spark"}, "requirement": {"k": 2}}
    keys |= {"select": "information_gain"}
    with Project(database="a.duckdb", **keys) as one:
        asked = {"if_exists": "skip", "report": False}
        assert not one.run("spark:released", **asked).release.skipped
        again = one.run("spark:released", **asked)
        assert again.release.skipped
        assert again.release.k >= 2
        version[0] = "two"
    with Project(database="a.duckdb", **keys) as one:
        with pytest.raises(ReleaseError, match="the records are others"):
            one.run("spark:released", **asked)
        version[0] = "one"
    with Project(database="a.duckdb", **keys) as one:
        engine.connection.execute("DELETE FROM released WHERE class = 'yes'")
        with pytest.raises(ReleaseError, match=r"it is not the file that released\.receipt\.json describes"):
            one.run("spark:released", **asked)
        version[0] = None
    with (
        Project(database="a.duckdb", **keys) as one,
        pytest.raises(ConfigError, match="an engine that keeps no versions"),
    ):
        one.run("spark:released", **asked)


def test_a_table_of_an_engine_is_audited_by_the_name_that_a_release_prints(tmp_path, monkeypatch):
    engine = DuckWriter()
    hold(engine, [(1, "a", 1.5, "yes", 1.0, "1")] * 7)
    monkeypatch.setitem(opened.KINDS, "spark", lambda session, master: engine)
    assert audit("spark:t").k == 7


@pytest.mark.parametrize(("target", "title"), [("bigquery:a.b", "BigQuery"), ("snowflake:a.b", "Snowflake")])
def test_what_is_read_alone_is_refused_before_credentials_are_asked_for(tmp_path, monkeypatch, target, title):
    monkeypatch.setitem(opened.KINDS, target.partition(":")[0], lambda session, master: pytest.fail("it was opened"))
    keys = settings(kept=False) | {"source": "table:a.t", "engine": {"kind": target.partition(":")[0]}}
    monkeypatch.chdir(tmp_path)
    words = f"anonduck reads {title} and does not write there; release to FILE.parquet"
    with Project(**keys) as one, pytest.raises(ReleaseError, match=words):
        one.release({ODD: 0}, target)
    assert list(tmp_path.iterdir()) == []
