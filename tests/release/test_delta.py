"""A release as the next version of a Delta table: what readers see, what is refused, and what a killed run leaves."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from bad_inputs import CONFIG, GOOD, OWN, accepted, contents, laid_out, refused

from anonduck import Project, audit
from anonduck.database import delta_writing
from anonduck.errors import AuditError, ReleaseError
from anonduck.release.delta_target import delta_target
from anonduck.release.target import finish_interrupted, sha256_of

TO = ("-o", "delta:persons")
K = ("--require", "k=2")


@pytest.fixture
def deltalake():
    """The package, which `dev` installs: without it tests are skipped, and with CI=true they fail."""
    return importlib.import_module("deltalake") if os.environ.get("CI") else pytest.importorskip("deltalake")


@pytest.fixture
def folder(tmp_path, deltalake):
    return laid_out(tmp_path, {"s.csv": GOOD})


def rows(folder, version=None):
    """The rows of a version, as deltalake and DuckDB read them."""
    import deltalake

    table = deltalake.DeltaTable(str(folder / "persons"), version=version)
    read = Counter(tuple(row.values()) for row in table.to_pyarrow_table().to_pylist())
    files = table.file_uris()
    assert Counter(duckdb.sql("SELECT * FROM read_parquet($files)", params={"files": files}).fetchall()) == read
    return read


def version(folder):
    import deltalake

    return deltalake.DeltaTable(str(folder / "persons")).version()


def k_of(read, width):
    """The fewest records that share their first columns."""
    return min(sum((Counter({row[:width]: n}) for row, n in read.items()), Counter()).values())


def here(folder):
    return {path.name for path in folder.iterdir()}


DOCUMENTS = {f"persons.{ending}" for ending in ("receipt.json", "dictionary.json", "dictionary.md", "owner.json")}


def test_each_release_is_a_version_and_earlier_ones_stay(folder, capsys):
    accepted(capsys, folder, "release", "age=0", *TO, *K)
    first = rows(folder)
    source = Counter(tuple(line.split(",")[::2]) for line in GOOD.splitlines()[1:])
    assert {(str(age), c): n for (age, c), n in first.items()} == dict(source)
    (file,) = (folder / "persons").glob("*.parquet")
    receipt = json.loads((folder / "persons.receipt.json").read_text())
    assert receipt["file"] == "delta:persons"
    assert receipt["sha256"] == sha256_of(file)
    assert here(folder) >= DOCUMENTS
    assert here(folder) - DOCUMENTS - OWN == {"s.csv", "anonduck.yml", "persons"}

    before = contents(folder)
    refused(capsys, folder, "exists; `--overwrite` adds a version of it", "release", "age=1", *TO, *K)
    assert contents(folder) == before

    accepted(capsys, folder, "release", "job=0", *TO, *K, "--overwrite")
    second = rows(folder)
    assert (version(folder), rows(folder, 0)) == (1, first)
    assert sum(second.values()) == 42
    assert k_of(second, 1) == json.loads((folder / "persons.receipt.json").read_text())["k"] == 14
    assert audit(f"delta:{folder}/persons", ["job"], class_="c").k == 14
    assert audit(f"delta:{folder}/persons@0", ["age"], class_="c").k == k_of(first, 1) == 6


@pytest.mark.slow
def test_run_skips_what_stands_and_replaces_it_on_request(folder, capsys):
    (folder / "anonduck.yml").write_text(CONFIG + "requirement: {k: 5}\nmodels: []\n")
    accepted(capsys, folder, "lock", "job=0")
    accepted(capsys, folder, "run", "--locked", *TO)
    assert "skipped" in "".join(accepted(capsys, folder, "run", "--locked", *TO, "--if-exists", "skip"))
    assert version(folder) == 0
    (file,) = (folder / "persons").glob("*.parquet")
    accepted(capsys, folder, "run", "--locked", *TO, "--if-exists", "overwrite")
    assert (version(folder), rows(folder)) == (1, rows(folder, 0))  # the same bytes, in another file
    assert len(list((folder / "persons").glob("*.parquet"))) == 2
    accepted(capsys, folder, "report", "--release", "delta:persons", "-o", "certificate.html")
    page = (folder / "certificate.html").read_text()
    assert "counted in the file" in page  # the audit of the certificate read the table by its receipt
    by_receipt = audit(f"delta:{folder}/persons", receipt=folder / "persons.receipt.json")
    assert (by_receipt.quasi_identifiers, by_receipt.k) == (("job",), 14)
    import deltalake

    deltalake.write_deltalake(str(folder / "persons"), pa.table({"job": ["cook"], "c": ["x"]}), mode="append")
    refused(capsys, folder, "is not the file that", "run", "--locked", *TO, "--if-exists", "skip")
    with pytest.raises(AuditError, match="hash of a file"):
        audit(f"delta:{folder}/persons", receipt=folder / "persons.receipt.json")
    assert file.exists()


def test_a_release_under_the_requirement_leaves_the_version(folder, capsys):
    accepted(capsys, folder, "release", "age=0", *TO, *K)
    before = contents(folder)
    refused(capsys, folder, "under the required", "release", "age=0", *TO, "--require", "k=7", "--overwrite", code=1)
    assert contents(folder) == before


def test_another_writer_in_between_wins(folder, capsys, monkeypatch, deltalake):
    """Its rows are not mixed with those of the release, and the file of the release goes."""
    accepted(capsys, folder, "release", "job=0", *TO, *K)
    commit, other = delta_writing._commit, pa.table({"job": ["other"], "c": ["x"]})

    def late(*arguments):
        deltalake.write_deltalake(str(folder / "persons"), other, mode="overwrite")
        commit(*arguments)

    monkeypatch.setattr(delta_writing, "_commit", late)
    with pytest.raises(ReleaseError, match="was not changed"), Project(folder / "anonduck.yml") as project:
        project.release("age=0", f"delta:{folder}/persons", requirement={"k": 2}, overwrite=True)
    assert rows(folder) == {("other", "x"): 1}
    assert len(list((folder / "persons").glob("anonduck-*.parquet"))) == 1
    assert here(folder) >= DOCUMENTS


KILLED = """
import os, sys
import deltalake, pyarrow.parquet
from anonduck.cli.app import run
from anonduck.database import delta_writing

