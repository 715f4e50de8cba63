"""The command schema: the JSON schema of the config."""

from __future__ import annotations

import click

from anonduck.cli.terminal import print_json


@click.command("schema")
def schema_command() -> None:
    """Print the JSON schema of anonduck.yml, for editors."""
    from anonduck.config.config import json_schema

    print_json(json_schema())
