"""What `make changed` runs: the tests that a change can reach, and one release for each kind of recoding.

A change is what differs from a commit (by default from the branch `main`), with what is not committed and new files. A
module reaches the rooms of the modules that import it, a query those that its room reaches, a helper of the tests those
that import it, a page the tests of the documentation. Anything else reaches all tests. Prints what pytest is to run.

    pytest $(python tests/changed.py [COMMIT])
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
WORDS = (".md", ".svg", ".png")


def git(*arguments: str) -> list[str]:
    """The lines that a command of git prints."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def changed_files(commit: str) -> list[str]:
    """Paths that differ from where this branch left a commit, and files that git does not know."""
    (base,) = git("merge-base", commit, "HEAD")
    return sorted({*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")})


@cache
def imports() -> grimp.ImportGraph:
    """Which module imports which."""
    return grimp.build_graph("anonduck")


def module(path: str) -> str:
    """The dotted name of a module's file."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def room(name: str) -> str:
    """The room of a module, `""` for the package itself."""
    return [*name.split("."), ""][1]


def rooms_reached(path: str) -> set[str]:
    """The rooms of a changed module and of the modules that import it, in any number of steps; for a query, of all
    modules of its room."""
    if path.startswith("sql/"):
        names = [one for one in imports().modules if room(one) == path.split("/")[1]]
    else:
        names = [one for one in [module(path)] if one in imports().modules]
    return {room(one) for name in names for one in [name, *imports().find_downstream_modules(name)]}


@cache
def helpers_of(test: Path) -> frozenset[str]:
    """The names that a test's file imports."""
    tree = ast.parse(test.read_text(encoding="utf-8"))
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return frozenset(
        plain | {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    )


def tests_reached(path: str) -> set[str] | None:
    """The files and folders of tests that a changed path reaches; None stands for all of them."""
    place = Path(path)
    if path.endswith(WORDS):
        return {"tests/test_docs.py", "tests/test_words.py", "tests/test_glossary.py"}
    if path.startswith(("anonduck/", "sql/")):
        folders = {f"tests/{room}" for room in rooms_reached(path) if (TESTS / room).is_dir() and room}
        return {*folders, *(str(one.relative_to(ROOT)) for one in TESTS.glob("test_*.py"))}
    if path.startswith("tests/") and place.name.startswith("test_"):
        return {path} if (ROOT / path).exists() else set()
    if path.startswith("tests/") and place.suffix == ".py" and place.parent.name == "tests":
        users = [one for one in TESTS.rglob("*.py") if place.stem in helpers_of(one)]
        found = {str(one.relative_to(ROOT)) for one in users if one.name.startswith("test_")}
        through = [str(one.relative_to(ROOT)) for one in users if not one.name.startswith("test_")]
        if place.stem == "conftest" or "tests/conftest.py" in through:
            return None
        return found.union(*(tests_reached(one) or () for one in through))
    return {"tests/test_fuzz.py"} if path.startswith("benchmarks/") else None


def reached(paths: Iterable[str]) -> list[str]:
    """What pytest is to run, folders in the place of their files, with the tests from end to end."""
    found: set[str] = set()
    for path in paths:
        tests = tests_reached(path)
        if tests is None:
            return ["tests"]
        found |= tests
    folders = {one for one in found if not one.endswith(".py")}
    kept = folders | {one for one in found if str(Path(one).parent) not in folders}
    return [*sorted(kept), *end_to_end(kept)]


def _decorators(node: ast.stmt) -> str:
    """What stands over a function, as one text."""
    return " ".join(map(ast.unparse, getattr(node, "decorator_list", [])))


def end_to_end(known: set[str]) -> list[str]:
    """The tests marked `recoding` that the places leave out."""
    found = []
    for path in sorted(TESTS.rglob("test_*.py")):
        relative = str(path.relative_to(ROOT))
        text = path.read_text(encoding="utf-8")
        if "mark.recoding" not in text or relative in known or str(Path(relative).parent) in known:
            continue
        marked = [one for one in ast.parse(text).body if "mark.recoding" in _decorators(one)]
        found.extend(f"{relative}::{one.name}" for one in marked if isinstance(one, ast.FunctionDef))
    return found


if __name__ == "__main__":
    print(" ".join(reached(changed_files(sys.argv[1] if len(sys.argv) > 1 else "main"))))
