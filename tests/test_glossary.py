"""GLOSSARY.md against the code: each noun that rooms share has its row, each row its noun, each word one meaning."""

import ast
import builtins
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEADING = "## Names in the code"
ROW = re.compile(r"^\| `(\w+)` \| (.+) \|$")
WORD_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
GLOSSARY = (ROOT / "GLOSSARY.md").read_text(encoding="utf-8")


def rows():
    """The names of the section on code, with their meanings."""
    section = GLOSSARY.partition(HEADING)[2]
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


def users(trees, found):
    """By class, the modules other than its own that name it, by import or as an attribute of its module."""
    used = {}
    for module, tree in trees.items():
        aliases = {}
        for node in (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module):
            for name in node.names:
                used.setdefault((node.module, name.name), set()).add(module)
                aliases[name.asname or name.name] = f"{node.module}.{name.name}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used.setdefault((aliases.get(node.value.id), node.attr), set()).add(module)
    return {key: modules - {key[0]} for key, modules in used.items() if key in found and modules != {key[0]}}


def room(module):
    """The room that a module stands in; a module at the top is a room of its own."""
    return module.split(".")[1] if "." in module else module


def is_described_elsewhere(name, bases, by_name):
    """Whether a class is an exception (drawn in errors.py), a section of the config (docs/config.md), or click's."""
    if any(base == "BaseModel" or base.startswith("click.") for base in bases):
        return True
    if any(
        isinstance(kind, type) and issubclass(kind, BaseException)
        for kind in (getattr(builtins, b, None) for b in bases)
    ):
        return True
    return any(
        is_described_elsewhere(base, by_name[base], by_name) for base in bases if base in by_name and base != name
    )


@cache
def nouns(root=ROOT / "anonduck"):
    """The classes that are shared, each with whether it needs a row: rooms share it, or ``Project`` hands it out."""
    trees = modules(root)
    found = classes(trees)
    by_name = {name: bases for (_, name), bases in found.items()}
    return {
        (module, name): len({room(user) for user in by} - {room(module)}) > 1 or f"{root.name}.project" in by
        for (module, name), by in users(trees, found).items()
        if not is_described_elsewhere(name, found[module, name], by_name)
    }


@pytest.mark.slow
def test_each_noun_that_rooms_share_has_a_row():
    named = {name for name, _ in rows()}
    lacking = sorted(f"{name} ({module})" for (module, name), needed in nouns().items() if needed and name not in named)
    assert not lacking, f"add a row for each to {HEADING!r} in GLOSSARY.md: {', '.join(lacking)}"


@pytest.mark.slow
def test_each_row_has_a_noun_and_a_sentence_of_its_own():
    names = {name for _, name in nouns()}
    assert {name for name, _ in rows()} <= names
    assert [name for name, _ in rows()] == sorted((name for name, _ in rows()), key=str.lower)
    meanings = [meaning for _, meaning in rows()]
    assert len(set(meanings)) == len(meanings)
    assert all(len(meaning.split()) > 3 for meaning in meanings)


def test_each_word_is_defined_once():
    words = [word for names, _ in WORD_ROW.findall(GLOSSARY.partition(HEADING)[0]) for word in names.split(", ")]
    assert len(words) > 50
    assert sorted(word for word in set(words) if words.count(word) > 1) == []


def test_a_new_noun_is_missed(tmp_path):
    """What several rooms use needs a row; an exception, a part of the config and a detail of a room need none."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "here.py").write_text(
        "class Noun: ...\nclass Detail: ...\nclass Wrong(ValueError): ...\nclass Worse(Wrong): ...\n"
        "class Section(BaseModel): ...\nclass Part(Section): ...\nclass ByModule: ...\nclass _Hidden: ...\n"
        "class Handed: ...\n"
    )
    for user in ("there", "elsewhere"):
        (package / f"{user}.py").write_text(
            "from package.here import Noun, Worse, Part, _Hidden\nfrom package import here\nhere.ByModule\n"
        )
    (package / "project.py").write_text("from package.here import Handed\n")
    (package / "aside.py").write_text("from package.here import Detail\n")
    needed = {name: needed for (_, name), needed in nouns(package).items()}
    assert needed == {"Noun": True, "ByModule": True, "Handed": True, "Detail": False}


@pytest.mark.slow
def test_one_noun_has_one_name():
    names = [name for _, name in classes(modules(ROOT / "anonduck"))]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []
