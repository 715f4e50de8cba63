"""`run` where a release stands already: skipped if it is what would be made now, overwritten or refused otherwise."""

import json
from pathlib import Path

import duckdb
import pytest
from oracles import documents, people
from prepared import JOBS, RERUN, SOURCE, opened

from anonduck import Project
from anonduck.cli.app import run
from anonduck.errors import ConfigError, ReleaseError
from anonduck.release.existing import decisive_text
from anonduck.statements import Statement

OTHER_JOBS = JOBS.replace("kitchen", "office")


@pytest.fixture
def folder(prepared, tmp_path, monkeypatch):
    """A folder with a release that `run` made of 100 records, as the current one."""
    monkeypatch.chdir(prepared("people released", tmp_path))
    return tmp_path


def configure(**changes):
    opened(Path(), **{**RERUN, **changes})


def ran(*arguments, **options):
    with Project("anonduck.yml") as one:
        return one.run(*arguments, **options)


def content(folder, name="out.csv"):
    return {one: (folder / one).read_bytes() for one in (name, *documents(name))}


@pytest.mark.slow
def test_a_run_is_skipped_if_its_release_stands_there(folder, capsys):
    for path in folder.glob("out.csv*"):
        path.unlink()
    first = ran("out.csv", if_exists="skip", report=False)
    assert first.release.written
    before = content(folder)
    again = ran("out.csv", if_exists="skip", report=False)
    assert again.release.skipped
    assert not again.release.written
    assert (again.release.k, again.release.rows, again.levels) == (first.release.k, 100, first.levels)
    assert again.release.dictionary == first.release.dictionary
    assert content(folder) == before
    assert run(["run", "-o", "out.csv", "--if-exists", "skip", "--json-line"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    document = json.loads(printed)
    assert (document["skipped"], document["met"], document["release"]["skipped"]) == (True, True, True)
    assert document["release"]["receipt_file"].endswith("out.csv.receipt.json")
    assert run(["run", "-o", "out.csv", "--if-exists", "skip"]) == 0
    assert (
        "skipped: the release that stands there is of the same records and the same config" in capsys.readouterr().out
    )


def change_source(folder):
    people(110).to_parquet(SOURCE)


def change_config(folder):
    configure(requirement={"k": 6})


def change_taxonomy_file(folder):
    (folder / "jobs.csv").write_text(OTHER_JOBS)


def change_release(folder):
    with (folder / "out.csv").open("a") as file:
        file.write("x\n")


def lose_receipt(folder):
    (folder / "out.csv.receipt.json").unlink()


def spoil_receipt(folder):
    (folder / "out.csv.receipt.json").write_text("{}")


def lose_dictionary(folder):
    (folder / "out.csv.dictionary.md").unlink()


def lose_database(folder):
    (folder / "anonduck.duckdb").unlink()


def edit_taxonomy(folder):
    with Project("anonduck.yml") as one:
        for name in ("age", "job", "rate"):
            one.database.run(Statement("an edit", f"UPDATE taxonomy.{name} SET level_1 = level_1 || '!'"))


def choose_otherwise(folder):
    with Project("anonduck.yml") as one:
        one.run("elsewhere.csv", select="information_gain", reselect=True, report=False)


@pytest.mark.slow
@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (change_source, "the records are others"),
        (change_config, "the config, a taxonomy, an option or the version"),
        (change_taxonomy_file, "the config, a taxonomy, an option or the version"),
        (change_release, "not the file that out.csv.receipt.json describes"),
        (lose_receipt, "it lacks out.csv.receipt.json"),
        (spoil_receipt, "out.csv.receipt.json is no receipt"),
        (lose_dictionary, "it lacks out.csv.dictionary.md"),
        (lose_database, "the records are others, or another decision database"),
        (edit_taxonomy, "the taxonomy of '.*' is another"),
        (choose_otherwise, "another rule was chosen since"),
    ],
)
def test_what_is_another_release_is_neither_skipped_nor_overwritten(folder, change, why):
    change(folder)
    before = {path.name: path.read_bytes() for path in folder.glob("out.csv*")}
    with pytest.raises(ReleaseError, match=f"is not what would be released now: .*{why}.*`--if-exists overwrite`"):
        ran("out.csv", if_exists="skip", report=False)
    assert {path.name: path.read_bytes() for path in folder.glob("out.csv*")} == before
    assert ran("out.csv", if_exists="overwrite", report=False).release.written
    assert ran("out.csv", if_exists="skip", report=False).release.skipped


@pytest.mark.slow
def test_an_option_of_the_run_counts(folder):
    with pytest.raises(ReleaseError, match="an option"):
        ran("out.csv", if_exists="skip", keep_roots=True, report=False)
    with Project("anonduck.yml") as one:
        texts = {decisive_text(one.workspace, {"keep_roots": keep}) for keep in (False, True)}
        same = decisive_text(
            one.workspace.with_config(one.config.model_copy(update={"threads": 1})), {"keep_roots": True}
        )
    assert len(texts) == 2
    assert same in texts


@pytest.mark.slow
def test_a_table_is_compared_too(folder):
    ran("out.duckdb::people", report=False)
    assert ran("out.duckdb::people", if_exists="skip", report=False).release.skipped
    with duckdb.connect("out.duckdb") as connection:
        connection.execute("DELETE FROM people WHERE rowid = 0")
    with pytest.raises(ReleaseError, match="not the file that"):
        ran("out.duckdb::people", if_exists="skip", report=False)


@pytest.mark.slow
def test_fail_is_what_it_does_unasked(folder):
    for asked in (None, "fail"):
        with pytest.raises(ReleaseError, match="exists; `--overwrite` replaces it"):
            ran("out.csv", if_exists=asked, report=False)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"if_exists": "keep"}, "is none of 'fail', 'overwrite', 'skip'"),
        ({"if_exists": "skip", "overwrite": True}, "contradict each other"),
        ({"if_exists": "skip", "reselect": True}, "asks for a new choice"),
    ],
)
def test_what_contradicts_itself_is_refused(folder, options, words):
    before = content(folder)
    with pytest.raises(ConfigError, match=words):
        ran("out.csv", **options)
    assert content(folder) == before


def test_a_table_in_memory_cannot_be_compared(tmp_path):
    with (
        Project(source=people(100), class_="class", identifiers=["id"], insensitive=["note"]) as one,
        pytest.raises(ConfigError, match="compares the files of the source"),
    ):
        one.run(tmp_path / "out.csv", if_exists="skip")


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("method", ["mondrian", "datafly"])
def test_a_run_by_a_method_is_skipped_too(folder, method):
    configure(method=method)
    ran("out.csv", if_exists="overwrite", report=False)
    assert ran("out.csv", if_exists="skip", report=False).release.skipped
    configure(method=method, methods={method: {}}, seed=3)
    with pytest.raises(ReleaseError, match="the config"):
        ran("out.csv", if_exists="skip", report=False)
