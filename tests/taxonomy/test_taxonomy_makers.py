"""The table of builders: each row leads to its maker, and is all that the rest of the code knows of a builder."""

import sys
from types import ModuleType

import documentation
import oracles
import pytest

from anonduck.config.builders import BUILDERS, Builder
from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.errors import ConfigError
from anonduck.statements import Statement
from anonduck.taxonomy.catalog import ROOM, maker_of
from anonduck.taxonomy.computed_labels import ComputedLabels, ComputedStep
from anonduck.taxonomy.taxonomies import FILE, MAKERS


@pytest.mark.parametrize("name", BUILDERS)
def test_every_row_is_a_key_with_a_maker_of_the_room(name):
    builder = BUILDERS[name]
    assert {name, *builder.options} <= TaxonomyOptions.model_fields.keys()
    assert builder.kind in {*MAKERS, FILE}
    assert maker_of(name).__module__.startswith(f"{ROOM}.")


def test_every_key_is_a_builder_or_an_option_of_one():
    known = {*BUILDERS, *(option for builder in BUILDERS.values() for option in builder.options)}
    assert TaxonomyOptions.model_fields.keys() - known == {"encoding"}


@pytest.mark.parametrize("name", BUILDERS)
def test_every_builder_is_shown_in_the_documentation(name):
    text = (documentation.ROOT / "docs" / "taxonomies.md").read_text(encoding="utf-8")
    assert f"{{{name}: " in text


def first_letters(options, _):
    lengths = range(len(options.geohash), 0, -1)
    return ComputedLabels(
        (ComputedStep("computed_text"),), tuple((ComputedStep("computed_prefix", {"kept": n}),) for n in lengths)
    )


@pytest.mark.slow
def test_a_row_is_enough_to_build_and_to_refuse(monkeypatch):
    """A maker under the key of geohashes, which takes their place wherever the key is read."""
    room = ModuleType("toy")
    room.first_letters = first_letters
    monkeypatch.setitem(sys.modules, f"{ROOM}.toy", room)
    monkeypatch.setitem(BUILDERS, "geohash", Builder("computed", "toy:first_letters", ("pad",)))
    people = oracles.people(60)
    assert people["job"].isna().any()
    jobs = sorted(people["job"].dropna().unique())
    with oracles.project(people, taxonomies={"job": {"geohash": [2, 1], "pad": "x"}}, requirement={"k": 1}) as one:
        one.build_taxonomies()
        paths = Statement("paths", 'SELECT value, level_1, level_2, level_3 FROM taxonomy."job"')
        assert sorted(one.database.rows(paths)) == [(job, job[:2], job[0], "*") for job in jobs]
    with pytest.raises(ConfigError, match="pad belongs to `mask`, `geohash`, not to `ip`"):
        oracles.project(people, taxonomies={"job": {"ip": True, "pad": "x"}})
