"""The command advise: what a wide table's quasi-identifiers tell of one another and of single records."""

from __future__ import annotations

import click

from anonduck.cli.options import config_option, json_option
from anonduck.cli.terminal import on_one_line, print_json, reporting, say


@click.command("advise", short_help="Say which columns of a wide table to leave out.")
@config_option
@json_option
def advise_command(path: str, as_json: bool) -> None:
    """Say which quasi-identifiers to leave out of a wide table.

    Shows which columns tell the same, which alone tell records apart, and how many
    records are in small classes with and without them, on up to 100,000 records.
    """
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        advice = project.advise()
    if as_json:
        print_json(None if advice is None else advice.as_json())
        return
    if advice is None:
        say("no record to look at")
        return
    for line in advice.lines:
        say(on_one_line(line))
