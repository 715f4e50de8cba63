"""The house: its rooms are those of docs/architecture.md, and each import contract fails where it is broken."""

import ast
import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "anonduck"
QUERIES = ROOT / "sql"
PAGE = ROOT / "docs" / "architecture.md"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONTRACTS = {contract["name"]: contract for contract in SETTINGS["tool"]["importlinter"]["contracts"]}


def named(folder: Path) -> set[str]:
    """The rooms of a folder: its packages and, but for what Python itself names, its modules."""
    held = {path.name for path in folder.iterdir() if path.is_dir() and path.name != "__pycache__"}
    return held | {path.stem for path in folder.glob("*.py") if path.stem != "__init__"}


def table_rows() -> list[list[str]]:
    """The cells of the table of rooms."""
    section = PAGE.read_text().partition("## The rooms")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    assert rows
    return rows


def test_the_architecture_names_each_room_and_no_other():
    told = [re.sub(r"[`/]|\.py", "", cell) for cells in table_rows() for cell in cells[0].split(", ")]
    assert sorted(told) == sorted(named(PACKAGE))


def test_the_listing_is_short():
    assert len(named(PACKAGE)) <= 31


def test_each_room_says_what_it_holds():
    for folder in (path.parent for path in PACKAGE.rglob("__init__.py")):
        assert (folder / "__init__.py").read_text().startswith('"""'), folder


def test_queries_are_in_the_rooms_that_ask_them():
    rooms = {path.parent.relative_to(QUERIES) for path in QUERIES.rglob("*.sql")}
    known = {room for room in rooms if (PACKAGE / room / "__init__.py").is_file() or (PACKAGE / f"{room}.py").is_file()}
    assert rooms - known == {Path("engines/postgres")}  # in its dialect


def test_rooms_are_listed_from_the_top_down_as_the_contract_has_them():
    layers = CONTRACTS["Rooms import rooms under them"]["layers"]
    order = [room for layer in layers for room in layer.split(" | ")]
    told = [re.sub(r"[`/]|\.py", "", cell) for cells in table_rows() for cell in cells[0].split(", ")]
    assert told == order


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").rglob("*.py")), ids=lambda path: path.stem)
def test_what_a_benchmark_imports_is_there(path):
    """No command of the tests runs most of them."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("anonduck"):
            module = importlib.import_module(node.module)
            absent = [one.name for one in node.names if not hasattr(module, one.name)]
            assert [one for one in absent if not importlib.util.find_spec(f"{node.module}.{one}")] == []


def test_no_contract_has_an_exception():
    assert not [name for name, contract in CONTRACTS.items() if "ignore_imports" in contract]
    assert CONTRACTS["Rooms import rooms under them"]["exhaustive"]
    assert "exclude_type_checking_imports" not in SETTINGS["tool"]["importlinter"]


BROKEN = {
    "Rooms import rooms under them": [
        ("auditing/audit.py", "from anonduck.release import sinks"),
        ("privacy/models.py", "from anonduck import Project"),
    ],
    "No two modules or rooms import each other": [("rules/rule.py", "from anonduck.rules import frontier")],
    "The algorithms of methods and of the search know neither the database nor SQL": [
        ("methods/mondrian.py", "from anonduck.statements import statement"),
        ("search/rfd/rfds.py", "from anonduck.statements import statement"),
        ("search/lattice/costs.py", "from anonduck.measures.measures import ClassTotals"),
    ],
    "Audits and attacks ask no statement on the way to a release": [
        ("auditing/audit.py", "from anonduck.statements.pipeline import builder_release"),
        ("attacks/attack.py", "from anonduck.statements.pipeline.column_names import code_column"),
    ],
    "Only the room database opens DuckDB": [("source/source.py", "import duckdb")],
    "Only the room statements knows sqlglot": [
        ("release/script.py", "import sqlglot"),
        ("engines/warehouse_queries.py", "from sqlglot import exp"),
    ],
    "Only models.estimators knows scikit-learn": [("models/trees.py", "import sklearn.tree")],
    "Only attacks.splink_linkage knows Splink": [("attacks/linkability.py", "import splink")],
    "Only two modules of the room database know deltalake and pyiceberg": [("source/source.py", "import deltalake")],
    "Only the room engines knows PySpark": [("source/source.py", "import pyspark.sql")],
}


def test_each_contract_is_shown_to_fail():
    assert set(BROKEN) == set(CONTRACTS)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file", "line"), [(name, *case) for name, cases in BROKEN.items() for case in cases])
def test_a_contract_fails_when_it_is_broken(tmp_path, name, file, line):
    verdict = contract_verdicts(tmp_path, file, line)
    assert verdict[name] == "BROKEN"


@pytest.mark.slow
def test_the_contracts_hold_as_the_house_stands(tmp_path):
    assert contract_verdicts(tmp_path, "errors.py", "") == dict.fromkeys(CONTRACTS, "KEPT")


def contract_verdicts(folder: Path, file: str, line: str) -> dict[str, str]:
    """What each contract comes to in a copy of the package whose module ``file`` has one line more."""
    shutil.copytree(PACKAGE, folder / "anonduck", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    with (folder / "anonduck" / file).open("a") as module:
        module.write(f"\n{line}\n")
    code = "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command as lint; lint()"
    command = [sys.executable, "-c", code, "--no-cache"]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    found = dict(re.findall(r"^(.+) (KEPT|BROKEN)\b", told, flags=re.MULTILINE))
    assert set(found) == set(CONTRACTS), told
    return found
