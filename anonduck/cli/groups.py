"""Groups of commands that import a command when it is called, so that the others cost nothing."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from anonduck.cli.examples import examples_of
from anonduck.cli.terminal import SHOW_SQL
from anonduck.words import did_you_mean

SHOW_SQL_HELP = "Print each SQL statement on stderr as it runs, with its values: as sensitive as the source."


class LazyGroup(click.Group):
    """A group of commands, each the function ``NAME_command`` of the module ``anonduck.cli.NAME``, - being _."""

    def __init__(self, *arguments: Any, names: Sequence[str], prefix: str = "", **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.names = tuple(names)
        self.prefix = prefix

    def list_commands(self, _: click.Context) -> list[str]:
        """The commands in the order of the work."""
        return list(self.names)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named; a similar name is offered for one that does not exist."""
        try:
            return super().resolve_command(context, args)
        except click.UsageError as error:
            raise click.UsageError(f"{error.message.rstrip('.')}{did_you_mean(args[0], self.names)}", context) from None

    def invoke(self, context: click.Context) -> Any:
        """Run the command; it is done where who reads what it prints has read enough, as `head` does."""
        try:
            return super().invoke(context)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(0) from None

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """The command of a name."""
        if name not in self.names:
            return None
        function = self.prefix + name.replace("-", "_")
        module = importlib.import_module(f"anonduck.cli.{function}")
        command: click.Command = getattr(module, f"{function}_command")
        words = f"{self.prefix.replace('_', ' ')}{name}"
        if not isinstance(command, click.Group):
            command.epilog = f"\b\n{examples_of(words)}"
        return with_show_sql(command)


def with_show_sql(command: click.Command) -> click.Command:
    """A command with the option ``--show-sql``, which all have; a group passes it on to its commands."""
    if not isinstance(command, click.Group) and not any(option.name == "show_sql" for option in command.params):
        command.params.insert(-1, _show_sql())
    return command


def _show_sql() -> click.Option:
    def chosen(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            context.meta[SHOW_SQL] = True

    return click.Option(["--show-sql"], is_flag=True, expose_value=False, callback=chosen, help=SHOW_SQL_HELP)
