"""A source in an engine that is searched from a floor: DuckDB's floor, rules and k, and few combinations fetched."""

import datetime
import sys

import pytest
from duck_engine import DuckEngine, name_of
from duck_writer import DuckWriter
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project, audit
from anonduck.engines import opened
from anonduck.errors import AnonduckError, ConfigError, SourceError

DAYS = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), datetime.date(2021, 3, 1), datetime.date(1890, 7, 4)]
COLUMNS = {
    'a "b"': ("BIGINT", st.one_of(st.none(), st.integers(-3, 9))),
    "c`d.e f": ("VARCHAR", st.one_of(st.none(), st.sampled_from(["", "a", "A", "a ", "é", "e\u0301"]))),
    "Größe": ("DOUBLE", st.one_of(st.none(), st.sampled_from([0.0, -0.0, float("nan"), 1.5, float("inf")]))),
    "zip": ("VARCHAR", st.sampled_from(["00501", "00502", "501", "22222"])),
    "born": ("DATE", st.one_of(st.none(), st.sampled_from(DAYS))),
    "ill": ("VARCHAR", st.one_of(st.none(), st.sampled_from(["x", "y", "X"]))),
    "#records": ("VARCHAR", st.sampled_from(["yes", "no", None])),
}
ROWS = st.lists(st.tuples(*(values for _, values in COLUMNS.values())), min_size=6, max_size=50)
TAXONOMIES = {
    'a "b"': {"intervals": 2},
    "c`d.e f": {"clusters": True},
    "Größe": {"clusters": True},
    "zip": {"mask": "right"},
    "born": {"dates": ["month", "year"]},
}
KEYS = {"class_": "#records", "models": [], "taxonomies": TAXONOMIES}


def hold(engine, rows):
    """Give the engine the table t."""
    columns = ", ".join(f"{name_of(name)} {kind}" for name, (kind, _) in COLUMNS.items())
    engine.connection.execute(f"CREATE OR REPLACE TABLE t ({columns})")
    engine.connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' for _ in COLUMNS)})", rows)


def people(number):
    """So many records of t, most of them a combination of their own."""
    words = ["", "a", "A", "a ", "é", None]
    return [
        (
            i * 7 % 90 if i % 17 else None,
            words[i * i % 6],
            [0.0, -0.0, 1.5, None][i % 4],
            ["00501", "00502", "501", "22222"][i * 3 % 7 % 4],
            DAYS[i * 5 % 11 % 4],
            "xyz"[i % 5 % 3],
            "yes" if i % 3 else "no",
        )
        for i in range(number)
    ]


@pytest.fixture
def duck(monkeypatch):
    """The engine that a project of the kind `spark` opens."""
    engine = DuckWriter()
    monkeypatch.setitem(opened.KINDS, "spark", lambda session, master: engine)
    return engine


def there(most):
    """The settings of a source in the engine."""
    return {"source": "table:t", "engine": {"kind": "spark", "max_cells": most}}


def outcome(**given_keys):
    """The floor and the rules that are found, with all their measures, or why there are none."""
    try:
        with Project(**KEYS, **given_keys) as project:
            found = project.discover()
            return found.floor, found.rules, found.totals, found.min_k, found.baseline
    except ConfigError:
        raise
    except AnonduckError as error:
        return type(error), str(error).replace("table:t", "").replace("(duckdb DuckDBPyRelation)", "")


def values(engine):
    """The values of all columns, of each with NULL, for the engine may tell more apart than this."""
    counts = [f"count(DISTINCT {name_of(name)}) + 3" for name in COLUMNS]
    return engine.connection.sql(f"SELECT {' + '.join(counts)} FROM t").fetchall()[0][0]


SENSITIVE = st.sampled_from([{}, {"sensitive": ["ill"], "requirement": {"k": 2, "l": 2, "suppression": 0.2}}])


