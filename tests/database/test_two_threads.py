"""Two projects work in two threads of one process and come to what they come to one after the other."""

import ast
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from threading import Barrier
from typing import Any

import duckdb
import pandas as pd
import pytest

from anonduck import Project, workspace
from anonduck.database.connection import Database
from anonduck.errors import DatabaseError, ReleaseError
from anonduck.models.estimators import one_thread_each
from anonduck.release import release
from anonduck.source import shared_database
from anonduck.statements import Statement

ROLES = {"class_": "class", "sensitive": ["ill"], "insensitive": ["note"]}
NEED = {"requirement": {"k": 3, "l": 2, "suppression": 0.2}, "models": [], "coverage": [0.1], "threads": 2}
Opening = Callable[[int], Any]


def people(which: int) -> pd.DataFrame:
    """Two tables of the same columns whose values and records differ."""
    rows = [
        (
            20 + which * 15 + i % (30 - 7 * which),
            f"{which}{i % (9 - which)}",
            "ab"[i % (7 + which) % 2],
            "xyz"[i % 3],
            i,
        )
        for i in range(200 + 60 * which)
    ]
    frame = pd.DataFrame(rows, columns=["age", "zip", "class", "ill", "note"])
    frame.loc[which, "zip"] = None
    return frame


def job(project: Project, folder: Path, which: int) -> tuple[list[dict[str, Any]], list[bytes]]:
    """Discover, release to each kind of target, and tell the rules and the bytes.

    Two projects on one file have one stored discovery, the last one, and release another rule of it each.
    """
    rules = project.discover().rules
    for name in ("r.parquet", "r.csv", "r.duckdb::t", "r.duckdb::u"):
        project.release(rules[-which].levels, folder / f"{which}{name}")
    with duckdb.connect(str(folder / f"{which}r.duckdb"), read_only=True) as written:
        tables = repr(written.sql("FROM t").fetchall() + written.sql("FROM u").fetchall()).encode()
    files = [(folder / f"{which}r.{ending}").read_bytes() for ending in ("parquet", "csv")]
    return [rule.as_json() for rule in rules], [*files, tables]


@contextmanager
def own_files(folder: Path) -> Iterator[Opening]:
    """A decision database of its own for each."""
    yield lambda which: {"source": people(which), "database": folder / f"{which}.duckdb", **NEED}


@contextmanager
def one_file(folder: Path) -> Iterator[Opening]:
    """One decision database for both, of one source."""
    yield lambda which: {"source": people(0), "database": folder / "decision.duckdb", **NEED}


@contextmanager
def one_file_without_kept_columns(folder: Path) -> Iterator[Opening]:
    """The same, where a release is written from the grouped table alone."""
    given = {"source": people(0).drop(columns="note"), "database": folder / "decision.duckdb", "insensitive": []}
    yield lambda which: {**given, **NEED}


@contextmanager
def own_memory(_: Path) -> Iterator[Opening]:
    yield lambda which: {"source": people(which), **NEED, "models": ["logistic"]}


