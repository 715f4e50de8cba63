"""Models of dbt and SQLMesh as texts: what they read, what they check, and that no value is taken for a template."""

import json
from collections import defaultdict

import duckdb
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import people, project

from anonduck import Project
from anonduck.cli.app import run
from anonduck.errors import ConfigError
from anonduck.release.dbt.model import OPEN, as_template, copy_package, package_folder
from anonduck.release.scripts import engine_texts
from anonduck.release.scripts.engine_texts import Passing
from anonduck.release.scripts.gates import MISSED, passing_rows, small_classes, uniform_classes
from anonduck.statements.dialects import dialect_named
from anonduck.statements.pipeline.builder_release import RuleColumn

TAGS = ("{{", "{%", "{#")
READS = {
    "people": "{{ ref('people') }}",
    'ref("people")': "{{ ref('people') }}",
    "{{ source('raw', 'people') }}": "{{ source('raw', 'people') }}",
    "ref('shop', 'people', v=2)": "{{ ref('shop', 'people', v=2) }}",
}
NO_MODELS = [
    "raw.people",
    "ref()",
    "ref(people)",
    "ref('a') or 1",
    "drop('x')",
    "ref('a', *b)",
    "{{ ref('a') }} --",
    "",
]


@pytest.fixture(scope="module")
def one():
    with project(people(120), sensitive=["note"], insensitive=[], requirement={"k": 5, "l": 2, "t": 0.9}) as opened:
        yield opened


@given(st.text(st.sampled_from("{}%#'\"ax \n"), max_size=30))
@examples(200)
def test_a_text_is_rendered_as_it_was(text):
    """Each opening of a tag in the template is one of ours, and stands for a brace."""
    template = as_template(text)
    pieces = template.split(OPEN)
    assert "{".join(pieces) == text
    assert not [tag for piece in pieces for tag in TAGS if tag in piece]


@pytest.mark.parametrize("given_", READS)
def test_a_dbt_model_reads_what_is_named(one, given_):
    assert f"FROM {READS[given_]} AS" in one.sql({"rate": 0}, as_="dbt", table=given_)


@pytest.mark.parametrize("given_", NO_MODELS)
def test_what_is_no_model_of_dbt_is_refused(one, given_):
    with pytest.raises(ConfigError, match="a dbt model reads the name of a model"):
        one.sql({"rate": 0}, as_="dbt", table=given_)


@pytest.mark.slow
def test_a_dbt_model_says_what_its_hooks_require(one):
    text = one.sql({"rate": 0, "age": 5}, as_="dbt", table="people", identifiers="upper", requirement={"k": 7})
    assert 'meta={"anonduck": {"k": 7, "quasi_identifiers": ["RATE"]}}' in text
    hooks = text.partition("post_hook=")[2].splitlines()[0]
    assert json.loads(hooks) == ["{{ anonduck.anonduck_require_k() }}", '{{ anonduck.anonduck_require_l("NOTE", 2) }}']
    assert "Required and not checked here: t." in text


def test_the_staged_model_of_sqlmesh_has_an_audit_for_each_requirement(one, tmp_path):
    asked = {"as_": "sqlmesh", "table": "raw.people", "name": "privacy.people"}
    text = one.sql({"rate": 0}, **asked, output=tmp_path)
    staged, published = ((tmp_path / name).read_text() for name in ("people_staged.sql", "people.sql"))
    assert text == f"-- people_staged.sql\n{staged}\n-- people.sql\n{published}"
    assert "name privacy_staged.people,\n  kind FULL,\n  dialect duckdb,\n  audits (anonduck_k, anonduck_l_1)" in staged
    assert "name privacy.people,\n  kind FULL,\n  dialect duckdb\n);" in published
    assert (staged.count("@this_model"), published.count("@this_model")) == (2, 0)
    assert "FROM privacy_staged.people AS s" in published
    assert "JINJA" not in text


