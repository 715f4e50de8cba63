"""What CONTRIBUTING says of adding things is so: an example of each stands in the files that it names, nowhere else."""

import re

import documentation
import pytest

ROOT = documentation.ROOT
PROPOSED_BY = {"taxonomy_proposal.py", "value_kinds.py"}  # what init proposes is a choice of its own
ATTACKED_BY = {"known_requirement.py"}  # a twin without queries; else `attack --minimality` refuses the model
BORROWED_BY = {"original.py"}  # the l of distributions is judged as this model is
TOLD_BY = {
    "a SQL engine": {"project.py", "sql.py", "model.py", "engine_labels.py"}
}  # help that lists names; nothing asks it what there is


def additions():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Where to add what")[2]
    rows = re.findall(r"^\| (an? [\w ]+) \| (.*) \| `(\w+)` \|$", text, flags=re.MULTILINE)
    return {what: (re.findall(r"`([\w./*]+)`", files), example) for what, files, example in rows}


ADDITIONS = additions()


def naming(example):
    """The modules and queries that name an example, in their text or by their own name."""
    for path in [*ROOT.glob("anonduck/**/*.py"), *ROOT.glob("sql/**/*.sql")]:
        if example in path.stem or re.search(rf"\b{example}\b", path.read_text(encoding="utf-8")):
            yield path


@pytest.mark.slow
@pytest.mark.parametrize("what", ADDITIONS)
def test_an_example_stands_in_the_files_that_are_named(what):
    files, example = ADDITIONS[what]
    assert 1 < len(files) <= 4
    allowed = {path for name in files for path in ROOT.glob(name.replace("NAME", example))}
    assert allowed >= {ROOT / name for name in files if "NAME" not in name}
    elsewhere = PROPOSED_BY | ATTACKED_BY | BORROWED_BY | TOLD_BY.get(what, set())
    found = {path for path in naming(example) if path.name not in elsewhere}
    assert found <= allowed
    assert len(found) > 1


def test_each_kind_of_addition_is_told():
    assert {"a privacy model", "a utility measure", "a taxonomy builder", "a recoding"} <= ADDITIONS.keys()
