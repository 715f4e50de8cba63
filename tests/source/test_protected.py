"""What nothing that is written may replace or join: no writer touches the source, the config, the decisions."""

import os

import duckdb
import pytest
from bad_inputs import CONFIG, GOOD, accepted, contents, laid_out, refused
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project
from anonduck.errors import ConfigError, ReleaseError
from anonduck.source.protected_files import matches

NULLS = GOOD + ",,\n" * 9
TAXONOMY = "baker,a,*\ncook,b,*\nnurse,b,*\n"
HELD = CONFIG + "taxonomies: {job: {file: j.csv}}\nrequirement: {k: 1}\n"
WRITERS = {
    "release": ("release", "age=0", "--overwrite", "-o"),
    "run": ("run", "--overwrite", "--no-report", "-o"),
    "report": ("report", "--overwrite", "-o"),
    "sql": ("sql", "age=0", "--overwrite", "-o"),
    "export": ("taxonomy", "export", "age", "--overwrite", "-o"),
    "mapping": ("taxonomy", "mapping", "age=1", "--overwrite", "-o"),
    "init": ("init", "s.csv", "--class", "c", "--overwrite", "-p"),
}


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """A project with a discovery, so that every writer gets as far as to its file."""
    folder = laid_out(tmp_path_factory.mktemp("decided"), {"s.csv": NULLS, "j.csv": TAXONOMY}, HELD)
    with Project(folder / "anonduck.yml") as project:
        project.discover(sample="all", models=[])
    (folder / "link.sql").symlink_to(folder / "s.csv")
    (folder / "hard.sql").hardlink_to(folder / "s.csv")
    (folder / "same").symlink_to(folder)
    return folder


STOOD_ON = {
    "s.csv": "the source",
    "link.sql": "the source",
    "hard.sql": "the source",
    "same/s.csv": "the source",
    "anonduck.duckdb": "the decision database",
    "anonduck.duckdb.wal": "the log of the decision database",
    "anonduck.yml": "the config",
    "j.csv": "the taxonomy file of 'job'",
}
REPLACEABLE = {("init", "anonduck.yml"), ("init", "j.csv")}
"""A config may be replaced by a new one, which knows of no taxonomy's file yet."""


@pytest.mark.slow
@pytest.mark.some(11)
@pytest.mark.parametrize(("writer", "target"), [(w, t) for w in WRITERS for t in STOOD_ON if (w, t) not in REPLACEABLE])
def test_no_writer_replaces_what_a_project_stands_on(capsys, decided, writer, target):
    what = STOOD_ON[target]
    releases = writer in ("release", "run") and not target.endswith(".csv")
    words = "a release cannot go to" if releases else f"is {what} itself, which is never overwritten"
    database = (decided / "anonduck.duckdb").read_bytes()
    refused(capsys, decided, words, *WRITERS[writer], target)
    with duckdb.connect(str(decided / "anonduck.duckdb"), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM rules").fetchone()[0] > 0
    if writer == "init":
        assert (decided / "anonduck.duckdb").read_bytes() == database


@pytest.mark.slow
def test_a_seed_of_dbt_does_not_replace_the_config(capsys, decided):
    export = ("taxonomy", "export", "age", "--format", "dbt", "--overwrite", "-o", "anonduck.csv")
    refused(capsys, decided, "anonduck.yml is the config itself", *export)


@pytest.mark.slow
def test_a_certificate_does_not_replace_what_it_rests_on(capsys, decided):
    accepted(capsys, decided, "release", "age=0", "-o", "o.csv")
    certificate = ("report", "--release", "o.csv", "--overwrite", "-o")
    refused(capsys, decided, "is the source itself", *certificate, "s.csv")
    refused(capsys, decided, "is the release itself", *certificate, "o.csv")
    refused(capsys, decided, "is the receipt itself", *certificate, "o.csv.receipt.json")
    accepted(capsys, decided, *certificate, "o.html")


# -- what a source's pattern would read the next time ------------------------------------------------------------------


def parts(folder, names):
    rows = "SELECT i % 3 AS a, CASE WHEN i > 5 THEN i % 2 END AS b, i % 2 AS c FROM range(30) r(i)"
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        duckdb.sql(f"COPY ({rows}) TO '{path}'")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "target"),
    [
        ("part*.parquet", "part3.parquet"),
        ("part?.parquet", "part3.parquet"),
        ("part[0-9].parquet", "part3.parquet"),
        ("*.parquet", "./x/../o.parquet"),
        ("**/*.parquet", "x/o.parquet"),
        ("**", "x/y/o.parquet"),
        ("*/part*.parquet", "x/part9.parquet"),
        ("x/../*.parquet", "o.parquet"),
        ("linked/part*.parquet", "x/part9.parquet"),
        ("*/part*.parquet", "linked/part9.parquet"),
        ("x/part*.parquet", "linked/part9.parquet"),
        ("part*.parquet", "x/here/part9.parquet"),
    ],
)
def test_a_release_does_not_become_its_own_source(tmp_path, monkeypatch, pattern, target):
    parts(tmp_path, ["part1.parquet", "part2.parquet", "x/part1.parquet", "x/y/other.parquet"])
    (tmp_path / "linked").symlink_to(tmp_path / "x")
    (tmp_path / "x" / "here").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    with Project(source=pattern, class_="c", requirement={"k": 1}) as project:
        for overwrite in (True, False):
            with pytest.raises(ReleaseError, match="would be read as part of the source"):
                project.release({"a": 0}, target, overwrite=overwrite)
            with pytest.raises(ReleaseError, match="would be read as part of the source"):
                project.run(target, overwrite=overwrite)
    assert contents(tmp_path) == before


