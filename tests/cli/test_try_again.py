"""Exit code 6: what may work if it is tried again, as a file is in use, a disk full, or an engine not reached."""

import errno
import os
import pickle
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from typing_commands import typed

import anonduck.errors
from anonduck.cli.app import cli
from anonduck.cli.audited_files import audit_files
from anonduck.database.connection import Database
from anonduck.database.errors import cannot_open, translated
from anonduck.database.private_file import unfinished_file, whole_file
from anonduck.engines.adbc_session import DRIVERS, AdbcDriver
from anonduck.errors import (
    AnonduckError,
    ConfigError,
    DatabaseError,
    ReleaseError,
    SourceError,
    TryAgainError,
    kind_for,
    later,
)
from anonduck.statements.relations import count_of, reader

HOLD = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
CONFIG = "source: people.csv\nclass: c\nrequirement: {k: 2}\nmodels: []\n"


@contextmanager
def held(path):
    """A DuckDB file that another process has open."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        yield
        process.stdin.close()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = pd.DataFrame({"age": [n % 4 for n in range(40)], "c": ["y", "n"] * 20})
    people.to_csv("people.csv", index=False)
    Path("anonduck.yml").write_text(CONFIG)
    for file in ("shop.duckdb", "anonduck.duckdb"):
        duckdb.connect(file).close()
    with duckdb.connect("shop.duckdb") as made:
        made.execute("CREATE TABLE t AS SELECT * FROM 'people.csv'")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("anonduck.duckdb", ("release", "age=0", "-o", "out.csv")),
        pytest.param("anonduck.duckdb", ("rules",), marks=pytest.mark.slow),
        pytest.param("anonduck.duckdb", ("purge",), marks=pytest.mark.slow),
        pytest.param("shop.duckdb", ("audit", "shop.duckdb::t", "--require", "k=2"), marks=pytest.mark.slow),
        pytest.param("shop.duckdb", ("init", "shop.duckdb::t", "-p", "other.yml"), marks=pytest.mark.slow),
        pytest.param("shop.duckdb", ("run", "shop.duckdb::t", "-o", "new/o.csv"), marks=pytest.mark.slow),
        pytest.param("shop.duckdb", ("release", "age=0", "-o", "shop.duckdb::out"), marks=pytest.mark.slow),
    ],
)
def test_a_file_that_another_process_has_open(folder, capsys, file, words):
    (folder / "new").mkdir()
    with held(folder / file):
        code, _, said = typed(capsys, *words)
    assert code == 6
    assert "open in another process" in said
    assert not list(folder.glob("out*")) + list(folder.glob("new/*"))


def test_a_file_that_another_process_writes(tmp_path):
    with (
        whole_file(tmp_path / "out.csv", ReleaseError),
        pytest.raises(TryAgainError, match="is locked") as caught,
        whole_file(tmp_path / "out.csv", ReleaseError),
    ):
        pass
    assert isinstance(caught.value, ReleaseError)


def test_a_full_disk_is_not_what_is_wrong_with_a_command(tmp_path):
    with (
        pytest.raises(TryAgainError, match=f"the disk of {tmp_path} is full") as caught,
        unfinished_file(tmp_path / "draft", ReleaseError),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert (caught.value.exit_code, isinstance(caught.value, ReleaseError)) == (6, True)
    query = count_of(reader("read_csv", "x.csv", {}))
    assert translated(query, duckdb.IOException('Could not write file "x": No space left on device')).exit_code == 6
    assert translated(query, duckdb.IOException('Cannot open file "/no space/x": No such file')).exit_code == 2
    assert cannot_open("x.duckdb", duckdb.IOException("Cannot open file: Disk quota exceeded")).exit_code == 6
    assert cannot_open("lock/x.duckdb", duckdb.IOException('Cannot open file "lock/x.duckdb"')).exit_code == 2


def test_what_cannot_be_printed_as_the_disk_is_full(tmp_path):
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "anonduck", "schema"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert ended.returncode == 6
    assert b"No space left on device" in ended.stderr


class RefusedError(Exception):
    """An error of a driver."""

    def __init__(self, state):
        super().__init__("fe_sendauth: 47")
        self.sqlstate = state


@pytest.mark.parametrize(
    ("state", "connecting", "asking"),
    [
        *((state, 6, 6) for state in ("08006", "57P01", "53100", "40001", "55P03")),
        *((state, 2, 2) for state in ("28P01", "3D000", "42P01", "42501")),
        ("", 6, 2),
    ],
)
def test_an_engine_that_does_not_answer_may_answer_later(monkeypatch, state, connecting, asking):
    class Api:
        Error = RefusedError

        @staticmethod
        def connect(*_, **__):
            raise RefusedError(state)

    monkeypatch.setattr(AdbcDriver, "_dbapi", lambda _: Api)
    with pytest.raises(SourceError, match="PostgreSQL cannot be reached") as caught:
        DRIVERS["postgres"].connect()
    assert caught.value.exit_code == connecting
    from anonduck.engines.adbc_session import _passes

    assert (6 if _passes(RefusedError(state)) else 2) == asking


def test_each_kind_that_is_tried_again_is_still_of_its_kind():
    for kind in (
        ConfigError,
        SourceError,
        anonduck.errors.TaxonomyError,
        ReleaseError,
        anonduck.errors.AuditError,
        DatabaseError,
    ):
        error = later(kind)("in use")
        assert isinstance(error, kind)
        assert (error.exit_code, str(error), kind("wrong").exit_code) == (6, "in use", 2)
        assert pickle.loads(pickle.dumps(error)).exit_code == 6  # noqa: S301 - as a worker of Airflow passes it on
        assert kind_for(kind, error) is later(kind)
        assert kind_for(kind, OSError(errno.EBUSY, "busy")) is later(kind)
        assert kind_for(kind, OSError(errno.EACCES, "denied")) is kind
    assert later(AnonduckError) is TryAgainError


def test_of_several_files_a_missed_requirement_is_worse_than_one_that_is_in_use(folder, capsys):
    with held(folder / "shop.duckdb"):
        assert audit_files(["--require", "k=2", "shop.duckdb::t"]) == 6
        assert audit_files(["--require", "k=2", "--class", "c", "shop.duckdb::t", "people.csv"]) == 6
        assert audit_files(["--require", "k=50", "shop.duckdb::t", "people.csv"]) == 1
    assert "open in another process" in capsys.readouterr().err


def test_the_help_lists_all_exit_codes():
    text = " ".join((cli.help or "").split())
    codes = {
        error.exit_code
        for error in vars(anonduck.errors).values()
        if isinstance(error, type) and issubclass(error, AnonduckError)
    }
    assert codes == {1, 2, 3, 4, 5, 6}
    for code in {0, *codes}:
        assert f" {code} " in text
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
    assert all(f"\n| {code} | " in page for code in {0, *codes})


def test_a_database_that_is_no_longer_held_is_opened(folder):
    with held(folder / "anonduck.duckdb"), pytest.raises(TryAgainError):
        Database(folder / "anonduck.duckdb")
    Database(folder / "anonduck.duckdb").close()
