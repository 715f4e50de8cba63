"""A source that an engine holds comes to the same rules, measures and k as one that DuckDB reads, by one scan."""

import json
import re

import duckdb
import pandas as pd
import pytest
from duck_engine import DuckEngine
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project
from anonduck.cli.app import run
from anonduck.config.engine import EngineOptions
from anonduck.engines import opened
from anonduck.errors import AnonduckError, ConfigError, DialectError, QueryError, SourceError
from anonduck.init.init import initialize
from anonduck.source import engine as source_engine
from anonduck.statements import Statement

ODD = ['a "b"', "c`d.e f", "Größe", "#records"]
VALUES = {
    'a "b"': st.one_of(st.none(), st.integers(-3, 3)),
    "c`d.e f": st.one_of(st.none(), st.sampled_from(["", "a", "A", "a ", "é", "e\u0301"])),
    "Größe": st.one_of(st.none(), st.sampled_from([0.0, -0.0, float("nan"), 1.5, float("inf")])),
    "#records": st.sampled_from(["yes", "no", None]),
}
TABLES = st.lists(st.tuples(*VALUES.values()), min_size=2, max_size=40)
KEYS = {"class_": "#records", "models": [], "requirement": {"k": 2}}
TYPES = {'a "b"': "BIGINT", "c`d.e f": "VARCHAR", "Größe": "DOUBLE", "#records": "VARCHAR"}


@pytest.fixture
def duck(monkeypatch):
    """The engine that a project of the kind `spark` opens."""
    engine = DuckEngine()
    monkeypatch.setitem(opened.KINDS, "spark", lambda session, master: engine)
    return engine


def hold(engine, rows):
    """Give the engine the table t."""
    columns = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}" {kind}' for name, kind in TYPES.items())
    engine.connection.execute(f"CREATE OR REPLACE TABLE t ({columns})")
    engine.connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)


def outcome(**given_keys):
    """The rules that are found, with all their measures, or why there are none."""
    try:
        with Project(**KEYS, **given_keys) as project:
            found = project.discover()
            return found.rules, found.totals, found.min_k
    except AnonduckError as error:
        return type(error), str(error).replace("table:t", "").replace("(duckdb DuckDBPyRelation)", "")


def held(engine):
    """The settings of a source in the engine."""
    return {"source": "table:t", "engine": {"kind": "spark"}}


@pytest.mark.nightly
@pytest.mark.slow
@given(rows=TABLES)
@examples(30)
def test_rules_and_measures_are_those_of_duckdb(rows):
    engine = DuckEngine(apart='hash(CAST("Größe" AS VARCHAR))')
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(opened.KINDS, "spark", lambda session, master: engine)
        hold(engine, rows)
        expected = outcome(source=engine.connection.table("t"))
        assert outcome(**held(engine)) == expected


def test_what_is_stored_is_listed_without_starting_the_engine(duck, tmp_path, monkeypatch, capsys):
    """An engine takes a minute to start; what the config says otherwise since is told all the same."""
    hold(duck, [(number % 4, "ab"[number % 2], 1.5, ("yes", "no")[number % 4 > 1]) for number in range(40)])
    keys = {
        "source": "table:t",
        "engine": {"kind": "spark"},
        "class": "#records",
        "models": [],
        "requirement": {"k": 2},
    }
    (tmp_path / "anonduck.yml").write_text(json.dumps(keys), encoding="utf-8")
    with Project(tmp_path / "anonduck.yml") as project:
        found = [rule.id for rule in project.discover().rules]
    monkeypatch.setitem(opened.KINDS, "spark", lambda session, master: pytest.fail("the engine was started"))
    with Project(tmp_path / "anonduck.yml") as project:
        assert {*project.frontier(["k", "information_gain"])["id"]} <= {*found}
    for command in ("rules", "frontier"):
        assert run([command, "-p", str(tmp_path)]) == 0
        assert "out of date" not in capsys.readouterr().err
    (tmp_path / "anonduck.yml").write_text(json.dumps(keys | {"seed": 9}), encoding="utf-8")
    assert run(["frontier", "-p", str(tmp_path)]) == 0
    assert "the stored rules are out of date: `seed` changed in the config" in capsys.readouterr().err


def test_minus_zero_is_zero_whichever_an_engine_left(duck):
    hold(duck, [(1, "a", zero, "yes") for zero in (-0.0, 0.0, None, float("-inf"))])
    duck.apart = 'hash(CAST("Größe" AS VARCHAR))'
    with Project(**KEYS, **held(duck)) as project:
        project.source.engine.frequency_set(["Größe"])
        counted = Statement("counted", 'SELECT "Größe@value"::VARCHAR, "#records" FROM frequency_set ORDER BY 1')
        assert project.database.rows(counted) == [("-inf", 1), ("0.0", 2), (None, 1)]


@pytest.mark.slow
def test_discover_scans_once_and_fetches_combinations(duck):
    rows = [(number % 3, "xy"[number % 2], 1.5, ["yes", "no"][number % 2]) for number in range(500)]
    hold(duck, rows)
    with Project(**KEYS, **held(duck)) as project:
        project.discover()
    assert (duck.tally.scans, duck.tally.rows) == (1, 6)
    assert duck.closed


