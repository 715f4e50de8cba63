"""The audit on the command line: its table, and JUnit and SARIF as pipelines read them."""

import json
from xml.etree import ElementTree

import duckdb
import pytest
from click.testing import CliRunner

import anonduck
from anonduck.cli.app import cli

REQUIRED = ["--require", "k=2", "--require", "t=0.1", "--require", "recursive_l=2,3"]


@pytest.fixture
def release(tmp_path):
    path = tmp_path / "released file.csv"
    path.write_text("q,s\n" + "x,secret\nx,other\n" * 2 + "y,secret\n" * 2, encoding="utf-8")
    return str(path)


def audit(*arguments):
    return CliRunner().invoke(cli, ["audit", *arguments, "--sensitive", "s"])


def test_the_table_holds_what_can_be_measured(release):
    done = audit(release, *REQUIRED)
    assert done.exit_code == 1
    models = [line.split()[0] for line in done.stdout.splitlines() if line]
    assert {"l", "entropy_l", "t", "prosecutor_risk", "pd"} <= set(models)
    assert "k_map" not in models
    assert done.stdout.splitlines()[-4:-1] == [
        "k >= 2: met (2)",
        "t <= 0.1: NOT met (0.3333)",
        "recursive_l (l = 2, c < 3): NOT met (infinite)",
    ]
    assert "support an expert's review" in done.stdout.splitlines()[-1]


def test_only_what_is_required(release):
    done = audit(release, "--measures", "required", "--require", "l=1")
    models = {line.split()[0] for line in done.stdout.splitlines()}
    assert (done.exit_code, "l" in models, "alpha" in models) == (0, True, False)


def test_options_reach_the_audit(release, tmp_path):
    taxonomy = tmp_path / "a=b.csv"
    taxonomy.write_text("secret,*\nother,*\n", encoding="utf-8")
    options = ["--taxonomy", f"s={taxonomy}", "--population", release, "--sampling-fraction", "0.5", "--json"]
    done = audit(release, *options)
    assert done.exit_code == 0  # the file's name holds the sign that parts column and file
    measures = json.loads(done.stdout)["measures"]
    assert {"t_hierarchical", "k_map", "journalist_risk", "population_uniqueness"} <= set(measures)


def test_json_by_either_name(release):
    one, other = audit(release, "--json"), audit(release, "--format", "json")
    assert json.loads(one.stdout) == json.loads(other.stdout)


def test_junit(release):
    done = audit(release, *REQUIRED, "--format", "junit")
    assert done.exit_code == 1
    suites = ElementTree.fromstring(done.stdout.encode())  # noqa: S314 - our own output
    (suite,) = suites.findall("testsuite")
    assert (suites.tag, suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("testsuites", "3", "2", "0")
    cases = {case.get("name"): case.find("failure") for case in suite.findall("testcase")}
    assert list(cases) == ["k >= 2", "t <= 0.1", "recursive_l (l = 2, c < 3)"]
    assert cases["k >= 2"] is None
    assert cases["t <= 0.1"].get("message") == "t <= 0.1 is required and is not met: 0.3333"
    assert "secret" not in done.stdout


def test_sarif(release):
    done = audit(release, *REQUIRED, "--format", "sarif")
    document = json.loads(done.stdout)
    assert (document["version"], document["$schema"].endswith("sarif-2.1.0.json")) == ("2.1.0", True)
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert {"name", "version", "rules"} <= set(driver)
    kinds = [(result["ruleId"], result["kind"], result["level"]) for result in run["results"]]
    assert kinds == [("k", "pass", "none"), ("t", "fail", "error"), ("recursive_l", "fail", "error")]
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        (place,) = result["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"].endswith("released%20file.csv")
    assert "secret" not in done.stdout


def test_without_requirements_nothing_can_fail(release):
    for form in ("junit", "sarif"):
        assert audit(release, "--format", form).exit_code == 0


@pytest.mark.parametrize("text", ["s", "=file", "s="])
def test_a_taxonomy_without_column_or_file(release, text):
    done = audit(release, "--taxonomy", text)
    assert (done.exit_code, "--taxonomy takes COLUMN=FILE" in done.output) == (2, True)


def test_sql(release):
    done = audit(release, "--sql", "--require", "k=3", "--table", "shop.released")
    assert done.exit_code == 0
    assert "FROM shop.released" in done.stdout


def test_durations_that_duckdb_takes_for_equal_are_classes_of_their_own(tmp_path):
    with duckdb.connect(str(tmp_path / "r.duckdb")) as connection:
        connection.execute("CREATE TABLE stays (stay INTERVAL, c INT)")
        for text in ("1 month", "1 month", "30 days", "720:00:00", None):
            connection.execute("INSERT INTO stays VALUES (?, 1)", [text])
        table = connection.table("stays").to_arrow_reader().read_all()
    for target in (f"{tmp_path}/r.duckdb::stays", table):
        report = anonduck.audit(target, ["stay"], class_="c")
        assert (report.rows, report.classes, report.k) == (5, 4, 1)
