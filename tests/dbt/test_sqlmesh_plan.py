"""SQLMesh itself: a release as a staged model with audits and a published one, which no refused row reaches."""

import json
from collections import Counter

import duckdb
import pandas as pd
import pytest
from building import ran, tool
from oracles import people

from anonduck import Project
from anonduck.release.scripts.gates import MISSED

AUDITED = "'anonduck_k' audit error: 1 row failed"
JOBS = {"clerk": "@start_ds", "cook": "{{ x }}'s", "nurse": "{% no %}", "smith": 'a"b;'}
CONFIG = """\
gateways: {local: {connection: {type: duckdb, database: shop.duckdb}}}
default_gateway: local
model_defaults: {dialect: duckdb, start: 2024-01-01}
disable_anonymized_analytics: true
"""


def shown(shop):
    """What the published view holds, asked by SQLMesh: its DuckDB is another one than anonduck's."""
    code, told = ran(shop, "sqlmesh", "fetchdf", "COPY (FROM privacy.people) TO 'shown.parquet'")
    assert code == 0, told
    return bag(duckdb.sql(f"FROM '{shop / 'shown.parquet'}'").fetchall())


def bag(rows):
    return Counter(tuple(str(value) for value in row) for row in rows)


def export(folder):
    """A project of anonduck whose values look like macros and templates."""
    frame = people(400)
    frame["job"] = frame["job"].map(JOBS)
    frame = frame[["job", "rate", "note", "class"]].replace({"rate": {float("inf"): 9.0, -0.0: 0.0}})
    frame.to_parquet(folder / "people.parquet")
    pd.DataFrame({"job": list(JOBS.values()), "up": ["{{ 1 }}", "@up", "care", "{#"], "all": "*"}).to_csv(
        folder / "job.csv", index=False, header=False
    )
    (folder / "anonduck.yml").write_text(
        json.dumps(
            {
                "source": "people.parquet",
                "class": "class",
                "sensitive": ["note"],
                "taxonomies": {"job": {"file": "job.csv"}},
                "requirement": {"k": 5, "l": 2},
            }
        )
    )
    return Project(folder / "anonduck.yml")


def test_what_looks_like_a_template_is_one_of_itself(tmp_path):
    with export(tmp_path) as one:
        text = one.sql({"job": 1}, as_="sqlmesh", table="raw.people")
        plain = one.sql({"rate": 0}, as_="sqlmesh", table="raw.people")
    assert "JINJA" not in plain
    assert [line for line in text.splitlines() if line.endswith(".sql")] == ["-- release_staged.sql", "-- release.sql"]
    query = text.partition("JINJA_QUERY_BEGIN;\n")[2].partition("\nJINJA_END;")[0]
    assert """'{{ "{" }}{ x }}''s'""" in query
    assert "'@up'" in query
    assert "AUDIT" not in query


@pytest.mark.slow
def test_what_the_audit_refuses_is_never_published(tmp_path):
    """Not by a new version of the models, nor by a run at the same one, nor by one of the published model alone."""
    tool("sqlmesh")
    shop, source = tmp_path / "shop", tmp_path / "people.parquet"
    models = shop / "models"
    models.mkdir(parents=True)
    (shop / "config.yaml").write_text(CONFIG)
    (models / "raw.sql").write_text(
        f"MODEL (name raw.people, kind FULL);\n\nSELECT job, rate, note, class FROM '{source}'"
    )
    plan = ("plan", "--auto-apply", "--no-prompts")
    with export(tmp_path) as one:
        one.lock({"job": 1})
        text = {"as_": "sqlmesh", "table": "raw.people", "name": "privacy.people", "output": models}
        one.sql(**text)
        code, told = ran(shop, "sqlmesh", *plan)
        assert code == 0, told
        one.run(tmp_path / "out.parquet", locked=True, report=False)
    released = bag(duckdb.sql(f"FROM '{tmp_path / 'out.parquet'}'").fetchall())
    assert shown(shop) == released
    frame = pd.read_parquet(source)
    nurses = frame["job"] == JOBS["nurse"]
    pd.concat([frame[~nurses], frame[nurses].head(2)]).to_parquet(source)
    for again, words in (
        ([*plan, "--restate-model", "raw.people"], AUDITED),
        ([*plan, "--restate-model", "privacy.people"], MISSED),
        (["run"], AUDITED),
    ):
        if again == ["run"]:
            ran(shop, "sqlmesh", "fetchdf", "DELETE FROM sqlmesh._intervals")  # as if a night had passed
        code, told = ran(shop, "sqlmesh", *again)
        assert code == 1, told
        assert words in told
        assert shown(shop) == released
    with export(tmp_path) as one:
        one.sql({"job": 0, "rate": 0}, requirement={"k": 1_000}, overwrite=True, **text)
    code, told = ran(shop, "sqlmesh", *plan)
    assert code == 1
    assert AUDITED in told
    assert shown(shop) == released
