"""A column of another kind than when the config was made stops the night, with what to do first."""

import pytest
from reading.proposing import ROWS, proposed, table, written

from anonduck.cli.app import run
from anonduck.errors import SourceError
from anonduck.project import Project

AGES = [20 + i % 31 for i in range(ROWS)]
INCOMES = [1000 + 100 * (i * i % 23) for i in range(ROWS)]
WITH_MARKER = ["N/A" if i % 10 == 0 else str(income) for i, income in enumerate(INCOMES)]


def test_a_marker_that_comes_later_stops_a_run(tmp_path, capsys):
    found = proposed(tmp_path, table(age=AGES, income=INCOMES))
    written(tmp_path, table(age=AGES, income=WITH_MARKER))
    assert run(["discover", "-p", str(found.path)]) == 2
    said = capsys.readouterr().err
    assert "column 'income' is VARCHAR in this export, and was BIGINT when the config was made" in said
    assert "12 of 120 values are no numbers, all of them 'N/A'" in said
    assert said.index("nullstr") < said.index("expected_types")


def test_a_further_marker_is_named_beside_those_of_the_config(tmp_path):
    found = proposed(tmp_path, table(age=AGES, income=WITH_MARKER))
    assert found.keys["csv"] == {"nullstr": "N/A"}
    written(tmp_path, table(age=AGES, income=[*WITH_MARKER[:-1], "n.a."]))
    with Project(found.path) as project, pytest.raises(SourceError, match="1 of 108 values is no number") as caught:
        project.source  # noqa: B018 - opens it
    assert '`csv: {nullstr: ["N/A", "n.a."]}`' in str(caught.value)


def test_numbers_written_in_several_ways_are_read_as_before(tmp_path):
    found = proposed(tmp_path, table(age=AGES, income=INCOMES))
    written(tmp_path, table(age=AGES, income=[*INCOMES[1:], "1250.50"]))
    with Project(found.path) as project, pytest.raises(SourceError, match="written in several ways") as caught:
        project.source  # noqa: B018 - opens it
    assert str(caught.value).index("types: {income: DOUBLE}") < str(caught.value).index("expected_types")


def test_other_texts_are_not_printed(tmp_path):
    found = proposed(tmp_path, table(age=AGES, income=INCOMES))
    written(tmp_path, table(age=AGES, income=["ask Miller", *INCOMES[1:]]))
    with Project(found.path) as project, pytest.raises(SourceError, match="Correct the export") as caught:
        project.source  # noqa: B018 - opens it
    assert "Miller" not in str(caught.value)


def test_numbers_are_one_kind_and_an_empty_column_is_read_as_expected(tmp_path):
    found = proposed(tmp_path, table(age=AGES, income=INCOMES))
    written(tmp_path, table(age=AGES, income=[one + 0.25 for one in INCOMES]))
    with Project(found.path) as project:
        assert project.source.column("income").type != "VARCHAR"
    written(tmp_path, table(age=AGES, income=[None] * ROWS))
    with Project(found.path) as project:
        assert project.source.column("income").type == "BIGINT"


def test_numbers_in_the_place_of_text_stop_too(tmp_path):
    found = proposed(tmp_path, table(age=AGES, code=[f"A{i % 7}" for i in range(ROWS)]))
    written(tmp_path, table(age=AGES, code=[i % 7 for i in range(ROWS)]))
    with Project(found.path) as project, pytest.raises(SourceError, match=r"types: \{code: VARCHAR\}"):
        project.source  # noqa: B018 - opens it


@pytest.mark.slow
@pytest.mark.parametrize("name", ["next.csv", "next.parquet"])
def test_another_export_stops_without_the_key(tmp_path, capsys, name):
    (tmp_path / "anonduck.yml").write_text("source: people.csv\nclass: y\nmodels: []\n")
    written(tmp_path, table(age=AGES, income=INCOMES))
    config = str(tmp_path / "anonduck.yml")
    assert run(["discover", "-p", config]) == 0
    later = written(tmp_path, table(age=AGES, income=WITH_MARKER), name)
    out = tmp_path / "out.csv"
    assert run(["release", "income=4", "-o", str(out), "--source", str(later), "-p", config]) == 2
    said = capsys.readouterr().err
    assert "column 'income' is VARCHAR in this export, and was BIGINT" in said
    assert "SELECT" not in said
    assert not out.exists()


def test_codes_stay_text_in_a_month_without_a_leading_zero(tmp_path):
    found = proposed(tmp_path, table(zip=[f"0{700 + i % 40}" for i in range(ROWS)]))
    assert found.keys["types"] == {"zip": "VARCHAR"}
    written(tmp_path, table(zip=[str(1700 + i % 40) for i in range(ROWS)]))
    with Project(found.path) as project:
        assert project.source.column("zip").type == "VARCHAR"


def test_the_types_are_written(tmp_path):
    keys = proposed(tmp_path, table(age=AGES, income=INCOMES)).keys
    assert keys["expected_types"] == {"y": "VARCHAR", "age": "BIGINT", "income": "BIGINT", "job": "VARCHAR"}
