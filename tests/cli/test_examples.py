"""Every command shows examples in its help, and each of them is a line that the command takes."""

import shlex

import click
import pytest

from anonduck.cli.app import cli
from anonduck.cli.groups import EXAMPLES, LazyGroup
from anonduck.cli.release import _settings
from anonduck.methods.registry import METHODS
from anonduck.rules.measure_names import OBJECTIVES, UTILITY


def leaves(group, words=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, LazyGroup):
            yield from leaves(command, (*words, name))
        else:
            yield " ".join((*words, name)), command


COMMANDS = dict(leaves(cli))
LINES = [(words, line) for words, lines in EXAMPLES.items() for line in lines]


def parsed(line):
    """The context of the command of a line of a shell, whose options and arguments have been read."""
    program, *words = shlex.split(line.partition(" > ")[0])
    assert program == "anonduck"
    group, context = cli, click.Context(cli, info_name=program, **cli.context_settings)
    while isinstance(group, click.Group):
        name, *words = words
        group = group.get_command(context, name)
        assert group is not None, name
        if isinstance(group, click.Group):
            context = click.Context(group, parent=context, info_name=name)
        else:
            context = group.make_context(name, list(words), parent=context)
    return context


def test_every_command_has_examples_and_no_other_word_has():
    assert set(EXAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("words", COMMANDS)
def test_the_help_of_a_command_shows_its_examples(words):
    text = COMMANDS[words].get_help(click.Context(COMMANDS[words], info_name=words, **cli.context_settings))
    shown = text.partition("Examples:\n")[2]
    assert [line.strip() for line in shown.splitlines()] == list(EXAMPLES[words])


@pytest.mark.parametrize(("words", "line"), LINES, ids=[line for _, line in LINES])
def test_an_example_is_a_line_of_its_command_that_parses(words, line):
    context = parsed(line)
    assert context.command.name == words.split()[-1]
    assert line.startswith(f"anonduck {words}")


@pytest.mark.parametrize("line", [line for words, line in LINES if words == "compare"])
def test_an_example_of_compare_names_what_it_compares(line):
    given = parsed(line).params
    assert given["methods"] or given["imports"] or given["comparisons"]


def test_what_an_example_sets_is_an_option_of_its_method():
    setting = [parsed(line).params for words, line in LINES if words == "anonymize" and "--set" in line]
    assert setting
    for given in setting:
        METHODS[given["method"]].resolve_options(_settings(given["settings"]))


@pytest.mark.parametrize("line", ["anonduck rules --nothing", "anonduck init", "anonduck audit"])
def test_a_line_that_does_not_parse_is_noticed(line):
    with pytest.raises(click.UsageError):
        parsed(line)


@pytest.mark.parametrize(
    ("words", "option", "names"),
    [
        ("discover", "select", OBJECTIVES),
        ("run", "select", OBJECTIVES),
        ("compare", "select", OBJECTIVES),
        ("frontier", "objectives", OBJECTIVES),
        ("discover", "measures", (*UTILITY, "all")),
    ],
)
def test_help_lists_the_names_that_an_option_takes(words, option, names):
    told = next(one.help for one in COMMANDS[words].params if one.name == option)
    assert all(name in told for name in names)
