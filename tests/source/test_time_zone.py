"""Timestamps with zone: the same labels and bytes wherever the process runs, in the zone that the config names."""

import datetime
import json
import os
import subprocess
import sys

import duckdb
import pandas as pd
import pytest
from bad_inputs import laid_out

import anonduck
from anonduck import Project
from anonduck.errors import ConfigError
from anonduck.statements.dialects import DIALECTS

ZONES = ("Asia/Kathmandu", "America/New_York")
CONFIG = """
source: s.parquet
class: c
types: {written: TIMESTAMPTZ}
where: seen >= '2024-01-01' AND hour(seen) < 20
insensitive: [written]
taxonomies: {seen: {intervals: 4}}
requirement: {k: 1}
models: []
"""


def written(folder, ending="parquet"):
    """Visits from hour to hour, one of them NULL, and a text that only a session's zone makes a moment."""
    query = """
        COPY (
            SELECT CASE WHEN i <> 7 THEN TIMESTAMPTZ '2023-12-31 00:00:00+00' + to_hours(i) END AS seen,
                strftime(TIMESTAMP '2024-01-01' + to_hours(i), '%Y-%m-%d %H:%M') AS written, i % 3 AS n, i % 2 AS c
            FROM range(60) r(i)
        ) TO '{}'
    """
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(query.format(folder / f"s.{ending}"))


COMMANDS = """
import json, sys
from anonduck.cli.app import run
for arguments in json.loads(sys.argv[1]):
    code = run(arguments)
    if code:
        sys.exit(code)
"""


def everywhere(folder, *commands):
    """What commands print and write to ``o.*`` in processes of several time zones, one for all of the commands."""
    told = set()
    for zone in ZONES:
        called = [sys.executable, "-c", COMMANDS, json.dumps(commands)]
        result = subprocess.run(
            called, cwd=folder, capture_output=True, timeout=120, check=False, env={**os.environ, "TZ": zone}
        )
        assert result.returncode == 0, result.stderr.decode()
        files = tuple(
            sorted((file.name, file.read_bytes()) for file in folder.glob("o.*") if "receipt" not in file.name)
        )
        told.add((result.stdout, files))
    return told


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "rule"), [("parquet", "seen=1"), ("csv", "seen=0,n=0")])
def test_a_release_has_the_same_bytes_everywhere(tmp_path, ending, rule):
    written(tmp_path, ending)
    laid_out(tmp_path, {}, CONFIG.replace("s.parquet", f"s.{ending}"))
    commands = (("release", rule, "-o", target, "--overwrite") for target in ("o.csv", "o.parquet"))
    assert len(everywhere(tmp_path, *commands)) == 1
    lines = (tmp_path / "o.csv").read_text().splitlines()
    assert len(lines) == 1 + sum(day >= 24 and day % 24 < 20 for day in range(60))  # hours of UTC, the NULL not met


@pytest.mark.slow
def test_a_script_says_its_zone_and_gives_the_same_rows_everywhere(tmp_path):
    written(tmp_path)
    laid_out(tmp_path, {}, CONFIG.replace("insensitive", "identifiers") + "timezone: Europe/Rome\n")
    commands = (
        ("release", "seen=1", "-o", "o.csv", "--overwrite"),
        ("sql", "seen=1", "-o", "o.sql", "--overwrite"),
        ("sql", "seen=1", "--as", "script", "-o", "o.script.sql", "--overwrite"),
    )
    assert len(everywhere(tmp_path, *commands)) == 1
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        with pytest.raises(duckdb.Error, match="time zone of the session, which must be Europe/Rome"):
            connection.execute((tmp_path / "o.sql").read_text())
    text = (tmp_path / "o.script.sql").read_text()
    assert "SET TimeZone = 'Europe/Rome';" in text
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        found = connection.execute(text).fetchall()
    released = duckdb.sql(f"FROM read_csv('{tmp_path}/o.csv')").fetchall()
    assert released == found
    assert len(found) == sum(hour >= 23 and (hour + 1) % 24 < 20 for hour in range(60))


@pytest.mark.slow
def test_audits_are_the_same_everywhere(tmp_path):
    written(tmp_path)
    (tmp_path / "s.parquet").rename(tmp_path / "o.parquet")
    assert len(everywhere(tmp_path, ("audit", "o.parquet", "-q", "seen", "-q", "written", "--json"))) == 1


@pytest.mark.some(2)
@pytest.mark.parametrize("dialect", [name for name, engine in DIALECTS.items() if "zoned" not in engine.refused])
def test_bounds_are_written_with_their_offset(dialect):
    frame = pd.DataFrame({"n": pd.date_range("2024-01-01", periods=6, freq="D", tz="UTC"), "c": list("ababab")})
    with Project(source=frame, class_="c", timezone="Asia/Tokyo", requirement={"k": 1}) as one:
        text = one.sql({"n": 1}, dialect=dialect, table="t")
    assert "SET " not in text
    bounds = [line for line in text.splitlines() if line.startswith(("(", "STRUCT(")) and "2024" in line]
    assert len(bounds) > 1
    assert all("+0" in line or "UTC" in line for line in bounds)


@pytest.mark.slow
def test_a_callers_session_keeps_its_zone(tmp_path):
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'America/New_York'")
    connection.execute(
        "CREATE TABLE visits AS SELECT TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_hours(i) AS seen, i % 2 AS c "
        "FROM range(48) r(i)"
    )
    told = {"class_": "c", "requirement": {"k": 1}, "where": "day(seen) = 1", "connection": connection}
    with Project(source="visits", **told) as one:
        one.release({"seen": 0}, tmp_path / "o.csv")
        assert connection.execute("SELECT current_setting('TimeZone')").fetchall() == [("America/New_York",)]
    assert connection.execute("SELECT current_setting('TimeZone')").fetchall() == [("America/New_York",)]
    lines = (tmp_path / "o.csv").read_text().splitlines()[1:]
    assert len(lines) == 24
    assert min(lines).startswith("2024-01-01 00:00:00+00")


@pytest.mark.slow
def test_a_frame_with_zone_is_read_in_the_zone_of_the_config(tmp_path):
    moments = pd.Series(pd.date_range("2024-01-01", periods=48, freq="h", tz="Asia/Kathmandu"))
    moments[3] = pd.NaT
    frame = pd.DataFrame({"seen": moments, "c": [0, 1] * 24})
    told = {"class_": "c", "requirement": {"k": 1}, "timezone": "Asia/Kathmandu", "where": "day(seen) = 2"}
    with Project(source=frame, **told) as one:
        assert one.release({"seen": 0}, tmp_path / "o.parquet").rows == 24
    read = pd.read_parquet(tmp_path / "o.parquet")["seen"].dt.tz_convert("Asia/Kathmandu")
    assert set(read.dt.date) == {datetime.date(2024, 1, 2)}


def test_a_zone_that_is_none_is_refused():
    frame = pd.DataFrame({"n": [1, 2], "c": list("ab")})
    with pytest.raises(ConfigError, match="DuckDB knows no time zone 'Nowhere'"):
        Project(source=frame, class_="c", timezone="Nowhere").source  # noqa: B018 - opens the source


def test_an_audit_of_labels_in_a_file_needs_no_zone(tmp_path):
    frame = pd.DataFrame({"seen": pd.date_range("2024-01-01", periods=4, tz="UTC").repeat(2), "c": [1, 2] * 4})
    frame.to_parquet(tmp_path / "o.parquet")
    assert anonduck.audit(tmp_path / "o.parquet", ["seen"], class_="c").k == 2