commit = delta_writing._commit

def ended(when, *arguments):
    def killed(*given):
        if when == "after":
            commit(*given)
        os.kill(os.getpid(), 9)
    if (child := os.fork()) == 0:
        delta_writing._commit = killed
        os._exit(run(["release", *arguments, "-o", "delta:persons", "--require", "k=2"]))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -9

for folder, *given in (("new", "before", "age=0"), ("old", "before", "job=0"), ("late", "after", "job=0")):
    os.chdir(os.path.join(sys.argv[1], folder))
    ended(*given, "--overwrite")
"""


@pytest.mark.slow
def test_a_kill_before_the_commit_leaves_the_version_and_after_it_the_new_one(tmp_path, capsys, deltalake):
    new, old, late = (tmp_path / name for name in ("new", "old", "late"))
    accepted(capsys, laid_out(old, {"s.csv": GOOD}), "release", "age=0", *TO, *K)
    shutil.copytree(old, late)
    laid_out(new, {"s.csv": GOOD})
    made = subprocess.run([sys.executable, "-c", KILLED, tmp_path], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr

    assert not delta_writing.is_delta_table(new / "persons")
    accepted(capsys, new, "release", "age=0", *TO, *K)  # what was left is no release, and goes
    assert len(list((new / "persons").glob("*.parquet"))) == 1

    assert (version(old), rows(old)) == (0, rows(new))

    assert (version(late), rows(late, 0), k_of(rows(late), 1)) == (1, rows(new), 14)
    assert "persons.receipt.json" not in here(late)
    assert "stood without its receipt" in finish_interrupted(delta_target("delta:persons", late))
    assert json.loads((late / "persons.receipt.json").read_text())["k"] == 14  # of the version that stands
    assert here(late) >= DOCUMENTS


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"partition_by": ["c"]}, "partitioned by 'c'"),
        ({"configuration": {"delta.appendOnly": "true"}}, "may not be replaced"),
        ({"configuration": {"delta.enableChangeDataFeed": "true"}}, "have to support"),
    ],
)
def test_a_table_that_a_release_cannot_continue_is_refused(folder, capsys, deltalake, changes, words):
    deltalake.write_deltalake(str(folder / "persons"), pa.table({"job": ["a"], "c": ["x"]}), **changes)
    before = contents(folder)
    refused(capsys, folder, words, "release", "job=0", *TO, *K, "--overwrite")
    assert contents(folder) == before


def test_times_without_a_zone_start_a_table_and_are_refused_in_one_without_the_feature(tmp_path, deltalake):
    times = pa.table({"t": pa.array([0, 0, 1, 1], pa.timestamp("us")), "n": [1, 1, 2, 2], "c": ["x", "y"] * 2})
    made = {"class_": "c", "requirement": {"k": 2}}
    with Project(source=times, **made) as project:
        project.release({"n": 0}, f"delta:{tmp_path}/old")
        project.release({"t": 0}, f"delta:{tmp_path}/new")
        before = contents(tmp_path)
        with pytest.raises(ReleaseError, match="timestampNtz is not on, and 't' shows"):
            project.release({"t": 0}, f"delta:{tmp_path}/old", overwrite=True)
        assert contents(tmp_path) == before
    read = deltalake.DeltaTable(str(tmp_path / "new")).to_pyarrow_table()["t"]
    assert sorted(read.to_pylist()) == times["t"].to_pylist()


def test_a_type_that_delta_lacks_is_refused(tmp_path, deltalake):
    source = pa.table({"n": pa.array([1, 1, 2, 2], pa.uint32()), "c": ["x", "y"] * 2})
    with (
        Project(source=source, class_="c", requirement={"k": 2}) as project,
        pytest.raises(ReleaseError, match="'n' is UINTEGER, which Delta tables cannot hold"),
    ):
        project.release({"n": 0}, f"delta:{tmp_path}/persons")
    assert here(tmp_path) == set()


REFUSED = [
    ("delta:other", "is no Delta table and holds x.txt"),
    ("delta:notes", "is a file"),
    ("delta:persons/part", "is in the folder of a Delta table"),
    ("delta:gone/persons", "there is no folder"),
    ("delta:persons@0", "leave out @0"),
    ("delta:s3://bucket/persons", "on this machine"),
    ("iceberg:persons", "on this machine"),
    ("delta:", "write delta:FOLDER"),
    ("delta:persons", "is the source itself"),
]


@pytest.mark.parametrize(("target", "words"), REFUSED)
def test_a_place_where_no_table_can_be_is_refused(folder, capsys, deltalake, target, words):
    laid_out(folder, {"other/x.txt": "x", "notes": "x"})
    deltalake.write_deltalake(str(folder / "persons"), pa.table({"age": [1, 1], "c": ["x", "x"]}))
    if words == "is the source itself":
        (folder / "anonduck.yml").write_text("source: delta:persons@0\nclass: c\n")
    before = contents(folder)
    refused(capsys, folder, words, "release", "age=0", "-o", target, *K, "--overwrite")
    assert contents(folder) == before


def test_without_the_package_the_next_step_is_said(tmp_path, capsys, monkeypatch):
    laid_out(tmp_path, {"s.csv": GOOD})
    monkeypatch.setitem(sys.modules, "deltalake", None)
    refused(capsys, tmp_path, r"pip install 'anonduck\[delta\]'", "release", "age=0", *TO, *K)
    assert not Path(tmp_path / "persons").exists()
