"""SQLMesh itself: a release as a model with an audit, and a plan that fails and leaves the old table."""

import json
from collections import Counter

import duckdb
import pandas as pd
import pytest
from building import ran, tool
from oracles import people

from anonduck import Project

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


@pytest.mark.slow
def test_a_plan_publishes_the_release_and_one_that_breaks_k_leaves_it(tmp_path):
    tool("sqlmesh")
    shop = tmp_path / "shop"
    (shop / "models").mkdir(parents=True)
    (shop / "config.yaml").write_text(CONFIG)
    frame = people(400)
    frame["job"] = frame["job"].map(JOBS)
    frame = frame[["job", "rate", "note", "class"]].replace({"rate": {float("inf"): 9.0, -0.0: 0.0}})
    frame.to_parquet(tmp_path / "people.parquet")
    raw = f"MODEL (name raw.people, kind FULL);\n\nSELECT job, rate, note, class FROM '{tmp_path / 'people.parquet'}'"
    (shop / "models" / "raw.sql").write_text(raw)
    pd.DataFrame({"job": list(JOBS.values()), "up": ["{{ 1 }}", "@up", "care", "{#"], "all": "*"}).to_csv(
        tmp_path / "job.csv", index=False, header=False
    )
    (tmp_path / "anonduck.yml").write_text(
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
    model = shop / "models" / "people.sql"
    with Project(tmp_path / "anonduck.yml") as one:
        one.lock({"job": 1})
        text = {"as_": "sqlmesh", "table": "raw.people", "name": "privacy.people"}
        model.write_text(one.sql(**text))
        code, told = ran(shop, "sqlmesh", "plan", "--auto-apply", "--no-prompts")
        assert code == 0, told
        one.run(tmp_path / "out.parquet", locked=True, report=False)
        released = bag(duckdb.sql(f"FROM '{tmp_path / 'out.parquet'}'").fetchall())
        assert shown(shop) == released
        model.write_text(one.sql({"job": 0, "rate": 0}, requirement={"k": 1_000}, **text))
        code, told = ran(shop, "sqlmesh", "plan", "--auto-apply", "--no-prompts")
    assert code == 1
    assert "'anonduck_k' audit error: 1 row failed" in told
    assert shown(shop) == released
