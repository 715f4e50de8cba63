"""Tables of Delta and Iceberg, made by deltalake and pyiceberg, are read as their logs say and known by version."""

import base64
import datetime
import importlib
import json
import os
import shutil
import struct
import sys

import pyarrow as pa
import pytest
from bad_inputs import accepted, laid_out, refused

from anonduck import Project, audit
from anonduck.config.reading import make_config
from anonduck.database.connection import Database
from anonduck.database.lake_tables import open_lake
from anonduck.errors import ConfigError, SourceError
from anonduck.source.source import open_source
from anonduck.statements import Statement

ROWS = 40
GONE = 8
PEOPLE = pa.table(
    {
        "id": pa.array(range(ROWS)),
        "age": pa.array([None if n % 10 == 9 else 20 + n % 4 for n in range(ROWS)], pa.int32()),
        "town": [("a b", "b/%", "ü=", None)[n % 4] for n in range(ROWS)],
        "day": [datetime.date(2024, 1, 1 + n % 2) for n in range(ROWS)],
        "c": ["gone" if n < GONE else ("x", "y")[n % 2] for n in range(ROWS)],
    }
)


def package(name):
    """A package that `dev` installs: without it tests are skipped, and with CI=true they fail."""
    return importlib.import_module(name) if os.environ.get("CI") else pytest.importorskip(name)


@pytest.fixture(scope="module")
def delta(tmp_path_factory):
    """A partitioned table: version 0 has all records, 1 has the deleted ones no more, 2 has one twice."""
    deltalake = package("deltalake")
    path = str(tmp_path_factory.mktemp("delta") / "people")
    deltalake.write_deltalake(path, PEOPLE, partition_by=["town", "day"])
    deltalake.DeltaTable(path).delete(f"id < {GONE}")
    deltalake.write_deltalake(path, PEOPLE.slice(GONE + 1, 1), mode="append")
    return path


@pytest.fixture(scope="module")
def iceberg(tmp_path_factory):
    """A table of a catalog in SQLite, partitioned, with deleted records: its folder, the newest metadata, snapshots."""
    package("pyiceberg")
    from pyiceberg.catalog.sql import SqlCatalog

    folder = tmp_path_factory.mktemp("iceberg")
    catalog = SqlCatalog("shop", uri=f"sqlite:///{folder}/shop.db", warehouse=f"file://{folder}")
    catalog.create_namespace("sales")
    table = catalog.create_table("sales.people", schema=PEOPLE.schema)
    with table.update_spec() as spec:
        spec.add_identity("day")
    table.append(PEOPLE)
    table.delete(f"id < {GONE}")
    catalog.engine.dispose()
    newest = table.metadata_location.removeprefix("file://")
    return folder, newest, [one.snapshot_id for one in table.snapshots()]


def rows_of(source, folder, **settings):
    database = Database()
    try:
        open_source(database, make_config({"class": "c", "source": source, **settings}), folder)
        return database.rows(Statement("all", "SELECT * FROM source ORDER BY ALL"))
    finally:
        database.close()


def rows_from(first):
    named = [tuple(row.values()) for row in PEOPLE.slice(first).to_pylist()]
    return sorted(named)


# -- Delta -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_deleted_records_of_delta_are_gone_and_an_older_version_has_them(delta, tmp_path):
    assert rows_of(f"delta:{delta}@1", tmp_path) == rows_from(GONE)
    assert rows_of(f"delta:{delta}@0", tmp_path) == rows_from(0)
    assert rows_of(f"delta:{delta}", tmp_path) == sorted([*rows_from(GONE), rows_from(GONE + 1)[0]])


def test_a_filter_on_a_partition_and_casts_hold(delta, tmp_path):
    where = {"where": "town = 'b/%' AND day >= DATE '2024-01-02'", "types": {"age": "VARCHAR"}}
    wanted = [
        (i, None if a is None else str(a), t, d, c) for i, a, t, d, c in rows_from(GONE) if t == "b/%" and d.day == 2
    ]
    assert rows_of(f"delta:{delta}@1", tmp_path, **where) == wanted
    assert wanted


