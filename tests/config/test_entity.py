"""The config's key `entity`: how it is written, what it refuses, and k of persons as records and back."""

import json

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project
from anonduck.config.config import json_schema
from anonduck.config.persons import PersonCounts, persons_in, records_for
from anonduck.config.reading import make_config, with_changes
from anonduck.config.requirement_change import with_requirement
from anonduck.errors import ConfigError, SourceError


def config(entity="who", **settings):
    return make_config({"class": "c", "entity": entity, **settings})


@examples(60)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(1, 5))
def test_so_many_records_are_of_so_many_persons(who, k):
    most = max(map(who.count, who))
    if len(who) >= records_for(k, most):
        assert len(set(who)) >= k
    assert persons_in(len(who), most) <= len(set(who))
    assert persons_in(records_for(k, most), most) == k
    assert k == 1 or persons_in(records_for(k, most) - 1, most) == k - 1


def test_how_it_is_written():
    assert config().entity.column == "who"
    assert config({"column": "who"}) == config()
    assert config({"column": "who", "at_most": 2}).entity.at_most == 2
    for entity in ("who", {"column": "who", "at_most": 2}):
        assert config(entity).model_dump(by_alias=True)["entity"] == entity
    text, mapping = json_schema()["$defs"]["Entity"]["anyOf"]
    assert text == {"type": "string", "minLength": 1}
    assert (mapping["required"], sorted(mapping["properties"])) == (["column"], ["at_most", "column"])
    assert mapping["properties"]["at_most"]["anyOf"][0] == {"type": "integer", "minimum": 1, "maximum": 100_000}


def test_it_is_an_identifier_whether_listed_or_not():
    assert config().named_roles()["identifiers"] == ["who"]
    assert config(identifiers=["id", "who"]).named_roles()["identifiers"] == ["id", "who"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"entity": "c"}, "'c' is the class too"),
        ({"entity": "q", "quasi_identifiers": ["q"]}, "'q' is a quasi-identifier too"),
        ({"entity": "q", "sensitive": ["q"]}, "'q' is sensitive too"),
        ({"entity": "q", "insensitive": ["q"]}, "'q' is insensitive too"),
        ({"entity": "q", "drop": ["q"]}, "among the columns to `drop` too"),
        ({"entity": ["a", "b"]}, "one column tells persons apart; where it takes several"),
        ({"entity": 5}, "entity: it should be a column, such as"),
        ({"entity": {"at_most": 5}}, r"entity\.column"),
        ({"entity": {"column": "a", "at_most": 0}}, r"entity\.at_most: it should be greater than or equal to 1"),
        ({"entity": {"column": "a", "at_most": 1.5}}, r"entity\.at_most"),
        ({"entity": {"column": "a", "most": 1}}, r"unknown key entity\.most"),
    ],
)
def test_what_it_refuses(settings, words):
    with pytest.raises(ConfigError, match=words):
        make_config({"class": "c", **settings})


def test_k_is_made_a_number_of_records_once_and_replaced_in_persons():
    asked = config(requirement={"k": 5, "lkc": {"l": 2, "k": 3, "c": 0.5}}, sensitive=["s"])
    counted = asked.in_records(4)
    assert (counted.requirement.k, counted.requirement.lkc.k, counted.requirement.lkc.c) == (17, 9, 0.5)
    assert counted.in_records(9) == counted
    assert counted.in_persons() == asked
    assert with_requirement(counted, {"k": 2}).requirement.k == 5
    assert with_requirement(counted, {"suppression": 0.1}).requirement.k == 17
    assert with_changes(counted, {"seed": 3}).requirement.k == 17
    assert (counted.records_for(2), counted.persons_in(17), asked.records_for(2)) == (5, 5, 2)
    fixed = counted.fixed()
    assert with_requirement(fixed, {"k": 2}).requirement.k == 2
    assert with_changes(fixed, {"seed": 3}).requirement.k == 17


def test_what_is_told_names_nobody():
    told = PersonCounts(5, 21, 5, left_out=1, by_records=("l", "t"))
    assert told.lines == [
        "k = 5 persons: at least 21 records, because one person has up to 5",
        "1 record is not used, of persons who have more than 5",
        "l, t count records, of which one person may have several in a class",
    ]
    assert PersonCounts.of(json.loads(json.dumps(told.as_json()))) == told
    assert PersonCounts(2, 4, 3, unique_with_kept=1).lines[1:] == [
        "1 record may point to a single person: no more than 3 records share all their values, kept columns "
        "included, and one person may have 3"
    ]
    assert PersonCounts(1, 1, 1, by_records=("l",)).lines == [
        "k = 1 person: at least 1 record, because one person has up to 1"
    ]


def test_what_the_source_refuses(tmp_path):
    path = tmp_path / "t.parquet"
    with Project(source=_table(), class_="c") as one:
        one.workspace.database.rows  # noqa: B018 - a project without an entity opens
        assert one.workspace.entity_sizes is None
    _table().to_parquet(path)
    with Project(source=path, class_="c", entity="whom") as one, pytest.raises(SourceError, match=r"'whom' \(entity\)"):
        one.source  # noqa: B018
    with (
        Project(source=path, class_="c", entity={"column": "whom", "at_most": 1}) as one,
        pytest.raises(SourceError, match=r"'whom' \(entity\).*did you mean 'who'"),
    ):
        one.source  # noqa: B018
    with Project(source=path, class_="c", entity="held") as one, pytest.raises(SourceError, match="tells no persons"):
        one.source  # noqa: B018
    with Project(source=path, class_="c", entity="who", drop=["held"], models=[]) as one:
        with pytest.raises(ConfigError, match="set it in the config"):
            one.discover(entity="age")
        assert one.workspace.entity_sizes.most == 2
        assert repr(one).endswith("k 5>")


def _table():
    import pandas as pd

    return pd.DataFrame({"who": ["a", "a", "b"], "age": [1, 2, 3], "held": [[1], [2], [3]], "c": ["x", "y", "x"]})
