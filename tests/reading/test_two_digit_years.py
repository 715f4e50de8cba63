"""Years of two digits: no date of birth lies after the export."""

from datetime import date

import pandas as pd
import pytest
from reading.proposing import ROWS, proposed, table, written

from anonduck.errors import ConfigError, SourceError
from anonduck.project import Project
from anonduck.statements import statement

YEARS = [1930 + (i * 7) % 95 for i in range(ROWS)]
BORN = [date(year, 1 + i % 12, 1 + i % 28) for i, year in enumerate(YEARS)]


def texts(format_, days=BORN):
    return [day.strftime(format_) for day in days]


def values_of(project, column):
    project.source.engine.frequency_set([column], "counted_here")
    rows = project.workspace.database.rows(statement("database/whole.sql", table={"held": "counted_here"}))
    return sorted(value for value, *_ in rows)


@pytest.mark.parametrize("format_", ["%d.%m.%y", "%m/%d/%y", "%d/%m/%y", "%d-%b-%y"])
def test_births_are_before_the_export(tmp_path, format_):
    found = proposed(tmp_path, table(born=texts(format_)), "people.parquet")
    assert found.keys["dates"] == {"born": {"format": format_, "latest": 2026}}
    assert "dates" in found.taxonomy("born")
    assert "after 2026, the year in which the file was written" in found.said
    with Project(found.path) as project:
        assert values_of(project, "born") == sorted(set(BORN))


def test_other_dates_of_the_file_say_what_it_knows(tmp_path):
    admitted = [date(2019, 1 + i % 12, 1 + i % 28) for i in range(ROWS)]
    found = proposed(tmp_path, table(born=texts("%d.%m.%y"), admitted=admitted), "people.parquet")
    assert found.keys["dates"]["born"]["latest"] == 2019


def test_day_and_month_that_may_change_places_are_not_guessed(tmp_path):
    days = [date(1990 + i % 9, 1 + i % 12, 1 + i % 11) for i in range(ROWS)]
    found = proposed(tmp_path, table(born=texts("%d/%m/%y", days)), "people.parquet")
    assert "dates" not in found.keys
    assert "unclear what is day, month and year (%d/%m/%y or %m/%d/%y)" in found.said


def test_appointments_may_lie_ahead(tmp_path):
    days = [date(2025 + i % 4, 1 + i % 12, 1 + i % 28) for i in range(ROWS)]
    found = proposed(tmp_path, table(due_date=texts("%d.%m.%y", days)), "people.parquet")
    assert found.keys["dates"] == {"due_date": {"format": "%d.%m.%y"}}


def test_late_years_of_four_digits_are_warned_of(tmp_path):
    days = [date(2040 + i % 4, 1 + i % 12, 1 + i % 28) for i in range(ROWS)]
    found = proposed(tmp_path, table(born=days), "people.parquet")
    assert "dates" not in found.keys
    assert "'born' has dates after 2026" in found.said


@pytest.mark.parametrize("name", ["people.csv", "people.parquet", None])
def test_the_key_reads_every_source(tmp_path, name):
    frame = table(born=texts("%d.%m.%y"))
    source = frame if name is None else str(written(tmp_path, frame, name))
    dates = {"born": {"format": "%d.%m.%y", "latest": 2026}}
    with Project(source=source, class_="y", dates=dates) as project:
        assert project.source.column("born").type == "DATE"
        assert values_of(project, "born") == sorted(set(BORN))


def test_dates_alone_have_a_latest_year_too():
    frame = table(born=pd.to_datetime([f"2045-07-{1 + i % 28:02}" for i in range(ROWS)]))
    with Project(source=frame, class_="y", dates={"born": {"latest": 2026}}) as project:
        assert {value.year for value in values_of(project, "born")} == {1945}


def test_a_value_of_another_format_stops():
    frame = table(born=[*texts("%d.%m.%y")[1:], "secret"])
    with (
        Project(source=frame, class_="y", dates={"born": {"format": "%d.%m.%y"}}) as project,
        pytest.raises(SourceError, match="1 value of 120 in column 'born' are no dates") as caught,
    ):
        project.source  # noqa: B018 - opens it
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("dates", "words"),
    [
        ({"nosuch": {"latest": 2026}}, "dates names the column 'nosuch'"),
        ({"job": {"latest": 2026}}, "say how they are written too"),
        ({"age": {"format": "%d.%m.%y"}}, "`format` says how texts are written"),
        ({"age": {}}, "give a `format`, a `latest` year, or both"),
        ({"age": {"format": "%d.%m."}}, "write a format with a year"),
    ],
)
def test_a_key_that_does_not_fit_is_refused(dates, words):
    frame = table(age=list(range(ROWS)))
    with pytest.raises(ConfigError, match=words), Project(source=frame, class_="y", dates=dates) as project:
        project.source  # noqa: B018 - opens it


def test_csv_columns_beside_such_dates_keep_their_types(tmp_path):
    frame = table(born=texts("%d.%m.%y"), age=[20 + i % 31 for i in range(ROWS)])
    found = proposed(tmp_path, frame)
    assert found.keys["dates"] == {"born": {"format": "%d.%m.%y", "latest": 2026}}
    assert found.keys["expected_types"] == {"y": "VARCHAR", "born": "DATE", "age": "BIGINT", "job": "VARCHAR"}
    assert "types" not in found.keys
