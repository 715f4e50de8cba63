"""A person's word in a config: a name and a day, as a text or as a mapping."""

import pytest

from anonduck.config.config import json_schema
from anonduck.config.reading import config_of, make_config
from anonduck.errors import ConfigError


@pytest.mark.parametrize("key", ["reviewed", "accepted_unattacked"])
@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Jane Doe, 2027-03-01", "Jane Doe"),
        ('"Doe, Jane (DPO), 2027-03-01"', "Doe, Jane (DPO)"),
        ("{name: Jane Doe, date: 2027-03-01}", "Jane Doe"),
    ],
)
def test_a_word_has_a_name_and_a_day(tmp_path, key, given, name):
    word = getattr(config_of(f"class: c\n{key}: {given}\n", tmp_path / "anonduck.yml"), key)
    assert (word.name, word.date) == (name, "2027-03-01")
    again = make_config({"class": "c", key: getattr(make_config({"class": "c", key: word.text}), key)})
    assert getattr(again, key) == word


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("Jane Doe", "reviewed: write a name, a comma and a day, such as `Jane Doe, 2027-03-01`"),
        (", 2027-03-01", "write a name, a comma and a day"),
        ("Jane Doe, 1.3.2027", r"reviewed\.date: write a day as 2027-03-01; it is '1\.3\.2027'"),
        ("Jane Doe, 2027-02-30", "there is no day 2027-02-30"),
        (True, "write a name, a comma and a day"),
        ({"name": "Jane Doe"}, r"reviewed\.date"),
        ({"name": " ", "date": "2027-03-01"}, r"reviewed\.name"),
        ({"name": "Jane Doe", "date": "2027-03-01", "why": "x"}, "unknown key"),
    ],
)
def test_what_is_no_word_is_refused(given, message):
    with pytest.raises(ConfigError, match=message):
        make_config({"class": "c", "reviewed": given})


def test_a_file_may_not_leave_it_empty(tmp_path):
    with pytest.raises(ConfigError, match="reviewed: it is empty"):
        config_of("class: c\nreviewed:\n", tmp_path / "anonduck.yml")


def test_the_schema_allows_a_text_and_a_mapping():
    kinds = json_schema()["$defs"]["SignedWord"]["anyOf"]
    assert [kind["type"] for kind in kinds] == ["string", "object"]
    assert set(kinds[1]["properties"]) == {"name", "date"}
