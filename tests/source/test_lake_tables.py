"""Files of Delta and Iceberg tables are refused wherever files come in: a log at or above them says what is current."""

import os

import pandas as pd
import pytest
from bad_inputs import CONFIG, GOOD, laid_out, refused

from anonduck.config.reading import make_config
from anonduck.database.connection import Database
from anonduck.database.lake_tables import table_above
from anonduck.errors import SourceError
from anonduck.source.source import open_source

DELTA = "t/_delta_log/00000000000000000000.json"
LOGS = [
    (DELTA, "a Delta table"),
    ("t/metadata/v1.metadata.json", "an Iceberg table"),
    ("t/metadata/v1.gz.metadata.json", "an Iceberg table"),
    ("t/metadata/00001-x.metadata.json.gz", "an Iceberg table"),
]
FRAME = pd.DataFrame({"age": [20, None, 31], "job": ["cook", None, "nurse"], "c": ["x", "y", "x"]})


def with_files(folder, *paths):
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        FRAME.to_parquet(folder / path)
    return folder


def lake(folder, log, *paths):
    return with_files(laid_out(folder, {log: "{}"}, None), *paths)


def opened(folder, source):
    database = Database()
    try:
        found = open_source(database, make_config({"class": "c", "source": source}), folder)
        return found.engine.count()
    finally:
        database.close()


@pytest.mark.parametrize(("log", "words"), LOGS)
def test_files_under_a_log_are_refused(tmp_path, log, words):
    lake(tmp_path, log, "t/data/part=1/x.parquet")
    with pytest.raises(SourceError, match=words) as caught:
        opened(tmp_path, "t/data/part=1/x.parquet")
    assert str(tmp_path / "t") in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "source",
    ["t", "t/", "t/*.parquet", "t/*/*.parquet", "**/*.parquet", "t/part=1/*", "t/part=1", "../{here}/t/*/x.parquet"],
)
def test_a_folder_and_a_glob_are_refused(tmp_path, source):
    lake(tmp_path, DELTA, "t/part=1/x.parquet")
    with pytest.raises(SourceError, match="a Delta table"):
        opened(tmp_path, source.format(here=tmp_path.name))


def test_one_file_of_a_table_among_others_is_refused(tmp_path):
    lake(tmp_path, DELTA, "t/x.parquet", "u/x.parquet")
    with pytest.raises(SourceError, match="a Delta table"):
        opened(tmp_path, "*/x.parquet")
    assert opened(tmp_path, "u/x.parquet") == 3


def test_a_table_is_found_behind_a_link_and_above_one(tmp_path):
    lake(tmp_path, DELTA, "t/x.parquet", "elsewhere/y.parquet")
    (tmp_path / "folder").symlink_to(tmp_path / "t")
    (tmp_path / "file.parquet").symlink_to(tmp_path / "t" / "x.parquet")
    (tmp_path / "t" / "part").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "t" / "sub").mkdir()
    (tmp_path / "sub").symlink_to(tmp_path / "t" / "sub")
    for source in ("folder/x.parquet", "file.parquet", "t/part/y.parquet", "sub/../x.parquet"):
        with pytest.raises(SourceError, match="a Delta table"):
            opened(tmp_path, source)
    assert opened(tmp_path, "elsewhere/y.parquet") == 3


def test_an_odd_name_hides_no_log(tmp_path):
    for name in ("a [b] * ? {c}", "day=2024-01-01", "%20 ü"):
        lake(tmp_path / name, DELTA, "t/x.parquet")
        with pytest.raises(SourceError, match="a Delta table"):
            opened(tmp_path, f"{name}/t/x.parquet")