@pytest.mark.slow
def test_the_filter_and_the_types_of_the_config_are_the_engine_s(duck):
    hold(duck, [(number % 3, "12"[number % 2], 1.5, ["yes", "no"][number % 2]) for number in range(60)])
    asked = {"where": '"a ""b""" >= 1', "types": {"c`d.e f": "INTEGER"}}
    with Project(**KEYS, **held(duck), **asked) as project:
        assert project.source.column("c`d.e f").type == "INTEGER"
        assert project.source.engine.count() == 40
        project.discover()
        rows = project.database.rows(counted_set())
    assert sum(row[-1] for row in rows) == 40
    assert {type(row[1]) for row in rows} == {int}


def counted_set():
    from anonduck.statements import Statement

    return Statement("test", "SELECT * FROM frequency_set")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"where": "random() < 0.5"}, ConfigError, "where"),
        ({"where": "agee > 3"}, ConfigError, "agee"),
        ({"where": '"a ""b"""'}, ConfigError, "BIGINT, not true or false"),
        ({"types": {"nope": "BIGINT"}}, ConfigError, "lacks"),
        ({"types": {"Größe": "BIGINT"}}, DialectError, "cast it in a view"),
        ({"types": {"Größe": "NUMBERS"}}, ConfigError, "not a DuckDB type"),
        ({"csv": {"delim": ";"}}, ConfigError, "reads no CSV"),
        ({"source": "table:"}, ConfigError, "not a table's name"),
        ({"source": "people.csv"}, SourceError, "reads no file"),
        ({"source": "s3a://key:secret@bucket/x"}, ConfigError, "password"),
        ({"source": pd.DataFrame({"a": [1]})}, ConfigError, "in no engine"),
        ({"source": None}, ConfigError, "no source"),
    ],
)
def test_what_an_engine_is_not_given_is_refused(duck, changes, kind, words):
    hold(duck, [(1, "x", 1.5, "yes"), (2, "y", 1.5, "no")])
    with Project(**KEYS | held(duck) | changes) as project, pytest.raises(kind, match=words) as caught:
        project.discover()
    assert "secret" not in str(caught.value)
    assert duck.tally.scans == 0


def test_columns_that_differ_in_case_alone_are_refused(duck):
    duck.connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    describe = duck.describe
    duck.describe = lambda relation: describe(relation).append(describe(relation).field(0).with_name("A"))
    with Project(class_="a", **held(duck)) as project, pytest.raises(SourceError, match="two columns named 'A'"):
        project.discover()


def test_a_statement_that_would_read_the_records_here_fails(duck):
    hold(duck, [(1, "x", 1.5, "yes"), (2, "y", 1.5, "no")])
    with Project(**KEYS, **held(duck)) as project:
        assert project.source.columns
        with pytest.raises(QueryError):
            project.database.count("source")


@pytest.mark.slow
def test_every_job_that_writes_no_records_serves_a_source_in_an_engine(duck, tmp_path):
    made = "20 + i % 30 AS age, '0' || (i % 9) AS zip, 'c' || (i % 2) AS c, 'x' || (i % 3) AS ill, i % 7 AS day"
    duck.connection.execute(f"CREATE TABLE t AS SELECT {made} FROM range(240) AS r(i)")
    roles = {"class_": "c", "sensitive": ["ill"], "identifiers": ["day"], "split_by": "day", "models": ["bayes"]}
    outcomes = []
    for source in (held(duck), {"source": duck.connection.table("t")}):
        with Project(**source, **roles, requirement={"k": 3, "l": 2, "suppression": 0.2}) as project:
            taxonomies = project.build_taxonomies()
            found = project.discover()
            rule = project.frontier().iloc[0]["id"]
            advice, identifying = project.advise(), project.identifying_columns()
            dry = project.release(rule, None, dry_run=True)
            project.report(tmp_path / "report.html", overwrite=True)
            outcomes.append((taxonomies, found.rules, advice, identifying, dry.k, dry.rows))
    assert outcomes[0] == outcomes[1]


# -- single questions --------------------------------------------------------------------------------------------------


def test_single_questions_are_answered_by_the_engine(duck):
    hold(duck, [(None, "x", 1.5, "yes"), (2, "x", 1.5, "no"), (2, "y", 1.5, "no")])
    with Project(**KEYS, **held(duck)) as project:
        engine = project.source.engine
        assert (engine.count(), engine.is_empty()) == (3, False)
        assert (engine.nulls('a "b"'), engine.entity_sizes("c`d.e f", None)) == (1, (2, 0, 0))
        engine.values('a "b"')
        assert project.database.rows(values()) == [(2,)]


