"""Starting is light: neither importing anonduck nor its help loads a library that takes long."""

import json
import subprocess
import sys

import duckdb
import pytest

SLOW = {"duckdb", "numpy", "pandas", "polars", "pyarrow", "rich", "scipy", "sklearn", "sqlglot"}
HELP = """
import sys
from anonduck.cli.app import run
assert run(["--help"]) == 0
"""


def loaded(code: str) -> set[str]:
    """The top modules that a fresh interpreter holds after ``code``."""
    code += "\nimport json\nprint('\\n' + json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", "import sys\n" + code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.some(1)
@pytest.mark.parametrize("code", ["import anonduck", HELP], ids=["import", "help"])
def test_starting_loads_no_slow_library(code):
    held = loaded(code)
    assert "anonduck" in held
    assert not held & SLOW
    assert "pydantic" not in held


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "project"),
    [("frontier", "people suppressed"), ("rules", "people suppressed"), ("frontier", "people offered")],
)
def test_a_list_loads_nothing_that_computes(prepared, tmp_path, command, project):
    folder = prepared(project, tmp_path)
    held = loaded(f'from anonduck.cli.app import run\nassert run([{command!r}, "-p", {str(folder)!r}]) == 0')
    assert not held & {"numpy", "pandas", "pyarrow", "scipy", "sklearn", "sqlglot"}


@pytest.mark.slow
def test_a_release_by_a_rule_loads_neither_models_nor_numpy(prepared, tmp_path):
    folder = prepared("people", tmp_path)
    asked = ["release", "R1", "-p", str(folder), "-o", str(tmp_path / "out.csv")]
    held = loaded(f"from anonduck.cli.app import run\nassert run({asked!r}) == 0")
    assert not held & {"numpy", "pandas", "pyarrow", "scipy", "sklearn", "sqlglot"}


def test_an_audit_of_a_file_loads_no_config_and_computes_in_the_database_alone(tmp_path):
    file = tmp_path / "file.csv"
    file.write_text("a,b\nx,1\ny,2\n", encoding="utf-8")
    asked = ["audit", str(file)]
    query = [*asked, "--require", "k=2", "--sql"]
    held = loaded(f"from anonduck.cli.app import run\nassert run({asked!r}) == run({query!r}) == 0")
    ours = {"pydantic", "scipy", "sklearn", "sqlglot", "yaml"}
    drivers = set() if duckdb.__version__.startswith("1.") else {"numpy", "pandas", "pyarrow"}  # it loads them itself
    assert not held & (ours | drivers)


@pytest.mark.slow
def test_what_loads_slow_libraries_is_noticed():
    assert loaded("from anonduck import Project") & SLOW


def test_public_names_are_importable():
    import anonduck

    assert {name for name in anonduck.__all__ if getattr(anonduck, name) is not None} == set(anonduck.__all__)
    with pytest.raises(AttributeError, match="no attribute 'missing'"):
        _ = anonduck.missing  # type: ignore[attr-defined]
