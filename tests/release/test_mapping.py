"""What a rule makes of each value, as a table and as a file."""

import stat

import pandas as pd
import pytest

from anonduck import Project
from anonduck.cli.app import run
from anonduck.errors import RuleError, TaxonomyError
from anonduck.release.mapping import read_mapping, write_mapping

AGES = [18, 23, 34, 34, 41, None]
JOBS = ["nurse", "nurse", "pilot", "pilot", "tutor", None]


@pytest.fixture
def project(tmp_path):
    (tmp_path / "job.csv").write_text("nurse;care;*\ntutor;care;*\npilot;transport;*\n", encoding="utf-8")
    source = pd.DataFrame({"job": JOBS, "age": pd.array(AGES, dtype="Int64"), "answer": ["yes", "no"] * 3})
    options = {
        "taxonomies": {"job": {"file": str(tmp_path / "job.csv")}, "age": {"intervals": 2}},
        "requirement": {"k": 1},
    }
    with Project(source=source, class_="answer", **options) as opened:
        yield opened


def test_old_and_new_values_of_each_column_of_the_rule(project):
    rows = read_mapping(project.workspace, "age=1,job=1")
    assert list(rows.columns) == ["column_name", "level", "old_value", "new_value"]
    assert [tuple(row) for row in rows.itertuples(index=False)] == [
        ("job", 1, "nurse", "care"),
        ("job", 1, "pilot", "transport"),
        ("job", 1, "tutor", "care"),
        ("age", 1, "18", "(-inf, 30)"),
        ("age", 1, "23", "(-inf, 30)"),
        ("age", 1, "34", "[30, inf)"),
        ("age", 1, "41", "[30, inf)"),
    ]


@pytest.mark.slow
def test_values_at_level_0_stay_and_attributes_at_the_root_are_left_out(project):
    rows = read_mapping(project.workspace, {"job": 2, "age": 0})
    assert set(rows["column_name"]) == {"age"}
    assert (rows["old_value"] == rows["new_value"]).all()


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["map.csv", "map.parquet"])
def test_the_file_is_private_and_overwrites_nothing_unasked(project, tmp_path, name):
    path = tmp_path / name
    write_mapping(project.workspace, "job=1", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    read = pd.read_parquet(path) if name.endswith("parquet") else pd.read_csv(path)
    assert read.to_dict("list") == read_mapping(project.workspace, "job=1").to_dict("list")
    with pytest.raises(TaxonomyError, match="exists"):
        write_mapping(project.workspace, "job=1", path)
    write_mapping(project.workspace, "job=1", path, overwrite=True)


@pytest.mark.slow
def test_values_that_the_taxonomy_does_not_know(project, tmp_path):
    source = pd.DataFrame({"job": ["nurse", "diver"], "answer": ["yes", "no"]})
    options = {"class_": "answer", "taxonomies": {"job": {"file": str(tmp_path / "job.csv")}}}
    with Project(source=source, **options) as strict, pytest.raises(TaxonomyError, match="lacks 1 of its values"):
        read_mapping(strict.workspace, "job=1")
    with Project(source=source, unmapped="root", **options) as lenient:
        assert read_mapping(lenient.workspace, "job=1")["new_value"].tolist() == ["*", "care"]
        assert read_mapping(lenient.workspace, "job=0")["new_value"].tolist() == ["*", "nurse"]


def test_a_rule_of_roots_maps_nothing(project):
    with pytest.raises(RuleError, match="nothing to map"):
        read_mapping(project.workspace, {"job": 2})
    with pytest.raises(RuleError, match="not a quasi-identifier"):
        read_mapping(project.workspace, "shoe=1")


@pytest.mark.slow
def test_the_command_writes_the_same(project, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    source = pd.DataFrame({"job": JOBS, "answer": ["yes", "no"] * 3})
    source.to_parquet("source.parquet")
    config = "source: source.parquet\nclass: answer\nrequirement: {k: 1}\ntaxonomies:\n  job: {file: job.csv}\n"
    (tmp_path / "anonduck.yml").write_text(config, encoding="utf-8")
    assert run(["taxonomy", "mapping", "job=1", "-o", "map.csv"]) == 0
    assert (tmp_path / "map.csv").read_text(encoding="utf-8").splitlines() == [
        "column_name,level,old_value,new_value",
        "job,1,nurse,care",
        "job,1,pilot,transport",
        "job,1,tutor,care",
    ]
    assert "it contains values of the source" in capsys.readouterr().err
