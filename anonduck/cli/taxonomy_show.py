"""The command taxonomy show: a taxonomy as a tree."""

from __future__ import annotations

import shutil
import sys

import click

from anonduck.cli.completion import columns as known_columns
from anonduck.cli.options import config_option, json_option, show_values_option
from anonduck.cli.terminal import print_json, reporting, say


@click.command("show")
@click.argument("column", shell_complete=known_columns)
@click.option("--level", type=click.IntRange(min=0), metavar="N", help="List the nodes of this level.")
@config_option
@json_option
@show_values_option
def taxonomy_show_command(path: str, as_json: bool, column: str, level: int | None, show_values: bool) -> None:
    """Draw the taxonomy of COLUMN with record counts."""
    from anonduck.project import Project
    from anonduck.taxonomy.view import as_json as view_as_json
    from anonduck.taxonomy.view import draw

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        view = project.show_taxonomy(column, level=level, show_values=show_values)
    if as_json:
        print_json(view_as_json(view))
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 100
    say(draw(view, width))
