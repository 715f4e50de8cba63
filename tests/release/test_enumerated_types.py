"""Types that list values: no release, nor a table made of its SQL, has a value that only records left out hold."""

from pathlib import Path

import duckdb
import pandas as pd
import pytest

from anonduck import Project
from anonduck.config.reading import make_config
from anonduck.errors import SourceError
from anonduck.init.init import suggest

SECRET, UNHELD = "HIV-MrSmith", "held by nobody"
KEYS = {
    "class_": "class",
    "quasi_identifiers": ["job"],
    "insensitive": ["note", "nested", "counted"],
    "models": [],
    "requirement": {"k": 2, "suppression": 0.2},
}
ROWS = f"""
    SELECT job::mood AS job, class, job::mood AS note, {{'a': [job::mood], 'b': 1}} AS nested,
        MAP {{coalesce(job, 'cook')::mood: 1}} AS counted
    FROM (VALUES ('cook', 'y'), ('cook', 'n'), (NULL, 'y'), (NULL, 'n'), ('nurse', 'y'), ('nurse', 'n'),
        ('{SECRET}', 'y')) AS v(job, class)"""
KINDS = {
    "job": "VARCHAR",
    "class": "VARCHAR",
    "note": "VARCHAR",
    "nested": "STRUCT(a VARCHAR[], b INTEGER)",
    "counted": "MAP(VARCHAR, INTEGER)",
}


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TYPE mood AS ENUM ('nurse', '{SECRET}', 'cook', '{UNHELD}')")
        connection.execute(f"CREATE TABLE people AS {ROWS}")
    return f"{path}::people"


def kinds(connection, relation):
    return {name: kind for name, kind, *_ in connection.execute(f"DESCRIBE FROM {relation}").fetchall()}


def lists_hidden(path):
    held = path.read_bytes()
    return [text for text in (SECRET, UNHELD) if text.encode() in held]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["out.duckdb::shop.people", "out.parquet", "out.csv"])
def test_no_file_of_a_release_has_a_value_that_was_left_out(source, tmp_path, target):
    """Nor has a database in which a table of an earlier release lists it."""
    if "::" in target:
        with duckdb.connect(str(tmp_path / "out.duckdb")) as connection:
            connection.execute(f"CREATE SCHEMA shop; CREATE TABLE shop.people AS SELECT '{SECRET}'::ENUM ('{SECRET}')")
            connection.execute("CREATE TABLE shop.kept AS SELECT 1 AS one")
    with Project(source=source, **KEYS) as one:
        made = one.release({"job": 0}, tmp_path / target, overwrite=True)
    assert (made.rows, made.suppressed, made.k) == (6, 1, 2)
    files = [
        path for path in tmp_path.iterdir() if path.name.startswith("out.") and not path.name.endswith(".owner.json")
    ]
    assert len(files) == 4
    assert {path.name: lists_hidden(path) for path in files if lists_hidden(path)} == {}
    if target != "out.csv":
        with duckdb.connect(str(tmp_path / "out.duckdb")) as connection:
            relation = "shop.people" if "::" in target else f"'{tmp_path / target}'"
            assert kinds(connection, relation) == KINDS


@pytest.mark.slow
def test_a_categorical_is_released_as_texts(tmp_path):
    jobs = ["cook", "nurse", None] * 2 + [SECRET]
    categories = pd.CategoricalDtype(["cook", SECRET, "nurse", UNHELD], ordered=True)
    frame = pd.DataFrame({"job": pd.Series(jobs, dtype=categories), "class": [0, 1, 0, 1, 0, 1, 0]})
    with Project(source=frame, **KEYS | {"insensitive": []}) as one:
        one.release({"job": 0}, tmp_path / "out.duckdb::people")
        assert not isinstance(one.apply({"job": 0})["job"].dtype, pd.CategoricalDtype)
    assert lists_hidden(tmp_path / "out.duckdb") == []


@pytest.mark.slow
@pytest.mark.parametrize("form", ["select", "script"])
def test_a_table_made_of_the_text_of_a_release_lists_nothing(source, form):
    with Project(source=source, **KEYS) as one:
        texts = [one.sql({"job": 0}, as_=form), one.sql({"job": 0}, as_=form, table="people")]
    for text in texts:
        assert UNHELD not in text
        with duckdb.connect() as connection:
            connection.execute(f"CREATE TYPE mood AS ENUM ('nurse', '{SECRET}', 'cook', '{UNHELD}')")
            connection.execute(f"CREATE TABLE people AS {ROWS}")
            *before, select = connection.extract_statements(text)
            for statement in before:
                connection.execute(statement)
            connection.execute(f"CREATE TABLE made AS {select.query.rstrip().rstrip(';')}")
            assert kinds(connection, "made") == KINDS
            assert connection.execute("SELECT count(*) FROM made").fetchall() == [(6,)]


def test_the_types_of_a_config_are_held_to_what_they_list(tmp_path):
    """A value that the ENUM lacks is refused, and the column is text all the same."""
    frame = pd.DataFrame({"job": ["cook", "cook", "nurse", "nurse"], "class": [0, 1, 0, 1]})
    keys = {"source": frame, "class_": "class", "requirement": {"k": 2}, "models": []}
    with Project(**keys, types={"job": f"ENUM ('cook', 'nurse', '{UNHELD}')"}) as one:
        assert one.source.column("job").type == "VARCHAR"
        one.release({"job": 0}, tmp_path / "out.duckdb::people")
    assert lists_hidden(tmp_path / "out.duckdb") == []
    with (
        Project(**keys, types={"job": "ENUM ('cook')"}) as one,
        pytest.raises(SourceError, match="does not fit its type") as refused,
    ):
        one.release({"job": 0}, tmp_path / "other.csv")
    assert "nurse" not in str(refused.value)


ORDER = ["low", "mid", "high", "top"]


def proposed(data):
    """The taxonomy of x that ``init`` proposes for a table."""
    found = suggest(make_config({"class": "class"}), Path(), {}, data=data)
    return {column.profile.name: column.taxonomy for column in found.proposal.columns}["x"]


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (pd.CategoricalDtype(ORDER, ordered=True), ORDER, {"order": ORDER}),
        (pd.CategoricalDtype(ORDER), ORDER, {"clusters": True}),
        (pd.CategoricalDtype([*ORDER, UNHELD], ordered=True), ORDER, {"clusters": True}),
        ("str", ORDER, {"clusters": True}),
    ],
    ids=["ordered", "categories without an order", "a value that nobody holds", "text"],
)
def test_init_follows_the_order_that_a_type_declares(kind, values, expected):
    frame = pd.DataFrame({"x": pd.Series(values * 25, dtype=kind), "class": ["y", "n"] * 50})
    assert proposed(frame) == expected


def test_init_names_no_value_of_an_order_that_few_hold():
    values = [*ORDER[:3] * 30, *ORDER[3:] * 4]
    frame = pd.DataFrame({"x": pd.Categorical(values, ORDER, ordered=True), "class": ["y", "n"] * 47})
    assert proposed(frame) == {"clusters": True}
