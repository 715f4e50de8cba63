"""Groups of commands that import a command when it is called, so that the others cost nothing."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import click


class LazyGroup(click.Group):
    """A group of commands, each the function ``NAME_command`` of the module ``anonduck.cli.NAME``."""

    def __init__(self, *arguments: Any, names: Sequence[str], prefix: str = "", **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.names = tuple(names)
        self.prefix = prefix

    def list_commands(self, _: click.Context) -> list[str]:
        """The commands in the order of the work."""
        return list(self.names)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """The command of a name."""
        if name not in self.names:
            return None
        module = importlib.import_module(f"anonduck.cli.{self.prefix}{name}")
        command: click.Command = getattr(module, f"{self.prefix}{name}_command")
        return command
