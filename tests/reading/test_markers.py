"""One text among numbers: markers of no value are NULL, in the proposal and in what is released by it."""

from pathlib import Path

import pandas as pd
import pytest
from reading.proposing import ROWS, proposed, table

import anonduck
from anonduck.project import Project

NUMBERS = [str(1000 + 100 * (i % 20)) for i in range(ROWS)]


def with_texts(values, **texts):
    """The values, with a text at some places."""
    found = list(values)
    for text, places in texts.items():
        for place in places:
            found[place] = text
    return found


def test_a_marker_among_numbers_becomes_null(tmp_path):
    income = with_texts(NUMBERS, **{"N/A": range(0, 120, 10)})
    found = proposed(tmp_path, table(spent=income, age=[20 + i % 30 for i in range(ROWS)]))
    assert "'spent': 12 of 120 values are no numbers, all of them 'N/A'" in found.said
    assert "N/A" in found.keys["csv"]["nullstr"]
    assert found.taxonomy("spent").keys() == {"intervals"}
    assert found.keys["expected_types"]["spent"] == "BIGINT"
    with Project(found.path) as project:
        kept = project.source.engine.filling()
        place = [column.name for column in project.source.columns].index("spent")
        assert kept.filled[place] == ROWS - 12


@pytest.mark.parametrize("marker", ["NA", "null", "NULL", "none", "-", "?", ".", "#N/A", "missing"])
def test_public_markers_are_named(tmp_path, marker):
    found = proposed(tmp_path, table(income=with_texts(NUMBERS, **{marker: [7]})))
    assert f"1 of 120 values is no number: {marker!r}" in found.said
    assert marker in found.keys["csv"]["nullstr"]
    assert found.taxonomy("income").keys() == {"intervals"}


def test_several_markers_are_a_list(tmp_path):
    income = with_texts(NUMBERS, **{"N/A": [3], "-": [5, 6], "": [9]})
    found = proposed(tmp_path, table(income=income))
    assert found.keys["csv"]["nullstr"] == ["-", "N/A"]


def test_dates_have_markers_too(tmp_path):
    dates = [f"19{30 + i % 60}-0{1 + i % 9}-1{i % 10}" for i in range(ROWS)]
    found = proposed(tmp_path, table(born=with_texts(dates, unknown=[4])))
    assert "1 of 120 values is no date: 'unknown'" in found.said
    assert found.keys["expected_types"]["born"] == "DATE"


def test_another_text_is_counted_and_not_printed(tmp_path):
    found = proposed(tmp_path, table(income=with_texts(NUMBERS, **{"ask Miller": [3], "N/A": [4]})))
    assert "2 of 120 values are no numbers, 1 of them 'N/A'" in found.said
    assert "Miller" not in found.said
    assert "csv" not in found.keys


def test_what_is_a_value_of_another_column_is_not_proposed(tmp_path):
    countries = [("DE", "IT", "NA", "FR")[i % 4] for i in range(ROWS)]
    found = proposed(tmp_path, table(income=with_texts(NUMBERS, NA=[3]), country=countries))
    assert "csv" not in found.keys
    assert "so would 30 values of column 'country'" in found.said


def test_what_else_becomes_null_is_said(tmp_path):
    frame = table(income=with_texts(NUMBERS, **{"N/A": [3]}))
    frame.loc[[1, 2], "job"] = "N/A"
    found = proposed(tmp_path, frame)
    assert "2 values of column 'job' too" in found.said
    assert "N/A" in found.keys["csv"]["nullstr"]


@pytest.mark.parametrize("name", ["people.parquet"])
def test_what_is_not_csv_gets_no_csv_option(tmp_path, name):
    found = proposed(tmp_path, table(income=with_texts(NUMBERS, **{"N/A": [3]})), name)
    assert "csv" not in found.keys
    assert "write NULL in their place in the export" in found.said
    assert "csv:" not in found.said


@pytest.mark.slow
def test_python_reads_a_file_so_too(tmp_path: Path):
    frame = table(income=with_texts(NUMBERS, **{"N/A": range(0, 120, 10)}))
    frame.to_csv(tmp_path / "people.csv", index=False)
    done = anonduck.anonymize(str(tmp_path / "people.csv"), "y", k=5, methods=["mondrian"])
    assert "***" not in "".join(done.frame["income"].dropna().astype(str))
    assert isinstance(done.frame, pd.DataFrame)
