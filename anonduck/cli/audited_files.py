"""The command anonduck-audit: the audit of several files, one after the other, as pre-commit names them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from anonduck.cli.app import run
from anonduck.cli.audit import audit_command
from anonduck.cli.terminal import on_one_line, say
from anonduck.errors import AnonduckError, TryAgainError

FILES = "files"


def main(arguments: Sequence[str] | None = None) -> None:
    """Audit the files at the end of the arguments, each with the options before them; ends with the worst exit code."""
    sys.exit(audit_files(list(sys.argv[1:] if arguments is None else arguments)))


def audit_files(arguments: list[str]) -> int:
    """Audit several files with the same options; returns the worst exit code, and 2 if nothing is required of them.

    An audit without a requirement could refuse nothing, and would be a gate that lets all through.
    """
    try:
        files, required = _read(arguments)
    except click.ClickException as error:
        error.show(sys.stderr)
        return 2
    except AnonduckError as error:
        say(f"anonduck: {error}", err=True)
        return error.exit_code
    if not required:
        say("name what is required of the files with --require, such as --require k=5, --preset or --policy", err=True)
        return 2
    options = arguments[: len(arguments) - len(files)]
    codes = [0]
    for file in files:
        say(on_one_line(f"{file}:"))
        codes.append(run(["audit", *options, *([] if options[-1:] == ["--"] else ["--"]), file]))
    return max(codes, key=lambda code: 0.5 if code == TryAgainError.exit_code else code)


def _read(arguments: list[str]) -> tuple[list[str], bool]:
    """The files that the arguments name, and whether something is required; raises click.ClickException.

    Files come last, as pre-commit writes them.
    """
    options = [one for one in audit_command.params if isinstance(one, click.Option)]
    several = click.Command("anonduck-audit", params=[*options, click.Argument([FILES], nargs=-1)])
    values = several.make_context("anonduck-audit", list(arguments)).params
    files = list(values[FILES])
    if arguments[len(arguments) - len(files) :] != files:
        raise click.UsageError("name the files after all options")
    return files, bool(values["required"] or values["preset"] or values["policy"])
