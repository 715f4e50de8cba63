"""What is written and left empty, and what is given twice, is refused: neither takes back what was required."""

import pandas as pd
import pytest

from anonduck import Project
from anonduck.cli.app import run
from anonduck.config.lock import read_lock
from anonduck.config.policy import read_policy
from anonduck.config.reading import config_of, make_config, read_csv_options, read_options
from anonduck.config.requirement_change import with_requirement
from anonduck.errors import ConfigError
from anonduck.methods.registry import named_method
from anonduck.release.swap_settings import pairs

ROLES = "sensitive: [ill]\n"


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("requirement: {k: 5, l: }", "requirement.l"),
        ("requirement: {recursive_l: {l: 2, c: }}", "requirement.recursive_l.c"),
        ("requirement: {suppression: }", "requirement.suppression"),
        ("requirement: ", "requirement"),
        ("class: ", "class"),
        ("where: ", "where"),
        ("entity: ", "entity"),
        ("entity: {column: who, at_most: }", "entity.at_most"),
        ("select: ", "select"),
        ("select: {measure: k, within: }", "select.within"),
        ("policy: ", "policy"),
        ("publication: {audience: }", "publication.audience"),
        ("taxonomies: {age: {width: }}", "taxonomies.age.width"),
        ("csv: {nullstr: }", "csv.nullstr"),
        ("identifiers: ", "identifiers"),
        ("sensitive_values: {ill: {except: }}", "sensitive_values.ill.except"),
        ("rule: ", "rule"),
    ],
)
def test_a_key_of_a_config_that_is_left_empty_is_refused(tmp_path, line, place):
    with pytest.raises(ConfigError, match=rf"anonduck\.yml: .*{place}: it is empty"):
        config_of(f"{ROLES}{line}\n", tmp_path / "anonduck.yml")


def test_null_stays_where_it_means_something(tmp_path):
    text = f"{ROLES}time_limit: null\nkeep: {{age: , job: 2}}\nsensitive_values: {{ill: [hiv, null]}}\n"
    found = config_of(text, tmp_path / "anonduck.yml")
    assert (found.time_limit, found.keep) == (None, {"age": None, "job": 2})
    assert found.named_values == {"ill": ["hiv", None]}


def test_none_is_no_argument_but_takes_no_requirement_back():
    config = make_config({"class": None, "where": None, "sensitive": ["ill"], "requirement": {"l": 3}})
    for given in ({"l": None}, {"suppression": None}):
        with pytest.raises(ConfigError, match=r"requirement\.\w+: it is empty"):
            with_requirement(config, given)
    assert with_requirement(config, {"k": 7}).requirement.asked == {"k": 7, "l": 3}
    with pytest.raises(ConfigError, match=r"requirement\.l: it is empty"):
        Project(source=pd.DataFrame({"ill": ["a"]}), sensitive=["ill"], requirement={"l": None})


@pytest.mark.parametrize("floors", ["k: 5, l: ", "k: 5, recursive_l: {l: 2, c: }", "k: 5, review: "])
def test_a_floor_that_is_left_empty_is_refused(tmp_path, floors):
    path = tmp_path / "policy.yml"
    path.write_text(f"audiences: {{partner: {{{floors}}}}}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"audiences\.partner\.\S+: it is empty"):
        read_policy(path, "partner")


def test_so_is_a_key_of_a_lock(tmp_path):
    path = tmp_path / "anonduck.lock.yml"
    path.write_text("version: 1\nrule: {age: 1}\nrequirement: {k: 5, l: }\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"the lock file .*requirement\.l: it is empty"):
        read_lock(path)


TWICE = "requirement: {k: 5000, k: 5}\n"


def test_a_key_stands_once_in_configs_policies_and_locks(tmp_path):
    path = tmp_path / "file.yml"
    for text, read in (
        (TWICE, lambda: config_of(TWICE, path)),
        ("audiences: {partner: {k: 5000, k: 5}}\n", lambda: read_policy(path, "partner")),
        (TWICE, lambda: read_lock(path)),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError, match="'k' occurs twice"):
            read()


@pytest.mark.parametrize("again", ["k=5", "k=5000"])
@pytest.mark.parametrize(
    "command",
    [
        ("release", "age=1", "-o", "out.csv"),
        ("anonymize", "mondrian", "-o", "out.csv"),
        ("sql", "age=1"),
        ("audit", "out.csv"),
        ("taxonomy", "mapping", "age=1", "-o", "out.csv"),
    ],
    ids=lambda command: command[0],
)
def test_a_requirement_is_given_once(tmp_path, monkeypatch, capsys, command, again):
    monkeypatch.chdir(tmp_path)
    assert run([*command, "--require", "k=5000", "--require", again]) == 2
    assert "--require names 'k' twice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("read", "texts"),
    [
        (read_csv_options, ["skip=1", "skip=2"]),
        (read_csv_options, ["delim=;", "delim=;"]),
        (lambda texts: read_options(texts, "age"), ["width=10", "width=20"]),
        (lambda texts: named_method(f"mondrian:{','.join(texts)}"), ["splits=width", "splits=entropy"]),
        (lambda texts: pairs("top", "{" + ", ".join(texts) + "}"), ['"age": 1', '"age": 2']),
    ],
)
def test_a_setting_is_given_once(read, texts):
    with pytest.raises(ConfigError, match="twice"):
        read(texts)


def test_a_setting_of_a_method_is_given_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["anonymize", "mondrian", "-o", "o.csv", "--set", "strict=true", "--set", "strict=false"]) == 2
    assert "--set names 'strict' twice" in capsys.readouterr().err
