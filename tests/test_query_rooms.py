"""Which room reads which folder of sql/: imports do not show it, so the names of query files in the code do."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import anonduck
from anonduck.statements.template import query_names

PACKAGE = Path(anonduck.__file__).parent
READERS = {
    "attacks": {"attacks"},
    "auditing": {"auditing"},
    "comparison": {"comparison"},
    "database": set(),  # how tables are described, copied and counted: any room
    "demo": {"demo"},
    "engines": {"engines", "statements"},  # of other engines, in the dialect of each
    "evaluation": {"evaluation"},
    "frequency": {"frequency", "evaluation"},
    "init": {"init"},
    "measures": {"measures", "search", "offer"},
    "offer": {"offer"},
    "privacy": {"privacy", "attacks"},  # what judges and audits share; judges ask the room privacy
    "release": {"release"},
    "report": {"report"},
    "search": {"search", "evaluation"},
    "source": {"source", "taxonomy", "init", "search", "attacks", "release"},
    "taxonomy": {"taxonomy", "init", "evaluation", "release"},
}
"""By folder the rooms that may read it. What makes a release and what judges it share no query but those of sources,
taxonomies and the decision database."""


def queries_of(tree):
    """The paths of query files in a module; in those of an f-string, what is filled in stands in braces."""
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(node, ast.JoinedStr):
            text = "".join(one.value if isinstance(one, ast.Constant) else "{}" for one in node.values)
        if isinstance(text, str) and text.endswith(".sql") and "/" in text and " " not in text:
            yield text.removeprefix("sql/")


def readers():
    """By folder the rooms that name a file of it, with the modules."""
    found = defaultdict(lambda: defaultdict(set))
    for path in PACKAGE.rglob("*.py"):
        module = path.relative_to(PACKAGE)
        for text in queries_of(ast.parse(path.read_text(encoding="utf-8"))):
            folder = text.partition("/")[0]
            if folder in READERS:
                found[folder][module.parts[0].removesuffix(".py")].add(module.as_posix())
    return found


FOUND = readers()


def test_each_folder_has_its_readers():
    assert {name.partition("/")[0] for name in query_names()} == set(READERS)


@pytest.mark.parametrize("folder", sorted(READERS))
def test_only_its_readers_read_a_folder(folder):
    strangers = {room: modules for room, modules in FOUND[folder].items() if room not in READERS[folder]}
    assert FOUND[folder]
    assert not READERS[folder] or strangers == {}


@pytest.mark.parametrize("folder", sorted(READERS))
def test_each_reader_reads(folder):
    assert READERS[folder] <= set(FOUND[folder])


def test_every_file_is_read():
    """By its name, or one of its folder that is filled in."""
    texts = {text for path in PACKAGE.rglob("*.py") for text in queries_of(ast.parse(path.read_text(encoding="utf-8")))}
    filled = {text.rpartition("/")[0] for text in texts if "{}" in text}
    assert [name for name in query_names() if name not in texts and name.rpartition("/")[0] not in filled] == []


def test_a_name_in_the_code_is_found():
    tree = ast.parse('statement("privacy/k.sql"); statement(f"release/{one}.sql"); "see release/x.sql"')
    assert list(queries_of(tree)) == ["privacy/k.sql", "release/{}.sql"]
