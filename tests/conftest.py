"""Fixtures that all tests share."""

import os
from pathlib import Path

import pytest

from anonduck.database import Database


@pytest.fixture
def database():
    opened = Database()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def shared():
    """One database for all examples of a property test."""
    opened = Database(threads=1)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Real evaluation tables, which do not ship with the project: ANONDUCK_DATA, or ../shared/data beside the
    checkout."""
    default = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ANONDUCK_DATA", default))
    if not folder.is_dir():
        reason = f"no evaluation data at {folder}; set ANONDUCK_DATA to the folder that holds adult.csv"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
