"""A cut tree as text: it gives the rows of the release, and of other records those of a release of them."""

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from odd_tables import odd_table
from oracles import people

from anonduck import Project
from anonduck.errors import ReleaseError, RequirementNotMet
from anonduck.release.by_recoding import method_origin, release_method, release_recoding
from anonduck.release.plan import AS_CONFIGURED, ReleaseSettings
from anonduck.release.script import FoundRecoding
from anonduck.release.script_text import TextOptions
from anonduck.release.sql_texts import ALONE, release_texts
from anonduck.release.target import target_of


def rows_of(text, connection):
    for statement in text.split(";\n"):
        if statement.strip():
            found = connection.execute(statement)
    return found.fetchall()


def shown(path):
    return duckdb.sql(f"FROM '{path}'").fetchall()


def as_text(rows):
    return sorted(tuple("" if value is None else f"={value}" for value in row) for row in rows)


@pytest.mark.recoding
@examples(16)
@given(st.integers(0, 10**6), st.sampled_from(["mondrian", "guided"]), st.sampled_from(["refuse", "root"]))
def test_the_text_gives_the_rows_of_the_release_and_of_other_records_those_of_theirs(
    tmp_path_factory, seed, method, unmapped
):
    """Other records have values that the taxonomies were not made of, and too few records for some sides."""
    folder = tmp_path_factory.mktemp("texts")
    duckdb.from_arrow(odd_table(seed)).write_parquet(str(folder / "people.parquet"))
    others = odd_table(seed, rows=25, draw=1)
    duckdb.from_arrow(others).write_parquet(str(folder / "others.parquet"))
    config = {"class_": "class", "requirement": {"k": 3}, "models": [], "unmapped": unmapped}
    with Project(source=str(folder / "people.parquet"), **config) as one:
        found = target_of("found.parquet", folder)
        try:
            made = release_method(one.workspace, method, found, ReleaseSettings(as_data=True))
        except ReleaseError:
            return  # no cut is allowed
        origin = method_origin(one.workspace, method)
        of = FoundRecoding(made.recoding, origin, method)
        text = release_texts(one.workspace, of, TextOptions(), None, AS_CONFIGURED)[ALONE]
        assert as_text(rows_of(text, duckdb.connect())) == as_text(shown(found.path))
        other = target_of("other.parquet", folder)
        settings = ReleaseSettings(export=str(folder / "others.parquet"), unmapped="root")
        try:
            release_recoding(one.workspace, made.recoding, origin, other, settings)
        except (ReleaseError, RequirementNotMet):
            return  # no cut is left, or a column of values has others now
        table = TextOptions(table="others")
        rooted = one.workspace.with_config(one.workspace.config.model_copy(update={"unmapped": "root"}))
        text = release_texts(rooted, of, table, None, AS_CONFIGURED)[ALONE]
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE others AS FROM '{folder / 'others.parquet'}'")
    columns, held = (
        [row[:2] for row in connection.sql(f"DESCRIBE FROM '{one.path}'").fetchall()] for one in (found, other)
    )
    if columns == held:
        assert as_text(rows_of(text, connection)) == as_text(shown(other.path))


@pytest.mark.parametrize("dialect", ["bigquery", pytest.param("snowflake", marks=pytest.mark.slow)])
def test_a_text_for_a_warehouse_gives_the_same_rows_when_it_is_translated_back(tmp_path, dialect):
    people(300).to_parquet(tmp_path / "people.parquet")
    roles = {"class_": "class", "identifiers": ["id", "note"], "requirement": {"k": 4}, "models": []}
    with Project(source=str(tmp_path / "people.parquet"), **roles) as one:
        one.anonymize("mondrian", tmp_path / "out.parquet")
        text = one.sql("mondrian", dialect=dialect, table="people")
    (back,) = filter(str.strip, sqlglot.transpile(text, read=dialect, write="duckdb"))
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE people AS FROM '{tmp_path / 'people.parquet'}'")
    assert as_text(connection.execute(back).fetchall()) == as_text(shown(tmp_path / "out.parquet"))


def test_a_folder_holds_no_combination_and_few_lines(tmp_path):
    """Values of one column stand by themselves: in no row is there one of another column, too."""
    drawn = np.random.default_rng(4)
    names = [f"{what}{{}}" for what in ("job", "city", "team")]
    frame = pd.DataFrame({name[:-2]: [name.format(n) for n in drawn.integers(0, 9, 400)] for name in names})
    frame.assign(age=drawn.integers(17, 90, 400), size=drawn.random(400)).to_parquet(tmp_path / "people.parquet")
    with Project(source=str(tmp_path / "people.parquet"), requirement={"k": 4}, models=[]) as one:
        found = FoundRecoding(None, method_origin(one.workspace, "mondrian"), "mondrian")
        texts = release_texts(one.workspace, found, TextOptions(folder=True), None, AS_CONFIGURED)
    lines = texts["release.sql"].splitlines()
    assert len([line for line in lines if not line.startswith("(")]) <= 120
    rows = [line for line in lines if line.startswith("(")]
    rows += [line for name, text in texts.items() if name.endswith(".csv") for line in text.splitlines()[1:]]
    assert len(rows) > 300
    assert any("job3" in row for row in rows)
    assert not [row for row in rows if sum(what in row for what in ("job", "city", "team")) > 1]
