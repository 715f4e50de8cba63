"""The keys that Python takes as arguments, and the options of the command line, are those of the config."""

import click
import pytest

from anonduck.cli.discover import SETTINGS
from anonduck.cli.settings import option_of, settings_options
from anonduck.config.changes import Changes, Settings
from anonduck.config.config import Config
from anonduck.config.requirement import RequirementOptions

KEYS = {field.alias or name for name, field in Config.model_fields.items()}


def option(*arguments, **keywords):
    """The option of a key, as click has it."""

    @click.command
    @option_of(*arguments, **keywords)
    def command(**_):
        pass

    return command.params[0]


def test_each_key_is_an_argument():
    apart = {"source", "class", "database", "engine"}  # arguments of their own, some of which take more than the key
    assert set(Settings.__annotations__) == KEYS - apart
    assert set(SETTINGS) <= set(Changes.__annotations__)


@pytest.mark.parametrize(
    ("key", "given", "read"),
    [
        ("coverage", ["0.5", "0.1"], (0.5, 0.1)),
        ("sample", "all", "all"),
        ("sample", "20", 20),
        ("search", "rfd", "rfd"),
        ("time_limit", "1.5", 1.5),
        ("class", "c", "c"),
    ],
)
def test_an_option_reads_what_its_key_takes(key, given, read):
    parameter = option(key)
    assert parameter.type_cast_value(click.Context(click.Command("it")), given) == read


@pytest.mark.parametrize(
    ("key", "refused"),
    [("coverage", ["1.5"]), ("sample", "1"), ("search", "x"), ("max_rfds", "0"), ("time_limit", "0")],
)
def test_an_option_refuses_what_its_key_does_not_take(key, refused):
    with pytest.raises(click.BadParameter):
        option(key).type_cast_value(click.Context(click.Command("it")), refused)


def test_help_comes_from_the_key():
    assert option("test_on").help == (
        "Test models on generalized records, or on the original ones.  [default: generalized]"
    )
    assert option("keep").help.endswith("at a level N at most. Repeatable.")
    assert option("sample").metavar == "N|all"
    assert option("k", "-k", model=RequirementOptions, default="the required k").help == (
        "Records in the smallest equivalence class.  [default: the required k]"
    )


def test_options_that_are_not_given_change_nothing():
    found = []

    @click.command
    @settings_options("coverage", "models", "keep")
    def command(changes):
        found.append(changes)

    for words in ([], ["--coverage", "0.5"], ["--model", "none"], ["--keep", "age=2"]):
        command.main(words, standalone_mode=False)
    assert found == [{}, {"coverage": [0.5]}, {"models": []}, {"keep": {"age": 2}}]
