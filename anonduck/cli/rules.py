"""The command rules: all rules of the last discovery."""

from __future__ import annotations

import click

from anonduck.cli.options import config_option, json_option
from anonduck.cli.rule_list import print_rule_list


@click.command("rules")
@config_option
@json_option
def rules_command(path: str, as_json: bool) -> None:
    """List the rules of the last discovery."""
    print_rule_list(path, as_json, None)