@contextmanager
def one_connection(_: Path, threads: int = 2) -> Iterator[Opening]:
    """Cursors of one connection, with a table each."""
    with duckdb.connect(config={"threads": threads}) as connection:
        for which in (0, 1):
            frame = people(which)
            connection.register("frame", frame)
            connection.execute(f"CREATE TABLE people_{which} AS FROM frame")
            connection.unregister("frame")
        held = connection.execute("SELECT database_name, table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
        given = {name: value for name, value in NEED.items() if name != "threads"}
        yield lambda which: {"source": f"people_{which}", "connection": connection, **given}
        left = connection.execute("SELECT database_name, table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
        assert left == held
        assert connection.execute("SELECT current_setting('threads')").fetchall() == [(threads,)]


@contextmanager
def one_connection_of_one_thread(folder: Path) -> Iterator[Opening]:
    with one_connection(folder, threads=1) as opening:
        yield opening


@contextmanager
def one_connection_and_one_file(folder: Path) -> Iterator[Opening]:
    """Cursors of one connection that read tables of one DuckDB file."""
    shop = folder / "shop.duckdb"
    with duckdb.connect(str(shop)) as filled:
        for which in (0, 1):
            frame = people(which)
            filled.execute(f"CREATE TABLE people_{which} AS FROM frame")
            assert len(frame)
    with duckdb.connect() as connection:
        given = {name: value for name, value in NEED.items() if name != "threads"}
        yield lambda which: {"source": f"{shop}::people_{which}", "connection": connection, **given}


WAYS = [
    one_file,
    one_connection,
    own_memory,
    own_files,
    one_file_without_kept_columns,
    one_connection_of_one_thread,
    one_connection_and_one_file,
]


@pytest.mark.some(0, 2)
@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_two_projects_in_two_threads_come_to_the_same(way: Callable[[Path], Any], tmp_path: Path) -> None:
    results = {}
    for name, at_once in (("one after the other", False), ("at once", True)):
        folder = tmp_path / name
        folder.mkdir()
        start = Barrier(2 if at_once else 1)

        def work(which: int, folder: Path = folder, start: Barrier = start) -> Any:
            start.wait(60)
            with Project(**{**ROLES, **opening(which)}) as project:
                return job(project, folder, which)

        with way(folder) as opening, ThreadPoolExecutor(2) as pool:
            results[name] = list(pool.map(work, (0, 1))) if at_once else [work(which) for which in (0, 1)]
    assert results["at once"] == results["one after the other"]
    assert results["at once"][0] != results["at once"][1]


# -- one decision file -------------------------------------------------------------------------------------------------

FINE, COARSE = {"age": 1}, {"age": 2}


def opened_twice(folder: Path, stack: ExitStack) -> list[Project]:
    """Two projects on one decision file, whose releases have the same columns and as many rows."""
    table = people(0)[["age", "zip", "class"]]
    given: dict[str, Any] = {"source": table, "class_": "class", "requirement": {"k": 1}, "threads": 1}
    return [stack.enter_context(Project(**given, database=folder / "decision.duckdb")) for _ in range(2)]


def meanwhile(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any]) -> None:
    """Between what the first release measures and what it writes, something else is called."""
    drafted, calls = release.draft_of, [call]

    def draft(*given: Any) -> dict[str, Any]:
        found = drafted(*given)
        if calls:
            calls.pop()()
        return found

    monkeypatch.setattr(release, "draft_of", draft)


def released(path: Path) -> list[Any]:
    return duckdb.connect().execute(f"SELECT age, count(*) FROM '{path}' GROUP BY ALL ORDER BY ALL").fetchall()


@pytest.mark.slow
def test_a_project_waits_until_the_job_of_another_on_its_file_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack, ThreadPoolExecutor(1) as pool:
        first, second = opened_twice(tmp_path, stack)
        first.build_taxonomies()
        for rule, name in ((COARSE, "coarse"), (FINE, "fine")):
            first.release(rule, tmp_path / f"{name}_alone.parquet")
        waiting = []

        def start() -> None:
            waiting.append(pool.submit(second.release, FINE, tmp_path / "fine.parquet"))
            with pytest.raises(TimeoutError):
                waiting[0].result(0.5)

        meanwhile(monkeypatch, start)
        classes = first.release(COARSE, tmp_path / "coarse.parquet").classes
        assert classes == len(released(tmp_path / "coarse.parquet"))
        assert waiting[0].result(60).classes == len(released(tmp_path / "fine.parquet")) > classes
    for name in ("coarse", "fine"):
        assert (tmp_path / f"{name}.parquet").read_bytes() == (tmp_path / f"{name}_alone.parquet").read_bytes()


@pytest.mark.slow
def test_a_job_in_the_middle_of_another_projects_job_on_one_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:
        first, second = opened_twice(tmp_path, stack)
        first.build_taxonomies()

        def refused() -> None:
            with pytest.raises(DatabaseError, match="another project is in the middle of a job"):
                second.release(FINE, tmp_path / "fine.parquet")

        meanwhile(monkeypatch, refused)
        classes = first.release(COARSE, tmp_path / "coarse.parquet").classes
        assert classes == len(released(tmp_path / "coarse.parquet"))
        assert second.release(FINE, tmp_path / "fine.parquet").classes > classes
        assert first.release(COARSE, dry_run=True).classes == classes


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["coarse.parquet", "coarse.csv", "coarse.duckdb::t"])
def test_a_release_of_what_another_job_left_is_refused_by_its_classes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if nobody waited for turns: as many rows, but other classes than the receipt would tell."""
    monkeypatch.setattr(shared_database.ExclusiveAccess, "held_by", lambda *_: nullcontext())
    with ExitStack() as stack:
        first, second = opened_twice(tmp_path, stack)
        first.build_taxonomies()
        meanwhile(monkeypatch, lambda: second.release(FINE, tmp_path / "fine.parquet"))
        with pytest.raises(ReleaseError, match=r"the release has classes = \d+ and the written .* nothing was kept"):
            first.release(COARSE, tmp_path / name)
    assert not list(tmp_path.glob("*coarse*"))


def test_turns_are_of_the_file_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    sessions = [workspace.SharedDatabase(folder / "d.duckdb") for folder in (tmp_path, tmp_path / "link")]
    others = [workspace.SharedDatabase(tmp_path / "e.duckdb"), *(workspace.SharedDatabase() for _ in range(2))]
    with sessions[0].exclusive(), sessions[0].exclusive(), ExitStack() as stack:
        with pytest.raises(DatabaseError, match="in the middle of a job"):
            stack.enter_context(sessions[1].exclusive())
        for other in others:
            stack.enter_context(other.exclusive())
    with sessions[1].exclusive():
        pass


@pytest.mark.slow
def test_working_tables_of_two_projects_in_one_connection_are_apart() -> None:
    with duckdb.connect() as connection, ExitStack() as stack:
        first, second = (stack.enter_context(Project(source=people(i), connection=connection, **ROLES)) for i in (0, 1))
        counts = []
        for project in (first, second):
            project.build_taxonomies()
        for project in (first, second):
            counts.append(project.database.value(Statement("counted", 'SELECT sum("#records") FROM frequency_set')))
            assert project.source.engine.count() == counts[-1]
        assert counts == [200, 260]
        assert first.database.catalog != second.database.catalog


def test_a_callers_connection_answers_one_project_after_the_other() -> None:
    """It refuses a call while another one goes on, so that both read tables large enough to meet."""
    sizes = (1_500_000, 2_000_000)
    with duckdb.connect() as connection:
        for which, size in enumerate(sizes):
            connection.execute(f"CREATE TABLE big_{which} AS SELECT nullif(i % 7, 3) AS a FROM range({size}) AS t(i)")
        start = Barrier(2)

        def work(which: int) -> int:
            database = Database(connection=connection)
            start.wait(60)
            database.adopt_table("source_object", [f"big_{which}"])
            records = database.value(Statement("counted", "SELECT count(*) FROM source_object"))
            database.close()
            return int(records)

        with ThreadPoolExecutor(2) as pool:
            assert tuple(pool.map(work, (0, 1))) == sizes


def test_what_cursors_of_one_connection_attach_has_names_of_its_own() -> None:
    first = Database()
    assert first.beside("anonduck_target") == "anonduck_target"
    with duckdb.connect() as connection:
        shared = [Database(connection=connection) for _ in range(2)]
        assert len({one.beside("anonduck_target") for one in shared}) == 2
        for one in shared:
            one.close()
    first.close()


def test_the_limit_of_threads_ends_with_the_last_who_needs_it() -> None:
    from threadpoolctl import threadpool_info

    def pools() -> set[int]:
        return {pool["num_threads"] for pool in threadpool_info()}

    with one_thread_each():
        pass  # loads the libraries
    before = pools()
    with ExitStack() as first, ExitStack() as second:
        first.enter_context(one_thread_each())
        second.enter_context(one_thread_each())
        first.close()
        assert pools() == {1}
    assert pools() == before


# -- what all of a process shares --------------------------------------------------------------------------------------

CACHED = {
    "_every": "the orders of so many records, of seven at most",
    "_products": "n log n of small counts, a constant table",
    "_ranges": "the rows of a shipped file",
    "_silence": "a filter on the loggers of PySpark, put there once",
    "_thread_pools": "the libraries of the process that have threads",
    "load": "a query file, parsed",
    "_queries": "the folder of the query files",
    "_parts_of": "the text of an expression, parsed",
}
"""Functions whose results are kept: each depends on its arguments alone."""
SHARED = {
    "checks.py": {"_TREES": "hashes of taxonomies that were found to be trees, which they are for all jobs"},
    "spark_session.py": {
        "_USERS": "who uses the one session of Spark that a process can have, so that the last ends it"
    },
    "ending.py": {
        "_RUNNING": "connections that a signal interrupts: a signal ends the whole process",
        "_UNFINISHED": "drafts that a signal removes, whoever writes them",
    },
    "fingerprints.py": {"_KNOWN": "fingerprints of files as they were, which are the same for all jobs"},
    "shared_database.py": {"_BY_FILE": "who works on a decision file, of which there is one for all threads"},
}
"""Names of modules that functions change: under a lock, and of nothing that a job comes to."""
CHANGING = {"append", "add", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}


def of_module(tree: ast.Module) -> set[str]:
    """The names that a module binds at its top, but for its functions, classes and imports."""
    targets = [node.targets for node in tree.body if isinstance(node, ast.Assign)]
    targets += [[node.target] for node in tree.body if isinstance(node, ast.AnnAssign)]
    return {one.id for of_one in targets for one in of_one if isinstance(one, ast.Name)}


def changes(tree: ast.Module) -> Iterator[str]:
    """What functions change of the names of their module."""
    names = of_module(tree)
    for function in (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda))):
        own = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        own |= {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
        for node in ast.walk(function):
            if isinstance(node, ast.Global):
                yield from node.names
            part = node.value if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) else None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
                part = node.func.value
            if isinstance(part, ast.Name) and part.id in names - own:
                yield part.id


def test_changes_of_a_modules_names_are_found() -> None:
    text = "A = {}\nB: list = []\ndef f(C):\n    A[1] = 2\n    B.append(1)\n    C[1] = 2\n    D = {}\n    D[1] = 2\n"
    assert list(changes(ast.parse(text))) == ["A", "B"]
    assert list(changes(ast.parse("A = 1\ndef f():\n    global A\n    A = 2\n"))) == ["A"]


@pytest.mark.slow
def test_no_module_keeps_what_a_call_left() -> None:
    trees = {path: ast.parse(path.read_text()) for path in (Path(__file__).parents[2] / "anonduck").rglob("*.py")}
    found = {path.name: names for path, tree in trees.items() if (names := list(changes(tree)))}
    assert {module: set(names) for module, names in found.items()} == {name: set(held) for name, held in SHARED.items()}
    cached = {
        node.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for one in node.decorator_list
        if "cache" in ast.unparse(one) and "cached_property" not in ast.unparse(one)
    }
    assert cached == set(CACHED)
