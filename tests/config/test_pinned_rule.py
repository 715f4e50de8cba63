"""A rule set in the text of a config: nothing else changes, or nothing at all."""

import os

import pytest
import yaml
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.config.pinned_rule import pin_rule, with_rule
from anonduck.config.reading import read_config
from anonduck.errors import ConfigError
from anonduck.rules.rule import literal

RULE = 'age=3,"it\'s"=0'
KEPT = """# who made this
class: bought   # what models predict

identifiers: [id]
requirement:
  k: 7  # agreed
# rule: R3 was the first idea
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (KEPT, KEPT + "rule: 'age=3,\"it''s\"=0'\n"),
        ("class: a\nrule: R1  # mine\nseed: 3\n", "class: a\nrule: 'age=3,\"it''s\"=0'  # mine\nseed: 3\n"),
        ("class: a\nrule:\nseed: 3\n", "class: a\nrule: 'age=3,\"it''s\"=0'\nseed: 3\n"),
        ("class: a\nrule: # none\n", "class: a\nrule: 'age=3,\"it''s\"=0' # none\n"),
        ("\ufeffclass: a\r\nseed: 3", "\ufeffclass: a\r\nseed: 3\r\nrule: 'age=3,\"it''s\"=0'\r\n"),
        ("class: 'a # b'\n", "class: 'a # b'\nrule: 'age=3,\"it''s\"=0'\n"),
    ],
)
def test_only_the_rule_changes(before, after):
    assert with_rule(before, RULE) == after


@pytest.mark.parametrize(
    "text",
    [
        "{class: a}\n",
        "class: a\nrule: R1\nrule: R2\n",
        "class: a\nrule: &r R1\nsource: *r\n",
        "class: a\n...\n",
        "---\nclass: a\n---\nclass: b\n",
        "class: a\nrule: >-\n  R1\n# next\nseed: 3\n",
        "- a\n",
        "a: [\n",
    ],
)
def test_what_cannot_be_edited_safely_is_left_alone(text):
    assert with_rule(text, RULE) is None


@given(st.dictionaries(st.text(min_size=1, max_size=8), st.integers(0, 9), min_size=1, max_size=3))
@examples(100)
def test_any_rule_is_read_back_as_it_was(levels):
    rule = literal(levels)
    edited = with_rule(KEPT, rule)
    if edited is None:
        assert not rule.isprintable(), "only names with characters that YAML cannot hold are left to the owner"
        return
    assert edited.startswith(KEPT)
    assert yaml.safe_load(edited)["rule"] == rule


def test_a_file_keeps_its_mode_and_what_was_done_can_be_undone(tmp_path):
    path = tmp_path / "anonduck.yml"
    path.write_text(KEPT)
    os.chmod(path, 0o640)
    link = tmp_path / "link.yml"
    link.symlink_to(path)
    pinned = pin_rule(link, "age=3")
    assert read_config(path).rule == "age=3"
    assert path.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    pinned.undo()
    assert path.read_text() == KEPT
    pinned = pin_rule(path, "age=2")
    path.write_text(KEPT + "seed: 3\n")
    with pytest.raises(ConfigError, match="was changed since the rule was saved in it"):
        pinned.undo()
    assert path.read_text() == KEPT + "seed: 3\n"
    assert {one.name for one in tmp_path.iterdir()} == {"anonduck.yml", "link.yml"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class: a\nmethod: mondrian\n", "a release by the method mondrian has no rule"),
        ("class: a\nno_key: 3\n", "unknown key no_key"),
        ("{class: a}\n", r"set `rule: 'age=3'` by hand"),
    ],
)
def test_what_would_be_no_config_is_not_written(tmp_path, text, words):
    path = tmp_path / "anonduck.yml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=words):
        pin_rule(path, "age=3")
    assert path.read_text() == text
