"""`anonduck sql mondrian` and `tds`: a script that a plain DuckDB connection runs, with the rows of the release."""

import json
import re
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
    one.anonymize(method, path, overwrite=True)
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


def persons(seed=3):
    drawn = np.random.default_rng(seed)
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
        named = set(re.findall('CREATE TEMPORARY TABLE "([a-z_]+[a-z])', text))
        assert named >= {"class_of", "class_levels", "class_nodes", "class_shown", "shown_age"}
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
    assert text.count("JOIN") == len(names)
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
        (tree,) = [one for one in sqlglot.parse(one.sql("topdown"), read="duckdb") if one is not None]
    lists = tree.args["with_"].expressions
    names = [column.name for rows in lists for column in rows.args["alias"].columns]
    told = {f"{what}_{n}" for what in ("mark", "value", "shown", "level") for n in range(4)}
    assert set(names) <= told | {"vector", "place", "key", "lower", "upper", "label"}
    of = {one.alias: [row.expressions for row in one.find(sqlglot.exp.Values).expressions] for one in lists}
    classes, of_classes = of["class_nodes"], of["class_shown"]
    shown = [["" if cell.sql() == "NULL" else cell.name for cell in row[1:]] for row in of_classes]
    assert len({tuple(row) for row in shown}) == len(shown), "each once: how many look alike is not told"
    by_levels = [row[1].sql() for row in classes]
    assert len(by_levels) == len(shown)
    for number in set(by_levels):
        alike = [row for row, own in zip(shown, by_levels, strict=True) if own == number]
        assert alike == sorted(alike), "in an order that follows from what is shown"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "sequential"])
def test_unseen_combinations_show_what_a_locked_run_shows(tmp_path, export, method):
    """Values that no record had, known ones that were never together, NULL, NaN; nothing where no class covers them."""
    others = pd.concat([persons(), persons(4).assign(age=lambda table: table["age"] + 9)])
    config = {**export, "source": "in.parquet", "class": export["class_"], "models": []}
    del config["class_"]
    (tmp_path / "anonduck.yml").write_text(json.dumps(config))
    with Project(tmp_path / "anonduck.yml") as one:
        one.lock(method)
        texts = [one.sql(method, table="others", as_=form) for form in ("select", "script")]
        written = one.sql(method, dialect="postgres", table="others")
    others.to_parquet(tmp_path / "in.parquet")
    with Project(tmp_path / "anonduck.yml") as one:
        one.run(tmp_path / "out.parquet", locked=True)
    connection = duckdb.connect()
    connection.register("others", others)
    expected = duckdb.sql(f"SELECT * FROM '{tmp_path}/out.parquet'").fetchall()
    uncovered = sum(row[:-1] == ("*",) * 4 for row in expected)
    assert uncovered == 0 if method == "mondrian" else 4 <= uncovered < 100
    for text in texts:
        assert rows_of(text, connection) == expected
    assert "IS NOT DISTINCT FROM" not in written  # which no engine joins fast
    assert len([one for one in sqlglot.parse(written, read="postgres") if one is not None]) == 1


@pytest.mark.parametrize(
    ("columns", "more", "words"),
    [
        (["a", "b"], 3, "misses what is required of it"),
        (["a", "b"], 4, None),
        ([1, 2], 4, "that the release was not made of"),
    ],
)
def test_records_that_no_class_covers(columns, more, words):
    """They show nothing, and where they are fewer than k the text stops; so it does where a column holds numbers.

    Of a method that lists combinations; a cut tree covers all.
    """
    table = pd.DataFrame({"one": columns * 8, "other": list("xy") * 8, "class": [0, 1] * 8})
    connection = duckdb.connect()
    connection.register("source", table)
    connection.register("others", pd.concat([table, *[table.assign(other="x").tail(1)] * more]))
    with Project(source=table, class_="class", requirement={"k": 4}, models=[]) as one:
        assert len(rows_of(one.sql("topdown"), connection)) == 16
        text = one.sql("topdown", table="others")
    if words is None:
        assert sorted(rows_of(text, connection)) == sorted([("a", "x", 0), ("b", "y", 1)] * 8 + [("*", "*", 1)] * 4)
    else:
        with pytest.raises(duckdb.InvalidInputException, match=words):
            rows_of(text, connection)


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