def test_a_deletion_vector_is_followed(tmp_path):
    """As Spark and Databricks delete: the file stays, and the log says which of its records are gone."""
    deltalake = package("deltalake")
    from pyroaring import BitMap64

    path = tmp_path / "t"
    deltalake.write_deltalake(str(path), PEOPLE)
    lines = (path / "_delta_log" / f"{0:020}.json").read_text().splitlines()
    add = next(told["add"] for told in map(json.loads, lines) if "add" in told)
    bits = struct.pack("<i", 1681511377) + BitMap64(range(GONE)).serialize()
    vector = {
        "storageType": "i",
        "pathOrInlineDv": base64.b85encode(bits + bytes(-len(bits) % 4), pad=False).decode().translate(Z85),
        "sizeInBytes": len(bits),
        "cardinality": GONE,
    }
    features = {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
    commit = [
        {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}},
        {"remove": {"path": add["path"], "deletionTimestamp": 1, "dataChange": True}},
        {"add": {**add, "deletionVector": vector}},
    ]
    (path / "_delta_log" / f"{1:020}.json").write_text("\n".join(map(json.dumps, commit)))
    assert rows_of("delta:t", tmp_path) == rows_from(GONE)
    assert rows_of("delta:t@0", tmp_path) == rows_from(0)


Z85 = str.maketrans(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
)
"""From the digits of Python's base85 to those of ZeroMQ's, which logs of Delta are written in."""


def test_a_table_whose_files_were_removed_is_told(delta, tmp_path):
    shutil.copytree(delta, tmp_path / "t")
    for file in (tmp_path / "t").rglob("*.parquet"):
        file.unlink()
    with pytest.raises(SourceError) as caught:
        rows_of("delta:t", tmp_path)
    assert caught.value.exit_code == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("delta:nothing", "nothing at"),
        ("delta:plain", "cannot be opened as a Delta table"),
        ("delta:people@99", "cannot be opened as a Delta table"),
        ("delta:a[b]", "cannot be opened as a Delta table"),
        ("delta:s3://key:secret@bucket/people", "password"),
        ("iceberg:plain", "version-hint"),
        ("iceberg:plain/x.metadata.json", "nothing at"),
    ],
)
def test_what_is_no_such_table_is_refused(delta, tmp_path, source, words):
    shutil.copytree(f"{delta}/_delta_log", tmp_path / "people" / "_delta_log")
    for name in ("plain", "a[b]/_delta_log"):
        (tmp_path / name).mkdir(parents=True)
    with pytest.raises((SourceError, ConfigError), match=words) as caught:
        rows_of(source, tmp_path)
    assert caught.value.exit_code == 2
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("kind", "package"), [("delta", "deltalake"), ("iceberg", "pyiceberg")])
def test_a_missing_package_is_named_with_what_installs_it(tmp_path, monkeypatch, kind, package):
    for name in [one for one in sys.modules if one.partition(".")[0] == package] + [package]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match=rf"pip install 'anonduck\[{kind}\]'"):
        open_lake(f"{kind}:{tmp_path}", tmp_path)


@pytest.mark.slow
def test_a_project_on_delta_is_of_the_version_that_it_was_made_from(capsys, delta, tmp_path):
    """From init to a release that is skipped while the table stays, and is told to be of others once it does not."""
    from deltalake import DeltaTable

    shutil.copytree(delta, tmp_path / "lake" / "people")
    (tmp_path / "own").mkdir()
    accepted(
        capsys, tmp_path, *("init", "delta:lake/people@1", "--class", "c", "--identifier", "id", "-p", "own/a.yml")
    )
    text = (tmp_path / "own" / "a.yml").read_text()
    assert 'source: "delta:../lake/people@1"' in text
    (tmp_path / "own" / "a.yml").write_text(text.replace("people@1", "people") + "select: loss\nmodels: []\n")
    run = ("run", "-p", "own/a.yml", "-o", "o.csv", "--if-exists", "skip")
    accepted(capsys, tmp_path, *run)
    assert "gone" not in (tmp_path / "o.csv").read_text()
    assert "same" in accepted(capsys, tmp_path, *run)
    DeltaTable(str(tmp_path / "lake" / "people")).delete("id = 20")
    assert "records of the source changed" in accepted(capsys, tmp_path, "rules", "-p", "own/a.yml")
    refused(capsys, tmp_path, "the records are others", *run)
    again = ("release", "day=0", "--source", "delta:lake/people@0", "-p", "own/a.yml", "-o", "old.csv")
    accepted(capsys, tmp_path, *again, "--require", "k=1")
    assert "gone" in (tmp_path / "old.csv").read_text()


