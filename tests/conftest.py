"""Fixtures that all tests share, what each tier runs, and how many examples property tests take in it."""

import gc
import os
import signal
from pathlib import Path

import duckdb
import pytest
from examples import ALL, tier
from forked import forked_commands
from hypothesis import settings
from prepared import Prepared
from sqlglot import exp
from sqlglot.generator import Generator

from anonduck.database.connection import Database

settings.register_profile("default", max_examples=ALL // 20, deadline=None, derandomize=True)
settings.register_profile("ci", max_examples=ALL // 3, deadline=None, derandomize=True, print_blob=True)
settings.register_profile("nightly", max_examples=ALL, deadline=None, print_blob=True)  # other ones at each run
settings.register_profile("search", max_examples=10 * ALL, deadline=None, print_blob=True)  # the same, and more of them
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_configure() -> None:
    """Let messages be as wide as they are, and let a test be interrupted, and what it starts.

    A shell starts work in the background deaf to SIGINT.
    """
    os.environ.pop("COLUMNS", None)  # the terminal's, or that of xdist: messages would be wrapped by it
    os.unsetenv("COLUMNS")  # readline, which pytest imports, sets it for child processes behind Python's back
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow or nightly the parameters that `some` leaves out of a tier, those that it keeps evenly spread; skip
    what only the newest dependencies do, where older ones are installed."""
    parameters: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("some"):
            parameters.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for family in parameters.values():
        numbers = family[0].get_closest_marker("some").args
        for item, name in zip(family, tier(numbers, len(family)), strict=True):
            if name:
                item.add_marker(name)
    if duckdb.__version__.startswith("1."):
        older = pytest.mark.skip(reason=f"it compares what newer dependencies do; DuckDB {duckdb.__version__} is here")
        for item in items:
            if item.get_closest_marker("newest"):
                item.add_marker(older)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Thousands of collected tests live as long as the process: the garbage collector need not look at them."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let everything go in the end."""
    gc.unfreeze()


@pytest.fixture(autouse=True, scope="session")
def _trees_of_known_arguments():
    """Let no tree become text with an argument that its node does not have: sqlglot would leave it out silently."""
    generate = Generator.generate

    def checked(self: Generator, expression: exp.Expr, copy: bool = True) -> str:
        unknown = {(type(node), name) for node in expression.walk() for name in node.args.keys() - node.arg_types}
        assert not unknown, f"arguments that sqlglot does not know: {unknown}"
        return generate(self, expression, copy)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Generator, "generate", checked)
        yield


@pytest.fixture
def database():
    opened = Database()
    yield opened
    opened.close()


@pytest.fixture
def out(tmp_path):
    """A folder for what is written, with nothing else in it."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def shared():
    """One database for all examples of a property test."""
    opened = Database(threads=1)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory) -> Prepared:
    """Copies of small projects that were discovered, by the names in prepared.py: ``prepared("people", tmp_path)``."""
    return Prepared(tmp_path_factory.mktemp("prepared"))


@pytest.fixture(scope="session")
def forked():
    """A folder with the command, as a process that starts at once."""
    with forked_commands() as folder:
        yield folder


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
