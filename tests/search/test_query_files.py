"""Query files as a project has them: what is filled, what runs in a DuckDB shell, and what is refused."""

import re

import duckdb
import pytest

from anonduck import Project
from anonduck.cli.app import run
from anonduck.errors import ConfigError
from anonduck.release.recoded_columns import combined_set
from anonduck.statements.template import query_names

LACKING = r"sql/{} asks for the (list|columns?|field) `\w+`.* which a project alone does not have: .*`--show-sql`"


@pytest.fixture
def project(prepared, tmp_path):
    with Project(prepared("people", tmp_path) / "anonduck.yml") as one:
        yield one


def test_a_printed_file_is_what_runs(project):
    roles = project.workspace.roles
    printed = project.sql(file="release/combined_set.sql")
    assert printed.startswith("-- sql/release/combined_set.sql\n-- The records of release_set")
    assert "-- Binds" not in printed
    assert printed.endswith(combined_set(roles.quasi_identifiers, roles.class_).sql + ";\n")


def test_it_can_be_pasted_into_a_shell_on_the_decision_database(project, tmp_path):
    printed = project.sql(file="sql/frequency/coded.sql")
    assert "\n-- Left empty: kept\n" in printed
    project.close()
    with duckdb.connect(str(tmp_path / "anonduck.duckdb")) as shell:
        shell.execute(printed)
        columns = "SELECT COLUMNS('@0$|#class|#records')"
        held = shell.execute(f"{columns} FROM coded_frequency_set ORDER BY ALL").fetchall()
        assert held
        assert shell.execute(f"{columns} FROM target ORDER BY ALL").fetchall() == held


def test_values_stay_to_be_written(project):
    assert "\n-- Values to write in: $threshold\n" in project.sql(file="frequency/pattern_top.sql")


def test_every_file_is_sql_or_says_what_prints_it(project):
    printed, refused = 0, {}
    for name in query_names():
        try:
            duckdb.extract_statements(project.sql(file=name))
            printed += 1
        except ConfigError as error:
            refused[name] = str(error)
    assert printed > 200
    assert [name for name, words in refused.items() if not re.match(LACKING.format(re.escape(name)), words)] == []


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("measures/rule.sql", r"sql/measures/rule\.sql asks for the columns `attributes`.*`anonduck discover`"),
        ("frequency/pattern_block.sql", r"asks for the list `keys`"),
        ("release/grouped_rows.sql", r"asks for the field `shown` of the list `columns`.*`anonduck release`"),
        ("taxonomy/lookup_exact.sql", r"the column `raw_value`.*`anonduck taxonomy build`"),
        ("combined_set", r"no query file 'combined_set'; near ones: release/combined_set\.sql"),
        ("release/combined_sets.sql", r"near ones: release/combined_set\.sql"),
        ("../pyproject.toml", r"they are in the folders attacks, auditing"),
    ],
)
def test_what_cannot_be_printed_is_refused(project, file, words):
    with pytest.raises(ConfigError, match=words):
        project.sql(file=file)


@pytest.mark.parametrize("given", [{"rule": "age=1"}, {"of": "k"}, {"dialect": "spark"}, {"as_": "dbt"}])
def test_what_does_not_go_with_a_file(project, given):
    with pytest.raises(ConfigError, match=r"neither a rule nor|only the SQL of a release takes"):
        project.sql(file="release/combined_set.sql", **given)


def test_the_command_prints_it(prepared, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(prepared("people", tmp_path))
    assert run(["sql", "--file", "release/combined_set"]) == 0
    assert "-- sql/release/combined_set.sql\n" in capsys.readouterr().out
    assert run(["sql", "--file", "measures/rule.sql"]) == 2
    assert "`attributes`" in capsys.readouterr().err
    assert run(["sql", "R1", "--file", "release/combined_set.sql"]) == 2
