"""A database that is detached is closed, whatever other cursors of its connection are in the middle of."""

from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest

from anonduck.database import attachments
from anonduck.database.connection import Database
from anonduck.errors import DatabaseError
from anonduck.statements import builder_database


@pytest.fixture
def held(tmp_path):
    """A database with a file attached, which another cursor's transaction looked at, and that cursor."""
    caller = duckdb.connect()
    database = Database(connection=caller)
    database.run(builder_database.attach(str(tmp_path / "made.duckdb"), "made"))
    reader = caller.cursor()
    reader.execute("BEGIN").execute("SELECT count(*) FROM duckdb_tables()").fetchall()
    yield database, reader
    database.close()
    caller.close()


@pytest.mark.slow
def test_a_detached_file_is_closed_once_nothing_looks_at_it(held, tmp_path):
    database, reader = held
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(database.detach, "made")
        with pytest.raises(TimeoutError):
            waiting.result(0.3)
        reader.execute("COMMIT")
        waiting.result(60)
    duckdb.connect().execute(f"ATTACH '{tmp_path / 'made.duckdb'}' AS again")


def test_a_file_that_stays_open_is_told(held, monkeypatch):
    database, _ = held
    monkeypatch.setattr(attachments, "PATIENCE", 0)
    with pytest.raises(DatabaseError, match=r"made\.duckdb is held open by another query or transaction"):
        database.detach("made")


def test_each_database_in_memory_beside_a_file_is_current_by_its_name(tmp_path):
    """`USE` would take a schema of the file for the database in memory of the same name."""
    databases = [Database(tmp_path / "decisions.duckdb")]
    for _ in range(3):
        databases.append(Database(connection=databases[0].lent()))
        assert databases[-1].value(builder_database.CURRENT) == databases[-1].catalog
    for database in reversed(databases):
        database.close()
