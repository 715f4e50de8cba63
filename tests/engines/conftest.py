"""One session of Spark for all tests of a process: its virtual machine takes seconds to start."""

import pytest
from sql_engines import missing, refuse_absent, spark_session


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A session of the caller's."""
    refuse_absent("spark", missing("spark"))
    session = spark_session(tmp_path_factory.mktemp("spark") / "warehouse")
    yield session
    session.stop()
