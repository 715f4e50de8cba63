"""The command group, what all commands share, and how errors end a process."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

import anonduck
from anonduck.cli.printing import ESCAPED_IN_JSON, say
from anonduck.config import FILE_NAME
from anonduck.errors import AnonduckError

BUG = 4
COMMANDS = {
    "demo": "anonduck.cli.demo",
    "init": "anonduck.cli.deciding",
    "taxonomy": "anonduck.cli.taxonomies",
    "discover": "anonduck.cli.deciding",
    "rules": "anonduck.cli.deciding",
    "frontier": "anonduck.cli.deciding",
    "report": "anonduck.cli.reports",
    "release": "anonduck.cli.releasing",
    "sql": "anonduck.cli.releasing",
    "audit": "anonduck.cli.releasing",
    "attack": "anonduck.cli.attacking",
    "run": "anonduck.cli.releasing",
    "purge": "anonduck.cli.keeping",
    "schema": "anonduck.cli.keeping",
}

F = TypeVar("F", bound=Callable[..., Any])


class LazyGroup(click.Group):
    """A group that imports a command when it is called, so that the others cost nothing."""

    def list_commands(self, _: click.Context) -> list[str]:
        """The commands in the order of the work."""
        return list(COMMANDS)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """The command of a name."""
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(COMMANDS[name]), name + "_command")
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(anonduck.__version__, prog_name="anonduck")
@click.option("-p", "--project", "path", metavar="PATH", help="The config; may also stand after the command.")
def cli(path: str | None) -> None:
    """Anonymize a warehouse export: find, measure, choose, release and prove generalizations in DuckDB.

    \b
    Exit codes: 0 done; 1 a requirement is not met; 2 bad usage, config or input;
    3 no rule can meet the requirement; 4 a bug.
    """


def config_option(command: F) -> F:
    """``-p PATH``: the config, named after the command or before it."""

    def chosen(context: click.Context, _: click.Parameter, value: str | None) -> str:
        return value or context.find_root().params.get("path") or FILE_NAME

    option = click.option(
        "-p", "--project", "path", metavar="PATH", callback=chosen, help=f"The config.  [default: {FILE_NAME}]"
    )
    return option(command)


def json_option(command: F) -> F:
    """``--json``: one JSON document on stdout, nothing else there."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")(command)


def show_values_option(command: F) -> F:
    """``--show-values``: let messages name source values."""
    return click.option("--show-values", is_flag=True, help="Let messages name values of the source.")(command)


def print_json(document: object) -> None:
    """Print one JSON document on stdout."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, default=str).translate(ESCAPED_IN_JSON))


def requirements(texts: Sequence[str]) -> dict[str, Any]:
    """Read ``--require k=5``; raises click.UsageError."""
    from anonduck.privacy.asking import read_requirement

    found = {}
    for text in texts:
        try:
            name, value = read_requirement(text)
        except AnonduckError:
            raise click.UsageError(
                f"--require takes NAME=NUMBER, such as k=5, t=0.2 or recursive_l=3,2; it got {text!r}"
            ) from None
        found[name] = value
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the process with its exit code."""
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def run(arguments: list[str]) -> int:  # noqa: PLR0911 - one return for each way to end
    """Run a command; returns its exit code."""
    try:
        code = cli.main(args=arguments, prog_name="anonduck", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except AnonduckError as error:
        return _failed(arguments, error.exit_code, str(error))
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show(sys.stderr)
        return error.exit_code if error.exit_code != 1 else 2
    except (click.Abort, KeyboardInterrupt):
        return _stopped()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if isinstance(error, RuntimeError) and "interrupt" in str(error).lower():
            return _stopped()  # how DuckDB tells of Ctrl-C while it opens a database
        return _failed(arguments, BUG, _bug(error))


def _stopped() -> int:
    with contextlib.suppress(OSError):  # the terminal may be what ended
        click.echo("stopped", err=True)
    return 130


def _failed(arguments: list[str], code: int, message: str) -> int:
    if "--json" in arguments:
        print_json({"error": message, "exit_code": code})
    say(f"anonduck: {message}", err=True)
    return code


def _bug(error: Exception) -> str:
    """Where it happened, without the message, which may hold values."""
    if os.environ.get("ANONDUCK_DEBUG"):
        return "".join(traceback.format_exception(error))
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "an unknown place"
    return f"a bug: {type(error).__name__} at {place}. ANONDUCK_DEBUG=1 shows all of it; report it without private data"