def test_the_models_of_sqlmesh_are_written_both_or_not_at_all(one, tmp_path):
    asked = {"rule": {"rate": 0}, "as_": "sqlmesh", "table": "raw.people", "name": "privacy.people"}
    (tmp_path / "people.sql").write_text("mine")
    for output, words in (
        (tmp_path, "people.sql exists"),
        (tmp_path / "people.sql", "is a file"),
        (tmp_path / "none" / "none", "cannot be made"),
    ):
        with pytest.raises(ConfigError, match=words):
            one.sql(**asked, output=output)
    assert [file.name for file in tmp_path.iterdir()] == ["people.sql"]
    one.sql(**asked, output=tmp_path, overwrite=True)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["people.sql", "people_staged.sql"]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


WRONG = [
    ({"as_": "dbt"}, "name what the model reads"),
    ({"as_": "sqlmesh"}, "name the model that it reads"),
    ({"as_": "sqlmesh", "table": "a b"}, "'a b' is no name of a SQLMesh model"),
    ({"as_": "sqlmesh", "table": "a", "name": "x;y"}, "'x;y' is no name of a SQLMesh model"),
    ({"as_": "dbt", "table": "a", "name": "x"}, "called like its file"),
    ({"name": "x"}, "goes with `--as sqlmesh`"),
    ({"as_": "dbt", "table": "a", "rule": "nsvdist"}, "what a record shows depends on other records"),
    ({"as_": "dbt", "table": "a", "rule": None}, "there is no lock file"),
    ({"as_": "jinja"}, "there is no 'jinja' here"),
]


@pytest.mark.parametrize(("asked", "words"), WRONG)
def test_what_cannot_be_written_is_refused(one, asked, words):
    with pytest.raises(ConfigError, match=words):
        one.sql(**{"rule": {"rate": 0}, **asked})


@pytest.mark.slow
def test_models_of_what_a_method_found_show_the_next_export_as_a_locked_run_does(tmp_path):
    """dbt's and SQLMesh's; of the candidate, and where nothing is named of what is locked."""
    keys = {"source": "people.parquet", "class": "class", "identifiers": ["id"], "models": ["tree"]}
    keys |= {"requirement": {"k": 5}, "methods": ["rules", "mondrian"], "holdout": 0, "drop": ["note", "rate"]}
    more = pd.concat([people(300), people(300, seed=4)])
    people(300).to_parquet(tmp_path / "people.parquet")
    (tmp_path / "anonduck.yml").write_text(json.dumps(keys))
    with Project(tmp_path / "anonduck.yml") as one:
        one.discover()
        one.lock("M1")
        named = one.sql("M1", as_="dbt", table="people")
        locked = one.sql(None, as_="dbt", table="people")
        stricter = one.sql("M2", as_="dbt", table="people")
        models = one.sql("M1", as_="sqlmesh", table="raw.people", name="privacy.people", output=tmp_path)
    assert "the release of M1 (mondrian), as a model of dbt" in named
    assert "the release of mondrian, as a model of dbt" in locked
    assert "Made from anonduck.lock.yml" in locked
    assert '"k": 5, "quasi_identifiers": ["age", "job"]' in named
    assert '"k": 5, ' in stricter, "what the config requires, though M2 was found for 20"
    assert "Each record has a class" in named
    more.to_parquet(tmp_path / "people.parquet")
    with Project(tmp_path / "anonduck.yml") as one:
        one.run(tmp_path / "out.parquet", locked=True)
    expected = duckdb.sql(f"SELECT * FROM '{tmp_path}/out.parquet'").fetchall()
    connection = duckdb.connect()
    connection.register("people", more)
    for text in (named, locked):
        select = text.partition("\n) }}\n")[2].replace("{{ ref('people') }}", "people")
        assert connection.execute(select).fetchall() == expected
    staged = (tmp_path / "people_staged.sql").read_text()
    assert staged in models
    query = staged.partition(");\n\n")[2].partition("AUDIT (")[0].replace("raw.people", "people")
    assert connection.execute(query).fetchall() == expected


