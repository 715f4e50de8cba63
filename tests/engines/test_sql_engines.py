"""Texts of releases on the engines that they are written for: the rows are those of DuckDB's release, or a refusal."""

import duckdb
import pytest
from sql_engines import ENGINES, Table, counted, fetched, running
from tricky import LISTED_RULES, QUERY, RULES, projects

from anonduck.errors import DialectError

REFUSED = {
    "sqlite": {"huge": "64 bits", "precise": "15 digits", "at": "time zone"},
    "mariadb": {"at": "time zone"},
    "clickhouse": {"ancient": "1900 to 2299", "clock": "25.6"},
    "postgres": {},
    "spark": {},
}
"""The columns whose values a dialect refuses to compare, with a word of the reason."""


@pytest.fixture(scope="module")
def tricky(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tricky")
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    path = folder / "tricky.parquet"
    connection.execute(f"COPY ({QUERY}) TO '{path}'")
    ranges, lists = projects(path, folder, connection)
    with ranges, lists:
        yield connection, path, [(ranges, rule) for rule in RULES] + [(lists, rule) for rule in LISTED_RULES]


def differing(connection, engine, project, rule, form):
    """How many rows of a text differ from those of DuckDB's release, or why there is none."""
    kinds, expected = fetched(connection, project.sql(rule, table="held").rstrip().rstrip(";"))
    released = counted(expected, kinds.values())
    try:
        text = project.sql(rule, as_=form, dialect=engine.dialect, table="tricky")
    except DialectError as error:
        return str(error)
    found = counted(engine.rows(text), kinds.values())
    return (released - found).total() + (found - released).total()


def refused(dialect, rule, outcome):
    return any(column in REFUSED[dialect] and REFUSED[dialect][column] in str(outcome) for column in rule)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dialect", ENGINES)
def test_rules_give_the_rows_of_the_release(tricky, dialect):
    connection, path, asked = tricky
    with running(dialect) as engine:
        held = ", ".join(f"CASE WHEN {engine.held.format(one)} THEN {one} END AS {one}" for one in ("size", "wide"))
        connection.execute(f"CREATE OR REPLACE TABLE held AS SELECT * REPLACE ({held}) FROM '{path}'")
        engine.load("tricky", Table(connection, "held"))
        outcomes = {
            (n, str(rule)): (rule, differing(connection, engine, project, rule, "select"))
            for n, (project, rule) in enumerate(asked)
        }
    wrong = {
        rule: outcome
        for rule, (levels, outcome) in outcomes.items()
        if outcome != 0 and not refused(dialect, levels, outcome)
    }
    assert wrong == {}
