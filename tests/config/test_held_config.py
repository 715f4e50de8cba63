"""A config whose text is known to be valid is not validated again, and another text never passes for it."""

import json

import pytest

from anonduck.config import held_config
from anonduck.config.essentials import Essentials
from anonduck.config.held_config import HeldConfig
from anonduck.config.reading import read_config
from anonduck.errors import ConfigError

PLAIN = "source: people.csv\nclass: job\nidentifiers: [full_name]\n"
RICH = """
source: "table:people"
engine: {kind: spark}
class: job
entity: customer_id
database: other.duckdb
threads: 2
memory_limit: 1GB
timezone: Europe/Rome
requirement: {k: 7, t: 0.3}
sensitive: [income]
taxonomies: {age: {file: ages.csv}, zip: {prefix: [3, 2]}}
methods: [rules, mondrian]
show: {age: typical}
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The file of an empty folder of caches."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    held_config._version.cache_clear()
    yield tmp_path / "caches" / "anonduck" / held_config.FILE
    held_config._version.cache_clear()


def written(folder, text):
    path = folder / "anonduck.yml"
    path.write_text(text, encoding="utf-8")
    return path


def unvalidated(monkeypatch):
    """From here on nothing can be validated."""

    def refuse(*_):
        raise AssertionError("the config is validated")

    monkeypatch.setattr("anonduck.config.reading.config_of", refuse)


@pytest.mark.parametrize("text", [PLAIN, RICH])
def test_essentials_of_a_valid_text_are_those_of_its_config(place, tmp_path, text, monkeypatch):
    path = written(tmp_path, text)
    first = HeldConfig.of_file(path)
    assert first.config == read_config(path)
    assert first.essentials == Essentials.of(first.config)
    unvalidated(monkeypatch)
    again = HeldConfig.of_file(path)
    assert again.essentials == first.essentials
    with pytest.raises(AssertionError):
        _ = again.config


def test_what_is_kept_names_no_column(place, tmp_path):
    HeldConfig.of_file(written(tmp_path, PLAIN))
    assert place.stat().st_mode & 0o777 == 0o600
    assert "full_name" not in place.read_text(encoding="utf-8")
    assert "job" not in place.read_text(encoding="utf-8")


def test_another_text_is_validated(place, tmp_path):
    HeldConfig.of_file(written(tmp_path, PLAIN))
    with pytest.raises(ConfigError, match="clas"):
        HeldConfig.of_file(written(tmp_path, PLAIN.replace("class", "clas")))
    assert HeldConfig.of_file(written(tmp_path, PLAIN + "threads: 3\n")).essentials.threads == 3


def test_a_text_that_is_not_valid_is_not_kept(place, tmp_path):
    path = written(tmp_path, "clas: job\n")
    for _ in range(2):
        with pytest.raises(ConfigError, match="clas"):
            HeldConfig.of_file(path)
    assert not place.exists()


@pytest.mark.parametrize("changed", ["_code", "__version__"])
def test_a_text_that_other_code_validated_is_validated_again(place, tmp_path, changed, monkeypatch):
    path = written(tmp_path, PLAIN)
    HeldConfig.of_file(path)
    (tmp_path / "code.py").write_text("")
    monkeypatch.setattr(held_config, changed, (lambda: [tmp_path / "code.py"]) if changed == "_code" else "another")
    held_config._version.cache_clear()
    unvalidated(monkeypatch)
    with pytest.raises(AssertionError):
        HeldConfig.of_file(path)


def test_a_config_under_a_policy_is_validated_each_time(place, tmp_path, monkeypatch):
    path = written(tmp_path, PLAIN + "policy: policy.yml\npublication: {audience: all}\n")
    HeldConfig.of_file(path)
    unvalidated(monkeypatch)
    with pytest.raises(AssertionError):
        HeldConfig.of_file(path)


@pytest.mark.parametrize("text", ["", "{", "[1]", "{NAME: 1}", "{NAME: {}}", '{NAME: {"threads": 1}}'])
def test_what_cannot_be_read_of_the_cache_is_made_anew(place, tmp_path, text, monkeypatch):
    path = written(tmp_path, PLAIN)
    kept = HeldConfig.of_file(path).essentials
    (name,) = json.loads(place.read_text(encoding="utf-8"))
    place.write_text(text.replace("NAME", json.dumps(name)), encoding="utf-8")
    assert HeldConfig.of_file(path).essentials == kept
    unvalidated(monkeypatch)
    assert HeldConfig.of_file(path).essentials == kept


def test_texts_that_were_validated_last_are_kept(place, tmp_path, monkeypatch):
    monkeypatch.setattr(held_config, "MOST", 2)
    for count in (1, 2, 3):
        HeldConfig.of_file(written(tmp_path, f"{PLAIN}threads: {count}\n"))
    assert [one["threads"] for one in json.loads(place.read_text(encoding="utf-8")).values()] == [2, 3]
