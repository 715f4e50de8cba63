"""Texts of releases on the engines that they are written for: the rows are those of DuckDB's release, or a refusal."""

import contextlib
import json

import duckdb
import pandas as pd
import pytest
from sql_engines import ENGINES, Table, counted, fetched, running
from tricky import LISTED_RULES, QUERY, RULES, projects

from anonduck import Project
from anonduck.errors import DialectError
from anonduck.release.scripts.gates import MISSED, passing_rows
from anonduck.statements.dialects import dialect_named

REFUSED = {
    "duckdb": {},
    "postgres": {},
    "spark": {"clock": "times of day"},
}
"""The columns whose values a dialect refuses to compare, with words of the reason."""


@pytest.fixture(scope="module")
def tricky(tmp_path_factory):
    """A connection that has the table, and each rule with its project and its SELECT over the table."""
    ranges, lists = projects(tmp_path_factory.mktemp("tricky"))
    with ranges, lists, duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE TABLE tricky AS {QUERY}")
        asked = [(ranges, rule) for rule in RULES] + [(lists, rule) for rule in LISTED_RULES]
        yield connection, [(project, rule, project.sql(rule, table="tricky")) for project, rule in asked]


def differing(connection, engine, text, expected):
    """How many rows of a text differ from those of DuckDB's text."""
    kinds, rows = fetched(connection, expected.rstrip().rstrip(";"))
    released, found = counted(rows, kinds.values()), counted(engine.rows(text), kinds.values())
    return (released - found).total() + (found - released).total()


def outcome(connection, engine, asked):
    """How many rows of a release differ on an engine, or why there is none."""
    project, rule, expected = asked
    try:
        text = project.sql(rule, dialect=engine.dialect, table="tricky")
    except DialectError as error:
        return str(error)
    return differing(connection, engine, text, expected)


def is_refused(dialect, rule, found):
    return any(words in str(found) for column, words in REFUSED[dialect].items() if column in rule)


@pytest.mark.some(0, 5)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dialect", ENGINES)
def test_rules_give_the_rows_of_the_release(tricky, dialect):
    connection, asked = tricky
    with running(dialect) as engine:
        engine.load("tricky", Table(connection, "tricky"))
        found = [(one[1], outcome(connection, engine, one)) for one in asked]
        stops_at_what_it_does_not_know(engine)
        persons_stay_as_many(engine)
        stops_where_a_class_is_too_small(engine)
    refused = [rule for rule, given in found if isinstance(given, str)]
    assert [(rule, given) for rule, given in found if given and not is_refused(dialect, rule, given)] == []
    assert len(found) - len(refused) >= 25
    assert {one for rule in refused for one in rule if one in REFUSED[dialect]} == set(REFUSED[dialect])


def test_texts_keep_persons_apart_and_stop_at_unknown_values():
    with running("duckdb") as engine:
        stops_at_what_it_does_not_know(engine)
        persons_stay_as_many(engine)
        stops_where_a_class_is_too_small(engine)


def stops_where_a_class_is_too_small(engine):
    """The published model of SQLMesh: all rows where k and l are met, NULL being a class and a value, and else none."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE staged AS FROM (VALUES (1, 'x'), (1, 'y'), (NULL, 'x'), (NULL, NULL)) AS v(a, s)"
        )
        engine.load("staged", Table(connection, "staged"))
    for k, least in ((2, 2), (3, 2), (2, 3)):
        text = passing_rows("staged", ["a"], k, {"s": least}, dialect_named(engine.dialect))
        if (k, least) == (2, 2):
            assert len(engine.rows(text)) == 4
        else:
            with pytest.raises(Exception) as stopped:  # noqa: PT011 - each engine has errors of its own
                engine.rows(text)
            assert MISSED in str(stopped.value)


def stops_at_what_it_does_not_know(engine):
    """A value that the taxonomy lacks stops the statement, listed or joined; with ``unmapped`` it is the root."""
    frame = pd.DataFrame({"job": ["a", "b", None] * 4, "class": [0, 1] * 6})
    with Project(source=frame, class_="class", requirement={"k": 1}, models=[]) as one, duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE other AS SELECT * FROM (VALUES ('a', 0), ('A', 1), (NULL, 0)) AS v(job, class)"
        )
        engine.load("other", Table(connection, "other"))
        for form in ("select",) if engine.dialect == "spark" else ("select", "script"):
            text = one.sql({"job": 0}, as_=form, dialect=engine.dialect, table="other")
            with pytest.raises(Exception) as stopped:  # noqa: PT011 - each engine has errors of its own
                engine.rows(text)
            assert "column job: a value that its taxonomy does not know" in str(stopped.value)
            lenient = one.sql({"job": 0}, as_=form, dialect=engine.dialect, table="other", unmapped="root")
            assert sorted(str(row[0]) for row in engine.rows(lenient)) == ["*", "None", "a"]


def persons_stay_as_many(engine):
    """2,000 persons whose jobs differ in case and padding alone are 2,000 persons, in 8 classes of 250."""
    jobs = ["nurse", "Nurse", "NURSE", "nurse ", "nurse  ", "NURSE ", None, ""]
    frame = pd.DataFrame({"job": [jobs[n % 8] for n in range(2_000)], "n": [n % 3 for n in range(2_000)]})
    told = {"class_": "n", "models": [], "taxonomies": {"job": {"clusters": True}}}
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute("CREATE TABLE persons AS FROM frame")
        engine.load("persons", Table(connection, "persons"))
        for suppression in (0, 0.5):
            requirement = {"k": 251, "suppression": suppression} if suppression else {"k": 1}
            with Project(source=frame, requirement=requirement, **told) as one:
                text = one.sql({"job": 0}, dialect=engine.dialect, table="persons")
                if suppression:  # all classes are too small, unless some are taken for one
                    with pytest.raises(Exception) as stopped:  # noqa: PT011 - each engine has errors of its own
                        engine.rows(text)
                    assert MISSED in str(stopped.value)
                    continue
                assert differing(connection, engine, text, one.sql({"job": 0}, table="persons")) == 0
                assert len(engine.rows(text)) == 2_000
                with contextlib.suppress(DialectError):
                    script = one.sql({"job": 0}, as_="script", dialect=engine.dialect, table="persons")
                    assert engine.rows(script) == engine.rows(script)


# -- values that no record had when the text was made ------------------------------------------------------------------

COMPUTED = {
    "zip": {"mask": "right", "length": 5},
    "code": {"mask": "left", "length": 4, "step": 1, "pad": "0"},
    "part": {"prefix": [2, 1]},
    "born": {"dates": ["day", "month", "quarter", "half-year", "year", "five-year", "decade", "century"]},
    "seen": {"dates": ["second", "minute", "hour", "day", "week"]},
    "free": {"dates": ["weekday", "weekend"]},
    "at": {"dates": ["hour", "day", "year"], "zone": "Europe/Rome"},
    "age": {"breaks": [20, 40, 60]},
}
FIRST_NIGHT = """
SELECT '1234' || i AS zip, i AS code, 'x' || i AS part, DATE '2024-01-01' + i::INT AS born,
    TIMESTAMP '2024-01-01 10:00:00' + to_hours(i) AS seen, DATE '2024-01-01' + i::INT AS free,
    TIMESTAMPTZ '2024-01-01 10:00:00+00' + to_hours(i) AS at, 10 * i AS age, i % 2 AS class
FROM range(8) AS r(i)
"""
SECOND_NIGHT = """
SELECT [NULL, '', 'é9', 'ä', '12*', '123456', '99 ', '12345'][1 + i % 8] AS zip,
    CASE WHEN i % 9 > 0 THEN (i * i * 7) % 30000 END AS code,
    ['*', '', 'a', 'ab', 'abc', NULL, ' ', '**', 'A'][1 + i % 9] AS part,
    CASE WHEN i % 11 > 0 THEN DATE '1931-01-30' + (i * 977 % 50000)::INT END AS born,
    TIMESTAMP '1970-12-27 23:59:59.75' + to_microseconds(i * 3600123456 * 31) AS seen,
    DATE '2026-12-20' + (i % 40)::INT AS free,
    CASE WHEN i % 13 > 0 THEN TIMESTAMPTZ '2024-03-10 05:30:00+00' + to_minutes(i * 127) END AS at,
    CASE WHEN i % 7 > 0 THEN i - 50 END AS age, i % 2 AS class
