"""GLOSSARY.md against the code: each noun that modules share has its row, and each row its noun."""

import ast
import builtins
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEADING = "## Names in the code"
ROW = re.compile(r"^\| `(\w+)` \| (.+) \|$")


def rows():
    """The names of the section on code, with their meanings."""
    section = (ROOT / "GLOSSARY.md").read_text(encoding="utf-8").partition(HEADING)[2]
    return [match.groups() for match in map(ROW.match, section.splitlines()) if match]


def modules(root):
    """The parsed modules of a package by their dotted names."""
    files = {file: ast.parse(file.read_text(encoding="utf-8")) for file in root.rglob("*.py")}
    return {
        ".".join(f.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__"): t
        for f, t in files.items()
    }


def classes(trees):
    """The public classes: module and name, with the names of their bases."""
    return {
        (module, node.name): [ast.unparse(base).partition("[")[0] for base in node.bases]
        for module, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    }


def shared(trees, found):
    """The classes that a module other than their own names, straight or through its module."""
    used = set()
    for module, tree in trees.items():
        aliases = {}
        for node in (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module):
            for one in node.names:
                used |= {(node.module, one.name)} - {(module, one.name)}
                aliases[one.asname or one.name] = f"{node.module}.{one.name}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used.add((aliases.get(node.value.id), node.attr))
    return used & set(found)


def is_told_elsewhere(name, bases, by_name):
    """Whether a class is an exception (drawn in errors.py), a section of the config (docs/config.md), or click's."""
    if any(base == "BaseModel" or base.startswith("click.") for base in bases):
        return True
    if any(
        isinstance(kind, type) and issubclass(kind, BaseException)
        for kind in (getattr(builtins, b, None) for b in bases)
    ):
        return True
    return any(is_told_elsewhere(base, by_name[base], by_name) for base in bases if base in by_name and base != name)


@cache
def nouns(root=ROOT / "anonduck"):
    """The public nouns: classes that more than one module uses and that are not told of elsewhere."""
    trees = modules(root)
    found = classes(trees)
    by_name = {name: bases for (_, name), bases in found.items()}
    return {
        (module, name)
        for module, name in shared(trees, found)
        if not is_told_elsewhere(name, found[module, name], by_name)
    }


@pytest.mark.slow
def test_each_noun_has_a_row():
    told = {name for name, _ in rows()}
    lacking = sorted(f"{name} ({module})" for module, name in nouns() if name not in told)
    assert not lacking, f"add a row for each to {HEADING!r} in GLOSSARY.md: {', '.join(lacking)}"


@pytest.mark.slow
def test_each_row_has_a_noun_and_a_sentence_of_its_own():
    names = {name for _, name in nouns()}
    assert {name for name, _ in rows()} <= names
    assert [name for name, _ in rows()] == sorted((name for name, _ in rows()), key=str.lower)
    meanings = [meaning for _, meaning in rows()]
    assert len(set(meanings)) == len(meanings)
    assert all(len(meaning.split()) > 3 for meaning in meanings)


def test_a_new_noun_is_missed(tmp_path):
    """What several modules use is a noun; an exception, a part of the config and a detail of a module are none."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "here.py").write_text(
        "class Noun: ...\nclass Detail: ...\nclass Wrong(ValueError): ...\nclass Worse(Wrong): ...\n"
        "class Section(BaseModel): ...\nclass Part(Section): ...\nclass ByModule: ...\nclass _Hidden: ...\n"
    )
    (package / "there.py").write_text(
        "from package.here import Noun, Worse, Part, _Hidden\nfrom package import here\nhere.ByModule\n"
    )
    assert nouns(package) == {("package.here", "Noun"), ("package.here", "ByModule")}


@pytest.mark.slow
def test_one_noun_has_one_name():
    names = [name for _, name in classes(modules(ROOT / "anonduck"))]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []
