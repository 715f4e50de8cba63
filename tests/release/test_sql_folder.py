"""`anonduck sql -o FOLDER`: the text of a release with its long lookup tables beside it, on each engine."""

import json
import re
from pathlib import Path

import duckdb
import pandas as pd
import pytest
import sqlglot
from oracles import people, project
from sql_engines import Table, counted, fetched, running, split

from anonduck import Project
from anonduck.errors import ConfigError
from anonduck.release.scripts import engine_texts
from anonduck.release.scripts.engine_texts import Passing
from anonduck.release.scripts.lookup_files import MOST_INLINE, file_text, loading
from anonduck.release.scripts.select_parts import ListedIntervals, ListedValues, LookupTable, lookup_name
from anonduck.statements.dialects import DIALECTS, dialect_named
from anonduck.statements.pipeline.builder_release import RuleColumn

ODD = ["", "NULL", "null", 'a "b", c', "it's", "a\nb", "\\", "\\n", " x ", "ü€", "#", "a,b"]
LONG = 3_000
OF_VALUES = re.compile(r"\(.*\),?|STRUCT\(.*\),?|.* AS \((VALUES|SELECT \* FROM UNNEST\(\[)|\]?\)?\),?")


def lines_of(text):
    """The lines of a text that are none of its lists of values."""
    return [line for line in text.splitlines() if not OF_VALUES.fullmatch(line)]


def exported(folder):
    """Records with a text, a number, a date and a moment of very many values, and NULL; and the table of them."""
    texts = [*ODD, *(f"job {n}" for n in range(LONG - len(ODD)))]
    start = pd.Timestamp("2024-01-01", tz="UTC")
    frame = pd.DataFrame(
        {
            "job": [None if n % 97 == 0 else texts[n % LONG] for n in range(2 * LONG)],
            "size": [None if n % 89 == 0 else (n % 2_500) / 4 for n in range(2 * LONG)],
            "day": [pd.Timestamp("1950-01-01") + pd.Timedelta(days=n % 2_000) for n in range(2 * LONG)],
            "at": [start + pd.Timedelta(seconds=7 * (n % 1_500)) for n in range(2 * LONG)],
            "few": [f"kind {n % 5}" for n in range(2 * LONG)],
            "class": [n % 2 for n in range(2 * LONG)],
        }
    )
    frame["day"] = frame["day"].dt.date
    frame.to_parquet(folder / "in.parquet")
    groups = {f"group {g}": texts[g::7] for g in range(7)}
    return {"job": {"groups": groups}, "size": {"intervals": 2}, "day": {"clusters": True}, "at": {"clusters": True}}


RULE = {"job": 1, "size": 1, "day": 1, "at": 1, "few": 0}


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    """A project of such an export, its folder, and the rows of a release by each of some rules."""
    folder = tmp_path_factory.mktemp("folder")
    told = {"class_": "class", "requirement": {"k": 1}, "models": [], "taxonomies": exported(folder)}
    with Project(source=folder / "in.parquet", **told) as one:
        for number, rule in enumerate((RULE, dict.fromkeys(RULE, 0))):
            one.release(rule, folder / f"{number}.parquet")
        yield one, folder, [(RULE, folder / "0.parquet"), (dict.fromkeys(RULE, 0), folder / "1.parquet")]


@pytest.mark.slow
def test_a_folder_gives_the_rows_of_the_release_in_duckdb(exports, monkeypatch):
    one, folder, releases = exports
    for number, (rule, released) in enumerate(releases):
        target = folder / f"duckdb {number}"
        text = one.sql(rule, output=target)
        files = sorted(file.name for file in target.iterdir())
        assert (
            files == ["release.sql", "shown_at.csv", "shown_day.csv", "shown_job.csv", "shown_size.csv"][: len(files)]
        )
        assert {file.stat().st_mode & 0o777 for file in target.iterdir()} == {0o600}
        assert text == (target / "release.sql").read_text()
        assert "job 17" not in text
        monkeypatch.chdir(target)
        assert duckdb.connect().execute(text).fetchall() == duckdb.sql(f"FROM '{released}'").fetchall()
        assert len(lines_of(text)) <= 120


@pytest.mark.slow
def test_the_head_says_what_is_listed_and_how_much_of_it_few_records_hold(exports, tmp_path):
    one, _, _ = exports
    text = one.sql(RULE, requirement={"k": 3}, output=tmp_path / "folder")
    head = text.partition("CREATE")[0]
    assert "It lists 3,000 values of job; of those in the source, 3,000 are held by fewer than 3 records." in head
    assert "It lists 5 values of few." in head
    assert "It holds values of the source" in head
    assert "It stops unless each class has 3 records." in head
    assert "It reads shown_job.csv in the folder in which DuckDB runs." in head


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dialect", ["postgres", "spark"])
def test_a_folder_gives_the_rows_of_the_release_on_an_engine(exports, tmp_path, dialect):
    one, folder, releases = exports
    with running(dialect) as engine, duckdb.connect() as connection:
        connection.execute(f"SET TimeZone = 'UTC'; CREATE TABLE held AS FROM '{folder}/in.parquet'")
        engine.load("held", Table(connection, "held"))
        for number, (rule, released) in enumerate(releases):
            target = tmp_path / str(number)
            text = one.sql(rule, dialect=dialect, table="held", output=target)
            assert (target / "shown_job.csv").exists()
            kinds, rows = fetched(connection, f"FROM '{released}'")
            assert counted(of_engine(engine, text, target), kinds.values()) == counted(rows, kinds.values())


def of_engine(engine, text, folder):
    """The rows of a text whose files are in a folder; PostgreSQL takes them as psql would send them."""
    found = None
    for line in re.split(r"(?m)^(\\copy [^\n]*)\n", text.replace("'shown_", f"'{folder}/shown_")):
        if line.startswith("\\copy"):
            path = Path(line.split("FROM '")[1].split("'")[0])
            with (
                engine.connection.cursor() as cursor,
                cursor.copy(line.removeprefix("\\").replace(f"'{path}'", "STDIN")) as copy,
            ):
                copy.write(path.read_bytes())
            continue
        for statement in split(line, engine.dialect):
            if re.sub(r"(?m)^--.*\n?", "", statement).strip():
                found = engine.execute(statement)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "databricks"])
def test_a_folder_parses_in_its_dialect_and_says_how_it_is_loaded(exports, tmp_path, dialect):
    one, _, _ = exports
    text = one.sql(RULE, dialect=dialect, table="shop.held", output=tmp_path / "folder")
    trees = [tree for tree in sqlglot.parse(text, read=dialect) if tree is not None]
    made = [tree for tree in trees if isinstance(tree, sqlglot.exp.Create)]
    files = {file.stem for file in (tmp_path / "folder").glob("*.csv")}
    assert {tree.find(sqlglot.exp.Table).name for tree in made} == files
    assert len(trees) == len(made) + 1
    assert all(f"{name}.csv" in text.partition("CREATE")[0] for name in files)
    assert len(lines_of(text)) <= 120


def test_files_of_a_folder_are_replaced_on_request_alone(tmp_path):
    people(60).to_parquet(tmp_path / "in.parquet")
    with project(tmp_path / "in.parquet", requirement={"k": 1}) as one:
        one.sql({"age": 1}, output=tmp_path / "folder")
        (tmp_path / "folder" / "mine.csv").write_text("mine")
        with pytest.raises(ConfigError, match=r"release.sql exists; `--overwrite` replaces it"):
            one.sql({"age": 2}, output=tmp_path / "folder")
        text = one.sql({"age": 2}, output=tmp_path / "folder", overwrite=True)
        assert (tmp_path / "folder" / "release.sql").read_text() == text
        assert (tmp_path / "folder" / "mine.csv").read_text() == "mine"
        one.sql({"age": 1}, output=tmp_path / "one.sql")
        assert (tmp_path / "one.sql").is_file()


def seeded(text, properties, folder, connection):
    """The SELECT of a model, over seeds that a connection has loaded as dbt loads them."""
    select = text.partition("\n) }}\n")[2].replace("{{ ref('held') }}", "held")
    for seed in properties:
        name, kinds = seed["name"], seed["config"]["column_types"]
        select = select.replace(f"{{{{ ref('{name}') }}}}", name)
        read = f"read_csv('{folder}/seeds/{name}.csv', header = true, columns = {kinds}, quote = '\"', escape = '\"')"
        connection.execute(f"CREATE TABLE {name} AS FROM {read}")
    assert "{{" not in select
    return select


