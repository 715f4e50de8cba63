"""Amounts with thousands separators are numbers, and no positions."""

import duckdb
import pytest
from reading.proposing import ROWS, proposed, table

from anonduck.config.reading import make_config
from anonduck.errors import ConfigError
from anonduck.project import Project

GERMAN = [f"{1 + i % 80}.{(i * 37) % 1000:03},{i % 100:02}" for i in range(ROWS)]
ENGLISH = [text.replace(",", "_").replace(".", ",").replace("_", ".") for text in GERMAN]
FRENCH, SWISS = ([text.replace(".", mark) for text in GERMAN] for mark in (" ", "'"))
AMOUNTS = [(1 + i % 80) * 1000 + (i * 37) % 1000 + (i % 100) / 100 for i in range(ROWS)]


def read_back(found, column):
    with Project(found.path) as project:
        project.source.engine.frequency_set([column], "counted_here")
        return sorted(value for value, *_ in project.workspace.database.rows(every("counted_here")))


def every(name):
    from anonduck.statements import statement

    return statement("database/whole.sql", table={"held": name})


@pytest.mark.parametrize(
    ("texts", "keys"),
    [(GERMAN, {"decimal_separator": ",", "thousands": "."}), (ENGLISH, {"thousands": ","})]
    + [(texts, {"decimal_separator": ",", "thousands": mark}) for texts, mark in ((FRENCH, " "), (SWISS, "'"))],
)
def test_amounts_are_read_as_numbers(tmp_path, texts, keys):
    found = proposed(tmp_path, table(amount=texts))
    assert found.keys["csv"] == keys
    assert found.taxonomy("amount").keys() == {"intervals"}
    assert [float(value) for value in read_back(found, "amount")] == sorted(set(AMOUNTS))


@pytest.mark.parametrize("separator", ["", "..", "\u00a0", "\0"])
def test_a_separator_is_one_of_a_few(separator):
    with pytest.raises(ConfigError, match=r"csv\.thousands: it should be"):
        make_config({"source": "t.csv", "class": "c", "csv": {"thousands": separator, "decimal_separator": ","}})


def test_decimal_commas_alone_need_no_thousands(tmp_path):
    found = proposed(tmp_path, table(price=[f"{i % 50},{i % 10}" for i in range(ROWS)]))
    assert found.keys["csv"] == {"decimal_separator": ","}


def test_one_comma_before_three_digits_is_ambiguous(tmp_path):
    found = proposed(tmp_path, table(amount=[f"{1 + i % 9},{(i * 37) % 1000:03}" for i in range(ROWS)]))
    assert "csv" not in found.keys
    assert "'amount' was read as text: all its numbers have one comma before three digits" in found.said


def test_columns_written_in_two_ways_are_said(tmp_path):
    commas = [f"{i % 50},{i % 10}" for i in range(ROWS)]
    points = [f"{i % 50}.{i % 10}" for i in range(ROWS)]
    found = proposed(tmp_path, table(amount=commas, price=points))
    assert "csv" not in found.keys
    assert "the columns 'amount', 'price' separate decimals and thousands in different ways" in found.said


def test_days_with_a_point_are_no_decimal_commas(tmp_path):
    found = proposed(tmp_path, table(day=[f"{1 + i % 28:02}.{1 + i % 12:02}" for i in range(ROWS)]))
    assert "csv" not in found.keys
    assert not found.said


def test_amounts_are_no_positions(tmp_path):
    found = proposed(tmp_path, table(amount=GERMAN), "people.parquet")
    assert found.taxonomy("job")
    assert "geohash" not in str(found.keys)
    assert "numbers in 'amount' are written with separators" in found.said


@pytest.mark.parametrize("column", ["position", "x"])
def test_pairs_of_coordinates_are_positions(tmp_path, column):
    texts = [f"{45 + i / 500:.4f},{9 + i / 700:.4f}" for i in range(ROWS)]
    assert proposed(tmp_path, table(**{column: texts})).taxonomy(column) == {"geohash": True}


def test_the_option_is_duckdbs(tmp_path):
    (tmp_path / "a.csv").write_text("a;b\n18.582,97;x\n")
    read = duckdb.sql(f"SELECT a FROM read_csv('{tmp_path}/a.csv', delim=';', thousands='.', decimal_separator=',')")
    assert read.fetchall() == [(18582.97,)]
