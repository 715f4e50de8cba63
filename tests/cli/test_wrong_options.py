"""Each option of each command refuses values of the wrong kind, out of range and empty, before anything is written."""

import contextlib
import io

import click
import pytest
from bad_inputs import GOOD, RELEASE, contents, laid_out, told

from anonduck.cli.app import cli, run

NEEDED = {
    "init": ("s.csv", "--class", "c", "-p", "new.yml"),
    "release": ("age=1,job=0", "-o", "x.csv"),
    "anonymize": ("mondrian", "-o", "x.csv"),
    "sql": ("age=1,job=0",),
    "audit": ("o.csv",),
    "attack": ("o.csv", "--original", "s.csv", "--class", "c"),
    "reconstruct": ("o.csv", "-o", "x.csv"),
    "run": ("-o", "x.csv"),
    "report": ("-o", "x.html"),
    "taxonomy import": ("age", "s.csv"),
    "taxonomy show": ("age",),
    "taxonomy mapping": ("age=1,job=0", "-o", "x.csv"),
    "taxonomy build": ("age",),
    "taxonomy export": ("age", "-o", "x.csv"),
}
FREE = ("--project", "--output", "--name", "--table", "--recipient", "--purpose")
"""Options that take any text, that may name what is not there, or that other tests name nothing to."""


def commands(command: click.Command, words=()):
    if not isinstance(command, click.Group):
        yield " ".join(words), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        yield from commands(command.get_command(context, name), (*words, name))


def wrong(option: click.Option):
    kind = option.type
    if isinstance(kind, (click.types.IntParamType, click.types.FloatParamType)):
        yield from ("x", "nan", "inf")
        yield from (str(end + step) for end, step in ((kind_end(kind, "min"), -1), (kind_end(kind, "max"), 1)) if end)
    elif (kind is click.STRING and option.opts[-1] not in FREE) or kind is not click.STRING:
        yield "nonesuch"
    yield ""


def kind_end(kind, name):
    return getattr(kind, name, None)


def cases():
    return [
        pytest.param([*words.split(), *NEEDED.get(words, ()), option.opts[-1], value], id=f"{words} {name}={value!r}")
        for words, command in commands(cli)
        if words not in ("demo", "explore", "purge")
        for option in command.params
        if isinstance(option, click.Option) and not option.is_flag
        for name in [option.opts[-1]]
        for value in wrong(option)
        if (name, value) != ("--project", "")  # the current folder
    ]


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A project with rules and the release o.csv."""
    folder = laid_out(tmp_path_factory.mktemp("options"), {"s.csv": GOOD}, "source: s.csv\nclass: c\nbudget: 50\n")
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert run(["discover"]) == 0
        assert run(list(RELEASE)) == 0
    return folder


@pytest.mark.some(1)
@pytest.mark.parametrize("arguments", cases())
def test_an_option_refuses_what_it_cannot_be(capsys, released, arguments):
    before = contents(released)
    code, text = told(capsys, released, *arguments)
    assert code == 2, text
    assert "a bug" not in text
    assert contents(released) == before