def test_the_table_that_is_named_is_the_nearest(tmp_path):
    lake(tmp_path, DELTA, "t/inner/x.parquet")
    laid_out(tmp_path, {"t/inner/metadata/v2.metadata.json": "{}"}, None)
    found = table_above([tmp_path / "t" / "inner" / "x.parquet"])
    assert (found.kind, found.folder) == ("iceberg", str(tmp_path / "t" / "inner"))
    assert table_above([tmp_path / "t" / "x.parquet"]).kind == "delta"
    assert table_above([tmp_path, "."]) is None


def test_what_is_no_file_of_a_table_is_read(tmp_path):
    """A CSV file cannot be one; other metadata are no log; a log deeper down is of other files."""
    lake(tmp_path, DELTA, "x.parquet")
    laid_out(tmp_path, {"t/s.csv": GOOD, "metadata/notes.json": "{}", "metadata.json": "{}"}, None)
    assert opened(tmp_path, "x.parquet") == 3
    assert opened(tmp_path, "t/s.csv") == 42


DOORS = [
    ("init", "t/x.parquet", "--class", "c"),
    ("audit", "t/x.parquet", "-q", "age"),
    ("audit", "t", "-q", "age"),
    ("audit", "o.parquet", "-q", "age", "--against", "t/x.parquet"),
    ("audit", "o.parquet", "-q", "age", "--population", "t/x.parquet", "--require", "k_map=2"),
    ("attack", "t/x.parquet", "--original", "o.parquet", "-q", "age"),
    ("attack", "o.parquet", "--original", "t/x.parquet", "-q", "age"),
    ("attack", "o.parquet", "--original", "o.parquet", "-q", "age", "--control", "t/x.parquet"),
    ("release", "age=0", "--source", "t/x.parquet", "-o", "r.csv"),
    ("release", "--classes", "t/x.parquet", "-o", "r.csv"),
    ("reconstruct", "t/x.parquet", "--class", "c", "-o", "drawn"),
]


@pytest.mark.some(4)
@pytest.mark.parametrize("arguments", DOORS, ids=" ".join)
def test_every_command_refuses_files_of_a_table(capsys, tmp_path, arguments):
    lake(tmp_path, DELTA, "t/x.parquet", "o.parquet")
    laid_out(tmp_path, {"s.csv": GOOD}, None if arguments[0] == "init" else CONFIG)
    text = refused(capsys, tmp_path, "is part of a Delta table", *arguments)
    assert "delta:" in text
    assert "delta_scan" in text


@pytest.mark.parametrize(
    ("more", "arguments"),
    [
        ("taxonomies: {job: {file: t/x.parquet}}\n", ("release", "job=1", "-o", "o.csv")),
        ("", ("compare", "--import", "theirs=t/x.parquet", "-k", "2")),
    ],
)
def test_where_only_a_file_serves_another_file_is_asked_for(capsys, tmp_path, more, arguments):
    lake(tmp_path, DELTA, "t/x.parquet")
    laid_out(tmp_path, {"s.csv": GOOD}, CONFIG + more)
    refused(capsys, tmp_path, "t/x.parquet,? .*is part of a Delta table.* a file of their own", *arguments)


@pytest.mark.parametrize("name", ["t/o.csv", "t/part=1/x.parquet", "t/o.duckdb::people", "link/o.parquet"])
def test_no_release_goes_into_the_folder_of_a_table(capsys, tmp_path, name):
    lake(tmp_path, DELTA, "t/part=1/x.parquet")
    (tmp_path / "link").symlink_to(tmp_path / "t")
    laid_out(tmp_path, {"s.csv": GOOD})
    release = ("release", "age=0", "-o", name, "--overwrite", "--require", "k=1")
    refused(capsys, tmp_path, "in the folder of a Delta table", *release)


def test_a_folder_that_an_engine_would_replace_is_no_table(capsys, tmp_path):
    lake(tmp_path, DELTA)
    os.rename(tmp_path / "t", tmp_path / "t.parquet")
    laid_out(tmp_path, {"s.csv": GOOD})
    refused(capsys, tmp_path, "in the folder of a Delta table", *("release", "age=0", "-o", "t.parquet/"))
