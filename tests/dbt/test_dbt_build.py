"""dbt itself: a release as a model, builds that fail and leave the old table, tests that count, the plugin."""

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from building import add_models, dbt_project, ran, results
from oracles import people

from anonduck import Project
from anonduck.release.dbt.model import OPEN

ODD_JOBS = {"clerk": "{{ ref('x') }}", "cook": "{% raw %}it's", "nurse": "{# no #}", "smith": 'a"b\\n;'}
HIERARCHY = pd.DataFrame({"value": list(ODD_JOBS.values()), "label": ["{{ 1 }}", "{%", "care", "{{{#"], "root": "*"})
CONFIG = {
    "source": "people.parquet",
    "class": "class",
    "identifiers": ["id"],
    "sensitive": ["note"],
    "taxonomies": {"job": {"file": "job.csv"}},
    "requirement": {"k": 5, "l": 2},
    "models": [],
}
COUNTS = ["failing_classes", "failing_records", "reached"]


def export(folder, rows=400):
    """A project of anonduck whose values look like Jinja."""
    frame = people(rows)
    frame["job"] = frame["job"].map(ODD_JOBS)
    frame.to_parquet(folder / "people.parquet")
    HIERARCHY.to_csv(folder / "job.csv", index=False, header=False)
    (folder / "anonduck.yml").write_text(json.dumps(CONFIG))
    return Project(folder / "anonduck.yml")


def stored(shop, text):
    with duckdb.connect(str(shop / "shop.duckdb")) as connection:
        return connection.execute(text).fetchall()


def tables(shop):
    return {name for (name,) in stored(shop, "SELECT table_name FROM information_schema.tables")}


