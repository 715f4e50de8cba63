"""The command quasi-identifiers: the smallest sets of columns that single out most records."""

from __future__ import annotations

import click

from anonduck.cli.options import config_option, json_option
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import on_one_line, print_json, reporting, say


@click.command("quasi-identifiers", short_help="Find the fewest columns that single out most records.")
@click.option(
    "--share",
    type=click.FloatRange(min=0, min_open=True, max=1),
    default=0.99,
    show_default=True,
    metavar="SHARE",
    help="Share of the records to single out.",
)
@config_option
@json_option
def quasi_identifiers_command(path: str, as_json: bool, share: float) -> None:
    """Find the smallest sets of columns that single out most records.

    Looks at the columns that the config does not name as identifiers, sensitive columns
    or the class, on up to 100,000 records. Prints no value.
    """
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        found = project.identifying_columns(share=share)
    if as_json:
        print_json(None if found is None else found.as_json())
        return
    if found is None:
        say("no record to look at")
        return
    rows = [
        [one.column, f"{one.unique:.2%}", f"{one.distinction:.2%}", f"{one.separation:.2%}"] for one in found.columns
    ]
    headings = ["column", "unique", "distinction", "separation"]
    print_table(headings, rows, right=headings[1:])
    for line in found.lines:
        say(on_one_line(line))
