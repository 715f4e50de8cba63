"""The wheel holds the package, the queries and the ready-made taxonomies, and nothing else."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import anonduck

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HOMES = {"anonduck": "anonduck", "anonduck/sql": "sql", "anonduck/taxonomies": "taxonomies"}
SHIPPED = {".py", ".sql", ".csv", ".md", ".html", ".css", ".js", ".json", ".typed", ".yml"}


def expected_names() -> set[str]:
    """What the three folders hold, by the names that the wheel gives them."""
    names = set()
    for home, folder in HOMES.items():
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in SHIPPED and "__pycache__" not in path.parts:
                names.add(f"{home}/{path.relative_to(ROOT / folder).as_posix()}")
    return names


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel built from a copy of the checkout, so that nothing left over in build/ gets into it."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in HOMES.values():
        shutil.copytree(ROOT / name, folder / "copy" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / "copy" / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), str(folder / "copy")]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return next(folder.glob("*.whl"))


@pytest.mark.slow
def test_the_wheel_holds_what_the_folders_hold(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert "anonduck/py.typed" in names
    assert names == expected_names()


@pytest.mark.slow
def test_the_wheel_carries_licence_and_entry_point(wheel):
    with zipfile.ZipFile(wheel) as archive:
        metadata = {Path(name).name: name for name in archive.namelist() if ".dist-info/" in name}
        assert "LICENSE" in metadata
        assert "anonduck = anonduck.__main__:main" in archive.read(metadata["entry_points.txt"]).decode()
        assert "anonduck-audit = anonduck.cli.audited_files:main" in archive.read(metadata["entry_points.txt"]).decode()
        told = archive.read(metadata["METADATA"]).decode()
    assert "License-Expression: Apache-2.0" in told
    assert "Author-email: anonduck <team@anonduck.dev>" in told
    for name, url in PROJECT["project"]["urls"].items():
        assert f"Project-URL: {name}, {url}" in told
    assert "Description-Content-Type: text/markdown" in told
    assert "](https://github.com/anonduck/anonduck/blob/main/docs/quickstart.md)" in told
    assert "](docs/" not in told


@pytest.mark.slow
def test_the_installed_wheel_works_outside_the_checkout(wheel, tmp_path):
    """Queries are found where they were installed; the dependencies are those of this environment."""
    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", str(wheel)], check=True, stdin=subprocess.DEVNULL
    )
    site = next((home / "lib").glob("python*/site-packages"))
    borrowed = [path for path in sys.path if path.endswith("site-packages")]
    (site / "borrowed.pth").write_text("\n".join(borrowed) + "\n", encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    code = (
        "import anonduck, pathlib; from anonduck.demo.export import write_demo_export;"
        "write_demo_export(pathlib.Path('persons.parquet'), rows=500); print(anonduck.__file__)"
    )
    done = subprocess.run(
        [python, "-c", code], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
    )
    assert str(home) in done.stdout
    script = home / "bin" / "anonduck"
    made = subprocess.run(
        [script, "audit", "persons.parquet", "-q", "sex"],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
    )
    assert b"quasi-identifiers: sex" in made.stdout


def test_links_of_the_readme_lead_to_the_repository():
    setup = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")
    text = "[a](docs/a.md#b) [c](#d) [e](https://example.org/x) ![f](docs/images/f.png) [g](mailto:a@b.c)"
    base = "https://example.org/repository"
    assert setup["absolute_links"](text, base) == (
        f"[a]({base}/blob/main/docs/a.md#b) [c](#d) [e](https://example.org/x) "
        f"![f]({base}/blob/main/docs/images/f.png) [g](mailto:a@b.c)"
    )
    readme = setup["absolute_links"]((ROOT / "README.md").read_text(encoding="utf-8"), base)
    assert all(link.startswith(("https://", "#")) for link in re.findall(r"\]\(([^)]+)\)", readme))


def test_the_project_allows_the_sqlglot_that_sqlmesh_asks_for_and_none_that_was_not_tested():
    """A minor version of sqlglot may rename an argument of a node."""
    allowed = next(line for line in PROJECT["project"]["dependencies"] if line.startswith("sqlglot"))
    assert allowed == "sqlglot>=30.8.0,<30.31"


def test_every_folder_is_a_listed_package():
    listed = set(PROJECT["tool"]["setuptools"]["packages"])
    data = tuple(
        f"{package}.{pattern.removesuffix('/**/*')}"
        for package, patterns in PROJECT["tool"]["setuptools"]["package-data"].items()
        for pattern in patterns
        if pattern.endswith("/**/*")
    )
    held = set()
    for home, folder in HOMES.items():
        for path in [ROOT / folder, *(ROOT / folder).rglob("*")]:
            if path.is_dir() and any(file.suffix in SHIPPED for file in path.iterdir() if file.is_file()):
                name = (Path(home) / path.relative_to(ROOT / folder)).as_posix()
                held.add(name.replace("/", "."))
    assert listed == {name for name in held if "__pycache__" not in name and not name.startswith(data)}


def test_versions_agree():
    assert PROJECT["project"]["version"] == anonduck.__version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in changes


def test_lowest_versions_are_those_that_the_project_allows():
    allowed = {}
    for line in PROJECT["project"]["dependencies"]:
        name, _, bounds = line.partition(">=")
        allowed[name] = bounds.split(",")[0]
    tested = dict(
        line.split("==")
        for line in (ROOT / "constraints-lowest.txt").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    )
    assert {name.lower(): version for name, version in tested.items()} == allowed


def test_each_ignored_rule_of_the_linter_has_a_reason():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    ignored = PROJECT["tool"]["ruff"]["lint"]["ignore"]
    for rule in ignored:
        line = next(line for line in text.splitlines() if f'"{rule}"' in line)
        assert "#" in line, f"{rule} is ignored without a reason"
