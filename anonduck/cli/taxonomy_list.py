"""The command taxonomy list: what ships with anonduck."""

from __future__ import annotations

import click

from anonduck.cli.options import json_option
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import print_json


@click.command("list")
@json_option
def taxonomy_list_command(as_json: bool) -> None:
    """List the taxonomies that ship with anonduck.

    Use one with `shipped: NAME` under `taxonomies:` in the config.
    """
    from anonduck.taxonomy.builders.shipped import list_shipped

    shipped = list_shipped()
    if as_json:
        print_json({"taxonomies": [one.as_json() for one in shipped]})
        return
    rows = [[one.name, one.leaves, " > ".join(one.levels), one.origin] for one in shipped]
    print_table(["name", "leaves", "levels", "origin"], rows)
