"""Spark in processes of its own: a discover on two executors, started by the command line as its config says."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import duckdb
import executor_loss
import pytest
from executor_loss import FILES, PARTS, RULE
from sql_engines import missing, refuse_absent

from anonduck import Project

SCRIPT = """
import duckdb, sys
for part in range(4):
    read = f"SELECT *, row_number() OVER () AS n FROM read_csv('{sys.argv[1]}')"
    duckdb.sql(f"COPY (SELECT * EXCLUDE n FROM ({read}) WHERE n % 4 = {part}) TO '{sys.argv[2]}/{part}.parquet'")
"""
ROLES = """
class: class
quasi_identifiers: [age, education, marital-status, sex, race]
models: []
"""
RELEASES = ("here.parquet", "there.parquet/*.parquet")


def ran(folder, *arguments):
    """What a command printed."""
    command = [sys.executable, "-m", "anonduck", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=540, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_without_java_a_message_says_what_is_missing(tmp_path):
    refuse_absent("spark", missing("spark"))
    (tmp_path / "anonduck.yml").write_text("source: table:t\nengine: {kind: spark}\nclass: c\n")
    command = [sys.executable, "-m", "anonduck", "discover"]
    place = os.environ | {"JAVA_HOME": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=place, timeout=100, check=False)
    assert done.returncode == 2
    assert "Java 17" in done.stderr


@pytest.mark.nightly
@pytest.mark.slow
def test_two_executors_come_to_the_rules_of_duckdb(tmp_path, data_dir):
    refuse_absent("spark", missing("spark"))
    (tmp_path / "adult").mkdir()
    subprocess.run([sys.executable, "-c", SCRIPT, data_dir / "adult.csv", tmp_path / "adult"], check=True)
    engine = 'engine: {kind: spark, master: "local-cluster[2,1,1024]"}'
    (tmp_path / "anonduck.yml").write_text(f"source: adult\n{engine}\n{ROLES}")
    ran(tmp_path, "discover")
    (tmp_path / "here.yml").write_text(f"source: adult/*.parquet\ndatabase: here.duckdb\n{ROLES}")
    with Project(tmp_path / "here.yml") as here:
        expected = here.discover()
    with Project(tmp_path / "anonduck.yml") as project:
        found = project.discovered()
    assert len(expected.rules) > 3
    assert [rule.levels for rule in found.rules] == [rule.levels for rule in expected.rules]
    assert [rule.measures for rule in found.rules] == [rule.measures for rule in expected.rules]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are found by Linux's /proc")
def test_a_killed_executor_changes_neither_rules_nor_rows(tmp_path, data_dir):
    refuse_absent("spark", missing("spark"))
    (tmp_path / "source").mkdir()
    with duckdb.connect() as connection:
        read = f"SELECT *, row_number() OVER () % {FILES} AS part FROM read_csv('{data_dir}/adult.csv')"
        connection.execute(f"CREATE TABLE adult AS {read}")
        for part in range(FILES):
            picked = f"SELECT * EXCLUDE part FROM adult WHERE part = {part}"
            connection.execute(f"COPY ({picked}) TO '{tmp_path}/source/{part}.parquet'")
        with Project(source=f"{tmp_path}/source/*.parquet", **executor_loss.ROLES) as project:
            rules = [[rule.levels, repr(rule.measures)] for rule in project.discover().rules]
            project.release(RULE, tmp_path / "here.parquet")
        command = [sys.executable, executor_loss.__file__, tmp_path, "there.parquet/"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=540, check=False)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout.splitlines()[-1])
        assert 0 < found["done"][0] < FILES
        assert 0 < found["done"][1] < PARTS
        assert found["rules"] == rules
        rows = [Counter(connection.execute(f"FROM '{tmp_path}/{files}'").fetchall()) for files in RELEASES]
        assert rows[0] == rows[1]
    assert not list(tmp_path.glob("*unfinished*"))
