"""What a tracer is told: each statement, so that it can be run again and gives the same."""

import datetime
import decimal
import re

import duckdb
import pytest

import anonduck
from anonduck.cli.app import run
from anonduck.database.connection import Database
from anonduck.errors import AnonduckError, QueryError
from anonduck.project import Project
from anonduck.statements import Statement, statement
from anonduck.statements.literals import literal, pasteable, redacted_sql

HEAD = re.compile(r"-- (?P<origin>.+): [\d.]+ ms, (?P<rows>[\d,]+) rows?( written)?\n(?P<sql>.*);\n", flags=re.DOTALL)
HANDED = re.compile(r"-- handed over by Python: [\d,]+ rows\n(?P<sql>.*);\n", flags=re.DOTALL)


@pytest.fixture
def people(tmp_path):
    """60 people in a CSV file, with NULL in two columns."""
    lines = ["age,job,c"]
    for number in range(60):
        age, job = 20 + number * 17 % 30, ["baker", "cook", "o'hara", ""][number * 7 % 11 % 4]
        lines.append(f"{age if age % 7 else ''},{job},{'y' if (age > 35) != (job == 'cook') else 'n'}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def again(told):
    """Run what a tracer was told in new connections, one for each database; yields origin, rows then and rows now."""
    opened = []
    for text in told:
        if text.startswith("-- opened: "):
            opened.append(duckdb.connect())
        elif text.startswith("-- closed: "):
            opened.pop().close()
        elif found := HANDED.fullmatch(text):
            opened[-1].execute(found["sql"]).fetchall()
        else:
            found = HEAD.fullmatch(text)
            assert found, text
            rows = opened[-1].execute(found["sql"]).fetchall()
            names = [column[0] for column in opened[-1].description or []]
            now = rows[0][0] if rows and names == ["Count"] else len(rows)
            yield found["origin"], int(found["rows"].replace(",", "")), now
    assert opened == []


@pytest.mark.slow
def test_what_was_told_of_discover_and_release_runs_again_with_the_same_rows(people, tmp_path):
    told = []
    with Project(source=people, class_="c", models=["tree"], requirement={"k": 3}, tracer=told.append) as project:
        project.discover()
        rule = project.rules().iloc[0]
        project.release(rule["id"], tmp_path / "out.csv")
        stored = project.database.rows(Statement("test", "SELECT literal, k, accuracy FROM rules ORDER BY literal"))
    written = (tmp_path / "out.csv").read_text()
    (tmp_path / "out.csv").unlink()
    compared = list(again(told))
    assert [one for one in compared if one[1] != one[2]] == []
    origins = {origin for origin, _, _ in compared}
    assert {"sql/measures/totals.sql", "sql/frequency/cells.sql", "sql/search/write_rules.sql"} <= origins
    assert any(origin.startswith("anonduck/statements/pipeline/builder_release.py (") for origin in origins)
    assert len(stored) > 0
    assert (tmp_path / ".out.csv.anonduck-unfinished.csv").read_text() == written


def test_a_statement_that_fails_is_told_too():
    told = []
    database = Database(tracer=told.append)
    with pytest.raises(QueryError):
        database.run(Statement("test", "SELECT nope"))
    database.close()
    assert any(re.fullmatch(r"-- test: [\d.]+ ms, failed\nSELECT nope;\n", text) for text in told)


def test_many_rows_of_python_are_counted_not_shown():
    import pandas as pd

    told = []
    database = Database(tracer=told.append)
    database.register("many", pd.DataFrame({"a": range(1_001)}))
    database.close()
    assert "-- handed over by Python as many: 1,001 rows, which are not shown\n" in told


@pytest.mark.slow
def test_audit_and_attack_tell_their_statements(people):
    told = []
    anonduck.audit(people, ["age", "job"], class_="c", tracer=told.append)
    assert any("-- sql/privacy/release_columns.sql: " in text for text in told)
    assert [one for one in again(told) if one[1] != one[2]] == []
    told.clear()
    anonduck.attack(people, people, ["age", "job"], class_="c", guesses=5, splink=False, tracer=told.append)
    assert any("-- sql/attacks/" in text for text in told)


# -- the command line --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("place", ["before", "after"])
def test_show_sql_prints_on_stderr(people, tmp_path, monkeypatch, capsys, place):
    monkeypatch.chdir(tmp_path)
    assert run(["init", "people.csv", "--class", "c", "--show-sql"]) == 0
    assert "-- sql/source/profile.sql: " in capsys.readouterr().err
    command = ["taxonomy", "build", "job", "--json"]
    assert run(["--show-sql", *command] if place == "before" else [*command, "--show-sql"]) == 0
    printed = capsys.readouterr()
    assert "-- sql/" in printed.err
    assert "SELECT" not in printed.out
    assert run(["audit", "people.csv", "-q", "age", "--show-sql"]) == 0
    assert "-- sql/privacy/release_columns.sql: " in capsys.readouterr().err
    assert run(["taxonomy", "build", "job", "--replace"]) == 0
    assert "-- sql/" not in capsys.readouterr().err


@pytest.mark.parametrize("command", [["discover"], ["release"], ["taxonomy", "build"], ["purge"], ["attack"], ["run"]])
def test_help_says_that_the_values_show(capsys, command):
    assert run([*command, "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "--show-sql Print each SQL statement on stderr as it runs" in shown
    assert "as sensitive as the source" in shown


# -- literals ----------------------------------------------------------------------------------------------------------

VALUES = [
    None, True, False, 0, 7, -7, 2**40, 2**100, 0.1, -1e-300, 1e300, float("inf"), "", "it's", "a\nb\\n\t\"$x", "é$1",
    [1, 2, -3], ["x'", None], [], datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 1, 2, 3, 4),
    datetime.time(1, 2, 3), decimal.Decimal("1.500000000000000000"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_literal_is_the_value_that_a_parameter_is(value):
    connection = duckdb.connect()
    ((read,),) = connection.execute(f"SELECT {literal(value)}").fetchall()
    ((bound,),) = connection.execute("SELECT $value", {"value": value}).fetchall()
    assert read == bound == value
    connection.close()


def test_parameters_are_replaced_where_they_are_parameters():
    query = Statement("test", 'SELECT \'$n\', "$n", $n - $n AS "a$n" /* $n */', frozenset({"n"}))
    assert pasteable(query, {"n": -1}) == 'SELECT \'$n\', "$n", (-1) - (-1) AS "a$n" /* $n */'


# -- errors ------------------------------------------------------------------------------------------------------------


def test_no_literal_is_left_in_redacted_sql():
    text = "SELECT \"job\", 'Jane', 12.5e3, x'ab', DATE '1970-01-02', $$Jim$$, [1, 'b'], a1 FROM t WHERE n = 0xff"
    shown = redacted_sql(text)
    assert shown == ("SELECT \"job\", '…', …, x'…', DATE '…', '…', […, '…'], a1 FROM t WHERE n = …")


def test_a_failed_query_names_its_file_and_shows_itself_without_values(database):
    database.run(Statement("test", "CREATE TABLE coded_frequency_set AS SELECT 1 AS a"))
    query = statement("measures/rule.sql", columns={"attributes": ["age@1"]}, table={"coded": "coded_frequency_set"})
    with pytest.raises(QueryError) as caught:
        database.run(query)
    assert str(caught.value).startswith("the query sql/measures/rule.sql failed: Binder Error")
    assert '"age@1"' in str(caught.value)


def test_a_failed_built_query_names_its_builder_and_shows_no_value(database):
    from anonduck.statements import relations, user_sql
    from anonduck.statements.expansion import quoted

    select = relations.rows_of(quoted("nowhere"), where=user_sql.condition("job = 'ZZSECRET' AND age > 4711"))
    with pytest.raises(AnonduckError) as caught:
        database.run(relations.view_of(select))
    words = str(caught.value)
    assert "anonduck/statements/relations.py (view_of)" in words
    assert "job = '…'" in words
    assert "ZZSECRET" not in words
    assert "4711" not in words
    assert "ZZSECRET" not in caught.value.sql
