"""The command usefulness: how useful each quasi-identifier is, by both readings."""

from __future__ import annotations

import click

from anonduck.cli.options import config_option, json_option
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import print_json, reporting, say


@click.command("usefulness", short_help="Show how useful each column is for telling the class.")
@config_option
@json_option
def usefulness_command(path: str, as_json: bool) -> None:
    """Show how useful each quasi-identifier is for telling the class.

    Permutes one column after the other and sees how much worse a random forest guesses
    the class. The method flexible generalizes useful columns less.
    """
    from anonduck.models.usefulness import READINGS
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        found = project.usefulness()
    if as_json:
        print_json(found.as_json())
        return
    names = ("column", "error before - after", "score", *READINGS)
    shown = [[f"{one['weight']:.1f} {one['grade']}" for one in found.graded(reading)] for reading in READINGS]
    rows = zip(found.names, found.changes, found.scores, *shown, strict=True)
    print_table(names, [(name, f"{change:+.4f}", f"{score:+.2f}", *two) for name, change, score, *two in rows])
    for reading, words in READINGS.items():
        say(f"{reading}: {words}")
    say(f"{found.trees} trees on {found.records:,} records; out-of-bag error of a tree {found.error:.4f}")
