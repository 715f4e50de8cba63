"""Labels belong to the k that they were made for: the stored ones to the config's, others to what asked for them."""

import json

import duckdb
import pandas as pd
import pytest
from bad_inputs import accepted, laid_out, shell
from oracles import project

from anonduck.errors import RuleError
from anonduck.release.mapping import read_mapping, write_mapping
from anonduck.statements import Statement

AGES = {20: 30, 21: 30, 22: 6, 23: 30, 24: 30, 25: 30, 26: 30, 27: 30}
JOBS = {"clerk": 6, "cook": 6, "nurse": 60, "smith": 60, None: 24}
RULE = {"age": 1, "job": 1}


def frame():
    """Ages, jobs and NULL; one age and two jobs are those of six records each."""
    ages = [age for age, count in AGES.items() for _ in range(count)]
    jobs = [job for job, count in JOBS.items() for _ in range(count)]
    return pd.DataFrame(
        {"age": ages, "job": (jobs * 3)[7 : 7 + len(ages)], "class": [("a", "b")[i % 3 == 0] for i in range(len(ages))]}
    )


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "in.parquet"
    frame().to_parquet(path)
    return path


def opened(export, k=5, **changes):
    told = {
        "identifiers": [],
        "insensitive": [],
        "requirement": {"k": k, "suppression": 0.9},
        "database": export.parent / "d.duckdb",
    }
    return project(export, **{**told, "taxonomies": {"age": {"intervals": 2}, "job": {"clusters": True}}, **changes})


def rows_of(text):
    """The rows of a script, in DuckDB."""
    *lookups, select = [part for part in text.split(";\n") if part.strip()]
    with duckdb.connect() as connection:
        for part in lookups:
            connection.execute(part)
        return sorted(map(str, connection.execute(select).fetchall()))


def released(one, path, rule=RULE, **changes):
    one.release(rule, path, overwrite=True, **changes)
    return sorted(map(str, duckdb.sql(f"FROM '{path}'").fetchall()))


def kept(one):
    """All that the decision database holds of taxonomies."""
    tables = one.database.rows(
        Statement(
            "tables",
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = current_database() AND "
            "(schema_name IN ('taxonomy', 'bounds') OR table_name IN ('taxonomies', 'taxonomy_nodes')) ORDER BY ALL",
        )
    )
    return {
        table: one.database.rows(Statement("rows", f'SELECT * FROM "{table[0]}"."{table[1]}" ORDER BY ALL'))
        for table in tables
    }


def labels(one, path, **changes):
    one.release(RULE, path, overwrite=True, **changes)
    receipt = json.loads(path.with_name(path.name + ".receipt.json").read_text())
    return {column["name"]: column["labels"] for column in receipt["columns"] if "labels" in column}


@pytest.mark.slow
@pytest.mark.parametrize("stricter", [7, 20])
def test_a_larger_k_for_once_changes_no_stored_label(export, tmp_path, stricter):
    with opened(export) as one:
        first = released(one, tmp_path / "out.parquet")
        before, script = kept(one), one.sql(RULE)
        told = labels(one, tmp_path / "out.parquet", requirement={"k": stricter})
        assert told != labels(one, tmp_path / "same.parquet")  # or this would test nothing
        assert kept(one) == before
        assert one.sql(RULE) == script
        assert released(one, tmp_path / "out.parquet") == first


@pytest.mark.slow
def test_release_script_and_mapping_show_the_same_labels_for_the_same_requirement(export, tmp_path):
    """Whatever was required before, which is another k each time."""
    with opened(export) as one:
        for k in (None, 20, 3, 7, 5):
            requirement = {} if k is None else {"k": k}
            rows = released(one, tmp_path / "out.parquet", requirement=requirement)
            assert rows_of(one.sql(RULE, requirement=requirement)) == rows
            mapped = read_mapping(one.workspace, RULE, requirement=requirement)
            used = {label for row in rows for label in eval(row)[:2] if label is not None}  # noqa: S307
            assert used <= set(mapped["new_value"])
            write_mapping(one.workspace, RULE, tmp_path / "m.csv", requirement=requirement, overwrite=True)
            written = duckdb.sql(f"SELECT new_value FROM read_csv('{tmp_path}/m.csv', all_varchar = true)").fetchall()
            assert {label for (label,) in written} == set(mapped["new_value"])


@pytest.mark.slow
def test_labels_are_those_of_a_config_with_that_k(export, tmp_path):
    with opened(export) as one:
        one.build_taxonomies()
        for_once = released(one, tmp_path / "once.parquet", requirement={"k": 7})
    with opened(export, database=tmp_path / "other.duckdb", requirement={"k": 7, "suppression": 0.9}) as other:
        assert released(other, tmp_path / "config.parquet") == for_once


@pytest.mark.slow
def test_a_value_that_too_few_records_hold_makes_no_interval_of_its_own(export, tmp_path):
    with opened(export) as one:
        assert "[22, 24)" in labels(one, tmp_path / "a.parquet")["age"]
        assert "[22, 25)" in labels(one, tmp_path / "b.parquet", requirement={"k": 7})["age"]


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("built", [True, False])
@pytest.mark.parametrize("level", [1, 2])
def test_a_level_that_labels_for_a_larger_k_do_not_have_is_told_with_the_next_step(export, tmp_path, level, built):
    requirement = {"k": 100}
    told = rf"'age' level {level}; for k=100 its taxonomy has only levels 0 to 1 .*requirement: {{k: 100}}.*discover"
    with opened(export) as one:
        if built:
            one.build_taxonomies()
            assert one.taxonomies["age"].root > 2
        for ask in (
            lambda: one.release({"age": level}, tmp_path / "out.parquet", requirement=requirement),
            lambda: one.sql({"age": level}, requirement=requirement),
            lambda: read_mapping(one.workspace, {"age": level}, requirement=requirement),
        ):
            with pytest.raises(RuleError, match=told):
                ask()
    assert not (tmp_path / "out.parquet").exists()


def test_a_level_that_no_k_has_is_told_as_for_the_config(export):
    with opened(export) as one:
        one.build_taxonomies()
        root = one.taxonomies["age"].root
        with pytest.raises(RuleError, match=f"level {root + 1}; its taxonomy has levels"):
            one.release({"age": root + 1}, None, dry_run=True, requirement={"k": 100})


@pytest.mark.slow
def test_a_lowered_k_keeps_the_labels_of_the_config(export, tmp_path):
    with opened(export, k=7) as one:
        told = labels(one, tmp_path / "a.parquet", requirement={"k": 5})
        before = kept(one)
        assert labels(one, tmp_path / "b.parquet", requirement={"k": 7}) is not None
        assert "[22, 25)" in told["age"]
        assert kept(one) == before


@pytest.mark.slow
def test_edited_taxonomies_keep_their_labels_whatever_k(export, tmp_path):
    with opened(export, taxonomies={"age": {"intervals": 2}}) as one:
        one.build_taxonomies()
        edit = "UPDATE taxonomy.job SET level_1 = 'edited ' || level_1"
        one.database.run(Statement("edit", edit))
        told = labels(one, tmp_path / "a.parquet", requirement={"k": 7})
        assert told["job"]
        assert all(label.startswith("edited ") for label in told["job"] if label is not None)


@pytest.mark.slow
def test_another_export_gets_the_labels_of_that_k_from_the_projects_source(export, tmp_path):
    frame().head(120).to_parquet(tmp_path / "later.parquet")
    requirement = {"k": 7}
    with opened(export) as one:
        one.build_taxonomies()
        before = kept(one)
        once = labels(one, tmp_path / "a.parquet", requirement=requirement)
        later = labels(one, tmp_path / "b.parquet", requirement=requirement, source=tmp_path / "later.parquet")
        assert kept(one) == before
        begun = {label.split(",")[0] for label in once["age"]}
        assert {label.split(",")[0] for label in later["age"]} <= begun  # the last one that it holds is open
        again = one.release(RULE, None, dry_run=True)
        assert again.rows + again.suppressed == len(frame())


@pytest.mark.slow
def test_a_table_of_a_database_and_a_callers_table(tmp_path):
    requirement = {"k": 7}
    rows = frame()
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.register("given", rows)
        connection.execute("CREATE TABLE t AS FROM given")
    settings = {"identifiers": [], "insensitive": [], "taxonomies": {"age": {"intervals": 2}}}
    settings["requirement"] = {"k": 5, "suppression": 0.9}
    with project(f"{tmp_path}/shop.duckdb::t", **settings) as one:
        told = labels(one, tmp_path / "a.parquet", requirement=requirement)
        one.release(RULE, f"{tmp_path}/out.duckdb::t", requirement=requirement)
    with duckdb.connect() as connection:
        connection.register("t", rows)
        with project("t", connection=connection, **settings) as one:
            assert labels(one, tmp_path / "b.parquet", requirement=requirement) == told
        assert connection.execute("SELECT count(*) FROM duckdb_databases() WHERE NOT internal").fetchall() == [(1,)]
    with project(rows, **settings) as one:
        assert labels(one, tmp_path / "c.parquet", requirement=requirement) == told


@pytest.mark.slow
def test_the_certificate_of_a_stricter_release_has_its_query(export, tmp_path):
    with opened(export) as one:
        one.release(RULE, tmp_path / "a.parquet", requirement={"k": 7})
        one.release(RULE, tmp_path / "b.parquet")
        for name in ("a", "b"):
            one.certificate(tmp_path / f"{name}.parquet", tmp_path / f"{name}.html")
            assert "Its SQL can no longer be written" not in (tmp_path / f"{name}.html").read_text()


@pytest.mark.slow
def test_the_commands_take_the_requirement(capsys, tmp_path):
    frame().to_csv(tmp_path / "s.csv", index=False)
    config = "source: s.csv\nclass: class\ntaxonomies: {age: {intervals: 2}}\nrequirement: {k: 5, suppression: 0.9}\n"
    folder = laid_out(tmp_path, {}, config)
    accepted(capsys, folder, "release", "age=1", "-o", "o.csv", "--require", "k=7")
    for require in ((), ("--require", "k=7")):
        accepted(capsys, folder, "taxonomy", "mapping", "age=1", "-o", "m.csv", "--overwrite", *require)
        text = shell(folder, "sql", "age=1", *require).stdout.decode()
        shown = {row[0] for row in duckdb.sql(f"SELECT new_value FROM '{folder}/m.csv'").fetchall()}
        assert all(f"'{label}'" in text for label in shown)
        script = shown if require else None
    labels_released = {row[0] for row in duckdb.sql(f"SELECT DISTINCT age FROM '{folder}/o.csv'").fetchall()}
    assert labels_released <= script
