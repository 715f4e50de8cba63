"""The help of every command can be read in a terminal of 80 columns, and says what each option is for."""

import contextlib
import io
import os
import subprocess
import sys
from unittest import mock

import click
import pytest

from anonduck.cli.app import HELP, cli, run
from anonduck.cli.groups import SectionedCommand

WIDTH = 80
MANY = 8


def commands(group, path=()):
    """Every command below a group, by its words."""
    context = click.Context(group)
    found = {path: group}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        below = commands(command, (*path, name)) if isinstance(command, click.Group) else {(*path, name): command}
        found |= below
    return found


COMMANDS = commands(cli)
each_command = pytest.mark.parametrize("path", COMMANDS, ids=lambda path: " ".join(path) or "anonduck")


def help_of(path):
    """What a wide terminal shows; not by CliRunner, which has a width of its own."""
    shown = io.StringIO()
    with mock.patch.dict(os.environ, COLUMNS="200"), contextlib.redirect_stdout(shown):
        assert run([*path, "--help"]) == 0
    return shown.getvalue()


@each_command
def test_help_fits_in_80_columns(path):
    assert max(map(len, help_of(path).splitlines())) <= WIDTH


@pytest.mark.parametrize("path", [(), ("taxonomy",)], ids=["anonduck", "taxonomy"])
def test_lists_of_commands_show_whole_first_lines(path):
    listed = help_of(path).partition("Commands:\n")[2].splitlines()
    names = COMMANDS[path].list_commands(click.Context(COMMANDS[path]))
    assert [line.split()[0] for line in listed] == names
    for line in listed:
        assert line.endswith("."), line
        assert "..." not in line


@each_command
def test_every_option_says_what_it_is_for(path):
    for option in COMMANDS[path].params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert option.help[0].isupper(), option.name
            assert option.help.partition("  [default")[0].endswith("."), option.name


@each_command
def test_many_options_stand_in_sections(path):
    command = COMMANDS[path]
    options = [option for option in command.params if isinstance(option, click.Option)]
    assert isinstance(command, SectionedCommand) or len(options) <= MANY + 3  # those that all have


@pytest.mark.parametrize(
    "path", [path for path, command in COMMANDS.items() if isinstance(command, SectionedCommand)], ids=" ".join
)
def test_sections_name_each_option_once(path):
    command = COMMANDS[path]
    named = [name for names in command.sections.values() for name in names]
    assert len(named) == len(set(named))
    shown = help_of(path)
    for option in command.params:
        if isinstance(option, click.Option):
            assert f" {option.opts[-1]}" in shown
    assert all(f"\n{title}:\n" in shown for title in command.sections)


def test_a_section_with_an_unknown_option_is_noticed():
    @click.command(cls=SectionedCommand, sections={"Input": ["file", "missing"]})
    @click.option("--file", help="File to read.")
    def command(file):
        pass

    with pytest.raises(KeyError, match="missing"):
        command.get_help(click.Context(command))


def test_options_without_a_section_stand_at_the_end():
    @click.command(cls=SectionedCommand, sections={"Input": ["file"]})
    @click.argument("where")
    @click.option("--other", help="Something else.")
    @click.option("--file", help="File to read.")
    def command(where, file, other):
        pass

    text = command.get_help(click.Context(command, info_name="it"))
    assert text.index("Input:") < text.index("--file") < text.index("Other options:") < text.index("--other")
    assert "where" not in text.lower().partition("input:")[2]


@pytest.mark.slow
def test_the_installed_command_prints_the_same_help():
    command = [sys.executable, "-m", "anonduck", "discover", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"})
    assert done.stdout == help_of(("discover",))


def test_the_help_says_of_commands_what_they_say_of_themselves():
    context = click.Context(cli)
    assert {name: cli.get_command(context, name).get_short_help_str(MANY * WIDTH) for name in cli.homes} == HELP