@pytest.mark.slow
def test_a_table_is_audited_as_its_log_says(capsys, delta, tmp_path):
    assert audit(f"delta:{delta}@1", ["age", "town"], class_="c").rows == ROWS - GONE
    laid_out(tmp_path, {}, None)
    accepted(capsys, tmp_path, "audit", f"delta:{delta}@1", "-q", "age", "--against", f"delta:{delta}@0")
    refused(capsys, tmp_path, "nothing at", "audit", "delta:people", "-q", "age")


@pytest.mark.slow
def test_an_arrow_dataset_of_a_table_is_a_source(delta):
    from deltalake import DeltaTable

    with Project(source=DeltaTable(delta, version=1).to_pyarrow_dataset(), class_="c") as project:
        assert project.source.engine.count() == ROWS - GONE


# -- Iceberg -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_deleted_records_of_iceberg_are_gone_and_an_older_snapshot_has_them(iceberg, tmp_path):
    _, newest, (first, *_) = iceberg
    assert rows_of(f"iceberg:{newest}", tmp_path) == rows_from(GONE)
    assert rows_of(f"iceberg:{newest}@{first}", tmp_path) == rows_from(0)
    with pytest.raises(SourceError, match="cannot be opened as an Iceberg table"):
        rows_of(f"iceberg:{newest}@{first + 1}", tmp_path)


@pytest.mark.slow
def test_a_catalog_knows_its_newest_version(iceberg, tmp_path, monkeypatch):
    from pyiceberg.utils.config import Config

    folder, _, (first, *_) = iceberg
    monkeypatch.setenv("PYICEBERG_CATALOG__SHOP__TYPE", "sql")
    monkeypatch.setenv("PYICEBERG_CATALOG__SHOP__URI", f"sqlite:///{folder}/shop.db")
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", Config())  # read once by each process
    assert rows_of("iceberg:shop::sales.people", tmp_path) == rows_from(GONE)
    assert rows_of(f"iceberg:shop::sales.people@{first}", tmp_path) == rows_from(0)
    with pytest.raises(SourceError, match="cannot be opened as an Iceberg table"):
        rows_of("iceberg:shop::sales.nobody", tmp_path)


@pytest.mark.slow
def test_a_folder_is_read_where_it_knows_its_newest_version(iceberg, tmp_path):
    """Without a hint, metadata of a change that failed could not be told from that of one that holds."""
    _, newest, _ = iceberg
    place = tmp_path / "people" / "metadata"
    place.mkdir(parents=True)
    shutil.copy(newest, place / "v3.metadata.json")
    with pytest.raises(SourceError, match="iceberg:CATALOG::NAMESPACE"):
        rows_of("iceberg:people", tmp_path)
    (place / "version-hint.text").write_text("3")
    assert rows_of("iceberg:people", tmp_path) == rows_from(GONE)


@pytest.mark.slow
def test_the_plain_files_of_both_are_refused_with_what_reads_them(delta, iceberg, tmp_path):
    for source, words in (
        (f"{delta}/*/*/*.parquet", "delta:"),
        (f"{iceberg[1].rpartition('/metadata/')[0]}", "iceberg:"),
    ):
        with pytest.raises(SourceError, match=words):
            rows_of(source, tmp_path)


@pytest.mark.slow
def test_each_version_is_known_by_another_name(delta, iceberg, tmp_path):
    _, newest, (first, *_) = iceberg
    named = [f"delta:{delta}", f"delta:{delta}@1", f"iceberg:{newest}", f"iceberg:{newest}@{first}"]
    versions = [open_lake(one, tmp_path).version for one in named]
    assert len(set(versions)) == 4
    assert versions == [open_lake(one, tmp_path).version for one in named]
