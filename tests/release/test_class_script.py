"""`anonduck sql mondrian` and `tds`: a script that a plain DuckDB connection runs, with the rows of the release."""

from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from class_oracle import frame_of, taxonomy_files
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, tables

from anonduck import Project
from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet
from anonduck.methods import registry


def rows_of(text, connection=None):
    return (connection or duckdb.connect()).execute(text).fetchall()


def released(one, method, path):
    one.anonymize(method, path, overwrite=True, models=[])
    return duckdb.sql(f"SELECT * FROM '{path}'").fetchall()


@pytest.mark.slow
@examples(8)
@given(tables(max_rows=14), st.integers(1, 3), st.sampled_from([("mondrian", "tds"), ("topdown", "pais")]))
def test_a_script_gives_the_rows_of_the_release(tmp_path_factory, drawn, k, methods):
    """Of a method that finds classes and one that finds cuts, for a table that is opened once."""
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("script")
    frame = frame_of(names, rows)
    frame["kept"] = [n % 3 for n in range(len(rows))]
    frame.to_parquet(folder / "in.parquet")
    roles = {"class_": CLASS, "insensitive": ["kept"], "taxonomies": taxonomy_files(folder, names, paths)}
    with Project(source=folder / "in.parquet", **roles, requirement={"k": k}) as one, duckdb.connect() as plain:
        for method in methods:
            try:
                expected = released(one, method, folder / "out.parquet")
            except (ReleaseError, RequirementNotMet):
                with pytest.raises((ReleaseError, RequirementNotMet)):
                    one.sql(method)
                continue
            assert rows_of(one.sql(method), plain) == expected
            assert rows_of(one.sql(method, as_="script"), plain.cursor()) == expected


def persons():
    drawn = np.random.default_rng(3)
    size = np.round(drawn.normal(0, 1, 200), 1)
    size[::17] = np.nan
    size[::19] = -0.0
    return pd.DataFrame(
        {
            "age": drawn.integers(18, 60, 200),
            "it's": drawn.choice(["clerk", "co'ok", None], 200),
            "size": size,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(drawn.integers(0, 90, 200), unit="D"),
            "class": drawn.choice(["a", "b"], 200),
        }
    )


@pytest.fixture
def export(tmp_path):
    persons().to_parquet(tmp_path / "in.parquet")
    return {"source": tmp_path / "in.parquet", "class_": "class", "requirement": {"k": 4}}


@pytest.mark.slow
def test_types_null_and_zeros(tmp_path, export):
    with Project(**export, methods={"mondrian": {"strict": False}}) as one:
        text = one.sql("mondrian", as_="script")
        assert text.startswith("-- anonduck")
        assert text.count("CREATE TEMPORARY TABLE") == 1
        expected = released(one, "mondrian", tmp_path / "out.parquet")
        assert len(expected) == 200
        assert rows_of(text) == expected


@pytest.mark.slow
def test_cuts_have_a_table_and_a_join_for_each_column(tmp_path, export):
    with Project(**export) as one:
        expected = released(one, "pais", tmp_path / "out.parquet")
        names = [name for name in pd.read_parquet(tmp_path / "out.parquet") if name != "class"]
        text = one.sql("pais", as_="script")
    assert text.count("CREATE TEMPORARY TABLE") == len(names) > 1
    assert text.count("JOIN") == 2 * len(names)  # of the guard, of the SELECT
    assert rows_of(text) == expected
    connection = duckdb.connect()
    connection.register("others", persons().assign(age=99, size=99.0, since=pd.Timestamp("1999-01-01")))
    with (
        Project(**export) as one,
        pytest.raises(duckdb.InvalidInputException, match="a value that the release was not made of"),
    ):
        rows_of(one.sql("pais", table="others"), connection)


@pytest.mark.slow
def test_a_script_tells_of_no_class_and_no_size(export):
    with Project(**export) as one:
        (tree,) = [one for one in sqlglot.parse(one.sql("mondrian"), read="duckdb") if one is not None]
    (rows,) = tree.args["with_"].expressions
    names = [column.name for column in rows.args["alias"].columns]
    told = {f"{what}_{n}" for what in ("mark", "value", "shown") for n in range(4)}
    assert set(names) <= told


@pytest.mark.slow
def test_records_that_the_release_was_not_made_of(tmp_path, export):
    other = persons().assign(age=99)
    connection = duckdb.connect()
    connection.register("others", other)
    with Project(**export) as one:
        with pytest.raises(duckdb.InvalidInputException, match="that the release was not made of"):
            rows_of(one.sql("mondrian", table="others"), connection)
        written = one.sql("mondrian", dialect="postgres", table="others")
    assert "IS NOT DISTINCT FROM" not in written  # which no engine joins fast
    assert len([one for one in sqlglot.parse(written, read="postgres") if one is not None]) == 1


def test_what_has_no_script(export, monkeypatch, tmp_path):
    with Project(**export) as one:
        with pytest.raises(ConfigError, match="the dialect 'klingon' is not known"):
            one.sql("mondrian", dialect="klingon")
        with pytest.raises(RequirementNotMet):
            one.sql("mondrian", requirement={"k": 201})
        for method in ("nsvdist", "probabilistic"):
            with pytest.raises(ConfigError, match=f"a release by {method} has no script"):
                one.sql(method)
        monkeypatch.setattr(registry, "METHODS", {"mondrian": replace(registry.METHODS["mondrian"], recoding="levels")})
        with pytest.raises(ConfigError, match="finds a rule, and has no script of its own"):
            one.sql("mondrian")