FROM range(300) AS r(i)
"""
LOCKS = (
    {"zip": 1, "code": 1, "part": 1, "born": 2, "seen": 5, "free": 1, "at": 1, "age": 1},
    {"zip": 3, "code": 3, "part": 2, "born": 3, "seen": 1, "free": 2, "at": 2},
    {"born": 1, "seen": 2, "at": 3, "zip": 0},
    {"born": 4, "seen": 3, "code": 0, "free": 0},
    *({"born": level, "seen": 4} for level in (5, 6, 7, 8)),
)


@pytest.fixture(scope="module")
def nights(tmp_path_factory):
    """A connection with the second night, and for each lock its rule, its texts by dialect, and what `run` released."""
    folder = tmp_path_factory.mktemp("nights")

    duckdb.sql(f"COPY ({FIRST_NIGHT}) TO '{folder}/night.parquet'")
    told = {"taxonomies": COMPUTED, "requirement": {"k": 1}, "models": [], "class_": "class"}
    with Project(source=folder / "night.parquet", database=folder / "nights.duckdb", **told) as one:
        texts = [{name: one.sql(rule, dialect=name, table="night") for name in ENGINES} for rule in LOCKS]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE TABLE night AS {SECOND_NIGHT}")
        connection.execute(f"COPY night TO '{folder}/night.parquet'")
        with Project(source=folder / "night.parquet", database=folder / "nights.duckdb", **told) as one:
            for number, rule in enumerate(LOCKS):
                one.release(rule, folder / f"{number}.parquet")
        yield connection, texts, [f"SELECT * FROM '{folder}/{number}.parquet'" for number in range(len(LOCKS))]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dialect", ENGINES)
def test_unseen_values_of_computed_taxonomies_show_what_a_locked_run_shows(nights, dialect):
    connection, texts, releases = nights
    with running(dialect) as engine:
        engine.load("night", Table(connection, "night"))
        for rule, written, released in zip(LOCKS, texts, releases, strict=True):
            text = written[dialect]
            assert "'12345'" not in text or "zip" not in rule
            names = ", ".join(f'"{name}"' for name in (*[n for n in COMPUTED if n in rule], "class"))
            assert differing(connection, engine, text, f"SELECT {names} FROM ({released})") == 0, rule


@pytest.mark.slow
def test_unseen_values_in_duckdb(nights):
    connection, texts, releases = nights
    for written, released in zip(texts, releases, strict=True):
        assert connection.execute(written["duckdb"]).fetchall() == connection.execute(released).fetchall()


SEEN = "i % 3 < 2"
NIGHTS = {"night": "true", "few": "i % 4 = 0"}
COMBINED = """
SELECT CASE WHEN i % 11 > 0 THEN 20 + i * 7 % 40 END AS age,
    ['clerk', 'Clerk', 'cook ', 'o''ne', NULL][1 + (i // 2) % 5] AS job,
    CASE WHEN i % 13 > 0 THEN (i * 3 % 20) / 4.0 END AS size,
    DATE '2024-02-27' + (i * 5 % 60)::INT AS since, i % 2 AS class
FROM range(240) AS r(i) WHERE {}
"""


@pytest.fixture(scope="module")
def combined(tmp_path_factory):
    """A connection with the exports of two later nights, the texts of the first one's lock, and what `run` released.

    The second night has combinations that the first one lacks; the third has so few records that sides are closed.
    """
    folder = tmp_path_factory.mktemp("combined")
    duckdb.sql(f"COPY ({COMBINED.format(SEEN)}) TO '{folder}/night.parquet'")
    keys = {"source": "night.parquet", "class": "class", "requirement": {"k": 4}, "models": []}
    (folder / "anonduck.yml").write_text(json.dumps(keys))
    asked = [(name, form) for name in ENGINES for form in ("select", "script") if (name, form) != ("spark", "script")]
    with Project(folder / "anonduck.yml") as one:
        one.lock("mondrian")
        texts = {
            (night, name, form): one.sql("mondrian", as_=form, dialect=name, table=night)
            for name, form in asked
            for night in NIGHTS
        }
    with duckdb.connect() as connection:
        merged = []
        for night, those in NIGHTS.items():
            connection.execute(f"CREATE TABLE {night} AS {COMBINED.format(those)}")
            connection.execute(f"COPY {night} TO '{folder}/{night}.parquet'")
            with Project(folder / "anonduck.yml", source=str(folder / f"{night}.parquet")) as one:
                made = one.run(folder / f"{night}_out.parquet", locked=True).release
            merged.append(made.owner["method"]["pruned"]["merged"])
        assert merged[1] > 5
        yield connection, texts, {night: f"SELECT * FROM '{folder}/{night}_out.parquet'" for night in NIGHTS}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dialect", ENGINES)
def test_other_records_show_what_a_locked_run_shows_of_them(combined, dialect):
    connection, texts, released = combined
    with running(dialect) as engine:
        for night in NIGHTS:
            engine.load(night, Table(connection, night))
        for (night, name, form), text in texts.items():
            if name == dialect:
                assert differing(connection, engine, text, released[night]) == 0, (night, form)


@pytest.mark.slow
def test_values_of_a_type_that_lists_its_values_are_shown_as_texts():
    """In PostgreSQL too, whose CASE would read the root label as a value of that type."""
    frame = pd.DataFrame({"job": ["a", "b", None] * 4, "class": [0, 1] * 6})
    with running("postgres") as engine, Project(source=frame, class_="class", requirement={"k": 1}, models=[]) as one:
        engine.execute("CREATE TYPE mood AS ENUM ('a', 'b', 'other')")
        engine.execute(
            "CREATE TABLE enumerated AS SELECT v::mood AS job, 0 AS class FROM unnest('{a,b,other}'::text[]) v"
        )
        text = one.sql({"job": 0}, dialect="postgres", table="enumerated", unmapped="root")
        assert sorted(engine.rows(text)) == [("*", 0), ("a", 0), ("b", 0)]
        kinds = f"SELECT DISTINCT pg_typeof(job)::text FROM ({text.rstrip().rstrip(';')}) AS t"
        assert engine.execute(kinds) == [("text",)]