@pytest.mark.slow
def test_a_dbt_model_in_a_folder_reads_its_seeds(exports, tmp_path):
    """Its rows are those of the release, with seeds as dbt loads them: all columns by their types."""
    one, folder, [(_, released), _] = exports
    text = one.sql(RULE, as_="dbt", table="held", name="held_release", output=tmp_path)
    assert text == (tmp_path / "models" / "held_release.sql").read_text()
    properties = json.loads((tmp_path / "seeds" / "held_release.yml").read_text())["seeds"]
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE held AS FROM '{folder}/in.parquet'")
    select = seeded(text, properties, tmp_path, connection)
    assert {one["name"] for one in properties} == {
        f"held_release_shown_{name}" for name in ("size", "day", "at", "few")
    }, "a value of job is the word null, which dbt would take for NULL"
    expected = duckdb.sql(f"FROM '{released}'").fetchall()
    assert connection.execute(select).fetchall() == expected


def test_a_dbt_model_of_a_cut_tree_reads_its_seeds_and_says_which_values_it_lists(tmp_path):
    people(300).to_parquet(tmp_path / "in.parquet")
    with project(tmp_path / "in.parquet", requirement={"k": 5}) as one:
        text = one.sql("mondrian", as_="dbt", table="held", name="kept", output=tmp_path)
        one.anonymize("mondrian", tmp_path / "out.parquet")
    properties = json.loads((tmp_path / "seeds" / "kept.yml").read_text())["seeds"]
    assert {"kept_tree", "kept_shown", "kept_places_age", "kept_places_job"} <= {one["name"] for one in properties}
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE held AS FROM '{tmp_path}/in.parquet'")
    select = seeded(text, properties, tmp_path, connection)
    assert connection.execute(select).fetchall() == duckdb.sql(f"FROM '{tmp_path}/out.parquet'").fetchall()
    jobs = connection.execute("SELECT count(DISTINCT job) FROM held").fetchone()[0]
    assert f"-- It lists {jobs} values of job.\n" in text
    assert "combinations of values" not in text


def test_the_head_says_that_classes_without_a_tree_list_combinations(tmp_path):
    frame = people(60)
    frame.to_parquet(tmp_path / "in.parquet")
    with project(tmp_path / "in.parquet", requirement={"k": 5}) as one:
        text = one.sql("topdown", output=tmp_path / "folder")
        names = one.roles.quasi_identifiers
    assert f"-- It lists {len(frame[list(names)].drop_duplicates())} combinations of values.\n" in text


def test_a_wide_table_takes_few_lines():
    names = [f"column_{n}" for n in range(24)]
    listed = [
        ListedIntervals(name, "BIGINT", ((None, "low"), ("3", "high")))
        if n < 8
        else ListedValues(name, "VARCHAR", ((None, None), ("a", "b")))
        for n, name in enumerate(names)
    ]
    kinds = {one.name: one.kind for one in listed}
    for engine in DIALECTS.values():
        read = engine_texts.reading(engine, kinds, table="shop.held")
        columns = [RuleColumn(name, 1, 2, "*", looked_up=True) for name in names]
        text = engine_texts.select_text(columns, listed, read, passing=Passing(5, 0.1, {}))
        assert 60 < len(lines_of(text)) <= 120


def test_texts_of_all_kinds_are_read_back_from_a_file(tmp_path, monkeypatch):
    rows = [(value, None if n % 2 else value) for n, value in enumerate(ODD * (MOST_INLINE // len(ODD)))]
    lookup = LookupTable(lookup_name("A b"), {"key": "VARCHAR", "label": "VARCHAR"}, rows)
    engine = dialect_named("duckdb")
    (tmp_path / "shown_a_b.csv").write_text(file_text(lookup, engine))
    monkeypatch.chdir(tmp_path)
    connection = duckdb.connect()
    for statement in loading(lookup, engine):
        connection.execute(statement)
    assert connection.execute("FROM shown_a_b").fetchall() == rows