@pytest.mark.nightly
@pytest.mark.slow
@given(rows=ROWS, most=st.integers(1, 12), more=SENSITIVE, nulls=st.sampled_from(["value", "value", "reject"]))
@examples(20)
def test_floor_rules_and_measures_are_those_of_duckdb(rows, most, more, nulls):
    engine = DuckEngine(apart='hash(CAST("Größe" AS VARCHAR))')
    keys = {"requirement": {"k": 2}, "nulls": nulls} | more
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(opened.KINDS, "spark", lambda session, master: engine)
        hold(engine, rows)
        expected = outcome(source=engine.connection.table("t"), engine={"max_cells": most}, **keys)
        assert outcome(**there(most), **keys) == expected


@pytest.mark.slow
def test_no_more_is_fetched_than_combinations_at_the_floor_values_and_a_sample(duck, monkeypatch):
    monkeypatch.setattr("anonduck.frequency.floors.most_cells", lambda attributes: 50)
    hold(duck, people(1_500))
    with Project(**KEYS, requirement={"k": 3}, **there(200)) as project:
        found = project.discover()
    assert found.floor
    assert duck.tally.scans == 6
    assert duck.tally.rows <= 200 + values(duck) + 50 + 10
    assert duck.connection.sql("SELECT count(*) FROM (SELECT DISTINCT * FROM t)").fetchall()[0][0] > 1_000


@pytest.mark.slow
def test_a_source_that_fits_is_scanned_once(duck):
    hold(duck, people(300))
    with Project(**KEYS, requirement={"k": 3}, **there(10_000)) as project:
        assert project.discover().floor == {}
    assert duck.tally.scans == 1
    with Project(**KEYS, requirement={"k": 3}, **there(sys.maxsize)) as project:
        assert project.discover().floor == {}


@pytest.mark.slow
def test_a_rule_from_a_floor_is_released_and_audited_in_the_engine(duck, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hold(duck, people(900))
    with Project(**KEYS, requirement={"k": 5}, **there(100)) as project:
        found = project.discover()
        assert found.floor
        rule = found.rules[0]
        made = project.release(rule.id, "spark:shown")
    audited = audit("shown", quasi_identifiers=list(rule.levels), engine="spark")
    assert audited.k == made.k == rule.measures.k >= 5
    assert audited.classes == rule.measures.classes


@pytest.mark.slow
def test_a_value_that_came_after_its_column_was_counted_stops_the_count(duck, monkeypatch):
    hold(duck, people(900))
    fetch, asked = duck.fetch, []

    def later(relation, rows, lookups):
        asked.append(rows)
        if len(asked) == 2:
            duck.connection.execute('INSERT INTO t SELECT * REPLACE (-77 AS "a ""b""") FROM t LIMIT 1')
        return fetch(relation, rows, lookups)

    monkeypatch.setattr(duck, "fetch", later)
    with (
        Project(**KEYS, requirement={"k": 3}, **there(100)) as project,
        pytest.raises(Exception, match="after its values"),
    ):
        project.discover()


@pytest.mark.slow
def test_an_engine_that_takes_no_lookups_refuses_more_than_it_may_send(duck):
    hold(duck, people(300))
    duck.writes = False
    with Project(**KEYS, **there(50)) as project, pytest.raises(SourceError, match="than the 50 of"):
        project.discover()
    with Project(**KEYS, source="table:t", engine={"kind": "spark"}) as project:
        assert project.discover().floor == {}


@pytest.mark.slow
def test_a_column_that_holds_only_null_has_no_groups(duck):
    hold(duck, [(number % 4, None, None, "00501", None, None, "yes" if number % 3 else "no") for number in range(60)])
    here = {"source": duck.connection.table("t"), "engine": {"max_cells": 4}}
    expected = outcome(requirement={"k": 2}, **here)
    assert expected[0]
    assert outcome(requirement={"k": 2}, **there(4)) == expected


def test_a_source_without_records_is_refused(duck):
    hold(duck, people(2))
    duck.connection.execute("DELETE FROM t")
    with Project(**KEYS, **there(50)) as project, pytest.raises(SourceError, match="no records"):
        project.discover()