@pytest.mark.slow
def test_persons_are_counted_by_the_engine_and_bounded_nowhere_else(duck):
    hold(
        duck,
        [(1, "x", 1.5, "yes"), (2, "x", 1.5, "no"), (2, "y", 1.5, "no"), (3, "y", 1.5, "no"), (None, "y", 0.0, "no")],
    )
    who = {"entity": 'a "b"', "quasi_identifiers": ["c`d.e f", "Größe"]}
    wanted = '"a ""b""" IS NOT NULL'
    with Project(**KEYS, **held(duck), **who, where=wanted) as project:
        told = project.release({"Größe": 0}, None, dry_run=True).owner["entity"]
        assert (told["at_most"], told["records"], told["left_out"]) == (2, 3, 0)
        assert project.discover().min_k == 3
    with Project(**KEYS, **held(duck), **who) as project, pytest.raises(SourceError, match="NULL in 1 record of"):
        project.discover()
    bounded = {**who, "entity": {"column": 'a "b"', "at_most": 1}}
    with (
        Project(**KEYS, **held(duck), **bounded, where=wanted) as project,
        pytest.raises(ConfigError, match=r"entity\.at_most: .* holds the source"),
    ):
        project.discover()


def values():
    from anonduck.statements import Statement

    return Statement("test", "SELECT value FROM shipped_values")


def proposed(tmp_path, name, source, **more):
    result = initialize(tmp_path / name, source, "#records", here=tmp_path, **more)
    return result, (tmp_path / name).read_text()


@pytest.mark.slow
def test_init_proposes_the_same_of_a_small_table(duck, tmp_path):
    rows = [(number % 3, f"Street {number}", number / 7, ["yes", "no"][number % 2]) for number in range(300)]
    hold(duck, rows)
    duck.connection.execute(f"COPY t TO '{tmp_path}/t.parquet'")
    here, text = proposed(tmp_path, "here.yml", "t.parquet")
    there, other = proposed(tmp_path, "there.yml", "table:t", engine={"kind": "spark"})
    assert there.columns == here.columns
    # A release in an engine is made by rules, and what these tell of the class is not measured.
    same, _, _ = text.partition("\n# what `run` chooses among")
    other, _, _ = other.partition("\n# once somebody has read this file")
    same = re.sub(r"# it is taken for sensitive: .*\n(?:#.*\n)+", "", same)
    assert other.replace('source: "table:t"\nengine:\n  kind: spark\n', "source: t.parquet\n") == same
    assert duck.tally.rows <= len(rows) + 10


@pytest.mark.slow
def test_init_advises_no_bound_on_the_records_of_persons_that_an_engine_would_refuse(duck, tmp_path):
    hold(duck, [(number % 7, f"Street {number % 5}", number % 60, ["yes", "no"][number % 2]) for number in range(300)])
    duck.connection.execute(f"COPY t TO '{tmp_path}/t.parquet'")
    key = duck.connection.execute("SELECT * FROM t LIMIT 0").description[2][0]
    here, text = proposed(tmp_path, "here.yml", "t.parquet", entity=key)
    there, other = proposed(tmp_path, "there.yml", "table:t", engine={"kind": "spark"}, entity=key)
    assert (here.entity.most, there.entity.most) == (5, 5)
    assert ("at_most: 2}`" in " ".join(here.entity.lines), "at_most: 2" in text) == (True, True)
    assert ("at_most: 2}`" in " ".join(there.entity.lines), "at_most: 2" in other) == (False, False)


@pytest.mark.slow
def test_init_says_that_it_estimates_on_a_large_table(duck, tmp_path, monkeypatch):
    monkeypatch.setattr(source_engine, "MOST_SAMPLED", 100)
    hold(duck, [(number % 3, f"Street {number}", number / 7, ["yes", "no"][number % 2]) for number in range(300)])
    found, text = proposed(tmp_path, "there.yml", "table:t", engine={"kind": "spark"})
    assert all(column["estimated"] for column in found.columns)
    assert "about 3 distinct values (estimated)" in text
    assert "each value is unique" not in text
    assert duck.tally.rows <= 100 + 10


# -- settings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_keys", "words"),
    [
        ({"kind": "sparc"}, "spark"),
        ({"kind": "spark", "master": "spark://me:secret@host:7077"}, "password"),
        ({"master": "local[2]"}, "kind: spark"),
        ({"kind": "spark", "max_cells": 0}, "greater than or equal to 1"),
        ({"kind": "spark", "password": "secret"}, "unknown key engine.password"),
    ],
)
def test_settings_of_an_engine_are_checked(given_keys, words):
    with pytest.raises(ConfigError, match=words) as caught:
        Project(class_="a", source="table:t", engine=given_keys)
    assert "me:secret" not in str(caught.value)


def test_an_engine_may_be_named_for_its_cells_alone():
    assert not EngineOptions(max_cells=100).elsewhere


def test_a_table_of_no_engine_is_refused():
    with Project(class_="a", source="table:t") as project, pytest.raises(ConfigError, match="kind: spark"):
        project.discover()


def test_what_is_no_session_is_refused():
    with pytest.raises(ConfigError, match="give a session of Spark"):
        Project(class_="a", source="table:t", engine=duckdb.connect())