def bag(rows):
    return Counter(tuple(str(value) for value in row) for row in rows)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A dbt project whose model is a locked rule, built; with the project of anonduck."""
    folder = tmp_path_factory.mktemp("dbt")
    shop = dbt_project(folder / "shop")
    with export(folder) as one:
        stored(shop, f"CREATE SCHEMA raw; CREATE TABLE raw.people AS FROM '{folder / 'people.parquet'}'")
        one.lock({"job": 1})
        add_models(shop, released=one.sql(as_="dbt", table="source('raw', 'people')"))
        (shop / "models" / "raw.yml").write_text("sources: [{name: raw, tables: [{name: people}]}]\n")
        code, told = ran(shop, "dbt", "build")
        assert code == 0, told
        yield folder, shop, one


def test_values_that_look_like_templates_stand_in_the_model_as_templates_of_themselves(tmp_path):
    with export(tmp_path) as one:
        text = one.sql({"job": 1}, as_="dbt", table="people")
    query = text.partition(") }}")[2]
    assert query.count("{{ ref('people') }}") == 1
    assert """'{{ "{" }}{ ref(''x'') }}'""" in query
    assert f"'{3 * OPEN}#'" in query


@pytest.mark.slow
def test_the_model_of_the_locked_rule_has_the_rows_of_the_release(built):
    folder, shop, one = built
    made = one.run(folder / "out.parquet", locked=True, report=False)
    rows = duckdb.sql(f"FROM '{folder / 'out.parquet'}'").fetchall()
    assert bag(stored(shop, "FROM main.released")) == bag(rows)
    assert made.release.rows == len(rows)
    compiled = next((shop / "target" / "compiled").rglob("released.sql")).read_text()
    assert "it''s" in compiled  # as the documentation says


@pytest.mark.slow
def test_a_build_that_breaks_k_leaves_the_previous_table(built):
    _, shop, one = built
    before, there = stored(shop, "FROM main.released"), tables(shop)
    finer = one.sql({"job": 1, "age": 1}, as_="dbt", table="source('raw', 'people')")
    add_models(shop, released=finer, never=finer)
    code, told = ran(shop, "dbt", "build")
    (shop / "models" / "never.sql").unlink()
    assert code == 1
    assert "reaches k = 1, under the required 5" in told
    assert not [job for job in (*ODD_JOBS.values(), "care") if job in told]
    assert (stored(shop, "FROM main.released"), tables(shop)) == (before, there)


@pytest.mark.nightly
@pytest.mark.slow
def test_a_build_that_breaks_l_leaves_the_previous_table(built):
    _, shop, one = built
    before = stored(shop, "FROM main.released")
    text = one.sql({"job": 1}, as_="dbt", table="source('raw', 'people')", requirement={"l": 4})
    add_models(shop, released=text)
    code, told = ran(shop, "dbt", "build")
    assert code == 1
    assert "reaches l = 3, under the required 4: 5 classes with 400 records fall short" in told
    assert stored(shop, "FROM main.released") == before


@pytest.mark.nightly
@pytest.mark.slow
def test_an_unknown_value_stops_the_model(built):
    _, shop, one = built
    before = stored(shop, "FROM main.released")
    stored(shop, "INSERT INTO raw.people SELECT * REPLACE ('boss' AS job) FROM raw.people LIMIT 1")
    add_models(shop, released=one.sql(as_="dbt", table="source('raw', 'people')"))
    code, told = ran(shop, "dbt", "build")
    stored(shop, "DELETE FROM raw.people WHERE job = 'boss'")
    assert code == 1
    assert "boss" not in told
    assert stored(shop, "FROM main.released") == before


@pytest.mark.nightly
@pytest.mark.slow
def test_what_is_staged_and_fails_its_test_is_not_published(tmp_path):
    """For adapters without a transaction around the swap."""
    shop = dbt_project(tmp_path / "shop")
    stored(shop, "CREATE TABLE people AS SELECT range // 3 AS age FROM range(9)")
    tested = {"name": "staged", "data_tests": [{"anonduck.k_anonymity": {"arguments": {"k": 3}}}]}
    (shop / "models" / "staged.yml").write_text(json.dumps({"models": [tested]}))
    add_models(shop, staged="SELECT age FROM people", published=PUBLISHED)
    assert ran(shop, "dbt", "build")[0] == 0
    stored(shop, "INSERT INTO people VALUES (99)")
    assert ran(shop, "dbt", "build")[0] == 1
    assert results(shop)["published"]["status"] == "skipped"
    assert stored(shop, "SELECT max(age), count(*) FROM published") == [(2, 9)]
    assert stored(shop, "SELECT max(age) FROM staged") == [(99,)]


PUBLISHED = "{{ config(materialized='table') }} SELECT * FROM {{ ref('staged') }}"

# -- generic tests -----------------------------------------------------------------------------------------------------

ODD = 'A "b", {{ c'
LOOSE, TEXTS = "VARCHAR COLLATE nocase", {None: None, 1: "a", 2: "A"}


def random_table(seed):
    """Two quasi-identifiers and a sensitive column, each with NULLs, of few rows; the classes of some meet all.

    In the first and the last, 1 and 2 stand for texts that the collation of their column takes for equal.
    """
    draws = np.random.default_rng(seed)
    rows = draws.integers(0, 3, (int(draws.integers(1, 25)), 3)).astype(object)
    rows[rows == 0] = None
    drawn = [tuple(row) for row in rows]
    return drawn if seed % 2 else [(first, second, secret) for first, second, _ in drawn for secret in (None, 1, 1)]


def shortfall(rows, least, reached):
    """Failing classes, failing records and what is reached, by brute force; ``reached`` of the rows of a class."""
    classes = defaultdict(list)
    for row in rows:
        classes[row[:2]].append(row[2])
    sizes = {key: reached(values) for key, values in classes.items()}
    failing = [key for key, size in sizes.items() if size < least]
    return len(failing), sum(len(classes[key]) for key in failing), min(sizes.values())


@pytest.mark.nightly
@pytest.mark.slow
def test_generic_tests_count_what_brute_force_counts_and_store_no_class(tmp_path):
    shop, named = dbt_project(tmp_path / "shop"), []
    connection = duckdb.connect(str(shop / "shop.duckdb"))
    connection.execute("CREATE SCHEMA raw")
    drawn = {f"t{seed}": random_table(seed) for seed in range(6)}
    for name, rows in drawn.items():
        quoted = ODD.replace('"', '""')
        connection.execute(f'CREATE TABLE raw.{name} ("{quoted}" {LOOSE}, second INTEGER, secret {LOOSE})')
        held = [(TEXTS[first], second, TEXTS[secret]) for first, second, secret in rows]
        connection.executemany(f"INSERT INTO raw.{name} VALUES (?, ?, ?)", held)
        add_models(shop, **{name: f"{{{{ config(materialized='view') }}}} SELECT * FROM raw.{name}"})
        k = {"name": f"k_{name}", "arguments": {"k": 3, "others": ["SECRET"]}, "config": {"store_failures": True}}
        l_two = {"name": f"l_{name}", "arguments": {"l": 2}, "config": {"store_failures": True}}
        columns = [{"name": "secret", "data_tests": [{"anonduck.l_diversity": l_two}]}]
        named.append({"name": name, "data_tests": [{"anonduck.k_anonymity": k}], "columns": columns})
    connection.close()
    second = {"name": "k_second", "arguments": {"k": 2, "quasi_identifiers": ["second"]}}
    named[0]["data_tests"].append({"anonduck.k_anonymity": second})
    (shop / "models" / "schema.yml").write_text(json.dumps({"models": named}))
    _, told = ran(shop, "dbt", "build")
    found, failed = results(shop), 0
    for name, rows in drawn.items():
        by_k = shortfall(rows, 3, len)
        by_l = shortfall(rows, 2, lambda values: len(set(values)))
        for test, expected in ((f"k_{name}", by_k), (f"l_{name}", by_l)):
            assert found[test]["failures"] == expected[0], told
            assert (found[test]["status"] == "pass") == (expected[0] == 0)
            kept = stored(shop, f"SELECT {', '.join(COUNTS)} FROM main_dbt_test__audit.{test}")
            assert kept == ([expected] if expected[0] else [])
            names = [row[0] for row in stored(shop, f"DESCRIBE main_dbt_test__audit.{test}")]
            assert names == COUNTS
            failed += expected[0] > 0
    assert 0 < failed < 12
    sizes = Counter(row[1] for row in drawn["t0"])
    assert found["k_second"]["failures"] == sum(size < 2 for size in sizes.values())


# -- the plugin --------------------------------------------------------------------------------------------------------

AUDITED = """{{ config(materialized='external', location='%s', plugin='anonduck', meta={'anonduck': %s}) }}
SELECT * FROM {{ source('%s', 'people') }}"""


@pytest.mark.slow
def test_the_plugin_loads_releases_and_audits_what_was_written(tmp_path):
    config = {"project": str(tmp_path / "anonduck.yml")}
    plugin = {"module": "anonduck.release.dbt.plugin", "alias": "anonduck", "config": config}
    with export(tmp_path) as one:
        one.lock({"job": 1})
        one.run(tmp_path / "out.parquet", locked=True, report=False)
        one.release({"rate": 0}, tmp_path / "by_rule.parquet")
    shop = dbt_project(tmp_path / "shop", [plugin])
    sources = [
        {"name": "locked", "config": {"meta": {"plugin": "anonduck"}}, "tables": [{"name": "people"}]},
        {"name": "ruled", "config": {"meta": {"plugin": "anonduck", "rule": "rate=0"}}, "tables": [{"name": "people"}]},
        {"name": "fine", "config": {"meta": {"plugin": "anonduck", "rule": "age=0"}}, "tables": [{"name": "people"}]},
    ]
    (shop / "models" / "sources.yml").write_text(json.dumps({"sources": sources}))
    good, bad = shop / "good.parquet", shop / "bad.parquet"
    add_models(
        shop,
        good=AUDITED % (good, {}, "locked"),
        bad=AUDITED % (bad, {"k": 1_000}, "ruled"),
        odd=AUDITED % (shop / "odd.parquet", {"kk": 2}, "ruled"),
        refused="SELECT * FROM {{ source('fine', 'people') }}",
    )
    code, told = ran(shop, "dbt", "run")
    assert code == 1
    found = results(shop)
    done = {name: one["status"] for name, one in found.items() if name != "refused"}
    assert done == {"good": "success", "bad": "error", "odd": "error"}
    for name, by in (("locked", "out"), ("ruled", "by_rule")):
        rows = duckdb.sql(f"FROM '{tmp_path / f'{by}.parquet'}'").fetchall()
        assert bag(stored(shop, f"FROM {name}.people")) == bag(rows)
    assert good.exists()
    assert not bad.exists()
    assert "bad.parquet misses what is required of it: k = " in told
    assert "has no kk" in told
    assert "under the required 5" in told
    assert not stored(shop, "SELECT 1 FROM information_schema.tables WHERE table_schema = 'fine'")
    assert Path(shop / "target").is_dir()


# -- month by month ----------------------------------------------------------------------------------------------------

PAGE = Path(__file__).parents[2] / "docs" / "etl.md"


@pytest.mark.nightly
@pytest.mark.slow
def test_a_month_comes_in_and_one_that_misses_k_stays_out(tmp_path):
    """The models of docs/etl.md: a new month, one of a single nurse, and the first once more, late."""
    block = PAGE.read_text(encoding="utf-8").partition("-- models/month.sql")[2].partition("```")[0]
    first, _, last = re.split(r"^-- models/[^\n]*\n?", block.partition("\n")[2], flags=re.M)
    shop = dbt_project(tmp_path / "shop")
    with export(tmp_path) as one:
        one.lock({"job": 1})
        add_models(shop, month=first, persons_month=one.sql(as_="dbt", table="month"), persons=last)
    (shop / "models" / "raw.yml").write_text("sources: [{name: raw, tables: [{name: persons}]}]\n")
    months = "CREATE SCHEMA raw; CREATE TABLE raw.persons AS SELECT *, '2026-10' AS month FROM '{0}'"
    stored(shop, months.format(tmp_path / "people.parquet"))
    stored(shop, "INSERT INTO raw.persons SELECT * REPLACE ('2026-11' AS month) FROM raw.persons")
    lone = "SELECT * REPLACE ('2026-12' AS month) FROM raw.persons LIMIT 1"
    stored(shop, f"INSERT INTO raw.persons {lone}")
    counts = []
    for month, code in (("2026-10", 0), ("2026-11", 0), ("2026-12", 1), ("2026-10", 0)):
        assert ran(shop, "dbt", "build", "--vars", f"{{month: '{month}'}}")[0] == code
        counts.append(stored(shop, "SELECT month, count(*) FROM main.persons GROUP BY ALL ORDER BY ALL"))
    assert counts == [[("2026-10", 400)], *[[("2026-10", 400), ("2026-11", 400)]] * 3]