def test_the_package_is_copied_whole(tmp_path, capsys):
    assert run(["dbt-package", str(tmp_path / "package")]) == 0
    files = {path.relative_to(package_folder()) for path in package_folder().rglob("*") if path.is_file()}
    assert {path.relative_to(tmp_path / "package") for path in (tmp_path / "package").rglob("*.*")} == files
    assert {path.suffix for path in files} == {".sql", ".yml"}
    with pytest.raises(ConfigError, match="is there already"):
        copy_package(tmp_path / "package")
    capsys.readouterr()
    assert run(["dbt-package"]) == 0
    assert capsys.readouterr().out.strip() == str(package_folder())


# -- the audits against brute force ------------------------------------------------------------------------------------

VALUES = st.sampled_from([None, 0, 1])
TEXTS = st.sampled_from([None, "a", "A"])


@pytest.mark.slow
@given(st.lists(st.tuples(TEXTS, VALUES, TEXTS), max_size=14), st.integers(1, 4))
@examples(40)
def test_gates_count_what_brute_force_counts(rows, least):
    connection = duckdb.connect()
    connection.execute("SET default_collation = 'nocase'")
    connection.execute('CREATE TABLE t ("a ""b" VARCHAR, "select" INTEGER, s VARCHAR COLLATE nocase)')
    if rows:
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    classes = defaultdict(list)
    for row in rows:
        classes[row[:2]].append(row[2])
    engine, names = dialect_named("duckdb"), ['a "b', "select"]
    for text, reached in (
        (small_classes("t", names, least, engine), len),
        (uniform_classes("t", names, "s", least, engine), lambda values: len(set(values))),
    ):
        failing = [values for values in classes.values() if reached(values) < least]
        counts = (len(failing), sum(map(len, failing)), min(map(reached, failing), default=0))
        assert connection.execute(text).fetchall() == ([counts] if failing else [])
    met = all(len(values) >= least and len(set(values)) >= least for values in classes.values())
    passing = passing_rows("t", names, least, {"s": least}, engine)
    if met:
        assert len(connection.execute(passing).fetchall()) == len(rows)
    else:
        with pytest.raises(duckdb.InvalidInputException, match=MISSED):
            connection.execute(passing).fetchall()


GATED = [RuleColumn('a "b', 0, 1), RuleColumn("class_size", 0, 1), RuleColumn("s", None)]
GATED_KINDS = {'a "b': "VARCHAR", "class_size": "INTEGER", "s": "VARCHAR"}


@pytest.mark.slow
@given(st.lists(st.tuples(TEXTS, VALUES, TEXTS), max_size=14), st.integers(1, 4), st.integers(1, 2), st.booleans())
@examples(40)
def test_a_text_gives_all_rows_or_none(rows, k, least, leaves_out):
    """Against brute force: it stops where a class is too small or too much alike, or too many would be left out."""
    connection = duckdb.connect()
    connection.execute("SET default_collation = 'nocase'")
    connection.execute('CREATE TABLE t ("a ""b" VARCHAR, "class_size" INTEGER, s VARCHAR COLLATE nocase)')
    if rows:
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    classes = defaultdict(list)
    for row in rows:
        classes[row[:2]].append(row[2])
    passing = Passing(k, 0.4) if leaves_out else Passing(k, None, {"s": least})
    read = engine_texts.reading(dialect_named("duckdb"), GATED_KINDS, table="t")
    text = engine_texts.select_text(GATED, [], read, passing=passing)
    small = [row for row in rows if len(classes[row[:2]]) < k]
    if leaves_out:
        met, kept = len(small) <= 0.4 * len(rows), len(rows) - len(small)
    else:
        met, kept = not small and all(len(set(values)) >= least for values in classes.values()), len(rows)
    if met:
        assert len(connection.execute(text).fetchall()) == kept
    else:
        with pytest.raises(duckdb.InvalidInputException, match=MISSED):
            connection.execute(text).fetchall()
