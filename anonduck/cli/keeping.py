"""Commands around the decision: purge what holds personal data, print the schema of the config."""

from __future__ import annotations

from pathlib import Path

import click

from anonduck.cli.app import config_option, json_option, print_json
from anonduck.cli.printing import say


@click.command("purge")
@config_option
@json_option
def purge_command(path: str, as_json: bool) -> None:
    """Remove the decision database with its log and spill files; config and releases stay."""
    from anonduck.purging import purge

    removed = [str(file) for file in purge(Path(path))]
    if as_json:
        print_json({"removed": removed})
        return
    say("removed " + ", ".join(removed) if removed else "there was nothing to remove")


@click.command("schema")
def schema_command() -> None:
    """Print the JSON schema of anonduck.yml, for editors."""
    from anonduck.config import json_schema

    print_json(json_schema())
