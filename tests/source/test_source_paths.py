"""A path that exists as a file is that file, whatever DuckDB would take it for."""

from pathlib import Path

import duckdb
import pandas as pd
import pytest
from bad_inputs import accepted, laid_out, refused

import anonduck
from anonduck.attacks.attack import attack
from anonduck.config.reading import make_config
from anonduck.database.connection import Database
from anonduck.source.source import open_source
from anonduck.statements import Statement
from anonduck.taxonomy.files.text_lines import read_parquet

WILD = [("x[1]", "x1"), ("x*", "xy"), ("x?", "xy"), ("[x]", "x"), ("[!x]", "y")]
MINE = [(20, None, "a"), (30, "rome", "b"), (30, "rome", "a")]
OTHERS = [(77, "oslo", "a"), (88, "oslo", "b")]


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame(rows, columns=["age", "town", "c"])
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute(f"COPY frame TO '{path}'")
    return path


def rows_of(folder, source):
    database = Database()
    try:
        opened = open_source(database, make_config({"class": "c", "source": source}), folder)
        return database.rows(Statement("all", "SELECT * FROM source ORDER BY ALL")), opened.files
    finally:
        database.close()


@pytest.mark.slow
@pytest.mark.some(7)
@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
@pytest.mark.parametrize(("name", "beside"), WILD)
def test_a_file_of_that_name_is_read_and_no_other(tmp_path, name, beside, ending):
    mine = write(tmp_path / f"{name}.{ending}", MINE)
    write(tmp_path / f"{beside}.{ending}", OTHERS)
    found, files = rows_of(tmp_path, f"{name}.{ending}")
    assert found == sorted(MINE, key=lambda row: (row[0], row[2]))
    assert files == (mine,)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("part", ["a.{}", "*.{}", "[ab].{}"])
@pytest.mark.parametrize(("name", "beside"), WILD)
def test_a_folder_of_that_name_is_meant_and_no_other(tmp_path, name, beside, part, ending):
    mine = write(tmp_path / name / f"a.{ending}", MINE)
    write(tmp_path / beside / f"a.{ending}", OTHERS)
    found, files = rows_of(tmp_path, f"{name}/{part.format(ending)}")
    assert len(found) == 3
    assert files == (mine,)
    assert rows_of(tmp_path / name, part.format(ending)) == (found, files)


def test_a_pattern_that_is_no_file_is_a_pattern(tmp_path):
    for name in ("x1", "x2", "x3"):
        write(tmp_path / f"{name}.csv", MINE)
    assert [file.name for file in rows_of(tmp_path, "x[12].csv")[1]] == ["x1.csv", "x2.csv"]
    write(tmp_path / "2024" / "a.csv", MINE)
    assert len(rows_of(tmp_path, "20*/*.csv")[0]) == 3


def test_a_file_with_colons_is_no_table(tmp_path):
    write(tmp_path / "a::b.csv", MINE)
    assert len(rows_of(tmp_path, "a::b.csv")[0]) == 3


def test_a_name_that_duckdb_cannot_spell_is_refused(capsys, tmp_path):
    write(tmp_path / "a\\[1].csv", MINE)
    write(tmp_path / "a[1].csv", OTHERS)
    laid_out(tmp_path, {}, "source: 'a\\[1].csv'\nclass: c\n")
    refused(capsys, tmp_path, "rename it")


@pytest.mark.slow
def test_fingerprint_guard_release_and_script_mean_the_file_that_is_read(capsys, tmp_path):
    write(tmp_path / "x[1].csv", MINE)
    write(tmp_path / "x1.csv", OTHERS)
    folder = laid_out(tmp_path, {}, "source: 'x[1].csv'\nclass: c\n")
    refused(capsys, folder, "", "release", "age=0", "-o", "x[1].csv", "--overwrite", "--require", "k=1")
    accepted(capsys, folder, "release", "age=0", "-o", "o.csv", "--require", "k=1")
    assert sorted((folder / "o.csv").read_text().split()) == ["20,a", "30,a", "30,b", "age,c"]
    accepted(capsys, folder, "sql", "age=0", "-o", "s.sql", "--require", "k=1")
    with duckdb.connect() as connection:
        found = connection.execute((folder / "s.sql").read_text()).fetchall()
    assert sorted(found) == [(20, "a"), (30, "a"), (30, "b")]
    accepted(capsys, folder, "release", "age=0", "--source", "x1.csv", "-o", "other.csv", "--require", "k=1")
    (folder / "x1.csv").write_text("age,town,c\n1,x,a\n")
    accepted(capsys, folder, "release", "age=0", "--source", "x[1].csv", "-o", "again.csv", "--require", "k=1")
    assert (folder / "again.csv").read_text() == (folder / "o.csv").read_text()


@pytest.mark.slow
def test_audits_and_attacks_read_the_named_file(tmp_path):
    mine = [write(tmp_path / f"{name}[1].csv", MINE) for name in ("release", "population", "control")]
    for path in mine:
        write(Path(str(path).replace("[1]", "1")), OTHERS[:1])
    release, population, control = mine
    found = anonduck.audit(release, ["age", "town"], class_="c", population=population)
    assert (found.rows, found.k) == (3, 1)
    told = attack(release, release, ["age", "town"], class_="c", control=control, splink=False)
    assert dict(told.records) == {"release": 3, "original": 3, "control": 3}


def test_a_taxonomy_of_that_name_is_read(tmp_path, database):
    for name, label in (("t[1]", "mine"), ("t1", "other")):
        frame = pd.DataFrame({"leaf": ["rome", "bari"], "up": [label] * 2, "root": ["*"] * 2})
        frame.to_parquet(tmp_path / f"{name}.parquet")
    assert all("mine" in line for line in read_parquet(database, tmp_path / "t[1].parquet")[0].lines)
