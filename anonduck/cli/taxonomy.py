"""The group taxonomy: commands on the lookup tables that generalize values."""

from __future__ import annotations

import click

from anonduck.cli.groups import LazyGroup

COMMANDS = ("list", "build", "import", "show", "check", "export", "mapping")


@click.group("taxonomy", cls=LazyGroup, names=COMMANDS, prefix="taxonomy_")
def taxonomy_command() -> None:
    """Build, import, show, check and export taxonomies.

    A taxonomy is a lookup table that generalizes the values of a column, level by level.
    """
