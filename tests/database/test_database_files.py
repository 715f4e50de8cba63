"""The files of a decision database are private from their first byte, and the mask of the process stays as it is."""

import importlib
import os
import stat
import threading
from pathlib import Path

import duckdb
import pytest
from asking import ask

from anonduck.database.connection import Database
from anonduck.database.files import make_private_database
from anonduck.database.private_file import put_in_place
from anonduck.errors import DatabaseError


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def open_mask():
    before = os.umask(0)
    yield
    assert os.umask(before) == 0


def modes(folder):
    return {path.name: oct(mode(path)) for path in sorted(folder.iterdir())}


def test_database_and_log_are_private_before_something_is_in_them(tmp_path, open_mask):
    database = Database(tmp_path / "d.duckdb")
    assert modes(tmp_path)["d.duckdb"] == "0o600"
    ask(database, "CREATE TABLE t AS SELECT 1 AS a")
    assert (tmp_path / "d.duckdb.wal").stat().st_size > 0
    assert modes(tmp_path) == {"d.duckdb": "0o600", "d.duckdb.wal": "0o600", "d.duckdb.tmp": "0o700"}
    ask(database, "CHECKPOINT")
    ask(database, "INSERT INTO t VALUES (2)")
    assert modes(tmp_path)["d.duckdb.wal"] == "0o600"
    database.close()
    assert modes(tmp_path) == {"d.duckdb": "0o600"}


@pytest.mark.slow
def test_a_log_that_nothing_was_written_to_is_gone(tmp_path, open_mask):
    Database(tmp_path / "d.duckdb").close()
    database = Database(tmp_path / "d.duckdb")
    assert ask(database, "SELECT 1") == [(1,)]
    database.close()
    assert modes(tmp_path) == {"d.duckdb": "0o600"}


@pytest.mark.slow
def test_what_a_killed_process_logged_comes_back(tmp_path, open_mask):
    database = Database(tmp_path / "d.duckdb")
    ask(database, "CREATE TABLE t AS SELECT 7 AS a")
    for name in ("d.duckdb", "d.duckdb.wal"):
        (tmp_path / f"killed_{name}").write_bytes((tmp_path / name).read_bytes())
    database.close()
    again = Database(tmp_path / "killed_d.duckdb")
    assert ask(again, "SELECT a FROM t") == [(7,)]
    again.close()


@pytest.mark.slow
def test_what_a_query_spills_is_in_a_private_folder(tmp_path, open_mask):
    for path in (None, tmp_path / "d.duckdb"):
        database = Database(path, threads=1, memory_limit="70MB")
        ((spill,),) = ask(database, "SELECT current_setting('temp_directory')")
        ask(database, "CREATE TEMP TABLE big AS SELECT range AS a, hash(range) AS b FROM range(4_000_000) ORDER BY b")
        assert any(Path(spill).iterdir())
        private = Path(spill) if path else Path(spill).parent
        assert mode(private) == 0o700
        database.close()
        assert not Path(spill).exists()


@pytest.mark.slow
def test_two_threads_with_two_databases(tmp_path, open_mask):
    seen, errors = set(), []

    def work(name):
        try:
            for turn in range(5):
                database = Database(tmp_path / f"{name}_{turn}.duckdb")
                ask(database, "CREATE TABLE t AS SELECT range AS a, random() AS b FROM range(200_000)")
                ask(database, "CHECKPOINT")
                ask(database, "INSERT INTO t SELECT a + 1, b FROM t")
                seen.update((path.suffix, mode(path)) for path in tmp_path.glob(f"{name}_{turn}.duckdb*"))
                database.close()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert seen == {(".duckdb", 0o600), (".wal", 0o600), (".tmp", 0o700)}
    made = tmp_path / "plain"
    made.touch(0o666)
    assert mode(made) == 0o666  # a file of the caller's own, whatever anonduck did meanwhile


def test_an_attached_database_and_its_log_are_private(tmp_path, open_mask):
    caller = duckdb.connect()
    database = Database(tmp_path / "d.duckdb", connection=caller)
    ask(database, "CREATE TABLE t AS SELECT 1 AS a")
    assert modes(tmp_path) == {"d.duckdb": "0o600", "d.duckdb.wal": "0o600"}
    database.close()
    assert modes(tmp_path) == {"d.duckdb": "0o600"}
    caller.close()


def test_a_database_that_another_process_made_meanwhile_stays(tmp_path):
    def make(made):
        made.write_text("mine")
        (tmp_path / "d.duckdb").write_text("theirs")

    make_private_database(tmp_path / "d.duckdb", make)
    assert (tmp_path / "d.duckdb").read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [tmp_path / "d.duckdb"]


def test_a_folder_that_takes_no_database(tmp_path):
    with pytest.raises(DatabaseError, match=r"cannot be made: .*; name another place as `database`"):
        Database(Path("/proc/d.duckdb"))


@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_public_file_gets_the_mode_of_new_files(tmp_path, mask, expected):
    before = os.umask(mask)
    try:
        (tmp_path / "new").touch(0o600)
        put_in_place(tmp_path / "new", tmp_path / "file")
    finally:
        assert os.umask(before) == mask
    assert mode(tmp_path / "file") == expected


def test_a_folder_to_spill_to_that_cannot_be_made(tmp_path):
    (tmp_path / "d.duckdb.tmp").write_text("a file")
    database = Database(tmp_path / "d.duckdb")
    ((spill,),) = ask(database, "SELECT current_setting('temp_directory')")
    database.close()
    assert mode(Path(spill).parent) == 0o700
    assert (tmp_path / "d.duckdb.tmp").read_text() == "a file"


def test_a_folder_of_somebody_else_is_not_spilled_to(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / f"anonduck-{os.getuid()}").symlink_to(tmp_path)
    with pytest.raises(DatabaseError, match="there can be no folder to spill to"):
        Database()


@pytest.mark.parametrize("interrupted", ["pathlib.Path.chmod", "anonduck.database.connection.apply_settings"])
def test_an_interrupt_at_the_opening_leaves_no_folder_to_spill_to(tmp_path, monkeypatch, interrupted):
    path = tmp_path / "a.duckdb"
    Database(path).close()
    home, name = interrupted.rsplit(".", 1)
    of = Path if home == "pathlib.Path" else importlib.import_module(home)
    before = getattr(of, name)

    def interrupting(*given, **named):
        if (tmp_path / "a.duckdb.tmp").exists():
            raise KeyboardInterrupt
        return before(*given, **named)

    monkeypatch.setattr(of, name, interrupting)
    with pytest.raises(KeyboardInterrupt):
        Database(path)
    assert [one.name for one in tmp_path.iterdir()] == ["a.duckdb"]
