"""The certificate of a release that an engine wrote: from its receipt, of rows that the engine counts again."""

import json

import pytest
from click.testing import CliRunner
from duck_writer import DuckWriter
from test_certificate import words_of

from anonduck import Project
from anonduck.cli.app import cli
from anonduck.engines import opened
from anonduck.errors import ReleaseError

KEYS = {"class": "class", "insensitive": ["note"], "models": [], "requirement": {"k": 3}}
ENGINE = {"source": "table:t", "engine": {"kind": "spark"}}


@pytest.fixture
def duck(monkeypatch, tmp_path):
    """The engine that a project of the kind `spark` opens, with the table t."""
    monkeypatch.chdir(tmp_path)
    engine = DuckWriter()
    made = "20 + i % 30 AS age, '0' || (i % 9) AS zip, 'Zqnote ' || i AS note, 'c' || (i % 2) AS class"
    engine.connection.execute(f"CREATE TABLE t AS SELECT {made} FROM range(240) AS r(i)")
    monkeypatch.setitem(opened.KINDS, "spark", lambda session, master: engine)
    return engine


def configured(tmp_path, **keys):
    config = tmp_path / "anonduck.yml"
    config.write_text(json.dumps(KEYS | ENGINE | keys))
    return config


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "table"), [("spark:shown", "shown"), ("shown.parquet/", "'shown.parquet/*.parquet'")]
)
def test_it_is_written_from_the_receipt_when_the_engine_counts_the_same_rows(duck, tmp_path, target, table):
    with Project(configured(tmp_path)) as project:
        project.release({"age": 3}, target)
        before = duck.tally.scans
        words = words_of(project.certificate(target, "certificate.html"))
        assert duck.tally.scans == before + 1
    (receipt,) = tmp_path.glob("*.receipt.json")
    told = json.loads(receipt.read_text())
    assert told["sha256_columns"] == ["age", "class"]
    assert told["sha256"] in words
    assert told["file"] in words
    assert "equal; a duck counted them again" in words
    assert f"k = {told['k']}" in words
    assert "Zqnote" not in words
    assert sorted(file.name for file in tmp_path.iterdir() if "unfinished" in file.name) == []


def test_a_release_that_was_changed_gets_none(duck, tmp_path):
    with Project(configured(tmp_path)) as project:
        project.release({"age": 3}, "spark:shown")
        duck.connection.execute("UPDATE shown SET class = 'c0' WHERE note = 'Zqnote 1'")
        with pytest.raises(ReleaseError, match="spark:shown does not hold the rows that shown"):
            project.certificate("spark:shown", "certificate.html")
        duck.connection.execute("DROP TABLE shown")
        with pytest.raises(ReleaseError, match="a duck has no spark:shown"):
            project.certificate("spark:shown", "certificate.html")
        with pytest.raises(ReleaseError, match=r"other\.receipt\.json cannot be read"):
            project.certificate("spark:other", "certificate.html")
        (tmp_path / "shown.receipt.json").rename(tmp_path / "other.receipt.json")
        with pytest.raises(ReleaseError, match="not the receipt of spark:other"):
            project.certificate("spark:other", "certificate.html")
    assert not (tmp_path / "certificate.html").exists()


@pytest.mark.slow
def test_a_project_without_the_engine_says_which_config_to_use(duck, tmp_path):
    with Project(configured(tmp_path)) as project:
        project.release({"age": 3}, "spark:shown")
    here = {"source": str(tmp_path / "t.csv"), "engine": {"kind": "duckdb"}}
    with Project(configured(tmp_path, **here)) as project, pytest.raises(ReleaseError, match=r"config.*kind: spark"):
        project.certificate("spark:shown", "certificate.html")


@pytest.mark.slow
def test_the_command_writes_one(duck, tmp_path):
    config = configured(tmp_path)
    with Project(config) as project:
        project.release({"age": 3}, "spark:shown")
    asked = ["report", "--release", "spark:shown", "-o", "certificate.html", "-p", str(config)]
    ran = CliRunner().invoke(cli, asked)
    assert ran.exit_code == 0, ran.output
    assert "spark:shown" in words_of(tmp_path / "certificate.html")


@pytest.mark.slow
def test_a_report_shows_releases_by_methods_that_an_engine_wrote(duck, tmp_path):
    with Project(configured(tmp_path)) as project:
        project.anonymize("mondrian", "spark:cells")
        words = words_of(project.report("report.html"))
    assert "spark:cells" in words
    assert "not compared: they are in an engine" in words
