"""What jobs stand on: one database for several configs and exports; and paths that are of the current folder."""

from pathlib import Path

import duckdb
import pytest

import anonduck
from anonduck import Project
from anonduck.config.reading import with_changes
from anonduck.database.connection import Database
from anonduck.errors import ConfigError
from anonduck.statements import Statement
from anonduck.workspace import Workspace

OWN = [(20, "x"), (30, "y"), (None, "y")]
OTHER = [(20, "y"), (None, "x")]
VALUES = Statement("values", "SELECT a, c FROM source ORDER BY ALL")


@pytest.fixture
def workspace(tmp_path):
    for name, rows in {"own.csv": OWN, "other.csv": OTHER}.items():
        lines = [f"{'' if a is None else a},{c}" for a, c in rows]
        (tmp_path / name).write_text("\n".join(["a,c", *lines]) + "\n")
    with Workspace.of_settings({"class": "c"}, tmp_path, source="own.csv", database="d.duckdb") as one:
        yield one


def rows(one: Workspace):
    assert one.opened
    return one.database.rows(VALUES)


def test_each_workspace_reads_its_own_export_whoever_read_before(workspace, tmp_path):
    other = workspace.with_export(str(tmp_path / "other.csv"))
    assert rows(workspace) == sorted(OWN, key=str)
    assert rows(other) == sorted(OTHER, key=str)
    assert rows(workspace) == sorted(OWN, key=str)
    assert rows(other.with_export(None)) == sorted(OWN, key=str)
    assert other.database is workspace.database


def test_an_export_that_cannot_be_read_leaves_the_source_readable(workspace, tmp_path):
    assert rows(workspace) == sorted(OWN, key=str)
    with pytest.raises(ValueError, match="nowhere"):
        assert workspace.with_export(str(tmp_path / "nowhere.csv")).opened
    assert rows(workspace) == sorted(OWN, key=str)


def test_another_config_shares_the_database_and_the_source_and_changes_nothing(workspace):
    stricter = workspace.with_config(with_changes(workspace.config, {"requirement": {"k": 9}}))
    assert stricter.opened is workspace.opened
    assert stricter.database is workspace.database
    assert (stricter.config.requirement.k, workspace.config.requirement.k) == (9, 5)


def test_another_database_has_a_source_of_its_own(workspace):
    apart = Database()
    try:
        one = workspace.with_database(apart)
        assert rows(workspace) == rows(one) == sorted(OWN, key=str)
        workspace.database.run(Statement("gone", "DROP VIEW source"))
        assert rows(one) == sorted(OWN, key=str)
    finally:
        apart.close()


def test_both_exports_are_protected(workspace, tmp_path):
    other = workspace.with_export(str(tmp_path / "other.csv"))
    for name in ("own.csv", "other.csv", "d.duckdb"):
        with pytest.raises(ConfigError, match="which is never overwritten"):
            other.refuse_protected(tmp_path / name)
    workspace.refuse_protected(tmp_path / "other.csv")


@pytest.mark.slow
def test_a_closed_workspace_opens_again(workspace):
    assert rows(workspace) == sorted(OWN, key=str)
    workspace.close()
    assert rows(workspace) == sorted(OWN, key=str)


# -- the facade --------------------------------------------------------------------------------------------------------


def test_a_project_is_its_workspace(workspace):
    project = Project(source=str(workspace.folder / "own.csv"), class_="c")
    with project:
        for name in ("config", "folder", "config_path", "reporter", "database", "opened", "source", "roles"):
            assert getattr(project, name) is getattr(project.workspace, name)
        assert project.taxonomies == project.workspace.taxonomies == {}
        project.config = with_changes(project.config, {"requirement": {"k": 2}})
        assert project.workspace.config.requirement.k == 2


def test_another_export_is_read_for_as_long_as_a_block_lasts(workspace, tmp_path):
    with Project(source=str(tmp_path / "own.csv"), class_="c") as project:
        with project.reading(tmp_path / "other.csv") as (source, roles):
            assert (Path(source.description).name, roles.class_) == ("other.csv", "c")
            assert project.source is source
            assert project.database.rows(VALUES) == sorted(OTHER, key=str)
        assert Path(project.source.description).name == "own.csv"
        assert project.database.rows(VALUES) == sorted(OWN, key=str)


@pytest.mark.slow
def test_paths_are_relative_to_the_current_folder_of_the_call(workspace, tmp_path, monkeypatch):
    """Those of a config given as arguments are relative to the folder that was the current one then."""
    (tmp_path / "later").mkdir()
    monkeypatch.chdir(tmp_path)
    with Project(source="own.csv", class_="c", requirement={"k": 1}, taxonomies={"a": {"intervals": 2}}) as project:
        monkeypatch.chdir(tmp_path / "later")
        made = project.release({"a": 0}, "out.csv")
        again = project.release({"a": 0}, "again.parquet", source="../other.csv")
    assert made.target == str(tmp_path / "later" / "out.csv")
    assert duckdb.sql(f"SELECT a, c FROM '{again.target}' ORDER BY ALL").fetchall() == sorted(OTHER, key=str)


def test_the_current_folder_is_asked_for_in_one_place():
    home = Path(anonduck.__file__).parent
    asks = ("Path.cwd(", ".absolute()", "os.getcwd(", "os.path.abspath(")
    asking = {p.relative_to(home).as_posix() for p in home.rglob("*.py") if any(a in p.read_text() for a in asks)}
    assert asking == {"opened_project.py"}