@pytest.mark.slow
def test_beside_a_pattern_that_does_not_match_there_is_room(tmp_path, monkeypatch):
    parts(tmp_path, ["part1.parquet", "part2.parquet", "x/part1.parquet"])
    monkeypatch.chdir(tmp_path)
    with Project(source="part*.parquet", class_="c", requirement={"k": 1}) as project:
        for target in ("released.parquet", "x/part3.parquet", "part3.csv"):
            assert project.release({"a": 0}, target).rows == 60
        assert project.release({"a": 0}, None, dry_run=True).rows == 60


@pytest.mark.parametrize("target", ["o.csv", "o.parquet", "o.duckdb::t"])
def test_a_receipt_does_not_become_a_source(tmp_path, monkeypatch, target):
    duckdb.sql(f"COPY (SELECT i % 3 AS a, i % 2 AS c FROM range(30) r(i)) TO '{tmp_path}/one.json'")
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    words = r"receipt\.json would be read as part of the source"
    with Project(source="*.json", class_="c", requirement={"k": 1}) as one, pytest.raises(ReleaseError, match=words):
        one.release({"a": 0}, target)
    assert contents(tmp_path) == before


def test_a_temporary_file_does_not_become_a_source(tmp_path, monkeypatch):
    parts(tmp_path, ["part.anonduck.parquet"])
    monkeypatch.chdir(tmp_path)
    words = r"unfinished\.parquet would be read as part"
    with Project(source="*.anonduck*", class_="c") as one, pytest.raises(ReleaseError, match=words):
        one.release({"a": 0}, "o.parquet")


def test_another_export_is_protected_too(tmp_path, monkeypatch):
    parts(tmp_path, ["first.parquet", "new/part1.parquet"])
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    with Project(source="first.parquet", class_="c", requirement={"k": 1}) as project:
        project.build_taxonomies()
        for target in ("new/part2.parquet", "new/part1.parquet", "first.parquet"):
            with pytest.raises(ReleaseError, match="the source"):
                project.release({"a": 0}, target, source="new/*.parquet", overwrite=True)
    assert contents(tmp_path) == before


def test_the_databases_of_a_callers_connection_are_protected(tmp_path):
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 3 AS a, i % 2 AS c FROM range(30) r(i)")
        with Project(source="t", class_="c", connection=connection, requirement={"k": 1}) as project:
            with pytest.raises(ReleaseError, match="is the source itself"):
                project.release({"a": 0}, f"{tmp_path}/shop.duckdb::out")
            with pytest.raises(ConfigError, match="is the source itself"):
                project.refuse_protected(tmp_path / "shop.duckdb")


def test_the_project_asks_for_any_writer(tmp_path):
    folder = laid_out(tmp_path, {"s.csv": NULLS, "j.csv": TAXONOMY}, HELD)
    with Project(folder / "anonduck.yml") as project:
        project.refuse_protected(folder / "new.lock")
        for name in ("s.csv", "anonduck.yml", "j.csv", "anonduck.duckdb", "anonduck.duckdb.tmp"):
            with pytest.raises(ConfigError, match="itself, which is never overwritten"):
                project.refuse_protected(folder / "new.lock", folder / name)


NAMES = st.sampled_from(["a", "b", "ab", ".h", "a[b]", "x-y", "a.csv", "ab.csv", ".h.csv", "a\\b"])
PIECES = st.sampled_from(
    ["a", "b", "*", "?", "a*", "*b", "[ab]", "[!a]", "**", "*.csv", "??", ".", "..", "a[b]", "[^a]"]
)


@given(
    folders=st.lists(st.lists(NAMES, min_size=1, max_size=2), min_size=1, max_size=4),
    pattern=st.lists(PIECES, min_size=1, max_size=3),
    at=st.integers(0, 3),
    name=NAMES,
)
@examples(150)
def test_patterns_match_what_duckdb_reads(tmp_path_factory, folders, pattern, at, name):
    root = tmp_path_factory.mktemp("tree")
    for folder in folders:
        (root.joinpath(*folder)).mkdir(parents=True, exist_ok=True)
    path = root.joinpath(*folders[at % len(folders)], name)
    if path.exists() or pattern.count("**") > 1:  # DuckDB takes one at most
        return
    foretold = matches(root.joinpath(*pattern), path)
    path.write_text("x")
    text = str(root.joinpath(*pattern))
    found = duckdb.execute("SELECT file FROM glob($pattern)", {"pattern": text}).fetchall()
    read = os.path.realpath(path) in {os.path.realpath(file) for (file,) in found}
    assert foretold or not read, (text, path)
    if not {"[", "\\"} & set(str(path)) and pattern[-1] not in (".", ".."):
        assert foretold == read, (text, path)


# -- the demo ----------------------------------------------------------------------------------------------------------


def test_a_demo_replaces_nothing_but_a_demo(capsys, tmp_path):
    folder = laid_out(tmp_path, {"s.csv": NULLS, "persons.parquet": "KEEP", "anonduck.duckdb": "KEEP"})
    for arguments in ((), ("--overwrite",)):
        refused(capsys, folder, "which is not from a demo", "demo", ".", *arguments)
    (folder / "anonduck.yml").unlink()
    for arguments in ((), ("--overwrite",)):
        refused(capsys, folder, r"holds persons\.parquet, which is not from a demo", "demo", ".", *arguments)
    assert (folder / "anonduck.duckdb").read_text() == "KEEP"


def test_an_earlier_demo_is_written_over_on_request_only(capsys, tmp_path):
    config = "source: persons.parquet\nclass: buys_insurance\ninsensitive: [contact_channel]\n"
    folder = laid_out(tmp_path, {"anonduck.duckdb": b"12345678DUCK" + bytes(99)}, config)
    refused(capsys, folder, "holds an earlier demo", "demo", ".")
