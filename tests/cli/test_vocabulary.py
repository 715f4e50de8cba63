"""Commands and options that messages name are there: the library's messages too name what a person types."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from anonduck.cli.app import cli

ROOT = Path(__file__).parents[2] / "anonduck"
PYTHON = re.compile(r"(project\.\w+\(|\w+=(True|False|['\"\[]|[A-Z]{2,}\b))")


def texts(path: Path) -> Iterator[str]:
    """The texts of a module that are no documentation; what is put into them is an x."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    parts = {id(one) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for one in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(v.value) if isinstance(v, ast.Constant) else "x" for v in node.values)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told | parts:
            yield node.value


def quoted() -> Iterator[tuple[str, str]]:
    """What stands in backticks in the texts of the library and of the command line, with the module."""
    for path in sorted(ROOT.rglob("*.py")):
        for text in texts(path):
            yield from ((path.name, found) for found in re.findall(r"`([^`\n]+)`", text))


def commands() -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    groups: list[tuple[str, click.Group]] = [("", cli)]
    while groups:
        path, group = groups.pop()
        for name in group.list_commands(click.Context(group)):
            command = group.get_command(click.Context(group), name)
            assert command is not None
            found[f"{path}{name}"] = command
            if isinstance(command, click.Group):
                groups.append((f"{path}{name} ", command))
    return found


@pytest.mark.slow
def test_commands_and_options_that_messages_name_exist() -> None:
    known = commands()
    every = {option for command in known.values() for one in command.params for option in one.opts} | {"--help"}
    named, missing = 0, set()
    for module, phrase in quoted():
        words = shlex.split(phrase) if phrase.startswith(("anonduck ", "--", "-")) else []
        if not words:
            continue
        named += 1
        options = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
        allowed = every
        if words[0] == "anonduck":
            name = next((" ".join(words[1 : 1 + n]) for n in (2, 1) if " ".join(words[1 : 1 + n]) in known), None)
            if name is None:
                missing.add((module, phrase))
                continue
            allowed = {option for one in known[name].params for option in one.opts} | {"--help"}
        missing |= {(module, phrase) for option in options if option not in allowed}
    assert named > 100
    assert missing == set()


def test_no_message_names_an_argument_of_python() -> None:
    assert {(module, phrase) for module, phrase in quoted() if PYTHON.match(phrase)} == set()
