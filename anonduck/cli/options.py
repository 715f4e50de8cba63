"""Options that several commands take, and how their texts are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from anonduck.cli.terminal import ONE_LINE
from anonduck.config.config import FILE_NAME
from anonduck.errors import AnonduckError

F = TypeVar("F", bound=Callable[..., Any])


def config_option(command: F) -> F:
    """``-p PATH``: the config, named after the command or before it."""

    def chosen(context: click.Context, _: click.Parameter, value: str | None) -> str:
        return config_path(value or context.find_root().params.get("path") or FILE_NAME)

    option = click.option(
        "-p",
        "--project",
        "path",
        metavar="PATH",
        callback=chosen,
        help=f"Config file, or its folder.  [default: {FILE_NAME}]",
    )
    return option(command)


def config_path(given: str) -> str:
    """The path of a config that is given by itself or by its folder."""
    return os.path.join(given, FILE_NAME) if os.path.isdir(given) else given


def json_option(command: F) -> F:
    """``--json``: one JSON document on stdout, nothing else there; ``--json-line`` writes it on one line."""

    def line(context: click.Context, _: click.Parameter, value: bool) -> None:
        context.meta[ONE_LINE] = value

    def asked(context: click.Context, _: click.Parameter, value: bool) -> bool:
        return value or bool(context.meta.get(ONE_LINE))

    in_line = click.option(
        "--json-line",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=line,
        help="Print the result as JSON on one line.",
    )
    return click.option("--json", "as_json", is_flag=True, callback=asked, help="Print the result as JSON.")(
        in_line(command)
    )


def show_values_option(command: F) -> F:
    """``--show-values``: let messages name source values."""
    return click.option("--show-values", is_flag=True, help="Show source values in messages.")(command)


def requirements(texts: Sequence[str]) -> dict[str, Any]:
    """Read ``--require k=5``; raises click.UsageError."""
    from anonduck.privacy.requirement import read_requirement

    found = {}
    for text in texts:
        try:
            name, value = read_requirement(text)
        except AnonduckError:
            raise click.UsageError(
                f"--require takes NAME=NUMBER, such as k=5, t=0.2 or recursive_l=3,2; got {text!r}"
            ) from None
        found[name] = value
    return found


def lookups(texts: Sequence[str]) -> dict[str, str]:
    """Read ``--taxonomy COLUMN=FILE``; raises click.UsageError."""
    found = {}
    for text in texts:
        column, _, file = text.partition("=")
        if not column or not file:
            raise click.UsageError(f"--taxonomy takes COLUMN=FILE, such as diagnosis=icd.csv; got {text!r}")
        found[column] = file
    return found
