"""The command rules: all rules of the last discovery, or one of them whole."""

from __future__ import annotations

import click

from anonduck.cli.completion import rule_ids
from anonduck.cli.options import config_option, json_option
from anonduck.cli.rule_list import print_rule_list


@click.command("rules")
@click.argument("rule", required=False, shell_complete=rule_ids)
@config_option
@json_option
def rules_command(rule: str | None, path: str, as_json: bool) -> None:
    """List the rules of the last discovery, or show one.

    RULE is an id (R12) or a literal (age=3,"odd name"=0) of one of them. It is shown with all its measures, the
    dependency that it stands for, and how much information each column keeps.
    """
    print_rule_list(path, as_json, None, only=rule)
